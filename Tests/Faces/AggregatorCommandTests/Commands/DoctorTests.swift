import AggregatorCore
import SourceTesting
import Testing

@Suite struct DoctorTests {
  private func checks(_ outcome: Binary.Outcome) throws -> [String: (status: String, detail: String, fix: String?)] {
    var checks: [String: (String, String, String?)] = [:]
    for row in try JSON(Array(outcome.output.utf8)).elements {
      checks[try row.string("check")] = (try row.string("status"), try row.string("detail"), try row.stringIfPresent("fix"))
    }
    return checks
  }

  @Test("doctor tells the problem of each source and what to type, and exits 1")
  func ill() async throws {
    // One service answers, so the machine is not offline.
    let emptyService = try StandInServer { connection in while connection.request() != nil { connection.answer("{}") } }
    let outcome = try await expect(
      InProcess.run(
        "doctor --format json", environment: ["XDG_DATA_HOME": "", "HOME": "", "PRODUCTS_BASE_URL": "\(emptyService.address("/"))"]), 1)
    let checks = try checks(outcome)
    #expect(Set(checks.keys) == ["settings", "countries", "heroes", "products", "users", "store", "terminal"])
    #expect(checks["countries"]?.status == "fail")
    #expect(checks["countries"]?.detail == "cannot reach 127.0.0.1:1: connection refused")
    #expect(
      checks["countries"]?.fix
        == "check the network and the service, or type 'aggregator config set COUNTRIES_URL' to name another address")
    #expect(checks["heroes"]?.status == "warn")
    #expect(checks["heroes"]?.fix?.contains("config set COMIC_VINE_API_KEY") == true)
    #expect(checks["store"]?.status == "warn")
  }

  @Test("doctor tells without a network which services could not be asked, and exits 1 only with --strict")
  func offline() async throws {
    let environment = try Folder.homes(Folder.fresh()) + ["COMIC_VINE_API_KEY": "key"]
    for (line, code) in [("doctor --format json", 0), ("doctor --strict --format json", 1)] as [(String, Int32)] {
      let checks = try await checks(expect(InProcess.run(line, environment: environment), code))
      for name in ["countries", "heroes", "products", "users"] {
        #expect(
          checks[name]?.status == "warn" && checks[name]?.detail == "could not be asked: cannot reach 127.0.0.1:1: connection refused")
        #expect(checks[name]?.fix == "no service was reached; check the network, and type 'aggregator doctor' again")
      }
    }
    for (line, code) in [("doctor --offline --format json", 0), ("doctor --offline --strict --format json", 1)] as [(String, Int32)] {
      let checks = try await checks(expect(InProcess.run(line, environment: environment), code))
      #expect(Set(checks.keys) == ["settings", "sources", "store", "terminal"])
      #expect(
        checks["sources"]?.status == "warn" && checks["sources"]?.detail == "not asked (--offline): countries, heroes, products, users")
      #expect(checks["sources"]?.fix == "omit --offline to ask the service")
    }
    let well = try Service(Service.rows(Service.row("FR", "France")))
    let mixed = try await checks(expect(well.run("doctor --format json"), 1))
    #expect(mixed["countries"]?.status == "ok" && mixed["users"]?.status == "fail")
  }

  @Test("doctor warns of a service that is not set up")
  func unset() async throws {
    let outcome = try Binary.shell("env -u PRODUCTS_BASE_URL $A doctor --format json")
    let products = try checks(outcome)["products"]
    #expect(products?.status == "warn" && products?.detail == "no service is set up; bundled data is used")
    #expect(products?.fix == "type 'aggregator config set PRODUCTS_BASE_URL' to name its address")
  }

  @Test("doctor distinguishes a service that answers from one whose rows cannot be read")
  func rows() async throws {
    let healthy = try Service(Service.rows(Service.row("FR", "France"), Service.row("DE", "Germany")))
    let well = try await checks(healthy.run("doctor --format json"))
    #expect(well["countries"]?.status == "ok")
    #expect(
      well["countries"]?.detail.hasSuffix(", 2 records on its first page") == true
        || well["countries"]?.detail.hasSuffix(", 2 records") == true)
    let broken = try Service(Service.rows(Service.row("FR", "France"), #"{"name":7}"#))
    let ill = try await checks(broken.run("doctor --format json"))
    #expect(ill["countries"]?.status == "warn")
    #expect(ill["countries"]?.detail.contains("1 of 2 rows could not be read") == true)
    let page = try Service("<html>no</html>")
    #expect(try await checks(page.run("doctor --format json"))["countries"]?.status == "fail")
  }

  @Test("doctor prints many sources that answer in one line for a person, and one check each for a program")
  func many() async throws {
    let names = (1...9).map { "harbour\($0)" }
    let server = try StandInServer { connection in
      while let request = connection.request() { connection.answer(FakePokemonService.answer(request.target)) }
    }
    let folder = try Folder.fresh()
    let list = FakePokemonService.manifest("harbour1", at: "\(try server.address("/"))")
    for name in names {
      let manifest = list.replacingEach("harbour1", with: name).replacingEach("POKEMON_URL", with: "\(name.uppercased())_URL")
      try Folder.write(manifest, to: "\(folder)/\(name).json")
    }
    let environment = ["AGGREGATOR_SOURCES": folder, "NO_COLOR": "1"]
    let text = try Terminal("doctor", columns: 80, environment: environment).ending(1).lines.joined(separator: "\n")
    #expect(text.contains("ok    9 sources answered: \(names.prefix(5).joined(separator: ", ")),\n"), "\(text)")
    #expect(!text.contains("answered in") && text.contains("fail  countries: "))
    let checks = try checks(await InProcess.run("doctor --format json", environment: environment))
    #expect(names.allSatisfy { checks[$0]?.status == "ok" })
  }

  @Test(
    "doctor tells of a search index that does not fit the records, and from then on a search finds all",
    .enabled(if: Tool.exists("python3")))
  func searchIndex() async throws {
    let vine = try FakeComicVine()
    try await expect(vine.run("heroes sync"), 0)
    let (line, store) = ("doctor --offline --format json", "\(vine.folder)/data/aggregator/store.db")
    let sound = try await checks(expect(vine.run(line), 0))["store"]
    #expect(sound?.status == "ok" && sound?.detail == "\(store), 250 records")
    let script = "import os, sqlite3; s = sqlite3.connect(os.environ['S']); s.execute(os.environ['Q']); s.commit()"
    let damage = "DELETE FROM heroes_letters WHERE key = (SELECT max(key) FROM heroes_letters)"
    _ = try Binary.python(script, environment: ["S": store, "Q": damage])
    let damaged = try await checks(expect(vine.run(line), 1))["store"]
    #expect(damaged?.status == "fail")
    #expect(
      damaged?.detail
        == "the search index of heroes in the store \(store) does not fit its records, so searches may have missed some")
    #expect(damaged?.fix == "store more of heroes, such as by a sync, to make it again; until then a search reads every record")
    #expect(try await checks(expect(vine.run(line), 0))["store"]?.status == "ok")
    try await expect(vine.run("heroes sync --full"), 0)
    #expect(try await checks(expect(vine.run(line), 0))["store"]?.status == "ok")
  }

  @Test("doctor does not show a key that a service repeats")
  func secret() async throws {
    let echo = try StandInServer { connection in
      while let request = connection.request() { connection.answer(status: "500 No", "you sent \(request.target)") }
    }
    let outcome = try await InProcess.run(
      "doctor --explain", environment: ["COMIC_VINE_API_KEY": "s3cr3t-k3y", "COMIC_VINE_BASE_URL": "http://127.0.0.1:\(echo.port)/"])
    #expect(!(outcome.output + outcome.errors).contains("s3cr3t"))
  }

  @Test("advice names a flag only if the line lacks it", arguments: [("", true), (" --explain", false)])
  func adviceOnFlags(flag: String, isNamed: Bool) async throws {
    let service = try Service("no", status: "400 Bad Request")
    let errors = try await service.run("countries list --live\(flag)").errors
    #expect(errors.contains("HTTP 400") && errors.contains("--explain to see the request") == isNamed, "\(errors)")
  }
}
