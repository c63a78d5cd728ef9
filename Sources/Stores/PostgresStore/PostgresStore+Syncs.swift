public import AggregatorCore
import StoreTables

extension PostgresStore {
  public func sync(of kind: RecordKind) async throws -> SyncState? {
    try await server.read(Transaction.syncs(of: kind))[0].first { SyncState($0).running(if: $0.bool(2)) }
  }

  public func claim(_ claim: Claim, of kind: RecordKind) async throws { try await claims.take(claim, of: kind) }

  public func release(_ claim: Claim, of kind: RecordKind) async { await claims.release(claim, of: kind) }

  public func beginSync(of kind: RecordKind, at moment: Moment, full isFull: Bool, mark: Moment?) async throws -> SyncState {
    try await server.write { transaction in
      try await transaction.prepareTables(of: kind, in: transaction.lock(kind))
      let state = SyncState(after: try await transaction.sync(of: kind), at: moment, full: isFull, mark: mark)
      transaction.set(StoredSync(state), of: kind)
      transaction.queue(
        """
        UPDATE aggregator.source_info
        SET after_fetch = (SELECT coalesce(max(id), 0) FROM aggregator.fetch_log WHERE source = $1) WHERE name = $1
        """, kind.name)
      return state
    }
  }

  public func note(_ state: SyncState, of kind: RecordKind) async throws -> Int {
    try await server.write { transaction in
      let source = try await transaction.lock(kind)
      return try await transaction.note(state, of: kind, in: source, holding: claims)
    }
  }

  public func met(_ ids: [String], of kind: RecordKind, sync number: Int) async throws -> Set<String> {
    try await server.reading(kind, else: []) { transaction, source in
      let found = try await transaction.run(
        """
        SELECT record.id FROM unnest($1::text[]) AS asked(id) JOIN \(source.tables.record) AS record USING(id)
          JOIN \(source.tables.state) AS state USING(row) JOIN aggregator.fetch_log ON fetch_log.id = state."fetch"
        WHERE fetch_log.sync = $2
        """, SQLList(ids), number)
      return Set(found.map { $0.text(0) })
    }
  }

  public func unmet(of kind: RecordKind) async throws -> Int {
    try await server.reading(kind, else: 0) { transaction, source in
      try await transaction.run(
        """
        SELECT count(*) FROM \(source.tables.record) JOIN \(source.tables.state) USING(row)
        WHERE is_shown AND \(Transaction.isUnmet)
        """, kind.name
      ).number
    }
  }

  public func changes(of kind: RecordKind, since moment: Moment, upTo most: Int) async throws -> [RecordChange] {
    try await server.read(
      "SELECT \(RecordChange.columns) FROM aggregator.record_change WHERE source = $1 AND at >= $2 ORDER BY id DESC LIMIT $3",
      kind.name, moment.nanoseconds, most
    ).map { RecordChange($0) }
  }

  public func note(_ text: String, as note: RecordNote, of kind: RecordKind) async throws {
    try await server.write {
      $0.queue(
        "INSERT INTO aggregator.store_keepsake(name, value) VALUES($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        kind.name(of: note), text)
    }
  }
}

extension SyncState {
  /// Makes the state out of a row of `source_state`, with its body and its revision.
  init(_ row: Rows.Row) { self = StoredSync(stored: row.bytes(0), revision: row.int(1)).state }
}

extension Transaction {
  /// The SQL condition of a record that the last sync of the source `$1` has not brought, unless only a person ever did.
  fileprivate static let isUnmet = """
    "fetch" <= (SELECT after_fetch FROM aggregator.source_info WHERE name = $1) AND (met IS NOT NULL OR NOT EXISTS(
      SELECT 1 FROM aggregator.fetch_log WHERE id = "fetch" AND question = \(SQLText.text(Fetch.importing))))
    """

  /// Reads the last sync of each source, or of one: its body, its number, true if a process has its claim, and the source.
  static func syncs(of kind: RecordKind? = nil) -> ServerQuery {
    ServerQuery(
      """
      SELECT body, revision, EXISTS(SELECT 1 FROM aggregator.sync_claim
          WHERE sync_claim.source = source_state.source AND part = $2 AND until > clock_timestamp()), source
        FROM aggregator.source_state WHERE name = $1 AND source = coalesce($3, source)
      """, StoredSync.name, Claim.everything, kind?.name)
  }

  func sync(of kind: RecordKind) async throws -> SyncState? {
    try await run([Self.progress(StoredSync.name, of: kind)])[0].first { SyncState($0) }
  }

  /// Removes all changes but the latest.
  func forgetOldChanges(of kind: RecordKind) {
    queue(
      """
      DELETE FROM aggregator.record_change WHERE source = $1
        AND id <= (SELECT id FROM aggregator.record_change WHERE source = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)
      """, kind.name, RecordChange.mostStored)
  }

  /// Notes how far a sync is and what has landed. At the end of a sync it marks what is gone and returns
  /// how many. Throws if a later sync has begun, or if another process has taken over the claim.
  @discardableResult func note(
    _ state: SyncState, of kind: RecordKind, in source: StoredSource, landing landed: LandingResult = LandingResult(),
    holding claims: LeasedClaims
  ) async throws -> Int {
    let holder = claims.holder(of: kind).map { Int64(bitPattern: $0) }
    let found = try await run(
      Self.progress(StoredSync.name, of: kind),
      ServerQuery(
        """
        SELECT $3::bigint IS NULL OR EXISTS(
          SELECT 1 FROM aggregator.sync_claim WHERE source = $1 AND part = $2 AND holder = $3)
        """, kind.name, Claim.everything, holder))
    guard found[1].first({ $0.bool(0) }) == true,
      let state = state.noted(over: found[0].first { SyncState($0) }, landing: landed)
    else { throw SyncState.isOvertaken(kind) }
    set(StoredSync(state), of: kind)
    // If this sync brought every stored record, none of them can be gone.
    guard state.tellsGone, state.counts.landed.new != source.records.adding(landed.new) else { return 0 }
    return try await markGone(of: kind, in: source, at: state.ended ?? state.began)
  }

  private func markGone(of kind: RecordKind, in source: StoredSource, at moment: Moment) async throws -> Int {
    let (tables, revision) = (source.tables, source.revision + 1)
    let unmet = """
      SELECT row FROM \(tables.state) WHERE gone IS NULL AND \(Self.isUnmet)
      """
    queue(
      """
      INSERT INTO aggregator.record_change(source, record, at, before)
      SELECT $1, id, $2, body FROM \(tables.record) WHERE row IN (\(unmet)) ORDER BY row DESC LIMIT $3
      """, kind.name, moment.nanoseconds, RecordChange.mostStored)
    forgetOldChanges(of: kind)
    let counts = try await run(
      """
      WITH unmet AS MATERIALIZED (\(unmet)),
        past AS (INSERT INTO \(tables.past)(row, id, body, folded, since, until)
          SELECT row, id, body, folded, since, $3 FROM \(tables.record) JOIN unmet USING(row) WHERE is_shown),
        hidden AS (UPDATE \(tables.record) AS record SET is_shown = false, since = $3 FROM unmet
          WHERE record.row = unmet.row AND is_shown RETURNING 1),
        gone AS (UPDATE \(tables.state) AS state SET gone = $2 FROM unmet WHERE state.row = unmet.row RETURNING 1)
      SELECT (SELECT count(*) FROM gone), (SELECT count(*) FROM hidden)
      """, kind.name, moment.nanoseconds, revision)
    let (gone, hidden) = counts.first { ($0.int(0), $0.int(1)) } ?? (0, 0)
    queue(
      "UPDATE aggregator.source_info SET shown = shown - $2, revision = $3 WHERE name = $1", kind.name, hidden, revision)
    _ = try await remove("gone = \(Moment.outdated.nanoseconds)", of: kind, in: source)
    return gone
  }
}
