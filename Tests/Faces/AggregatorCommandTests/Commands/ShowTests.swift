import AggregatorCore
import SourceTesting
import Testing

/// The output of `show` and `compare` when the line does not name a record exactly.
@Suite("Show") struct ShowTests {
  /// A list in which Germany is also called FRG, and which has no France.
  private func countries(_ line: String) async throws -> Binary.Outcome {
    let service = try Service(
      Service.rows(
        Service.row("DE", "Germany"), Service.row("GQ", "Equatorial Guinea"), Service.row("BA", "Bosnia and Herzegovina"),
        Service.row("KP", "North Korea"), Service.row("KR", "South Korea")))
    return try #require(await InProcess.run(typed: "aggregator \(line)", environment: service.environment, in: Folder.fresh()))
  }

  @Test(
    "an id and a full title in any language are shown without a notice",
    arguments: [("gq", "GQ"), ("germany", "DE"), ("frg", "DE"), ("Allemagne", "DE"), ("bosnia & herzegovina", "BA")])
  func named(_ text: String, id: String) async throws {
    let outcome = try await countries("countries show '\(text)' --live --fields code")
    #expect(outcome.output == "Code: \(id)\n" && outcome.errors == "" && outcome.code == 0)
  }

  @Test(
    "whole words of a name show the record with a notice, in every format",
    arguments: [
      ("equatorial", "Equatorial Guinea (GQ), found by a word of its name"),
      ("guinea equatorial", "Equatorial Guinea (GQ), found by words of its name"),
      ("republic germany", "Germany (DE), found by words of its name \"Federal Republic of Germany\""),
      ("Herzegowina", "Bosnia and Herzegovina (BA), found by its name in another language"),
      ("south", "South Korea (KR), found by a word of its name"),
    ], ["table", "json", "tsv"])
  func words(_ found: (text: String, words: String), _ format: String) async throws {
    let outcome = try await countries("countries show '\(found.text)' --live --format \(format)")
    #expect(outcome.code == 0 && !outcome.output.isEmpty)
    #expect(outcome.errors == "aggregator: countries: no country has the id or name \"\(found.text)\"; showing \(found.words)\n")
  }

  @Test(
    "a part of a word shows no record, and similar titles are suggested",
    arguments: [
      ("FR", "no such record: \"FR\"; did you mean Germany?"), ("germ", "no such record: \"germ\"; did you mean Germany?"),
      ("kore", "no such record: \"kore\"; did you mean North Korea or South Korea?"),
      ("..", "no such record: \"..\"; type 'aggregator countries search TEXT' to find one"),
    ])
  func parts(_ text: String, message: String) async throws {
    let outcome = try await countries("countries show '\(text)' --live --format json")
    #expect(outcome.code == 66 && outcome.output == "" && outcome.errors == "aggregator: countries: \(message)\n")
  }

  @Test(
    "a text that would lead to another path names no record, in the usual words, and the service is not asked for that path",
    arguments: ["..", ".", "../boats", "%2e%2e", "..%2Fboats"])
  func paths(_ text: String) async throws {
    let server = try StandInServer { connection in
      while let request = connection.request() {
        switch request.target.dropFirst().prefix(while: { $0 != "/" && $0 != "?" }) {
        case "boats" where request.target == "/boats": connection.answer(#"[{"id":"1","name":"Asta"}]"#)
        case "products": connection.answer(#"{"products":[{"id":"1","title":"Lamp"}]}"#)
        case "api": connection.answer(#"{"status_code":1,"error":"OK","number_of_total_results":0,"results":[]}"#)
        default: connection.answer(#"{"id":"9","name":"another place"}"#)
        }
      }
    }
    let (folder, address) = (try Folder.fresh(), "\(try server.address("/"))")
    let services = [
      "PRODUCTS_BASE_URL": address, "COMIC_VINE_BASE_URL": "\(address)api/", "COMIC_VINE_API_KEY": "k3y-of-ada",
      "COMIC_VINE_BUDGET": "unlimited",
    ]
    let environment = Folder.homes(folder) + services + ["HOME": folder]
    try Folder.write(
      """
      {"aggregator": 1, "address": {"setting": "BASE_URL", "default": "\(address)"}, "budget": "unlimited",
        "sources": {"boats": {"summary": "boats", "list": {"path": "boats"}, "rows": "", "key": "id", "paging": {"by": "whole"},
        "fields": [{"name": "id"}, {"name": "name", "role": "title", "searchable": true}, {"name": "about", "detail": true}],
        "detail": {"request": {"path": "boats/{id}"}, "row": ""}}}}
      """, to: "\(folder)/boats.json")
    func run(_ words: String...) async throws -> Binary.Outcome {
      try await InProcess.run(words, environment: environment, in: folder)
    }
    try await expect(run("add", "boats.json"), 0)
    for source in ["boats", "products", "heroes"] {
      try await expect(
        run(source, "show", text, "--live"), 66, output: "", errors: .has("aggregator: \(source): no such record: \"\(text)\""))
    }
    try await expect(run("boats", "sync"), 0)
    for terms in [[], ["--offline"]] {
      let shown = try await InProcess.run(["boats", "show", text] + terms, environment: environment, in: folder)
      #expect(shown.code == 66 && shown.errors.contains("no such record: \"\(text)\""), "\(shown.errors)")
    }
    let paths = server.requests.map { PercentEncoding.decode(PercentEncoding.decode($0.target.prefix { $0 != "?" })) }
    #expect(!paths.contains { $0.split { "/\\".contains($0) }.contains { $0 == "." || $0 == ".." } }, "\(paths)")
  }

  @Test("the same rules hold for all sources together")
  func all() async throws {
    let words = try await InProcess.run("show equatorial --offline", environment: [:])
    #expect(words.code == 0)
    #expect(
      words.errors.contains(
        "no record has the id or name \"equatorial\"; showing Equatorial Guinea (GQ) of countries, found by a word of its name"))
    let parts = try await InProcess.run("show equatori --offline", environment: [:])
    #expect(parts.code == 66 && parts.errors == "aggregator: no such record: \"equatori\"; did you mean Equatorial Guinea?\n")
    #expect(try await InProcess.run("show .. --offline", environment: [:]).code == 66)
    // A search would not find it either.
    let nothing = try await InProcess.run("show zzzz --offline", environment: [:])
    #expect(nothing.code == 66 && nothing.errors == "aggregator: no such record: \"zzzz\"\n")
    let down = try await InProcess.run("show zzzz", environment: [:])
    #expect(down.code == 66 && down.errors.contains("no such record: \"zzzz\" (countries, heroes, products, users answered from "))
    #expect(try await InProcess.run("show germeny --offline", environment: [:]).errors.contains("did you mean Germany?"))
  }

  @Test("mathematical signs make a different name, and so does the sign of a number")
  func signs() async throws {
    let folder = try Folder.fresh()
    let environment = ["HOME": folder]
    let named = [("cpp", "C++"), ("5", "Five"), ("so-10", "Order"), ("m", "Batman"), ("n", "Bat Man")]
    let rows = "[" + named.map { #"{"id":"\#($0.0)","name":"\#($0.1)"}"# }.joined(separator: ",") + "]"
    let server = try StandInServer { connection in while connection.request() != nil { connection.answer(rows) } }
    try Folder.write(
      """
      {"aggregator": 1, "address": {"setting": "BASE_URL", "default": "\(try server.address("/"))"},
        "sources": {"languages": {"summary": "languages", "list": {"path": "l"},
        "rows": "", "key": "id", "paging": {"by": "whole"}, "fields": [{"name": "id"}, {"name": "name", "role": "title", "searchable": true}]}}}
      """, to: "\(folder)/languages.json")
    func show(_ text: String) async throws -> Binary.Outcome {
      try #require(await InProcess.run(typed: "aggregator languages show \(text)", environment: environment, in: folder))
    }
    try await expect(#require(InProcess.run(typed: "aggregator add languages.json", environment: environment, in: folder)), 0)
    try await expect(
      show("c"), 0, errors: "aggregator: languages: no record has the id or name \"c\"; showing C++ (cpp), found by a word of its name\n")
    try await expect(show("c++"), 0, errors: "")
    try await expect(show("five"), 0, errors: "")
    try await expect(show("'bat man'"), 0, output: "ID: n\nName: Bat Man\n", errors: "")
    try await expect(show("batman"), 0, output: "ID: m\nName: Batman\n", errors: "")
    try await expect(
      show("so10"), 0, errors: "aggregator: languages: no record has the id or name \"so10\"; showing Order (so-10), found by its id\n")
    try await expect(
      show("-- -5"), 0, errors: "aggregator: languages: no record has the id or name \"-5\"; showing Five (5), found by its id\n")
  }

  @Test("a record and a search are as the last complete sync has them, though an older answer is cached")
  func youngest() async throws {
    let orders = try await FakeOrders()
    try await expect(orders.run("orders sync"), 0)
    try await expect(orders.run("orders show 1 --fields status --live"), 0, output: .has("open"))
    try await expect(orders.run("orders show 2 --fields note --live"), 0)
    try await expect(orders.run("orders search open --fields id --format tsv --live"), 0, output: "1\n")
    orders.become(FakeOrders.rows[0].replacing("open", with: "sent"), FakeOrders.rows[2].replacing("paid", with: "open"))
    try await expect(orders.run("orders sync"), 0)
    for reach in ["--offline", "--max-age 1h"] {
      try await expect(orders.run("orders show 1 --fields status \(reach)"), 0, output: .has("sent"))
      try await expect(orders.run("orders search open --fields id --format tsv -q \(reach)"), 0, output: .exactly("3\n"))
    }
    try await expect(orders.run("orders show 2 --offline"), 66, errors: .has("\"2\" is gone since"))
    let paid = try await expect(orders.run("orders search paid --offline"), 0)
    #expect(!paid.errors.contains("did you mean paid"), "\(paid.errors)")
  }

  @Test("a service that answers with another id is an error, and nothing is printed as the record")
  func otherID() async throws {
    let folder = try Folder.fresh()
    let server = try StandInServer { connection in
      while let request = connection.request() {
        connection.answer(
          request.target.hasPrefix("/boats/") ? #"{"id":7,"name":"Ada"}"# : #"[{"id":5,"name":"Bob"},{"id":7,"name":"Ada"}]"#)
      }
    }
    try Folder.write(
      """
      {"aggregator": 1, "address": {"setting": "BASE_URL", "default": "\(try server.address("/"))"},
        "sources": {"boats": {"summary": "boats", "list": {"path": "boats"},
        "rows": "", "key": "id", "paging": {"by": "whole"}, "detail": {"request": {"path": "boats/{id}"}, "row": ""}, "fields": [{"name": "id", "type": "integer"}, {"name": "name", "role": "title"}]}}}
      """, to: "\(folder)/boats.json")
    func run(_ line: String) async throws -> Binary.Outcome {
      try #require(await InProcess.run(typed: "aggregator \(line)", environment: ["HOME": folder], in: folder))
    }
    try await expect(run("add boats.json"), 0)
    let error = "aggregator: boats: the service was asked for \"5\" and answered with \"7\""
    try await expect(run("boats show 5 --format json"), 66, output: "", errors: .has(error))
    try await expect(run("boats show 7"), 0, errors: "")
    try await expect(run("boats show ada"), 0, errors: "")
    try await expect(run("boats show 5 7 --fields name --format tsv"), 66, output: .has("Ada"), errors: .has(error))
    try await expect(run("boats compare 5 7"), 66, errors: .has(error))
  }
}
