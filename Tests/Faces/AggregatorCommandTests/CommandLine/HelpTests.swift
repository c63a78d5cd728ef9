import Testing

/// The help that a person reads first.
@Suite("The overview") struct HelpTests {
  private func help(_ words: String..., columns: Int = 80, environment: [String: String] = [:]) async throws -> [String] {
    let outcome = try await expect(InProcess.run(["help"] + words, environment: ["COLUMNS": "\(columns)"] + environment), 0)
    return outcome.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { String($0) }
  }

  /// Further sources, each in a file of one folder.
  private func manifests(_ count: Int) throws -> [String: String] {
    let folder = try Folder.fresh()
    for number in 0..<count {
      let manifest = FakePokemonService.manifest("port\(number)", at: "http://127.0.0.1:1/")
      let long = Array(repeating: "Pokémon by name", count: number == 1 ? 9 : 1).joined(separator: ", ")
      try Folder.write(manifest.replacing("Pokémon by name", with: long), to: "\(folder)/port\(number).json")
    }
    return ["AGGREGATOR_SOURCES": folder]
  }

  @Test(
    "the overview fits sixty lines with any number of added sources, and says how many sources it does not name",
    arguments: [0, 1, 12])
  func short(added: Int) async throws {
    let lines = try await help(environment: manifests(added))
    #expect(lines.count <= 60)
    #expect(lines.contains { $0.hasPrefix("  countries  ") })
    #expect(lines.contains("  port0      Pokémon by name") == (added > 0))
    let sources = lines.drop { $0 != "sources:" }.dropFirst().prefix { !$0.isEmpty }
    #expect(sources.count == min(4 + added, 6) && sources.allSatisfy { !$0.hasPrefix("   ") && $0.count <= 80 })
    #expect(lines.contains("  and 11 more: type 'aggregator sources'") == (added == 12))
  }

  @Test("the overview begins with add, sync and changes, and has the exit codes")
  func order() async throws {
    let lines = try await help()
    let first = try #require(lines.firstIndex(of: "try first:"))
    let commands = lines[first...].filter { $0.hasPrefix("  aggregator ") }.prefix(3)
    for (line, word) in zip(commands, ["add", "sync", "changes"]) {
      #expect(line.split(separator: " ").contains { $0 == word }, "\(line)")
    }
    #expect(lines[..<first].count(where: { $0.isEmpty }) == 2, "only the usage and one sentence come before them")
    let codes = lines.drop { $0 != "exit codes:" }.dropFirst().prefix { !$0.isEmpty }.joined(separator: " ")
    for code in ["0 answered", "3 incomplete", "64 usage", "75 try later", "130 interrupted"] { #expect(codes.contains(code)) }
    #expect(try await help("options").contains("  66   no such record or file"))
  }

  @Test("the overview has a line for each command, whose own help has the rest")
  func commands() async throws {
    let lines = try await help().drop { $0 != "commands:" }.dropFirst().prefix { !$0.isEmpty }
    #expect(lines.count > 20 && lines.allSatisfy { !$0.hasPrefix("   ") })
    for (command, rest) in [
      ("add", "SPEC is an address, a recording"), ("config set", "hidden on a terminal"), ("import", "of repeated rows the first is kept"),
      ("store copy", "a second run continues"), ("sync", "lists without an end are left out"), ("remove", "their keys"),
    ] {
      let own = try await InProcess.run("help \(command)", environment: ["COLUMNS": "300"]).output
      #expect(own.contains(rest) && !lines.joined().contains(rest), "\(command)")
    }
  }
}

/// Other programs use the modules for commands of their own, which are not called `aggregator`.
struct ProgramNameTests {
  @Test("no text tells a person to type aggregator", .enabled(if: Tool.checkout != nil, "the checkout is not beside the tests"))
  func remedies() throws {
    let verbs = "(sources?|config|help|search|import|cache|SOURCE|[a-z]+ (list|search|next|sync|show|reset))"
    let found = try Binary.shell(
      "grep -rnE \"\\\"[^\\\"]*\\\\baggregator $VERBS\\\\b\" Sources --include='*.swift' | grep -vE '^[^:]*:[0-9]+: *///'",
      environment: ["VERBS": verbs], in: Tool.checkout ?? "/")
    #expect(found.lines == [])
    #expect(found.code == 1)
  }

  @Test(
    "no text below the faces names an option, because remedies do",
    .enabled(if: Tool.checkout != nil, "the checkout is not beside the tests"))
  func options() throws {
    // The people who type fixtures name them; createdb has options of its own, and so have programs that are sources.
    let faces =
      "Sources/(Faces/(Command|Browse|[A-Za-z]*Face)/|Formats/Presentation|Access/Programs|Kit/(SourceTestingTraits|Authoring/Packages/SourcePackage\\+Program))"
    let found = try Binary.shell(
      "grep -rnE '\"[^\"]*--[a-z]' Sources --include='*.swift' | grep -vE \"^($FACES|[^:]*:[0-9]+: *//)|createdb\"",
      environment: ["FACES": faces], in: Tool.checkout ?? "/")
    #expect(found.lines == [])
    #expect(found.code == 1)
  }
}
