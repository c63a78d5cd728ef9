import Testing

/// What the command says to a command line that it does not understand.
struct UsageTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let line: String
    let message: String
    let suggestion: String?
    let usage: String?
    let topic: String
    var testDescription: String { "aggregator \(line)" }

    init(_ line: String, _ message: String, suggestion: String? = nil, usage: String? = nil, topic: String = "") {
      (self.line, self.message, self.suggestion, self.usage, self.topic) = (line, message, suggestion, usage, topic)
    }

    var errors: String {
      var lines = ["aggregator: \(message)"]
      if let suggestion { lines.append("did you mean \"\(suggestion)\"?") }
      if let usage { lines.append("usage: aggregator \(usage)") }
      return (lines + ["type 'aggregator help\(topic.isEmpty ? "" : " " + topic)' for more"]).joined(separator: "\n") + "\n"
    }
  }

  static let cases = [
    Case(
      "countrie list", #"unknown source or command "countrie""#, suggestion: "countries list", usage: "SOURCE VERB [ARGUMENTS] [OPTIONS]"),
    Case(
      "list countries", #"unknown source or command "list""#, suggestion: "countries list", usage: "SOURCE VERB [ARGUMENTS] [OPTIONS]"),
    Case(
      "countries", "countries needs a command: list, search, next, reset, sync, show, deal, compare, changes, forget",
      usage: "countries list|search|next|reset|sync|show|deal|compare|changes|forget", topic: "countries"),
    Case("cache claer", #"unexpected argument "claer" for cache"#, suggestion: "cache clear", usage: "cache [OPTIONS]", topic: "cache"),
    Case("source", "source needs a command: new, verify", usage: "source new|verify", topic: "source"),
    Case(
      "source verfy x", #"unknown command "verfy" for source"#, suggestion: "source verify", usage: "source new|verify", topic: "source"),
    Case(
      "countries serach fra", #"unknown command "serach" for countries"#, suggestion: "countries search",
      usage: "countries list|search|next|reset|sync|show|deal|compare|changes|forget",
      topic: "countries"),
    Case(
      "countries list --lim 5", "unknown option --lim", suggestion: "--limit", usage: "countries list [OPTIONS]", topic: "countries list"),
    Case(
      "--lim 5 countries list", "unknown option --lim", suggestion: "--limit"),
    Case(
      "countries list -x", "unknown option -x", usage: "countries list [OPTIONS]", topic: "countries list"),
    Case(
      "countries show FR --limit 5", "countries show does not take --limit", usage: "countries show ID... [OPTIONS]",
      topic: "countries show"),
    Case(
      "countries list --limit", "--limit needs a value; type --limit N", usage: "countries list [OPTIONS]", topic: "countries list"),
    Case(
      "countries list --limit --all", "--limit needs a value; type --limit N", usage: "countries list [OPTIONS]", topic: "countries list"),
    Case(
      "countries list --format xml",
      #"invalid format "xml"; choose one of table, cards, json, ndjson, csv, tsv, yaml, or a file that ends in .txt, .json, .ndjson, .jsonl, .csv, .tsv, .yaml, .yml"#,
      usage: "countries list [OPTIONS]",
      topic: "countries list"),
    Case(
      "countries list --format=jsn",
      #"invalid format "jsn"; choose one of table, cards, json, ndjson, csv, tsv, yaml, or a file that ends in .txt, .json, .ndjson, .jsonl, .csv, .tsv, .yaml, .yml"#,
      suggestion: "--format json",
      usage: "countries list [OPTIONS]", topic: "countries list"),
    Case(
      "countries list --fields nme,code",
      #"unknown field "nme"; available fields: code, name, region, capital, currency.code, currency.name, currency.symbol, language.code, language.name, flag"#,
      suggestion: "--fields name", usage: "countries list [OPTIONS]", topic: "countries list"),
    Case(
      "countries list --quiet=yes", "--quiet takes no value", usage: "countries list [OPTIONS]", topic: "countries list"),
    Case(
      "countries list --limit 2 --limit 3", "--limit was given twice (-n is the same option)", usage: "countries list [OPTIONS]",
      topic: "countries list"),
    Case(
      "countries list --all --limit 3", "--all and --limit cannot be used together", usage: "countries list [OPTIONS]",
      topic: "countries list"),
    Case(
      "countries list --offline --live", "--offline and --live cannot be used together", usage: "countries list [OPTIONS]",
      topic: "countries list"),
    Case(
      "countries list surplus", #"unexpected argument "surplus" for countries list"#, usage: "countries list [OPTIONS]",
      topic: "countries list"),
    Case(
      "countries search", "countries search needs an argument: TEXT", usage: "countries search TEXT [OPTIONS]", topic: "countries search"),
    Case(
      "countries show", "countries show needs an argument: ID", usage: "countries show ID... [OPTIONS]", topic: "countries show"),
    Case(
      "heroes image burkina faso", "heroes image takes exactly one ID", usage: "heroes image ID [OPTIONS]",
      topic: "heroes image"),
    Case(
      "config set COUNTRY_URL", #"unknown setting "COUNTRY_URL"; type 'aggregator config' to list them"#,
      suggestion: "config set COUNTRIES_URL", usage: "config set KEY [OPTIONS]", topic: "config set"),
    Case(
      "help countrys", #"unknown source or command "countrys""#, suggestion: "countries", usage: "SOURCE VERB [ARGUMENTS] [OPTIONS]"),
  ]

  @Test("is a usage error that says what would be right", arguments: cases)
  func usage(_ test: Case) async throws {
    let words = test.line.split(separator: " ").map(String.init)
    try await InProcess.run(words).expect(64, output: "", errors: test.errors)
  }

  @Test("a number is a whole one above zero", arguments: ["0", "-1", "1e9", "1.5", "ten", "99999999999999999999", "0x10", " 3"])
  func number(_ text: String) async throws {
    for option in ["--limit", "--pages"] {
      try await InProcess.run("countries", "list", option, text).expect(
        64, starting: "aggregator: \(option) must be a positive whole number, such as 20\n")
    }
  }

  @Test("a time is a number, with a unit or without, above zero", arguments: ["0", "-1", "1e9", "soon", "5 parsecs"])
  func time(_ text: String) async throws {
    try await InProcess.run("countries", "list", "--timeout", text).expect(
      64, starting: "aggregator: --timeout must be a length of time, such as 5, 500ms or 2m\n")
  }

  @Test("an empty text is no text", arguments: ["", " ", "\t\n"])
  func emptyText(_ text: String) async throws {
    #expect(try await InProcess.run("countries", "search", text).code == 64)
    #expect(try await InProcess.run("countries", "search", text, text).code == 64)
    #expect(try await InProcess.run("countries", "show", "").code == 64)
  }

  @Test("a text that shows nothing is none", arguments: ["\u{200B}", "\u{301}", "\u{FE0F}", "\u{200B} \u{AD}"])
  func invisibleText(_ text: String) async throws {
    try await InProcess.run("countries", "search", text, "--offline").expect(
      64, starting: "aggregator: countries search needs a TEXT with at least one visible character\n")
  }

  @Test(
    "bytes that are no text name no file",
    arguments: [
      #"countries list --offline --store "$B.db""#, #"countries list --config "$B""#, #"countries list --replay "$B""#,
      #"import users "$B""#, #"countries list "--store=$B""#, #"countries search "$B""#,
    ])
  func otherBytes(_ line: String) throws {
    let outcome = try Binary.shell(#"B="$(printf '\377')"; exec "$A" \#(line)"#).expect(64)
    #expect(outcome.errors.contains(#"\xff"#) && outcome.errors.contains("is not valid UTF-8"))
  }

  @Test(
    "nor do variables; help helps all the same",
    arguments: ["XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "HOME", "AGGREGATOR_CONFIG", "COUNTRIES_URL"])
  func otherBytesInVariables(_ name: String) throws {
    try Binary.shell(#"export \#(name)="$(printf '/tmp/\377')"; exec "$A" countries list --offline"#).expect(
      64, starting: "aggregator: the value of \(name) is not valid UTF-8")
    #expect(try Binary.shell(#"export \#(name)="$(printf '/tmp/\377')"; exec "$A" countries list --help"#).code == 0)
  }

  @Test("a working directory of any name is where the files beside it are")
  func oddFolder() throws {
    let line = #"""
      D="$(printf '\377')"; mkdir -p "$D/Configuration" && cd "$D" && echo 'COUNTRIES_URL = http:/$()/beside.example/' >Configuration/Debug.xcconfig
      env -u COUNTRIES_URL "$A" config --format tsv
      """#
    #expect(try Binary.shell(line, in: Folder.fresh()).output.contains("http://beside.example/"))
  }

  @Test("what a person typed reaches the terminal without control sequences, on its own line")
  func hostileWords() async throws {
    try await InProcess.run("countries", "list", "a\u{1B}[31mb\u{9B}2Jc\naggregator: all is well").expect(
      starting: "aggregator: unexpected argument \"abc aggregator: all is well\" for countries list\n")
  }

  @Test(
    "words of other programs, and a source's name in the singular, lead to what is meant",
    arguments: [
      ("country list", "countries list"), ("hero search x", "heroes search x"), ("heroes find", "heroes search"),
      ("heroes get 3", "heroes show"), ("ls countries", "countries list"), ("get", "show"), ("ls", "sources"), ("list", "countries list"),
      ("help list", "countries list"), ("config get", "config"), ("version", "--version"), ("-v", "--version"),
      ("users rm a@b.example", "users delete"),
    ])
  func synonyms(line: String, meant: String) async throws {
    try await InProcess.run(line.split(separator: " ").map(String.init)).expect(64, saying: "\ndid you mean \"\(meant)\"?\n")
  }
}
