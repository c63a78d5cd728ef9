import AggregatorCore

extension Connection {
  func rows(of kind: RecordKind, _ question: StoredQuery, after row: Int64, count: Int) throws -> StoredRows {
    guard let isIndexed = try isIndexed(kind) else { return StoredRows(rows: [], next: nil) }
    switch question {
    case .everything: return try page(of: kind, after: row, count: count, named: false)
    case .id(let id): return try record(id, of: kind)
    case .ids(let ids): return StoredRows(rows: try ids.flatMap { try record($0, of: kind).rows }, next: nil)
    case .rows(let numbers): return try records(numbers, of: kind)
    case .maybeMatching(let text):
      guard isIndexed else { return try page(of: kind, after: row, count: Self.mostTried) }
      do {
        return try found(SearchTerms(text), of: kind, after: row, count: count)
      } catch let failure as SQLiteFailure where failure.isIndexDamage {
        // With a damaged index every record may match. The next landing makes the index again.
        return try page(of: kind, after: row, count: Self.mostTried)
      }
    }
  }

  private func found(_ terms: SearchTerms, of kind: RecordKind, after row: Int64, count: Int) throws -> StoredRows {
    switch terms {
    case .all: return try page(of: kind, after: row, count: count)
    case .trigrams(let trigrams): return try hits(of: kind, SearchTerms.query(trigrams, "AND"), after: row, count: count)
    case .beginning(let letters):
      // Most short texts are common, so that the first records are likely to match.
      if row == 0 { return try page(of: kind, after: row, count: Self.mostTried) }
      let terms = try self.terms(of: kind, beginning: letters)
      guard !terms.isEmpty else { return StoredRows(rows: [], next: nil) }
      return try hits(of: kind, SearchTerms.query(terms, "OR"), after: row, count: count)
    }
  }

  func census(of kind: RecordKind) throws -> Census {
    guard try hasTables(of: kind) else { return Census(count: 0, newest: nil) }
    let tables = Tables(kind)
    let census = try first(
      """
      SELECT newest, records - (SELECT count(*) FROM \(tables.record) WHERE gone IS NOT NULL) - (
        SELECT count(*) FROM soft_deletion JOIN \(tables.record) AS record ON record.id = soft_deletion.id
        WHERE source = ?1 AND record.gone IS NULL),
        EXISTS(SELECT 1 FROM fetch_log WHERE source = ?1 AND question = ?2
          AND id > coalesce(after_fetch, 0)),
        EXISTS(SELECT 1 FROM fetch_log WHERE source = ?1 AND question NOT IN (?2, ?3))
      FROM source_info WHERE name = ?1
      """, kind.name, Fetch.importing, Fetch.correcting
    ) { Census(count: $0.count(1), newest: $0.momentIfPresent(0), hasImports: $0.int(2) == 1, hasOthers: $0.int(3) == 1) }
    return census ?? Census(count: 0, newest: nil)
  }

  /// The number of rows that are read for a short text before the index is used.
  private static let mostTried = 1_000

  /// Returns the SQL condition of a record that is neither deleted nor gone.
  static func isShown(_ kind: RecordKind) -> String {
    "record.gone IS NULL AND NOT EXISTS (SELECT 1 FROM soft_deletion WHERE source = \(Tables(kind).name) AND id = record.id)"
  }

  private func page(of kind: RecordKind, after row: Int64, count: Int, named isNamed: Bool = true) throws -> StoredRows {
    try rows(
      """
      SELECT row, body, id FROM \(Tables(kind).record) AS record
      WHERE row > ?1 AND \(Self.isShown(kind)) ORDER BY row LIMIT ?2
      """, row, count: count, named: isNamed)
  }

  private func hits(of kind: RecordKind, _ query: String, after row: Int64, count: Int) throws -> StoredRows {
    let tables = Tables(kind)
    // In most stores nothing was ever deleted; then no row has to be looked up for that.
    let hasDeletions = try number("SELECT EXISTS(SELECT 1 FROM soft_deletion WHERE source = ?1)", kind.name) == 1
    return try rows(
      """
      SELECT row, body, id FROM \(tables.index) CROSS JOIN \(tables.record) AS record ON record.row = \(tables.index).rowid
      WHERE \(tables.index) MATCH ?3 AND \(tables.index).rowid > ?1 AND \(hasDeletions ? Self.isShown(kind) : "record.gone IS NULL")
      ORDER BY \(tables.index).rowid LIMIT ?2
      """, row, count: count, named: true, query)
  }

  private func record(_ id: String, of kind: RecordKind) throws -> StoredRows {
    let sql = "SELECT row, body FROM \(Tables(kind).record) AS record WHERE id = ?1 AND \(Self.isShown(kind))"
    return StoredRows(rows: try all(sql, id) { StoredRow($0) }, next: nil)
  }

  private func records(_ numbers: [Int64], of kind: RecordKind) throws -> StoredRows {
    let statement = try statement(
      "SELECT row, body FROM \(Tables(kind).record) AS record WHERE row = ?1 AND \(Self.isShown(kind))")
    defer { statement.reset() }
    var found: [StoredRow] = []
    found.reserveCapacity(min(numbers.count, 1_000))
    // In the order in which they lie in the file.
    for number in numbers.sorted() {
      statement.rewind()
      statement.bind(number, at: 1)
      if try statement.step() { found.append(StoredRow(statement)) }
    }
    return StoredRows(rows: found, next: nil)
  }

  /// Reads one row more than asked for, to know whether more follow. With `named`, rows have their ids.
  private func rows(_ sql: String, _ row: Int64, count: Int, named isNamed: Bool, _ query: String? = nil) throws -> StoredRows {
    let statement = try statement(sql)
    statement.bind(row, at: 1)
    statement.bind(Int64(count) + 1, at: 2)
    if let query { statement.bind(query, at: 3) }
    defer { statement.reset() }
    var found: [StoredRow] = []
    found.reserveCapacity(min(count, 1_000))
    while try statement.step() {
      if found.count == count { return StoredRows(rows: found, next: found.last?.row ?? row) }
      found.append(StoredRow(statement, named: isNamed))
    }
    return StoredRows(rows: found, next: nil)
  }

  /// Returns true if the index was made of the fields that are searched now; else every
  /// record is read. Nil if no records were ever stored.
  private func isIndexed(_ kind: RecordKind) throws -> Bool? {
    if ready.contains(kind) { return true }
    return try first("SELECT indexed FROM source_info WHERE name = ?1", kind.name) { $0.text(0) == kind.indexed }
  }

  private func terms(of kind: RecordKind, beginning letters: String) throws -> [String] {
    let (index, terms) = (SQLText.text("\(kind.name)_index"), Tables(kind).terms)
    try run("CREATE VIRTUAL TABLE IF NOT EXISTS temp.\(terms) USING fts5vocab(main, \(index), row)")
    return try all(
      "SELECT term FROM temp.\(terms) WHERE term BETWEEN ?1 AND ?1 || char(0x10FFFF, 0x10FFFF)", letters
    ) { $0.text(0) }
  }
}
