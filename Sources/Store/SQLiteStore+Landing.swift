public import AggregatorCore

extension SQLiteStore {
  @concurrent public func land(_ batch: Batch) async throws -> LandingResult {
    try database.writing(with: batch.isBulk ? .much : batch.sync == nil ? .little : .steady) { connection in
      try connection.prepareTables(of: batch.kind)
      if let advance = batch.advance {
        guard try connection.make(advance, of: batch.kind) else {
          var landed = LandingResult()
          landed.isOvertaken = true
          return landed
        }
      }
      let landed = try Landing(batch, on: connection).land()
      if let sync = batch.sync { _ = try connection.note(sync, of: batch.kind, landing: landed) }
      return landed
    }
  }

  @concurrent public func optimize(_ kind: RecordKind, bulk isBulk: Bool) async throws {
    if isBulk {
      try database.writing(kind, else: ()) { connection in
        let index = Tables(kind).index
        // Merging the index into one piece costs a tenth of the import, and halves the time to read it.
        try connection.run("INSERT INTO \(index)(\(index)) VALUES('optimize')")
      }
    }
    try database.reading(else: ()) { connection in
      // Pages that somebody still reads stay in the log; the next writer writes them back.
      _ = try connection.number("PRAGMA wal_checkpoint(TRUNCATE)")
    }
  }
}

/// One batch that is being written into the tables.
private struct Landing {
  private let batch: Batch
  private let connection: Connection
  private let insert: Statement
  private let find: Statement
  private let index: Statement
  /// True when a record of this source was ever deleted. In most stores none was, and then nothing has to be looked up.
  private let hasDeletions: Bool
  /// True when changes are remembered, because an earlier sync had stored everything.
  private let isCompared: Bool
  /// The reading by `next` that the batch is a page of; nil for other batches.
  private let reading: Int?
  private let tables: Tables

  init(_ batch: Batch, on connection: Connection) throws {
    self.batch = batch
    self.connection = connection
    tables = Tables(batch.kind)
    insert = try connection.statement(
      "INSERT INTO \(tables.record)(id, fetch, body, met) VALUES(?1, ?2, ?3, ?4) ON CONFLICT(id) DO NOTHING")
    find = try connection.statement(
      "SELECT row, body IS ?3, gone IS NOT NULL, fetch, gone IS \(Moment.outdated.nanoseconds), \(Connection.isEdited) FROM \(tables.record) WHERE id = ?1"
    )
    index = try connection.statement("INSERT INTO \(tables.index)(rowid, text) VALUES(?1, ?2)")
    hasDeletions =
      try connection.number("SELECT EXISTS(SELECT 1 FROM soft_deletion WHERE source = ?1)", batch.kind.name) == 1
    isCompared = batch.sync?.wasWhole == true
    reading = batch.advance?.to?.reading
    if let reading { insert.bind(Int64(reading), at: 4) }
  }

  func land() throws -> LandingResult {
    let fetches = try batch.fetches.map(log)
    var landed = LandingResult()
    // The fetches that brought no record of their own.
    var corrections = if case .imported = batch.rule { Set(batch.fetches.indices) } else { Set<Int>() }
    try batch.bytes.withUnsafeBytes { bytes in
      for row in batch.rows {
        let landing = try land(row, fetch: fetches[row.fetch], in: bytes)
        landed.count(landing)
        if landing.fate.isOfItsFetch { corrections.remove(row.fetch) }
      }
    }
    for place in corrections {
      try connection.run("UPDATE fetch_log SET question = ?2 WHERE id = ?1", fetches[place], Fetch.correcting)
    }
    insert.reset()
    index.reset()
    if isCompared { try connection.forgetOldChanges(of: batch.kind) }
    try connection.run(
      """
      UPDATE source_info SET records = records + ?2, newest = coalesce(?3, newest) WHERE name = ?1
      """, batch.kind.name, landed.new, batch.fetches.map(\.at).max()?.nanoseconds)
    return landed
  }

  private func log(_ fetch: Fetch) throws -> Int64 {
    try connection.run(
      "INSERT INTO fetch_log(source, at, question, place, sync) VALUES(?1, ?2, ?3, ?4, ?5)", batch.kind.name,
      fetch.at.nanoseconds, fetch.request, fetch.place, batch.sync?.number)
    return connection.lastRow
  }

  private func land(_ row: Batch.Row, fetch: Int64, in bytes: UnsafeRawBufferPointer) throws -> Batch.Landing {
    let id = UnsafeRawBufferPointer(rebasing: bytes[row.id])
    let body = UnsafeRawBufferPointer(rebasing: bytes[row.body])
    if hasDeletions, try connection.deletion(of: id, batch.kind) != nil { return Batch.Landing(fate: .deleted) }
    insert.bind(text: id, at: 1)
    insert.bind(fetch, at: 2)
    insert.bind(text: body, at: 3)
    try insert.run()
    if connection.changes > 0 {
      let rowID = connection.lastRow
      if isCompared { try noteChange(of: rowID, from: fetch, after: body) }
      try makeFindable(rowID, row, in: bytes)
      return Batch.Landing(fate: .new)
    }
    find.bind(text: id, at: 1)
    find.bind(text: body, at: 3)
    _ = try find.step()
    let (rowID, isSame, isGone, kept) = (find.int64(0), find.int(1) == 1, find.int(2) == 1, find.int64(3))
    let (isOutdated, isEdited) = (find.int(4) == 1, find.int(5) == 1)
    find.reset()
    if let reading { try connection.run("UPDATE \(tables.record) SET met = ?2 WHERE row = ?1", rowID, reading) }
    let landing = try batch.rule.landing(
      of: Array(body), emptied: row.emptied, on: connection.body(of: rowID, in: tables), same: isSame, outdated: isOutdated,
      edited: isEdited, keptFrom: connection.fetch(kept), as: batch.kind)
    let fate = landing.fate
    if isCompared, isGone || fate == .replaces {
      try landing.body.map { try $0.withUnsafeBytes { try noteChange(of: rowID, from: fetch, after: $0) } }
        ?? noteChange(of: rowID, from: fetch, after: body)
    }
    switch fate {
    case .new, .deleted, .repeats, .absorbed, .differs:
      if isGone { try connection.run("UPDATE \(tables.record) SET gone = NULL WHERE row = ?1", rowID) }
      if fate == .absorbed || fate == .differs {
        try connection.run(
          "INSERT INTO absorbed_record(source, row, fetch, body) VALUES(?1, ?2, ?3, ?4)", batch.kind.name, rowID, fetch, body)
      }
    case .confirms: try connection.run("UPDATE \(tables.record) SET fetch = ?2, gone = NULL WHERE row = ?1", rowID, fetch)
    case .replaces, .edits:
      let update = "UPDATE \(tables.record) SET fetch = ?2, gone = NULL, body = ?3 WHERE row = ?1"
      let fetch = fate == .edits ? kept : fetch
      if let stored = landing.body {
        try stored.withUnsafeBytes { try connection.run(update, rowID, fetch, $0) }
        let text = batch.kind.searchText(of: try JSON(stored), id: String(decoding: id, as: UTF8.self))
        try text.withUnsafeBytes { try makeFindable(rowID, $0) }
      } else {
        try connection.run(update, rowID, fetch, body)
        try makeFindable(rowID, row, in: bytes)
      }
    }
    return landing
  }

  /// Remembers the old and the new body of the record in this row. The old body is NULL if the record was gone, or came with this fetch.
  private func noteChange(of rowID: Int64, from fetch: Int64, after body: UnsafeRawBufferPointer) throws {
    try connection.run(
      """
      INSERT INTO record_change(source, record, at, before, after)
      SELECT ?1, id, (SELECT at FROM fetch_log WHERE id = ?3), CASE WHEN gone IS NULL AND fetch != ?3 THEN body END, ?4
      FROM \(tables.record) WHERE row = ?2
      """, batch.kind.name, rowID, fetch, body)
  }

  /// Adds the record in this row to the search index.
  private func makeFindable(_ rowID: Int64, _ row: Batch.Row, in bytes: UnsafeRawBufferPointer) throws {
    try makeFindable(rowID, UnsafeRawBufferPointer(rebasing: bytes[row.text]))
  }

  private func makeFindable(_ rowID: Int64, _ text: UnsafeRawBufferPointer) throws {
    index.bind(rowID, at: 1)
    index.bind(text: text, at: 2)
    do {
      try index.run()
    } catch {
      guard error.isIndexDamage else { throw error }
      try connection.indexAgain(batch.kind)
    }
  }
}

extension Connection {
  /// The SQL condition of a record with edits: its body begins with their prefix.
  fileprivate static let isEdited =
    "substr(body, 1, \(EditedRecord.prefix.count)) = \(SQLText.text(String(decoding: EditedRecord.prefix, as: UTF8.self)))"

  func body(of row: Int64, in tables: Tables) throws -> [UInt8] {
    try first("SELECT body FROM \(tables.record) WHERE row = ?1", row) { $0.bytes(0) } ?? []
  }
}
