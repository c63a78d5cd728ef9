import AggregatorCore
import Platform
import SourceTesting
import Testing

/// Sources in files, typed by a person who has such a file.
@Suite("Sources in files") struct ManifestCommandTests {
  private let server: StandInServer
  private let home: String
  private let environment: [String: String]

  init() throws {
    let manifest = FakePokemonService.manifest("remote", at: "https://pokemon.example/")
    server = try StandInServer { connection in
      while let request = connection.request() {
        switch request.target {
        case "/remote.json": connection.answer(manifest)
        case "/page.json": connection.answer("<html>")
        case "/moved.json": connection.answer(status: "302 Found", headers: "Location: http://pokemon.example/remote.json\r\n")
        default: connection.answer(FakePokemonService.answer(request.target))
        }
      }
    }
    home = try Folder.fresh()
    environment = ["HOME": home, "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""]
  }

  private var address: String { get throws { "\(try server.address("/"))" } }

  @discardableResult
  private func run(_ line: String, input: String = "", _ more: [String: String] = [:]) async throws -> Binary.Outcome {
    try #require(await InProcess.run(typed: "aggregator \(line)", input: input, environment: environment + more, in: home))
  }

  private func write(_ name: String, _ text: String) throws { try Folder.write(text, to: "\(home)/\(name)") }
  private var own: String { "\(home)/.config/aggregator/sources" }

  @Test("a source in a file is added, listed, searched, synced, browsed and removed like any other")
  func newcomer() async throws {
    try write("pokemon.json", FakePokemonService.manifest(at: address))
    let added = try await expect(run("add pokemon.json"), 0)
    #expect(
      added.errors
        == "aggregator: added pokemon in \(own)/pokemon.json\naggregator: type 'aggregator pokemon list' to see records\n")
    let list = try await expect(run("pokemon list --all --format json"), 0)
    #expect(list.output.contains(#""verdict":{"kind":"complete""#) && list.output.contains(#""name":"p249""#))
    #expect(try await run("pokemon search P17 --limit 1 --format ndjson").output == #"{"name":"p17","level":null}"# + "\n")
    #expect(try await run("search p249 --format ndjson").output.contains(#"{"source":"pokemon","item":{"name":"p249","level":null}}"#))
    #expect(try await run("pokemon sync --format json").output.contains(#""received":250,"new":250"#))
    #expect(try await run("pokemon list --offline --count").output == "250\n")
    #expect(try await run("pokemon show p4 --offline").output == "Name: p4\nLevel: 4\n")
    #expect(try await run("pokemon list --plan --limit 1").output.contains("would send GET \(address)pokemon?limit="))
    let browser = try Terminal("browse pokemon --offline", columns: 80, rows: 24, environment: environment)
    try browser.waitFor("p0")
    #expect(browser.end(typing: "q") == 0)
    #expect(try await run("help").output.contains("\n  pokemon    Pokémon by name\n"))
    #expect(try await run("help pokemon").output.contains("POKEMON_URL"))
    #expect(try await run("__man").output.contains(".SS \"pokemon\""))
    let sources = try await run("sources --format ndjson").output
    #expect(
      sources.contains(#"{"name":"pokemon","summary":"Pokémon by name","verbs":["list","search","next","reset","sync","audit","show""#))
    #expect(sources.contains(#""stored":250,"file":"\#(own)/pokemon.json""#))
    for (line, candidate) in [
      ("poke", "pokemon\tPokémon by name"), ("pokemon sy", "sync\t"), ("pokemon list --fields na", "name"), ("pokemon show p24", "p24"),
      ("config set POKEMON_U", "POKEMON_URL"), ("source try p", "pokemon"), ("remove p", "pokemon"), ("help poke", "pokemon"),
    ] {
      let words = line.split(separator: " ").map(String.init)
      let offered = try await InProcess.run(["__complete", "--"] + words, environment: environment, in: home).output
      #expect(offered.contains("\n\(candidate)"), "\(line): \(offered)")
    }
    let removed = try await expect(run("remove pokemon"), 0)
    #expect(
      removed.errors == "aggregator: removed pokemon, and \(own)/pokemon.json with it\n"
        + "aggregator: 250 stored records of pokemon stay; add it again to use them\n")
    #expect(try await run("pokemon list").code == 64)
    try await expect(run("add pokemon.json"), 0)
    #expect(try await run("pokemon list --offline --count").output == "250\n")
    #expect(try await run("remove pokemon --stored").code == 64, "it cannot ask")
    try await expect(run("remove pokemon --stored --yes"), 0)
    try await expect(run("add pokemon.json"), 0)
    #expect(try await run("sources --format ndjson").output.contains(#""stored":0,"file":"\#(own)/pokemon.json""#))
  }

  @Test("no command reads a file whose source it does not run")
  func unread() async throws {
    try write("pokemon.json", FakePokemonService.manifest(at: address))
    try await expect(run("add pokemon.json"), 0)
    // Only the index knows this summary; right after a change the file is read once more.
    repeat {
      try await run("sources")
      try Folder.write(Folder.read(indexPath()).replacing("Pokémon by name", with: "Indexed"), to: indexPath())
    } while try await !run("help").output.contains("Indexed")
    for line in [
      "sources --format json", "help", "__man", "completions bash", "config", "countries search fra --offline", "doctor --offline",
    ] {
      let outcome = try await run(line)
      #expect(!outcome.output.contains("Pokémon by name"), "\(line)")
    }
    #expect(try Folder.read(indexPath()).contains("Indexed"))
  }

  private func indexPath() throws -> String {
    let names = try SystemFiles().list("\(home)/.cache/aggregator").filter { $0.hasPrefix("sources-") }
    return "\(home)/.cache/aggregator/\(try #require(names.first))"
  }

  @Test("add shows a source in a file at an address first, and needs a person's yes to add it")
  func remote() async throws {
    let file = "\(try address)remote.json"
    let asked = try await run("add \(file)")
    #expect(asked.code == 64 && asked.output.contains("Name: remote") && asked.output.contains("https://pokemon.example/"))
    #expect(asked.errors.contains("add needs --yes where it cannot ask"))
    #expect(access(own, F_OK) != 0)
    try await expect(run("add \(file) --yes"), 0)
    #expect(try await run("source show remote --format json").output.contains(#""file":"\#(own)/remote.json""#))
    #expect(try await run("add http://pokemon.example/remote.json --yes").code == 78)
    let moved = try await run("add \(address)moved.json --yes")
    #expect(moved.code == 78 && moved.errors.contains("http://pokemon.example is not encrypted"))
    #expect(try await run("add \(address)page.json --yes --verbose").errors.contains("page.json: "))
  }

  @Test("a source in a file sends no key before it is allowed to, and nothing after the file has changed")
  func leave() async throws {
    try SystemFiles().makeFolder(own)
    try Folder.write(FakePokemonService.manifest(at: address, more: FakePokemonService.token), to: "\(own)/pokemon.json")
    let key = ["POKEMON_TOKEN": "t0ken-of-pokemon"]
    for line in ["pokemon list", "pokemon sync", "pokemon list --live", "source try pokemon", "pokemon next", "pokemon list --plan"] {
      let refused = try await run(line, key)
      #expect(refused.code == 78 && refused.output.isEmpty, "\(line)")
      #expect(
        refused.errors.contains("was not allowed to send POKEMON_TOKEN to \(try address.dropLast()); nothing was sent"), "\(line)")
      #expect(refused.errors.contains("type 'aggregator source allow pokemon' if you trust it"), "\(line)")
    }
    #expect(try await run("doctor --offline --format json", key).output.contains("source allow pokemon"))
    #expect(server.requests.isEmpty)
    #expect(try await run("pokemon list --offline", key).code == 69)
    try await expect(run("source allow pokemon", key), 0)
    try await expect(run("pokemon list --limit 1", key), 0)
    #expect(server.requests.map { $0["authorization"] } == ["Bearer t0ken-of-pokemon"])
    try Folder.write(FakePokemonService.manifest(at: address, more: FakePokemonService.token) + "\n", to: "\(own)/pokemon.json")
    let changed = try await run("pokemon list --limit 1", key)
    #expect(changed.code == 78 && changed.errors.contains("has changed since it was allowed"))
    #expect(server.requests.count == 1)
    #expect(try await run("source show pokemon", key).output.contains("Permission: the file has changed since it was allowed"))
    // Naming a folder does not allow its files to send.
    try write("named.json", FakePokemonService.manifest("named", at: address, more: FakePokemonService.token))
    #expect(try await run("named list --sources .", key).code == 78)
    try await expect(run("source allow named.json", key), 0)
    try await expect(run("named list --sources . --limit 1", key), 0)
    #expect(try await run("named list --limit 1", key + ["AGGREGATOR_SOURCES": home]).code == 0)
  }

  @Test("add tells how to set the key of a source in a file; remove takes one source out and keeps the others")
  func keys() async throws {
    try write("pokemon.json", FakePokemonService.manifest("pokemon", "berries", at: address, more: FakePokemonService.token))
    let added = try await expect(run("add pokemon.json"), 0)
    #expect(added.errors.contains("type 'aggregator config set POKEMON_TOKEN' to set one"))
    #expect(try await run("pokemon list").code == 77)
    #expect(try await run("sources --fields name,keySet --format csv").output.contains("pokemon,false"))
    #expect(
      try await run("config --format ndjson").output.contains(#"{"key":"POKEMON_TOKEN","value":null,"origin":"not set","secret":true}"#))
    try await expect(run("config set POKEMON_TOKEN", input: "t0ken-of-pokemon\n"), 0)
    let list = try await expect(run("pokemon list --limit 1 --explain"), 0)
    #expect(!(list.output + list.errors).contains("t0ken"))
    #expect(server.requests.first?["authorization"] == "Bearer t0ken-of-pokemon")
    #expect(try await run("source show pokemon").output.contains("Keys: POKEMON_TOKEN (set)"))
    try await expect(run("remove berries"), 0)
    #expect(try await run("pokemon list --limit 1").code == 0, "removing a source needs no new permission")
    #expect(try Folder.read("\(own)/pokemon.json") == FakePokemonService.manifest("pokemon", at: address, more: FakePokemonService.token))
  }

  @Test("a source in a file is shown, checked and tried, by name or by file")
  func looking() async throws {
    let text = FakePokemonService.manifest("pokemon", "berries", at: try address)
    try write("pokemon.json", text)
    #expect(try await run("source check pokemon.json").output == "\(home)/pokemon.json describes pokemon, berries\n")
    #expect(try await run("source show pokemon.json --manifest").output == text)
    #expect(
      try await run("source try pokemon.json berries --header").output
        == "field\tfilled\trows\texample\nname\t100\t100\tp0\nlevel\t50\t100\t0\n")
    #expect(try await run("source try pokemon.json berrie").errors.contains("did you mean \"source try pokemon.json berries\"?"))
    try await expect(run("add pokemon.json"), 0)
    #expect(try await run("source try pokemon").errors.contains("100 rows of 250 on the first page"))
    #expect(try await run("source show countries").output.contains("Name: countries"))
    try write("wrong.json", text.replacing("paging", with: "pagin"))
    let wrong = try await run("source check wrong.json")
    #expect(wrong.code == 78 && wrong.errors.contains("wrong.json: ") && wrong.errors.contains("did you mean \"paging\"?"))
  }

  @Test("one source without leave names all that lack it, and source allow takes them at once or none of them")
  func allowed() async throws {
    for name in ["pokemon", "berries"] {
      try write("\(name).json", FakePokemonService.manifest(name, at: address, more: FakePokemonService.token))
      try await expect(run("add \(name).json"), 0)
    }
    try await expect(run("config set POKEMON_TOKEN", input: "s3cret\n"), 0)
    // The settings were copied to another user, whose state has no leave.
    _ = try Binary.shell("rm -r .local/state/aggregator", in: home)
    let refused = try await run("pokemon list --live")
    #expect(
      refused.code == 78 && refused.errors.contains("type 'aggregator source allow pokemon berries' if you trust them"), "\(refused.errors)"
    )
    #expect(try await run("source allow pokemon nothing").code == 64)
    #expect(try await run("pokemon list --live").code == 78)
    try await expect(run("source allow pokemon berries"), 0, errors: .has("berries: allowed to send POKEMON_TOKEN"))
    for name in ["pokemon", "berries"] { try await expect(run("\(name) list --live --limit 1"), 0) }
  }

  @Test("remove names the keys that stay in the key file, and --stored removes them")
  func keptKeys() async throws {
    let keys = "\(home)/.config/aggregator/aggregator.xcconfig"
    try write("pokemon.json", FakePokemonService.manifest(at: address, more: FakePokemonService.token))
    try write("berries.json", FakePokemonService.manifest("berries", at: address, more: FakePokemonService.token))
    func begin(_ names: String...) async throws {
      for name in names { try await expect(run("add \(name).json"), 0) }
      for name in ["POKEMON_TOKEN", "POKEMON_BUDGET"] { try await expect(run("config set \(name)", input: "5/1s"), 0) }
    }
    try await begin("pokemon", "berries")
    #expect(try await run("remove pokemon").errors == "aggregator: removed pokemon, and \(own)/pokemon.json with it\n")
    let type = "type 'aggregator config unset POKEMON_TOKEN' and 'aggregator config unset POKEMON_BUDGET' to remove them"
    #expect(
      try await run("remove berries").errors == "aggregator: removed berries, and \(own)/berries.json with it\n"
        + "aggregator: POKEMON_TOKEN and POKEMON_BUDGET stay in \(keys); \(type)\n")
    #expect(try Folder.read(keys).contains("POKEMON_TOKEN"))
    try await begin("pokemon", "berries")
    #expect(
      try await run("remove pokemon --stored --yes").errors.hasSuffix(
        "aggregator: POKEMON_TOKEN stays in \(keys): berries reads it too\n"
          + "aggregator: POKEMON_BUDGET stays in \(keys): berries reads it too\n"))
    #expect(
      try await run("remove berries --stored --yes").errors.hasSuffix(
        "aggregator: removed POKEMON_TOKEN and POKEMON_BUDGET from \(keys)\n"))
    #expect(try !Folder.read(keys).contains("POKEMON"))
  }

  @Test("remove takes a source with lists below it only after those, and several at once in any order")
  func parents() async throws {
    try write("shop.json", Self.shop)
    try await expect(run("add shop.json"), 0)
    try await expect(
      run("remove stores"), 78,
      errors: "aggregator: shelves and sales lie below stores; type 'aggregator remove shelves sales' first\n")
    try await expect(
      run("remove stores sales"), 78, errors: "aggregator: shelves lies below stores; type 'aggregator remove shelves' first\n")
    try await expect(run("remove shelves nobody"), 64, errors: .has("unknown source \"nobody\""))
    #expect(try await run("source check stores").output.hasSuffix("describes stores, shelves, sales\n"), "no source was removed")
    try await expect(run("remove stores sales shelves"), 0, errors: .has("removed stores, and \(own)/shop.json with it\n"))
    #expect(access("\(own)/shop.json", F_OK) != 0)
  }

  private static let shop: String = {
    func source(_ name: String, _ list: String) -> String {
      """
      "\(name)": {"summary": "All \(name)", \(list), "rows": "", "key": "id", "paging": {"by": "whole"},
        "fields": [{"name": "id", "role": "title"}]}
      """
    }
    let below = ["shelves", "sales"].map { name in
      source(name, #""parent": "stores", "list": {"path": "stores/{stores.id}/\#(name)"}"#)
    }
    return """
      {"aggregator": 1, "address": {"setting": "SHOP_URL", "default": "https://shop.example/"}, "sources": {
        \(source("stores", #""list": {"path": "stores"}"#)), \(below.joined(separator: ", "))}}
      """
  }()

  @Test("add refuses a file with a key if the leave to send it cannot be stored")
  func unnoted() async throws {
    try write("pokemon.json", FakePokemonService.manifest(at: address, more: FakePokemonService.token))
    let state = ["XDG_STATE_HOME": "/dev/null/x"]
    let refused = try await expect(run("add pokemon.json", state), 74, errors: .has("cannot write /dev/null/x/aggregator/allowed.json"))
    #expect(!refused.errors.contains("added"))
    #expect(try SystemFiles().list(own) == [])
    // An earlier copy of the file stays.
    try await expect(run("add pokemon.json"), 0)
    try await expect(run("add pokemon.json", state), 74)
    #expect(try SystemFiles().list(own) == ["pokemon.json"])
  }
}
