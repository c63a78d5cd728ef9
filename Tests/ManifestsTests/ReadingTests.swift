import AggregatorCore
import SourceTesting
import Testing

@testable import Manifests

/// What a file may hold, however large and odd.
@Suite struct ReadingTests {
  private func read(fields: String, body: String = "{}") throws -> Manifest {
    let text = """
      {"aggregator": 1, "address": {"setting": "TEST_URL", "default": "https://test.example/"}, "sources": {"things": {"summary": "",
       "list": {"method": "POST", "body": \(body)}, "rows": "rows", "key": "id", "paging": {"by": "whole"}, "fields": [\(fields)]}}}
      """
    return try Manifest(Array(text.utf8), file: "test.json")
  }

  @Test("a source with ten thousand fields is refused when its file is read, and one with a thousand is a source")
  func manyFields() async throws {
    func fields(_ count: Int) -> String { (0..<count).map { #"{"name": "\#($0 == 0 ? "id" : "f\($0)")"}"# }.joined(separator: ",") }
    let error = #expect(throws: SourceError.self) { try read(fields: fields(10_000)) }
    #expect(error?.message == "test.json: sources.things.fields: a record has at most 1000 fields")
    let manifest = try read(fields: fields(1_000))
    let transport = StubTransport(playing: .json(#"{"rows": [{"id": "a", "f999": "z"}]}"#))
    var world = World(settings: Settings(declared: manifest.settings), transport: transport)
    world.reach = .live
    let rows = try await Walk(try manifest.source("things").source(in: world)).firstPage()
    #expect(rows.first?.value["f999"] == "z")
  }

  @Test("a document of five hundred levels is read, and one of too many is an error, in a file as in an answer")
  func depth() async throws {
    func nested(_ levels: Int) -> String { String(repeating: "[", count: levels) + "\"{ size }\"" + String(repeating: "]", count: levels) }
    let manifest = try read(fields: #"{"name": "id"}, {"name": "deep", "type": "json"}"#, body: #"{"deep": \#(nested(500))}"#)
    let transport = StubTransport(playing: .json(#"{"rows": [{"id": "a", "deep": \#(nested(500))}]}"#))
    var world = World(settings: Settings(declared: manifest.settings), transport: transport)
    world.reach = .live
    let rows = try await Walk(try manifest.source("things").source(in: world)).firstPage()
    #expect(rows.first?.value["deep"].map { String(decoding: $0.bytes, as: UTF8.self) } == nested(500))
    #expect(throws: SourceError.self) { try read(fields: #"{"name": "id"}"#, body: #"{"deep": \#(nested(100_000))}"#) }
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

extension Walk {
  /// The records of the first page.
  fileprivate func firstPage() async throws -> [Item] {
    var walk = self
    return try await walk.nextPage() ?? []
  }
}
