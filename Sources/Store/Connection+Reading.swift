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
        // With a damaged index every record may match. The next landing makes the index again.
        return try page(of: kind, after: last, count: Self.mostTried, look)
      }
    }
  }

  private func found(
    _ terms: SearchTerms, of kind: RecordKind, after row: Int64, count: Int, _ look: Look
  ) throws -> Int64? {
    switch terms {
    case .all: return try page(of: kind, after: row, count: count, look)
    case .trigrams(let trigrams):
      return try hits(of: kind, SearchTerms.query(trigrams, "AND"), after: row, count: count, look)
    case .beginning(let letters):
      // Most short texts are common, so that the first records are likely to match.
      if row == 0 { return try page(of: kind, after: row, count: Self.mostTried, look) }
      let terms = try self.terms(of: kind, beginning: letters)
      guard !terms.isEmpty else { return nil }
      return try hits(of: kind, SearchTerms.query(terms, "OR"), after: row, count: count, look)
    }
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

  private func page(
    of kind: RecordKind, after row: Int64, count: Int, named isNamed: Bool = true, _ look: Look
  ) throws -> Int64? {
    try self.look(
      """
      SELECT row, body, id FROM \(Tables(kind).record) AS record
      WHERE row > ?1 AND \(Self.isShown(kind)) ORDER BY row LIMIT ?2
      """, row, count: count, named: isNamed, nil, look)
  }

  private func hits(of kind: RecordKind, _ query: String, after row: Int64, count: Int, _ look: Look) throws -> Int64? {
    let tables = Tables(kind)
    // In most stores nothing was ever deleted; then no row has to be looked up for that.
    let hasDeletions = try number("SELECT EXISTS(SELECT 1 FROM soft_deletion WHERE source = ?1)", kind.name) == 1
    return try self.look(
      """
      SELECT row, body, id FROM \(tables.index) CROSS JOIN \(tables.record) AS record ON record.row = \(tables.index).rowid
      WHERE \(tables.index) MATCH ?3 AND \(tables.index).rowid > ?1 AND \(hasDeletions ? Self.isShown(kind) : "record.gone IS NULL")
      ORDER BY \(tables.index).rowid LIMIT ?2
      """, row, count: count, named: true, query, look)
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
    _ names: [Name], where condition: String, of kind: RecordKind, _ bind: (Statement, Name) -> Void
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

  /// Steps to one row more than asked for, to know whether more follow. With `named`, rows have their ids.
  private func look(
    _ sql: String, _ row: Int64, count: Int, named isNamed: Bool, _ query: String?, _ look: Look
  ) throws -> Int64? {
    let statement = try statement(sql)
    statement.bind(row, at: 1)
    statement.bind(Int64(count) + 1, at: 2)
    if let query { statement.bind(query, at: 3) }
    defer { statement.reset() }
    var (last, passed) = (row, 0)
    while try statement.step() {
      let row = BorrowedRow(
        row: statement.int64(0), body: statement.borrowedBytes(1), id: isNamed ? statement.borrowedBytes(2) : nil)
      guard passed < count, try look(row) else { return last }
      (last, passed) = (row.row, passed + 1)
    }
    return nil
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
