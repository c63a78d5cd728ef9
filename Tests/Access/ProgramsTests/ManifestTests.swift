import AggregatorCore
import Platform
import Programs
import Testing

@testable import Services

/// The description of programs in a manifest: read, written, and each member once wrong.
struct ManifestTests {
  private static let fields = ProgramHome.fields

  private func manifest(_ members: String, top: String = "") throws(SourceError) -> Manifest {
    try Manifest(
      Array(#"{"aggregator": 1, \#(top)"sources": {"things": {\#(members.isEmpty ? "" : "\(members), ")\#(Self.fields)}}}"#.utf8),
      file: "t.json")
  }

  private func error(_ members: String, top: String = "") -> String {
    do {
      _ = try manifest(members, top: top)
      return "nothing is wrong"
    } catch {
      return error.message
    }
  }

  private static let key = #""keys": [{"setting": "THINGS_KEY"}], "#

  @Test(
    "a program is written as it was read",
    arguments: [
      #""command": ["./things"]"#, #""command": ["things", "-v", "a b"], "supports": ["search", "show", "after"]"#,
      #""command": ["things"], "prints": "json""#, #""command": ["things"], "prints": "json", "rows": "data.list""#,
      #""command": ["things"], "prints": "csv", "config": {}"#,
      #""command": ["things"], "config": {"a": [1, {"setting": "THINGS_KEY"}], "b": {"c": null}}, "neverEmpty": true"#,
      #""singer": {"command": ["tap-things"], "stream": "things"}"#,
      #""singer": {"command": ["tap-things"], "config": {"key": {"setting": "THINGS_KEY"}}, "stream": "t", "catalog": "c.json", "takesProperties": true, "trust": "exit"}"#,
    ])
  func roundTrip(members: String) throws {
    let read = try manifest(members, top: Self.key)
    let again = try Manifest(read.value.bytes, file: "t.json")
    #expect(again.sources == read.sources && again.value == read.value)
    #expect(again.keys == read.keys && again.address == nil && again.budgetSetting == nil)
    let source = try #require(read.value["sources"]?["things"])
    let told = try JSON(Array("{\(members)}".utf8)).value
    for member in told.members ?? [] { #expect(source[member.name] == member.value, "\(member.name)") }
  }

  @Test(
    "each wrong member is an error with its place",
    arguments: [
      (#""command": "things""#, "t.json: sources.things.command: expected"),
      (#""command": []"#, "t.json: sources.things.command: a command is a list of texts"),
      (#""command": [""]"#, "t.json: sources.things.command: a command is a list of texts"),
      (#""command": ["a\u0000b"]"#, "t.json: sources.things.command: a command is a list of texts"),
      (#""command": ["a", 1]"#, "t.json: sources.things.command[1]: expected"),
      (#""command": ["a"], "prints": "xml""#, "t.json: sources.things.prints: "),
      (#""command": ["a"], "prints": 1"#, "t.json: sources.things.prints: "),
      (#""command": ["a"], "rows": "data""#, "t.json: sources.things.rows: \"rows\" goes with \"prints\": \"json\""),
      (#""command": ["a"], "prints": "csv", "rows": "data""#, "t.json: sources.things.rows: \"rows\" goes with"),
      (#""command": ["a"], "supports": "search""#, "t.json: sources.things.supports: expected"),
      (#""command": ["a"], "supports": ["find"]"#, "t.json: sources.things.supports[0]: "),
      (#""command": ["a"], "prints": "csv", "supports": ["show"]"#, "t.json: sources.things.supports: a program that prints rows alone"),
      (#""command": ["a"], "config": []"#, "t.json: sources.things.config: expected an object"),
      (#""command": ["a"], "config": {"b": [{"setting": "OTHER_KEY"}]}"#, "t.json: sources.things.config: OTHER_KEY is not among"),
      (#""command": ["a"], "paging": {"by": "whole"}"#, "t.json: sources.things.paging: unknown member"),
      (#""command": ["a"], "list": {"path": "a"}"#, "t.json: sources.things.list: unknown member"),
      (#""config": {}"#, "t.json: sources.things.config: \"config\" goes with the command of a program"),
      (#""prints": "csv""#, "t.json: sources.things.prints: \"prints\" goes with the command of a program"),
      (#""supports": []"#, "t.json: sources.things.supports: \"supports\" goes with the command of a program"),
      (#""singer": []"#, "t.json: sources.things.singer: expected"),
      (#""singer": {"stream": "s"}"#, "t.json: sources.things.singer: the member \"command\" is missing"),
      (#""singer": {"command": ["a"]}"#, "t.json: sources.things.singer: the member \"stream\" is missing"),
      (#""singer": {"command": ["a"], "stream": 1}"#, "t.json: sources.things.singer.stream: expected"),
      (
        #""singer": {"command": ["a"], "stream": "s", "catalog": "../c"}"#,
        "t.json: sources.things.singer.catalog: \"../c\" is not the name"
      ),
      (#""singer": {"command": ["a"], "stream": "s", "takesProperties": 1}"#, "t.json: sources.things.singer.takesProperties: expected"),
      (#""singer": {"command": ["a"], "stream": "s", "trust": "always"}"#, "t.json: sources.things.singer.trust: "),
      (#""singer": {"command": ["a"], "stream": "s", "config": 1}"#, "t.json: sources.things.singer.config: expected"),
      (#""singer": {"command": ["a"], "stream": "s", "streams": []}"#, "t.json: sources.things.singer.streams: unknown member"),
      (#""singer": {"command": ["a"], "stream": "s"}, "command": ["a"]"#, "t.json: sources.things.command: \"command\" does not go"),
      (#""singer": {"command": ["a"], "stream": "s"}, "prints": "csv""#, "t.json: sources.things.prints: \"prints\" does not go"),
      (#""singer": {"command": ["a"], "stream": "s"}, "rows": "a""#, "t.json: sources.things.rows: \"rows\" does not go"),
    ])
  func wrong(members: String, beginning: String) {
    let top =
      members.hasPrefix("\"config\"") || members.hasPrefix("\"prints\"") || members.hasPrefix("\"supports\"")
      ? #""address": {"setting": "T_URL", "default": "https://t.example/"}, "# : ""
    let said = error(members, top: top)
    #expect(said.hasPrefix(beginning), "\(said)")
  }

  @Test("a source without a key is refused, since equal rows would be dropped")
  func noKey() {
    let text = #"{"aggregator": 1, "sources": {"things": {"summary": "T", "command": ["a"], "fields": [{"name": "id"}]}}}"#
    #expect(throws: SourceError.self) { try Manifest(Array(text.utf8), file: "t.json") }
  }

  @Test("a change to a program or its configuration is another description, and another catalog is the same one")
  func rules() throws {
    let texts = [
      #""command": ["a"]"#, #""command": ["b"]"#, #""command": ["a", "b"]"#, #""command": ["a"], "prints": "csv""#,
      #""command": ["a"], "prints": "json""#, #""command": ["a"], "prints": "json", "rows": "d""#, #""command": ["a"], "config": {"c": 1}"#,
      #""singer": {"command": ["a"], "stream": "s"}"#, #""singer": {"command": ["a"], "stream": "t"}"#,
      #""singer": {"command": ["a"], "stream": "t", "trust": "exit"}"#,
    ]
    let rules = try texts.map { try #require(manifest($0).sources[0].program).rules }
    #expect(Set(rules).count == texts.count)
  }
}
