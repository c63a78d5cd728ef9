public import AggregatorCore
import StoreTables

extension PostgresStore {
  public func land(_ batch: Batch) async throws -> LandingResult {
    try await server.write { transaction in
      let source = try await transaction.lock(batch.kind)
      try await transaction.prepareTables(of: batch.kind, in: source)
      if let advance = batch.advance {
        guard try await transaction.make(advance, of: batch.kind) else { return .overtaken }
      }
      var landing = ServerLanding(batch, in: source)
      try await landing.find(by: transaction)
      let landed = try landing.land()
      landing.write(by: transaction)
      if let sync = batch.sync {
        _ = try await transaction.note(sync, of: batch.kind, in: source, landing: landed, holding: claims)
      }
      return landed
    }
  }
}

/// One batch that is being written into the tables. The fate of each record is decided
/// here, and then written as lists, one for each table.
private struct ServerLanding {
  /// The record that is stored under one id, or will be.
  private struct Entry {
    /// The row of the record; nil until a new record gets one.
    var row: Int64?
    let id: ArraySlice<UInt8>
    var body: ArraySlice<UInt8>?
    var folded: ArraySlice<UInt8> = []
    var fetch: Int64 = 0
    var isDeleted = false
    /// True while the record is still gone.
    var isGone = false
    var wasGone = false
    /// True when an earlier description read the record.
    var isOutdated = false
    var hasNewBody = false
    /// True when another fetch has brought the record last, or a reading has met it.
    var hasNewState = false
  }

  private let batch: Batch
  private let source: StoredSource
  private let bytes: [UInt8]
  private var entries: [Entry] = []
  /// The entry of each row of the batch.
  private var entryIndices: [Int] = []
  private var fetches: [Int64] = []
  /// The fetches that brought the stored records before; loaded only where that matters.
  private var knownFetches: [Int64: Fetch] = [:]
  private var absorbed: [(entry: Int, fetch: Int64, body: ArraySlice<UInt8>)] = []
  private var changes: [(row: Batch.Row, change: Batch.Landing.Change)] = []
  private var plan: LandingPlan

  init(_ batch: Batch, in source: StoredSource) {
    (self.batch, self.source, bytes, plan) = (batch, source, batch.bytes, LandingPlan(batch, under: [], after: nil))
    var known: [[UInt8]: Int] = [:]
    known.reserveCapacity(batch.rows.count)
    for row in batch.rows {
      let id = bytes[row.id]
      let index = known[Array(id), default: entries.count]
      if index == entries.count {
        known[Array(id)] = index
        entries.append(Entry(id: id))
      }
      entryIndices.append(index)
    }
  }

  // MARK: Finding the stored records

  /// Notes the fetches, and finds the records that are stored under the same ids.
  mutating func find(by transaction: Transaction) async throws {
    // Each id is looked up by itself: a plan that reads all records could be only a little better, and could be a lot worse.
    let rows = try await transaction.run(
      ServerQuery(
        """
        INSERT INTO aggregator.fetch_log(source, at, question, place, sync)
        SELECT $1, at, question, part, $5 FROM unnest($2::bigint[], $3::text[], $4::text[])
          WITH ORDINALITY AS new(at, question, part, place)
        ORDER BY new.place RETURNING id
        """, batch.kind.name, SQLList(batch.fetches.map(\.at.nanoseconds)), SQLList(batch.fetches.map(\.request)),
        SQLList(batch.fetches.map(\.place)), batch.sync?.number),
      ServerQuery(
        """
        SELECT new.place, record.row, record.body, state.gone IS NOT NULL, state."fetch", new.id IN (
          SELECT id FROM aggregator.soft_deletion WHERE source = $2) AS is_deleted,
          state.gone = \(Moment.outdated.nanoseconds) AS is_outdated
        FROM unnest($1::text[]) WITH ORDINALITY AS new(id, place)
        LEFT JOIN LATERAL (SELECT row, body FROM \(source.tables.record) WHERE id = new.id LIMIT 1) AS record ON true
        LEFT JOIN LATERAL (SELECT gone, "fetch" FROM \(source.tables.state) WHERE row = record.row LIMIT 1) AS state ON true
        WHERE record.row IS NOT NULL OR new.id IN (SELECT id FROM aggregator.soft_deletion WHERE source = $2)
        """, SQLList(utf8: entries.lazy.map { $0.id }), batch.kind.name),
      ServerQuery.edits(of: batch.kind), Transaction.progress(StoredSync.name, of: batch.kind))
    fetches = rows[0].map { $0.int64(0) }
    plan = LandingPlan(batch, under: rows[2].map { Edit($0) }, after: rows[3].first { SyncState($0) })
    _ = rows[1].map { row in
      let index = row.int(0) - 1
      entries[index].isDeleted = row.bool(5)
      guard !row.isNull(1) else { return }
      entries[index].row = row.int64(1)
      entries[index].body = row.bytes(2)[...]
      (entries[index].isGone, entries[index].wasGone) = (row.bool(3), row.bool(3))
      entries[index].fetch = row.int64(4)
      entries[index].isOutdated = !row.isNull(6) && row.bool(6)
    }
    for (id, fetch) in zip(fetches, batch.fetches) { knownFetches[id] = fetch }
    if plan.wantsFetches { try await findFetches(by: transaction) }
  }

  /// Finds the fetches that brought the stored records before.
  private mutating func findFetches(by transaction: Transaction) async throws {
    let fetched = Set(entries.lazy.filter { $0.row != nil }.map(\.fetch))
    if fetched.isEmpty { return }
    let log = try await transaction.run(
      "SELECT at, question, place, id FROM aggregator.fetch_log WHERE id = ANY($1)", SQLList(fetched))
    _ = log.map { knownFetches[$0.int64(3)] = Fetch($0) }
  }

  // MARK: Deciding the fate of each record

  mutating func land() throws -> LandingResult {
    for (row, index) in zip(batch.rows, entryIndices) {
      // A copy, since `land` changes other members of this value too.
      var entry = entries[index]
      try land(row, on: &entry, at: index)
      entries[index] = entry
    }
    return plan.landed
  }

  private mutating func land(_ row: Batch.Row, on entry: inout Entry, at index: Int) throws {
    if entry.isDeleted, plan.leavesOutDeleted { return plan.deleted() }
    let landing: Batch.Landing
    if let stored = entry.body {
      landing = try plan.landing(
        of: row, on: stored, from: knownFetches[entry.fetch], gone: entry.isGone, outdated: entry.isOutdated,
        deleted: entry.isDeleted)
    } else {
      landing = plan.new(row, deleted: entry.isDeleted)
    }
    if let body = landing.body { (entry.body, entry.folded, entry.hasNewBody) = (body, landing.text ?? [], true) }
    if landing.isOfItsFetch { entry.fetch = fetches[row.fetch] }
    if landing.isOfItsFetch || landing.isThereAgain || batch.advance?.to != nil { entry.hasNewState = true }
    if landing.isThereAgain { (entry.isGone, entry.isOutdated) = (false, false) }
    if landing.isAbsorbed { absorbed.append((index, fetches[row.fetch], bytes[row.body])) }
    if let change = landing.change { changes.append((row, change)) }
  }

  // MARK: Writing

  /// Queues all statements, which are sent with the COMMIT.
  mutating func write(by transaction: Transaction) {
    let (name, revision) = (batch.kind.name, source.revision + 1)
    let isReplacing = entries.contains { $0.hasNewBody && $0.row != nil }
    let shown = addNew(by: transaction, since: revision) + changeStored(by: transaction, since: revision)
    addAbsorbed(by: transaction)
    addChanges(by: transaction)
    for query in ServerQuery.changing(plan.edits.changes, of: batch.kind.name) { transaction.queue(query) }
    if !plan.corrections.isEmpty {
      transaction.queue(
        "UPDATE aggregator.fetch_log SET question = $2 WHERE id = ANY($1)", SQLList(plan.corrections.map { fetches[$0] }),
        Fetch.correcting)
    }
    transaction.queue(
      """
      UPDATE aggregator.source_info SET records = records + $2, shown = shown + $3, last_row = last_row + $2,
        newest = coalesce($4, newest), revision = $5
      WHERE name = $1
      """, name, plan.rowsAdded, shown, batch.fetches.map(\.at).max()?.nanoseconds,
      shown > 0 || isReplacing ? revision : source.revision)
    if isReplacing { transaction.queue(source.tables.dropOldVersions(of: name)) }
  }

  /// Gives each new record a row after all others. Returns the number of those that are shown.
  private mutating func addNew(by transaction: Transaction, since revision: Int64) -> Int {
    var (ids, bodies, folded, fetches) = (SQLList.texts, SQLList.texts, SQLList.texts, SQLList.numbers)
    var hidden: [ArraySlice<UInt8>] = []
    for index in entries.indices where entries[index].row == nil {
      guard let body = entries[index].body else { continue }
      ids.append(entries[index].id)
      bodies.append(body)
      folded.append(entries[index].folded)
      fetches.append(entries[index].fetch)
      if entries[index].isDeleted { hidden.append(entries[index].id) }
      entries[index].row = source.lastRow + Int64(ids.count)
      (entries[index].hasNewBody, entries[index].hasNewState) = (false, false)
    }
    guard ids.count > 0 else { return 0 }
    transaction.queue(
      """
      INSERT INTO \(source.tables.record)(row, id, body, folded, is_shown, since)
      SELECT $4 + place, id, body, folded, id <> ALL($6::text[]), $5 FROM unnest($1::text[], $2::text[], $3::text[])
        WITH ORDINALITY AS new(id, body, folded, place)
      """, ids, bodies, folded, source.lastRow, revision, SQLList(utf8: hidden))
    transaction.queue(
      """
      INSERT INTO \(source.tables.state)(row, "fetch", met)
      SELECT $2 + place, "fetch", $3::bigint FROM unnest($1::bigint[]) WITH ORDINALITY AS new("fetch", place)
      """, fetches, source.lastRow, batch.advance?.to?.reading)
    // Once it is restored, such a record waits for `next`.
    if !hidden.isEmpty {
      transaction.queue(
        "UPDATE aggregator.soft_deletion SET was_waiting = 1 WHERE source = $1 AND id = ANY($2)", batch.kind.name,
        SQLList(utf8: hidden))
    }
    return ids.count - hidden.count
  }

  /// Writes what has changed in records that were stored before. Returns how many of them are there again.
  private func changeStored(by transaction: Transaction, since revision: Int64) -> Int {
    let tables = source.tables
    let again = entries.filter { $0.wasGone && !$0.isGone && !$0.isDeleted && !$0.hasNewBody }.compactMap(\.row)
    if !again.isEmpty {
      transaction.queue(
        "UPDATE \(tables.record) SET is_shown = true, since = $2 WHERE row = ANY($1)", SQLList(again), revision)
    }
    let replaced = entries.filter { $0.hasNewBody }
    if !replaced.isEmpty {
      let rows = SQLList(replaced.compactMap(\.row))
      transaction.queue(tables.keepVersions("row = ANY($2)"), revision, rows)
      transaction.queue(
        """
        UPDATE \(tables.record) AS record SET body = new.body, folded = new.folded, is_shown = id <> ALL($5::text[]), since = $4
        FROM unnest($1::bigint[], $2::text[], $3::text[]) AS new(row, body, folded) WHERE record.row = new.row
        """, rows, SQLList(utf8: replaced.lazy.map(\.body)), SQLList(utf8: replaced.lazy.map { $0.folded }), revision,
        SQLList(utf8: replaced.lazy.filter(\.isDeleted).map(\.id)))
    }
    let touched = entries.filter(\.hasNewState)
    if !touched.isEmpty {
      transaction.queue(
        """
        UPDATE \(tables.state) AS state SET "fetch" = new."fetch", gone = NULL, met = coalesce($3, met)
        FROM unnest($1::bigint[], $2::bigint[]) AS new(row, "fetch") WHERE state.row = new.row
        """, SQLList(touched.compactMap(\.row)), SQLList(touched.map(\.fetch)), batch.advance?.to?.reading)
    }
    return entries.count { $0.wasGone && !$0.isGone && !$0.isDeleted }
  }

  private func addAbsorbed(by transaction: Transaction) {
    guard !absorbed.isEmpty else { return }
    transaction.queue(
      """
      INSERT INTO aggregator.absorbed_record(source, row, "fetch", body)
      SELECT $1, row, "fetch", body FROM unnest($2::bigint[], $3::bigint[], $4::text[])
        WITH ORDINALITY AS new(row, "fetch", body, place)
      ORDER BY place
      """, batch.kind.name, SQLList(absorbed.compactMap { entries[$0.entry].row }), SQLList(absorbed.map(\.fetch)),
      SQLList(utf8: absorbed.lazy.map { $0.body }))
  }

  private func addChanges(by transaction: Transaction) {
    guard !changes.isEmpty else { return }
    let latest = changes.suffix(RecordChange.mostStored)
    transaction.queue(
      """
      INSERT INTO aggregator.record_change(source, record, at, before, after, ended)
      SELECT $1, id, at, before, after, ended FROM unnest($2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[])
        WITH ORDINALITY AS new(id, at, before, after, ended, place)
      ORDER BY place
      """, batch.kind.name, SQLList(utf8: latest.lazy.map { bytes[$0.row.id] }),
      SQLList(latest.map { batch.fetches[$0.row.fetch].at.nanoseconds }), SQLList(utf8: latest.lazy.map { $0.change.before }),
      SQLList(utf8: latest.lazy.map { $0.change.after }),
      SQLList(utf8: latest.map { FieldPath.text(of: $0.change.endedEdits).map { Array($0.utf8)[...] } }))
    transaction.forgetOldChanges(of: batch.kind)
  }
}
