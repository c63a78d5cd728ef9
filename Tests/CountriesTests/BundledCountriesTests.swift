import Countries
import Platform
import SourceTesting
import Testing

@testable import AggregatorCore

/// The bundled copy, which is whole and up to date.
struct BundledCountriesTests {
  @Test("every country comes once, each with a name, and with its capital if it has one")
  func whole() async throws {
    let countries = try await Asked.bundled()
    #expect(countries.count == 250)
    #expect(Set(countries.map(\.code)).count == 250)
    #expect(countries.contains { $0.code == "XK" })
    #expect(countries.filter { $0.capital == nil }.map(\.code).sorted() == ["AQ", "BV", "HM", "MO", "TK", "UM"])
    #expect(Set(countries.compactMap(\.region)) == ["AF", "AN", "AS", "EU", "NA", "OC", "SA"])
    #expect(countries.allSatisfy { !$0.name.isEmpty && $0.flag.unicodeScalars.count == 2 })
  }

  @Test(
    "capitals and currencies of countries are current in the bundled copy",
    arguments: [
      ("UA", "Kyiv", "UAH"), ("MN", "Ulaanbaatar", "MNT"), ("MR", "Nouakchott", "MRU"), ("ST", "São Tomé", "STN"), ("VE", "Caracas", "VES"),
      ("HR", "Zagreb", "EUR"), ("BG", "Sofia", "EUR"), ("KZ", "Astana", "KZT"), ("BI", "Gitega", "BIF"), ("SL", "Freetown", "SLE"),
    ])
  func today(code: String, capital: String, currency: String) async throws {
    let country = try #require(try await Asked.bundled(.record(code)).first)
    #expect(country.capital == capital)
    #expect(country.currency?.code == currency)
  }

  @Test(
    "countries with a new name have it in the bundled copy",
    arguments: [("MK", "North Macedonia"), ("SZ", "Eswatini"), ("CZ", "Czechia"), ("CV", "Cabo Verde")])
  func names(code: String, name: String) async throws {
    #expect(try await Asked.bundled(.record(code)).first?.name == name)
  }

  @Test(
    "a search looks at name and capital, and folds case and marks",
    arguments: [
      ("reunion", ["RE"]), ("RÉUNION", ["RE"]), ("cote d'ivoire", ["CI"]), ("curacao", ["CW"]), ("aland isl", ["AX"]), ("kyiv", ["UA"]),
      ("são tomé", ["ST"]), ("sao tome", ["ST"]), ("KINGSTON", ["JM", "NF"]), ("no such place", []),
    ])
  func search(text: String, codes: [String]) async throws {
    #expect(try await Asked.bundled(.matching(text)).map(\.code).sorted() == codes)
  }

  @Test(
    "a country is found by its name in many languages, or the beginning of one",
    arguments: [
      ("Österreich", "AT"), ("österr", "AT"), ("Frankreich", "FR"), ("la France", "FR"), ("中国", "CN"), ("日本", "JP"), ("Россия", "RU"),
      ("росс", "RU"), ("Ελλάδα", "GR"), ("भारत", "IN"), ("대한민국", "KR"), ("مصر", "EG"), ("ไทย", "TH"), ("საქართველო", "GE"),
      ("Vereinigte Staaten", "US"), ("staaten vereinigte", "US"),
      ("Corea del Sur", "KR"), ("Magyarország", "HU"), ("the netherlands", "NL"), ("die Niederlande", "NL"),
    ])
  func translated(text: String, code: String) async throws {
    #expect(try await Asked.bundled(.matching(text)).first?.code == code)
    // The store's index does not have these names.
    let archive = Archive<Country>("countries", in: StoreInMemory())
    try await archive.land(Asked.bundled(), from: Fetch(at: TestClock.leaping.now, request: "all", place: "start"))
    var walk = Walk(archive.records(), .matching(text))
    #expect(try await walk.nextPage()?.first?.code == code)
  }

  @Test("every name in the table is written as a search folds it, in order, and belongs to its countries")
  func table() async throws {
    let table = try #require(Country.schema.translations)
    let codes = Set(try await Asked.bundled().map(\.code))
    var (names, owners): ([[UInt8]], Set<String>) = ([], [])
    table.forEachName { letters, ids in
      let name = String(String.UnicodeScalarView(letters))
      names.append(Array(name.utf8))
      #expect(SearchedText.bytes(of: name, as: .letters) == Array(name.utf8), "\(name)")
      owners.formUnion(ids())
      // A few names of each kind.
      if names.count % 97 == 0 { #expect(Set(ids()).isSubset(of: table.find(Array(name.utf8)).whole), "\(name)") }
    }
    #expect(names.count > 4_000 && Set(names).count == names.count)
    #expect(owners == codes)
    #expect(zip(names, names.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
  }

  @Test(
    "a few letters find the same as without other languages: titles first, then other fields",
    arguments: [("fra", ["FR", "TF", "MQ"]), ("spa", ["ES"])])
  func few(text: String, codes: [String]) async throws {
    #expect(try await Asked.bundled(.matching(text)).map(\.code).prefix(codes.count).elementsEqual(codes))
  }

  @Test(
    "another name of a capital, a currency and a language find countries, after those with that name",
    arguments: [
      ("kiev", "UA"), ("Peking", "CN"), ("wien", "AT"), ("Moskau", "RU"), ("EUR", "FR"), ("euro", "DE"), ("dutch", "NL"), ("yen", "JP"),
      ("swiss franc", "CH"), ("swedish", "SE"),
    ])
  func otherFields(text: String, code: String) async throws {
    #expect(try await Asked.bundled(.matching(text)).contains { $0.code == code })
    #expect(try await Asked.bundled(.matching("dinar")).count > 5)
    #expect(try await Asked.bundled(.matching("guinea")).prefix(4).allSatisfy { $0.name.contains("Guinea") })
  }

  @Test("a name that is not a country's is not near to one", arguments: ["batman", "superman", "wolverine", "hulk", "zatanna"])
  func notNear(text: String) async throws {
    #expect(try await Asked.bundled(.matching(text)).isEmpty)
    let nearest = try await TitleGuesser(text, in: Country.schema, among: Asked.bundled()).nearest
    #expect(nearest.isEmpty, "\(nearest.titles)")
  }

  @Test("a misspelt name in another language suggests the country", arguments: [("Frankreih", "France"), ("Niederlnde", "Netherlands")])
  func nearTranslation(text: String, name: String) async throws {
    #expect(try await TitleGuesser(text, in: Country.schema, among: Asked.bundled()).nearest.titles == [name])
  }

  @Test(
    "a country is found by its code in any case, and not by another one",
    arguments: [("fr", "FR"), ("FR", "FR"), ("xk", "XK"), ("f", nil), ("France", nil)])
  func lookup(id: String, code: String?) async throws {
    #expect(try await Asked.bundled(.record(id)).map(\.code) == [code].compactMap { $0 })
  }
}

/// The bundled copy beside Debian's iso-codes.
@Suite(.enabled(if: ISOCodes.areInstalled, "Debian's iso-codes are not installed")) struct ISOCodesTests {
  @Test("the codes of countries are those of ISO 3166-1, and that of Kosovo")
  func codes() async throws {
    let official = Set(try ISOCodes.rows("3166-1").map { try $0.string("alpha_2") })
    #expect(Set(try await Asked.bundled().map(\.code)) == official.union(["XK"]))
  }

  @Test("every currency is one of ISO 4217")
  func currencies() async throws {
    let official = Set(try ISOCodes.rows("4217").map { try $0.string("alpha_3") })
    // Currencies younger than the list of some systems.
    let young: Set = ["XCG", "ZWG"]
    for country in try await Asked.bundled() {
      guard let code = country.currency?.code else { continue }
      #expect(official.contains(code) || young.contains(code), "\(country.code)")
    }
  }

  @Test("every language is one of ISO 639")
  func languages() async throws {
    let official = Set(
      try ISOCodes.rows("639-3").flatMap { try [$0.stringIfPresent("alpha_2"), $0.stringIfPresent("alpha_3")] }.compactMap { $0 })
    for country in try await Asked.bundled() {
      guard let code = country.language?.code else { continue }
      #expect(official.contains(code), "\(country.code)")
    }
  }

  @Test("the names of countries are those of ISO 3166-1, except for forms of address and a few usual short names")
  func names() async throws {
    let official = try ISOCodes.rows("3166-1").map { row in
      (
        try row.string("alpha_2"),
        try [row.stringIfPresent("name"), row.stringIfPresent("common_name"), row.stringIfPresent("official_name")].compactMap { $0 }
      )
    }
    // Countries whose usual short name is another one; Kosovo is not in the standard.
    let others = ["BQ": "Caribbean Netherlands", "MO": "Macau", "RU": "Russia", "XK": "Kosovo"]
    for country in try await Asked.bundled() where others[country.code] != country.name {
      let names = official.first { $0.0 == country.code }?.1 ?? []
      #expect(names.contains { ISOCodes.areClose($0, country.name) }, "\(country.code): \(country.name) is none of \(names)")
    }
  }
}

private enum ISOCodes {
  static let folder = "/usr/share/iso-codes/json"
  static var areInstalled: Bool { access("\(folder)/iso_3166-1.json", R_OK) == 0 }

  static func rows(_ standard: String) throws -> [JSON] {
    guard let file = fopen("\(folder)/iso_\(standard).json", "r") else { throw SourceError(.storage, "iso_\(standard).json is gone") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
    return try Array(JSON(bytes).array(standard))
  }

  /// True when one name has all words of the other, except small words and saints.
  static func areClose(_ one: String, _ other: String) -> Bool {
    let (one, other) = (words(of: one), words(of: other))
    return one.isSubset(of: other) || other.isSubset(of: one)
  }

  private static func words(of name: String) -> Set<String> {
    let plain = Fold.fold(name).split { !$0.isLetter && !$0.isNumber }.map(String.init)
    return Set(plain.map { $0 == "st" ? "saint" : $0 }).subtracting(["the", "of", "and"])
  }
}

@Suite struct CountriesConformanceTests {
  @Test("Countries keeps every law under every hazard")
  func laws() async throws {
    let report = try await Conformance(of: .countries).report()
    #expect(report.isPassed, "\(report)")
  }
}
