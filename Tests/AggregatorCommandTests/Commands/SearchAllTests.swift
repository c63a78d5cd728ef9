import AggregatorCore
import SourceTesting
import Testing

/// `search TEXT` over every source at once.
@Suite("Search over all sources") struct SearchAllTests {
  /// Countries never answer, products fail, heroes and people answer.
  private final class Square: Sendable {
    let server: StandInServer

    init() throws {
      server = try StandInServer { connection in
        while let request = connection.request() {
          let path = request.target
          if path.hasPrefix("/countries.json") { continue }
          if path.hasPrefix("/product") {
            connection.answer("<html>no</html>")
          } else if path.hasPrefix("/api/1.4/") {
            connection.answer(#"{"results":[\#(People.row("spider@example.com", uuid: "u"))],"info":{"page":1}}"#)
          } else {
            connection.answer(
              #"{"error":"OK","status_code":1,"number_of_total_results":1,"results":[{"id":7,"name":"Spider Live","gender":1}]}"#)
          }
        }
      }
    }

    func run(_ arguments: String...) throws -> Binary.Outcome {
      let address = "http://127.0.0.1:\(server.port)"
      let environment = [
        "COUNTRIES_URL": "\(address)/countries.json", "PRODUCTS_BASE_URL": address, "RANDOM_USER_BASE_URL": "\(address)/api/1.4/",
        "COMIC_VINE_BASE_URL": "\(address)/api/", "COMIC_VINE_API_KEY": "k3y", "COMIC_VINE_BUDGET": "unlimited",
        "RANDOM_USER_BUDGET": "unlimited",
      ]
      return try withExtendedLifetime(server) {
        try Binary.run([Binary.path, "search"] + arguments, input: "", environment: environment, in: "/")
      }
    }
  }

  @Test("one that hangs and one that fails hold no other, and each has an honest line")
  func hanging() throws {
    let outcome = try Square().run("spider", "--timeout", "700ms")
    #expect(outcome.code == 0)
    #expect(outcome.lines.contains("heroes\t7\tSpider Live\t"))
    #expect(outcome.lines.contains { $0.hasPrefix("users\tspider@example.com\t") })
    let lines = outcome.errors.split(separator: "\n").map(String.init)
    #expect(lines.contains("aggregator: heroes: 1 match; live"))
    #expect(lines.contains { $0.hasPrefix("aggregator: countries: no match; using bundled data: ") && $0.contains("timed out") })
    #expect(lines.contains { $0.hasPrefix("aggregator: products: no match; using bundled data: ") && $0.contains("HTML") })
    // Who hangs comes last.
    #expect(lines.last?.hasPrefix("aggregator: countries: ") == true)
  }

  @Test("with --live those that could not answer say so, and the code is 0 as long as one answered")
  func live() throws {
    let outcome = try Square().run("spider", "--timeout", "700ms", "--live", "--format", "json")
    #expect(outcome.code == 0)
    let answer = try JSON(Array(outcome.output.utf8))
    #expect(try answer.object("query").string("text") == "spider")
    let sources = try answer.array("sources").map { try $0.string("source") }
    // In their own order, though who hangs comes last.
    #expect(sources == ["countries", "heroes", "products", "users"])
    for source in try answer.array("sources") {
      let isAnswered = try ["heroes", "users"].contains(source.string("source"))
      #expect(
        try source.object("verdict").string("kind")
          == (isAnswered ? (source.string("source") == "users" ? "unverifiable" : "complete") : "partial"))
      #expect(
        (try? source.object("origin").string("kind")) == (isAnswered ? (try source.string("source") == "users" ? "cache" : "live") : nil))
    }
    #expect(outcome.errors.contains("aggregator: products: "))
  }

  @Test("where nothing answers, the code is that of the first failure")
  func dead() throws {
    let outcome = try Binary.run("search", "spider", "--live", "--format", "json")
    #expect([69, 77].contains(outcome.code))
    #expect(try JSON(Array(outcome.output.utf8)).array("sources").count == 4)
  }

  @Test("ndjson has one item a line, each with its source")
  func lines() throws {
    let outcome = try Binary.run("search", "fra", "--offline", "--limit", "1", "--format", "ndjson", "--quiet")
    #expect(outcome.code == 0)
    #expect(outcome.errors.isEmpty)
    let sources = try outcome.lines.map { try JSON(Array($0.utf8)).string("source") }
    #expect(sources.sorted() == ["countries", "heroes", "users"])
    #expect(try outcome.lines.allSatisfy { try JSON(Array($0.utf8)).object("item").members.map { $0.key }.count > 5 })
  }

  @Test("what is required is required of every source")
  func required() throws {
    let outcome = try Binary.run("search", "fra", "--offline", "--require", "live", "--limit", "1")
    #expect(outcome.code == 3)
    #expect(outcome.errors.contains("aggregator: heroes: the answer is not live (bundled) (--require)"))
  }
}
