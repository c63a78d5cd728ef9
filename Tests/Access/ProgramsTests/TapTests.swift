import AggregatorCore
import Platform
import Programs
import ScratchFolders
import Testing

@testable import Services

/// The messages of Singer taps.
struct TapTests {
  private static let schema = #"echo '{"type": "SCHEMA", "stream": "things", "schema": {}, "key_properties": ["id"]}'; "#

  private static func record(_ id: Int, of stream: String = "things") -> String {
    #"echo '{"type": "RECORD", "stream": "\#(stream)", "record": {"id": "\#(id)"}}'; "#
  }
  private static func state(_ value: String) -> String { "echo '{\"type\": \"STATE\", \"value\": \(value)}'; " }

  @Test(
    "exit code 0 proves nothing, unless a person trusts it", arguments: [("", Verdict.unverifiable), (#", "trust": "exit""#, .complete)])
  func trust(more: String, verdict: Verdict) async throws {
    let outcome = try await ProgramHome.tap(Self.schema + Self.record(1), more).walk()
    #expect(outcome.ids == ["1"] && outcome.verdict == verdict)
    let none = try await ProgramHome.tap(Self.schema, more).walk()
    #expect(none.records.isEmpty && none.verdict == verdict)
    let failed = try await ProgramHome.tap(Self.schema + Self.record(1) + "echo why >&2; exit 1", more).walk()
    #expect(failed.ids == ["1"] && failed.reason == "the program ended with exit code 1: why")
  }

  @Test(
    "the end of a tap that names another stream, or prints nothing, says nothing of the list", arguments: ["", record(1, of: "others")])
  func otherStream(output: String) async throws {
    let trusted = try await ProgramHome.tap(output + "true", #", "trust": "exit""#).walk()
    #expect(trusted.error?.message == "the tap sent no SCHEMA of the stream things, so its end says nothing of that list")
    #expect(try await ProgramHome.tap(output + "true", "").walk().verdict == .unverifiable)
  }

  @Test(
    "a stream with another key than its source is an error, before its rows become one record",
    arguments: [#"["id", "store"]"#, #"["no"]"#, "[]"], ["", #", "trust": "exit""#])
  func otherKey(keys: String, more: String) async throws {
    let schema = #"echo '{"type": "SCHEMA", "stream": "things", "schema": {}, "key_properties": \#(keys)}'; "#
    let outcome = try await ProgramHome.tap(schema + Self.record(1) + Self.record(1), more).walk()
    #expect(outcome.ids.isEmpty && outcome.error?.kind == .malformed, "\(outcome.reason)")
    #expect(outcome.reason.hasPrefix("the stream things ") && outcome.reason.hasSuffix(", and the source has id"), "\(outcome.reason)")
    // A person named the key of a stream that had this one then.
    let added = try ProgramHome.tap(schema + Self.record(1), #", "catalog": "catalog.json""#)
    try added.folder.write("catalog.json", #"{"streams": [{"stream": "things", "key_properties": \#(keys)}]}"#)
    #expect(try await added.walk().ids == ["1"])
  }

  @Test("a list in which the tap marks a record as deleted is not whole: an earlier row of it may stay")
  func deleted() async throws {
    let gone = #"echo '{"type": "RECORD", "stream": "things", "record": {"id": "2", "_sdc_deleted_at": "2026-01-01T00:00:00Z"}}'; "#
    let kept = #"echo '{"type": "RECORD", "stream": "things", "record": {"id": "3", "_sdc_deleted_at": null}}'; "#
    let outcome = try await ProgramHome.tap(Self.schema + Self.record(1) + gone + kept, #", "trust": "exit""#).walk()
    #expect(outcome.ids == ["1", "3"] && outcome.summary?.skipped == 0)
    #expect(outcome.reason.hasPrefix("the tap tells of deleted records") && outcome.verdict?.kind == "partial")
  }

  @Test("a trusted tap without rows is an error if its list is never empty")
  func neverEmpty() async throws {
    let outcome = try await ProgramHome.tap(Self.schema, #", "trust": "exit""#, members: #""neverEmpty": true"#).walk()
    #expect(outcome.error?.message == "the list is empty, which it never is")
  }

  @Test("messages about other streams, unknown messages and states change no row")
  func others() async throws {
    let outcome = try await ProgramHome.tap(
      Self.state("{}") + Self.record(8, of: "others") + Self.schema + Self.record(1) + Self.record(9, of: "others")
        + #"echo '{"type": "ACTIVATE_VERSION", "stream": "things", "version": 1}'; echo '{"type": "METRIC"}'; "#
        + #"echo '{"type": "BATCH", "stream": "others"}'; "# + Self.record(2)
    ).walk()
    #expect(outcome.ids == ["1", "2"] && outcome.verdict == .unverifiable)
  }

  @Test(
    "what is not a sound message after a row ends the list as partial",
    arguments: [
      (
        #"echo '{"type": "BATCH", "stream": "things", "manifest": ["file:///etc/passwd"]}'"#,
        "the tap sent a BATCH, whose files are not read"
      ),
      (#"echo '{"type": "RECORD", "stream": "things"}'"#, "a RECORD of the tap has no record"),
      ("echo '{}'", "a line of the tap has no \"type\""), ("echo '[]'", "a line of the tap has no \"type\""),
      ("echo INFO", "the program printed a line that is not JSON: INFO"), ("echo '{\"type\": 7}'", "type"),
    ])
  func faults(line: String, reason: String) async throws {
    let outcome = try await ProgramHome.tap(Self.schema + Self.record(1) + line).walk()
    #expect(outcome.ids == ["1"] && outcome.verdict?.kind == "partial" && outcome.reason.contains(reason), "\(outcome.reason)")
  }

  @Test("a RECORD before the SCHEMA of its stream is an error")
  func noSchema() async throws {
    let outcome = try await ProgramHome.tap(
      #"echo '{"type": "SCHEMA", "stream": "others", "schema": {}}'; "# + Self.record(1) + Self.schema
    ).walk()
    #expect(outcome.error?.message == "the tap sent a RECORD before its SCHEMA")
  }

  @Test("a tap gets its configuration, and its catalog with the stream selected by either name of the option")
  func catalog() async throws {
    for (more, option) in [("", "--catalog"), (#", "takesProperties": true"#, "--properties")] {
      let program = Self.schema + "echo \"$1 $3\" > words; cat \"$2\" > config; cat \"$4\" > catalog"
      let home = try ProgramHome.tap(program, #", "catalog": "catalog.json", "config": {"start": 3}\#(more)"#)
      try home.folder.write(
        "catalog.json",
        #"""
        {"streams": [{"stream": "others", "metadata": [{"breadcrumb": [], "metadata": {"selected": true}}]},
         {"stream": "things", "tap_stream_id": "t", "own": 1, "metadata": [{"breadcrumb": ["properties", "id"], "metadata": {"inclusion": "available"}}]}]}
        """#)
      #expect(try await home.walk().error == nil)
      #expect(home.lines("words") == ["--config \(option)"])
      #expect(try JSON(home.folder.bytes("config")).value == ["start": 3])
      let streams = try #require(try JSON(home.folder.bytes("catalog")).value["streams"]?.list)
      #expect(streams.map { $0["selected"] } == [.bool(false), .bool(true)] && streams[1]["own"] == 1)
      let metadata = try #require(streams[1]["metadata"]?.list)
      #expect(metadata.map { $0["metadata"]?["selected"] } == [.bool(true), .bool(true)])
      #expect(metadata[0]["metadata"]?["inclusion"] == "available")
      #expect(streams[0]["metadata"]?.list?.first?["metadata"]?["selected"] == .bool(false))
    }
  }

  @Test("a catalog that is missing or broken is an error before the start")
  func noCatalog() async throws {
    let home = try ProgramHome.tap("echo > started", #", "catalog": "catalog.json""#)
    #expect(try await home.walk().error != nil)
    try home.folder.write("catalog.json", "{}")
    #expect(try await home.walk().error?.message == "the tap's catalog has no \"streams\"")
    #expect(!home.folder.names().contains("started"))
  }
}
