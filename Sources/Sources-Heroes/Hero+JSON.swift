public import AggregatorCore

// Our own fields, as JSON wrote them: what the bundle, the store and `import` hold.
extension Hero {
  public init(_ row: JSON) throws {
    number = try row.int("id")
    name = try row.string("name")
    realName = try row.text("realName")
    aliases = try row.texts("aliases")
    publisher = try row.text("publisher")
    deck = try row.text("deck")
    image = try row.text("image")
    gender = try row.text("gender").flatMap(Gender.init) ?? .other
    firstAppearance = try row.objectIfPresent("firstAppearance").map { try Appearance(issue: $0.text("issue"), name: $0.text("name")) }
    issueCount = try row.intIfPresent("issueCount")
    url = try row.text("url")
    description = try row.text("description")
    powers = try row.texts("powers")
    teams = try row.texts("teams")
    origin = try row.text("origin")
    birth = try row.text("birth")
  }
}

extension JSON {
  /// The texts of a list; none when it is missing.
  fileprivate func texts(_ key: String) throws -> [String] { try arrayIfPresent(key)?.map { try $0.asString() } ?? [] }
}
