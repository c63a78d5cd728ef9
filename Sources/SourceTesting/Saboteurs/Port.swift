import AggregatorCore

/// A record of the kit's own, for sources that show that the kit works.
struct Port: Record {
  var id: String
  var name: String
  var berths: Int?

  static let fields = [
    Field<Port>("id", .badge) { $0.id },
    Field<Port>("name", .title, searchable: true) { $0.name },
    Field<Port>("berths") { $0.berths },
  ]

  init(_ row: JSON) throws {
    id = try row.string("id")
    name = try row.string("name")
    berths = try row.intIfPresent("berths")
  }
}
