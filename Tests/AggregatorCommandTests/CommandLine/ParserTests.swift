import Testing

/// Where options and words may stand.
struct ParserTests {
  /// What the bundled copy answers to `arguments`, names only.
  private func names(_ arguments: String...) async throws -> [String] {
    let outcome = try await expect(
      InProcess.run(["--offline", "--quiet", "--fields=name", "--format", "tsv"] + arguments), 0, errors: "")
    return outcome.lines
  }

  @Test("options stand before, between and behind the words")
  func anywhere() async throws {
    let three = ["Afghanistan", "Åland Islands", "Albania"]
    #expect(try await names("--limit", "3", "countries", "list") == three)
    #expect(try await names("countries", "--limit", "3", "list") == three)
    #expect(try await names("countries", "list", "--limit=3") == three)
  }

  @Test("words of a search are one text with spaces between")
  func joined() async throws {
    #expect(try await names("countries", "search", "south", "afr") == ["South Africa"])
    #expect(try await names("countries", "search", "south afr") == ["South Africa"])
  }

  @Test("behind -- every word is a word")
  func dashes() async throws {
    #expect(try await names("countries", "search", "--", "guinea-b") == ["Guinea-Bissau"])
    let outcome = try await InProcess.run("countries search --offline -- --limit")
    #expect(outcome.code == 0)
    #expect(outcome.errors.hasSuffix("aggregator: no countries match \"--limit\"\n"))
    #expect(try await names("countries", "list", "--limit", "1", "--").count == 1)
  }

  @Test("--fields without a value lists the fields, and neither reads a file nor asks anyone")
  func fields() async throws {
    let fields = [
      "code", "name", "region", "capital", "currency.code", "currency.name", "currency.symbol", "language.code", "language.name", "flag",
    ]
    let lines = [
      ["countries", "list", "--fields"], ["countries", "list", "--fields", "--offline"], ["countries", "--fields", "--limit", "2", "list"],
      ["countries", "search", "--fields"], ["countries", "show", "--fields"], ["countries", "deal", "--config", "/nowhere", "--fields"],
    ]
    for line in lines {
      let outcome = try await expect(InProcess.run(line), 0)
      // What codes mean stands behind a tab.
      #expect(outcome.lines.map { String($0.prefix { $0 != "\t" }) } == fields)
      #expect(outcome.output.contains("region\tAF Africa, "))
      #expect(outcome.errors == "")
    }
  }

  @Test("fields come in the order that was asked for, each once, a group as a whole")
  func chosen() async throws {
    let outcome = try await InProcess.run(
      "countries", "show", "fr", "--offline", "--quiet", "--format", "tsv", "--fields", "name, currency,code,name")
    #expect(outcome.output == "France\tEUR\tEuro\t€\tFR\n")
    let json = try await InProcess.run("countries show fr --offline --quiet --format json --fields currency.code,name")
    #expect(json.output == #"{"currency":{"code":"EUR"},"name":"France"}"# + "\n")
    let shown = try await InProcess.run("countries show fr --offline --quiet --fields currency.code")
    #expect(shown.output == "Currency code: EUR\n")
  }

  @Test("help is found wherever it is asked for, whatever else is wrong")
  func help() async throws {
    let help = try await InProcess.run("help countries list").output
    #expect(help.hasPrefix("usage: aggregator countries list [OPTIONS]\n"))
    for line in [
      ["countries", "list", "-h"], ["--help", "countries", "list"], ["countries", "list", "--limit", "x", "--bogus", "--help"],
      ["help", "countries", "list", "surplus"],
    ] {
      try await expect(InProcess.run(line), 0, output: .exactly(help), errors: "")
    }
    #expect(try await InProcess.run().output == InProcess.run("--help").output)
    #expect(try await InProcess.run().output == InProcess.run("help").output)
    let group = try await InProcess.run("help source").output
    #expect(group.hasPrefix("usage: aggregator source new|verify [OPTIONS]\n"))
    #expect(group.contains("\n  source verify SOURCE  "))
    #expect(try await InProcess.run("source --help").output == group)
  }

  @Test("the version is one line")
  func version() async throws {
    let outcome = try await InProcess.run("--version")
    #expect(outcome.output.wholeMatch(of: /aggregator \d+\.\d+\.\d+\n/) != nil)
    #expect(outcome.code == 0)
    #expect(try await InProcess.run("countries list --version").code == 64)
  }
}
