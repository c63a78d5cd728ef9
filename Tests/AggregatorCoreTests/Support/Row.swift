import AggregatorCore

/// The smallest record: an id and a name to search in.
struct Row: Record {
  let id: String
  let name: String

  static let fields: [Field<Row>] = [
    Field("id", .badge) { $0.id },
    Field("name", .title, searchable: true) { $0.name },
  ]

  init(_ id: String, _ name: String? = nil) {
    self.id = id
    self.name = name ?? "Row \(id)"
  }

  init(_ number: Int) { self.init("\(number)") }

  init(_ row: JSON) throws { self.init(try row.string("id"), try row.string("name")) }
}

extension [Row] {
  /// Rows whose ids are these numbers.
  init(_ numbers: some Sequence<Int>) { self = numbers.map { Row($0) } }
}

extension RowFault {
  static func broken(_ number: Int, row: Int? = nil) -> RowFault {
    RowFault("row \(number): not a row", digest: UInt64(number), row: row)
  }
}
