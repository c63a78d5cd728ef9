import AggregatorCore
import Platform
import SourceTesting
import Synchronization
import Terminal
import Testing

/// `--format report` of `sync` and `changes`: news for a mail.
@Suite("reports") struct ReportTests {
  /// Four services whose lists have the rows of `rows`, a name and a level each; a list without rows fails.
  func services(_ rows: @escaping @Sendable (_ name: String) -> [(String, Int)]?) async throws -> FourServices {
    try await FourServices { path, connection in
      let parts = path.split { "/?&=".contains($0) }
      guard let all = rows(String(parts[0])) else {
        connection.answer(status: "401 Unauthorized", "{}")
        return true
      }
      let offset = parts.firstIndex(of: "offset").flatMap { Int(parts[$0 + 1]) } ?? 0
      let listed = all.dropFirst(offset).map { #"{"\#($0.0.isEmpty ? "nameless" : "name")":"\#($0.0)","level":\#($0.1)}"# }
        .joined(separator: ",")
      connection.answer(#"{"count":\#(all.count),"results":[\#(listed)]}"#)
      return true
    }
  }

  /// Returns the text with each time in it replaced by `TIME`.
  func timeless(_ text: String) -> String {
    text.replacing(/\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ| \d\d:\d\d UTC)/, with: "TIME")
  }

  @Test("the report of a sync of one source has counts first, then each record, and is empty without news")
  func one() async throws {
    let step = Mutex(0)
    let services = try await services { _ in
      step.withLock { $0 } == 0 ? [("a", 1), ("b", 1), ("c", 1)] : [("a", 1), ("b", 2), ("d\\tx\\u202e\\ny\\u001b[31m", 7)]
    }
    try await expect(
      services.run("ada sync --format report"), 0,
      output: """
        ada: 3 new
          records are listed from the second complete sync on

        """, errors: "")
    try await expect(services.run("ada sync --format report"), 0, output: "", errors: "")
    step.withLock { $0 = 1 }
    try await expect(
      services.run("ada sync --format report"), 0,
      output: """
        ada: 1 new, 1 updated, 1 gone (1 unchanged)

        b: updated
          level  1 → 2
        c: gone
        d x y: new

        """, errors: "")
    try await expect(services.run("ada sync --format report"), 0, output: "", errors: "")
  }

  @Test("the report of a sync of several sources has a total, a line for each with news, the records, and each failure once")
  func several() async throws {
    let step = Mutex(0)
    let services = try await services { name in
      let step = step.withLock { $0 }
      switch name {
      case "ada": return step == 0 ? [("x", 1), ("y", 2)] : [("x", 5), ("y", 2)]
      case "bob": return step == 0 ? [("z", 1)] : nil
      case "cleo": return step == 0 ? [("k", 1)] : [("k", 1), ("l", 3)]
      default: return [("q", 1)]
      }
    }
    try await expect(services.run("sync ada bob cleo dora"), 0)
    step.withLock { $0 = 1 }
    let news = """
      4 sources: 3 complete, 1 failed; 1 new, 1 updated

      cleo: 1 new (1 unchanged)
      bob: failed: the service wants a key (HTTP 401); name it under "keys"
        in FILE
        stored: 1 row of DAY
      ada: 1 updated (1 unchanged)

      l (cleo l): new

      x (ada x): updated
        level  1 → 5

      """
    func report(_ services: FourServices, _ line: String) async throws -> String {
      let text = try await expect(services.run("\(line) --format report"), 77, errors: "").output
      // Where a line ends depends on the length of the folder's name.
      return text.replacing(/"keys"\s+in[\s\S]*?j\s*s\s*o\s*n/, with: "\"keys\"\n  in FILE")
        .replacing(/\d+ (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)( \d+)?/, with: "DAY")
    }
    #expect(try await report(services, "sync dora cleo bob ada") == news)
    // From the second time on it says since when, and how often.
    #expect(
      try await report(services, "sync cleo bob") == """
        2 sources: 1 complete, 1 failed

        bob: failed: the service wants a key (HTTP 401); name it under "keys"
          in FILE
          failed since DAY (2 times); stored: 1 row of DAY

        """)
    try await expect(services.run("sync ada cleo dora --format report"), 0, output: "", errors: "")
    let others = try await self.services { _ in nil }
    #expect(
      try await report(others, "sync ada bob") == """
        2 sources: 2 failed

        ada: failed: the service wants a key (HTTP 401); name it under "keys"
          in FILE
          nothing stored
        bob: failed: the service wants a key (HTTP 401); name it under "keys"
          in FILE
          nothing stored

        """)
    // A single source ends as it does without a report: its error is told on standard error, once.
    try await expect(
      services.run("bob sync --format report"), 77, output: "",
      errors: .has("bob: failed since", "(3 times); stored: 1 row of", "aggregator: bob: the service wants a key (HTTP 401)"))
  }

  @Test("a report has one line for a field that changed alike in many records; programs get every change")
  func folded() async throws {
    let step = Mutex(0)
    let services = try await FourServices { path, connection in
      let offset = path.split(separator: "offset=").last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
      let step = step.withLock { $0 }
      let rows = (offset..<100).map { number in
        let level = step == 0 ? "\(number)" : number == 99 ? "7" : "null"
        return #"{"name":"n\#(number)","level":\#(level)}"#
      }
      connection.answer(#"{"count":100,"results":[\#(rows.joined(separator: ","))]}"#)
      return true
    }
    try await expect(services.run("sync ada bob"), 0)
    step.withLock { $0 = 1 }
    let sync = try await services.run("ada sync --format report").output
    #expect(sync.hasSuffix("\n\nn99: updated\n  level  99 → 7\nlevel: 99 × to (none)\n") && sync.hasPrefix("ada: 100 updated\n"), "\(sync)")
    try await expect(services.run("bob sync"), 0)
    for line in ["changes ada bob --since last:mail --format report", "changes ada bob --limit 2 --format report"] {
      let text = timeless(try await services.run(line).output)
      let lists = ["ada", "bob"].map { "n99 (\($0) n99): updated TIME\n  level  99 → 7\nlevel (\($0)): 99 × to (none)\n" }
      #expect(text.hasSuffix("\n\n" + lists.joined(separator: "\n")), "\(text)")
    }
    #expect(
      try await services.run("ada changes --format table").output == "n99: updated just now\n  level  99 → 7\n\nlevel: 99 × to (none)\n")
    for format in ["ndjson", "tsv"] { #expect(try await services.run("ada changes --format \(format)").lines.count == 100) }
    #expect(try await JSON(Array(services.run("ada changes --format json").output.utf8)).asArray().count == 100)
  }

  @Test("a report says once that the records of several sources are not listed yet")
  func once() async throws {
    let services = try await services { _ in [("x", 1)] }
    #expect(
      try await services.run("sync ada bob --format report").output == """
        2 sources: 2 complete; 2 new

        ada: 1 new
        bob: 1 new

        ada, bob: records are listed from the second complete sync on

        """)
  }
  @Test("a report lists twenty of very many records, with the command that lists the others; a reader is shown all of them")
  func cap() async throws {
    let count = Mutex(1)
    let services = try await services { _ in count.withLock { count in (0..<count).map { ("n\($0)", 1) } } }
    try await expect(services.run("ada sync"), 0)
    count.withLock { $0 = 100 }
    let sync = try await services.run("ada sync --format report")
    let listed = (80...99).reversed().map { "n\($0)" }
    let more = "and 79 more: aggregator ada changes --since TIME"
    #expect(
      timeless(sync.output).split(separator: "\n")
        == ["ada: 99 new (1 unchanged)"] + listed.map { "\($0): new" } + [more[...]])
    // That command prints them all.
    let words = try #require(sync.output.firstMatch(of: /aggregator (.*)\n/)).1
    #expect(try await services.run("\(words) --format tsv").lines.count == 99)
    let changes = try await services.run("changes ada bob --since 1d --format report")
    #expect(
      timeless(changes.output).split(separator: "\n")
        == ["2 sources: 99 new since TIME", "ada: 99 new"] + listed.map { "\($0) (ada \($0)): new TIME" } + [
          more[...], "bob: changes are known from the second complete sync on; type", "  'aggregator bob sync'",
        ])
    // What a reader is not shown now would never be shown, so all of it is.
    let news = try await services.run("changes ada bob --since last:mail --format report")
    #expect(
      timeless(news.output).split(separator: "\n")
        == ["2 sources: 99 new since mail last asked", "ada: 99 new"]
        + (1...99).reversed().map { "n\($0) (ada n\($0)): new TIME" } + [
          "bob: changes are known from the second complete sync on; type", "  'aggregator bob sync'",
        ])
    // News that was told is not told again.
    try await expect(services.run("changes ada --since last:mail --format report"), 0, output: "", errors: "")
    let limited = try await services.run("ada changes --since last:other --limit 30 --format report")
    #expect(limited.lines.first == "ada: 99 new since other last asked" && limited.lines.count == 34 && limited.errors == "")
    #expect(
      limited.lines.suffix(3) == [
        "showing the first 30 of 99 changes",
        "not all were printed, so that the next --since last:other begins where", "  this one did",
      ])
    // With a limit that leaves nothing out, all changes are told.
    #expect(try await services.run("ada changes --since last:other --limit 99 --format report").lines.count == 100)
  }

  @Test("the report of changes has counts since a time, then the records with their times; an empty one moves the place too")
  func changes() async throws {
    let level = Mutex(1)
    let services = try await services { name in [("x", level.withLock { $0 }), ("y", name == "ada" ? 1 : level.withLock { $0 })] }
    try await expect(
      services.run("ada changes --format report"), 0,
      output: """
        ada: changes are known from the second complete sync on; type
          'aggregator ada sync'

        """, errors: "")
    // Without knowledge of changes, a report does not say that nothing changed.
    try await expect(
      services.run("changes ada bob --format report"), 0,
      output: """
        ada, bob: changes are known from the second complete sync on; type
          'aggregator sync'

        """, errors: "")
    try await expect(services.run("sync ada bob"), 0)
    for line in ["ada changes", "changes ada bob", "changes ada bob cleo", "changes ada --since last:mail"] {
      try await expect(services.run("\(line) --format report"), 0, output: "", errors: "")
    }
    level.withLock { $0 = 2 }
    try await expect(services.run("sync ada bob"), 0)
    let one = try await expect(services.run("ada changes --since 2026-01-01 --format report"), 0, errors: "").output
    #expect(
      one.hasPrefix("ada: 1 updated since 2026-01-01 00:00 UTC\n")
        && timeless(one) == """
          ada: 1 updated since TIME

          x: updated TIME
            level  1 → 2

          """
    )
    let all = try await services.run("changes ada bob --format report").output
    #expect(
      timeless(all) == """
        2 sources: 3 updated

        ada: 1 updated
        bob: 2 updated

        x (ada x): updated TIME
          level  1 → 2

        y (bob y): updated TIME
          level  1 → 2
        x (bob x): updated TIME
          level  1 → 2

        """)
    #expect(
      try await services.run("ada changes --since last:mail --format report").output.hasPrefix("ada: 1 updated since mail last"))
    try await expect(services.run("ada changes --since last:mail --format report"), 0, output: "", errors: "")
    try await expect(
      services.run("ada changes --since last:mail --require found --format report"), 3,
      output: """
        ada: nothing changed since mail last asked
          nothing was found (--require)

        """, errors: "")
  }

  @Test("a file with the ending of reports gets a report; without news the file is empty")
  func file() async throws {
    let services = try await services { _ in [("x", 1)] }
    try await expect(services.run("ada sync -o news.report"), 0, output: "", errors: "")
    #expect(try Folder.read("\(services.folder)/news.report").hasPrefix("ada: 1 new\n"))
    try await expect(services.run("ada sync -o news.report"), 0, output: "", errors: "")
    #expect(try Folder.read("\(services.folder)/news.report") == "")
    try await expect(services.run("changes ada -o changes.report"), 0, output: "", errors: "")
    #expect(try Folder.read("\(services.folder)/changes.report") == "")
  }

  @Test("only sync and changes have reports: other verbs refuse the option, and ignore it as a default of the settings")
  func choice() async throws {
    let services = try await services { _ in [("x", 1)] }
    for line in ["ada list", "search x", "sources", "ada show x", "import ada rows.csv", "ada next"] {
      try await expect(
        services.run("\(line) --format report"), 64, output: "",
        errors: .has("aggregator: only sync and changes have --format report; choose one of table, cards, json,"))
      try await expect(services.run("\(line) -o a.report"), 64, errors: .has("only sync and changes have --format report"))
    }
    try await expect(
      services.run("ada changes --format report --fields id"), 64,
      errors: .has("a report has no columns; omit --fields, or choose another --format"))
    try await expect(
      services.run("ada sync --format raport"), 64, errors: .has("singer, report", "did you mean \"--format report\"?"))

    let environment = services.environment + ["AGGREGATOR_FORMAT": "report"]
    func run(_ line: String) async throws -> Binary.Outcome {
      try #require(await InProcess.run(typed: "aggregator \(line)", environment: environment, in: services.folder))
    }
    try await expect(run("ada sync"), 0, output: .has("ada: 1 new\n"), errors: "")
    for line in ["ada sync", "sync ada", "ada changes", "changes ada"] {
      try await expect(run(line), 0, output: "", errors: "")
    }
    try await expect(run("ada sync --format tsv"), 0, output: .has("ada\t1\t"))
    try await expect(run("ada list --offline -q --fields name"), 0, output: "x\n")
    func offered(_ line: String) async throws -> Bool { try await services.run("__complete -- \(line)").lines.contains("report") }
    for line in ["ada sync", "ada changes", "sync", "changes"] { #expect(try await offered("\(line) --format ''"), "\(line)") }
    for line in ["ada list", "search x", "sources"] { #expect(try await !offered("\(line) --format ''"), "\(line)") }
    #expect(try await services.run("__complete -- changes --format=r").lines.contains("--format=report"))
  }

  @Test("no line of a report is wider than 72 columns, and no character in it moves a cursor")
  func width() async throws {
    let step = Mutex(0)
    let long = String(repeating: "東京タワー", count: 40) + String(repeating: "\\u202e\\u001b[2J\\n", count: 5)
    let services = try await services { _ in
      step.withLock { $0 } == 0 ? [("k", 1)] : [("k", 2), (long, 1), ("👩‍👩‍👧‍👦 family", 3)]
    }
    try await expect(services.run("sync ada bob"), 0)
    step.withLock { $0 = 1 }
    for line in ["sync ada bob", "ada changes", "changes ada bob"] {
      let text = try await services.run("\(line) --format report").output
      #expect(text.contains("東京タワー") && text.contains("…"), "\(text)")
      #expect(text.split(separator: "\n").allSatisfy { DisplayWidth.of(String($0)) <= 72 }, "\(text)")
      #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202E }, "\(text)")
    }
  }
}
