import AggregatorCore
import SourceTesting
import Testing

@testable import AggregatorCommand

/// Short names for lines, in a home of their own.
@Suite("alias") struct AliasTests {
  private let home: String
  private let environment: [String: String]

  init() throws {
    home = try Folder.fresh()
    environment = ["HOME": home, "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""]
  }

  private var file: String { "\(home)/.config/aggregator/aliases" }

  private func run(_ words: String...) async throws -> Binary.Outcome {
    try await InProcess.run(words.words, environment: environment, in: home)
  }

  @Test("an alias stands for a line as a shell reads it, and further words are added to it")
  func expanded() async throws {
    let line = "countries list --offline --where 'name=South Korea' --fields code"
    try await expect(run("alias", "set", "korea", line), 0, errors: .has("korea stands for '\(line)'; type 'aggregator korea'"))
    try await expect(run("korea"), 0, output: .exactly("KR\n"))
    #expect(try await run("korea --format csv").output == "code\nKR\n")
    #expect(try await run("alias list").output == "korea\t\(line)\t\n")
    #expect(try Folder.read(file) == "korea = \(line)\n")
    try await expect(run("alias", "set", "korea", "countries show KR"), 0, errors: .has("korea stands for 'countries show KR' (it was '"))
    try await expect(run("help korea"), 0, output: .has("'korea' is an alias: it stands for 'countries show KR'\n"))
    try await expect(run("alias delete korea"), 0)
    try await expect(run("korea"), 64, errors: .has("unknown source or command \"korea\""))
    #expect(try await run("alias list").output == "")
  }

  @Test(
    "an alias hides no command and no source, stands for no other alias, and has to be one command",
    arguments: [
      ("sync", "countries list", "an alias cannot be named \"sync\": a command has that name"),
      ("users", "countries list", "an alias cannot be named \"users\": a source has that name"),
      ("Late", "countries list", "\"Late\" is not a name for an alias"), ("two", "one -n 2", "one is an alias"),
      ("late", "late", "late is an alias"),
      ("late", "", "alias set needs"), ("late", "countries list | head", "more than one command"),
      ("late", "countries list 'EU", "ends inside quotes"), ("late", "contries list", "did you mean \"countries\"?"),
      ("late", "countries list --limti 3", "did you mean \"--limit\"?"), ("late", "countries show fr --limit 3", "does not take --limit"),
      ("late", "countries list --sources x", "cannot have --sources"),
    ])
  func refused(name: String, line: String, said: String) async throws {
    try await expect(run("alias", "set", "one", "countries list"), 0)
    let outcome = try await run("alias", "set", name, line)
    #expect(outcome.code != 0 && outcome.errors.contains(said), "\(outcome.errors)")
    #expect(try Folder.read(file) == "one = countries list\n")
  }

  @Test("arguments that the line lacks may be typed after the alias")
  func further() async throws {
    try await expect(run("alias", "set", "find", "countries search"), 0)
    #expect(try await run("find fran --offline --fields code").output.contains("FR\n"))
    try await expect(
      run("find"), 64, errors: .has("find stands for 'countries search'\naggregator: countries search needs an argument: TEXT"))
    try await expect(run("alias", "set", "late", "countries", "list"), 64, errors: .has("the line in quotes"))
  }

  @Test("a source of the name of an alias is used, and the list of aliases says so")
  func hidden() async throws {
    try await expect(run("alias", "set", "pokemon", "countries list --offline -n 1"), 0)
    #expect(try await run("pokemon").code == 0)
    try Folder.write(FakePokemonService.manifest(at: "http://127.0.0.1:1/"), to: "\(home)/pokemon.json")
    try await expect(run("add pokemon.json"), 0, errors: .has("the alias pokemon is not used any more"))
    #expect(try await run("pokemon --offline").code == 69)
    #expect(try await run("alias list").output.contains("a source has that name, and an alias never hides one"))
    #expect(try await run("doctor --offline").output.contains("alias pokemon\twarn\tan alias cannot be named \"pokemon\""))
    // Nor is the alias used for a source that two files describe, or that is hidden.
    try Folder.write(FakePokemonService.manifest(at: "http://127.0.0.1:1/"), to: "\(home)/.config/aggregator/sources/other.json")
    try await expect(run("pokemon"), 64, errors: .has("more than one file names a source"))
  }

  @Test("a line in the file that a shell could not read is an error that names the file; other lines work")
  func broken() async throws {
    try await expect(run("alias", "set", "one", "countries list --offline -n 1"), 0)
    try Folder.write("# mine\nbad = countries 'list\n" + Folder.read(file), to: file)
    try await expect(run("bad"), 78, errors: .has("\(file): bad: the line ends inside quotes"))
    #expect(try await run("one").code == 0)
    #expect(try await run("alias list").lines.count == 2)
    try await expect(run("alias delete oen"), 64, errors: .has("did you mean \"alias delete one\"?"))
  }

  @Test("completions offer aliases, and continue the line that an alias stands for")
  func completed() async throws {
    try await expect(run("alias", "set", "late", "countries list --offline"), 0)
    #expect(try await run("__complete -- la").lines.contains { $0.hasPrefix("late\tcountries list") })
    #expect(try await run("__complete -- alias delete l").lines.contains { $0.hasPrefix("late\t") })
    #expect(try await run("__complete -- late --fie").lines.contains { $0.hasPrefix("--fields\t") })
  }

  @Test("the file of aliases is not read for a line that begins with a command or a source")
  func unread() async throws {
    let console = Console(input: nil, output: nil, errors: 2)
    let program = Program(
      commands: InProcess.commands, catalogue: try .init(InProcess.sources, reserved: CommandTable.reserved), arguments: [],
      environment: ["HOME": home], workingDirectory: "/", console: console)
    try Folder.write("countries = users list\nsync = users list\nlate = users list\n", to: "\(home)/aliases")
    _ = try Binary.shell("mkdir -p .config/aggregator && mv aliases .config/aggregator/", in: home)
    #expect(try program.alias(in: ["countries"]) == nil)
    #expect(try program.alias(in: ["sync"]) == nil)
    #expect(try program.alias(in: ["--offline", "late"]) == nil)
    #expect(try program.alias(in: ["late", "-n", "3"])?.line == ["users", "list", "-n", "3"])
  }
}
