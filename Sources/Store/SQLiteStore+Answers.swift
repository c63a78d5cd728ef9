public import AggregatorCore

extension SQLiteStore: AnswerKeeper {
  /// What all answers together may take up; the oldest go first.
  private static let room = 64 << 20

  public func answer(_ key: AnswerKey, since: Moment?) async throws -> KeptAnswer? {
    guard database.isThere else { return nil }
    return try database.reading { connection in
      try connection.first(
        """
        SELECT rows, faults, total, next, paging, walk, at FROM kept_answer
        WHERE source = ?1 AND question = ?2 AND place = ?3 AND at >= ?4
        """, key.source, key.question, key.place, since?.nanoseconds ?? .min
      ) { row -> KeptAnswer? in
        guard let next = Continuation(text: row.text(3)), let paging = Paging(text: row.text(4)) else { return nil }
        return KeptAnswer(
          rows: row.bytes(0), faults: AnswerText.faults(row.bytes(1)), total: row.intIfPresent(2), next: next, paging: paging,
          walk: row.moment(5), at: row.moment(6))
      } ?? nil
    }
  }

  @concurrent public func keep(_ answer: KeptAnswer, under key: AnswerKey) async throws {
    let faults = AnswerText.bytes(of: answer.faults)
    let size = answer.rows.count + faults.count
    try database.writing { connection in
      try connection.run(
        """
        INSERT OR REPLACE INTO kept_answer(source, question, place, at, walk, rows, faults, total, next, paging, size)
        VALUES(?1, ?2, ?3, ?4, ?5, CAST(?6 AS TEXT), CAST(?7 AS TEXT), ?8, ?9, ?10, ?11)
        """, key.source, key.question, key.place, answer.at.nanoseconds, answer.walk.nanoseconds, answer.rows, faults, answer.total,
        answer.next.text, answer.paging.text, size)
      if try connection.number("SELECT sum(size) FROM kept_answer") > Self.room {
        try connection.run(
          """
          DELETE FROM kept_answer WHERE id IN (
            SELECT id FROM (SELECT id, sum(size) OVER (ORDER BY at DESC, id DESC) AS sum FROM kept_answer) WHERE sum > ?1)
          """, Self.room)
      }
    }
  }
}
