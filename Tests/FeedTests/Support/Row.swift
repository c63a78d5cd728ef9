import AggregatorCore

/// A record that is nothing but its id.
struct Row: Record, Equatable {
  let id: String

  static let fields: [Field<Row>] = [Field<Row>("id", .title) { $0.id }]

  init(_ id: String) { self.id = id }
  init(_ row: JSON) throws { id = try row.string("id") }
}
