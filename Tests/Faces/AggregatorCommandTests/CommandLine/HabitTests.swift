import AggregatorCore
import RecordFormats
import SourceTesting
import Testing

@testable import AggregatorCommand

/// Lines that hands type which know other programs.
@Suite("Habits") struct HabitTests {
  @Test("a source's name alone lists it, with the options of list")
  func bareSource() async throws {
    for (line, whole) in [
      ("countries --offline", "countries list --offline"), ("--offline countries -n 3", "countries list --offline -n 3"),
      ("countries --json --offline -n 1", "countries list --format json --offline -n 1"),
    ] {
      let (short, long) = (try await InProcess.run(line), try await InProcess.run(whole))
      #expect(short.code == 0 && short.output == long.output && short.errors == long.errors, "\(line): \(short.errors)")
    }
    #expect(try Binary.shell("$A countries --offline | head -n 1").code == 0)
    try await expect(InProcess.run("source"), 64, errors: .has("source needs a command"))
  }

  @Test("SOURCE help is help SOURCE")
  func help() async throws {
    for (line, whole) in [
      ("countries help", "help countries"), ("countries help list", "help countries list"), ("source help", "help source"),
    ] { #expect(try await InProcess.run(line).output == InProcess.run(whole).output, "\(line)") }
  }

  @Test("--json is --format json, and a second format is an error")
  func json() async throws {
    let json = try await InProcess.run("countries list --offline -n 2 --format json")
    #expect(try await InProcess.run("countries list --json --offline -n 2").output == json.output)
    #expect(try await InProcess.run("countries list --json --offline -n 2 --format json").output == json.output)
    try await expect(InProcess.run("countries list --json --format csv"), 64, errors: .has("--format was given twice"))
    try await expect(InProcess.run("countries list --json=x"), 64, errors: .has("unknown option --json"))
    try await expect(InProcess.run("cache clear --json"), 64, errors: .has("cache clear does not take --format"))
  }

  @Test(
    "a format and a file may both be given, in either order, and the format says how the file is written",
    arguments: ["--format csv -o a.txt", "-o a.txt --format csv", "-o a.csv --format csv", "-o a.dat -o csv", "--format=csv -o ./a"])
  func formatAndFile(options: String) async throws {
    let folder = try Folder.fresh()
    let printed = try await InProcess.run("countries list --offline -n 2 --format csv")
    let words = ["countries", "list", "--offline", "-n", "2"] + options.split(separator: " ").map(String.init)
    try await expect(InProcess.run(words, in: folder), 0, output: .exactly(""))
    let file = options.contains("./a") ? "a" : options.split(separator: " ").first { $0.hasPrefix("a.") } ?? ""
    #expect(try Folder.read("\(folder)/\(file)") == printed.output)
  }

  @Test("two formats, two files, and a file whose ending names no format by itself are errors")
  func formatsAndFiles() async throws {
    for (line, said) in [
      ("-o a.csv -o b.csv", "--format was given twice"), ("-o a.csv --format json --format csv", "--format was given twice"),
      ("-o a.dat", "invalid format \"a.dat\""), ("--format cvs -o a.csv", "invalid format \"cvs\""),
    ] { try await expect(InProcess.run("countries list --offline \(line)"), 64, errors: .has(said)) }
  }

  @Test("--all and --limit go together in every order")
  func allAndLimit() async throws {
    let first = try await InProcess.run("countries list --offline -n 2").output
    for options in ["--all -n 2", "-n 2 --all", "--verbose --all -n 2", "-n 2 --verbose --all"] {
      try await expect(InProcess.run("countries list --offline \(options)"), 0, output: .exactly(first))
    }
  }

  @Test(
    "a word that other programs use leads to the word here",
    arguments: [
      ("countries list --columns name", "--fields"), ("countries list --reverse", "--sort -FIELD"), ("countries list -v", "--verbose"),
      ("-v", "--version"), ("countries list --no-headers", "--format tsv"), ("countries head", "countries list --limit 5"),
      ("countries list --output a.csv", "-o FILE"), ("countries list --csv", "--format csv"),
      ("countries list --jq .items", "--json | jq FILTER"),
      ("countries list --filter region=EU", "--where"), ("countries sync --dry-run", "--plan"),
      ("countries list --region=EU", "--where region=EU"), ("countries --region EU", "--where region=VALUE"),
      ("countries list --order-by name", "--sort"), ("countries count", "countries list --count"), ("query", "sql"), ("log", "changes"),
      ("countries status", "status countries"), ("countries log", "countries changes"), ("head countries", "countries list --limit 5"),
      ("countries browse", "browse countries"), ("countries list --limti 3", "--limit"), ("ls", "sources"),
    ])
  func suggestions(line: String, meant: String) async throws {
    try await expect(InProcess.run(line), 64, errors: .has("did you mean \"\(meant)\"?\n"))
  }

  @Test(
    "an option that is called quite differently is not suggested",
    arguments: ["--verbatim", "--reversed-x", "--regex", "--zebra", "--plabs"])
  func notSuggested(option: String) async throws {
    let outcome = try await InProcess.run(["countries", "list", option])
    #expect(outcome.code == 64 && !outcome.errors.contains("did you mean"), "\(outcome.errors)")
  }

  @Test("each row of the table leads to an option or a command that exists, and names none that exists")
  func rows() throws {
    let console = Console(input: nil, output: nil, errors: 2)
    let program = Program(
      commands: InProcess.commands, catalogue: try Catalogue(InProcess.sources, reserved: CommandTable.reserved), arguments: [],
      environment: [:],
      workingDirectory: "/", console: console)
    let grammar = Grammar(of: program)
    func others(_ row: OtherNames.Row) -> [String] { row.others.split(separator: " ").map(String.init) }
    for row in OtherNames.options {
      let word = row.ours.prefix { $0 != " " }
      let takers = grammar.commands.filter { $0.options.contains { $0.isCalled(String(word)) } }
      #expect(!takers.isEmpty || word == "--json", "\(row)")
      for name in others(row) {
        #expect(name.hasPrefix("-"), "\(name)")
        let isOwn = takers.contains { $0.options.contains { $0.isCalled(name) } }
        #expect(!isOwn, "\(name) is an option of a command with \(word)")
      }
    }
    for row in OtherNames.commands {
      for name in others(row) {
        #expect(grammar.command(meantBy: name) == row.ours, "\(name)")
        #expect(grammar.known([name]) == nil || name == "version", "\(name)")
      }
    }
    let sources = grammar.sources.map(\.name)
    for row in OtherNames.verbs {
      for name in others(row) {
        let meant = sources.map { source in
          row.ours.contains("SOURCE") ? row.ours.replacing("SOURCE", with: source) : "\(source) \(row.ours)"
        }
        let found = sources.map { grammar.line(meantBy: name, of: $0) }
        #expect(zip(meant, found).contains { $0 == $1 }, "\(name): \(found)")
      }
    }
  }
}
