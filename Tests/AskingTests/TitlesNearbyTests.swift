import AggregatorCore
import Asking
import SourceTesting
import Testing

@Suite("Titles near the text of a search that finds nothing")
struct TitlesNearbyTests {
  private struct Hero: Record {
    var id = ""
    var name = ""
    static let fields: [Field<Hero>] = [Field("id", \.id), Field("name", \.name, .title, searchable: true)]
  }

  private static func heroes(_ names: [String]) -> [Hero] {
    names.enumerated().map { Hero(id: "\($0.offset)", name: $0.element) }
  }

  private static let fetch = Fetch(at: Moment(secondsSinceEpoch: 0), request: "all", place: "page 1")

  /// A service that lists heroes, and cannot search them.
  private struct Service: DataSource {
    let heroes: [Hero]
    let profile = Profile("heroes", paging: .offset(size: 2, end: .total))
    let schema = Hero.schema
    func page(_ request: PageRequest) async throws -> Page<Hero> { try RecordList(heroes).page(of: self, request, origin: .live) }
  }

  private func source(_ names: [String], bundled: [String] = []) -> Source<Hero> {
    Source<Hero>(
      "heroes", "Heroes", searches: "name", live: { _ in Service(heroes: Self.heroes(names)) },
      bundled: { RecordList(Self.heroes(bundled)) })
  }

  private func world(_ reach: World.Reach = .anywhere, keepingIn store: StoreInMemory? = nil) -> World {
    var world = World(settings: Settings(declared: []), transport: StubTransport(playing: .json("[]")), keepingIn: store)
    world.terms.reach = reach
    return world
  }

  private func titles(
    _ text: String, in session: some SourceSession<Hero>, suggesting: Bool = true, _ change: (inout Ask) -> Void = { _ in }
  ) async throws -> [String] {
    var ask = Ask(.matching(text), of: "heroes")
    change(&ask)
    var answer = session.answer(to: ask, suggestingTitles: suggesting)
    while try await answer.nextPage() != nil {}
    #expect(answer.summary.given == 0)
    return answer.summary.nearest.titles
  }

  @Test("come from the records that the search read, without a store")
  func read() async throws {
    let session = try source(["Ant", "Bee", "Spider-Man", "Wasp"]).open(in: world(.live))
    #expect(try await titles("spidrman", in: session) == ["Spider-Man"])
    #expect(try await titles("spidrman", in: session, suggesting: false) == [])
  }

  @Test("do not have a record that was found and does not meet the conditions", arguments: [World.Reach.live, .offline])
  func conditions(reach: World.Reach) async throws {
    let store = StoreInMemory()
    let source = source(["Spider-Man", "Spider-Woman"])
    _ = try await source.open(in: world(keepingIn: store)).sync(Ask(of: "heroes"))
    let session = try source.open(in: world(reach, keepingIn: store))
    let condition = try RecordCondition("id=7", on: Hero.schema.outline.leaves, at: Moment(secondsSinceEpoch: 0))
    #expect(try await titles("spider", in: session) { $0.conditions = [condition] } == [])
    #expect(try await titles("spidrwoman", in: session) { $0.conditions = [condition] } == ["Spider-Woman"])
  }

  @Test("do not come from the compiled-in copy if the stored list is whole")
  func whole() async throws {
    let (store, source) = (StoreInMemory(), source(["Ant", "Bee"], bundled: ["Spider-Man"]))
    _ = try await source.open(in: world(keepingIn: store)).sync(Ask(of: "heroes"))
    #expect(try await titles("spidrman", in: source.open(in: world(.offline, keepingIn: store))) == [])
    #expect(try await titles("spidrman", in: source.open(in: world(.offline, keepingIn: StoreInMemory()))) == ["Spider-Man"])
  }

  @Test("come from the stored records, unless those are too many")
  func stored() async throws {
    let store = StoreInMemory()
    let session = try source([]).open(in: world(.offline, keepingIn: store))
    try await session.stored.land(Self.heroes(["Spider-Man", "Batman"]), from: Self.fetch)
    #expect(await session.nearestTitles(to: "spidrman").titles == ["Spider-Man"])
    try await session.stored.land((0..<5_000).map { Hero(id: "f\($0)", name: "Mmmmm") }, from: Self.fetch)
    #expect(await session.nearestTitles(to: "spidrman").isEmpty)
    #expect(await session.nearestTitles(to: "spider").titles == ["Spider-Man"])
  }

  @Test("of deleted records come from the deleted ones alone")
  func deleted() async throws {
    let session = try source([]).open(in: world(.offline, keepingIn: StoreInMemory()))
    try await session.stored.land(Self.heroes(["Spider-Man", "Batman"]), from: Self.fetch)
    try await session.stored.delete("1", at: Moment(secondsSinceEpoch: 0))
    #expect(try await titles("batmn", in: session) { $0.list = .deleted } == ["Batman"])
    #expect(try await titles("spidrman", in: session) { $0.list = .deleted } == [])
  }
}
