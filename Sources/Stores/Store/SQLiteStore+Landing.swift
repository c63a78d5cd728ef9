public import AggregatorCore
import StoreTables

extension SQLiteStore {
  @concurrent public func land(_ batch: Batch) async throws -> LandingResult {
    try database.writing(with: batch.isBulk ? .much : batch.sync == nil ? .little : .steady) { connection in
      try connection.prepareTables(of: batch.kind)
      if let advance = batch.advance {
        guard try connection.make(advance, of: batch.kind) else { return .overtaken }
      }
      var landing = try FileLanding(batch, on: connection)
      let landed = try landing.land()
      if let sync = batch.sync { _ = try connection.note(sync, of: batch.kind, landing: landed) }
      return landed
    }
  }

  @concurrent public func optimize(_ kind: RecordKind, bulk isBulk: Bool) async throws {
    if isBulk { try database.writing(kind, else: ()) { try $0.mergeIndex(of: kind) } }
    try database.emptyLog()
  }
}

/// One batch that is being written into the tables.
private struct FileLanding {
  private let batch: Batch
  private let connection: Connection
  private let insert: PreparedStatement
  private let find: PreparedStatement
  /// True when a record of this source was ever deleted. In most stores none was, and then nothing has to be looked up.
  private let hasDeletions: Bool
  /// The reading by `next` that the batch is a page of; nil for other batches.
  private let reading: Int?
  private let tables: Tables
  private var lastFetch: (number: Int64, fetch: Fetch?)?

  init(_ batch: Batch, on connection: Connection) throws {
    self.batch = batch
    self.connection = connection
    tables = Tables(batch.kind)
    insert = try connection.statement(
      "INSERT INTO \(tables.record)(id, fetch, body, met) VALUES(?1, ?2, ?3, ?4) ON CONFLICT(id) DO NOTHING")
    find = try connection.statement(
      """
      SELECT row, body IS ?3, gone IS NOT NULL, fetch, gone IS \(Moment.outdated.nanoseconds), body
      FROM \(tables.record) WHERE id = ?1
      """
    )
    connection.indexedRows.removeAll()
    hasDeletions =
      try connection.number("SELECT EXISTS(SELECT 1 FROM soft_deletion WHERE source = ?1)", batch.kind.name) == 1
    reading = batch.advance?.to?.reading
    if let reading { insert.bind(Int64(reading), at: 4) }
  }

  mutating func land() throws -> LandingResult {
    var plan = try LandingPlan(
      batch, under: try connection.edits(of: batch.kind), after: try connection.sync(of: batch.kind))
    let fetches = try batch.fetches.map(log)
    try batch.bytes.withUnsafeBytes { bytes in
      for row in batch.rows { try land(row, by: &plan, fetch: fetches[row.fetch], in: bytes) }
    }
    for index in plan.corrections {
      try connection.run("UPDATE fetch_log SET question = ?2 WHERE id = ?1", fetches[index], Fetch.correcting)
    }
    insert.reset()
    try connection.indexRows(of: batch.kind)
    try connection.write(plan.edits.changes, of: batch.kind.name)
    if plan.hasNoted { try connection.forgetOldChanges(of: batch.kind) }
    try connection.run(
      """
      UPDATE source_info SET records = records + ?2, newest = coalesce(?3, newest) WHERE name = ?1
      """, batch.kind.name, plan.rowsAdded, batch.fetches.map(\.at).max()?.nanoseconds)
    return plan.landed
  }

  private func log(_ fetch: Fetch) throws -> Int64 {
    try connection.run(
      "INSERT INTO fetch_log(source, at, question, place, sync) VALUES(?1, ?2, ?3, ?4, ?5)", batch.kind.name,
      fetch.at.nanoseconds, fetch.request, fetch.place, batch.sync?.number)
    return connection.lastRow
  }

  private mutating func land(_ row: Batch.Row, by plan: inout LandingPlan, fetch: Int64, in bytes: UnsafeRawBufferPointer)
    throws
  {
    let id = UnsafeRawBufferPointer(rebasing: bytes[row.id])
    let body = UnsafeRawBufferPointer(rebasing: bytes[row.body])
    let isDeleted = hasDeletions ? try connection.deletion(of: id, batch.kind) != nil : false
    if isDeleted, plan.leavesOutDeleted { return plan.deleted() }
    insert.bind(text: id, at: 1)
    insert.bind(fetch, at: 2)
    insert.bind(text: body, at: 3)
    try insert.run()
    if connection.changes > 0 {
      try makeFindable(connection.lastRow, UnsafeRawBufferPointer(rebasing: bytes[row.text]))
      if isDeleted { try connection.noteWaiting(id, batch.kind) }
      return try note(plan.added(row, deleted: isDeleted), of: id, row)
    }
    let (rowID, storedFetch, landing) = try landing(of: row, id, body, by: &plan, deleted: isDeleted)
    if let reading { try connection.run("UPDATE \(tables.record) SET met = ?2 WHERE row = ?1", rowID, reading) }
    let bringer = landing.isOfItsFetch ? fetch : storedFetch
    if let body = landing.body {
      try connection.run("UPDATE \(tables.record) SET fetch = ?2, gone = NULL, body = ?3 WHERE row = ?1", rowID, bringer, body)
      try landing.text?.withUnsafeBytes { try makeFindable(rowID, $0) }
    } else if landing.isOfItsFetch || landing.isThereAgain {
      try connection.run("UPDATE \(tables.record) SET fetch = ?2, gone = NULL WHERE row = ?1", rowID, bringer)
    }
    if landing.isAbsorbed {
      try connection.run(
        "INSERT INTO absorbed_record(source, row, fetch, body) VALUES(?1, ?2, ?3, ?4)", batch.kind.name, rowID, fetch, body)
    }
    try note(landing.change, of: id, row)
  }

  /// Returns what the plan says of a record whose id is stored, with the stored row and the fetch that brought it.
  private mutating func landing(
    of row: Batch.Row, _ id: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, by plan: inout LandingPlan,
    deleted isDeleted: Bool
  ) throws -> (row: Int64, fetch: Int64, Batch.Landing) {
    find.bind(text: id, at: 1)
    find.bind(text: body, at: 3)
    defer { find.reset() }
    _ = try find.step()
    let (rowID, fetch) = (find.int64(0), find.int64(3))
    let landing = try plan.landing(
      of: row, on: find.bytes(5)[...], from: logged(fetch), same: find.int(1) == 1, gone: find.int(2) == 1,
      outdated: find.int(4) == 1, deleted: isDeleted)
    return (rowID, fetch, landing)
  }

  private func note(_ change: Batch.Landing.Change?, of id: UnsafeRawBufferPointer, _ row: Batch.Row) throws {
    guard let change else { return }
    try connection.run(
      "INSERT INTO record_change(source, record, at, before, after, ended) VALUES(?1, ?2, ?3, ?4, ?5, ?6)", batch.kind.name, id,
      batch.fetches[row.fetch].at.nanoseconds, change.before, change.after, FieldPath.text(of: change.endedEdits))
  }

  /// Returns the fetch that brought a stored record. Neighbours mostly came with the same one.
  private mutating func logged(_ number: Int64) throws -> Fetch? {
    if lastFetch?.number != number { lastFetch = (number, try connection.fetch(number)) }
    return lastFetch?.fetch
  }

  /// Adds the record in this row to the search index.
  private func makeFindable(_ rowID: Int64, _ text: UnsafeRawBufferPointer) throws {
    connection.indexedRows.add(rowID, text)
    if connection.indexedRows.isFull { try connection.indexRows(of: batch.kind) }
  }
}
