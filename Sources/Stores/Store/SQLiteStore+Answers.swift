public import AggregatorCore
import StoreTables

extension SQLiteStore {
  public func answer(_ key: AnswerKey, step: Int) async throws -> CachedAnswer? {
    let sql = "SELECT \(CachedAnswer.columns) FROM cached_answer WHERE source = ?1 AND question = ?2 AND step = ?3"
    return try database.reading(else: nil) { try $0.first(sql, key.source, key.query, step) { CachedAnswer($0) } ?? nil }
  }

  @discardableResult
  @concurrent public func keep(_ answer: CachedAnswer, under key: AnswerKey, step: Int) async throws -> Bool {
    let body = StoredAnswer(answer).body
    // Hurried, since a person should not wait for an answer to be cached.
    return try database.writing(hurried: true) { connection in
      if step == 0 {
        try connection.run("DELETE FROM cached_answer WHERE source = ?1 AND question = ?2", key.source, key.query)
      } else {
        let last = try connection.first(
          "SELECT step, walk FROM cached_answer WHERE source = ?1 AND question = ?2 ORDER BY step DESC LIMIT 1",
          key.source, key.query
        ) { (step: $0.int(0), walk: $0.text(1)) }
        guard answer.mayBeCached(as: step, after: last) else { return false }
      }
      try connection.run(
        """
        INSERT INTO cached_answer(source, question, step, walk, at, rows, body, size, reading, holder)
        VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
        """, key.source, key.query, step, answer.walk, answer.at.nanoseconds, answer.rows, body, answer.rows.count + body.count,
        answer.list?.reading, answer.list?.holder)
      if try connection.number("SELECT total(size) FROM cached_answer") > CachedAnswer.room {
        try connection.run(
          """
          DELETE FROM cached_answer WHERE id IN (
            SELECT id FROM (SELECT id, total(size) OVER (ORDER BY at DESC, id DESC) AS sum FROM cached_answer) WHERE sum > ?1)
          """, CachedAnswer.room)
      }
      return true
    }
  }
}
