import AggregatorCore

// A person as randomuser.me sends one.
extension User {
  init(randomUser row: JSON) throws {
    email = try User.address(in: row)
    name = try row.objectIfPresent("name").map {
      try Name(title: $0.stringIfPresent("title"), first: $0.stringIfPresent("first"), last: $0.stringIfPresent("last"))
    }
    let login = try row.objectIfPresent("login")
    username = try login?.stringIfPresent("username")
    uuid = try login?.stringIfPresent("uuid")
    gender = try row.stringIfPresent("gender")
    nat = try row.stringIfPresent("nat")
    phone = try row.stringIfPresent("phone")
    cell = try row.stringIfPresent("cell")
    birthday = try row.objectIfPresent("dob").flatMap(User.day)
    registered = try row.objectIfPresent("registered").flatMap(User.day)
    address = try row.objectIfPresent("location").map(Address.init(randomUser:))
    picture = try row.objectIfPresent("picture").map(Picture.init)
  }

  /// The day of `{"date": "1992-03-08T15:13:16.688Z", "age": 30}`; the age was true once.
  private static func day(_ date: JSON) throws -> String? {
    try date.stringIfPresent("date").flatMap { CalendarDay(iso: $0)?.description }
  }
}

extension User.Address {
  fileprivate init(randomUser row: JSON) throws {
    street = try row.objectIfPresent("street").flatMap { street in
      let parts = try [street.plain("number"), street.stringIfPresent("name")].compactMap { $0 }
      return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
    city = try row.stringIfPresent("city")
    state = try row.stringIfPresent("state")
    country = try row.stringIfPresent("country")
    // A number in most nations, a text in CA, GB, NO and NL.
    postcode = try row.plain("postcode")
    let coordinates = try row.objectIfPresent("coordinates")
    latitude = try coordinates?.doubleIfPresent("latitude")
    longitude = try coordinates?.doubleIfPresent("longitude")
    timezone = try row.objectIfPresent("timezone")?.stringIfPresent("offset")
  }
}

extension JSON {
  /// A text, or a whole number as one.
  fileprivate func plain(_ key: String) throws -> String? {
    guard let value = self[key], value.kind == .number else { return try stringIfPresent(key) }
    return String(try value.asInt())
  }
}
