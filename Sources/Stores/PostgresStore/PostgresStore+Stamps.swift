public import AggregatorCore
import StoreTables

extension PostgresStore {
  public func stamp(_ kind: RecordKind, _ stamp: @Sendable (ListStamp?) throws -> ListStamp) async throws {
    // The stamp has rarely changed; then nothing is written, so that a read-only store works too.
    let noted = try await server.read(Transaction.stamp(of: kind))[0].first { ListStamp(text: $0.text(0)) }
    if let noted, try stamp(noted) == noted { return }
    try await server.write { transaction in
      let source = try await transaction.lock(kind)
      let stored = try await transaction.run([Transaction.stamp(of: kind)])[0].first { ListStamp(text: $0.text(0)) }
      let new = try stamp(stored)
      guard new != stored else { return }
      transaction.queue("DELETE FROM aggregator.store_keepsake WHERE name = $1", kind.stampName)
      transaction.queue("INSERT INTO aggregator.store_keepsake(name, value) VALUES($1, $2)", kind.stampName, new.text)
      if let stored, stored.isOutdated(by: new) { try await transaction.leaveBehind(kind, in: source) }
      let isOfSource = "(source = $1 OR starts_with(source, $1 || ' '))"
      // Cached answers follow their holder to the new key.
      transaction.queue(
        """
        UPDATE aggregator.cached_answer SET holder = $2
        WHERE holder IS NOT NULL AND holder = coalesce($3::text, holder) AND \(isOfSource)
        """, kind.name, new.holder, stored?.holder)
    }
  }
}

extension Transaction {
  fileprivate static func stamp(of kind: RecordKind) -> ServerQuery {
    ServerQuery("SELECT value FROM aggregator.store_keepsake WHERE name = $1", kind.stampName)
  }

  /// Marks as outdated what an earlier description read: all records but imported ones, the position and the sync.
  fileprivate func leaveBehind(_ kind: RecordKind, in source: StoredSource) async throws {
    var stored = try await storedPosition(of: kind)
    stored.position = stored.position.outdated
    set(stored, of: kind)
    if let state = try await sync(of: kind)?.outdated { set(StoredSync(state), of: kind) }
    guard source.fields != nil else { return }
    let (tables, revision) = (source.tables, source.revision + 1)
    // No description read the records that a person imported.
    let isRead = """
      row IN (SELECT row FROM \(tables.state) WHERE "fetch" NOT IN (
        SELECT id FROM aggregator.fetch_log WHERE source = $2 AND question = $3))
      """
    queue(tables.keepVersions(isRead), revision, kind.name, Fetch.importing)
    queue(
      """
      WITH hidden AS (UPDATE \(tables.record) SET is_shown = false, since = $1 WHERE is_shown AND \(isRead) RETURNING 1)
      UPDATE aggregator.source_info SET shown = shown - (SELECT count(*) FROM hidden), revision = $1 WHERE name = $2
      """, revision, kind.name, Fetch.importing)
    queue("UPDATE \(tables.state) SET gone = $1 WHERE \(isRead)", Moment.outdated.nanoseconds, kind.name, Fetch.importing)
  }
}
