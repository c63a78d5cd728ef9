import AggregatorCore
import Heroes
import SourceTesting
import Testing

/// Rows as Comic Vine sends them, with their oddities.
struct ComicVineRowTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The members of the row beside its id and name.
    let more: String
    let field: String
    let value: Value
  }

  private static func pictures(_ sizes: String...) -> String {
    #","image":{"image_tags":"All Images"\#(sizes.map { #","\#($0)_url":"https://vine.example/\#($0).jpg""# }.joined())}"#
  }

  static let cases = [
    Case(testDescription: "aliases on lines", more: #","aliases":"A\nB""#, field: "aliases", value: .list([.text("A"), .text("B")])),
    Case(
      testDescription: "aliases on Windows's lines, with one too many", more: #","aliases":"A\r\n B \r\n""#, field: "aliases",
      value: .list([.text("A"), .text("B")])),
    Case(testDescription: "no aliases", more: #","aliases":null"#, field: "aliases", value: .list([])),
    Case(testDescription: "empty aliases", more: #","aliases":"""#, field: "aliases", value: .list([])),
    Case(testDescription: "an empty text", more: #","deck":"""#, field: "deck", value: .null),
    Case(testDescription: "a bare ampersand", more: #","deck":"Cloak & Dagger""#, field: "deck", value: .text("Cloak & Dagger")),
    Case(
      testDescription: "the medium picture", more: pictures("icon", "medium", "super"), field: "image",
      value: .text("https://vine.example/medium.jpg")),
    Case(
      testDescription: "the nearest picture", more: pictures("icon", "small"), field: "image",
      value: .text("https://vine.example/small.jpg")),
    Case(
      testDescription: "a picture of nothing", more: #","image":{"medium_url":"https://vine.example/a/6373148-blank.png"}"#, field: "image",
      value: .null),
    Case(testDescription: "pictures without any", more: #","image":{"image_tags":"All Images"}"#, field: "image", value: .null),
    Case(testDescription: "no picture", more: #","image":null"#, field: "image", value: .null),
    Case(testDescription: "male", more: #","gender":1"#, field: "gender", value: .text("male")),
    Case(testDescription: "female, as a text", more: #","gender":"2""#, field: "gender", value: .text("female")),
    Case(testDescription: "other", more: #","gender":0"#, field: "gender", value: .text("other")),
    Case(testDescription: "an unknown gender", more: #","gender":7"#, field: "gender", value: .text("other")),
    Case(testDescription: "no gender", more: "", field: "gender", value: .text("other")),
    Case(testDescription: "a count as a text", more: #","count_of_issue_appearances":"58""#, field: "issueCount", value: .int(58)),
    Case(testDescription: "no count", more: #","count_of_issue_appearances":null"#, field: "issueCount", value: .null),
    Case(
      testDescription: "a publisher", more: #","publisher":{"id":10,"name":"DC Comics"}"#, field: "publisher", value: .text("DC Comics")),
    Case(testDescription: "no publisher", more: #","publisher":null"#, field: "publisher", value: .null),
    Case(testDescription: "a publisher without a name", more: #","publisher":{"id":10,"name":null}"#, field: "publisher", value: .null),
    Case(
      testDescription: "an issue without a name", more: #","first_appeared_in_issue":{"id":5,"name":null,"issue_number":"27"}"#,
      field: "firstAppearance", value: .object([Member(name: "issue", value: .text("27")), Member(name: "name", value: .null)])),
    Case(testDescription: "an empty issue", more: #","first_appeared_in_issue":{"id":5}"#, field: "firstAppearance", value: .null),
    Case(testDescription: "no issue", more: #","first_appeared_in_issue":null"#, field: "firstAppearance", value: .null),
    Case(testDescription: "a birthday", more: #","birth":"Dec 4, 1920""#, field: "birth", value: .text("1920-12-04")),
    Case(testDescription: "a birthday in full", more: #","birth":"February 29, 1940""#, field: "birth", value: .text("1940-02-29")),
    Case(testDescription: "a birthday that never was", more: #","birth":"Feb 30, 1940""#, field: "birth", value: .null),
    Case(testDescription: "a birthday nobody can read", more: #","birth":"long ago""#, field: "birth", value: .null),
    Case(
      testDescription: "powers, one without a name", more: #","powers":[{"id":1,"name":"Flight"},{"id":2,"name":null}]"#, field: "powers",
      value: .list([.text("Flight")])),
    Case(testDescription: "no teams", more: #","teams":[]"#, field: "teams", value: .list([])),
    Case(testDescription: "an origin", more: #","origin":{"id":4,"name":"Human"}"#, field: "origin", value: .text("Human")),
    Case(
      testDescription: "a description",
      more:
        #","description":"<p>A &amp; <a href=\"/b/1/\">B</a></p><figure><img src=\"data:x\"></figure><ul><li>C</li></ul><script>d()</script>""#,
      field: "description", value: .text("A & B (https://comicvine.gamespot.com/b/1/)\n\n- C")),
    Case(testDescription: "a description of nothing", more: #","description":"<p></p>""#, field: "description", value: .null),
    Case(
      testDescription: "what nobody knows", more: #","resource_type":"character","new_thing":{"a":[1]}"#, field: "name", value: .text("N")),
  ]

  @Test("each oddity of a Comic Vine row is read with its meaning", arguments: cases)
  func oddity(_ test: Case) async throws {
    let vine = try StubbedComicVine(Envelope.detail(Envelope.row(7, "N", test.more)))
    let hero = try #require(try await vine.walk(.record("7")).items.first)
    #expect(hero.value[test.field] == test.value)
  }

  @Test(
    "a row that cannot be read is skipped and counted",
    arguments: ["null", "7", #""x""#, "{}", #"{"id":"x","name":"N"}"#, #"{"id":3,"name":""}"#, "[]"])
  func broken(_ row: String) async throws {
    let vine = try StubbedComicVine(Envelope.list([Envelope.row(1, "A"), row, Envelope.row(2, "B")]))
    let (items, summary) = try await vine.walk()
    #expect(items.map(\.id) == ["1", "2"])
    #expect(summary.skipped == 1)
    #expect(summary.verdict == .complete)
  }

  @Test("a number may be a text, and the version may be missing")
  func numbers() async throws {
    let vine = try StubbedComicVine(Envelope.list([#"{"id":"12","name":"A"}"#], total: #""1""#))
    let (items, summary) = try await vine.walk()
    #expect(items.map(\.number) == [12])
    #expect(summary.total == 1)
  }
}
