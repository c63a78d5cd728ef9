public import AggregatorCore

extension SQLiteStore {
  @concurrent public func stamp(_ kind: RecordKind, _ stamp: @Sendable (ListStamp?) throws -> ListStamp) async throws {
    // The stamp has rarely changed; then nothing is written, so that a read-only store works too.
    if let stored = try database.reading(else: nil, { try $0.stamp(of: kind) }), try stamp(stored) == stored { return }
    try database.writing { connection in
      let stored = try connection.stamp(of: kind)
      let new = try stamp(stored)
      guard new != stored else { return }
      try connection.run("INSERT OR REPLACE INTO store_keepsake(name, value) VALUES(?1, ?2)", kind.stampName, new.text)
      if let stored, stored.isOutdated(by: new) { try connection.leaveBehind(kind) }
      let isOfSource = "(source = ?1 OR substr(source, 1, length(?1) + 1) = ?1 || ' ')"
      // Cached answers follow their holder to the new key.
      try connection.run(
        "UPDATE cached_answer SET holder = ?2 WHERE holder IS NOT NULL AND holder = coalesce(?3, holder) AND \(isOfSource)",
        kind.name, new.holder, stored?.holder)
    }
  }
}

extension Connection {
  fileprivate func stamp(of kind: RecordKind) throws -> ListStamp? {
    try storedText(kind.stampName).map { ListStamp(text: $0) }
  }

  /// Marks as outdated what an earlier description read: all records but imported ones, the position and the sync.
  fileprivate func leaveBehind(_ kind: RecordKind) throws {
    guard try hasTables(of: kind) else { return }
    try run(
      """
      UPDATE \(Tables(kind).record) SET gone = ?3
      WHERE fetch NOT IN (SELECT id FROM fetch_log WHERE source = ?1 AND question = ?2)
      """, kind.name, Fetch.importing, Moment.outdated.nanoseconds)
    var stored = try storedPosition(of: kind)
    stored.position = stored.position.outdated
    try set(stored, of: kind)
    if let state = try sync(of: kind)?.outdated { try set(StoredSync(state), of: kind) }
  }
}
