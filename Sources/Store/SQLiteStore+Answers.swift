public import AggregatorCore

extension SQLiteStore {
  /// What all answers together may take up; the oldest go first.
  private static let room = 64 << 20

  public func answer(_ key: AnswerKey, step: Int) async throws -> CachedAnswer? {
    try database.reading(else: nil) { connection in
      try connection.first(
        """
        SELECT rows, faults, total, next, more, paging, place, walk, at FROM kept_answer
        WHERE source = ?1 AND question = ?2 AND step = ?3
        """, key.source, key.query, step
      ) { row -> CachedAnswer? in
        guard let next = Continuation(text: row.text(3)), let paging = Paging(text: row.text(5)) else { return nil }
        return CachedAnswer(
          rows: row.bytes(0), faults: AnswerText.faults(row.bytes(1)), total: row.intIfPresent(2).flatMap { $0 < 0 ? nil : $0 },
          next: next,
          more: row.intIfPresent(4).map { $0 != 0 }, paging: paging, place: row.text(6), walk: row.text(7), at: row.moment(8))
      } ?? nil
    }
  }

  @concurrent @discardableResult public func keep(_ answer: CachedAnswer, under key: AnswerKey, step: Int) async throws -> Bool
  {
    let faults = AnswerText.bytes(of: answer.faults)
    let size = answer.rows.count + faults.count
    // Nobody waits for an answer to be kept.
    return try database.writing(hurried: true) { connection in
      if step == 0 {
        try connection.run("DELETE FROM kept_answer WHERE source = ?1 AND question = ?2", key.source, key.query)
      } else {
        let last = try connection.first(
          "SELECT step, walk FROM kept_answer WHERE source = ?1 AND question = ?2 ORDER BY step DESC LIMIT 1", key.source,
          key.query
        ) { (step: $0.int(0), walk: $0.text(1)) }
        guard answer.mayBeKept(as: step, behind: last) else { return false }
      }
      try connection.run(
        """
        INSERT INTO kept_answer(source, question, step, walk, place, at, rows, faults, total, next, more, paging, size)
        VALUES(?1, ?2, ?3, ?4, ?5, ?6, CAST(?7 AS TEXT), CAST(?8 AS TEXT), ?9, ?10, ?11, ?12, ?13)
        """, key.source, key.query, step, answer.walk, answer.place, answer.at.nanoseconds, answer.rows, faults, answer.total,
        answer.next.text, answer.more.map { $0 ? 1 : 0 }, answer.paging.text, size)
      if try connection.number("SELECT total(size) FROM kept_answer") > Self.room {
        try connection.run(
          """
          DELETE FROM kept_answer WHERE id IN (
            SELECT id FROM (SELECT id, total(size) OVER (ORDER BY at DESC, id DESC) AS sum FROM kept_answer) WHERE sum > ?1)
          """, Self.room)
      }
      return true
    }
  }
}
