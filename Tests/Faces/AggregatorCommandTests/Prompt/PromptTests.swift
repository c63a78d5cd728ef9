import Platform
import SourceTesting
import Testing

/// `sql` at a terminal, as a person uses it. No test waits for a length of time: each waits for what it expects to see.
@Suite("The prompt of sql", .timeLimit(.minutes(30))) struct PromptTests {
  private let home: String
  private let variables: [String: String]

  /// Makes a home with some stored countries.
  init() async throws {
    home = try Folder.fresh()
    variables = ["HOME": home, "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "", "XDG_CACHE_HOME": "", "NO_COLOR": "1"]
    let rows = #"{"code":"FR","name":"France","region":"EU"}\#n{"code":"IT","name":"Italy","region":"EU"}\#n"#
    try Folder.write(rows.replacing("\\n", with: "\n"), to: "\(home)/c.ndjson")
    let outcome = try await InProcess.run(["import", "countries", "c.ndjson"], environment: variables, in: home)
    guard outcome.code == 0 else { throw Spawned.Failed(reason: outcome.errors) }
  }

  private func prompt(_ options: [String] = [], columns: Int = 80, environment: [String: String] = [:]) throws -> Terminal {
    let terminal = try Terminal("sql", columns: columns, options: options, environment: variables + environment)
    try terminal.waitFor("sql> ")
    return terminal
  }

  /// Types a line, and waits until the next prompt shows below what it prints, which is returned.
  private func ask(_ terminal: Terminal, _ line: String, key: String = "\r") throws -> String {
    let before = terminal.shown.count
    // The mark that pastes are marked again comes with each prompt.
    let times = terminal.shown.split(separator: Self.beginning, omittingEmptySubsequences: false).count
    try terminal.type(line + key, see: "")
    try terminal.waitFor(Self.beginning, times: times)
    return String(terminal.shown.dropFirst(before))
  }

  /// Types what ends the prompt. A prompt that does not end is not waited for.
  private func leave(_ terminal: Terminal, typing text: String, at location: SourceLocation = #_sourceLocation) {
    terminal.type(text)
    #expect(terminal.end() == 0, sourceLocation: location)
  }

  private static let beginning = "\u{1B}[?2004h"

  @Test("statements are answered one after the other, and Ctrl-D ends with the exit code 0")
  func answers() throws {
    let terminal = try prompt()
    #expect(!terminal.echoes)
    let answer = try ask(terminal, "SELECT name FROM countries ORDER BY name LIMIT 1;")
    #expect(answer.contains("name\r\nFrance\r\naggregator: countries, ") && answer.contains(": of unknown completeness"))
    #expect(try ask(terminal, "SELECT 1 + 1 AS a; SELECT 3 AS b;").contains("a\r\n2\r\nb\r\n3\r\n"))
    // A statement of several lines is one, and is edited as one.
    terminal.type("SELECT\r")
    try terminal.waitFor("...> ")
    #expect(try ask(terminal, "count(*) AS n FROM countries;").contains("n\r\n2\r\n"))
    leave(terminal, typing: "\u{4}")
    #expect(terminal.echoes)
  }

  @Test("each statement sees what is stored at that moment")
  func fresh() async throws {
    let terminal = try prompt()
    #expect(try ask(terminal, "SELECT count(*) AS n FROM countries;").contains("\r\n2\r\n"))
    try Folder.write(#"{"code":"ES","name":"Spain","region":"EU"}"#, to: "\(home)/more.ndjson")
    #expect(try await InProcess.run(["import", "countries", "more.ndjson"], environment: variables, in: home).code == 0)
    #expect(try ask(terminal, "SELECT count(*) AS n FROM countries;").contains("\r\n3\r\n"))
    leave(terminal, typing: "\\q\r")
  }

  @Test("a mistake shows its place and the nearest name, and the prompt stays", arguments: [40, 80, 200])
  func mistake(columns: Int) throws {
    let terminal = try prompt(columns: columns)
    let blanks = String(repeating: "region, ", count: 10)
    let shown = try ask(terminal, "SELECT \(blanks) nmae FROM countries;")
    #expect(shown.contains("unknown column \"nmae\"") && shown.contains("did you mean \"name\"?") && !shown.contains("usage:"))
    // The mark is below the name, whatever part of the line fits.
    let lines = shown.split(separator: "\r\n").map(String.init)
    let mark = try #require(lines.firstIndex { $0.hasSuffix("^") })
    #expect(lines[mark - 1].count <= columns && lines[mark].count <= columns)
    #expect(lines[mark - 1].dropFirst(lines[mark].count - 1).hasPrefix("nmae"))
    #expect(try ask(terminal, "SELECT 7 AS seven;").contains("seven\r\n7\r\n"))
    leave(terminal, typing: "exit\r")
  }

  @Test("Ctrl-C stops a statement and nothing else; while a line is typed it clears the line")
  func stops() throws {
    let terminal = try prompt()
    for ended in 0..<2 {
      terminal.type("WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT max(n) FROM x;\r")
      try terminal.waitFor("\u{1B}[?2004l", times: ended + 1)
      #expect(try ask(terminal, "", key: "\u{3}").contains("aggregator: interrupted"))
    }
    #expect(try ask(terminal, "SELECT nonsense", key: "\u{3}").contains("^C"))
    #expect(try ask(terminal, "", key: "\u{3}").contains("type \\q or press Ctrl-D to leave"))
    #expect(try ask(terminal, "SELECT 8 AS eight;").contains("eight\r\n8\r\n"))
    // As a signal it clears the line too.
    let times = terminal.shown.split(separator: Self.beginning, omittingEmptySubsequences: false).count
    terminal.process.send(SIGINT)
    try terminal.waitFor(Self.beginning, times: times)
    leave(terminal, typing: ".quit\r")
  }

  @Test("the time limit holds for each statement")
  func timeout() throws {
    let terminal = try prompt(["--timeout", "200ms"])
    for _ in 0..<2 {
      let shown = try ask(terminal, "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT max(n) FROM x;")
      #expect(shown.contains("timed out after 200 ms"))
    }
    #expect(try ask(terminal, "SELECT 9 AS nine;").contains("nine\r\n9\r\n"))
    leave(terminal, typing: "\u{4}")
  }

  @Test("the options of the line hold for each statement, and \\f chooses another format")
  func options() throws {
    let terminal = try prompt(["--format", "csv", "--require", "complete"])
    let shown = try ask(terminal, "SELECT name FROM countries LIMIT 1;")
    #expect(shown.contains("name\r\nFrance\r\n") && shown.contains("(--require)"))
    #expect(try ask(terminal, "\\f xyz").contains("unknown format \"xyz\""))
    _ = try ask(terminal, "\\f ndjson")
    #expect(try ask(terminal, "SELECT 1 AS one;").contains(#"{"one":1}"#))
    _ = try ask(terminal, "\\f")
    #expect(try ask(terminal, "SELECT 1 AS one;").contains("one\r\n1\r\n"))
    leave(terminal, typing: "\u{4}")
  }

  @Test("results do not start the pager")
  func pager() throws {
    let terminal = try prompt(environment: ["PAGER": "sh -c 'echo paged; cat'"])
    #expect(!(try ask(terminal, "SELECT code FROM countries;").contains("paged")))
    leave(terminal, typing: "\u{4}")
  }

  @Test("\\d lists tables and columns, \\? the commands, and another word is an error")
  func commands() throws {
    let terminal = try prompt()
    #expect(try ask(terminal, "\\d").contains("countries_search('TEXT')"))
    #expect(try ask(terminal, "\\d countries").contains("TABLE      COLUMN"))
    #expect(try ask(terminal, "\\d countris").contains("did you mean \"\\d countries\"?"))
    #expect(try ask(terminal, "\\?").contains("\\f FORMAT"))
    #expect(try ask(terminal, "\\x").contains("unknown command \"\\x\""))
    leave(terminal, typing: "quit\r")
  }

  @Test("Tab completes names of what is stored")
  func completion() throws {
    let terminal = try prompt()
    try terminal.type("SELECT * FROM countr\t\t", see: "countries_history")
    #expect(try ask(terminal, "_s\t'Italy') WHERE regi\t = 'EU';").contains("Italy"))
    leave(terminal, typing: "\u{4}")
  }

  @Test("what was typed comes back at the next prompt, unless it began with a space")
  func history() throws {
    let first = try prompt()
    _ = try ask(first, "SELECT 41 AS kept;")
    _ = try ask(first, " SELECT 42 AS unkept;")
    leave(first, typing: "\u{4}")
    let second = try prompt()
    #expect(try ask(second, "\u{1B}[A").contains("kept\r\n41\r\n"))
    leave(second, typing: "\u{4}")
    let file = "\(home)/.local/state/aggregator/sql_history"
    #expect(try Folder.read(file) == "SELECT 41 AS kept;\n" || Folder.read(file) == "SELECT 41 AS kept;\nSELECT 41 AS kept;\n")
  }

  @Test("a signal that ends the prompt restores the terminal", arguments: [SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGUSR1])
  func signals(_ signal: Int32) throws {
    let terminal = try prompt()
    try terminal.type("SELECT 1", see: "SELECT 1")
    #expect(!terminal.echoes)
    terminal.process.send(signal)
    #expect(terminal.end() == -signal)
    #expect(terminal.echoes && terminal.shown.contains("\u{1B}[?2004l"))
  }

  @Test("the prompt is suspended with what was typed, and still has it afterwards", arguments: [true, false])
  func suspended(byKey: Bool) throws {
    let terminal = try Terminal(
      script: """
        set -m
        sh -c 'echo "process $$."; exec "$A" sql'
        stty -a | grep -q -e -echo' ' && echo hidden || echo shown
        stty sane
        read line
        fg
        """, environment: variables)
    try terminal.waitFor("sql> ")
    try terminal.type("SELECT 5 AS five", see: "five")
    if byKey {
      terminal.type("\u{1A}")
    } else {
      let number = terminal.shown.split(separator: "process ").last?.prefix { $0.isNumber }
      kill(try #require(number.flatMap { pid_t($0) }), SIGSTOP)
    }
    try terminal.waitFor(byKey ? "shown\r\n" : "hidden\r\n")
    terminal.type("\n")
    try terminal.waitFor("SELECT 5 AS five", times: byKey ? 3 : 2)
    try terminal.type(";\r", see: "five\r\n5\r\n\u{1B}[?2004h")
    leave(terminal, typing: "\u{4}")
    #expect(terminal.echoes)
  }

  @Test("a terminal that is taken away ends the prompt")
  func hangUp() throws {
    let terminal = try prompt()
    terminal.hangUp()
    #expect(terminal.end() == -SIGHUP)
  }

  @Test("a statement in a pipe is answered without a prompt, and so is one at a terminal that cannot show one")
  func piped() async throws {
    let outcome = try await InProcess.run(["sql"], input: "SELECT 6 AS six", environment: variables, in: home)
    #expect(outcome.code == 0 && outcome.output == "6\n" && !outcome.errors.contains("sql>"))
    let terminal = try Terminal("sql", columns: 80, environment: variables + ["TERM": "dumb"])
    terminal.type("SELECT 6 AS six\n\n")
    #expect(terminal.end() == 0)
    #expect(terminal.shown.contains("six\r\n") && !terminal.shown.contains("sql>"))
  }
}
