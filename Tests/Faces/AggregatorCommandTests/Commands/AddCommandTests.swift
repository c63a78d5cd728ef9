import AggregatorCore
import Platform
import SourceTesting
import Testing

/// `add` of a service over a real socket, typed by a person who knows only its address.
@Suite("add") struct AddCommandTests {
  let server: StandInServer
  let home: String

  init() throws {
    server = try StandInServer { connection in
      while let request = connection.request() {
        let answers = ["/ports": Self.ports, "/machines": Self.machines, "/fleet": Self.boats, "/docs/openapi.json": Self.document]
        if let answer = answers[String(request.target.prefix { $0 != "?" })] {
          connection.answer(answer)
          continue
        }
        // A request without a size gets twenty rows.
        connection.answer(FakePokemonService.answer(request.target.contains("limit=") ? request.target : "\(request.target)&limit=20"))
      }
    }
    home = try Folder.fresh()
  }

  /// Three rows in an array, and nothing else.
  private static let ports = #"[{"id":1,"name":"Dover"},{"id":2,"name":"Lyme"},{"id":3,"name":"Poole"}]"#

  /// Machines with two numbers each, and a day.
  private static let machines =
    "["
    + (1..<8).map { #"{"purchased":"2019-09-0\#($0)","serial_no":"A\#($0)","rack_no":"R\#($0)","name":"mail"}"# }.joined(separator: ",")
    + "]"

  /// A list of boats, and a shorter list of ports that has more fields.
  private static let boats =
    #"{"ports":[{"id":1,"name":"Dover","town":"Dover","depth":8},{"id":2,"name":"Lyme","town":"Lyme","depth":3}],"#
    + #""boats":[{"no":1,"name":"Asta"},{"no":2,"name":"Brig"},{"no":3,"name":"Cog"}]}"#

  /// The service's OpenAPI document: three lists, one of which needs a text.
  private static let document = FakePokemonService.openAPI(["/ports", "/pokemon", "/search"])

  var address: String { get throws { "\(try server.address("/pokemon"))" } }
  var own: String { "\(home)/.config/aggregator" }

  func run(_ line: String, input: String = "") async throws -> Binary.Outcome {
    let environment = ["HOME": home, "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""]
    return try #require(await InProcess.run(typed: "aggregator \(line)", input: input, environment: environment, in: home))
  }

  @Test("add makes a source from an address, which lists, searches and syncs")
  func address() async throws {
    let added = try await run("add \(address) things --yes")
    #expect(added.code == 0 && added.output.contains("p0") && added.errors.contains("now type"), "\(added.errors)")
    let list = try await run("things list --all --format json")
    #expect(list.output.contains(#""verdict":{"kind":"complete""#) && list.output.contains(#""name":"p249""#))
    #expect(try await run("things search p24 --format tsv").output.contains("p249"))
    #expect(try await run("source verify things").code == 0)
    #expect(
      try await run("add \(address) things --yes").errors.contains("type another name after the SPEC, or 'aggregator remove things' first")
    )
  }

  @Test("add takes a header and a method as curl does, quoted or not, and keeps a key among the headers as a key")
  func headers() async throws {
    let header = "-H 'X-Api-Key: s3cret-of-ada'"
    for (name, line) in [
      ("things", "\(try address) things \(header)"), ("others", "\(try address) others --header 'X-Api-Key: s3cret-of-ada' -X GET"),
    ] {
      let added = try await run("add \(line) --yes")
      #expect(added.code == 0 && !(added.output + added.errors).contains("s3cret"), "\(added.errors)")
      #expect(added.lines.count == 3 && !added.output.hasPrefix("name"), "the header of the request is no header of the table")
      #expect(try Folder.read("\(own)/aggregator.xcconfig").contains("\(name.uppercased())_API_KEY = s3cret-of-ada"))
      #expect(try !Folder.read("\(own)/sources/\(name).json").contains("s3cret"))
    }
    let curl = try await run("add curl \(header) -XGET '\(server.address("/ports"))' --whole")
    #expect(curl.code == 0 && server.requests.allSatisfy { $0["x-api-key"] == "s3cret-of-ada" }, "\(curl.errors)")
    #expect(try await run("add recording.har \(header)").errors.contains("--header goes with an address"))
    #expect(try await run("add \(address) more --next cursor").errors.contains("--next takes FIELD=PARAM"))
  }

  @Test("add shows its requests only while they run, and says what it found in a few lines with three rows")
  func brief() async throws {
    let piped = try await run("add \(address) things --yes")
    #expect(!piped.errors.contains("where the rows are") && piped.lines.count == 3, "\(piped.errors)")
    #expect(piped.errors.split(separator: "\n").count <= 8, "\(piped.errors)")
    let verbose = try await run("add \(address) others --yes --verbose")
    #expect(verbose.errors.contains("  1  GET /pokemon: where the rows are\n"), "\(verbose.errors)")
    #expect(verbose.errors.contains(": page 2: whether its rows are new\n"), "\(verbose.errors)")
    let terminal = try Terminal("add", "\(address)", "more", "--yes", columns: 120, environment: environment).ending()
    #expect(terminal.shown.contains("  1 of 6: where the rows are: GET /pokemon"), "\(terminal.shown)")
    #expect(!terminal.linesLeft.joined().contains("where the rows are"), "\(terminal.linesLeft)")
  }

  @Test("add sends a service at most six requests, also when it closes its connections without an answer")
  func closed() async throws {
    // Each connection answers its first request only.
    let server = try StandInServer { connection in
      if let request = connection.request() { connection.answer(FakePokemonService.answer(request.target)) }
      _ = connection.request()
    }
    let added = try await run("add \(server.address("/pokemon")) things --yes")
    #expect(server.requests.count <= 6, "\(server.requests.map(\.target)), \(added.errors)")
  }

  @Test(
    "add sends and writes nothing with --plan, or with a name that it cannot use", arguments: ["users", "search", "a/b", "../x", "--plan"])
  func nothing(word: String) async throws {
    let outcome = try await run("add \(address) \(word) --yes")
    #expect(outcome.code == (word == "--plan" ? 0 : word.contains("/") ? 64 : 78), "\(outcome.errors)")
    #expect(server.requests.isEmpty && access("\(own)/sources", F_OK) != 0)
  }

  @Test("a name before the address is an error that shows the right order")
  func order() async throws {
    let outcome = try await InProcess.run("add boats https://boats.example.org/v1", environment: [:])
    #expect(outcome.code == 64 && outcome.errors.contains("the name stands after the address"))
    #expect(outcome.errors.contains("add 'https://boats.example.org/v1' boats"))
  }

  @Test("add takes a list without a sign of its end as whole if the line says so")
  func whole() async throws {
    let ports = try "\(server.address("/ports"))"
    let doubted = try await run("add \(ports) ports --yes")
    #expect(doubted.errors.contains("nothing says that these are all; add --whole if they are"), "\(doubted.errors)")
    #expect(try await run("ports list --all --format json").output.contains(#""verdict":{"kind":"unverifiable""#))
    // Without a terminal no question is asked, and no answer is assumed.
    let refused = try await run("add \(ports) others")
    let cure = "no walk of others is complete; add --next FIELD=PARAM if a parameter leads on, --whole if these are all, or --yes to add it"
    #expect(refused.code == 3 && refused.errors.contains("\(cure) all the same\naggregator: nothing was added\n"), "\(refused.errors)")
    #expect(try await run("others list").code == 64)
    #expect(try await run("add \(ports) harbours --whole").code == 0)
    #expect(try await run("harbours list --all --format json").output.contains(#""verdict":{"kind":"complete""#))
    let paged = try await run("add \(address) things --whole --yes")
    #expect(paged.errors.contains("--whole is not used: things has further pages"), "\(paged.errors)")
  }

  @Test("add names the id as the service writes it, and takes the likeliest one if it cannot ask")
  func unclear() async throws {
    let machines = try await run("add \(server.address("/machines")) machines --yes")
    #expect(machines.code == 0, "\(machines.errors)")
    let others = "serial_no (A1, A2, A3), not rack_no (R1, R2, R3)"
    #expect(machines.errors.contains("what tells the rows apart: took \(others)"), "\(machines.errors)")
    #expect(machines.errors.contains("id      serial_no (a guess: unique in all 7 rows, and so is rack_no)"), "\(machines.errors)")
    let manifest = try Folder.read("\(own)/sources/machines.json")
    #expect(manifest.contains(#""key": "serial_no""#) && manifest.contains(#""keyGuessed": true"#))
    let guess =
      "the key of machines is a guess: records with the same serial_no count as one; if some have, name another field as \"key\" in "
    #expect(machines.errors.contains("\(guess)\(own)/sources/machines.json"), "\(machines.errors)")
    for line in ["source show machines", "source check machines"] {
      let said = try await run(line).errors
      #expect(said.contains(guess), "\(said)")
    }
    let boats = try await run("add \(server.address("/fleet")) boats --yes")
    #expect(boats.errors.contains("the list: took boats (3 rows), not ports (2 rows)"), "\(boats.errors)")
    #expect(boats.errors.contains("id      no (suggested by its name, but only 3 rows)"), "\(boats.errors)")
    #expect(!boats.errors.contains("the key of boats is a guess"), "\(boats.errors)")
  }

  @Test("add takes the rows, the id and the title that the line names, and writes nothing for a name that the answer lacks")
  func hints() async throws {
    let fleet = try "\(server.address("/fleet"))"
    let wrong = try await run("add \(fleet) ports --rows port --yes")
    #expect(wrong.code == 78 && wrong.errors.contains("no rows port in the answer"), "\(wrong.errors)")
    #expect(try await run("add \(fleet) ports --rows ports --id id --title name,town --whole").code == 0)
    let list = try await run("ports list --format csv")
    #expect(list.lines.first?.hasPrefix("id") == true && list.output.contains("Lyme Lyme"), "\(list.output)")
    #expect(try await run("add \(fleet) ports --title ,").code == 64)
  }

  @Test("add asks at a terminal which of two lists is meant")
  func lists() async throws {
    let terminal = try Terminal("add", "\(server.address("/fleet"))", "ports", "--whole", columns: 100, environment: environment)
    try terminal.waitFor("the list?")
    terminal.type("2\n")
    #expect(terminal.wait() == 0, "\(terminal.shown)")
    #expect(try Folder.read("\(own)/sources/ports.json").contains(#""rows": "ports""#))
  }

  @Test("the only list of a document in a file is asked at its address, and becomes a source")
  func described() async throws {
    try Folder.write(FakePokemonService.openAPI(["/pokemon"], server: "\(server.address("/"))"), to: "\(home)/openapi.json")
    let plan = try await run("add openapi.json things --plan")
    #expect(try plan.output.contains("would send GET \(address): ") && server.requests.isEmpty, "\(plan.output)")
    let added = try await run("add openapi.json things --yes")
    #expect(added.code == 0, "\(added.errors)")
    let key = "openapi.json says that 127.0.0.1 wants a key; --key 'header:Authorization=Bearer' has it asked for"
    #expect(added.errors.contains(key) && server.requests.count <= 6, "\(added.errors)")
    #expect(try await run("things list --all --format json").output.contains(#""name":"p249""#))
  }

  @Test("without a terminal, a document with several lists is told list by list, each with its address and how to add one")
  func several() async throws {
    let document = try "\(server.address("/docs/openapi.json"))"
    let ports = "'\(try server.address("/ports"))'"
    let told = try await run("add \(document) boats --yes")
    #expect(told.code == 64, "\(told.errors)")
    #expect(told.errors.contains("\(document) names 3 lists; add one by its address: aggregator add \(ports) boats\n"), "\(told.errors)")
    #expect(told.errors.contains("\n  2  \(try address)  All of pokemon\n"), "\(told.errors)")
    #expect(told.errors.contains("\n  3  \(try server.address("/search")) (needs q)  All of search\n"), "\(told.errors)")
    #expect(server.requests.map(\.target) == ["/docs/openapi.json"])
  }

  @Test("add asks at a terminal which list of a document is meant, and sends the key only to the document's own host")
  func chosen() async throws {
    let document = try "\(server.address("/docs/openapi.json"))"
    let terminal = try Terminal(
      "add", document, "things", "--key", "header:X-Key", columns: 200, environment: environment)
    try terminal.waitFor("header X-Key of 127.0.0.1 (hidden): ")
    terminal.type("s3cret-of-ada\n")
    try terminal.waitFor("which list?")
    terminal.type("2\n")
    #expect(terminal.wait() == 0, "\(terminal.shown)")
    #expect(server.requests.count <= 7 && server.requests.allSatisfy { $0["x-key"] == "s3cret-of-ada" })
    #expect(try await run("things list --all --format json").output.contains(#""name":"p249""#))
    // Another host may belong to strangers.
    let other = try StandInServer { while $0.request() != nil { $0.answer(Self.ports) } }
    try Folder.write(FakePokemonService.openAPI(["/ports"], server: "\(other.address("/"))"), to: "\(home)/elsewhere.json")
    let elsewhere = try StandInServer { [text = try Folder.read("\(home)/elsewhere.json")] in while $0.request() != nil { $0.answer(text) }
    }
    let refused = try await run("add \(elsewhere.address("/openapi.json")) others --yes --key header:X-Key", input: "s3cret-of-ada\n")
    #expect(refused.code == 64 && other.requests.isEmpty && elsewhere.requests.count == 1, "\(refused.errors)")
    let added = try await run(
      "add \(elsewhere.address("/openapi.json")) others --yes --key header:X-Key", input: "s3cret-of-ada\nother-of-ada\n")
    #expect(added.code == 0 && other.requests.allSatisfy { $0["x-key"] == "other-of-ada" }, "\(added.errors)")
  }

  @Test("add asks at a terminal whether the rows of an answer are the whole list", arguments: [("y", "complete"), ("", "unverifiable")])
  func asked(answer: String, verdict: String) async throws {
    let terminal = try Terminal(
      "add", "\(try server.address("/ports"))", "ports", columns: 100,
      environment: ["HOME": home, "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""])
    try terminal.waitFor("Is this everything? [y/N]")
    terminal.type("\(answer)\n")
    if answer.isEmpty {
      try terminal.waitFor("No walk of ports is complete. Add it all the same? [y/N]")
      terminal.type("y\n")
    }
    #expect(terminal.wait() == 0, "\(terminal.shown)")
    #expect(try await run("ports list --all --format json").output.contains(#""verdict":{"kind":"\#(verdict)""#))
  }

  var environment: [String: String] {
    ["HOME": home, "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""]
  }

  @Test("add names the recording that it keeps, and the number of records in it")
  func recording() async throws {
    let added = try await run("add \(server.address("/ports")) ports --yes")
    #expect(
      added.errors.contains("added ports in \(own)/sources/ports.json, with 3 records in the recording ports.har\n"), "\(added.errors)")
  }

  @Test("add names the source that an address already is, and adds it again under a typed name")
  func again() async throws {
    let ports = try "\(server.address("/ports"))"
    #expect(try await run("add \(ports) --yes").code == 0)
    let count = server.requests.count
    let again = try await run("add \(ports) --yes")
    #expect(again.code == 78 && server.requests.count == count)
    #expect(again.errors.contains("this address is already the source ports; type another name after the SPEC"), "\(again.errors)")
    let same = try await run("add '\(ports)?api_key=s3cret-of-ada' ports --yes")
    #expect(same.code == 78 && same.errors.contains("this address is already the source ports"), "\(same.errors)")
    let other = try await run("add \(ports) harbours --yes")
    #expect(other.code == 0 && other.errors.contains("this address is already the source ports"), "\(other.errors)")
    // Another list of the service is another source; another way of paging is the same source.
    #expect(try await run("add '\(ports)?kind=ferry' --yes").code == 0)
    #expect(try await run("add \(address) things --yes").code == 0)
    let paged = try await run("add '\(address)?limit=5' --yes")
    #expect(paged.code == 78 && paged.errors.contains("this address is already the source things"), "\(paged.errors)")
  }

  @Test("add asks an http address in a private network after a question or with --insecure, and never a public one")
  func insecure() async throws {
    let risk = "http://nas.invalid.lan is not encrypted: anyone on the network can read what is sent, a key too, and change the answers"
    for words in ["", "--yes", "--yes --key header:X-Key"] {
      let asked = try await run("add http://nas.invalid.lan/boats \(words)", input: "secret\n")
      #expect(asked.code == 64 && asked.errors.contains("\(risk); add --insecure to go on all the same"), "\(asked.errors)")
    }
    let sent = try await run("add http://nas.invalid.lan/boats --insecure --yes")
    #expect(sent.code == 69 && sent.errors.contains(risk) && sent.errors.contains("cannot reach nas.invalid.lan"), "\(sent.errors)")
    #expect(try await run("add http://api.example.com/boats --insecure --yes").code == 78)
    let terminal = try Terminal("add", "http://nas.invalid.lan/boats", columns: 200, environment: environment)
    try terminal.waitFor("\(risk). Go on? [y/N]")
    terminal.type("\n")
    #expect(terminal.wait() == 78 && terminal.shown.contains("nothing was sent or added"), "\(terminal.shown)")
  }

  @Test("a file with an http address needs --insecure or a person's leave before anything is sent")
  func insecureManifest() async throws {
    let safe = "\"default\": \"https://nas.invalid.lan/\""
    let text = FakePokemonService.manifest(at: "https://nas.invalid.lan/")
    try #require(text.contains(safe))
    let insecure = text.replacing(safe, with: "\"default\": \"http://nas.invalid.lan/\", \"insecure\": true")
    try Folder.write(insecure, to: "\(home)/pokemon.json")
    #expect(try await run("add pokemon.json --yes").code == 64)
    #expect(access("\(own)/sources", F_OK) != 0)
    try SystemFiles().makeFolder("\(own)/sources")
    try Folder.write(insecure, to: "\(own)/sources/pokemon.json")
    let found = try await run("pokemon list")
    #expect(
      found.code == 78 && found.errors.contains("was not allowed to ask http://nas.invalid.lan without encryption"), "\(found.errors)")
    let allowed = try await run("source allow pokemon")
    #expect(allowed.errors.contains("pokemon: allowed to ask http://nas.invalid.lan without encryption"), "\(allowed.errors)")
    #expect(try await run("pokemon list --live").code == 69)
    #expect(try await run("remove pokemon").code == 0)
    let added = try await run("add pokemon.json --insecure")
    #expect(added.code == 0 && added.errors.contains("pokemon may ask http://nas.invalid.lan without encryption"), "\(added.errors)")
    #expect(try await run("config --format json").output.contains("http://nas.invalid.lan/"))
  }

  @Test("add reads a line for curl from standard input")
  func pasted() async throws {
    let added = try await run("add - things --yes", input: "curl '\(address)?limit=10' \\\n  -H 'Authorization: Bearer s3cret-of-ada'\n")
    #expect(added.code == 0 && added.errors.contains("saved THINGS_TOKEN") && !added.errors.contains("s3cret"), "\(added.errors)")
    #expect(try await run("things list --all --format json").output.contains(#""name":"p249""#))
  }
}
