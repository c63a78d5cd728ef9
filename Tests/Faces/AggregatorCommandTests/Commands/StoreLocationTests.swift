import AggregatorCore
import SourceTesting
import Store
import StoreTables
import Testing

/// The location of a store, by `--store`, `AGGREGATOR_STORE` and the key file.
@Suite("The location of a store") struct StoreLocationTests {
  private let home: String

  init() throws { home = try Folder.fresh() }

  private func run(_ line: String, _ environment: [String: String] = [:], input: String = "") async throws -> Binary.Outcome {
    try await InProcess.run(
      line.split(separator: " ").map(String.init), input: input,
      environment: ["HOME": home, "XDG_DATA_HOME": "\(home)/data"] + environment, in: home)
  }

  private func keep(_ number: Int, _ line: String = "", _ environment: [String: String] = [:]) async throws {
    let outcome = try await run("import products - \(line)", environment, input: #"{"id":"\#(number)","title":"one"}"#)
    try #require(outcome.code == 0, "\(outcome.errors)")
  }

  /// The ID of the first product in the list, which is a stored one if there is any, else a bundled one.
  private func stored(_ option: String) async throws -> String? {
    try await run("products list --offline --all --fields id \(option)").lines.first
  }

  @Test("the location of a store is that of the flag, else of the environment, else of the key file, else the usual one")
  func precedence() async throws {
    try Folder.write("AGGREGATOR_STORE = \(home)/keys.db\n", to: "\(home)/keys")
    try await keep(1, "--store flag.db --config keys", ["AGGREGATOR_STORE": "variable.db"])
    try await keep(2, "--config keys", ["AGGREGATOR_STORE": "variable.db"])
    try await keep(3, "--config keys", ["AGGREGATOR_STORE": " "])
    try await keep(4, "", ["AGGREGATOR_STORE": ""])
    #expect(try await stored("--store flag.db") == "1")
    #expect(try await stored("--store variable.db") == "2")
    #expect(try await stored("--store keys.db") == "3")
    #expect(try await stored("--quiet") == "4")
  }

  @Test(
    "an address of another kind, and a path with a ~ that no shell replaced, are no location of a store",
    arguments: [
      "mysql://ada:hidden-word@db/notes", "http://x", "postgressql://h/db", "sqlite:///tmp/x.db", "~/s.db",
    ])
  func unknownKind(place: String) async throws {
    let reason = place.hasPrefix("~") ? "begins with ~" : "write the path of a file, or postgresql://USER@HOST/DATABASE"
    let lines: [(String, [String: String])] = [
      ("products sync --store \(place)", [:]), ("import products - --store \(place)", [:]), ("users next", ["AGGREGATOR_STORE": place]),
      ("cache", ["AGGREGATOR_STORE": place]), ("store copy none.db \(place)", [:]),
    ]
    for (line, environment) in lines {
      let outcome = try await run(line, environment, input: #"{"id":"1","title":"one"}"#)
      #expect(outcome.code == 78 && outcome.errors.contains(reason), "\(line): \(outcome)")
      #expect(!outcome.errors.contains("hidden-word"))
    }
    #expect(try await !run("config", ["AGGREGATOR_STORE": place]).output.contains("hidden-word"))
    #expect(try Binary.shell("ls", in: home).output == "")
  }

  @Test("a path with colons is the file of a store")
  func colons() async throws {
    try await keep(1, "--store a:b.db")
    #expect(try await stored("--store a:b.db") == "1")
    #expect(try Binary.shell("ls a:b.db", in: home).output == "a:b.db\n")
  }

  @Test("the location of a store holds for every command that reads one")
  func everywhere() async throws {
    let variable = ["AGGREGATOR_STORE": "variable.db"]
    try await keep(7, "", variable)
    #expect(try await run("cache --fields rows", variable).output == "1\n")
    #expect(try await run("sources --format json", variable).output.contains(#""stored":1"#))
    #expect(try await run("doctor --offline", variable).output.contains("variable.db, 1 record"))
    #expect(try await run("__complete -- products show 7", variable).output.contains("7"))
    #expect(try await run("forget products --yes", variable).errors.contains("removed 1 record"))
    #expect(try await run("cache", variable).output == "")
  }

  @Test(
    "every command refuses the location of a store in a key file that was only found",
    arguments: ["other.db", "postgresql:/$()/ada:hidden-word@127.0.0.1:1/notes"])
  func found(place: String) async throws {
    _ = try Binary.shell("mkdir Configuration", in: home)
    try Folder.write("AGGREGATOR_STORE = \(place)\n", to: "\(home)/Configuration/Debug.xcconfig")
    for line in [
      "products list --offline", "users next", "cache", "cache clear", "sources", "doctor --offline", "products forget --yes",
    ] {
      let outcome = try await run(line)
      #expect(outcome.code == 78 || line.hasPrefix("doctor"), "\(line): \(outcome)")
      #expect((outcome.errors + outcome.output).contains("comes from a key file found in the working directory"), "\(line): \(outcome)")
      #expect(!(outcome.errors + outcome.output).contains("hidden-word"))
    }
    let browser = try Terminal(
      script: "cd '\(home)'; exec \"$A\" browse", columns: 400, environment: ["HOME": home, "XDG_DATA_HOME": "\(home)/data"]
    ).ending(78)
    #expect(browser.shown.contains("comes from a key file found in the working directory") && !browser.shown.contains("hidden-word"))
    #expect(try Binary.shell("ls", in: home).output == "Configuration\n")
    // A key file that is named counts, and so does a place that a person has typed.
    try await keep(1, "--store mine.db")
    #expect(try await run("config --fields value").lines.last != nil)
  }

  @Test("commands refuse a store that is an unfinished copy, doctor names it, and the same copy continues")
  func unfinished() async throws {
    try await keep(7, "--store old.db")
    _ = try await SQLiteStore(at: "\(home)/new.db").storedText(StoredTable.unfinishedCopy) { [home] in "\(home)/old.db" }
    for line in ["products next", "products sync", "forget products --yes", "cache"] {
      let outcome = try await run("\(line) --store new.db")
      #expect(outcome.code == 74 && outcome.output == "", "\(line): \(outcome)")
      #expect(outcome.errors.contains("the store \(home)/new.db is an unfinished copy of \(home)/old.db"), "\(line): \(outcome)")
      #expect(outcome.errors.contains("store copy \(home)/old.db \(home)/new.db"), "\(line): \(outcome)")
    }
    // Bundled data are used, as for every store that cannot be read.
    #expect(try await run("products list --offline --store new.db").errors.contains("new.db is an unfinished copy"))
    #expect(try await run("doctor --offline --store new.db").output.contains("new.db is an unfinished copy"))
    #expect(try await run("store copy old.db new.db").code == 0)
    #expect(try await stored("--store new.db") == "7")
  }

  @Test("every failure names a store on a server without its password")
  func masked() async throws {
    for place in ["postgresql://ada:hidden-word@127.0.0.1:1/notes", "postgres://127.0.0.1:1/notes?user=ada&password=hidden-word"] {
      let variable = ["AGGREGATOR_STORE": place]
      let config = try await run("config --format ndjson", variable)
      #expect(config.output.contains("127.0.0.1:1/notes"))
      for line in [
        "products list --explain", "users next", "cache", "doctor --offline", "config", "users sync", "store copy none.db \(place)",
      ] {
        let outcome = try await run(line, variable)
        #expect(!(outcome.output + outcome.errors).contains("hidden-word"), "\(line): \(outcome)")
      }
    }
    #expect(try await run("users next", ["AGGREGATOR_STORE": "postgresql:"]).code == 78)
  }

  @Test("a recording has no password of a store on a server, even if a service repeats it")
  func repeated() async throws {
    let server = try StandInServer { connection in
      while connection.request() != nil {
        connection.answer(#"[{"code":"DE","name":"Germany","capital":"hidden-word","region":"EU","flag":""}]"#)
      }
    }
    let place = ["AGGREGATOR_STORE": "postgresql://ada:hidden-word@127.0.0.1:1/notes"]
    let outcome = try await InProcess.run(
      ["countries", "list", "--live", "--record", "recordings"], environment: server.environment(in: home) + place, in: home)
    let recording = try Folder.read("\(home)/recordings/countries.har")
    #expect(recording.contains("Germany") && !recording.contains("hidden-word"), "\(outcome)")
  }
}
