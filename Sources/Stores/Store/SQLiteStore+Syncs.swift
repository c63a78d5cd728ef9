public import AggregatorCore
import StoreTables

extension SQLiteStore {
  public func sync(of kind: RecordKind) async throws -> SyncState? {
    try database.reading(else: nil) { try $0.sync(of: kind) }?.running(if: claims.isTaken(kind.name))
  }

  public func claim(_ claim: Claim, of kind: RecordKind) async throws {
    try database.makeFolder()
    guard claims.take(claim, of: kind.name) else { throw Claim.isTaken }
  }

  public func release(_ claim: Claim, of kind: RecordKind) async { claims.release(claim, of: kind.name) }

  @concurrent public func beginSync(
    of kind: RecordKind, at moment: Moment, full isFull: Bool, mark: Moment?
  ) async throws -> SyncState {
    try database.writing { connection in
      try connection.prepareTables(of: kind)
      let state = SyncState(after: try connection.sync(of: kind), at: moment, full: isFull, mark: mark)
      try connection.set(StoredSync(state), of: kind)
      try connection.run(
        "UPDATE source_info SET after_fetch = (SELECT coalesce(max(id), 0) FROM fetch_log) WHERE name = ?1", kind.name)
      return state
    }
  }

  @concurrent public func note(_ state: SyncState, of kind: RecordKind) async throws -> Int {
    try database.writing { try $0.note(state, of: kind) }
  }

  public func met(_ ids: [String], of kind: RecordKind, sync number: Int) async throws -> Set<String> {
    guard database.isThere else { return [] }
    // On the second connection, so that it does not wait for the batch that is being stored.
    return try database.readingBesideWriter { connection in
      guard try connection.hasTables(of: kind) else { return [] }
      return try connection.those(
        of: ids,
        in: """
          SELECT 1 FROM \(Tables(kind).record) AS record JOIN fetch_log ON fetch_log.id = record.fetch
          WHERE record.id = ?1 AND fetch_log.sync = ?2
          """, number)
    }
  }

  public func unmet(of kind: RecordKind) async throws -> Int {
    try database.reading(kind, else: 0) { connection in
      try connection.number(
        """
        SELECT count(*) FROM \(Tables(kind).record) AS record
        WHERE \(Connection.isUnmet) AND \(Connection.isShown(kind))
        """, kind.name)
    }
  }

  public func changes(of kind: RecordKind, since moment: Moment, upTo most: Int) async throws -> [RecordChange] {
    try database.reading(else: []) { connection in
      try connection.all(
        "SELECT \(RecordChange.columns) FROM record_change WHERE source = ?1 AND at >= ?2 ORDER BY id DESC LIMIT ?3",
        kind.name, moment.nanoseconds, most
      ) { RecordChange($0) }
    }
  }

  @concurrent public func note(_ text: String, as note: RecordNote, of kind: RecordKind) async throws {
    try database.writing {
      try $0.run("INSERT OR REPLACE INTO store_keepsake(name, value) VALUES(?1, ?2)", kind.name(of: note), text)
    }
  }
}

extension Connection {
  /// The SQL condition of a record that the last sync of the source `?1` has not brought, unless only a person ever did.
  fileprivate static let isUnmet = """
    fetch <= (SELECT after_fetch FROM source_info WHERE name = ?1) AND (met IS NOT NULL
      OR NOT EXISTS(SELECT 1 FROM fetch_log WHERE id = fetch AND question = \(SQLText.text(Fetch.importing))))
    """

  /// Removes all changes but the latest.
  func forgetOldChanges(of kind: RecordKind) throws {
    try run(
      """
      DELETE FROM record_change WHERE source = ?1
        AND id <= (SELECT id FROM record_change WHERE source = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
      """, kind.name, RecordChange.mostStored)
  }

  func sync(of kind: RecordKind) throws -> SyncState? {
    try progress(StoredSync.name, of: kind).map { StoredSync(stored: $0.body, revision: $0.revision).state }
  }

  /// Notes how far a sync is and what has landed. At the end of a sync it marks what is
  /// gone and returns how many. Throws if a later sync has begun.
  func note(_ state: SyncState, of kind: RecordKind, landing landed: LandingResult = LandingResult()) throws -> Int {
    guard let state = try state.noted(over: sync(of: kind), landing: landed) else { throw SyncState.isOvertaken(kind) }
    try set(StoredSync(state), of: kind)
    // If this sync brought every stored record, none of them can be gone.
    guard state.tellsGone, try number("SELECT records FROM source_info WHERE name = ?1", kind.name) != state.counts.landed.new
    else {
      return 0
    }
    let moment = (state.ended ?? state.began).nanoseconds
    let isUnmet = "gone IS NULL AND \(Connection.isUnmet)"
    try run(
      """
      INSERT INTO record_change(source, record, at, before) SELECT ?1, id, ?2, body FROM \(Tables(kind).record) WHERE \(isUnmet)
      ORDER BY row DESC LIMIT ?3
      """, kind.name, moment, RecordChange.mostStored)
    try forgetOldChanges(of: kind)
    try run("UPDATE \(Tables(kind).record) SET gone = ?2 WHERE \(isUnmet)", kind.name, moment)
    let gone = changes
    if try remove("gone = ?1", Moment.outdated.nanoseconds, of: kind) > 0 {
      try run("UPDATE source_info SET records = (SELECT count(*) FROM \(Tables(kind).record)) WHERE name = ?1", kind.name)
    }
    return gone
  }
}
