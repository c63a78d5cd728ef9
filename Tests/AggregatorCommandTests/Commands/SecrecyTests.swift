import SourceTesting
import Testing

/// The key is in the request and nowhere else.
struct SecrecyTests {
  /// Runs with a key file, so that only what the command does could spread the key.
  private func run(_ words: String, _ vine: Vine) throws -> Binary.Outcome {
    try Folder.write("COMIC_VINE_API_KEY = \(Vine.key)\n", to: "\(vine.folder)/keys.xcconfig")
    return try Binary.shell(
      "chmod 600 keys.xcconfig; exec \"$A\" \(words) --config keys.xcconfig",
      environment: vine.environment.merging(["COMIC_VINE_API_KEY": ""]) { $1 }, in: vine.folder)
  }

  /// Whether any file but the key file holds the key.
  private func leaks(_ vine: Vine) throws -> [String] {
    try Binary.shell("grep -rl \(Vine.key) . | grep -v '^./keys.xcconfig$'", in: vine.folder).lines
  }

  @Test(
    "whatever is asked, however much is told",
    arguments: [
      "heroes search spider", "heroes list --all", "heroes show 7", "heroes show nobody", "heroes next",
      "heroes search spider --record rec",
      "sources", "config", "cache",
    ])
  func output(_ words: String) throws {
    let vine = try Vine()
    let isAsking = words.hasPrefix("heroes")
    let outcome = try run(words + (isAsking ? " --verbose --explain --format json" : " --format json"), vine)
    #expect(!outcome.output.contains(Vine.key))
    #expect(!outcome.errors.contains(Vine.key))
    #expect(try leaks(vine) == [])
    if isAsking {
      #expect(outcome.errors.contains("→ GET"))
      #expect(vine.asked.allSatisfy { $0.contains("api_key=\(Vine.key)") })
    }
  }

  @Test(
    "whatever goes wrong",
    arguments: [
      Vine.Manner(isRefusing: true), Vine.Manner(moods: [420, 420, 420, 420]), Vine.Manner(elsewhere: "http://localhost:9"),
    ])
  func errors(_ manner: Vine.Manner) throws {
    let vine = try Vine(manner)
    for option in ["--live", "--refresh"] {
      let outcome = try run("heroes search spider --verbose --explain \(option) --record rec", vine)
      #expect(outcome.errors.contains("→ GET"))
      #expect(!outcome.errors.contains(Vine.key))
      #expect(!outcome.output.contains(Vine.key))
    }
    #expect(try leaks(vine) == [])
  }

  @Test("a service that repeats the key in its answer does not bring it into a recording")
  func echoed() throws {
    let server = try StandInServer { connection in
      while connection.request() != nil {
        connection.answer(
          #"{"status_code":1,"number_of_total_results":1,"results":[{"id":1,"name":"A","site_detail_url":"https://x/?api_key=\#(Vine.key)"}]}"#
        )
      }
    }
    let folder = try Folder.fresh()
    let outcome = try Binary.run(
      [Binary.path, "heroes", "search", "a", "--record", folder, "--live"], input: "",
      environment: ["COMIC_VINE_BASE_URL": "\(server.address("/api/"))", "COMIC_VINE_API_KEY": Vine.key, "COMIC_VINE_BUDGET": "unlimited"],
      in: "/")
    #expect(outcome.code == 0)
    #expect(try !Folder.read("\(folder)/heroes.har").contains(Vine.key))
  }

  @Test("it does not follow a redirect to another host")
  func redirect() throws {
    let other = try StandInServer { connection in while connection.request() != nil { connection.answer("{}") } }
    let outcome = try Vine(.init(elsewhere: "http://127.0.0.1:\(other.port)")).run("heroes", "search", "spider", "--explain")
    #expect(outcome.code != 0)
    #expect(outcome.output == "")
    #expect(other.connections == 0)
  }

  @Test("nor is it among the words of the process, for whoever lists them", .enabled(if: Tool.exists("ps")))
  func arguments() throws {
    let turnstile = Turnstile()
    let arrived = Signal()
    let vine = try Vine(turnstile: turnstile, onRequest: { arrived.send() })
    try Folder.write("COMIC_VINE_API_KEY = \(Vine.key)\n", to: "\(vine.folder)/keys.xcconfig")
    let streams = try (0..<3).map { _ in try Scratch() }
    let command = try Spawned(
      [Binary.path, "heroes", "search", "spider", "--limit", "1", "--config", "keys.xcconfig"],
      environment: Binary.environment.merging(vine.environment) { $1 }.merging(["COMIC_VINE_API_KEY": ""]) { $1 }, in: vine.folder,
      descriptors: streams.map(\.descriptor))
    arrived.wait()
    let words = try Binary.shell("ps -o args= -p \(command.id)").output
    turnstile.open()
    #expect(command.wait() == 0)
    #expect(words.contains("heroes search spider"))
    #expect(!words.contains(Vine.key))
  }
}
