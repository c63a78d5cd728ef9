package import AggregatorCore

/// One row of a database, with its values by the index of their column. Stores read their rows through it in the same way for every
/// database.
package protocol StoredValues {
  func isNull(_ column: CInt) -> Bool
  /// True when the value is a whole number: a column may hold anything if somebody has edited the file.
  func isWhole(_ column: CInt) -> Bool
  func int64(_ column: CInt) -> Int64
  func bytes(_ column: CInt) -> [UInt8]
}

extension StoredValues {
  package func int(_ column: CInt) -> Int { Int(int64(column)) }
  package func intIfPresent(_ column: CInt) -> Int? { isNull(column) ? nil : int(column) }
  /// Returns a number of things, limited to what can be calculated with: a file that somebody has edited may hold anything.
  package func count(_ column: CInt) -> Int { min(max(0, int(column)), 1 << 48) }
  package func text(_ column: CInt) -> String { String(decoding: bytes(column), as: UTF8.self) }
  package func textIfPresent(_ column: CInt) -> String? { isNull(column) ? nil : text(column) }
  package func moment(_ column: CInt) -> Moment { Moment(nanoseconds: int64(column)) }
  package func momentIfPresent(_ column: CInt) -> Moment? { isNull(column) ? nil : moment(column) }
}

extension StoredRow {
  /// Reads a record from the columns `row, body`, and its `id` from a third if it `isNamed`.
  package init(_ row: some StoredValues, named isNamed: Bool = false) {
    self.init(row: row.int64(0), body: row.bytes(1), id: isNamed ? row.text(2) : nil)
  }
}

extension TracedRow {
  /// The columns of a record and of the fetch that brought it; the moment of its deletion follows them.
  package static let columns = "record.row, record.body, record.id, fetch_log.at, question, place, gone"

  /// Reads a record from ``columns`` and the moment of its deletion.
  package init(_ row: some StoredValues) {
    let fetch = row.isNull(3) ? nil : Fetch(at: row.moment(3), request: row.text(4), place: row.text(5))
    self.init(
      StoredRow(row, named: true), id: row.text(2), fetch: fetch, gone: row.momentIfPresent(6),
      deletedAt: row.momentIfPresent(7))
  }
}

extension Fetch {
  /// Reads a request from the columns `at, question, place`; nil if the store has lost it.
  package init?(_ row: some StoredValues) {
    if row.isNull(0) { return nil }
    self.init(at: row.moment(0), request: row.text(1), place: row.text(2))
  }
}

extension Edit {
  package static let columns = "record, field, given, value"

  /// Reads an edit from ``columns``. A value that somebody has edited into something else counts as null.
  package init(_ row: some StoredValues) {
    let path = FieldPath(text: row.text(1))
    func value(_ column: CInt) -> Value { (try? JSON(row.bytes(column)).value)?.value(at: path.names[...]) ?? .null }
    let given = value(2)
    self.init(of: row.text(0), at: path, given: given, value: value(3).withoutNulls(over: given))
  }

  /// The values of ``columns``. A view merges the value into the record, so it has a null for each part that the edit removes.
  package var texts: (record: String, field: String, given: [UInt8], value: [UInt8]) {
    func body(_ value: Value) -> [UInt8] {
      path.names.reversed().reduce(value) { .object([Member(name: $1, value: $0)]) }.bytes
    }
    return (id, path.text, body(given), body(value.withNulls(over: given)))
  }
}

extension RecordChange {
  package static let columns = "record, at, before, after, id, ended"

  /// Reads a change from ``columns``.
  package init(_ row: some StoredValues) {
    self.init(
      row.int(4), id: row.text(0), at: row.moment(1), before: row.isNull(2) ? nil : row.bytes(2),
      after: row.isNull(3) ? nil : row.bytes(3), endedEdits: FieldPath.list(row.textIfPresent(5)))
  }
}

extension Holding {
  /// Reads a line from columns in the order of the properties.
  package init(_ row: some StoredValues) {
    self.init(
      source: row.text(0), kind: row.text(1), rows: row.count(2), bytes: row.count(3), oldest: row.momentIfPresent(4),
      newest: row.momentIfPresent(5))
  }
}

extension StoredTable {
  /// Reads a row of the table; throws if somebody has edited the file so that a column of numbers holds something else.
  package func values(of row: some StoredValues) throws -> [Value] {
    try columns.enumerated().map { index, column in
      let number = CInt(index)
      if row.isNull(number) { return .null }
      guard column.isNumber else { return .text(row.bytes(number)) }
      guard row.isWhole(number) else {
        throw SourceError(
          .storage, "\(name) holds a \(column.name) that is not a whole number", remedy: "correct that row, or delete it")
      }
      return .number(row.int64(number))
    }
  }
}

extension CachedAnswer {
  package static let columns = "rows, body, walk, at, reading, holder"
  /// The most bytes that all answers together may take up in a store; the oldest are dropped first.
  package static let room = 64 << 20

  /// Reads an answer from ``columns``; nil if it cannot be read.
  package init?(_ row: some StoredValues) {
    self.init(
      rows: row.bytes(0), body: row.bytes(1), walk: row.text(2), at: row.moment(3),
      of: ListStamp(reading: row.textIfPresent(4), holder: row.textIfPresent(5)))
  }
}
