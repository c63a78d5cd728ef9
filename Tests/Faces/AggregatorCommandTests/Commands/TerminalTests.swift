import Platform
import SourceTesting
import Testing

/// The command at a terminal, as a person sees it. No test waits for a length of time: each waits for what it expects to see.
@Suite(.timeLimit(.minutes(30))) struct TerminalTests {
  @Test("Ctrl-C ends a command that waits for a silent service", arguments: [true, false])
  func interrupt(byKey: Bool) throws {
    let service = try Service { $0.untilClosed() }
    let terminal = try Terminal("countries list", columns: 80, environment: service.environment)
    // The progress line proves that the command waits; the line is erased at the end.
    try terminal.waitFor("countries: asking 127.0.0.1:")
    if byKey { terminal.type("\u{3}") } else { terminal.process.send(SIGINT) }
    #expect(terminal.wait() == 130)
    // With the key, the terminal may throw away what is written at that very moment.
    if !byKey { #expect(terminal.shown.hasSuffix("\r\u{1B}[K")) }
  }

  @Test("progress is erased before anything else is printed")
  func erased() throws {
    let asked = Signal()
    let service = try Service { connection in
      _ = connection.request()
      asked.wait()
      connection.answer(Service.rows(Service.row("DE", "Germany")))
    }
    let terminal = try Terminal("countries list --fields name --format tsv", columns: 80, environment: service.environment)
    try terminal.waitFor("asking")
    asked.send()
    #expect(terminal.wait() == 0)
    #expect(terminal.shown.hasSuffix("\r\u{1B}[KGermany\r\n"))
  }

  @Test("progress is not shown with --quiet, or on a dumb terminal", arguments: [["--quiet"], []])
  func noProgress(_ options: [String]) throws {
    let service = try Service { $0.untilClosed() }
    let terminal = try Terminal(
      "countries list --live --timeout 700ms", columns: 80, options: options,
      environment: service.environment + (options.isEmpty ? ["TERM": "dumb"] : ["NO_COLOR": "1"])
    ).ending(69)
    #expect(terminal.lines == ["aggregator: countries: timed out after 700 ms; try a longer --timeout"])
  }

  @Test("a value typed for config set is hidden, and is read")
  func unseen() throws {
    let folder = try Folder.fresh()
    let terminal = try Terminal("config set COUNTRIES_URL --config \(folder)/keys.xcconfig", columns: 80)
    try terminal.waitFor("COUNTRIES_URL (hidden): ")
    #expect(!terminal.echoes)
    #expect(terminal.end(typing: "https://unseen.example/\n") == 0)
    #expect(terminal.echoes)
    #expect(!terminal.shown.contains("unseen"))
    #expect(try Folder.read("\(folder)/keys.xcconfig") == "COUNTRIES_URL = https:/$()/unseen.example/\n")
  }

  @Test("any signal that ends config set makes typed text visible again", arguments: [SIGINT, SIGTERM, SIGHUP])
  func echo(_ signal: Int32) throws {
    let terminal = try Terminal("config", "set", "COUNTRIES_URL", "--config", "\(Folder.fresh())/never-written.xcconfig", columns: 80)
    try terminal.waitFor("COUNTRIES_URL (hidden): ")
    #expect(!terminal.echoes)
    if signal == SIGINT { terminal.type("\u{3}") } else { terminal.process.send(signal) }
    #expect(terminal.wait() == (signal == SIGINT ? 130 : -signal))
    #expect(terminal.echoes)
  }

  @Test("any signal that suspends config set leaves typed text hidden again after fg", arguments: [true, false])
  func suspended(byKey: Bool) throws {
    let file = try Folder.fresh() + "/keys.xcconfig"
    // The shell meanwhile sets the terminal to modes of its own, as interactive shells do.
    let terminal = try Terminal(
      script: """
        set -m
        sh -c 'echo "process $$."; exec "$A" config set COUNTRIES_URL --config "$F"'
        stty -a | grep -q -e -echo' ' && echo hidden || echo shown
        stty sane
        read line
        fg
        """, environment: ["F": file])
    try terminal.waitFor("COUNTRIES_URL (hidden): ")
    #expect(!terminal.echoes)
    if byKey {
      terminal.type("https://half-ty\u{1A}")
    } else {
      // This signal cannot be handled, so the process notices it only afterward.
      let number = terminal.shown.split(separator: "process ").last?.prefix { $0.isNumber }
      kill(try #require(number.flatMap { pid_t($0) }), SIGSTOP)
    }
    try terminal.waitFor(byKey ? "shown\r\n" : "hidden\r\n")
    terminal.type("\n")
    try terminal.waitFor("COUNTRIES_URL (hidden): ", times: 2)
    #expect(!terminal.echoes)
    #expect(terminal.end(typing: "https://unseen.example/\n") == 0)
    #expect(terminal.echoes)
    #expect(!terminal.shown.contains("unseen") && !terminal.shown.contains("half"))
    #expect(try Folder.read(file) == "COUNTRIES_URL = https:/$()/unseen.example/\n")
  }

  @Test("the end of the input at the prompt is not a value")
  func endOfInput() throws {
    let terminal = try Terminal("config", "set", "COUNTRIES_URL", "--config", "\(Folder.fresh())/never-written.xcconfig", columns: 80)
    try terminal.waitFor("COUNTRIES_URL (hidden): ")
    #expect(terminal.end(typing: "\u{4}") == 64)
    #expect(terminal.echoes)
  }

  @Test("notices and errors break between words", arguments: [20, 40, 80])
  func notices(columns: Int) async throws {
    let line = ["countries", "show", "qqq", "--offline", "--color", "never"]
    let piped = try await InProcess.run(line).errors.split(whereSeparator: \.isWhitespace).map(String.init)
    let terminal = try Terminal(running: [Binary.path] + line, columns: columns).ending(66)
    #expect(terminal.linesLeft.count > piped.joined(separator: " ").count / 80 && terminal.linesLeft.allSatisfy { $0.count <= columns })
    let shown = terminal.linesLeft.flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) }
    #expect(shown == piped)
  }

  @Test("help is as wide as the terminal", arguments: [20, 40, 80, 200])
  func help(columns: Int) throws {
    for line in [[], ["countries"], ["countries", "list"]] {
      let terminal = try Terminal("help", columns: columns, options: line).ending()
      #expect(terminal.lines.allSatisfy { $0.count <= columns })
      #expect(terminal.lines.contains { $0.count > min(columns, 100) / 2 })
    }
  }
}
