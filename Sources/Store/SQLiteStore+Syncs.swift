public import AggregatorCore

extension SQLiteStore {
  public func sync(of kind: RecordKind) async throws -> SyncState? {
    try database.reading(else: nil) { try $0.sync(of: kind) }
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
      try connection.run(
        """
        INSERT OR REPLACE INTO sync_state(source, number, after_fetch, began, is_full, watermark, was_whole)
        VALUES(?1, ?2, (SELECT coalesce(max(id), 0) FROM fetch_log), ?3, ?4, ?5, ?6)
        """, kind.name, state.number, moment.nanoseconds, isFull ? 1 : 0, state.watermark?.iso, state.wasWhole ? 1 : 0)
      return state
    }
  }

  @concurrent public func note(_ state: SyncState, of kind: RecordKind) async throws -> Int {
    try database.writing { try $0.note(state, of: kind) }
  }

  public func met(_ ids: [String], of kind: RecordKind, sync number: Int) async throws -> Set<String> {
    guard database.isThere else { return [] }
    // Not behind the batch that is being stored.
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
        WHERE fetch <= (SELECT after_fetch FROM sync_state WHERE source = ?1) AND \(Connection.isShown(kind))
        """, kind.name)
    }
  }

  public func changes(of kind: RecordKind, since moment: Moment) async throws -> [RecordChange] {
    try database.reading(else: []) { connection in
      try connection.all(
        "SELECT \(RecordChange.columns) FROM record_change WHERE source = ?1 AND at >= ?2 ORDER BY id DESC", kind.name,
        moment.nanoseconds
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
  /// Keeps the latest changes only.
  func forgetOldChanges(of kind: RecordKind) throws {
    try run(
      """
      DELETE FROM record_change WHERE source = ?1
        AND id <= (SELECT id FROM record_change WHERE source = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
      """, kind.name, RecordChange.mostStored)
  }

  func sync(of kind: RecordKind) throws -> SyncState? {
    try first("SELECT \(SyncState.columns) FROM sync_state WHERE source = ?1", kind.name) { SyncState($0) }
  }

  /// Notes how far a sync is and what has landed, and marks what is gone at its end; an error where it is no longer the last one.
  func note(_ state: SyncState, of kind: RecordKind, landing landed: LandingResult = LandingResult()) throws -> Int {
    try run(
      """
      UPDATE sync_state SET ended = ?2, cursor = ?3, behind = ?4, received = ?5, duplicates = ?6, skipped = ?7, requests = ?8,
        total = ?9, new = new + ?10, updated = updated + ?11, unchanged = unchanged + ?12, deleted = deleted + ?13,
        watermark = ?14, verdict = ?15, reason = ?16, has_moved = ?17,
        ended_edits = ended_edits + ?19
      WHERE source = ?1 AND number = ?18
      """, kind.name, state.ended?.nanoseconds, state.cursor?.text, state.behind, state.received, state.duplicates,
      state.skipped, state.requests, state.total, landed.new, landed.updated, landed.duplicates, landed.deleted,
      state.watermark?.iso, state.verdict?.kind, state.verdict?.reason, state.mayHaveLost ? 1 : 0, state.number,
      landed.endedEdits)
    guard changes > 0 else { throw SyncState.isOvertaken(kind) }
    guard state.tellsGone else { return 0 }
    // Where this sync brought all that is kept, there is nothing older to look for.
    let isAllNew = "SELECT records IS (SELECT new FROM sync_state WHERE source = ?1) FROM source_info WHERE name = ?1"
    guard try number(isAllNew, kind.name) != 1 else { return 0 }
    let moment = (state.ended ?? state.began).nanoseconds
    let isUnmet = "gone IS NULL AND fetch <= (SELECT after_fetch FROM sync_state WHERE source = ?1)"
    try run(
      """
      INSERT INTO record_change(source, record, at, before) SELECT ?1, id, ?2, body FROM \(Tables(kind).record) WHERE \(isUnmet)
      ORDER BY row DESC LIMIT ?3
      """, kind.name, moment, RecordChange.mostStored)
    try forgetOldChanges(of: kind)
    try run("UPDATE \(Tables(kind).record) SET gone = ?2 WHERE \(isUnmet)", kind.name, moment)
    return changes
  }
}
