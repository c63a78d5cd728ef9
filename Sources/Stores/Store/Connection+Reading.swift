import AggregatorCore
import StoreTables

extension Connection {
  func rows(of kind: RecordKind, _ question: StoredQuery, after row: Int64, count: Int) throws -> StoredRows {
    switch question {
    case .id, .ids, .rows:
      guard try isIndexed(kind) != nil else { return StoredRows(rows: [], next: nil) }
      return StoredRows(rows: try records(question, of: kind), next: nil)
    case .everything, .maybeMatching:
      var found: [StoredRow] = []
      found.reserveCapacity(min(count, 1_000))
      let next = try look(through: kind, question, after: row, count: count) {
        found.append(StoredRow($0))
        return true
      }
      return StoredRows(rows: found, next: next)
    }
  }

  /// A function that is shown records, one after the other, until it returns false.
  typealias Look = (BorrowedRow) throws -> Bool

  func look(
    through kind: RecordKind, _ question: StoredQuery, after row: Int64, count: Int, _ look: Look
  ) throws -> Int64? {
    guard let isIndexed = try isIndexed(kind) else { return nil }
    switch question {
    case .everything: return try page(of: kind, after: row, count: count, named: false, look)
    case .id, .ids, .rows:
      for row in try records(question, of: kind) { guard try row.lend(to: look) else { break } }
      return nil
    case .maybeMatching(let text):
      guard isIndexed else { return try page(of: kind, after: row, count: Self.mostTried, look) }
      var last = row
      do {
        return try found(SearchTerms(text), of: kind, after: row, count: count) { row in
          guard try look(row) else { return false }
          last = row.row
          return true
        }
      } catch let failure as SQLiteFailure where failure.isIndexDamage {
        // With a damaged index every record may match.
        return try page(of: kind, after: last, count: Self.mostTried, look)
      }
    }
  }

  private func found(
    _ terms: SearchTerms?, of kind: RecordKind, after row: Int64, count: Int, _ look: Look
  ) throws -> Int64? {
    guard let terms else { return try page(of: kind, after: row, count: count, look) }
    // Most short texts are common, so that the first records are likely to match.
    if case .any = terms, row == 0 { return try page(of: kind, after: row, count: Self.mostTried, look) }
    return try hits(of: kind, terms, after: row, count: count, look)
  }

  func traces(of kind: RecordKind, _ query: StoredQuery, after row: Int64, count: Int) throws -> TracedRows {
    guard try hasTables(of: kind) else { return TracedRows(rows: [], next: nil) }
    func found(_ condition: String, _ value: any Bindable) throws -> [TracedRow] {
      try all(
        """
        SELECT \(TracedRow.columns), soft_deletion.at FROM \(Tables(kind).record) AS record
        LEFT JOIN fetch_log ON fetch_log.id = record.fetch
        LEFT JOIN soft_deletion ON soft_deletion.source = \(Tables(kind).name) AND soft_deletion.id = record.id
        WHERE record.\(condition) ORDER BY record.row LIMIT ?2
        """, value, count.adding(1)
      ) { TracedRow($0) }
    }
    switch query {
    case .id(let id): return TracedRows(rows: try found("id = ?1", id), next: nil)
    case .ids(let ids): return TracedRows(rows: try ids.flatMap { try found("id = ?1", $0) }, next: nil)
    case .rows(let numbers): return TracedRows(rows: try numbers.sorted().flatMap { try found("row = ?1", $0) }, next: nil)
    case .everything, .maybeMatching: return TracedRows(try found("row > ?1", row), of: count, after: row)
    }
  }

  func census(of kind: RecordKind) throws -> Census {
    guard try hasTables(of: kind) else { return Census(count: 0, newest: nil) }
    let census = try first(Self.census(in: Tables(kind)), kind.name, Fetch.correcting) {
      Census(count: $0.count(1), newest: $0.momentIfPresent(0), hasImports: $0.int(2) == 1, hasOthers: $0.int(3) == 1)
    }
    return census ?? Census(count: 0, newest: nil)
  }

  static func census(in tables: Tables) -> String {
    """
    SELECT newest, records - (SELECT count(*) FROM \(tables.record) WHERE gone IS NOT NULL) - (
      SELECT count(*) FROM soft_deletion JOIN \(tables.record) AS record ON record.id = soft_deletion.id
      WHERE source = ?1 AND record.gone IS NULL),
      EXISTS(SELECT 1 FROM fetch_log WHERE source = ?1 AND \(StoreSchema.isImport) = 1
        AND id > coalesce(after_fetch, 0)),
      EXISTS(SELECT 1 FROM fetch_log WHERE source = ?1 AND \(StoreSchema.isImport) = 0 AND question <> ?2)
    FROM source_info WHERE name = ?1
    """
  }

  func removals(of kind: RecordKind) throws -> Removals {
    let deleted = try number("SELECT count(*) FROM soft_deletion WHERE source = ?1", kind.name)
    guard try hasTables(of: kind) else { return Removals(deleted: deleted) }
    let isGone = "gone IS NOT NULL AND gone <> \(Moment.outdated.nanoseconds)"
    return Removals(deleted: deleted, gone: try number("SELECT count(*) FROM \(Tables(kind).record) WHERE \(isGone)"))
  }

  /// The number of rows that are read for a short text before the index is used.
  private static let mostTried = 1_000

  /// Returns the SQL condition of a record that is neither deleted nor gone.
  static func isShown(_ kind: RecordKind) -> String {
    "record.gone IS NULL AND NOT EXISTS (SELECT 1 FROM soft_deletion WHERE source = \(Tables(kind).name) AND id = record.id)"
  }

  /// Steps to one row more than asked for, to know whether more follow. With `named`, rows have their ids.
  private func page(
    of kind: RecordKind, after row: Int64, count: Int, named isNamed: Bool = true, _ look: Look
  ) throws -> Int64? {
    let records = try statement(
      """
      SELECT row, body, id FROM \(Tables(kind).record) AS record
      WHERE row > ?1 AND \(Self.isShown(kind)) ORDER BY row LIMIT ?2
      """)
    records.bind(row, at: 1)
    records.bind(Int64(count) + 1, at: 2)
    defer { records.reset() }
    var (last, passed) = (row, 0)
    while try records.step() {
      let record = BorrowedRow(records, named: isNamed)
      guard passed < count, try look(record) else { return last }
      (last, passed) = (record.row, passed + 1)
    }
    return nil
  }

  private func hits(of kind: RecordKind, _ terms: SearchTerms, after row: Int64, count: Int, _ look: Look) throws -> Int64? {
    // In most stores nothing was ever deleted; then no row has to be looked up for that.
    let hasDeletions = try number("SELECT EXISTS(SELECT 1 FROM soft_deletion WHERE source = ?1)", kind.name) == 1
    let records = try statement(
      """
      SELECT row, body, id FROM \(Tables(kind).record) AS record
      WHERE row = ?1 AND \(hasDeletions ? Self.isShown(kind) : "record.gone IS NULL")
      """)
    defer { records.reset() }
    var (hits, last, passed) = (try IndexHits(terms, of: kind, after: row, on: self), row, 0)
    while let hit = try hits.next() {
      records.rewind()
      records.bind(hit, at: 1)
      guard try records.step() else { continue }
      guard passed < count, try look(BorrowedRow(records, named: true)) else { return last }
      (last, passed) = (hit, passed + 1)
    }
    return nil
  }

  /// Returns the records that a question names one by one.
  private func records(_ question: StoredQuery, of kind: RecordKind) throws -> [StoredRow] {
    switch question {
    case .everything, .maybeMatching: []
    case .id(let id): try records([id], where: "id = ?1", of: kind) { $0.bind($1, at: 1) }
    case .ids(let ids): try records(ids, where: "id = ?1", of: kind) { $0.bind($1, at: 1) }
    // In the order in which they lie in the file.
    case .rows(let numbers): try records(numbers.sorted(), where: "row = ?1", of: kind) { $0.bind($1, at: 1) }
    }
  }

  private func records<Name>(
    _ names: [Name], where condition: String, of kind: RecordKind, _ bind: (PreparedStatement, Name) -> Void
  ) throws -> [StoredRow] {
    let statement = try statement(
      "SELECT row, body FROM \(Tables(kind).record) AS record WHERE \(condition) AND \(Self.isShown(kind))")
    defer { statement.reset() }
    var found: [StoredRow] = []
    found.reserveCapacity(min(names.count, 1_000))
    for name in names {
      statement.rewind()
      bind(statement, name)
      if try statement.step() { found.append(StoredRow(statement)) }
    }
    return found
  }

  /// Returns true if the index was made of the fields that are searched now, and of all records; else every
  /// record is read. Nil if no records were ever stored.
  private func isIndexed(_ kind: RecordKind) throws -> Bool? {
    if ready.contains(kind) { return true }
    return try first("SELECT indexed, records FROM source_info WHERE name = ?1", kind.name) {
      try $0.text(0) == kind.indexed && isIndexWhole(of: kind, records: $0.int(1))
    }
  }
}

extension BorrowedRow {
  /// Makes a record of the number, the body and, with `named`, the id in a row.
  fileprivate init(_ row: PreparedStatement, named isNamed: Bool) {
    self.init(row: row.int64(0), body: row.borrowedBytes(1), id: isNamed ? row.borrowedBytes(2) : nil)
  }
}
