import AggregatorCore
import Platform
import SourceTesting
import Synchronization
import Testing

/// `--format singer`, and `singer`: the messages that programs of pipelines read.
@Suite("singer") struct SingerTests {
  /// Parcels, of which a test sets the rows and the announced number, behind a key.
  private final class Parcels: Sendable {
    static let key = "5ecret-of-the-test"

    private struct List: Sendable {
      var rows: [String]
      var total: Int?
      var isRefusing = false
    }

    private let list: Mutex<List>
    private let server = Mutex<StandInServer?>(nil)
    let folder: String
    /// The environment of every run.
    let environment: [String: String]

    init(_ rows: [String]) async throws {
      list = Mutex(List(rows: rows))
      folder = try Folder.fresh()
      environment = Folder.homes(folder) + ["HOME": folder, "PARCELS_KEY": Self.key]
      let server = try StandInServer { [weak self] connection in
        while let request = connection.request() {
          guard let list = self?.list.withLock({ $0 }), request["X-Api-Key"] == Self.key, !list.isRefusing else {
            connection.answer(status: "401 Unauthorized", "{}")
            continue
          }
          connection.answer(#"{"count":\#(list.total ?? list.rows.count),"rows":[\#(list.rows.joined(separator: ","))]}"#)
        }
      }
      self.server.withLock { $0 = server }
      try describe("", at: server.address("/"))
      try await expect(run("add", "parcels.json"), 0)
    }

    /// Writes the description of the list, with further fields.
    func describe(_ further: String, at address: WebAddress) throws {
      let manifest = """
        {"aggregator": 1, "address": {"setting": "PARCELS_URL", "default": "\(address)"}, "budget": "unlimited",
        "keys": [{"setting": "PARCELS_KEY", "header": "X-Api-Key"}], "sources": {"parcels": {
          "summary": "Parcels", "list": {"path": "parcels"}, "rows": "rows", "key": "id", "paging": {"by": "whole", "total": "count"}, "fields": [
            {"name": "id", "width": "whole"}, {"name": "title", "role": "title"}, {"name": "weight", "type": "number"},
            {"name": "count", "type": "integer"}, {"name": "sent", "type": "boolean"}, {"name": "tags", "type": "texts"},
            {"name": "rest", "type": "json"}, {"name": "made", "type": "time"}\(further)]}}}
        """
      try Folder.write(manifest, to: "\(folder)/parcels.json")
    }

    var address: WebAddress { get throws { try #require(server.withLock { $0 }).address("/") } }

    func refuseEverybody() { list.withLock { $0.isRefusing = true } }

    func become(_ rows: [String], announcing total: Int? = nil) { list.withLock { $0 = List(rows: rows, total: total) } }

    func run(_ words: String...) async throws -> Binary.Outcome {
      let outcome = try await InProcess.run(words, environment: environment, in: folder)
      #expect(!(outcome.output + outcome.errors).contains(Self.key))
      return outcome
    }

    /// Runs the tap with this state, and this catalog if there is one.
    func tap(after state: String? = nil, catalog: String? = nil, config: String = #"{"source":"parcels"}"#) async throws -> Run {
      try Folder.write(config, to: "\(folder)/config.json")
      var words = ["singer", "--config", "config.json"]
      for (name, text) in [("state", state), ("catalog", catalog)] {
        guard let text else { continue }
        try Folder.write(text, to: "\(folder)/\(name).json")
        words += ["--\(name)", "\(name).json"]
      }
      let outcome = try await InProcess.run(words, environment: environment, in: folder)
      #expect(!(outcome.output + outcome.errors).contains(Self.key))
      return try Run(outcome)
    }

    static func row(_ id: Int, _ more: String = #""title":"a""#) -> String { #"{"id":"\#(id)",\#(more)}"# }
  }

  /// The messages, the code and the notices of a run.
  private struct Run {
    let code: Int32
    let messages: [Value]
    let errors: String

    init(_ outcome: Binary.Outcome) throws {
      (code, errors) = (outcome.code, outcome.errors)
      messages = try outcome.lines.map { try JSON(Array($0.utf8)).value }
    }

    var kinds: [String] { messages.compactMap { $0["type"]?.text } }
    var records: [Value] { messages.compactMap { $0["record"] } }
    var ids: [String] { records.compactMap { $0["id"]?.text }.sorted() }
    var schema: Value? { messages.first { $0["type"] == "SCHEMA" }?["schema"]?["properties"] }
    /// The last state, if that is the last message.
    var state: Value? { messages.last?["type"] == "STATE" ? messages.last?["value"] : nil }
    var bookmark: Value? { state?["bookmarks"]?["parcels"] }
    var stateText: String { String(decoding: (state ?? .null).bytes, as: UTF8.self) }
  }

  private let three = [Parcels.row(1), Parcels.row(2), Parcels.row(3)]

  // MARK: The format

  @Test("a list is a schema, its records, and a state with the verdict")
  func format() async throws {
    let outcome = try await InProcess.run("countries", "list", "--limit", "2", "--format", "singer")
    let run = try Run(expect(outcome, 0))
    #expect(run.kinds == ["SCHEMA", "RECORD", "RECORD", "STATE"])
    #expect(run.messages[0]["stream"] == "countries" && run.messages[0]["key_properties"] == ["code"])
    #expect(run.schema?["code"] == ["type": ["string"]] && run.schema?["name"] == ["type": ["null", "string"]])
    #expect(run.schema?["currency"]?["type"] == ["null", "object"])
    #expect(run.schema?["currency"]?["properties"]?["code"] == ["type": ["null", "string"]])
    #expect(run.state?["bookmarks"]?["countries"]?["verdict"]?["kind"] == "bounded")
    let none = try await InProcess.run("countries", "list", "--where", "code=ZZ", "--format", "singer")
    #expect(try Run(expect(none, 0)).kinds == ["SCHEMA", "STATE"])
    let chosen = try Run(expect(await InProcess.run("countries", "list", "--fields", "name,currency.code", "--format", "singer"), 0))
    #expect(chosen.messages[0]["key_properties"] == .list([]) && chosen.schema?.members?.map(\.name) == ["name", "currency"])
    #expect(chosen.records[0]["currency"] == ["code": "AFN"])
  }

  @Test("only a type that has time and zone is a date-time; lists are arrays, and any value has every type")
  func types() async throws {
    let parcels = try await Parcels([Parcels.row(1, #""made":"2026-02-28","tags":["a"],"rest":{"a":[1]}"#)])
    let run = try Run(expect(await parcels.run("parcels", "list", "--format", "singer"), 0))
    #expect(run.schema?["made"] == ["type": ["null", "string"]])
    #expect(run.schema?["tags"] == ["type": ["null", "array"], "items": ["type": ["null", "string"]]])
    #expect(run.schema?["rest"]?["type"] == ["null", "string", "number", "boolean", "array", "object"])
    #expect(run.records[0]["rest"] == ["a": [1]])
    let changes = try Run(expect(await InProcess.run("status", "--format", "singer"), 0))
    #expect(changes.messages[0]["key_properties"] == .list([]))
    #expect("\(changes.messages[0])".contains("date-time"))
  }

  @Test("a value that does not fit is null and counted; a long number has all its digits")
  func misfits() async throws {
    let rows = [
      Parcels.row(1, #""count":-9223372036854775808,"weight":-1e-7,"sent":"perhaps","tags":"a""#),
      Parcels.row(2, #""count":18446744073709551616,"weight":"heavy","tags":[{"a":1}]"#),
      Parcels.row(3, #""count":"many","weight":{"a":1}"#),
    ]
    let parcels = try await Parcels(rows)
    for line in [["parcels", "list", "--format", "singer"], ["singer", "parcels"]] {
      let outcome = try await InProcess.run(line, environment: parcels.environment, in: parcels.folder)
      let run = try Run(expect(outcome, 0))
      #expect(run.records.count == 3)
      for record in run.records {
        for (name, property) in zip(record.members?.map(\.name) ?? [], run.schema?.members ?? []) {
          #expect(name == property.name && fits(record[name] ?? .null, property.value), "\(name) of \(record)")
        }
      }
      #expect(outcome.output.contains(#""count":-9223372036854775808"#))
      #expect(outcome.errors.contains("null, since no other type fits the schema: "))
      #expect(outcome.errors.contains("weight (2)") && outcome.errors.contains("sent (1)"))
    }
  }

  /// True when the schema, in the few words that it uses, allows the value.
  private func fits(_ value: Value, _ schema: Value) -> Bool {
    let types = (schema["type"]?.list ?? []).compactMap(\.text)
    switch value {
    case .null: return types.contains("null")
    case .bool: return types.contains("boolean")
    case .int: return types.contains("integer") || types.contains("number")
    case .double, .decimal: return types.contains("number") || types.contains("integer") && !"\(value)".contains(".")
    case .text: return types.contains("string")
    case .list(let values):
      return types.contains("array") && values.allSatisfy { fits($0, schema["items"] ?? ["type": .list(schema["type"]?.list ?? [])]) }
    case .object: return types.contains("object")
    }
  }

  @Test("after a partial list the state has no verdict, and the code stays 3")
  func partialFormat() async throws {
    let parcels = try await Parcels(three)
    parcels.become(three, announcing: 5)
    let run = try Run(expect(await parcels.run("parcels", "list", "--all", "--format", "singer"), 3))
    #expect(run.ids == ["1", "2", "3"])
    #expect(run.bookmark?["at"] != nil && run.bookmark?["verdict"] == nil)
  }

  // MARK: The tap

  @Test("a run stores the list and gives it; with its state only new and changed records follow, and gone ones are counted")
  func twice() async throws {
    let parcels = try await Parcels(three)
    let first = try await parcels.tap()
    #expect(first.code == 0 && first.ids == ["1", "2", "3"])
    #expect(first.kinds.first == "SCHEMA" && first.bookmark?["verdict"]?["kind"] == "complete")
    let second = try await parcels.tap(after: first.stateText)
    #expect(second.code == 0 && second.kinds == ["SCHEMA", "STATE"])
    parcels.become([Parcels.row(1), Parcels.row(2, #""title":"b""#), Parcels.row(4)])
    let third = try await parcels.tap(after: second.stateText)
    #expect(third.code == 0 && third.ids == ["2", "4"])
    #expect(third.errors.contains("1 record gone at the service"))
    // A state that was lost on the way costs repetition, and no record.
    #expect(try await parcels.tap(after: first.stateText).ids == ["2", "4"])
    #expect(try await parcels.tap(after: third.stateText).ids == [])
  }

  @Test("a partial list ends with 3, and its state has a mark and no verdict")
  func partial() async throws {
    let parcels = try await Parcels(three)
    parcels.become(three, announcing: 5)
    let first = try await parcels.tap()
    #expect(first.code == 3 && first.ids == ["1", "2", "3"])
    #expect(first.bookmark?["mark"] != nil && first.bookmark?["verdict"] == nil)
    // What came before the list was whole is not known to be all that changed.
    parcels.become(three + [Parcels.row(4)])
    let second = try await parcels.tap(after: first.stateText)
    #expect(second.code == 0 && second.ids == ["1", "2", "3", "4"])
    parcels.become([Parcels.row(1, #""title":"b""#), Parcels.row(2), Parcels.row(3)], announcing: 9)
    let third = try await parcels.tap(after: second.stateText)
    #expect(third.code == 3 && third.ids == ["1"] && third.bookmark?["verdict"] == nil)
  }

  @Test("after a failure the state is the one from before")
  func failure() async throws {
    let parcels = try await Parcels(three)
    let first = try await parcels.tap()
    parcels.refuseEverybody()
    let run = try await parcels.tap(after: first.stateText, config: #"{"sources":["parcels","countries"],"sync":true}"#)
    #expect(run.code == 77 && run.kinds == ["STATE", "STATE"] && run.bookmark == first.bookmark, "\(run.errors)")
    // Without a service the stored list is given.
    let offline = try await Run(parcels.run("singer", "parcels", "--offline"))
    #expect(offline.code == 0 && offline.ids == ["1", "2", "3"])
  }

  @Test("a bookmark of another list, or from before a person's edit or forgetting, gives everything again")
  func otherList() async throws {
    let parcels = try await Parcels(three)
    let first = try await parcels.tap()
    try parcels.describe(#", {"name": "note"}"#, at: parcels.address)
    _ = try Binary.shell("mv parcels.json .config/aggregator/sources/parcels.json", in: parcels.folder)
    try await expect(parcels.run("source", "allow", "parcels"), 0)
    let second = try await parcels.tap(after: first.stateText)
    #expect(second.ids == ["1", "2", "3"], "\(second.errors)")
    try Folder.write("id,title\n2,mine\n", to: "\(parcels.folder)/mine.csv")
    try await expect(parcels.run("import", "parcels", "mine.csv", "--replace"), 0)
    let third = try await parcels.tap(after: second.stateText)
    #expect(third.ids == ["1", "2", "3"] && third.records.contains { $0["title"] == "mine" })
    try await expect(parcels.run("parcels", "forget", "--yes"), 0)
    #expect(try await parcels.tap(after: third.stateText).ids == ["1", "2", "3"])
  }

  @Test("a catalog chooses streams and fields; the key stays")
  func catalog() async throws {
    let parcels = try await Parcels([Parcels.row(1, #""title":"a","count":1"#)])
    let outcome = try await expect(parcels.run("singer", "parcels", "--discover"), 0)
    let catalog = try JSON(Array(outcome.output.utf8)).value
    let stream = try #require(catalog["streams"]?.list?.first)
    #expect(stream["tap_stream_id"] == "parcels" && stream["key_properties"] == ["id"])
    let metadata = try #require(stream["metadata"]?.list)
    #expect(metadata.first { $0["breadcrumb"] == ["properties", "id"] }?["metadata"] == ["inclusion": "automatic"])
    // As it was printed: everything is selected.
    #expect(try await parcels.tap(catalog: outcome.output).records.first?["count"] == 1)
    func selecting(_ stream: String, _ fields: String...) -> String {
      let entries = fields.map { #"{"breadcrumb":["properties","\#($0)"],"metadata":{"inclusion":"available","selected":false}}"# }
      let automatic = #"{"breadcrumb":["properties","id"],"metadata":{"inclusion":"automatic","selected":false}}"#
      let all = [#"{"breadcrumb":[],"metadata":\#(stream)}"#, automatic] + entries
      return #"{"streams":[{"tap_stream_id":"parcels","stream":"parcels","schema":{},"metadata":[\#(all.joined(separator: ","))]}]}"#
    }
    let chosen = try await parcels.tap(catalog: selecting(#"{"selected":true}"#, "title", "rest"))
    #expect(chosen.records.first?.members?.map(\.name) == ["id", "weight", "count", "sent", "tags", "made"])
    #expect(chosen.schema?["title"] == nil && chosen.schema?["id"] != nil)
    // A field that is selected only now has values that were never given.
    let state = chosen.stateText
    #expect(try await parcels.tap(after: state, catalog: selecting(#"{"selected":true}"#, "title", "rest")).records.isEmpty)
    #expect(try await parcels.tap(after: state, catalog: selecting(#"{"selected":true}"#, "rest")).records.first?["title"] == "a")
    for stream in [#"{"selected":false,"selected-by-default":true}"#, "{}"] {
      #expect(try await parcels.tap(catalog: selecting(stream)).kinds == ["STATE"])
    }
  }

  @Test("what is unknown in a state is kept, and every stream is in every state")
  func unknownState() async throws {
    let parcels = try await Parcels(three)
    let state = #"{"currently_syncing":null,"bookmarks":{"other":{"since":"x"},"parcels":{"ours":1}}}"#
    let run = try await parcels.tap(after: state, config: #"{"sources":["parcels","countries"],"sync":false,"colour":"red"}"#)
    #expect(run.errors.contains("colour"))
    let states = run.messages.filter { $0["type"] == "STATE" }.compactMap { $0["value"] }
    #expect(states.count >= 1)
    for state in states {
      #expect(state["currently_syncing"] == .null && state["bookmarks"]?["other"] == ["since": "x"])
      #expect(state["bookmarks"]?["parcels"]?["ours"] == 1 && state["bookmarks"]?["countries"] != nil)
    }
    let synced = try await parcels.tap(after: state)
    #expect(synced.bookmark?["ours"] == 1 && synced.bookmark?["mark"] != nil)
    try await expect(parcels.run("singer", "parcels", "--state", "parcels.json"), 0)
    try Folder.write("[]", to: "\(parcels.folder)/list.json")
    try await expect(parcels.run("singer", "parcels", "--state", "list.json"), 64, errors: .has("--state must be"))
    try await expect(parcels.run("singer", "parcels", "--state", "missing.json"), 66, errors: .has("cannot read missing.json"))
  }

  @Test("with activate_version a whole list is given under a version, and again when records are gone")
  func versions() async throws {
    let parcels = try await Parcels(three)
    let config = #"{"source":"parcels","activate_version":true}"#
    let first = try await parcels.tap(config: config)
    let version = try #require(first.messages.first { $0["type"] == "RECORD" }?["version"])
    #expect(first.kinds.suffix(2) == ["ACTIVATE_VERSION", "STATE"] && first.bookmark?["version"] == version)
    parcels.become([Parcels.row(1, #""title":"b""#), Parcels.row(2), Parcels.row(3)])
    let second = try await parcels.tap(after: first.stateText, config: config)
    #expect(second.ids == ["1"] && second.bookmark?["version"] == version)
    parcels.become([Parcels.row(1), Parcels.row(2)])
    let third = try await parcels.tap(after: second.stateText, config: config)
    #expect(third.ids == ["1", "2"] && third.bookmark?["version"] != version)
    parcels.become([Parcels.row(1)], announcing: 4)
    #expect(try await !parcels.tap(config: config).kinds.contains("ACTIVATE_VERSION"))
  }

  @Test("a config names the key file, and any other file that --config names is the key file")
  func keyFile() async throws {
    let parcels = try await Parcels(three)
    try Folder.write("PARCELS_KEY = \(Parcels.key)\n", to: "\(parcels.folder)/keys.xcconfig")
    let environment = parcels.environment + ["PARCELS_KEY": ""]
    try Folder.write(#" {"source":"parcels","settings":"keys.xcconfig"}"#, to: "\(parcels.folder)/config.json")
    for words in [["singer", "--config", "config.json"], ["singer", "parcels", "--config", "keys.xcconfig"]] {
      let outcome = try await expect(InProcess.run(words, environment: environment, in: parcels.folder), 0, output: .lacks(Parcels.key))
      #expect(try Run(outcome).ids == ["1", "2", "3"])
    }
    try Folder.write(#"{"source":5}"#, to: "\(parcels.folder)/config.json")
    try await expect(parcels.run("singer", "--config", "config.json"), 64, errors: .has("\"source\" has a value of another type"))
  }

  @Test("the executable is a tap by the name tap-aggregator, and a closed pipe is a quiet end")
  func symlink() async throws {
    let folder = try Folder.fresh()
    try Folder.write(#"{"source":"countries"}"#, to: "\(folder)/config.json")
    let line = #"ln -s "$A" tap-aggregator; ./tap-aggregator --config config.json --discover"#
    let outcome = try await apart { try Binary.shell(line, in: folder) }
    #expect(outcome.code == 0 && outcome.output.contains(#""tap_stream_id": "countries""#), "\(outcome.errors)")
    let closed = try await apart { try Binary.shell(#""$A" countries --all --format singer --quiet | head -1"#, in: folder) }
    #expect(closed.lines.count == 1 && closed.errors == "")
  }

  /// Runs `work`, which waits for a process, on a thread of its own.
  private func apart<Answer: Sendable>(_ work: @escaping @Sendable () throws -> Answer) async throws -> Answer {
    try await withCheckedThrowingContinuation { answer in
      _ = SystemThread.start { answer.resume(with: Result { try work() }) }
    }
  }

  @Test("an endless list is not synced; without stored records it fails, and its state claims nothing")
  func endless() async throws {
    let folder = try Folder.fresh()
    let run = try Run(await InProcess.run(["singer", "users"], environment: Folder.homes(folder), in: folder))
    #expect(run.code == 69 && run.kinds == ["STATE"] && run.state?["bookmarks"]?["users"] == .object([]))
    #expect(run.errors.contains("users next"))
  }
}
