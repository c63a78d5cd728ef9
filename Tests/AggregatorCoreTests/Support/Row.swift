import AggregatorCore

/// The smallest record: an id and a name to search in.
struct Row: Record {
  var id = ""
  var name = ""

  static let fields: [Field<Row>] = [
    Field("id", \.id, .badge),
    Field("name", \.name, .title, searchable: true),
  ]

  init() {}
  init(_ id: String, _ name: String? = nil) {
    self.id = id
    self.name = name ?? "Row \(id)"
  }

  init(_ number: Int) { self.init("\(number)") }
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
