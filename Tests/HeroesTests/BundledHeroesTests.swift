import AggregatorCore
import Heroes
import SourceTesting
import Testing

/// The characters of the bundled copy.
struct BundledHeroesTests {
  private func bundled(_ query: Query = .everything) async throws -> [Hero] {
    try await StubbedComicVine(Envelope.list([]), key: nil, reach: .offline).walk(query).items
  }

  @Test("the copy has at least 150 heroes from at least six publishers, each with the facts a fan expects")
  func enough() async throws {
    let heroes = try await bundled()
    #expect(heroes.count >= 150)
    #expect(Set(heroes.compactMap(\.publisher)).count >= 6)
    #expect(Set(heroes.map(\.id)).count == heroes.count)
    for hero in heroes {
      #expect(hero.publisher != nil, "\(hero.name)")
      #expect(hero.deck != nil, "\(hero.name)")
      #expect(hero.description != nil, "\(hero.name)")
    }
    #expect(heroes.count { $0.firstAppearance?.issue != nil && !$0.powers.isEmpty } >= 150)
  }

  /// A rename in the sources once went through the data as well, and seventy heroes could no longer fly.
  @Test("powers are in words of the trade: no word has a capital inside, and Superman flies")
  func powers() async throws {
    let heroes = try await bundled()
    #expect(heroes.first { $0.name == "Superman" }?.powers.contains("Flight") ?? false)
    for power in heroes.flatMap(\.powers) {
      let hasHump = zip(power, power.dropFirst()).contains { $0.isLowercase && $1.isUppercase }
      #expect(!hasHump, "\(power)")
    }
  }

  @Test(
    "a search finds the people a fan expects, by name, alias and real name, whatever the case and the marks",
    arguments: [
      ("spider", ["Spider-Man", "Spider-Woman", "Ghost-Spider", "Spider-Ham"]), ("SPIDER", ["Spider-Man"]),
      ("peter parker", ["Spider-Man"]),
      ("bruce", ["Batman", "Hulk"]), ("dark knight", ["Batman"]), ("logan", ["Wolverine"]),
    ])
  func search(needle: String, expected: [String]) async throws {
    let names = try await bundled(.matching(needle)).map(\.name)
    for name in expected { #expect(names.contains(name), "\(needle) finds \(names)") }
  }

  @Test(
    "a search finds heroes by team, publisher and words of their text, after those with such a name",
    arguments: [
      ("x-men", "Cyclops"), ("dc comics", "Batman"), ("teenager from queens", "Spider-Man"), ("justice league", "Superman"),
      ("avengers", "Thor"),
    ])
  func texts(needle: String, name: String) async throws {
    #expect(try await bundled(.matching(needle)).contains { $0.name == name })
    let archive = Archive<Hero>("heroes", in: StoreInMemory())
    try await archive.land(bundled(), from: Fetch(at: TestClock.leaping.now, request: "all", place: "start"))
    var walk = Walk(archive.records(), .matching(needle))
    #expect(try await walk.nextPage()?.map(\.id) == bundled(.matching(needle)).map(\.id))
    let spiders = try await bundled(.matching("spider")).map(\.name)
    #expect(spiders.first == "Spider-Man")
    // An alias comes before a text.
    let alias = try #require(spiders.firstIndex(of: "Prowler"))
    #expect(spiders[alias...].contains { !$0.contains("Spider") })
    // Less than four letters of a word, or its end, find nothing.
    #expect(try await bundled(.matching("tee")).allSatisfy { $0.id != "1443" })
    #expect(try await bundled(.matching("eenager")).isEmpty)
  }

  @Test("a hero is found by number or by exact name, in any case")
  func lookup() async throws {
    let batman = try #require(try await bundled(.record("batman")).first)
    #expect(batman.realName == "Bruce Wayne")
    #expect(try await bundled(.record(batman.id)).first?.name == "Batman")
    #expect(try await bundled(.record("batma")).isEmpty)
  }

  @Test(
    "an unknown gender is other, and does not exclude a row of a file",
    arguments: [#""""#, #""unknown""#, #""Female""#, "null"])
  func genders(gender: String) throws {
    let hero = try Hero(JSON(Array(#"{"id":1,"name":"Bat","gender":\#(gender)}"#.utf8)), as: .own)
    #expect(hero.gender == .other)
  }
}

struct HeroesConformanceTests {
  @Test("Comic Vine keeps every law under every hazard")
  func laws() async throws {
    let report = try await Conformance(of: .heroes).report()
    #expect(report.isPassed, "\(report)")
    // A recorded search is tried, too.
    #expect(report.rows.contains { $0.law == .search && $0.outcome == .passed })
  }

  @Test("the recording has no key in it")
  func scrubbed() throws {
    let recording = try #require(SourceDescriptor.heroes.recording)
    let fixture = try Fixture(har: recording(), name: "heroes.har")
    for exchange in fixture.exchanges {
      #expect(exchange.request.address.query?.contains("api_key=\(Scrubber.placeholder)&") == true)
    }
  }
}
