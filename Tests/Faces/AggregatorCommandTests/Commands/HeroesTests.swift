import SourceTesting
import Testing

/// The command against a Comic Vine of 250 characters with faults.
struct HeroesTests {
  private func list(_ manner: FakeComicVine.Manner) async throws -> (ids: [Int], tail: String, outcome: Binary.Outcome, vine: FakeComicVine)
  {
    let vine = try FakeComicVine(manner)
    let outcome = try await vine.run("heroes list --all --live --format json --fields id")
    let ids = outcome.output.split(separator: #"{"id":"#).dropFirst().compactMap { Int($0.prefix { $0.isNumber }) }
    let tail = outcome.output.firstRange(of: #""total":"#).map { String(outcome.output[$0.lowerBound...]) } ?? ""
    return (ids, tail, outcome, vine)
  }

  @Test(
    "the last of several totals counts, and the number of rows missing from it is told",
    arguments: [([250, 251, 253], 3), ([300, 280, 250], 0)])
  func moving(totals: [Int], missing: Int) async throws {
    let (ids, tail, outcome, _) = try await list(.init(totals: totals))
    #expect(ids == Array(1...250))
    #expect(outcome.code == (missing == 0 ? 0 : 3))
    #expect(
      tail.contains(
        missing == 0
          ? #""kind":"complete""# : #""kind":"partial","reason":"drift: the list changed while it was read; \#(missing) missing""#)
    )
  }

  @Test(
    "a negative total is ignored",
    arguments: [Int.min, .min + 1, -1], [["list", "--all"], ["search", "spider"], ["next"], ["sync"]])
  func negative(total: Int, words: [String]) async throws {
    let outcome = try await expect(FakeComicVine(.init(totals: [total])).run(["heroes"] + words), 0)
    #expect(!outcome.output.isEmpty)
  }

  @Test("what a full record alone has is unknown of a record that came in a list, and no difference from another one")
  func unknownDetails() async throws {
    let vine = try FakeComicVine()
    try await expect(vine.run("heroes sync"), 0)
    try await expect(vine.run("heroes show 41 --fields powers --require complete,live"), 0, output: .has("Flight"))
    let notice = "unknown: description, powers, teams, origin, birth; a list lacks them, and a record in full has them"
    try await expect(
      vine.run("heroes show 40 --offline --format json"), 0, output: .has(#""powers":null"#), errors: .has(notice))
    let compared = try await expect(vine.run("heroes compare 40 41 --offline --format ndjson"), 0, errors: .has(notice))
    #expect(!compared.output.contains("powers") && compared.output.contains("name"))
    // What is known in full stays known where a younger sync has the same values.
    try await expect(vine.run("heroes sync --full"), 0)
    try await expect(vine.run("heroes show 41 --offline --fields powers"), 0, output: .has("Flight"))
  }

  @Test("a 420 followed by a 200 gives everything, after a wait")
  func calmed() async throws {
    let (ids, tail, outcome, vine) = try await list(.init(moods: [420]))
    #expect(ids == Array(1...250))
    #expect(tail.contains(#""kind":"complete""#))
    #expect(outcome.code == 0)
    #expect(vine.asked.count == 4)
  }

  @Test("a search for everything stops at a thousand and says so, but a limit may be higher")
  func bounded() async throws {
    let row = #"{"id":%,"name":"Spider"}"#
    let server = try StandInServer { connection in
      while let request = connection.request() {
        let page = Int(request.target.split(separator: "&page=").last?.prefix { $0.isNumber } ?? "") ?? 1
        let rows = (0..<10).map { row.split(separator: "%").joined(separator: "\(page * 10 + $0)") }
        connection.answer(#"{"status_code":1,"number_of_total_results":9000,"results":[\#(rows.joined(separator: ","))]}"#)
      }
    }
    func run(_ options: String...) async throws -> Binary.Outcome {
      try await InProcess.run(["heroes", "search", "spider"] + options.words, environment: server.environment(in: Folder.fresh()))
    }
    let all = try await expect(
      run("--all --format json --fields id"), 0, output: .begins(#"{"source":"heroes","query":{"text":"spider","limit":null}"#))
    #expect(
      all.output.hasSuffix(
        #""total":9000,"skipped":0,"duplicates":0,"misfits":{},"verdict":{"kind":"bounded","reason":null}}"# + "\n"))
    #expect(all.errors == "aggregator: heroes: showing the first 1000 of 9000; add --limit N to see more\n")
    #expect(try await run("--limit 1015 --fields id").lines.count == 1015)
  }

  @Test("a hero is shown by number or by name, and an unknown one exits 66")
  func show() async throws {
    let vine = try FakeComicVine()
    #expect(try await vine.run("heroes show 7 --fields name").output == "Name: Spider 7\n")
    #expect(try await vine.run("heroes", "show", "bat 8", "--fields", "id").output == "ID: 8\n")
    #expect(try await vine.run("heroes show 999").code == 66)
    #expect(try await vine.run("heroes show nobody").code == 66)
  }
}
