import AggregatorCore
import SourceTesting
import Testing

/// What may come next on a command line, as shells ask for it.
@Suite("Completions") struct CompletionTests {
  /// The manner and the values, without their descriptions.
  private func complete(_ line: String..., environment: [String: String] = [:]) async throws -> (manner: String, values: [String]) {
    let outcome = try await expect(InProcess.run(["__complete", "--"] + line, environment: environment), 0, errors: "")
    return (outcome.lines.first ?? "", outcome.lines.dropFirst().map { String($0.prefix { $0 != "\t" }) })
  }

  @Test("offer sources and commands, with what they are, and hide what is hidden")
  func words() async throws {
    let outcome = try await InProcess.run("__complete", "--", "")
    #expect(outcome.lines.contains("countries\tCountries with capital, region, currency and language"))
    #expect(outcome.lines.contains { $0.hasPrefix("completions\t") })
    #expect(!outcome.output.contains("__"))
    #expect(try await complete("cou").values == ["countries"])
    #expect(try await complete("countries", "s").values == ["search", "sync", "show"])
    #expect(try await complete("users", "s").values == ["search", "show"])
    #expect(try await complete("source", "").values == ["new", "verify"])
    #expect(try await complete("cache", "").values == ["clear"])
    #expect(try await complete("help", "heroes", "i").values == ["image"])
    #expect(try await complete("completions", "").values == ["bash", "zsh", "fish"])
    #expect(try await complete("nothing", "").values == [])
  }

  @Test("offer the options that the command takes, and none that is there already")
  func options() async throws {
    let list = try await complete("countries", "list", "--limit", "3", "--").values
    #expect(list.contains("--all") && list.contains("--offline") && list.contains("--help"))
    #expect(!list.contains("--limit") && !list.contains("--seed") && !list.contains("--images"))
    #expect(try await complete("heroes", "list", "--im").values == ["--images"])
    #expect(
      try await complete("countries", "reset", "--").values == [
        "--timeout", "--store", "--config", "--color", "--quiet", "--verbose", "--help",
      ])
    #expect(try await complete("--limit", "3", "countries", "deal", "--s").values == ["--seed", "--store"])
    #expect(try await complete("countries", "search", "--", "--").values == [])
  }

  @Test("offer the values of options, behind a blank or a sign")
  func values() async throws {
    #expect(try await complete("countries", "list", "--format", "").values == ["table", "cards", "json", "ndjson", "csv", "tsv", "yaml"])
    #expect(try await complete("countries", "list", "-o", "people.c").manner == "files")
    #expect(try await complete("countries", "list", "--format=n").values == ["--format=ndjson"])
    #expect(try await complete("countries", "list", "--color", "a").values == ["auto", "always"])
    #expect(try await complete("countries", "list", "--config", "").manner == "files")
    #expect(try await complete("countries", "list", "--record=").manner == "folders")
    #expect(try await complete("countries", "list", "--limit", "").values == [])
    #expect(try await complete("import", "us").values == ["users"])
    #expect(try await complete("import", "users", "").manner == "files")
    #expect(try await complete("config", "set", "COMIC_VINE_A").values == ["COMIC_VINE_API_KEY"])
    #expect(try await complete("source", "verify", "h").values == ["heroes"])
  }

  @Test("offer the values that records have behind a condition, fields with a dash, and what --require knows")
  func conditions() async throws {
    #expect(
      try await complete("countries", "list", "--where", "region=").values
        == ["AF", "AN", "AS", "EU", "NA", "OC", "SA"].map { "region=\($0)" })
    #expect(try await complete("countries", "list", "--where", "region!=s").values == ["region!=SA"])
    #expect(try await complete("countries", "list", "--sort", "name,-re").values == ["name,-region"])
    #expect(try await complete("countries", "list", "--require", "complete,l").values == ["complete,live"])
  }

  @Test("offer fields of what the command prints, each once")
  func fields() async throws {
    let (manner, values) = try await complete("countries", "list", "--fields", "name,cur")
    #expect(manner == "parts")
    #expect(values == ["name,currency.code", "name,currency.name", "name,currency.symbol"])
    #expect(
      try await complete("countries", "list", "--fields", "code,c").values == [
        "code,capital", "code,currency.code", "code,currency.name", "code,currency.symbol",
      ])
    #expect(try await complete("heroes", "list", "--fields=po").values == [])
    #expect(try await complete("heroes", "show", "--fields=po").values == ["--fields=powers"])
    #expect(try await complete("config", "--fields", "").values == ["key", "value", "origin", "secret"])
    #expect(try await complete("countries", "list", "--fields", "--al").values == ["--all"])
  }

  @Test("offer records by id, and by name where the command takes names")
  func records() async throws {
    #expect(try await complete("countries", "show", "fr").values == ["FR"])
    #expect(try await complete("heroes", "show", "spider-h").values == ["Spider-Ham"])
    #expect(try await complete("heroes", "image", "April O'N").values == ["April O'Neil"])
    #expect(try await complete("heroes", "show", "9000232").values == ["9000232"])
    #expect(try await complete("users", "show", "mia.").values == ["mia.wattle@example.com"])
    #expect(try await complete("users", "delete", "mia.").values == ["mia.wattle@example.com"])
    #expect(try await complete("countries", "show", "fr", "g").values.contains("GB"))
    #expect(try await complete("heroes", "image", "1699", "").values == [])
    #expect(try await complete("countries", "show", "").values.count == 100)
  }

  @Test("know the records of the store that the line names, ask nobody, and write nothing")
  func stored() async throws {
    let asked = Signal()
    let warehouse = try Warehouse(40) { _, _ in
      asked.send()
      return false
    }
    #expect(try await warehouse.run("sync", "--store", "\(warehouse.folder)/own.db").code == 0)
    let requests = warehouse.server.requests.count
    let before = try Shop.names(in: warehouse.folder)
    let found = try await complete(
      "products", "show", "--store", "\(warehouse.folder)/own.db", "3", environment: warehouse.environment)
    #expect(found.values == ["3"] + (30...39).map(String.init))
    #expect(warehouse.server.requests.count == requests)
    let fresh = try Folder.fresh()
    _ = try await complete(
      "products", "show", "d", environment: ["HOME": fresh, "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": ""])
    #expect(try Shop.names(in: fresh) == [])
    #expect(try Shop.names(in: warehouse.folder) == before)
  }

  @Test("print no control characters and no secrets")
  func clean() async throws {
    let folder = try Folder.fresh()
    let rows = #"{"id":"a\u001b[31mb","title":"red"}"# + "\n" + #"{"id":"plain","title":"t\u001b]0;x\u0007itle\nof two lines"}"# + "\n"
    let environment = ["XDG_DATA_HOME": folder, "COMIC_VINE_API_KEY": "5ecret-of-the-test"]
    try await expect(InProcess.run(["import", "products", "-"], input: rows, environment: environment), 0)
    let outcome = try await InProcess.run(["__complete", "--", "products", "show", ""], environment: environment)
    // What is bundled follows.
    #expect(outcome.output.hasPrefix("words\nplain\ttitle of two lines\n"))
    #expect(outcome.output.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x09 || $0 == 0x0A })
    let keys = try await InProcess.run(["__complete", "--", "config", "set", ""], environment: environment)
    #expect(keys.output.contains("COMIC_VINE_API_KEY") && !keys.output.contains("5ecret"))
  }

  @Test("say nothing where nothing can be read", arguments: ["/dev/null/store.db", "/etc/passwd"])
  func trouble(path: String) async throws {
    let (_, values) = try await complete("users", "why", "--store", path, "")
    #expect(values.allSatisfy { $0.contains("@") })
  }

  @Test("a shell that is none is a usage error")
  func unknown() async throws {
    try await expect(
      InProcess.run("completions fsh"), 64,
      errors: .begins("aggregator: unknown shell \"fsh\"; choose one of bash, zsh, fish\ndid you mean \"completions fish\"?\n"))
  }
}
