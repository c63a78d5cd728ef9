import AggregatorCore

/// A record that is nothing but its id.
struct Row: Record {
  var id = ""

  static let fields: [Field<Row>] = [Field("id", \.id, .title)]

  init() {}
  init(_ id: String) { self.id = id }
}
