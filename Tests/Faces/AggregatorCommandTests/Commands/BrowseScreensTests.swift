import Platform
import SourceTesting
import Testing

/// The whole screen at each step of a run, in files that are read from top to bottom: `Golden/Screens`.
@Suite("The browser's whole screen", .timeLimit(.minutes(30)), .enabled(if: Multiplexer.isInstalled, "tmux is not installed"))
struct BrowseScreensTests {
  /// Names in every writing whose number of columns differs from its number of letters.
  private static let names = [
    2: "蜘蛛俠", 4: "עטלף", 6: "👩‍👩‍👧‍👦 Family", 8: "Heart ❤️", 10: "Cafe\u{301} Noir", 12: "🇯🇵 Flag", 14: "스파이더맨 Korea", 16: "العنكبوت",
  ]

  @Test(
    "the browser's screens are those of the golden file through a search, a failed page, 40 columns, a deletion and a suspension")
  func tour() async throws {
    let (turnstile, repaired) = (Turnstile(), Signal())
    var manner = FakeComicVine.Manner(names: Self.names)
    manner.fails = { !repaired.hasCome && $0.contains("offset=198") }
    let (vine, people) = (try FakeComicVine(manner, turnstile: turnstile), try FakeRandomUser(size: 30))
    let shell = try Multiplexer(environment: people.environment + vine.environment)
    let screens = try GoldenScreens("browse", of: shell)
    try shell.type("stty -a >before; clear; echo one line above; \"$A\" browse heroes")
    try screens.see("The service has not answered", "loading, ")
    turnstile.open()
    try screens.see("The first page", "100 of 250 · live")
    try shell.press("/")
    // All letters are sent at once, because on a busy machine a pause between two keys may be long enough for a search.
    try shell.send("spid".utf8)
    try screens.see("spid is typed", "20 of 125 · live")
    #expect(vine.asked.filter { $0.hasPrefix("/api/search/") && !$0.contains("page=2") }.count == 1)
    try screens.see("Everything again", "100 of 250 · live", pressing: "Escape", "Escape")
    try shell.press("G")
    // The first row on the screen then depends on whether a frame was drawn while the page came.
    try shell.waitFor("199 of 250 · live")
    try screens.see("The third page fails", "r tries again", pressing: "G")
    let asked = vine.asked.count
    try screens.see("It is not asked for again by itself", "> Bat 198", pressing: "k")
    #expect(vine.asked.count == asked)
    repaired.send()
    try screens.see("The third page once r was pressed", "all 250 · live", pressing: "r")
    try screens.see("A record in full", "Publisher: Loopback", pressing: "g", "j", "Enter")
    try shell.resize(to: 40, 24)
    try screens.see("The same in 40 columns", "[heroes] 2/4")
    try screens.see("The list in 40 columns", "Enter open", pressing: "Escape")
    try shell.resize(to: 200, 24)
    try screens.see("The list in 200 columns", "REAL NAME")
    try shell.resize(to: 40, 24)
    try screens.see("The list in 40 columns", "Enter open")
    try screens.see("The same in 40 columns", "Publisher: Loopback", pressing: "Enter")
    try shell.resize(to: 80, 24, see: "[2 heroes (250)]")
    try screens.see("A record in full", "Publisher: Loopback")
    try screens.see("Users", "30 · cached", pressing: "4")
    #expect(try shell.cursor == "0,2")
    try shell.press("j", "d")
    try screens.see("One is deleted", "deleted; u to undo; later type 'aggregator users restore p1-1@example.com'")
    try screens.see("And restored", "restored p1-1@example.com", pressing: "u")
    try shell.press("k", "C-z", see: "topped")
    let above = try shell.lines
    #expect(above.first == "one line above" && !above.joined().contains("users"), "\(above)")
    #expect(try shell.modes == "0 1 0")
    try shell.type("stty -a | cmp - before && echo as it was", see: "\nas it was")
    try shell.type("fg")
    try screens.see("After fg", "> Ms Ada Byron")
    #expect(try shell.modes == "1 1 0")
    try shell.press("q")
    try shell.waitForPrompt()
    #expect(try shell.lines[0] == "one line above")
    try shell.type("stty -a | cmp - before && echo as it was again", see: "\nas it was again")
    #expect(try shell.modes == "0 1 0")
    // "users next" has shown no record yet, because browsing does not move its place.
    #expect(try await people.emails("next --limit 1") == ["p1-0@example.com"])
    try screens.end()
  }

  @Test("no text of a record controls the terminal or leaves its place")
  func hostile() throws {
    let names = [
      #"\u001b[2J\u001b[H\u001b]0;owned\u0007clears"#, #"\u0000nul\u0000"#, #"\u202eright to left\u202c"#, #"\u2066isolated"#,
      "e" + String(repeating: "\u{301}", count: 5_000), #"\u009b31mred\u009c"#, #"two\nlines\r\tand a tab"#,
      #"\ud83d\ude00\u200d\u200d\u200d"#,
      #"\ufffe\uffff\ufeff"#, String(repeating: "長", count: 60), #"\u001bP1;1q\u001b\\ after"#, #"\u001b[?1049l\u001b[?1000hmodes"#,
    ]
    let rows = (0..<42).map { number in
      FakeRandomUser.row("h\(number)@example.com", uuid: "h\(number)", first: number < names.count ? names[number] : "Ada")
    }
    let people = try FakeRandomUser(size: 1, rows: { $0 == 1 ? rows : [] })
    let shell = try Multiplexer(columns: 80, rows: 40, environment: people.environment)
    let screens = try GoldenScreens("browse-hostile", of: shell)
    let title = try shell.title
    try shell.type("\"$A\" browse users")
    try screens.see("The list", "43 · cached")
    for (index, what) in ["Escape sequences", "Zero bytes", "A turned direction"].enumerated() {
      try screens.see(what, "Email: h\(index)@example.com", pressing: "j")
    }
    try screens.see("Five thousand marks, the record in full", "Esc back", pressing: "j", "j", "Enter")
    try screens.end()
    #expect(try shell.modes == "1 1 0" && shell.title == title)
  }

  @Test("the browser's screens of an added source are those of the golden file, in 40 to 200 columns")
  func added() async throws {
    let server = try StandInServer { connection in
      while connection.request() != nil { connection.answer(GoldenTableTests.ports) }
    }
    let homes = ["XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""]
    let shell = try Multiplexer(columns: 80, rows: 16, environment: homes)
    let (home, environment) = (shell.folder, homes + ["HOME": shell.folder])
    try await expect(
      #require(
        InProcess.run(
          typed: "aggregator add \(server.address("/ports")) ports --yes --whole", environment: environment, in: home)), 0)
    let screens = try GoldenScreens("browse-added", of: shell)
    // What came a moment ago would be shown again with its age.
    try shell.type("\"$A\" browse ports --refresh")
    try screens.see("80 columns", "all 6 · live")
    for (columns, text) in [(40, "[ports] 5/5"), (60, "country_name"), (120, "│ ID: 1000"), (200, "COUNTRY NAME")] {
      try shell.resize(to: columns, 16)
      try screens.see("\(columns) columns", text)
    }
    try shell.press("/")
    try shell.send("pilots".utf8)
    try screens.see("pilots is looked for in 200 columns", "all 5 · live")
    for (columns, text) in [(120, "│ * Remarks: Pilots"), (80, "ships of more than 20 metres;"), (40, "for sh…")] {
      try shell.resize(to: columns, 16)
      try screens.see("The same in \(columns) columns", text)
    }
    try screens.see("Everything again in 40 columns", "all 6 · live", pressing: "Escape")
    try shell.press("Enter", see: "? keys")
    try screens.see("The list of sources", "5 sources", pressing: "S")
    try shell.send("us".utf8)
    try screens.see("us is typed", "1 of 5 sources")
    try screens.end()
  }

  @Test("two hundred sizes and a pasted megabyte leave the screen as it was")
  func storm() throws {
    let shell = try Multiplexer()
    try shell.type("\"$A\" browse --offline")
    let before = try shell.wait("the list") { $0.contains("> Afghanistan") && $0.contains("? keys") }
    let sizes = [(1, 1), (300, 100), (20, 5), (19, 4), (100, 31), (2, 50), (131, 2)]
    try shell.resize(through: (0..<199).map { sizes[$0 % sizes.count] } + [(300, 100)])
    try shell.wait("a large screen") { $0.contains("> AF    Afghanistan") && $0.contains("Capital: Kabul") && $0.contains("? keys") }
    try shell.resize(through: [(1, 1), (80, 24)])
    try shell.wait("the same screen") { $0 == before.joined(separator: "\n") }
    // Outside the search field a paste does nothing; the key after it is understood.
    let text = String(repeating: "q\rdG\u{1B}[2J", count: 131_072)
    try shell.paste(text)
    try shell.press("?", see: "show or hide these keys")
    try shell.press("?")
    try shell.wait("the same screen") { $0 == before.joined(separator: "\n") }
    try shell.press("/")
    try shell.paste(String(repeating: "長い", count: 174_763))
    let typed = try shell.wait("what was pasted") { $0.contains("no countries match") }
    #expect(typed[0].hasPrefix("[1 countries (0)] 2 heroes") && (typed[1].hasPrefix("/長い") || typed[1].hasPrefix("/い長")), "\(typed)")
    try shell.press("Escape", "Escape")
    try shell.wait("the same screen") { $0 == before.joined(separator: "\n") }
  }

  @Test("the screen is drawn anew after a moment at another size, because a terminal forgets what it showed")
  func resizedAndBack() throws {
    let terminal = try Terminal("browse --offline", columns: 80, rows: 24)
    try terminal.waitFor("Afghanistan")
    try terminal.waitFor("\u{1B}[?2026l")
    let frames = terminal.shown.split(separator: "\u{1B}[2J", omittingEmptySubsequences: false).count - 1
    terminal.resize(to: 40, 24)
    terminal.resize(to: 80, 24)
    try terminal.waitFor("\u{1B}[2J", times: frames + 1)
    #expect(terminal.end(typing: "q") == 0)
  }

  @Test("keys that were typed before the first frame have their effect")
  func typedAhead() throws {
    let terminal = try Terminal("browse --offline", columns: 80, rows: 24)
    // A terminal may echo what was typed before it was taken; the row comes from the browser alone. The browser draws only the cells that
    // change, and no letter of "Zambia" is where the first row before it, "Afghanistan", has the same one.
    try terminal.type("/zambia\r", see: "Zambia")
    #expect(terminal.end(typing: "q") == 0)
  }

  @Test("the browser ends when its terminal hangs up, with or without a signal", arguments: [true, false])
  func hungUp(isItsOwn: Bool) throws {
    let terminal = try Terminal(running: [Binary.path, "browse", "--offline"], columns: 80, rows: 24, isItsOwn: isItsOwn)
    try terminal.waitFor("Afghanistan")
    terminal.hangUp()
    #expect(terminal.process.wait() == (isItsOwn ? -SIGHUP : 129))
  }

  @Test("the browser ends when tmux is killed")
  func killed() throws {
    let shell = try Multiplexer()
    try shell.type("mkfifo alive; \"$A\" browse --offline 9<>alive", see: "> Afghanistan")
    let alive = open("\(shell.folder)/alive", O_RDONLY | O_NONBLOCK)
    defer { close(alive) }
    _ = fcntl(alive, F_SETFL, 0)
    try shell.kill()
    // The file ends once the browser no longer has it open.
    #expect(Piped.read(alive) == nil)
  }
}
