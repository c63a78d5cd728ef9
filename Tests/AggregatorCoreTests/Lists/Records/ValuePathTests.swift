import AggregatorCore
import Testing

@Suite struct ValuePathTests {
  @Test(arguments: [
    ("a.b", "1"), ("list[0]", "\"x\""), ("list[-1]", "\"z\""), ("[\"odd name\"].c", "true"), ("rows[1].n", "2"), ("", #"{"a":{"b":1}"#),
  ])
  func aPathLeadsToAValue(path: String, found: String) throws {
    let json = try JSON(
      Array(#"{"a":{"b":1},"list":["x","y","z"],"odd name":{"c":true},"rows":[{"n":1},{"n":2},{}]}"#.utf8))
    let value = try #require(ValuePath(path)?.value(in: json))
    #expect(String(decoding: value.raw, as: UTF8.self).hasPrefix(found))
  }

  @Test func aStarLeadsToEveryValue() throws {
    let json = try JSON(Array(#"{"rows":[{"tags":[{"n":"a"},{"n":"b"}]},{"tags":[]},{},{"tags":[{"n":"c"}]}]}"#.utf8))
    #expect(ValuePath("rows[*].tags[*].n").values(in: json)?.compactMap { try? $0.asString() } == ["a", "b", "c"])
    #expect(ValuePath("rows[*].tags[*].n").value(in: json).flatMap { try? $0.asString() } == "a")
    #expect(ValuePath("nothing[*]").values(in: json) == nil)
  }

  @Test(arguments: ["a..b", ".a", "a.", "a[", "a[x]", "a[\"b]", "[]", "a[0]b"]) func whatIsNoPathIsRefused(text: String) {
    #expect(ValuePath(text) == nil)
  }

  @Test(arguments: ["list[99]", "list[-4]", "a[0]", "list.b", "list[9223372036854775807]", "list[-9223372036854775808]"])
  func aPlaceThatIsNotThereIsNoValue(path: String) throws {
    let json = try JSON(Array(#"{"a":{"b":1},"list":["x","y","z"]}"#.utf8))
    #expect(ValuePath(path)?.value(in: json) == nil)
  }
}
