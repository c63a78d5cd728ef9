import AggregatorCore
import SourceTesting
import Testing

/// What may come next on a command line, as shells ask for it.
@Suite("Completions") struct CompletionTests {
  /// The manner and the values, without their descriptions.
  private func complete(_ line: String..., environment: [String: String] = [:]) throws -> (manner: String, values: [String]) {
    let outcome = try Binary.run([Binary.path, "__complete", "--"] + line, input: "", environment: environment, in: "/")
    #expect(outcome.code == 0)
    #expect(outcome.errors == "")
    return (outcome.lines.first ?? "", outcome.lines.dropFirst().map { String($0.prefix { $0 != "\t" }) })
  }

  @Test("offer sources and commands, with what they are, and hide what is hidden")
  func words() throws {
    let outcome = try Binary.run("__complete", "--", "")
    #expect(outcome.lines.contains("countries\tCountries with capital, region, currency and language"))
    #expect(outcome.lines.contains { $0.hasPrefix("completions\t") })
    #expect(!outcome.output.contains("__"))
    #expect(try complete("cou").values == ["countries"])
    #expect(try complete("countries", "s").values == ["search", "sync", "show"])
    #expect(try complete("users", "s").values == ["search", "show"])
    #expect(try complete("source", "").values == ["new", "verify"])
    #expect(try complete("cache", "").values == ["clear"])
    #expect(try complete("help", "heroes", "i").values == ["image"])
    #expect(try complete("completions", "").values == ["bash", "zsh", "fish"])
    #expect(try complete("nothing", "").values == [])
  }

  @Test("offer the options that the command takes, and none that is there already")
  func options() throws {
    let list = try complete("countries", "list", "--limit", "3", "--").values
    #expect(list.contains("--all") && list.contains("--offline") && list.contains("--help"))
    #expect(!list.contains("--limit") && !list.contains("--seed") && !list.contains("--images"))
    #expect(try complete("heroes", "list", "--im").values == ["--images"])
    #expect(
      try complete("countries", "reset", "--").values == ["--timeout", "--store", "--config", "--color", "--quiet", "--verbose", "--help"])
    #expect(try complete("--limit", "3", "countries", "deal", "--s").values == ["--seed", "--store"])
    #expect(try complete("countries", "search", "--", "--").values == [])
  }

  @Test("offer the values of options, behind a blank or a sign")
  func values() throws {
    #expect(try complete("countries", "list", "--format", "").values == ["table", "cards", "json", "ndjson", "csv", "tsv", "yaml"])
    #expect(try complete("countries", "list", "-o", "people.c").manner == "files")
    #expect(try complete("countries", "list", "--format=n").values == ["--format=ndjson"])
    #expect(try complete("countries", "list", "--color", "a").values == ["auto", "always"])
    #expect(try complete("countries", "list", "--config", "").manner == "files")
    #expect(try complete("countries", "list", "--record=").manner == "folders")
    #expect(try complete("countries", "list", "--limit", "").values == [])
    #expect(try complete("import", "us").values == ["users"])
    #expect(try complete("import", "users", "").manner == "files")
    #expect(try complete("config", "set", "COMIC_VINE_A").values == ["COMIC_VINE_API_KEY"])
    #expect(try complete("source", "verify", "h").values == ["heroes"])
  }

  @Test("offer the values that records have behind a condition, fields with a dash, and what --require knows")
  func conditions() throws {
    #expect(
      try complete("countries", "list", "--where", "region=").values == ["AF", "AN", "AS", "EU", "NA", "OC", "SA"].map { "region=\($0)" })
    #expect(try complete("countries", "list", "--where", "region!=s").values == ["region!=SA"])
    #expect(try complete("countries", "list", "--sort", "name,-re").values == ["name,-region"])
    #expect(try complete("countries", "list", "--require", "complete,l").values == ["complete,live"])
  }

  @Test("offer fields of what the command prints, each once")
  func fields() throws {
    let (manner, values) = try complete("countries", "list", "--fields", "name,cur")
    #expect(manner == "parts")
    #expect(values == ["name,currency.code", "name,currency.name", "name,currency.symbol"])
    #expect(
      try complete("countries", "list", "--fields", "code,c").values == [
        "code,capital", "code,currency.code", "code,currency.name", "code,currency.symbol",
      ])
    #expect(try complete("heroes", "list", "--fields=po").values == [])
    #expect(try complete("heroes", "show", "--fields=po").values == ["--fields=powers"])
    #expect(try complete("config", "--fields", "").values == ["key", "value", "origin", "secret"])
    #expect(try complete("countries", "list", "--fields", "--al").values == ["--all"])
  }

  @Test("offer records by id, and by name where the command takes names")
  func records() throws {
    #expect(try complete("countries", "show", "fr").values == ["FR"])
    #expect(try complete("heroes", "show", "spider-h").values == ["Spider-Ham"])
    #expect(try complete("heroes", "image", "April O'N").values == ["April O'Neil"])
    #expect(try complete("heroes", "show", "9000232").values == ["9000232"])
    #expect(try complete("users", "show", "mia.").values == ["mia.wattle@example.com"])
    #expect(try complete("users", "delete", "mia.").values == ["mia.wattle@example.com"])
    #expect(try complete("countries", "show", "fr", "g").values.contains("GB"))
    #expect(try complete("heroes", "image", "1699", "").values == [])
    #expect(try complete("countries", "show", "").values.count == 100)
  }

  @Test("know the records of the store that the line names, ask nobody, and write nothing")
  func stored() throws {
    let asked = Signal()
    let warehouse = try Warehouse(40) { _, _ in
      asked.send()
      return false
    }
    #expect(try warehouse.run("sync", "--store", "\(warehouse.folder)/own.db").code == 0)
    let requests = warehouse.server.requests.count
    let before = try Shop.names(in: warehouse.folder)
    let found = try complete(
      "products", "show", "--store", "\(warehouse.folder)/own.db", "3", environment: warehouse.environment)
    #expect(found.values == ["3"] + (30...39).map(String.init))
    #expect(warehouse.server.requests.count == requests)
    let fresh = try Folder.fresh()
    _ = try complete(
      "products", "show", "d", environment: ["HOME": fresh, "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": ""])
    #expect(try Shop.names(in: fresh) == [])
    #expect(try Shop.names(in: warehouse.folder) == before)
  }

  @Test("print no control characters and no secrets")
  func clean() throws {
    let folder = try Folder.fresh()
    let rows = #"{"id":"a\u001b[31mb","title":"red"}"# + "\n" + #"{"id":"plain","title":"t\u001b]0;x\u0007itle\nof two lines"}"# + "\n"
    let environment = ["XDG_DATA_HOME": folder, "COMIC_VINE_API_KEY": "5ecret-of-the-test"]
    let imported = try Binary.run([Binary.path, "import", "products", "-"], input: rows, environment: environment, in: "/")
    #expect(imported.code == 0)
    let outcome = try Binary.run([Binary.path, "__complete", "--", "products", "show", ""], input: "", environment: environment, in: "/")
    // What is bundled follows.
    #expect(outcome.output.hasPrefix("words\nplain\ttitle of two lines\n"))
    #expect(outcome.output.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x09 || $0 == 0x0A })
    let keys = try Binary.run([Binary.path, "__complete", "--", "config", "set", ""], input: "", environment: environment, in: "/")
    #expect(keys.output.contains("COMIC_VINE_API_KEY") && !keys.output.contains("5ecret"))
  }

  @Test("say nothing where nothing can be read", arguments: ["/dev/null/store.db", "/etc/passwd"])
  func trouble(path: String) throws {
    let (_, values) = try complete("users", "why", "--store", path, "")
    #expect(values.allSatisfy { $0.contains("@") })
  }

  @Test("a shell that is none is a usage error")
  func unknown() throws {
    let outcome = try Binary.run("completions", "fsh")
    #expect(outcome.code == 64)
    #expect(
      outcome.errors.hasPrefix("aggregator: unknown shell \"fsh\"; choose one of bash, zsh, fish\ndid you mean \"completions fish\"?\n"))
  }
}
