import Recordings
import Testing

@testable import Authoring

@Suite struct NameTests {
  @Test("a name becomes a module, a member, a record and a setting")
  func names() throws {
    let name = try SourceName("coffee-bars")
    #expect([name.module, name.member, name.record, name.setting] == ["CoffeeBars", "coffeeBars", "CoffeeBar", "COFFEE_BARS"])
    #expect(try SourceName("weather").record == "WeatherItem")
    #expect(try SourceName("clients").record == "ClientsItem")
    #expect(try ["cities", "boxes", "houses", "buses"].map { try SourceName($0).record } == ["City", "Box", "House", "Bus"])
  }

  @Test(
    "what cannot be typed, said or told apart is refused",
    arguments: [
      "", "Ports", "9lives", "-a", "a-", "a--b", "größe", "a b", "a/b", "../x", "class", "default", "string", "swift", "countries",
      "testing", "set", "sources", String(repeating: "a", count: 41),
    ])
  func refused(name: String) {
    #expect(throws: NameProblem.self) { try SourceName(name, taken: ["sources"]) }
  }

  @Test("the error names the nearest one that would do")
  func suggestions() {
    #expect(#expect(throws: NameProblem.self) { try SourceName("Coffee Bars") }?.suggestion == "coffee-bars")
    #expect(#expect(throws: NameProblem.self) { try SourceName("größe") }?.suggestion == "grosse")
  }

  @Test(
    "words of a name",
    arguments: [
      ("created_at", "createdAt"), ("createdAt", "createdAt"), ("URL", "url"), ("X-Rate Limit", "xRateLimit"), ("$ref", "ref"),
      ("2fa", "n2fa"), ("+1", "plus1"), ("-1", "minus1"), ("日本", ""), ("Größe", "grosse"),
    ])
  func properties(name: String, property: String) {
    #expect(NameWords.lowerCamel(NameWords.words(in: name)) == property)
  }
}
