public import AggregatorCore

// Our own fields, as JSON wrote them. An age in them is ignored: it is computed.
extension User {
  public init(_ row: JSON) throws {
    email = try User.address(in: row)
    name = try row.objectIfPresent("name").map { try Name(title: $0.text("title"), first: $0.text("first"), last: $0.text("last")) }
    username = try row.text("username")
    uuid = try row.text("uuid")
    gender = try row.text("gender")
    nat = try row.text("nat")
    phone = try row.text("phone")
    cell = try row.text("cell")
    birthday = try row.text("birthday")
    registered = try row.text("registered")
    address = try row.objectIfPresent("address").map(Address.init)
    picture = try row.objectIfPresent("picture").map(Picture.init)
  }
}

extension User.Address {
  fileprivate init(_ row: JSON) throws {
    street = try row.text("street")
    city = try row.text("city")
    state = try row.text("state")
    country = try row.text("country")
    postcode = try row.text("postcode")
    latitude = try row.doubleIfPresent("latitude")
    longitude = try row.doubleIfPresent("longitude")
    timezone = try row.text("timezone")
  }
}

extension User.Picture {
  init(_ row: JSON) throws {
    large = try row.text("large")
    medium = try row.text("medium")
    thumbnail = try row.text("thumbnail")
  }
}
