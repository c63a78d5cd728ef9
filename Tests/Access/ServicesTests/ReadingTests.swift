import AggregatorCore
import SourceTesting
import Testing

@testable import Services

/// Large and odd files.
@Suite struct ReadingTests {
  @Test("a source with ten thousand fields is refused when its file is read, and one with a thousand is a source")
  func manyFields() async throws {
    func things(_ count: Int) throws -> OneList {
      let fields = (0..<count).map { #"{"name": "\#($0 == 0 ? "id" : "f\($0)")"}"# }.joined(separator: ",")
      return try OneList(#""by": "whole""#, fields: fields) { _ in .json(["rows": [["id": "a", "f999": "z"]]]) }
    }
    let error = #expect(throws: SourceError.self) { try things(10_000) }
    #expect(error?.message == "test.json: sources.things.fields: a record can have at most 1000 fields")
    #expect(try await things(1_000).records().records.first?.value["f999"] == "z")
  }

  @Test("an empty text stays where any value may stand, stored as live; a text of an empty list has no value")
  func emptyTexts() async throws {
    let fields = #"{"name": "id"}, {"name": "deep", "type": "json"}, {"name": "size", "type": "text"}"#
    let list = try OneList(#""by": "whole""#, fields: fields) { _ in .json(["rows": [["id": "a", "deep": "", "size": []]]]) }
    let live = try #require(try await list.records().records.first)
    #expect(live.value["deep"] == .text("") && live.value["size"] == .null)
    let schema = try Schema([LooseField("id", .text), LooseField("deep", .any)], id: FieldPath(["id"]))
    #expect(try schema.read(JSON(Array(#"{"id":"a","deep":""}"#.utf8))).value["deep"] == .text(""))
  }

  @Test("a text that is put together keeps the spaces of its values, and loses those that a missing value leaves at either end")
  func spaces() async throws {
    let texts = #"{"name": "one", "text": "{a}"}, {"name": "two", "text": " {a} {b} of {b} "}"#
    let fields = #"{"name": "id"}, {"name": "a"}, {"name": "b"}, "# + texts
    let rows: [Value] = [
      ["id": "1", "a": " x\t", "b": " y "], ["id": "2", "a": " x "], ["id": "3", "b": "y "], ["id": "4"], ["id": "5", "a": " ", "b": " "],
    ]
    let records = try await OneList(#""by": "whole""#, fields: fields) { _ in .json(["rows": .list(rows)]) }.records().records
    #expect(records.map { $0.value["one"] } == [" x\t", " x ", .null, .null, " "])
    #expect(records.map { $0.value["two"] } == [" x\t  y  of  y ", " x   of", "y  of y ", .null, "    of  "])
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
    "a member that occurs twice is an error anywhere",
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

  @Test("a manifest is written so that it is read back unchanged", arguments: ExampleServices.names)
  func writing(name: String) throws {
    let manifest = try ExampleServices.manifest(name)
    let again = try Manifest(manifest.value.prettyBytes, file: manifest.file)
    #expect(again.sources == manifest.sources)
    #expect(again.settings == manifest.settings && again.keys == manifest.keys && again.isInsecure == manifest.isInsecure)
    #expect(again.headers == manifest.headers && again.budget == manifest.budget && again.errors == manifest.errors)
  }

  @Test(
    "a document that is not a manifest is an error that names the file",
    arguments: ["", "null", "[]", "{}", "[[[[", "{\"aggregator\": 1", "\u{1}", #"{"aggregator": null}"#])
  func noManifest(text: String) {
    let error = #expect(throws: SourceError.self) { try Manifest(Array(text.utf8), file: "some/odd.json") }
    #expect(error?.kind == .settings && error?.message.hasPrefix("some/odd.json: ") ?? false, "\(error?.message ?? "")")
  }
}
