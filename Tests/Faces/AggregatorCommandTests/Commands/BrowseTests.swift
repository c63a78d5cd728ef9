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

/// Answers in the browser, on the screen of a real terminal.
@Suite(.timeLimit(.minutes(30)), .enabled(if: Multiplexer.isInstalled, "tmux is not installed"))
struct BrowsedAnswerTests {
  @Test("without a terminal browse says what to type instead, as a wrong use", arguments: [[:], ["TERM": "dumb"]])
  func noTerminal(environment: [String: String]) async throws {
    let line =
      "aggregator: browse needs a terminal; type 'aggregator heroes list' to print records, or 'aggregator search TEXT' to find some"
    if environment.isEmpty {
      try await expect(InProcess.run("browse heroes"), 64, errors: .has(line))
    } else {
      // A terminal on which nothing can be drawn.
      let terminal = try Terminal("browse heroes", columns: 200, environment: environment).ending(64)
      #expect(terminal.lines.first == line)
    }
  }

  @Test("browse tells the values that do not fit their fields")
  func misfits() async throws {
    let orders = try await FakeOrders([#"{"id":"1","total":"many"}"#, #"{"id":"2","total":2}"#])
    let shell = try Multiplexer(environment: Folder.homes(orders.folder))
    try shell.type("HOME='\(orders.folder)' \"$A\" browse orders", see: "all 2 · live · values that do not fit: 1 of total")
  }

  @Test("a file from browse is the one that list writes, and a line that cannot be run says why")
  func lines() async throws {
    let folder = try Folder.fresh()
    let shell = try Multiplexer()
    try shell.type("cd \(folder); \"$A\" browse countries --offline", see: "? keys")
    try shell.type(":where region=EU", see: "that match so far · using bundled data (--offline)")
    try shell.press("G", see: "all 53 that match · using bundled data (--offline)")
    try shell.type(":sort -name", see: "> Vatican City")
    for ending in ["csv", "json"] {
      try shell.type(":export a.\(ending)", see: "wrote 53 records to a.\(ending), complete, using bundled data")
    }
    try shell.type(":export a.nope", see: "a.nope has no ending of a format")
    try shell.type(":sort nmae", see: "unknown field \"nmae\"")
    try shell.type(":status", see: "4 sources, none failing or partial")
    try shell.type(":find batman", see: "in 4 sources · bundled: countries, heroes, products, users")
    try shell.type(":changes", see: "no changes; those of a list are known from its second complete sync on")
    for ending in ["csv", "json"] {
      let list = try await InProcess.run(
        "countries list --offline --all --where region=EU --sort -name -q -o b.\(ending)", in: folder)
      #expect(list.code == 0 && list.errors.isEmpty, "\(list.errors)")
      #expect(try Folder.read("\(folder)/a.\(ending)") == Folder.read("\(folder)/b.\(ending)"))
    }
  }

  @Test("browse shows an answer of the last day without asking, with its age; r asks")
  func fresh() throws {
    let service = try Service(Service.rows(Service.row("FR", "France"), Service.row("DE", "Germany")))
    let shell = try Multiplexer(environment: Folder.homes(try Folder.fresh()) + service.environment)
    try shell.type("\"$A\" browse countries", see: "all 2 · live")
    try shell.press("q")
    try shell.waitForPrompt()
    #expect(service.targets.count == 1)
    try shell.type("\"$A\" browse countries", see: "all 2 · cached")
    #expect(service.targets.count == 1)
    try shell.press("r", see: "all 2 · live")
    #expect(service.targets.count == 2)
    try shell.press("q")
    try shell.waitForPrompt()
    try shell.type("\"$A\" browse countries --max-age 0s", see: "all 2 · live")
    #expect(service.targets.count == 3)
  }

  @Test("browse --timeout limits each request: a silent service is given up each time, and bundled data are shown")
  func timeout() throws {
    let service = try Service { if $0.request() != nil { $0.untilClosed() } }
    let shell = try Multiplexer(environment: service.environment)
    let browse = "\"$A\" browse countries --timeout 100ms"
    try shell.type(browse, see: "100 of 250 · using bundled data: timed out")
    try shell.type("/germany", see: "> Germany")
    try shell.press("q")
    try shell.waitForPrompt()
    try shell.type("\(browse) --live", see: "countries: timed out; r tries again")
    try shell.press("q")
    try shell.waitForPrompt()
  }
}
