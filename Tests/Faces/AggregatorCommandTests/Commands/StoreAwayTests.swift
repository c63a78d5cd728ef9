import AggregatorCore
import SourceTesting
import Testing

/// A store on a server that cannot be reached, as a person sees it.
@Suite("A store that is away") struct StoreAwayTests {
  private static let place = "postgresql://127.0.0.1:1/notes"
  private static let sentence =
    "cannot connect to the store \(place): connection refused; start the server, or change --store to use another store"
  /// The whole message about it, which is printed once.
  private static let said = "aggregator: \(sentence)\n"

  @Test(
    "a store that is away prevents no live answer, and is told once in every format",
    arguments: ["table", "json", "tsv"], ["list --limit 1", "search spider --limit 1", "show 1"])
  func read(format: String, line: String) async throws {
    let vine = try FakeComicVine()
    let outcome = try await vine.run(
      "heroes \(line) --format \(format) --store \(Self.place)", environment: ["COMIC_VINE_BUDGET": "200/1h"])
    #expect(outcome.code == 0 && outcome.output.contains("Spider 1"), "\(outcome)")
    #expect(outcome.errors.lines.filter { !$0.contains("showing the first") } == [String(Self.said.dropLast())])
    if format == "json", line != "show 1" { #expect(outcome.output.contains(#""origin":{"kind":"live""#)) }
  }

  @Test("budgets are counted on this machine, for all processes, while the store is away")
  func budget() async throws {
    let vine = try FakeComicVine()
    let budget = ["COMIC_VINE_BUDGET": "2/1h"]
    for id in ["1", "3"] {
      try await expect(
        vine.run("heroes show \(id) --live --fields id --format tsv --store \(Self.place)", environment: budget), 0, output: "\(id)\n")
    }
    try await expect(
      vine.run("heroes show 5 --live --store \(Self.place)", environment: budget), 75, output: "",
      errors: .has("the budget of 2/1h is spent"))
    #expect(vine.asked.count == 2)
    // A store in a file has the same budgets.
    #expect(try await vine.run("heroes show 5 --live", environment: budget).code == 75)
  }

  @Test("bundled data are used if neither the store nor the service answers; a command without such data ends with an error")
  func bundled() async throws {
    let outcome = try await InProcess.run(["heroes", "list", "--limit", "1", "--fields", "id", "--store", Self.place])
    #expect(outcome.code == 0 && !outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix(Self.said) && outcome.errors.contains("using bundled data"), "\(outcome.errors)")
    #expect(outcome.errors.count(of: "the store") == 1)
    let offline = try await InProcess.run(["heroes", "list", "--offline", "--limit", "1", "--fields", "id", "--store", Self.place])
    #expect(offline.code == 0 && offline.output == outcome.output)
    #expect(offline.errors.hasPrefix(Self.said) && offline.errors.count(of: "the store") == 1, "\(offline.errors)")
    let folder = try Folder.fresh()
    try Folder.write(FakePokemonService.manifest(at: "http://127.0.0.1:1/"), to: "\(folder)/pokemon.json")
    for (line, code) in [("pokemon list", Int32(69)), ("pokemon list --offline", 74), ("pokemon show p1 --offline", 74)] {
      let outcome = try await InProcess.run(
        line.split(separator: " ").map(String.init) + ["--store", Self.place], environment: ["AGGREGATOR_SOURCES": folder])
      #expect(outcome.code == code && outcome.output == "", "\(outcome)")
      #expect(outcome.errors.hasPrefix(Self.said) && outcome.errors.count(of: "the store") == 1, "\(outcome.errors)")
      if code == 74 { #expect(outcome.errors == Self.said) }
    }
  }

  @Test(
    "verbs that need a store that is away end with 74 and the reason, once",
    arguments: [
      "heroes next", "heroes sync", "sync", "heroes reset", "heroes changes", "import heroes rows.ndjson", "users next",
      "users delete ann@example.com", "users restore ann@example.com", "users why ann@example.com", "forget heroes --yes", "cache",
      "cache clear", "heroes next --offline",
    ])
  func remembered(line: String) async throws {
    let vine = try FakeComicVine()
    try Folder.write(#"{"id":7,"name":"x"}"#, to: "\(vine.folder)/rows.ndjson")
    let outcome = try await vine.run("\(line) --store \(Self.place)")
    #expect(outcome.code == 74 && outcome.output == "", "\(outcome)")
    #expect(outcome.errors == Self.said)
    #expect(vine.asked.isEmpty)
  }

  @Test(
    "verbs that ask every source tell once that the store is away",
    arguments: ["search spider", "search spider --offline", "show spider", "sources", "doctor"])
  func everySource(line: String) async throws {
    let vine = try FakeComicVine()
    let outcome = try await vine.run("\(line) --store \(Self.place)", environment: ["COMIC_VINE_BUDGET": "200/1h"])
    let isDoctor = line == "doctor"
    let said = (outcome.output + outcome.errors).lines.filter { $0.contains("the store") }
    #expect(said == [isDoctor ? "store\tfail\t" + Self.sentence.replacingEach("; start", with: "\tstart") : String(Self.said.dropLast())])
    if isDoctor {
      #expect(outcome.output.lines.contains { $0.hasPrefix("heroes\tok\t") }, "\(outcome.output)")
    } else if line != "sources" {
      #expect(outcome.code == 0 && outcome.output.lowercased().contains("spider"))
    }
  }

  @Test("a silent server of a store leaves time for the service")
  func silent() async throws {
    let vine = try FakeComicVine()
    let turnstile = Turnstile()
    let server = try StandInServer { _ in turnstile.pass() }
    defer { turnstile.open() }
    let place = "postgresql://127.0.0.1:\(server.port)/notes"
    let outcome = try await vine.run(
      "heroes list --limit 1 --fields id --timeout 2 --store \(place)", environment: ["COMIC_VINE_BUDGET": "200/1h"])
    #expect(outcome.code == 0 && outcome.output == "1\n", "\(outcome)")
    #expect(outcome.errors.contains("cannot connect to the store \(place): no answer within 1 s;"), "\(outcome.errors)")
  }

  @Test("the message about a store that is away has no password")
  func secret() async throws {
    let vine = try FakeComicVine()
    for line in ["heroes list --limit 1", "heroes next", "doctor"] {
      let outcome = try await vine.run("\(line) --store postgresql://ada:hidden-word@127.0.0.1:1/notes")
      #expect(!(outcome.output + outcome.errors).contains("hidden-word"))
    }
  }
}

extension String {
  fileprivate var lines: [String] { split(separator: "\n").map(String.init) }

  fileprivate func count(of text: String) -> Int {
    indices.count { self[$0...].hasPrefix(text) }
  }
}
