public import AggregatorCore

// Our own fields, as JSON wrote them. An age in them is ignored: it is computed.
extension User {
  public init(_ row: JSON) throws {
    email = try User.address(in: row)
    name = try row.objectIfPresent("name").map {
      try Name(title: $0.stringIfPresent("title"), first: $0.stringIfPresent("first"), last: $0.stringIfPresent("last"))
    }
    username = try row.stringIfPresent("username")
    uuid = try row.stringIfPresent("uuid")
    gender = try row.stringIfPresent("gender")
    nat = try row.stringIfPresent("nat")
    phone = try row.stringIfPresent("phone")
    cell = try row.stringIfPresent("cell")
    birthday = try row.stringIfPresent("birthday")
    registered = try row.stringIfPresent("registered")
    address = try row.objectIfPresent("address").map(Address.init)
    picture = try row.objectIfPresent("picture").map(Picture.init)
  }
}

extension User.Address {
  fileprivate init(_ row: JSON) throws {
    street = try row.stringIfPresent("street")
    city = try row.stringIfPresent("city")
    state = try row.stringIfPresent("state")
    country = try row.stringIfPresent("country")
    postcode = try row.stringIfPresent("postcode")
    latitude = try row.doubleIfPresent("latitude")
    longitude = try row.doubleIfPresent("longitude")
    timezone = try row.stringIfPresent("timezone")
  }
}

extension User.Picture {
  init(_ row: JSON) throws {
    large = try row.stringIfPresent("large")
    medium = try row.stringIfPresent("medium")
    thumbnail = try row.stringIfPresent("thumbnail")
  }
}
