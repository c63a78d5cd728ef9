import Platform
import SourceTesting
import Synchronization
import Testing

/// `next`: the records that were not shown yet, each exactly once.
struct NextTests {
  private func ids(_ vine: FakeComicVine, _ options: String...) async throws -> [Int] {
    try await InProcess.run(["heroes", "next", "--fields", "id"] + options, environment: vine.environment).lines
      .compactMap { Int($0) }
  }

  @Test("next names the service as origin when it was needed, otherwise the store with its age")
  func origin() async throws {
    let vine = try FakeComicVine()
    let first = try await vine.run("heroes next --limit 2 --format json")
    #expect(
      first.output.hasPrefix(#"{"source":"heroes","query":{"text":null,"limit":2},"origin":{"kind":"live","age":null,"reason":null}"#))
    #expect(first.output.contains(#""verdict":{"kind":"bounded","#))
    #expect(first.errors == "")
    try await expect(
      vine.run("heroes next --limit 2 --format json"), 0, output: .has(#""origin":{"kind":"cache","age":"#),
      errors: .begins("aggregator: heroes: cached "))
  }

  @Test("next prints only a notice at the end of the list, which --live asks for anew, and reset starts again without asking")
  func end() async throws {
    let vine = try FakeComicVine()
    #expect(try await ids(vine, "--limit", "240").count == 240)
    try await expect(vine.run("heroes next --format json"), 0, output: .has(#""verdict":{"kind":"complete","#))
    try await expect(
      vine.run("heroes next"), 0, output: "",
      errors: "aggregator: heroes: you have seen everything; type 'aggregator heroes reset' to start again\n")
    let before = vine.asked.count
    // An answer of the service alone is not one that is remembered.
    try await expect(
      vine.run("heroes next --live --format json"), 0, output: .has(#""origin":{"kind":"live""#, #""items":[],"#, #""kind":"complete","#),
      errors: .has("you have seen everything"))
    let asked = vine.asked.count
    #expect(asked > before)
    #expect(try await vine.run("heroes reset").code == 0)
    #expect(try await ids(vine, "--limit", "3") == [1, 2, 3])
    #expect(vine.asked.count == asked)
  }

  @Test("next gives stored records first, also with --live, and suggests leaving that out only where other data can be given")
  func liveAfterStored() async throws {
    let isDown = Mutex(true)
    let house = try FakeProducts(3) { _, connection in
      guard isDown.withLock({ $0 }) else { return false }
      connection.answer("<!DOCTYPE html><html></html>")
      return true
    }
    try await expect(house.run("next --live"), 65, errors: .has("omit --live to use cached or bundled data"))
    isDown.withLock { $0 = false }
    try await expect(house.run("sync"), 0)
    isDown.withLock { $0 = true }
    #expect(try await house.run("next --limit 3 --live --format tsv --fields id").lines == ["0", "1", "2"])
    let outcome = try await house.run("next --live")
    expect(outcome, 65, errors: .has("expected JSON, got an HTML page"))
    #expect(!outcome.errors.contains("omit"), "\(outcome.errors)")
  }

  @Test("next repeats the records that a closed pipe refused, and ends without an error")
  func closedPipe() async throws {
    let vine = try FakeComicVine()
    #expect(try await ids(vine, "--limit", "5") == Array(1...5))
    let (output, errors) = (try Piped(), try Scratch())
    // The pipe is closed before the command writes, so that it notices this at its first record.
    output.closeReading()
    let command = try Binary.start(
      "heroes next --limit 50", environment: vine.environment, output: output.writing, errors: errors.descriptor)
    #expect(command.wait() == 0)
    let said = try errors.text()
    #expect(said.hasPrefix("aggregator: heroes: cached ") && said.split(separator: "\n").count == 1, "\(said)")
    #expect(try await ids(vine, "--limit", "60") == Array(6...65))
  }

  @Test("Ctrl-C before next has printed its rows gives them back", .enabled(if: Tool.exists("python3")))
  func interrupted() async throws {
    let vine = try FakeComicVine()
    #expect(try await ids(vine, "--limit", "1") == [1])
    // Rows that cannot be read are told one by one after they are taken, in more lines than a pipe holds.
    let script = """
      import os, sqlite3
      s = sqlite3.connect(os.environ["S"])
      s.execute("INSERT INTO heroes_record(row, id, fetch, body) WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n "
        + "WHERE i < 3000) SELECT i, i, 1, '{}' FROM n")
      s.commit()
      """
    _ = try Binary.python(script, environment: ["S": "\(vine.folder)/data/aggregator/store.db"])
    let (output, errors) = (try Scratch(), try Piped())
    let command = try Binary.start(
      "heroes next --limit 2000 --offline --verbose", environment: vine.environment, output: output.descriptor, errors: errors.writing)
    errors.closeWriting()
    var byte: UInt8 = 0
    try #require(read(errors.reading, &byte, 1) == 1)
    command.send(SIGINT)
    errors.read()
    #expect(command.wait() == 130)
    #expect(try output.text() == "")
    #expect(try await ids(vine, "--limit", "3") == [2, 3, 4])
  }

  @Test("next continues offline in the stored records, and tells where those end")
  func offline() async throws {
    let vine = try FakeComicVine()
    #expect(try await ids(vine, "--limit", "90") == Array(1...90))
    let rest = try await vine.run("heroes next --offline --fields id")
    #expect(rest.lines.compactMap { Int($0) } == Array(91...100))
    #expect(rest.code == 3)
    let none = try await vine.run("heroes next --offline")
    #expect(none.code == 69)
    #expect(none.errors == "aggregator: heroes: you have seen everything that is stored; omit --offline to ask the service\n")
    #expect(vine.asked.count == 1)
  }

  @Test("next reads the bundled copy apart, and never mixes it with the rows of the service")
  func sample() async throws {
    let vine = try FakeComicVine()
    func sample() async throws -> Binary.Outcome {
      try await vine.run("heroes next --limit 3 --fields name", environment: ["COMIC_VINE_API_KEY": ""])
    }
    let first = try await expect(sample(), errors: .begins("aggregator: heroes: using bundled data: no key is set"))
    #expect(try await Set(first.lines).isDisjoint(with: sample().lines))
    #expect(try await ids(vine, "--limit", "2") == [1, 2])
    // Now the store has rows of the service.
    #expect(try await sample().lines == ["Spider 3", "Bat 4", "Spider 5"])
  }

  @Test("a table is as wide as its widest row")
  func table() async throws {
    let vine = try FakeComicVine()
    let outcome = try await vine.run("heroes next --limit 12 --format table --fields name,publisher")
    #expect(outcome.lines.map { $0.count } == [20] + Array(repeating: 19, count: 12))
  }
}
