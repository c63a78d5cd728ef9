import Testing

/// What help shows, and in which order.
struct HelpTests {
  private func help(_ words: String..., columns: Int = 80) async throws -> [String] {
    let outcome = try await expect(InProcess.run(["help"] + words, environment: ["COLUMNS": "\(columns)"]), 0)
    return outcome.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The headings, in order.
  private func headings(_ lines: [String]) -> [String] { lines.filter { $0.hasSuffix(":") && !$0.hasPrefix(" ") } }

  @Test("without words it begins with what to try, and goes on to all there is")
  func overview() async throws {
    let lines = try await help()
    #expect(headings(lines) == ["try first:", "sources:", "commands:"])
    let steps = lines.drop { $0 != "try first:" }.filter { $0.hasPrefix("  aggregator ") }
    #expect(
      steps.map { $0.split(separator: " ")[1...2].joined(separator: " ") } == [
        "countries search", "heroes show", "products list", "users next",
      ])
  }

  @Test("of a source it lists verbs, fields and settings")
  func source() async throws {
    let lines = try await help("heroes")
    #expect(headings(lines) == ["commands:", "fields:", "also in 'show':", "settings:", "for example:"])
    #expect(lines.contains("  id, name, realName, aliases, publisher, deck, image, gender,"))
    #expect(lines.contains("  description, powers, teams, origin, birth"))
    #expect(lines.contains { $0.hasPrefix("  COMIC_VINE_API_KEY ") })
    #expect(try await !headings(help("countries")).contains("also in 'show':"))
  }

  @Test("of a verb it begins with its own options; the common ones are one short block")
  func verb() async throws {
    let lines = try await help("countries", "list")
    #expect(headings(lines) == ["options:", "common options, explained by 'aggregator help options':", "for example:"])
    let own = lines.drop { $0 != "options:" }.dropFirst().prefix { !$0.isEmpty }
    #expect(
      own.map { $0.split(separator: " ")[0] } == ["--limit", "--all", "--pages", "--offset", "--count", "--where", "FIELD~TEXT", "--sort"])
    let common = lines.drop { !$0.hasPrefix("common") }.dropFirst().prefix { !$0.isEmpty }
    #expect(common.count <= 7)
    #expect(common.joined().contains("--format table|cards|json|ndjson|csv|tsv|yaml|FILE, -o, --fields [a,b]"))
    #expect(try await help("config").contains("  key, value, origin, secret"))
  }

  @Test("explains every option somewhere, and says which commands take it")
  func options() async throws {
    let lines = try await help("options", columns: 300)
    #expect(
      headings(lines) == ["options of single commands:", "what is printed:", "where answers come from:", "options of every command:"])
    #expect(lines.contains { $0.hasPrefix("  --seed N ") && $0.hasSuffix("(deal)") })
    #expect(lines.contains { $0.hasPrefix("  --fixtures DIR ") && $0.hasSuffix("(source verify)") })
    #expect(!lines.contains { $0.contains("()") })
  }

  @Test("shows nothing that does not work: no hidden commands, and no sync of a list without an end")
  func hidden() async throws {
    for words in [[], ["users"], ["options"], ["help"]] {
      let outcome = try await InProcess.run(["help"] + words)
      #expect(!outcome.output.contains("__") && !outcome.output.contains("users sync"))
    }
    let typo = try await expect(InProcess.run("__complet"), 64)
    #expect(!typo.errors.contains("did you mean"))
  }

  @Test("an example that does not fit goes on behind a backslash, and can still be typed")
  func narrow() async throws {
    let lines = try await help("countries", "search", columns: 40)
    #expect(lines.allSatisfy { $0.count <= 40 })
    let examples = lines.drop { $0 != "for example:" }.dropFirst()
    #expect(examples.contains { $0.hasSuffix(" \\") })
    #expect(examples.joined(separator: "\n").contains("aggregator countries search fra \\\n    --limit 3 --format json"))
  }
}
