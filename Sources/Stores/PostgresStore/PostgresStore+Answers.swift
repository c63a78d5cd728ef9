public import AggregatorCore
import StoreTables

extension PostgresStore {
  public func answer(_ key: AnswerKey, step: Int) async throws -> CachedAnswer? {
    try await server.read(
      "SELECT \(CachedAnswer.columns) FROM aggregator.cached_answer WHERE source = $1 AND question = $2 AND step = $3",
      key.source, key.query, step
    ).first { CachedAnswer($0) } ?? nil
  }

  @discardableResult public func keep(_ answer: CachedAnswer, under key: AnswerKey, step: Int) async throws -> Bool {
    let body = StoredAnswer(answer).body
    // Hurried, since a person should not wait for an answer to be cached.
    return try await server.write(hurried: true) { transaction in
      transaction.queue("SELECT pg_advisory_xact_lock(hashtextextended($1, 1))", "\(key.source) \(key.query)")
      if step == 0 {
        transaction.queue(
          "DELETE FROM aggregator.cached_answer WHERE source = $1 AND question = $2", key.source, key.query)
      } else {
        let last = try await transaction.run(
          "SELECT step, walk FROM aggregator.cached_answer WHERE source = $1 AND question = $2 ORDER BY step DESC LIMIT 1",
          key.source, key.query
        ).first { ($0.int(0), $0.text(1)) }
        guard answer.mayBeCached(as: step, after: last) else { return false }
      }
      transaction.queue(
        """
        INSERT INTO aggregator.cached_answer(source, question, step, walk, at, rows, body, size, reading, holder)
        VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        """, key.source, key.query, step, answer.walk, answer.at.nanoseconds, answer.rows, body, answer.rows.count + body.count,
        answer.list?.reading, answer.list?.holder)
      transaction.queue(
        """
        DELETE FROM aggregator.cached_answer WHERE (SELECT sum(size) FROM aggregator.cached_answer) > $1 AND id IN (
          SELECT id FROM (SELECT id, sum(size) OVER (ORDER BY at DESC, id DESC) AS sum FROM aggregator.cached_answer) AS sums
          WHERE sum > $1)
        """, CachedAnswer.room)
      return true
    }
  }

  @discardableResult public func clearAnswers() async throws -> Int {
    try await server.write { try await $0.run("DELETE FROM aggregator.cached_answer").changes }
  }

  public func storedText(_ name: String, made make: @Sendable () -> String) async throws -> String {
    let stored = "SELECT value FROM aggregator.store_keepsake WHERE name = $1"
    // An existing text can be read from a read-only store too.
    if let value = try await server.read(stored, name).first({ $0.text(0) }) { return value }
    let made = make()
    return try await server.write { transaction in
      transaction.queue(
        "INSERT INTO aggregator.store_keepsake(name, value) VALUES($1, $2) ON CONFLICT DO NOTHING", name, made)
      return try await transaction.run(stored, name).first { $0.text(0) } ?? made
    }
  }
}
