import AggregatorCore
import SourceTesting
import Testing

@testable import Services

/// What a file may hold, however large and odd.
@Suite struct ReadingTests {
  @Test("a source with ten thousand fields is refused when its file is read, and one with a thousand is a source")
  func manyFields() async throws {
    func things(_ count: Int) throws -> OneList {
      let fields = (0..<count).map { #"{"name": "\#($0 == 0 ? "id" : "f\($0)")"}"# }.joined(separator: ",")
      return try OneList(#""by": "whole""#, fields: fields) { _ in .json(["rows": [["id": "a", "f999": "z"]]]) }
    }
    let error = #expect(throws: SourceError.self) { try things(10_000) }
    #expect(error?.message == "test.json: sources.things.fields: a record has at most 1000 fields")
    #expect(try await things(1_000).records().records.first?.value["f999"] == "z")
  }

  @Test("a document of five hundred levels is read, and one of too many is an error, in a file as in an answer")
  func depth() async throws {
    func nested(_ levels: Int) -> String { String(repeating: "[", count: levels) + "\"{ size }\"" + String(repeating: "]", count: levels) }
    let answer = #"{"rows": [{"id": "a", "deep": \#(nested(500))}]}"#
    func things(_ levels: Int) throws -> OneList {
      let fields = #"{"name": "id"}, {"name": "deep", "type": "json"}"#
      return try OneList(#""by": "whole""#, body: #"{"deep": \#(nested(levels))}"#, fields: fields) { _ in
        HTTPResponse(status: 200, body: Array(answer.utf8))
      }
    }
    let record = try await things(500).records().records.first
    #expect(record?.value["deep"].map { String(decoding: $0.bytes, as: UTF8.self) } == nested(500))
    #expect(throws: SourceError.self) { try things(100_000) }
  }

  @Test(
    "a member that is there twice is an error, wherever it is",
    arguments: [
      (#"{"aggregator": 1, "budget": "1/1s", "budget": "2/1s"}"#, "budget"), (#"{"aggregator": 1, "aggregator": 1}"#, "aggregator"),
      (#"{"aggregator": 1, "address": {"setting": "A_URL", "setting": "A_URL"}}"#, "address.setting"),
      (#"{"aggregator": 1, "address": {"setting": "A_URL"}, "headers": {"A": "a", "A": "b"}, "sources": {}}"#, "headers.A"),
      (#"{"aggregator": 1, "address": {"setting": "A_URL"}, "sources": {"a": {}, "a": {}}}"#, "sources.a"),
    ])
  func twice(text: String, place: String) {
    let error = #expect(throws: SourceError.self) { try Manifest(Array(text.utf8), file: "test.json") }
    #expect(error?.message == "test.json: \(place): the member is there twice")
  }

  @Test(
    "what is no manifest is an error that names the file",
    arguments: ["", "null", "[]", "{}", "[[[[", "{\"aggregator\": 1", "\u{1}", #"{"aggregator": null}"#])
  func noManifest(text: String) {
    let error = #expect(throws: SourceError.self) { try Manifest(Array(text.utf8), file: "some/odd.json") }
    #expect(error?.kind == .settings && error?.message.hasPrefix("some/odd.json: ") ?? false, "\(error?.message ?? "")")
  }
}

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
    #expect(ValuePath("rows[*].tags[*].n")?.values(in: json)?.compactMap { try? $0.asString() } == ["a", "b", "c"])
    #expect(ValuePath("rows[*].tags[*].n")?.value(in: json).flatMap { try? $0.asString() } == "a")
    #expect(ValuePath("nothing[*]")?.values(in: json) == nil)
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
