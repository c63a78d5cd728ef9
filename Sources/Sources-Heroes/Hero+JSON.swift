public import AggregatorCore

// Our own fields, as JSON wrote them: what the bundle, the store and `import` hold.
extension Hero {
  public init(_ row: JSON) throws {
    number = try row.int("id")
    name = try row.string("name")
    realName = try row.stringIfPresent("realName")
    aliases = try row.texts("aliases")
    publisher = try row.stringIfPresent("publisher")
    deck = try row.stringIfPresent("deck")
    image = try row.stringIfPresent("image")
    gender = try row.stringIfPresent("gender").flatMap(Gender.init) ?? .other
    firstAppearance = try row.objectIfPresent("firstAppearance").map {
      try Appearance(issue: $0.stringIfPresent("issue"), name: $0.stringIfPresent("name"))
    }
    issueCount = try row.intIfPresent("issueCount")
    url = try row.stringIfPresent("url")
    description = try row.stringIfPresent("description")
    powers = try row.texts("powers")
    teams = try row.texts("teams")
    origin = try row.stringIfPresent("origin")
    birth = try row.stringIfPresent("birth")
  }
}

extension JSON {
  /// The texts of a list; none when it is missing.
  fileprivate func texts(_ key: String) throws -> [String] { try arrayIfPresent(key)?.map { try $0.asString() } ?? [] }
}
