import Testing

/// The completion scripts, each in its shell.
@Suite("Shells complete") struct ShellTests {
  /// The text that a person types before Tab, and the words that the shell then reads.
  struct Case: Sendable, CustomTestStringConvertible {
    let typed: String
    let words: [String]
    var testDescription: String { typed }

    init(_ typed: String, _ words: String...) { (self.typed, self.words) = (typed, words) }
  }

  static let cases = [
    Case("aggregator coun\t", "aggregator", "countries"),
    Case("aggregator countries sea\tfra", "aggregator", "countries", "search", "fra"),
    Case("aggregator countries list --offl\t", "aggregator", "countries", "list", "--offline"),
    Case("aggregator countries list --format nd\t", "aggregator", "countries", "list", "--format", "ndjson"),
    Case("aggregator countries list --format=nd\t", "aggregator", "countries", "list", "--format=ndjson"),
    Case("aggregator countries list --fields name,reg\t", "aggregator", "countries", "list", "--fields", "name,region"),
    Case("aggregator heroes show Spider\\ J\t", "aggregator", "heroes", "show", "Spider Jerusalem"),
    Case("aggregator heroes show \"Spider J\t", "aggregator", "heroes", "show", "Spider Jerusalem"),
    Case("aggregator heroes show April\t", "aggregator", "heroes", "show", "April O'Neil"),
    Case("aggregator products show --store odd.db a:b\t", "aggregator", "products", "show", "--store", "odd.db", "a:b c$(touch ran)\"d"),
    Case("aggregator import users pe\t", "aggregator", "import", "users", "people list.csv"),
    Case("aggregator countries list --config=pe\t", "aggregator", "countries", "list", "--config=people list.csv"),
    Case("aggregator countries list --record fo\t", "aggregator", "countries", "list", "--record", "folder/"),
  ]

  /// A folder to type in, with some files and a store that has a record with an odd name.
  private static func home() async throws -> String {
    let home = try Folder.fresh()
    _ = try Binary.shell("mkdir bin folder && ln -s \"$A\" bin/aggregator && : >'people list.csv'", in: home)
    let made = try await InProcess.run(
      "import products - --store odd.db --quiet", input: #"{"id":"a:b c$(touch ran)\"d","title":"odd"}"#, environment: ["HOME": home],
      in: home)
    guard made.code == 0 else { throw Spawned.Failed(reason: made.errors) }
    return home
  }

  private static func terminal(_ shell: String, in home: String) throws -> Terminal {
    try Terminal(
      script: "cd \"$HOME\" && exec \(shell)",
      environment: ["HOME": home, "ZDOTDIR": home, "PATH": "\(home)/bin:/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "PS1": "> "])
  }

  /// Types a setup, and waits for the next prompt. From then on the shell reads keys, not lines.
  private static func prepare(_ terminal: Terminal, _ setup: String) throws {
    try terminal.type(setup + "; PS1='re''ady> '\n", see: "ready> ")
  }

  /// Types the test's text in a shell with this setup, and turns the line into a command that prints its words.
  private func check(_ test: Case, _ shell: String, setup: String) async throws {
    let home = try await Self.home()
    let terminal = try Self.terminal(shell, in: home)
    try Self.prepare(terminal, setup)
    terminal.type(test.typed)
    // Goes to the beginning of the line. The printed text differs from the typed one, so that it is recognized.
    try terminal.type("\u{1}printf '<%s>' \u{5}; echo e''nd; exit\n", see: "end")
    #expect(terminal.wait() == 0)
    // zsh removes the slash of a folder again when a blank is typed after it.
    let shown = terminal.shown.replacing("folder/>", with: "folder>")
    #expect(shown.contains(test.words.map { "<\($0)>" }.joined().replacing("folder/>", with: "folder>")), "\(shown)")
    #expect(try !FakePictureShop.names(in: home).contains("ran"))
  }

  @Test(
    "bash completes commands, options and values", .enabled(if: Tool.exists("bash"), "bash is not installed"), .timeLimit(.minutes(30)),
    arguments: cases)
  func bash(_ test: Case) async throws {
    try await check(test, "bash --norc --noprofile -i", setup: #"eval "$(aggregator completions bash)""#)
  }

  @Test(
    "zsh completes commands, options and values", .enabled(if: Tool.exists("zsh"), "zsh is not installed"), .timeLimit(.minutes(30)),
    arguments: cases)
  func zsh(_ test: Case) async throws {
    try await check(
      test, "zsh -f -i", setup: "autoload -Uz compinit; compinit -D -u; bindkey -e; source <(aggregator completions zsh)")
  }

  @Test("zsh shows what each offered word is", .enabled(if: Tool.exists("zsh"), "zsh is not installed"), .timeLimit(.minutes(30)))
  func zshDescriptions() async throws {
    let terminal = try Self.terminal("zsh -f -i", in: await Self.home())
    try Self.prepare(terminal, "autoload -Uz compinit; compinit -D -u; source <(aggregator completions zsh)")
    try terminal.type("aggregator users re\t\t", see: "-- undo a deletion")
    terminal.type("\u{15}exit\n")
    _ = terminal.wait()
  }

  @Test(
    "zsh finds the completion script in a folder of functions", .enabled(if: Tool.exists("zsh"), "zsh is not installed"),
    .timeLimit(.minutes(30)))
  func zshFolder() async throws {
    let home = try await Self.home()
    let terminal = try Self.terminal("zsh -f -i", in: home)
    try Self.prepare(
      terminal, "aggregator completions zsh >folder/_aggregator; fpath=($HOME/folder $fpath); autoload -Uz compinit; compinit -D -u")
    terminal.type("aggregator countr\t\u{1}printf '<%s>' \u{5}; echo e''nd; exit\n")
    try terminal.waitFor("<aggregator><countries>")
    _ = terminal.wait()
  }

  @Test(
    "fish completes commands, options and values", .enabled(if: Tool.exists("fish"), "fish is not installed"), .timeLimit(.minutes(30)),
    arguments: cases)
  func fish(_ test: Case) async throws {
    let home = try await Self.home()
    // fish offers the word as it will be, and escapes it only when it inserts it.
    let outcome = try Binary.run(
      ["/usr/bin/env", "fish", "--no-config", "-c", "aggregator completions fish | source; complete -C $LINE"], input: "",
      environment: [
        "HOME": home, "PATH": "\(home)/bin:/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8",
        "LINE": test.typed.split(separator: "\t").first.map(String.init) ?? "",
      ], in: home)
    guard !test.typed.hasSuffix("fra") else { return #expect(outcome.lines.contains { $0.hasPrefix("search\tsearch by name") }) }
    #expect(outcome.lines.map { $0.prefix { $0 != "\t" } }.contains { $0 == test.words.last ?? "" }, "\(outcome.output)\(outcome.errors)")
    #expect(try !FakePictureShop.names(in: home).contains("ran"))
  }
}
