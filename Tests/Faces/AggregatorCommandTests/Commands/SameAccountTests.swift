import AggregatorCore
import SourceTesting
import Synchronization
import Testing

@testable import AggregatorCommand

/// Keys that are renewed: what is told of the stored records of another key, and what to type then.
@Suite("same account") struct SameAccountTests {
  /// Three lists of one service, each with a token of its own and a record whose level a test can change.
  private struct ThreeTokenLists {
    private let server: StandInServer
    let folder: String
    private let level: Level

    private final class Level: Sendable {
      let value = Mutex(1)
    }

    static let names = ["ada", "bob", "cleo"]

    init() async throws {
      let level = Level()
      self.level = level
      server = try StandInServer { connection in
        while let request = connection.request() {
          guard request["authorization"] != "Bearer mistyped" else {
            connection.answer(status: "401 Unauthorized", "{}")
            continue
          }
          connection.answer(
            request.target.contains("offset=0")
              ? #"{"count":2,"results":[{"name":"p1","level":\#(level.value.withLock { $0 })},{"name":"p2","level":7}]}"#
              : #"{"count":2,"results":[]}"#)
        }
      }
      folder = try Folder.fresh()
      for name in Self.names {
        let key = FakePokemonService.token.replacingEach("POKEMON_TOKEN", with: "\(name.uppercased())_TOKEN")
        let manifest = FakePokemonService.manifest(name, at: "\(try server.address("/\(name)/"))", more: key)
          .replacingEach("POKEMON_URL", with: "\(name.uppercased())_URL")
        try Folder.write(manifest, to: "\(folder)/\(name).json")
        try await expect(run("add \(name).json"), 0)
      }
      try await expect(run("remove countries heroes products users"), 0)
      try Folder.write("name,level\np3,3\n", to: "\(folder)/rows.csv")
      for value in 1...2 {
        level.value.withLock { $0 = value }
        try await expect(run("sync ada bob cleo"), 0)
      }
    }

    /// Runs a line with that key for ada.
    func run(_ line: String, ada: String = "first") async throws -> Binary.Outcome {
      let keys = ["ADA_TOKEN": ada, "BOB_TOKEN": "bobs", "CLEO_TOKEN": "cleos"]
      return try #require(
        await InProcess.run(typed: "aggregator \(line)", environment: Folder.homes(folder) + ["HOME": folder] + keys, in: folder))
    }
  }

  private static let another = "the stored ada are those of another key"

  /// Lines, and the line that their error says to type.
  static let lines: [(line: String, advice: String)] = [
    ("ada list --offline", "ada list"), ("ada search p1 --offline", "ada search p1"), ("ada next", "ada next"),
    ("ada show p1 --offline", "ada show p1"), ("ada compare p1 p2 --offline", "ada compare p1 p2"), ("ada sync", "ada sync"),
    ("ada changes", "ada changes"), ("ada changes --since 1d --format report", "ada changes"), ("ada reset", "ada sync"),
    ("ada why p1", "ada sync"), ("ada restore p1", "ada sync"), ("ada read --offline", "ada sync"), ("import ada rows.csv", "ada sync"),
    ("source accept ada", "ada sync"), ("sync ada bob", "sync ada"), ("sync", "sync ada"), ("sync --format report", "sync ada"),
    ("changes bob ada", "changes ada"), ("changes", "changes ada"), ("search p1 --offline", "ada search p1"),
  ]

  @Test("the command that an error about another key names works as it is printed", arguments: lines)
  func advice(line: String, advice: String) async throws {
    let club = try await ThreeTokenLists()
    let told = try await club.run(line, ada: "second")
    let text = (told.errors + told.output).split { $0.isWhitespace }.joined(separator: " ")
    #expect(text.contains(Self.another), "\(told)")
    let typed = try #require(text.split(separator: "'").first { $0.hasSuffix(" --same-account") }, "\(told)")
    #expect(typed == "aggregator \(advice) --same-account")
    let taken = try await club.run(String(typed.dropFirst("aggregator ".count)), ada: "second")
    #expect(taken.code == 0 && !"\(taken)".contains("another key"), "\(taken)")
    let again = try await club.run(line, ada: "second")
    #expect(!"\(again)".contains("another key") && again.code != 78, "\(again)")
  }

  @Test("next notes the same account also while stored records are left, so that it is said once")
  func next() async throws {
    let club = try await ThreeTokenLists()
    try await expect(club.run("ada next --limit 1 --same-account", ada: "second"), 0, output: .has("p1"))
    try await expect(club.run("ada next --limit 1", ada: "second"), 0, output: .has("p2"))
  }

  @Test("a key that the service refuses takes over nothing in a sync")
  func mistyped() async throws {
    let club = try await ThreeTokenLists()
    try await expect(club.run("ada sync --same-account", ada: "mistyped"), 77)
    try await expect(club.run("sync ada --same-account", ada: "mistyped"), 77)
    try await expect(club.run("ada list --offline"), 0)
  }

  @Test("changes prints one line about a source whose records are those of another key, and the changes of the others")
  func others() async throws {
    let club = try await ThreeTokenLists()
    let fields = "--format tsv --fields source,id,before,after"
    let told = try await club.run("changes --since last:mail \(fields)", ada: "second")
    #expect(told.lines.sorted() == ["bob\tp1\t1\t2", "cleo\tp1\t1\t2"] && told.code == 78, "\(told)")
    #expect(told.errors.hasPrefix("aggregator: ada: \(Self.another)") && told.errors.split(separator: "\n").count == 1, "\(told)")
    // The others were read, and ada was not.
    #expect(try await club.run("changes --since last:mail \(fields)").lines == ["ada\tp1\t1\t2"])
    let report = try await club.run("changes --format report", ada: "second")
    #expect(report.code == 78 && report.output.contains("bob: 1 updated") && report.errors.contains(Self.another), "\(report)")
    // Where no source is left, nothing is printed.
    let alone = try await club.run("changes ada --format json", ada: "second")
    #expect(alone.code == 78 && alone.output.isEmpty && alone.errors.contains(Self.another), "\(alone)")
    let synced = try await club.run("sync", ada: "second")
    #expect(synced.code == 78 && synced.output.contains("synced 3 sources"), "\(synced)")
  }

  @Test("a key that is renewed by design keeps its list, once the manifest says so as the error tells")
  func rotating() async throws {
    let club = try await ThreeTokenLists()
    let told = try await club.run("ada list --offline", ada: "second").errors.split { $0.isWhitespace }.joined(separator: " ")
    let file = "\(club.folder)/.config/aggregator/sources/ada.json"
    #expect(told.contains("or write \"rotates\": true beside the key in \(file) if it is renewed by design"), "\(told)")
    let text = try Folder.read(file)
    try Folder.write(text.replacing(#""setting": "ADA_TOKEN""#, with: #""setting": "ADA_TOKEN", "rotates": true"#), to: file)
    try await expect(club.run("source allow ada"), 0)
    for key in ["second", "third"] { try await expect(club.run("ada sync", ada: key), 0, output: .has("up to date: 2 ada")) }
  }
}

/// The exit code of a line about several sources.
@Suite("exit codes over several sources") struct SeveralCodesTests {
  @Test("the exit code over several sources is that of an error that needs a person, if there is one")
  func order() {
    let order: [ExitCode] = [.settings, .refused, .storage, .misunderstood, .unreachable, .throttled, .partial, .success]
    for (index, code) in order.enumerated() {
      #expect(ExitCode.ofSeveral(order[index...].reversed()) == code && ExitCode.ofSeveral([code]) == code)
    }
    #expect(ExitCode.ofSeveral([]) == .success)
  }

  @Test(
    "a sync of several sources exits with the code of a refused key rather than of a service that is down",
    arguments: ["ada bob cleo", "cleo bob ada"])
  func sync(names: String) async throws {
    let services = try await FourServices { path, connection in
      let status = ["/ada": "503 Service Unavailable", "/bob": "401 Unauthorized"].first { path.hasPrefix($0.key) }?.value
      guard let status else { return false }
      connection.answer(status: status, "{}")
      return true
    }
    for format in ["", "--format report", "--format json"] { #expect(try await services.run("sync \(names) \(format)").code == 77) }
    #expect(try await services.run("sync ada adda").code == 69)
  }
}
