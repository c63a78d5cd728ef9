import AggregatorCore
import SourceTesting
import Testing

/// The examples in help, in the README and in the first guide.
@Suite("Examples") struct ExampleTests {
  /// The commands that help lists, each by its words.
  private static func commands() async throws -> [[String]] {
    let overview = try await Help(of: [])
    let sources = overview.names(under: "sources")
    var own = overview.names(under: "commands").filter { !$0.hasPrefix("-") }
    // A group of commands has one line, and its own help has the commands.
    for group in own.filter({ $0.hasSuffix(" VERB") }) {
      own += try await Help(of: [String(group.dropLast(5))]).names(under: "commands")
    }
    own.removeAll { $0.hasSuffix(" VERB") }
    var verbs: [String] = []
    for source in sources { verbs += try await Help(of: [source]).names(under: "commands") }
    return (own + verbs).map { name in
      name.split(separator: " ").map(String.init).filter { $0.first?.isLowercase ?? false && !$0.contains("|") }
    }
  }

  @Test("every command's help has two or three examples, and they work")
  func commands() async throws {
    let home = try await ExampleHome()
    let commands = try await Self.commands()
    #expect(commands.count > 30)
    for words in commands {
      let examples = try await Help(of: words).examples
      // They name a source with a login, and no source here has one.
      if [["login"], ["logout"]].contains(words) {
        #expect(examples.isEmpty)
        continue
      }
      #expect((2...3).contains(examples.count), "\(words): \(examples)")
      for example in examples {
        #expect(example.contains("aggregator \(words.joined(separator: " "))"), "\(example)")
        // An editor needs a terminal; this one leaves the file as it is.
        if words == ["source", "edit"] {
          let (code, shown) = try home.edit(example)
          #expect(code == 0 && shown.contains("nothing was changed"), "$ \(example)\n\(shown)")
          continue
        }
        // The browser takes the whole terminal, and ends at the key q.
        if words == ["browse"] {
          let (code, shown) = try home.browse(example)
          #expect(code == 0 && shown.contains("> "), "$ \(example)\n\(shown)")
          continue
        }
        if words == ["serve"] {
          let (code, shown) = try home.serve(example)
          #expect(code == 0, "$ \(example)\n\(shown)")
          continue
        }
        let outcome = try await home.run(example)
        #expect(
          outcome.code == 0 && (example.contains(" > ") || !(outcome.output + outcome.errors).isEmpty), "$ \(example)\n\(outcome.errors)")
      }
    }
  }

  @Test("the first examples of search and show find records in the bundled copy", arguments: ["countries", "heroes", "products", "users"])
  func samples(source: String) async throws {
    let home = try await ExampleHome()
    for verb in ["search", "show"] {
      let example = try #require(await Help(of: [source, verb]).examples.first)
      let outcome = try await home.run("\(example) --offline", alone: true)
      #expect(outcome.code == 0 && !outcome.output.isEmpty, "$ \(example)\n\(outcome.errors)")
    }
  }

  @Test("the examples of compare name two different records", arguments: ["countries", "heroes", "products", "users"])
  func compared(source: String) async throws {
    for example in try await Help(of: [source, "compare"]).examples {
      let ids = example.split(separator: " ").dropFirst(3).prefix(2)
      #expect(Set(ids).count == 2, "\(example)")
      #expect(!(try await InProcess.run(typed: "\(example) --offline", in: "/")?.errors.contains("the same record") ?? true))
    }
  }

  @Test("the first examples of the overview begin with add, sync and changes, and work without any service")
  func first() async throws {
    let home = try await ExampleHome()
    let steps = try await Help(of: []).lines(under: "try first").filter { $0.hasPrefix("  aggregator ") }
    #expect(steps.count == 5)
    for (step, word) in zip(steps, ["add", "sync", "changes"]) { #expect(step.split(separator: " ").prefix(3).contains { $0 == word }) }
    // Commands that ask every service are left out, because no service answers here.
    for step in steps where !step.contains("sync") {
      // Two blanks separate a command from its description.
      let line = String(step.dropFirst(2).prefix(upTo: step.dropFirst(2).firstRange(of: "  ")?.lowerBound ?? step.endIndex))
      let outcome = try await home.run(line, alone: true)
      #expect(outcome.code == 0 && !(outcome.output + outcome.errors).isEmpty, "$ \(line)\n\(outcome.errors)")
    }
  }

  @Test(
    "the examples in the README and the first guide work one after the other, and print the output that is shown",
    .enabled(if: Tool.checkout != nil, "the checkout is not beside the tests"), .enabled(if: Tool.exists("jq"), "jq is not installed"),
    arguments: ["README.md", "Docs/guides/the-command.md"])
  func typed(document: String) async throws {
    let home = try await ExampleHome()
    let (copy, address) = (try home.beginning(), "\(try home.server.address("/"))")
    let typed = Console.blocks(in: try Folder.read("\(Tool.checkout ?? "")/\(document)")).flatMap { $0 }
      .filter { $0.line.hasPrefix("./aggregator ") || $0.line.hasPrefix("aggregator ") }
    #expect(typed.count >= 8)
    for step in typed {
      // The output that the README shows came from the bundled copy.
      guard step.output.isEmpty else {
        #expect(try home.shown(step.line) == step.output, "$ \(step.line)")
        continue
      }
      // The service that the README adds is a stand-in here.
      let line = step.line.replacingEach("https://pokeapi.co/api/v2/", with: address)
      let outcome = try home.run("exec 2>&1; \(line)", in: copy)
      #expect(outcome.code == 0 && (line.contains(" -o ") || !outcome.output.isEmpty), "$ \(line)\n\(outcome.output)")
    }
  }
}

/// The help of a command, taken apart.
private struct Help {
  private let lines: [String]

  init(of words: [String]) async throws {
    let outcome = try await expect(InProcess.run(["help"] + words, environment: ["COLUMNS": "300"]), 0)
    lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The lines of a section.
  func lines(under heading: String) -> [String] {
    lines.drop { $0 != "\(heading):" }.dropFirst().prefix { $0.hasPrefix("  ") }.map { $0 }
  }

  /// The first column of a section.
  func names(under heading: String) -> [String] {
    lines(under: heading).map { String($0.dropFirst(2).split(separator: "  ", maxSplits: 1).first ?? "") }
  }

  var examples: [String] { lines(under: "for example").map { String($0.dropFirst(2)) } }
}

/// The commands that a document shows, with their output.
private enum Console {
  struct Step {
    let line: String
    var output: [String] = []
  }

  static func blocks(in text: String) -> [[Step]] {
    var blocks: [[Step]] = []
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("```") {
        isInside = line == "```console"
        if isInside { blocks.append([]) }
      } else if isInside, line.hasPrefix("$ ") {
        blocks[blocks.count - 1].append(Step(line: String(line.dropFirst(2))))
      } else if isInside, let last = blocks[blocks.count - 1].indices.last {
        blocks[blocks.count - 1][last].output.append(line)
      }
    }
    return blocks
  }
}
