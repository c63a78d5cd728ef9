/// One row of what a database keeps, by the places of its columns: what a store reads of it is the same whatever database that is.
package protocol StoredValues {
  func isNull(_ column: CInt) -> Bool
  /// Whether it is a whole number: where anybody may edit a file, a column may hold anything.
  func isWhole(_ column: CInt) -> Bool
  func int64(_ column: CInt) -> Int64
  func bytes(_ column: CInt) -> [UInt8]
}

extension StoredValues {
  package func int(_ column: CInt) -> Int { Int(int64(column)) }
  package func intIfPresent(_ column: CInt) -> Int? { isNull(column) ? nil : int(column) }
  /// How many there are of something. A file that somebody has edited may hold anything; this can be counted with.
  package func count(_ column: CInt) -> Int { min(max(0, int(column)), 1 << 48) }
  package func text(_ column: CInt) -> String { String(decoding: bytes(column), as: UTF8.self) }
  package func textIfPresent(_ column: CInt) -> String? { isNull(column) ? nil : text(column) }
  package func moment(_ column: CInt) -> Moment { Moment(nanoseconds: int64(column)) }
  package func momentIfPresent(_ column: CInt) -> Moment? { isNull(column) ? nil : moment(column) }
}

extension StoredRow {
  /// A record, by `row, body` and perhaps `id`.
  package init(_ row: some StoredValues, named isNamed: Bool = false) {
    self.init(row: row.int64(0), body: row.bytes(1), id: isNamed ? row.text(2) : nil)
  }
}

extension Fetch {
  /// A request, by `at, question, place`; nil where it is not known any more.
  package init?(_ row: some StoredValues) {
    if row.isNull(0) { return nil }
    self.init(at: row.moment(0), request: row.text(1), place: row.text(2))
  }
}

extension RecordChange {
  package static let columns = "record, at, before, after, id"

  /// A change, by ``columns``.
  package init(_ row: some StoredValues) {
    self.init(
      row.int(4), id: row.text(0), at: row.moment(1), before: row.isNull(2) ? nil : row.bytes(2),
      after: row.isNull(3) ? nil : row.bytes(3))
  }
}

extension Holding {
  /// A line, by what it is called here.
  package init(_ row: some StoredValues) {
    self.init(
      source: row.text(0), kind: row.text(1), rows: row.count(2), bytes: row.count(3), oldest: row.momentIfPresent(4),
      newest: row.momentIfPresent(5))
  }
}

extension RecordKind {
  /// What its views are made of: where it has changed, they have to be made again.
  package var fieldList: String {
    var writer = JSONWriter()
    writer.write(.list(leaves.map { .text($0.text) }))
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// What its index is made of: where any of it has changed, it has to be made again.
  package var indexed: String {
    let numbers = searchedNumbers.isEmpty ? "" : "; numbers of \(searchedNumbers.joined(separator: ", "))"
    return "letters 1: \(searched.map(\.text).joined(separator: ", "))\(numbers)"
  }
}

extension StoredTable {
  /// A row of it; an error where somebody has edited the file.
  package func values(of row: some StoredValues) throws -> [Value] {
    try columns.enumerated().map { index, column in
      let place = CInt(index)
      if row.isNull(place) { return .null }
      guard column.isNumber else { return .text(row.bytes(place)) }
      guard row.isWhole(place) else {
        throw SourceError(
          .storage, "\(name) holds a \(column.name) that is no whole number", remedy: "mend that row, or delete it")
      }
      return .number(row.int64(place))
    }
  }
}

extension CachedAnswer {
  package static let columns = "rows, body, walk, at, reading, holder"
  /// What all answers together may take up in a store; the oldest go first.
  package static let room = 64 << 20

  /// An answer, by ``columns``; nil where it cannot be read.
  package init?(_ row: some StoredValues) {
    guard let stored = try? StoredAnswer(JSON(row.bytes(1)), as: .own) else { return nil }
    let answer = stored.answer
    self.init(
      rows: row.bytes(0), faults: answer.faults, total: answer.total.flatMap { $0 < 0 ? nil : $0 }, next: answer.next,
      more: answer.more, paging: answer.paging, standing: answer.standing, place: answer.place, walk: row.text(2),
      at: row.moment(3), of: ListStamp(reading: row.textIfPresent(4), holder: row.textIfPresent(5)))
  }
}
