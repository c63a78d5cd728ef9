import Testing

/// What the command says to a command line that it does not understand.
struct UsageTests {
  @Test(
    "is a usage error that says what would be right; the golden file has more of them",
    arguments: [
      (
        "source verfy x", #"unknown command "verfy" for source"#, "\ndid you mean \"source verify\"?",
        "\nusage: aggregator source new|verify", " source"
      ),
      ("--lim 5 countries list", "unknown option --lim", "\ndid you mean \"--limit\"?", "", ""),
      ("countries list -x", "unknown option -x", "", list, " countries list"),
      ("countries list --limit --all", "--limit needs a value; type --limit N", "", list, " countries list"),
      (
        "countries list --format=jsn",
        #"invalid format "jsn"; choose one of table, cards, json, ndjson, csv, tsv, yaml, or a file that ends in .txt, .json, .ndjson, .jsonl, .csv, .tsv, .yaml, .yml"#,
        "\ndid you mean \"--format json\"?", list, " countries list"
      ),
      (
        "countries list --fields nme,code",
        #"unknown field "nme"; available fields: code, name, region, capital, currency.code, currency.name, currency.symbol, language.code, language.name, flag"#,
        "\ndid you mean \"--fields name\"?", list, " countries list"
      ),
      (
        "heroes image burkina faso", "heroes image takes exactly one ID", "", "\nusage: aggregator heroes image ID [OPTIONS]",
        " heroes image"
      ),
    ])
  func usage(line: String, message: String, suggestion: String, usage: String, topic: String) async throws {
    let errors = "aggregator: \(message)\(suggestion)\(usage)\ntype 'aggregator help\(topic)' for more\n"
    try await expect(InProcess.run(line), 64, output: "", errors: .exactly(errors))
  }

  private static let list = "\nusage: aggregator countries list [OPTIONS]"

  @Test("a number is a whole one above zero", arguments: ["0", "-1", "1e9", "1.5", "ten", "99999999999999999999", "0x10", " 3"])
  func number(_ text: String) async throws {
    for option in ["--limit", "--pages"] {
      let outcome = try await InProcess.run("countries", "list", option, text)
      #expect(outcome.code == 64)
      #expect(outcome.errors.hasPrefix("aggregator: \(option) must be a positive whole number, such as 20\n"))
    }
  }

  @Test("a time is a number, with a unit or without, above zero", arguments: ["0", "-1", "1e9", "soon", "5 parsecs"])
  func time(_ text: String) async throws {
    try await expect(
      InProcess.run("countries", "list", "--timeout", text), 64,
      errors: .begins("aggregator: --timeout must be a length of time, such as 5, 500ms or 2m\n"))
  }

  @Test("an empty text is no text", arguments: ["", " ", "\t\n"])
  func emptyText(_ text: String) async throws {
    #expect(try await InProcess.run("countries", "search", text).code == 64)
    #expect(try await InProcess.run("countries", "search", text, text).code == 64)
    #expect(try await InProcess.run("countries", "show", "").code == 64)
  }

  @Test("a text that shows nothing is none", arguments: ["\u{200B}", "\u{301}", "\u{FE0F}", "\u{200B} \u{AD}"])
  func invisibleText(_ text: String) async throws {
    let outcome = try await InProcess.run("countries", "search", text, "--offline")
    #expect(outcome.code == 64)
    #expect(outcome.errors.hasPrefix("aggregator: countries search needs a TEXT with at least one visible character\n"))
  }

  @Test(
    "bytes that are no text name no file",
    arguments: [
      #"countries list --offline --store "$B.db""#, #"countries list --config "$B""#, #"countries list --replay "$B""#,
      #"import users "$B""#, #"countries list "--store=$B""#, #"countries search "$B""#,
    ])
  func otherBytes(_ line: String) throws {
    try expect(
      Binary.shell(#"B="$(printf '\377')"; exec "$A" \#(line)"#), 64, errors: .has(#"\xff"#, "is not valid UTF-8"))
  }

  @Test(
    "nor do variables; help helps all the same",
    arguments: ["XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "HOME", "AGGREGATOR_CONFIG", "COUNTRIES_URL"])
  func otherBytesInVariables(_ name: String) throws {
    let outcome = try Binary.shell(#"export \#(name)="$(printf '/tmp/\377')"; exec "$A" countries list --offline"#)
    #expect(outcome.code == 64)
    #expect(outcome.errors.hasPrefix("aggregator: the value of \(name) is not valid UTF-8"))
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
    let outcome = try await InProcess.run("countries", "list", "a\u{1B}[31mb\u{9B}2Jc\naggregator: all is well")
    #expect(outcome.errors.hasPrefix("aggregator: unexpected argument \"abc aggregator: all is well\" for countries list\n"))
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
    try await expect(
      InProcess.run(line.split(separator: " ").map(String.init)), 64, errors: .has("\ndid you mean \"\(meant)\"?\n"))
  }
}
