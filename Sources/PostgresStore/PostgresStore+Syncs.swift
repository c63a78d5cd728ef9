public import AggregatorCore

extension PostgresStore {
  public func sync(of kind: RecordKind) async throws -> SyncState? {
    try await server.read(Transaction.sync(of: kind))[0].first { SyncState($0) }
  }

  public func claim(_ claim: Claim, of kind: RecordKind) async throws { try await claims.take(claim, of: kind) }

  public func release(_ claim: Claim, of kind: RecordKind) async { await claims.release(claim, of: kind) }

  public func beginSync(of kind: RecordKind, at moment: Moment, full isFull: Bool, mark: Moment?) async throws -> SyncState {
    try await server.write { transaction in
      try await transaction.prepareTables(of: kind, in: transaction.lock(kind))
      let last = try await transaction.run([Transaction.sync(of: kind)])[0].first { SyncState($0) }
      let state = SyncState(after: last, at: moment, full: isFull, mark: mark)
      transaction.queue("DELETE FROM aggregator.sync_state WHERE source = $1", kind.name)
      transaction.queue(
        """
        INSERT INTO aggregator.sync_state(source, number, after_fetch, began, is_full, watermark, was_whole)
        VALUES($1, $2, (SELECT coalesce(max(id), 0) FROM aggregator.fetch_log WHERE source = $1), $3, $4, $5, $6)
        """, kind.name, state.number, moment.nanoseconds, isFull ? 1 : 0, state.watermark?.iso, state.wasWhole ? 1 : 0)
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
        WHERE is_shown AND "fetch" <= (SELECT after_fetch FROM aggregator.sync_state WHERE source = $1)
        """, kind.name
      ).number
    }
  }

  public func changes(of kind: RecordKind, since moment: Moment) async throws -> [RecordChange] {
    try await server.read(
      "SELECT \(RecordChange.columns) FROM aggregator.record_change WHERE source = $1 AND at >= $2 ORDER BY id DESC",
      kind.name, moment.nanoseconds
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

extension Transaction {
  static func sync(of kind: RecordKind) -> Query {
    Query("SELECT \(SyncState.columns) FROM aggregator.sync_state WHERE source = $1", kind.name)
  }

  /// Keeps the latest changes only.
  func forgetOldChanges(of kind: RecordKind) {
    queue(
      """
      DELETE FROM aggregator.record_change WHERE source = $1
        AND id <= (SELECT id FROM aggregator.record_change WHERE source = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)
      """, kind.name, RecordChange.mostStored)
  }

  /// Notes how far a sync is and what has landed, and marks what is gone at its end; an error where it is no longer the last one, or where
  /// another process has taken over the claim that this one had.
  @discardableResult func note(
    _ state: SyncState, of kind: RecordKind, in source: StoredSource, landing landed: LandingResult = LandingResult(),
    holding claims: Claims
  ) async throws -> Int {
    let rows = try await run(
      """
      UPDATE aggregator.sync_state SET ended = $2, cursor = $3, behind = $4, received = $5, duplicates = $6, skipped = $7,
        requests = $8, total = $9, new = new + $10, updated = updated + $11, unchanged = unchanged + $12,
        deleted = deleted + $13, watermark = $14, verdict = $15, reason = $16, has_moved = $17,
        ended_edits = ended_edits + $21
      WHERE source = $1 AND number = $18 AND ($19::bigint IS NULL OR EXISTS(
        SELECT 1 FROM aggregator.sync_claim WHERE source = $1 AND part = $20 AND holder = $19))
      RETURNING new
      """, kind.name, state.ended?.nanoseconds, state.cursor?.text, state.behind, state.received, state.duplicates,
      state.skipped, state.requests, state.total, landed.new, landed.updated, landed.duplicates, landed.deleted,
      state.watermark?.iso, state.verdict?.kind, state.verdict?.reason, state.mayHaveLost ? 1 : 0, state.number,
      claims.holder(of: kind).map { Int64(bitPattern: $0) }, Claim.everything, landed.endedEdits)
    guard let new = rows.first({ $0.int(0) }) else { throw SyncState.isOvertaken(kind) }
    // Where this sync brought all that is kept, there is nothing older to look for.
    guard state.tellsGone, new != source.records.adding(landed.new) else { return 0 }
    return try await markGone(of: kind, in: source, at: state.ended ?? state.began)
  }

  private func markGone(of kind: RecordKind, in source: StoredSource, at moment: Moment) async throws -> Int {
    let (tables, revision) = (source.tables, source.revision + 1)
    let unmet = """
      SELECT row FROM \(tables.state) WHERE gone IS NULL
        AND "fetch" <= (SELECT after_fetch FROM aggregator.sync_state WHERE source = $1)
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
    return gone
  }
}
