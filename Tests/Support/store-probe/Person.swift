import AggregatorCore

/// Somebody, with fields enough to weigh what a real record weighs.
struct Person: Record {
  var email = ""
  var name = Name()
  var gender: String?
  var nat: String?
  var phone: String?

  var id: String { email }

  struct Name: Part {
    var title: String?
    var first = ""
    var last = ""

    static let fields: [Field<Name>] = [Field("title", \.title), Field("first", \.first), Field("last", \.last)]
  }

  static let fields: [Field<Person>] = [
    Field("email", \.email, searchable: true),
    Field("name", \.name, .title, searchable: true),
    Field("gender", \.gender),
    Field("nat", \.nat),
    Field("phone", \.phone),
  ]
}

extension Person {
  /// The person of this number, always the same.
  init(number: Int, saying phone: String? = nil) {
    email = "person.\(number)@example.org"
    name = Name(title: nil, first: "First\(number)", last: "Last\(number % 97)")
    gender = number.isMultiple(of: 2) ? "female" : "male"
    nat = "NZ"
    self.phone = phone
  }
}
