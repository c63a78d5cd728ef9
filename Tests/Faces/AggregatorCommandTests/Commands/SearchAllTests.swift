import AggregatorCore
import Platform
import SourceTesting
import Synchronization
import Testing

/// `search TEXT` over every source at once.
@Suite("Search over all sources") struct SearchAllTests {
  /// A service for all four sources: countries never answer, products fail, heroes and people answer.
  private final class UnevenServices: Sendable {
    let server: StandInServer

    init() throws {
      server = try StandInServer { connection in
        while let request = connection.request() {
          let path = request.target
          if path.hasPrefix("/countries.json") { continue }
          if path.hasPrefix("/product") {
            connection.answer("<html>no</html>")
          } else if path.hasPrefix("/api/1.4/") {
            connection.answer(#"{"results":[\#(FakeRandomUser.row("spider@example.com", uuid: "u"))],"info":{"page":1}}"#)
          } else {
            connection.answer(
              #"{"error":"OK","status_code":1,"number_of_total_results":1,"results":[{"id":7,"name":"Spider Live","gender":1}]}"#)
          }
        }
      }
    }

    func run(_ arguments: String...) throws -> Binary.Outcome {
      try Binary.run(
        [Binary.path, "search"] + arguments.words, input: "", environment: server.environment(in: Folder.fresh()), in: "/")
    }
  }

  @Test("a source that hangs and one that fails do not delay a search of the others, and each has a line of its own")
  func hanging() throws {
    let outcome = try expect(UnevenServices().run("spider --timeout 700ms"), 0)
    #expect(outcome.lines.contains("heroes\t7\tSpider Live\t"))
    #expect(outcome.lines.contains { $0.hasPrefix("users\tspider@example.com\t") })
    #expect(
      outcome.errors == """
        aggregator: 2 matches in 2 of 4 sources (live: heroes; cached: users; bundled: countries, products); \
        countries did not answer in time

        """)
    let lines = try UnevenServices().run("spider --timeout 700ms --verbose").errors.split(separator: "\n").map(String.init)
    #expect(lines.contains("aggregator: heroes: 1 match; live"))
    #expect(lines.contains { $0.hasPrefix("aggregator: countries: no match; using bundled data: ") && $0.contains("timed out") })
    #expect(lines.contains { $0.hasPrefix("aggregator: products: no match; using bundled data: ") && $0.contains("HTML") })
  }

  @Test("a search with --live names the sources that could not answer, and exits 0 if at least one answered")
  func live() throws {
    let outcome = try expect(UnevenServices().run("spider --timeout 700ms --live --format json"), 0)
    let answer = try JSON(Array(outcome.output.utf8))
    #expect(try answer.object("query").string("text") == "spider")
    let sources = try answer.array("sources").map { try $0.string("source") }
    // They are in their own order, although the source that hangs comes last.
    #expect(sources == ["countries", "heroes", "products", "users"])
    for source in try answer.array("sources") {
      let isAnswered = try ["heroes", "users"].contains(source.string("source"))
      #expect(
        try source.object("verdict").string("kind")
          == (isAnswered ? (source.string("source") == "users" ? "unverifiable" : "complete") : "partial"))
      #expect((try? source.object("origin").string("kind")) == (isAnswered ? "live" : nil))
    }
    #expect(outcome.errors.contains("; products: expected JSON, got an HTML page"))
  }

  @Test("a search over all sources tells of a file that cannot be read")
  func unreadFile() async throws {
    let folder = try Folder.fresh()
    _ = try Binary.shell("mkdir -p \"$F\"", environment: ["F": "\(folder)/aggregator/sources"])
    try Folder.write("{\"aggregator\": 1", to: "\(folder)/aggregator/sources/shop.json")
    let environment = Folder.homes(folder) + ["XDG_CONFIG_HOME": folder]
    try await expect(
      InProcess.run("search fra --offline", environment: environment), 0, errors: .has("shop.json: the JSON is cut short"))
  }

  @Test("a search that no source answers exits with the code of the first failure")
  func dead() async throws {
    let outcome = try await InProcess.run("search spider --live --format json")
    #expect([69, 77].contains(outcome.code))
    #expect(try JSON(Array(outcome.output.utf8)).array("sources").count == 4)
  }

  @Test("ndjson of a search over all sources has one item a line, the best first, and --limit counts all items")
  func lines() async throws {
    let outcome = try await expect(
      InProcess.run("search fra --offline --limit 3 --format ndjson --quiet"), 0, errors: "")
    let sources = try outcome.lines.map { try JSON(Array($0.utf8)).string("source") }
    #expect(sources.count == 3 && sources.first == "countries")
    #expect(try outcome.lines.allSatisfy { try JSON(Array($0.utf8)).object("item").members.map { $0.key }.count > 5 })
  }

  @Test(
    "the best match of all sources comes first, and the order is the same in every run",
    arguments: [("france", "countries\tFR\tFrance"), ("thor", "heroes\t2268\tThor"), ("mia", "users\tmia.wattle@example.com\t")])
  func ranked(text: String, first: String) async throws {
    var runs: [Binary.Outcome] = []
    for _ in 0..<3 { runs.append(try await InProcess.run("search", text, "--offline")) }
    #expect(runs[0].lines.first?.hasPrefix(first) == true)
    #expect(runs.allSatisfy { $0.output == runs[0].output && $0.errors == runs[0].errors })
  }

  @Test("JSON of a search over all sources marks a source with items left out as bounded; --limit counts all items")
  func limitForAll() async throws {
    let outcome = try await InProcess.run("search thor --offline --limit 3 --format json")
    let sources = Array(try JSON(Array(outcome.output.utf8)).array("sources"))
    #expect(try sources.map { try $0.array("items").count } == [0, 2, 0, 1])
    #expect(try sources[1].object("verdict").string("kind") == "bounded")
  }

  @Test("a search over all sources prints answers that are slower than two seconds later, and tells so")
  func slow() throws {
    let shown = Turnstile()
    defer { shown.open() }
    let server = try StandInServer { connection in
      while connection.request() != nil {
        // Waits until the other answers are shown.
        shown.pass()
        connection.answer(
          #"{"error":"OK","status_code":1,"number_of_total_results":1,"results":[{"id":7,"name":"France Live","gender":1}]}"#)
      }
    }
    let environment = [
      "COMIC_VINE_BASE_URL": "http://127.0.0.1:\(server.port)/api/", "COMIC_VINE_API_KEY": "k3y", "COMIC_VINE_BUDGET": "unlimited",
    ]
    let (output, errors) = (try Scratch(), try Piped())
    let process = try Binary.start(
      "search france --timeout 600", environment: environment, output: output.descriptor, errors: errors.writing)
    errors.closeWriting()
    errors.read(until: "aggregator: heroes: still searching; what they find follows\n")
    #expect(try output.text().hasPrefix("countries\tFR\tFrance"))
    shown.open()
    let summary = "aggregator: 6 matches in 2 of 4 sources (live: heroes; bundled: countries, products, users)\n"
    #expect(errors.read().hasSuffix(summary))
    #expect(process.wait() == 0)
    #expect(try output.text().hasSuffix("\nheroes\t7\tFrance Live\t\n"))
  }

  @Test("a source with a complete sync answers a search from the store; --live asks its service")
  func stored() async throws {
    let asked = Mutex<[String]>([])
    let services = try await FourServices { path, _ in
      asked.withLock { $0.append(String(path.split(separator: "/")[0])) }
      return false
    }
    try await expect(services.run("remove countries heroes products users"), 0)
    try await expect(services.run("sync ada bob cleo"), 0)
    asked.withLock { $0 = [] }
    let found = try await expect(
      services.run("search p249"), 0,
      errors: "aggregator: 4 matches in 4 of 4 sources (stored just now; live: dora)\n")
    #expect(found.lines == FourServices.names.map { "\($0)\tp249\tp249\t" })
    #expect(Set(asked.withLock { $0 }) == ["dora"])
    asked.withLock { $0 = [] }
    try await expect(services.run("show p249"), 0, output: .has("p249"))
    #expect(asked.withLock { $0 } == [], "the stored records end the search")
    try await expect(services.run("search p249 --live"), 0, errors: "aggregator: 4 matches in 4 of 4 sources\n")
    #expect(Set(asked.withLock { $0 }) == Set(FourServices.names))
  }

  @Test("a search over all sources names those that did not answer in time, with what to type")
  func late() async throws {
    let turnstile = Turnstile()
    let services = try await FourServices { path, _ in
      if path.hasPrefix("/bob") { turnstile.pass() }
      return false
    }
    defer { turnstile.open() }
    try await expect(services.run("remove countries heroes products users"), 0)
    let start = ContinuousClock.now
    try expect(
      Binary.run("search p249", environment: services.environment), 0,
      errors: """
        aggregator: 3 matches in 3 of 4 sources; bob did not answer in time: type \
        'aggregator search p249 --timeout 10'

        """)
    #expect(ContinuousClock.now - start < .seconds(8))
    // The source that did not answer may have the record.
    try expect(
      Binary.run("show p9999", environment: services.environment), 69,
      errors: """
        aggregator: no record of the 3 sources that answered is called "p9999"; bob did not answer in time; \
        try a longer --timeout

        """)
  }

  @Test("a search with --require found fails when nothing is found")
  func found() async throws {
    #expect(try await InProcess.run("countries search qqq --offline").code == 0)
    let outcome = try await InProcess.run("countries search qqq --offline --require found")
    #expect(outcome.code == 3 && outcome.errors.contains("countries: nothing was found (--require)"))
  }

  @Test("a search over all sources checks a requirement for every source")
  func required() async throws {
    let outcome = try await InProcess.run("search fra --offline --require live --limit 1")
    #expect(outcome.code == 3)
    #expect(outcome.errors.contains("aggregator: heroes: the answer is not live (bundled) (--require)"))
  }
}
