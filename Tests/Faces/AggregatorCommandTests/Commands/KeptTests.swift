import SourceTesting
import Testing

/// Earlier answers, and when they are used again.
struct KeptTests {
  /// The environment of a service that has given some answers and is gone.
  private func left(after questions: [String]...) async throws -> [String: String] {
    let vine = try FakeComicVine()
    for question in questions {
      try await expect(InProcess.run(["heroes"] + question, environment: vine.environment), 0)
    }
    return vine.environment
  }

  @Test("without the network the last answer is given again, with its age and the reason")
  func gone() async throws {
    let environment = try await left(after: ["search", "spider"])
    let again = try await expect(
      InProcess.run("heroes search SPIDER --format json", environment: environment), 0,
      output: .has(#""origin":{"kind":"cache","age":"#, #""name":"Spider 39""#))
    #expect(
      again.output.hasSuffix(
        #""total":125,"skipped":0,"duplicates":0,"misfits":{},"verdict":{"kind":"bounded","reason":null}}"# + "\n"))
    #expect(again.errors.hasPrefix("aggregator: heroes: cached "))
    #expect(try await InProcess.run("heroes search spider --live", environment: environment).code == 69)
  }

  @Test("--offline with --max-age says so if the best that is stored is older")
  func older() async throws {
    let environment = try await left(after: ["search", "spider"])
    let old = try await expect(InProcess.run("heroes search spider --offline --max-age 1ms", environment: environment), 0)
    #expect(
      old.errors.contains("heroes: older than 1 ms, and nothing younger is stored; omit --offline to ask the service\n"), "\(old.errors)")
    #expect(try await !InProcess.run("heroes search spider --offline --max-age 1d", environment: environment).errors.contains("older"))
  }

  @Test("another question is answered offline from the store, which tells that it is a part, or else from the bundled copy")
  func neverAsked() async throws {
    let environment = try await left(after: ["search", "spider", "--all"], ["next"])
    let batman = try await InProcess.run("heroes search bat --offline --format json", environment: environment)
    #expect(batman.output.contains(#""origin":{"kind":"cache","#))
    #expect(!batman.output.contains("Spider 1"))
    #expect(batman.output.contains(#""name":"Bat 2""#))
    #expect(
      batman.errors.contains(
        "heroes: partly synced just now, then bundled data (--offline); type 'aggregator heroes sync' to fetch the rest\n"),
      "\(batman.errors)")
    try await expect(
      InProcess.run("heroes list --all --offline", environment: environment), 3, output: .has("Batman"),
      errors: .has("heroes: incomplete: the list was never synced completely"))
    let spider = try await InProcess.run("heroes search spider --all --offline --format json", environment: environment)
    #expect(spider.output.hasSuffix(#""verdict":{"kind":"complete","reason":null}}"# + "\n"))
    #expect(spider.errors.hasPrefix("aggregator: heroes: cached ") && spider.errors.hasSuffix(" (--offline)\n"))
  }

  @Test("the records of an unfinished sync come before the bundled copy, with a notice how to continue")
  func unfinished() async throws {
    var manner = FakeComicVine.Manner()
    manner.fails = { $0.contains("offset=99") || $0.contains("offset=100") }
    let vine = try FakeComicVine(manner)
    let environment = vine.environment
    try await expect(InProcess.run("heroes sync", environment: environment), 3)
    try await expect(InProcess.run("heroes show 7 --offline --fields name", environment: environment), output: "Name: Spider 7\n")
    let found = try await expect(
      InProcess.run("heroes search spider --offline --all -o json", environment: environment), 3,
      output: .has(#""name":"Spider 99""#, #""name":"Spider-Man""#, #""verdict":{"kind":"partial","reason":"#))
    // The total of two joined lists is unknown.
    #expect(found.output.contains(#""total":null"#))
    #expect(try await InProcess.run("heroes list --count --offline", environment: environment).code == 3)
    #expect(found.errors.split(separator: "\n").count { $0.contains("'aggregator heroes sync'") } == 1, "\(found.errors)")
  }

  @Test("a record from an earlier show is shown again offline, in any spelling of its name")
  func shown() async throws {
    let environment = try await left(after: ["show", "Bat 8"])
    #expect(
      try await InProcess.run("heroes", "show", "bat 8", "--offline", "--fields", "publisher", environment: environment).output
        == "Publisher: Loopback\n")
    #expect(try await InProcess.run("heroes", "show", "Bat 6", "--offline", environment: environment).code == 66)
  }

  @Test(
    "a young answer is given without asking, an old one is not, and --refresh always asks",
    arguments: [("--max-age 1h", [:]), ("", ["AGGREGATOR_MAX_AGE": "1h"])])
  func maxAge(option: String, environment: [String: String]) async throws {
    let vine = try FakeComicVine()
    func search(_ more: String = "") async throws -> Binary.Outcome {
      try await vine.run("heroes search spider --limit 10 \(option) \(more)", environment: environment)
    }
    for _ in 0..<2 { _ = try await search() }
    #expect(vine.asked.count == 1)
    try await expect(search("--format json"), output: .has(#""origin":{"kind":"cache","age":"#, #""reason":null},"items""#))
    _ = try await search("--refresh")
    _ = try await vine.run("heroes search spider --limit 10")
    #expect(vine.asked.count == 3)
    // An option on the line counts more than a setting.
    if option.isEmpty { for insisting in ["--live", "--max-age 1ms"] { _ = try await search(insisting) } }
    #expect(vine.asked.count == (option.isEmpty ? 5 : 3))
  }

  @Test("--max-age 0 always asks, and so does the setting 0", arguments: [("--max-age 0", [:]), ("", ["AGGREGATOR_MAX_AGE": "0"])])
  func noAge(option: String, environment: [String: String]) async throws {
    let vine = try FakeComicVine()
    for asked in 1...2 {
      try await expect(
        vine.run("heroes search spider --limit 1 --fields name \(option)", environment: environment), 0, output: "Spider 1\n")
      #expect(vine.asked.count == asked)
    }
    // An option on the line counts more than a setting.
    let young = try await vine.run("heroes search spider --limit 1 --max-age 0", environment: ["AGGREGATOR_MAX_AGE": "1h"])
    #expect(young.code == 0 && vine.asked.count == 3)
    try await expect(
      vine.run("heroes list --max-age -1"), 64,
      errors: .has("--max-age must be a length of time, such as 10m or 1d, or 0 to always ask"))
  }

  @Test("cached answers are listed, and clearing removes answers and nothing else")
  func cache() async throws {
    let vine = try FakeComicVine()
    #expect(try await vine.run("cache --format json").output == "[]\n")
    _ = try await vine.run("heroes search spider")
    _ = try await vine.run("heroes next --limit 3")
    let kept = try await vine.run("cache --fields source,kind,rows")
    #expect(kept.lines == ["heroes\trecords\t100", "heroes\tanswers\t2"])
    #expect(try await vine.run("cache clear").errors == "aggregator: cleared 2 cached answers and 0 pictures; records kept\n")
    #expect(try await vine.run("cache --fields source,kind,rows").lines == ["heroes\trecords\t100"])
    #expect(try await vine.run("heroes next --limit 1 --fields id").output == "4\n")
  }

  @Test("no process waits again for a host that could not be reached a moment ago")
  func unreachable() async throws {
    // No process listens at port 1. Another test may get the port of a server that is gone.
    let environment = try await left() + ["COMIC_VINE_BASE_URL": "http://127.0.0.1:1/api/"]
    var again: Binary.Outcome
    var tries = 0
    repeat {
      #expect(try await InProcess.run("heroes list --live", environment: environment).code == 69)
      again = try await InProcess.run("heroes list --explain --limit 1", environment: environment)
      tries += 1
      // Half a minute later the host is asked again, so a machine that is very busy gets another try.
    } while again.errors.contains("→ GET") && tries < 5
    #expect(again.code == 0)
    #expect(!again.errors.contains("→ GET"))
    #expect(try await InProcess.run("heroes list --explain --limit 1 --refresh", environment: environment).errors.contains("→ GET"))
  }

  @Test("without a home nothing is cached, and this is told")
  func homeless() throws {
    let vine = try FakeComicVine()
    let line = "exec env -i COMIC_VINE_BASE_URL=$COMIC_VINE_BASE_URL COMIC_VINE_API_KEY=k COMIC_VINE_BUDGET=unlimited \"$A\" heroes "
    let search = try Binary.shell(line + "search spider --limit 1 --fields name", environment: vine.environment)
    #expect(search.output == "Spider 1\n")
    #expect(search.errors == "aggregator: nothing is stored: neither XDG_DATA_HOME nor HOME names a folder\n")
    try expect(Binary.shell(line + "next --limit 2 --fields name", environment: vine.environment), output: "Spider 1\nBat 2\n")
    try expect(
      Binary.shell(line + "sync -q", environment: vine.environment), 0,
      errors: .has("nothing is stored: neither XDG_DATA_HOME nor HOME names a folder"))
  }
}
