import AggregatorCore
import Testing

/// The output of each format, to the byte.
struct FormatTests {
  /// Records with everything that breaks a format: quotes, commas, line breaks, tabs, control sequences, nulls.
  static let rows = Service.rows(
    Service.row("AA", #"Comma, \"quoted\"\nland"#, region: "", capital: #"Tab\ttown"#),
    Service.row("BB", #"Red \u001b[31malert\u001b[0m\u009b2J \u007fend"#, capital: #"Ö\nst"#))

  private func output(_ arguments: String...) async throws -> String {
    let service = try Service(Self.rows)
    let outcome = try await expect(
      InProcess.run(["countries", "list", "--fields", "code,name,region,capital"] + arguments, environment: service.environment),
      0, errors: "")
    return outcome.output
  }

  @Test func tsv() async throws {
    let records = "AA\tComma, \"quoted\" land\t\tTab town\nBB\tRed alert end\tEU\tÖ st\n"
    #expect(try await output("--format", "tsv") == records)
    #expect(try await output() == records)
    #expect(try await output("--header") == "code\tname\tregion\tcapital\n" + records)
  }

  @Test func table() async throws {
    #expect(
      try await output("--format", "table") == """
        CODE  NAME                  REGION  CAPITAL
        AA    Comma, "quoted" land          Tab town
        BB    Red alert end         EU      Ö st

        """)
  }

  @Test func csv() async throws {
    #expect(
      try await output("--format", "csv") == """
        code,name,region,capital
        AA,"Comma, ""quoted""
        land",,Tab\ttown
        BB,Red \u{1B}[31malert\u{1B}[0m\u{9B}2J \u{7F}end,EU,"Ö
        st"

        """)
  }

  @Test("--bom begins csv with a byte-order mark for spreadsheets, is refused for other formats, and import reads the mark")
  func bom() async throws {
    // A spreadsheet may take a tab for the sign between two values.
    let plain = try await output("--format", "csv").replacingEach("Tab\ttown", with: "\"Tab\ttown\"")
    #expect(try await output("--format", "csv", "--bom") == "\u{FEFF}" + plain)
    let folder = try Folder.fresh()
    func run(_ line: String) async throws -> Binary.Outcome {
      let environment = Folder.homes(folder)
      return try #require(await InProcess.run(typed: "aggregator \(line)", environment: environment, in: folder))
    }
    try await expect(run("countries list --offline --bom -o a.csv"), 0)
    #expect(try Folder.read("\(folder)/a.csv").utf8.starts(with: [0xEF, 0xBB, 0xBF]))
    #expect(try await run("import countries a.csv").output == "received 20 countries: 20 new\n")
    for line in ["countries list --offline --bom", "sources --bom -o a.json", "countries show FR --offline --bom -o tsv"] {
      try await expect(run(line), 64, output: "", errors: .has("--bom goes with csv alone; add --format csv"))
    }
  }

  @Test("csv with one column distinguishes an empty value from an empty list")
  func lonelyColumn() async throws {
    let service = try Service(Self.rows)
    #expect(try await service.run("countries", "list", "--format", "csv", "--fields", "region").output == "region\n\"\"\nEU\n")
  }

  @Test func ndjson() async throws {
    let lines = try await output("--format", "ndjson").split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0] == #"{"code":"AA","name":"Comma, \"quoted\"\nland","region":null,"capital":"Tab\ttown"}"#)
  }

  @Test("json is one object, with its keys in order and none left out")
  func json() async throws {
    let service = try Service(
      Service.rows(Service.row("DE", "Germany", capital: "Berlin"), Service.row("BV", "Bouvet Island", region: "AN")))
    #expect(
      try await service.run("countries", "list", "--format", "json").output == """
        {"source":"countries","query":{"text":null,"limit":20},"origin":{"kind":"live","age":null,"reason":null},"items":[\
        {"code":"DE","name":"Germany","region":"EU","capital":"Berlin","currency":{"code":"EUR","name":"Euro","symbol":"€"},\
        "language":{"code":"en","name":"English"},"flag":"🇩🇪"},\
        {"code":"BV","name":"Bouvet Island","region":"AN","capital":null,"currency":{"code":"EUR","name":"Euro","symbol":"€"},\
        "language":{"code":"en","name":"English"},"flag":"🇧🇻"}],\
        "total":2,"skipped":0,"duplicates":0,"misfits":{},"verdict":{"kind":"complete","reason":null}}

        """)
  }

  @Test("other programs read json and csv correctly", .enabled(if: Tool.exists("python3"), "python3 is not installed"))
  func python() throws {
    let service = try Service(Self.rows)
    let read = """
      import csv, json, os, subprocess
      def run(*format): return subprocess.run([os.environ["A"], "countries", "list", *format], capture_output=True, check=True).stdout.decode()
      rows = list(csv.DictReader(run("--format", "csv").splitlines(keepends=True)))
      items = json.loads(run("--format", "json"))["items"]
      lines = [json.loads(line) for line in run("--format", "ndjson").splitlines()]
      assert items == lines
      assert [[row["code"], row["name"], row["region"], row["capital"], row["currency.symbol"]] for row in rows] == \\
        [[item["code"], item["name"], item["region"] or "", item["capital"], item["currency"]["symbol"]] for item in items]
      print(len(rows))
      """
    try expect(Binary.python(read, environment: service.environment), output: "2\n", errors: "")
  }

  @Test("other programs read yaml as they read json, with any texts in it", .enabled(if: Self.readsYAML, "python3 has no yaml"))
  func yaml() throws {
    let pieces = [
      "yes", "Null", "~", "1", "0x1F", "1e3", "-", ":", " ", "#", "?", "\n", "\r\n", "\t", "\u{0}", "\u{85}", "\u{2028}", "\u{FEFF}", "\"",
      "'", "\\",
      "{", "]", ",", "&", "*", "!", "|", ">", "%", "@", "`", "<<", "=", ".", "12:30", "2026-01-02", "é", "e\u{301}", "中", "👩‍👩‍👧", "\u{202E}",
      "\u{10FFFF}", "a",
    ]
    let dice = SeededDice(seed: 7)
    let texts = pieces + (0..<400).map { _ in (0..<1 + dice.index(below: 4)).map { _ in pieces[dice.index(below: pieces.count)] }.joined() }
    let rows = texts.enumerated().map { number, text in
      var writer = JSONWriter()
      writer.write(.object([Member(name: "email", value: .text("\(number)@x.y")), Member(name: "username", value: .text(text))]))
      return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }
    let read = """
      import json, os, subprocess, sys, yaml
      def run(*words): return subprocess.run([os.environ["A"], *words], input=sys.stdin.read(), capture_output=True, check=True, encoding="utf-8").stdout
      run("import", "users", "-")
      for source in ["heroes", "users"]:
        items = json.loads(run(source, "list", "--all", "--offline", "--format", "json"))["items"]
        assert yaml.safe_load(run(source, "list", "--all", "--offline", "--format", "yaml")) == items
      assert yaml.safe_load(run("users", "show", "0@x.y", "--offline", "--format", "yaml"))["username"] == "yes"
      print(len(items))
      """
    try expect(
      Binary.python(read, input: rows.joined(), environment: ["XDG_DATA_HOME": Folder.fresh()]), output: .exactly("\(texts.count)\n"),
      errors: "")
  }

  private static var readsYAML: Bool {
    Tool.exists("python3") && (try? Binary.python("import yaml").code) == 0
  }

  @Test("csv has no control sequence on a terminal, and every byte in a pipe")
  func csvOnTerminal() async throws {
    let name = "A\u{1B}]0;owned\u{7}B\u{9B}31mC, D"
    let service = try Service(Service.rows(Service.row("DE", #"A\u001b]0;owned\u0007B\u009b31mC, D"#, capital: #"one\ntwo"#)))
    let words = ["countries", "list", "--format", "csv", "--fields", "name,capital"]
    #expect(
      try await InProcess.run(words, environment: service.environment).output
        == "name,capital\n\"\(name)\",\"one\ntwo\"\n")
    let terminal = try Terminal(columns: 80, options: words, environment: service.environment).ending()
    #expect(terminal.shown.hasSuffix("name,capital\r\n\"ABC, D\",\"one\r\ntwo\"\r\n"))
  }
}
