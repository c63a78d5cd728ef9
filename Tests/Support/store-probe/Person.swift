import AggregatorCore

/// Somebody, with fields enough to weigh what a real record weighs.
struct Person: Record {
  let email: String
  let name: Name
  let gender: String?
  let nat: String?
  let phone: String?

  var id: String { email }

  struct Name: Part {
    let title: String?
    let first: String
    let last: String

    static let fields = [Field<Name>("title") { $0.title }, Field<Name>("first") { $0.first }, Field<Name>("last") { $0.last }]
  }

  static let fields = [
    Field<Person>("email", searchable: true) { $0.email },
    Field<Person>("name", .title, searchable: true) { $0.name },
    Field<Person>("gender") { $0.gender },
    Field<Person>("nat") { $0.nat },
    Field<Person>("phone") { $0.phone },
  ]
}

extension Person {
  init(_ row: JSON) throws {
    email = try row.string("email")
    let name = try row.object("name")
    self.name = Name(title: try name.stringIfPresent("title"), first: try name.string("first"), last: try name.string("last"))
    gender = try row.stringIfPresent("gender")
    nat = try row.stringIfPresent("nat")
    phone = try row.stringIfPresent("phone")
  }

  /// The person of this number, always the same.
  init(number: Int, saying phone: String? = nil) {
    email = "person.\(number)@example.org"
    name = Name(title: nil, first: "First\(number)", last: "Last\(number % 97)")
    gender = number.isMultiple(of: 2) ? "female" : "male"
    nat = "NZ"
    self.phone = phone
  }
}
