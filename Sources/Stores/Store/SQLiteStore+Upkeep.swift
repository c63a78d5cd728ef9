public import AggregatorCore
import StoreTables

extension SQLiteStore {
  public func holdings() async throws -> [Holding] {
    try database.reading(else: []) { connection in
      let sources = try connection.all("SELECT name FROM source_info ORDER BY name") { $0.text(0) }
      return try sources.compactMap { try connection.records(of: $0) } + connection.others()
    }
  }

  @discardableResult
  @concurrent public func clearAnswers() async throws -> Int {
    try database.writing(else: 0) { connection in
      try connection.run("DELETE FROM cached_answer")
      return connection.changes
    }
  }

  @discardableResult
  @concurrent public func forget(_ kind: RecordKind, importedOnly: Bool) async throws -> Int {
    try database.writing(else: 0) { try $0.forget(kind, importedOnly: importedOnly) }
  }

  @concurrent public func storedText(_ name: String, made make: @Sendable () -> String) async throws -> String {
    // An existing text can be read from a read-only store too.
    if let value = try database.reading(else: nil, { try $0.storedText(name) }) { return value }
    return try database.writing { connection in
      let value = make()
      try connection.run("INSERT OR IGNORE INTO store_keepsake(name, value) VALUES(?1, ?2)", name, value)
      return try connection.storedText(name) ?? value
    }
  }
}

extension Connection {
  func storedText(_ name: String) throws -> String? {
    try first("SELECT value FROM store_keepsake WHERE name = ?1", name) { $0.text(0) }
  }

  fileprivate func forget(_ kind: RecordKind, importedOnly: Bool) throws -> Int {
    let (name, tables) = (kind.name, Tables(kind))
    let fetches = "source = ?1" + (importedOnly ? " AND question = \(SQLText.text(Fetch.importing))" : "")
    if !importedOnly {
      for table in ["absorbed_record", "source_state", "given_back", "record_change", "person_edit"] {
        try run("DELETE FROM \(table) WHERE source = ?1", name)
      }
      try run("DELETE FROM cached_answer WHERE source = ?1 OR substr(source, 1, length(?1) + 1) = ?1 || ' '", name)
      for keepsake in kind.ownKeepsakes { try run("DELETE FROM store_keepsake WHERE name = ?1", keepsake) }
      try run("DELETE FROM store_keepsake WHERE substr(name, 1, length(?1)) = ?1", kind.seenNames)
    }
    guard try hasTables(of: kind) else { return 0 }
    if !importedOnly { try clearIndex(of: kind) }
    let count = try remove("fetch IN (SELECT id FROM fetch_log WHERE \(fetches))", name, of: kind)
    if !importedOnly { try run("UPDATE source_info SET after_fetch = NULL WHERE name = ?1", name) }
    // An empty row stays in the log, so that SQLite does not give its number or a lower
    // one to a new fetch while other tables still refer to it.
    try run("INSERT INTO fetch_log(source, at, question, place) VALUES('', 0, '', '')")
    try run("DELETE FROM fetch_log WHERE \(fetches) OR source = '' AND id < last_insert_rowid()", name)
    try run(
      """
      UPDATE source_info SET records = (SELECT count(*) FROM \(tables.record)),
        newest = (SELECT max(at) FROM fetch_log WHERE source = ?1)
      WHERE name = ?1
      """, name)
    return count
  }

  /// Removes the records for which a condition with the value `?1` holds. Returns how many there were.
  func remove(_ condition: String, _ value: any Bindable, of kind: RecordKind) throws -> Int {
    let record = Tables(kind).record
    try run("DELETE FROM \(record) WHERE \(condition)", value)
    let count = changes
    guard count > 0 else { return 0 }
    // A later record may get the number of a removed row, to which these tables must not refer.
    for table in ["absorbed_record", "given_back"] {
      try run("DELETE FROM \(table) WHERE source = ?1 AND row NOT IN (SELECT row FROM \(record))", kind.name)
    }
    try limitShown(of: kind)
    return count
  }

  /// Lowers the position to the highest row: the next record gets the number after that, and has not been shown.
  func limitShown(of kind: RecordKind) throws {
    // A position that cannot be read is never continued, so it needs no change.
    guard var stored = try? storedPosition(of: kind) else { return }
    let last = try number("SELECT coalesce(max(row), 0) FROM \(Tables(kind).record)")
    guard stored.shown > last else { return }
    stored.shown = last
    try set(stored, of: kind)
  }

  fileprivate func records(of source: String) throws -> Holding? {
    let table = SQLText.name("\(source)_record")
    return try first(
      """
      SELECT ?1, 'records', count(*), total(length(CAST(body AS BLOB))),
        (SELECT at FROM fetch_log WHERE id = (SELECT min(fetch) FROM \(table))),
        (SELECT newest FROM source_info WHERE name = ?1)
      FROM \(table) HAVING count(*) > 0
      """, source
    ) { Holding($0) }
  }

  /// Returns the holdings of answers and deletions. An answer is stored under its source's name and address; a person knows only the name.
  fileprivate func others() throws -> [Holding] {
    try all(
      """
      SELECT substr(source, 1, instr(source || ' ', ' ') - 1) AS name, 'answers', count(*), total(size), min(at), max(at)
      FROM cached_answer GROUP BY name
      UNION ALL
      SELECT source, 'deletions', count(*), total(length(id)), min(at), max(at) FROM soft_deletion GROUP BY source
      """
    ) { Holding($0) }
  }
}

extension SQLiteStore {
  /// Throws the error that a write would end with if the system reports a full disk. It writes nothing.
  public func condition() async throws -> StoreCondition {
    try database.checkRoom()
    return StoreCondition()
  }

  @concurrent public func searchTrouble(of kind: RecordKind) async throws -> SourceError? {
    guard let stored = try await self.snapshot() as? SQLiteSnapshot else { return nil }
    guard try stored.reading({ try $0.hasWrongIndex(of: kind) }) else { return nil }
    let finding =
      "the search index of \(kind.name) in the store \(database.path) does not fit its records, so searches may have missed some"
    do {
      try database.writing { connection in
        try connection.run("UPDATE source_info SET indexed = '' WHERE name = ?1", kind.name)
        connection.ready.remove(kind)
      }
    } catch let error as SourceError {
      return SourceError(ofStore: "\(finding), and that cannot be noted there: \(error.message)", remedy: error.remedy)
    }
    return SourceError(
      ofStore: finding,
      remedy: .advice("store more of \(kind.name), such as by a sync, to make it again; until then a search reads every record")
    )
  }
}
