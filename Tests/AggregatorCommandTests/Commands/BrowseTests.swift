import AggregatorCore
import Platform
import SourceTesting
import Terminal
import Testing

/// The browser on a real terminal, against services that are slow and that fail.
/// No step waits for a length of time: each waits for what it expects to see.
@Suite(.timeLimit(.minutes(30)), .enabled(if: Multiplexer.isInstalled, "tmux is not installed"))
struct BrowseTests {
  @Test("the browser tells the time and the host while a service is silent, and a key shows the data at hand")
  func silent() throws {
    let service = try Service { if $0.request() != nil { $0.untilClosed() } }
    let shell = try Multiplexer(environment: service.environment)
    // Without this option it would not wait so long.
    try shell.type("\"$A\" browse countries --refresh --no-motion")
    try shell.wait("what is waited for") { $0.contains(/loading, \d+ s: waiting for 127\.0\.0\.1:\d+; s shows what is at hand/) }
    try shell.press("s", see: "> Afghanistan")
    try shell.waitFor("100 of 250 · using bundled data: the service was not waited for")
    try shell.press("/")
    try shell.press("g", "e", "r", "m")
    try shell.wait("the search") { $0.contains(/searching, \d+ s: waiting for .*; Ctrl-O shows what is at hand/) }
    try shell.press("C-o", see: "> Germany")
    try shell.press("C-c")
    try shell.waitForPrompt()
  }

  @Test("G goes to the very end of the bundled copy, over any number of pages")
  func end() throws {
    let shell = try Multiplexer()
    try shell.type("\"$A\" browse heroes --offline", see: "100 of 319 · using bundled data (--offline)")
    try shell.press("G")
    let lines = try shell.waitFor("all 319 · using bundled data (--offline)")
    #expect(lines[0].contains("[2 heroes (319)]") && lines[19].hasPrefix("> "), "\(lines)")
    try shell.press("q")
  }

  @Test("a signal ends the browser even if the terminal is not read")
  func unread() throws {
    let terminal = try Terminal("browse countries --offline", columns: 200, rows: 100)
    try terminal.waitFor("Afghanistan")
    terminal.stopTaking()
    terminal.type("G")
    terminal.process.send(SIGTERM)
    #expect(terminal.process.wait() == -SIGTERM)
  }

  @Test(
    "a signal that ends the browser leaves the terminal as it was, and so does a crash",
    arguments: [
      "TERM": SIGTERM, "HUP": SIGHUP, "INT": SIGINT, "QUIT": SIGQUIT, "SEGV": SIGSEGV, "ABRT": SIGABRT, "ILL": SIGILL, "TRAP": SIGTRAP,
      "FPE": SIGFPE, "BUS": SIGBUS, "USR1": SIGUSR1, "ALRM": SIGALRM,
    ])
  func killed(name: String, number: Int32) throws {
    let shell = try Multiplexer()
    try shell.type(
      "stty -a >before; ulimit -c 0; clear; echo one line above; sh -c 'echo $$ >id; exec \"$A\" browse --offline'; echo ended with $?")
    // Waits for the whole last frame, because a signal in the middle of a frame would leave the rest of it.
    for part in ["(250)", "Afghanistan", "? keys"] { try shell.waitFor(part) }
    #expect(try shell.modes == "1 1 0")
    _ = try Binary.shell("kill -\(name) $(cat \(shell.folder)/id)")
    let lines = try shell.waitFor("ended with \(128 + number)")
    #expect(lines[0] == "one line above" && !lines.joined().contains("countries"), "\(lines)")
    #expect(try shell.modes == "0 1 0")
    try shell.type("stty -a | cmp - before && echo as it was", see: "\nas it was")
  }

  @Test("the browser leaves the terminal before every suspension")
  func suspended() throws {
    let shell = try Multiplexer()
    try shell.type("clear; \"$A\" browse --offline")
    for _ in 0..<12 {
      try shell.wait("the list") { $0.contains("> Afghanistan") && $0.contains("? keys") }
      try shell.press("C-z")
      try shell.waitForPrompt()
      guard try shell.modes == "0 1 0" else {
        Issue.record("\(try shell.lines)")
        return
      }
      try shell.type("clear; fg")
    }
  }

  @Test("a browser that is stopped and resumed from outside is drawn anew", .enabled(if: Tool.exists("bash"), "bash is not installed"))
  func stopped() throws {
    let shell = try Multiplexer()
    // A shell that takes the terminal back from a program that could not restore it.
    try shell.type("exec bash --norc -i")
    try shell.type("PS1='again> '; clear")
    try shell.wait("a prompt") { $0.hasPrefix("again>") }
    try shell.type("sh -c 'echo $$ >id; exec \"$A\" browse --offline'", see: "? keys")
    _ = try Binary.shell("kill -STOP $(cat \(shell.folder)/id)")
    try shell.waitFor("topped")
    try shell.type("fg")
    try shell.wait("the list and nothing else") { $0.contains("> Afghanistan") && !$0.contains("topped") && !$0.contains("again>") }
    try shell.press("q")
    try shell.wait("the shell") { _ in try shell.modes == "0 1 0" }
  }
}

/// Ctrl-C, as a key and as a signal, at random moments.
@Suite(.timeLimit(.minutes(30))) struct InterruptedBrowseTests {
  enum Search: CaseIterable { case atOnce, afterPause, answered, unanswered }

  @Test("Ctrl-C ends the browser at every moment of a search", arguments: Search.allCases)
  func searching(search: Search) throws {
    let rounds = (Tool.variable("AGGREGATOR_CTRL_C_TRIES").flatMap { Int($0) } ?? 16) / Search.allCases.count
    let isOffline = search == .atOnce || search == .afterPause
    let dice = SeededDice(seed: 18)
    // The number of looks until the search result is shown, which is measured once; it is the range of the dice.
    var life = search == .unanswered ? 4_000 : 0
    for round in 0..<rounds {
      let (turnstile, isAsked) = (Turnstile(), Signal())
      let vine = try FakeComicVine(turnstile: turnstile, onSearch: { isAsked.send() })
      let terminal = try Terminal(
        "browse", isOffline ? "countries" : "heroes", columns: 80, rows: 24, options: isOffline ? ["--offline"] : [],
        environment: vine.environment)
      turnstile.admit()
      try terminal.waitFor(isOffline ? "Afghanistan" : "Spider 1")
      terminal.type(search == .afterPause ? "/zzz" : "/zzz\r")
      if !isOffline { isAsked.wait() }
      if search == .answered { turnstile.open() }
      // The search finds nothing, and the screen says so.
      var isFound: Bool { terminal.shown.contains("match") }
      if life == 0 {
        while !isFound, life < 1 << 26 {
          terminal.look(times: 100)
          life += 100
        }
      } else {
        // Half of the interrupts come at any moment, and half at about the time of the result.
        terminal.look(times: round.isMultiple(of: 2) ? dice.index(below: life * 2) : life - life / 8 + dice.index(below: life / 4))
      }
      if search != .unanswered { life += isFound ? -life / 16 : life / 16 }
      if round % 5 == 4 { terminal.process.send(SIGINT) } else { terminal.type("\u{3}") }
      #expect(terminal.end() == 130, "round \(round), after \(terminal.shown.suffix(200).debugDescription)")
    }
  }
}

/// The browser without a terminal to draw on.
struct PlainBrowseTests {
  @Test("browse --plain pages, searches, shows a record and lists the commands")
  func plain() async throws {
    let outcome = try await InProcess.run(
      "browse --plain --offline", input: "?\n\n/germany\n1\n/\nheroes\n/batman\n1\n/zzzzqq\nnonsense\nq\n")
    #expect(outcome.code == 0 && outcome.errors.isEmpty)
    for line in [
      "100 of 250 · using bundled data (--offline)", "1 of 100: Afghanistan, AS. AF. Kabul",
      "11 of 100: Argentina, SA. AR. Buenos Aires",
      "all 1 · using bundled data (--offline)", "1 of 1: Germany, EU. DE. Berlin", "Capital: Berlin", "Name: Batman",
      "/TEXT: search by name, capital, currency or language; / alone shows everything",
      "\"nonsense\" is not known; type ? for what can be typed",
    ] { #expect(outcome.output.contains(line), "\(line) in:\n\(outcome.output)") }
    #expect(outcome.output.contains("no heroes match \"zzzzqq\"") && !outcome.output.utf8.contains(0x1B))
  }

  @Test("every way to say quit leaves browse --plain", arguments: ["q", ":q", ":quit"])
  func quits(line: String) async throws {
    let outcome = try await InProcess.run("browse countries --plain --offline", input: "\(line)\nnonsense\n")
    #expect(outcome.code == 0 && !outcome.output.contains("nonsense"), "\(outcome.output)")
  }

  @Test("browse tells the values that do not fit their fields")
  func misfits() async throws {
    let orders = try await FakeOrders([#"{"id":"1","total":"many"}"#, #"{"id":"2","total":2}"#])
    try await expect(
      orders.run("browse orders --plain", input: "q\n"), 0, output: .has("all 2 · live · values that do not fit: 1 of total"))
  }

  @Test("browse --plain runs the lines of the browser, and a file from it is the one that list writes")
  func lines() async throws {
    let folder = try Folder.fresh()
    let outcome = try await InProcess.run(
      "browse --plain --offline",
      input:
        ":where region=EU\n:sort -name\n:export a.csv\n:export a.json\n:export a.nope\n:sort nmae\n:status\n:find batman\n:changes\n?\nq\n",
      in: folder)
    #expect(outcome.code == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    for line in [
      "all 53 that match · using bundled data (--offline)", "wrote 53 records to a.csv, complete, using bundled data",
      "a.nope has no ending of a format", "unknown field \"nmae\"", "4 sources, none failing or partial",
      "in 4 sources · bundled: countries, heroes, products, users",
      "no changes; those of a list are known from its second complete sync on",
      ":where FIELD=VALUE: only records that meet the condition",
    ] { #expect(outcome.output.contains(line), "\(line) in:\n\(outcome.output)") }
    for ending in ["csv", "json"] {
      let list = try await InProcess.run(
        "countries list --offline --all --where region=EU --sort -name -q -o b.\(ending)", in: folder)
      #expect(list.code == 0 && list.errors.isEmpty, "\(list.errors)")
      #expect(try Folder.read("\(folder)/a.\(ending)") == Folder.read("\(folder)/b.\(ending)"))
    }
  }

  @Test("browse shows an answer of the last day without asking, with its age; r asks")
  func fresh() async throws {
    let service = try Service(Service.rows(Service.row("FR", "France"), Service.row("DE", "Germany")))
    let home = Folder.homes(try Folder.fresh()) + service.environment
    func browse(_ input: String, _ options: String...) async throws -> [String] {
      try await InProcess.run(["browse", "countries", "--plain"] + options, input: input, environment: home).lines
    }
    #expect(try await browse("q\n").contains { $0.contains("all 2") && $0.hasSuffix("live") })
    #expect(service.targets.count == 1)
    #expect(try await browse("q\n").contains { $0.contains("all 2 · cached") })
    #expect(service.targets.count == 1)
    #expect(try await browse("r\nq\n").contains { $0.contains("all 2") && $0.hasSuffix("live") })
    #expect(service.targets.count == 2)
    _ = try await browse("q\n", "--max-age", "0s")
    #expect(service.targets.count == 3)
  }

  @Test("browse --plain reads lines of any system, a long one, and a last one without an end")
  func otherLines() async throws {
    let long = String(repeating: "z", count: 10_000)
    let outcome = try await InProcess.run("browse --plain --offline", input: "/germany\r\n/\(long)\n/\u{FFFD}\n/france")
    #expect(outcome.code == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    for line in ["> all 1 ·", "no countries match \"zzz", "no countries match \"\u{FFFD}\"", "> all 5 ·"] {
      #expect(outcome.output.contains(line), "\(line) in:\n\(outcome.output)")
    }
  }

  @Test("browse --plain ends quietly if its output is closed, and reports a full disk")
  func unread() throws {
    let command = #"timeout 60 "$A" browse --plain --offline"#
    let closed = try Binary.shell(#"(yes | \#(command); echo "ended with $?" >&2) | head -n 3"#)
    #expect(closed.errors.hasSuffix("ended with 0\n") && closed.lines.count == 3)
    let full = try Binary.shell(#"yes | \#(command) >/dev/full; echo "ended with $?""#)
    #expect(full.output == "ended with 74\n" && full.errors.contains("no space left"), "\(full)")
  }

  @Test("browse --plain ends at q and at the end of its input while it loads", arguments: ["q\n", "\u{4}"])
  func leaving(key: String) throws {
    let vine = try FakeComicVine(turnstile: Turnstile())
    let terminal = try Terminal("browse heroes --plain", columns: 80, environment: vine.environment)
    try terminal.waitFor("loading…")
    terminal.type(key)
    #expect(terminal.end() == 0)
    #expect(terminal.lines.last == "stopped loading")
  }

  @Test("browse --timeout limits each request: a silent service is given up each time, and bundled data are shown")
  func timeout() async throws {
    let service = try Service { if $0.request() != nil { $0.untilClosed() } }
    func browse(_ options: String...) async throws -> [String] {
      try await InProcess.run(
        ["browse", "countries", "--plain", "--timeout", "100ms"] + options, input: "/germany\n1\nq\n",
        environment: service.environment
      ).lines
    }
    let lines = try await browse()
    #expect(lines.contains("100 of 250 · using bundled data: timed out") && lines.contains("1 of 1: Germany, EU. DE. Berlin"), "\(lines)")
    #expect(try await browse("--live").count { $0 == "countries: timed out; r tries again" } == 2)
  }

  @Test("browse --plain deletes and undoes, and does not move the place of next")
  func deletes() async throws {
    let people = try FakeRandomUser()
    let outcome = try await InProcess.run(
      ["browse", "users", "--plain"], input: "d 2\nt\nu\nt\nd x\nd 9\ncountries\nd 1\n", environment: people.environment)
    #expect(outcome.code == 0)
    let lines = outcome.lines
    let undoing = "u to undo; later type 'aggregator users restore p1-1@example.com'"
    #expect(
      lines.contains { $0.contains("deleted Ms Ada Byron, p1-1@example.com; \(undoing); the records after it moved up by one") }
        && lines.contains { $0.hasSuffix("restored p1-1@example.com; it is record 2, and the records after it moved down by one") })
    #expect(lines.count { $0.hasSuffix("type d and the number of a record that was listed") } == 2)
    #expect(
      lines.contains { $0.hasPrefix("2 of 4: ") && $0.contains("p1-2@example.com") }
        && lines.contains { $0.contains("records of countries cannot") })
    #expect(try await people.emails("next --limit 5") == (0..<5).map { "p1-\($0)@example.com" })
  }
}
