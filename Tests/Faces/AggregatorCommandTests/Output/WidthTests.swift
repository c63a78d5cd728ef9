import AggregatorCore
import RecordFormats
import Terminal
import Testing

/// Everything that is laid out for a terminal, on terminals of four widths.
@Suite("On a terminal of any width") struct WidthTests {
  private static let lists = [
    ["countries", "list", "--offline", "--all"], ["heroes", "list", "--offline", "--all"], ["products", "list", "--offline", "--all"],
    ["users", "list", "--offline", "--all"], ["sources"], ["config"], ["cache"],
  ]
  private static let shown = [
    ["countries", "show", "de", "gs", "--offline"], ["heroes", "show", "1443", "--offline"],
    ["users", "show", "mia.wattle@example.com", "--offline"],
  ]

  private func lines(_ words: [String], columns: Int, _ environment: [String: String] = [:]) throws -> [String] {
    let terminal = try Terminal(columns: columns, options: words + ["--quiet"], environment: environment).ending()
    return terminal.lines
  }

  @Test("no line of a table, a card or a record in full is wider than the terminal", arguments: [20, 40, 80, 200])
  func width(columns: Int) async throws {
    // Records to list in the cache.
    let folder = try Folder.fresh()
    let environment = ["XDG_DATA_HOME": "\(folder)/data"]
    #expect(try await InProcess.run("countries next --offline --limit 3", environment: environment).code == 0)
    for words in Self.lists {
      for format in ["table", "cards"] {
        let lines = try lines(words + ["--format", format], columns: columns, environment)
        #expect(lines.count > 1, "\(words)")
        for line in lines { #expect(DisplayWidth.of(Printable.clean(line)) <= columns, "\(words) \(format): \(line)") }
      }
    }
    for words in Self.shown {
      for line in try lines(words, columns: columns) { #expect(DisplayWidth.of(Printable.clean(line)) <= columns, "\(words): \(line)") }
    }
  }

  @Test("each row of a list has the whole id that show takes", arguments: [40, 80, 200])
  func ids(columns: Int) async throws {
    for source in ["countries", "heroes", "products", "users"] {
      let ids = try await InProcess.run("\(source) list --offline --limit 20 --quiet --format ndjson").lines.map {
        let item = try JSON(Array($0.utf8))
        return try item["code"]?.asString() ?? item["email"]?.asString() ?? item["id"].map {
          String(decoding: $0.raw, as: UTF8.self).filter { $0 != "\"" }
        } ?? ""
      }
      #expect(ids.count == 20)
      let lines = try lines([source, "list", "--offline", "--limit", "20", "--color", "never"], columns: columns)
      for (id, line) in zip(ids, lines.dropFirst()) { #expect(line.split(separator: " ").contains { $0 == id }, "\(line)") }
    }
  }

  @Test("a list of heroes on a wide terminal has a column for their deck")
  func wide() throws {
    func header(_ columns: Int) throws -> String { try lines(["heroes", "list", "--offline", "--color", "never"], columns: columns)[0] }
    #expect(try header(200).hasSuffix("DECK"))
    #expect(try !header(80).contains("DECK"))
  }

  @Test("a pipe gets the same columns as a wide screen", arguments: ["countries", "heroes", "products", "users"])
  func pipe(source: String) async throws {
    let header = try lines([source, "list", "--offline", "--limit", "1", "--color", "never"], columns: 400)[0]
    let piped = try await InProcess.run("\(source) list --offline --limit 1 --header --quiet").lines[0]
    // A header for people has words, one for programs has names.
    let names = piped.split(separator: "\t").map { FieldPath($0.split(separator: ".").map(String.init)).label.uppercased() }
    #expect(header.split(separator: " ") == names.joined(separator: " ").split(separator: " "))
  }

  @Test("sources tells the number of records, whether the key is set, and where the records come from")
  func sources() async throws {
    let lines = try lines(["sources", "--color", "never"], columns: 80, ["FORCE_HYPERLINK": "0"])
    #expect(lines[0].split(separator: " ") == ["NAME", "RECORDS", "KEY", "FROM"])
    #expect(lines[1].hasPrefix("countries        0  not needed  http://127.0.0.1:1/"))
    #expect(lines[2].hasPrefix("heroes           0  missing     bundled copy"))
    #expect(
      try await InProcess.run("sources --fields name,key --format csv").output.hasPrefix("name,key\ncountries,not needed\n"))
  }

  @Test("JSON is in lines on a terminal and compact in a pipe")
  func json() async throws {
    let words = ["countries", "show", "de", "--offline", "--format", "json", "--quiet"]
    let terminal = try Terminal(columns: 80, options: words).ending()
    #expect(terminal.lines.prefix(2) == ["{", "  \u{1B}[1m\"code\"\u{1B}[0m: \u{1B}[32m\"DE\"\u{1B}[0m,"])
    #expect(try await InProcess.run(words).output.hasPrefix(#"{"code":"DE","name":"#))
  }

  @Test("links are for a terminal that opens them, and never for a pipe")
  func links() async throws {
    let known = ["FORCE_HYPERLINK": "1"]
    let words = ["products", "list", "--offline", "--limit", "1", "--format", "table", "--color", "never"]
    #expect(try lines(words, columns: 200, known)[1].contains("\u{1B}]8;;https://shop.example.net/item/0\u{1B}\\"))
    #expect(try !lines(words, columns: 200, ["FORCE_HYPERLINK": "0"])[1].contains("\u{1B}"))
    #expect(try await !InProcess.run(words, environment: known).output.contains("\u{1B}"))
  }

  @Test("errors are red in their first word, notices are dim; NO_COLOR and --color never leave both plain")
  func messages() async throws {
    func message(_ words: [String], _ environment: [String: String] = [:]) throws -> String {
      let terminal = try Terminal(columns: 80, options: words, environment: environment)
      _ = terminal.wait()
      return terminal.shown
    }
    #expect(try message(["countries", "show", "zz", "--offline"]).contains("\u{1B}[1;31maggregator:\u{1B}[0m countries: no such record"))
    #expect(try message(["nonsense"]).hasPrefix("\u{1B}[1;31maggregator:\u{1B}[0m unknown"))
    #expect(try message(["nonsense", "--color", "never"]).hasPrefix("aggregator: unknown"))
    #expect(try message(["nonsense"], ["NO_COLOR": "1"]).hasPrefix("aggregator: unknown"))
    #expect(
      try message(["countries", "list", "--offline", "--limit", "1"])
        .contains("\u{1B}[2maggregator: countries: using bundled data (--offline)\u{1B}[0m\r\n"))
    #expect(try await InProcess.run("nonsense", environment: ["CLICOLOR_FORCE": "1"]).errors.hasPrefix("\u{1B}[1;31maggregator:"))
    #expect(try await InProcess.run("nonsense").errors.hasPrefix("aggregator:"))
  }
}
