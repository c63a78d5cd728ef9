import Testing

/// What the command says to a command line that it does not understand.
struct UsageTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let line: String
    let errors: String
    var testDescription: String { "aggregator \(line)" }

    init(_ line: String, _ errors: String) {
      self.line = line
      self.errors = errors
    }
  }

  static let cases = [
    Case(
      "countrie list",
      """
      aggregator: there is no source or command "countrie"
      did you mean "countries"?
      usage: aggregator SOURCE VERB [ARGUMENTS] [OPTIONS]
      type 'aggregator help' for more
      """),
    Case(
      "list countries",
      """
      aggregator: there is no source or command "list"
      did you mean "countries list"?
      usage: aggregator SOURCE VERB [ARGUMENTS] [OPTIONS]
      type 'aggregator help' for more
      """),
    Case(
      "countries",
      """
      aggregator: countries: what should it do?
      usage: aggregator countries list|search|show|deal
      type 'aggregator help countries' for more
      """),
    Case(
      "countries serach fra",
      """
      aggregator: countries has no "serach"
      did you mean "countries search"?
      usage: aggregator countries list|search|show|deal
      type 'aggregator help countries' for more
      """),
    Case(
      "countries list --lim 5",
      """
      aggregator: unknown option --lim
      did you mean "--limit"?
      usage: aggregator countries list
      type 'aggregator help countries list' for more
      """),
    Case(
      "--lim 5 countries list",
      """
      aggregator: unknown option --lim
      did you mean "--limit"?
      type 'aggregator help' for more
      """),
    Case(
      "countries list -x",
      """
      aggregator: unknown option -x
      usage: aggregator countries list
      type 'aggregator help countries list' for more
      """),
    Case(
      "countries show FR --limit 5",
      """
      aggregator: countries show takes no --limit
      usage: aggregator countries show ID
      type 'aggregator help countries show' for more
      """),
    Case(
      "countries list --limit",
      """
      aggregator: --limit: its value is missing; type --limit N
      usage: aggregator countries list
      type 'aggregator help countries list' for more
      """),
    Case(
      "countries list --limit --all",
      """
      aggregator: --limit: its value is missing; type --limit N
      usage: aggregator countries list
      type 'aggregator help countries list' for more
      """),
    Case(
      "countries list --format xml",
      """
      aggregator: --format: "xml" is none of table, cards, json, ndjson, csv, tsv
      usage: aggregator countries list
      type 'aggregator help countries list' for more
      """),
    Case(
      "countries list --format=jsn",
      """
      aggregator: --format: "jsn" is none of table, cards, json, ndjson, csv, tsv
      did you mean "--format json"?
      usage: aggregator countries list
      type 'aggregator help countries list' for more
      """),
    Case(
      "countries list --fields nme,code",
      """
      aggregator: there is no field "nme"; there are code, name, region, capital, currency.code, currency.name, currency.symbol, \
      language.code, language.name, flag
      did you mean "--fields name"?
      usage: aggregator countries list
      type 'aggregator help countries list' for more
      """),
    Case(
      "countries list --quiet=yes",
      """
      aggregator: --quiet takes no value
      usage: aggregator countries list
      type 'aggregator help countries list' for more
      """),
    Case(
      "countries list --limit 2 --limit 3",
      """
      aggregator: --limit was given twice
      usage: aggregator countries list
      type 'aggregator help countries list' for more
      """),
    Case(
      "countries list --all --limit 3",
      """
      aggregator: --all and --limit contradict each other; leave one out
      usage: aggregator countries list
      type 'aggregator help countries list' for more
      """),
    Case(
      "countries list --offline --live",
      """
      aggregator: --offline and --live contradict each other; leave one out
      usage: aggregator countries list
      type 'aggregator help countries list' for more
      """),
    Case(
      "countries list surplus",
      """
      aggregator: countries list takes no "surplus"
      usage: aggregator countries list
      type 'aggregator help countries list' for more
      """),
    Case(
      "countries search",
      """
      aggregator: countries search: TEXT is missing
      usage: aggregator countries search TEXT
      type 'aggregator help countries search' for more
      """),
    Case(
      "countries show",
      """
      aggregator: countries show: ID is missing
      usage: aggregator countries show ID
      type 'aggregator help countries show' for more
      """),
    Case(
      "countries show burkina faso",
      """
      aggregator: countries show takes one ID and nothing behind it
      usage: aggregator countries show ID
      type 'aggregator help countries show' for more
      """),
    Case(
      "config set COUNTRY_URL",
      """
      aggregator: there is no setting "COUNTRY_URL"; 'aggregator config' lists them
      did you mean "config set COUNTRIES_URL"?
      usage: aggregator config set KEY
      type 'aggregator help config set' for more
      """),
    Case(
      "help countrys",
      """
      aggregator: there is no source or command "countrys"
      did you mean "countries"?
      usage: aggregator SOURCE VERB [ARGUMENTS] [OPTIONS]
      type 'aggregator help' for more
      """),
  ]

  @Test("is a usage error that says what would be right", arguments: cases)
  func usage(_ test: Case) throws {
    let words = test.line.split(separator: " ").map(String.init)
    let outcome = try Binary.run([Binary.path] + words, input: "", environment: [:], in: "/")
    #expect(outcome.code == 64)
    #expect(outcome.errors == test.errors + "\n")
    #expect(outcome.output == "")
  }

  @Test("a number is a whole one above zero", arguments: ["0", "-1", "1e9", "1.5", "ten", "99999999999999999999", "0x10", " 3"])
  func number(_ text: String) throws {
    for option in ["--limit", "--pages"] {
      let outcome = try Binary.run("countries", "list", option, text)
      #expect(outcome.code == 64)
      #expect(outcome.errors.hasPrefix("aggregator: \(option): \"\(text)\" is not a whole number above 0; type \(option) 20\n"))
    }
  }

  @Test("a time is a number, with a unit or without, above zero", arguments: ["0", "-1", "1e9", "soon", "5 parsecs"])
  func time(_ text: String) throws {
    let outcome = try Binary.run("countries", "list", "--timeout", text)
    #expect(outcome.code == 64)
    #expect(outcome.errors.hasPrefix("aggregator: --timeout: \"\(text)\" is not a length of time; type --timeout 5, 500ms or 2m\n"))
  }

  @Test("an empty text is no text", arguments: ["", " ", "\t\n"])
  func emptyText(_ text: String) throws {
    #expect(try Binary.run("countries", "search", text).code == 64)
    #expect(try Binary.run("countries", "search", text, text).code == 64)
    #expect(try Binary.run("countries", "show", "").code == 64)
  }

  @Test("what a person typed reaches the terminal without control sequences, on its own line")
  func hostileWords() throws {
    let outcome = try Binary.run("countries", "list", "a\u{1B}[31mb\u{9B}2Jc\naggregator: all is well")
    #expect(outcome.errors.hasPrefix("aggregator: countries list takes no \"abc aggregator: all is well\"\n"))
  }
}
