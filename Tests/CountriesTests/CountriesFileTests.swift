import AggregatorCore
import SourceTesting
import Testing

@testable import Countries

/// The service's file with all its oddities, in rows written for the tests.
struct CountriesFileTests {
  /// A row as the service writes one, with `changes` in place of some values.
  private func row(_ code: String = "DE", _ changes: String...) -> String {
    let members = [
      "capital": #""Berlin""#, "code": #""\#(code)""#, "currency": #"{"code":"EUR","name":"Euro","symbol":"€"}"#,
      "flag": #""https://flags.example/x.png""#, "language": #"{"code":"de","iso639_2":"deu","name":"German","nativeName":"Deutsch"}"#,
      "name": #""Germany \#(code)""#, "region": #""EU""#,
    ]
    var changed = members
    for change in changes {
      let sides = change.split(separator: "=", maxSplits: 1).map(String.init)
      changed[sides[0]] = sides.count == 2 ? sides[1] : nil
    }
    return "{" + changed.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
  }

  private func country(_ changes: String...) throws -> Country {
    var text = row("DE")
    if !changes.isEmpty {
      text =
        "{"
        + changes.map { change in
          let sides = change.split(separator: "=", maxSplits: 1)
          return "\"\(sides[0])\":\(sides[1])"
        }.joined(separator: ",") + "}"
    }
    return try Country(JSON(Array(text.utf8)), as: .own)
  }

  @Test("a whole row of a country is read")
  func whole() throws {
    let country = try country()
    #expect(country.code == "DE")
    #expect(country.id == "DE")
    #expect(country.name == "Germany DE")
    #expect(country.capital == "Berlin")
    #expect(country.region == "EU")
    #expect(country.currency?.symbol == "€")
    #expect(country.language?.code == "de")
    // The flag is made from the code, because the service's own flag has a dead address.
    #expect(country.flag == "🇩🇪")
  }

  @Test(
    "a value that may be missing is nil, whether it is left out, null or empty",
    arguments: [
      "", #","capital":null,"region":null,"currency":null"#, #","capital":"","region":"""#, #","currency":{},"language":{}"#,
      #","currency":{"code":"","name":"","symbol":null}"#,
    ])
  func gaps(_ rest: String) throws {
    let row = #"{"code":"HM","name":"Heard Island and McDonald Islands"\#(rest)}"#
    let country = try Country(JSON(Array(row.utf8)), as: .own)
    #expect(country.capital == nil)
    #expect(country.region == nil)
    #expect(country.currency == nil)
    #expect(country.language == nil)
  }

  @Test("a symbol or a language code alone may be missing, and further members are ignored")
  func partly() throws {
    let country = try country(
      #"code="MY""#, #"name="Malaysia""#, #"currency={"code":"MYR","name":"Ringgit","symbol":null}"#,
      #"language={"code":null,"name":"Malay"}"#,
      #"demonym="Malaysian""#, #"region="Americas""#)
    #expect(country.currency?.symbol == nil)
    #expect(country.currency?.code == "MYR")
    #expect(country.language?.code == nil)
    #expect(country.language?.name == "Malay")
    // The service's odd region is kept.
    #expect(country.region == "Americas")
  }

  @Test(
    "a row that is not a country is skipped and counted",
    arguments: [
      #"{"name":"Nowhere"}"#, #"{"code":"DEU","name":"Germany"}"#, #"{"code":"D1","name":"Germany"}"#, #"{"code":"","name":"Germany"}"#,
      #"{"code":"ÄÖ","name":"Germany"}"#, #"{"code":"DE"}"#, #"{"code":"DE","name":""}"#, #"{"code":"DE","name":7}"#,
      "null", "7", "[]", "{}",
    ])
  func broken(_ bad: String) async throws {
    let (items, summary) = try await Asked(.json("[\(row("FR")),\(bad),\(row("IT"))]")).walk()
    #expect(items.map(\.code) == ["FR", "IT"])
    #expect(summary.skipped == 1)
    #expect(summary.verdict == .complete)
  }

  @Test("a currency of another type costs only itself, and is counted")
  func misfit() async throws {
    let (items, summary) = try await Asked(.json(#"[\#(row("FR")),{"code":"DE","name":"Germany","currency":"EUR"}]"#)).walk()
    #expect(items.map(\.code) == ["FR", "DE"])
    #expect(summary.misfits.fields.mapValues(\.records) == ["currency": 1])
  }

  @Test("every query of countries sends one request")
  func oneRequest() async throws {
    for query in [Query.everything, .matching("germ"), .record("it")] {
      let asked = Asked(.json("[\(row("FR")),\(row("IT"))]"))
      _ = try await asked.walk(query)
      #expect(asked.transport.requests.count == 1)
    }
  }

  @Test(
    "a service in trouble is asked again, then given up; a refusal is final",
    arguments: [(500, 3), (503, 3), (429, 3), (404, 1), (401, 1), (403, 1), (400, 1)])
  func trouble(status: Int, attempts: Int) async {
    let asked = Asked(.status(status))
    #expect(await asked.failure() != nil)
    #expect(asked.transport.requests.count == attempts)
  }

  @Test(
    "failures of the service fall back to the bundled countries, and refusals are errors",
    arguments: [(500, true), (429, true), (404, true), (200, true), (401, false), (403, false), (400, false)])
  func fallback(status: Int, falls: Bool) async throws {
    let asked = Asked(.status(status, body: "[]"), reach: .anywhere)
    guard falls else {
      #expect(await asked.failure() != nil)
      return
    }
    let (items, summary) = try await asked.walk(limit: 1)
    #expect(items.map(\.code) == ["AF"])
    #expect(summary.origin?.kind == .bundled)
    #expect(summary.origin?.reason?.source == "countries")
  }
}
