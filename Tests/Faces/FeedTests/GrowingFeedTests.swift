import AggregatorCore
import Asking
import SourceTesting
import Testing

@testable import Feed

@Suite("A feed of an endless list") struct GrowingFeedTests {
  private let service = EndlessList()
  private let store = StoreInMemory()

  private func feed(_ reach: World.Reach = .anywhere) throws -> RecordFeed<Row> {
    RecordFeed(try service.open(in: store, reach: reach))
  }

  private func people(_ numbers: Range<Int>) -> [String] { numbers.map { "p\($0)" } }

  @Test("a feed at its end asks the service for one more page, and scrolling never moves the place of next")
  func growth() async throws {
    let feed = try feed()
    #expect(await feed.settled(after: .appear).ids == people(0..<3))
    #expect(await feed.settled(after: .nearEnd).ids == people(0..<6))
    let state = await feed.settled(after: .nearEnd)
    #expect(state.ids == people(0..<9))
    #expect(state.tail == .more && state.origin?.kind == .cache)
    #expect(service.pages == [1, 2, 3])
    var ask = Ask(of: "people")
    ask.limit = 4
    let taken = try await service.open(in: store).next(ask)
    #expect(taken.records.map(\.id) == people(0..<4))
    #expect(service.pages == [1, 2, 3])
  }

  @Test("a feed that does not wait gets stored records, not the bundled copy")
  func unawaited() async throws {
    let feed = try feed()
    await feed.settled(after: .appear)
    feed.send(.typed("p1"))
    feed.send(.standIn)
    #expect(await feed.reached { $0.head == .loaded }.ids == ["p1"] && service.pages == [1])
  }

  @Test("records that another process has stored meanwhile come first, and cost no request")
  func others() async throws {
    let feed = try feed()
    await feed.settled(after: .appear)
    try await service.open(in: store).fetchOne()
    try await service.open(in: store).fetchOne()
    #expect(await feed.settled(after: .nearEnd).ids == people(0..<9))
    #expect(service.pages == [1, 2, 3])
    #expect(await feed.settled(after: .nearEnd).ids == people(0..<12))
    #expect(service.pages == [1, 2, 3, 4])
  }

  @Test("the list is read on after a deleted last record")
  func deletedLast() async throws {
    let feed = try feed()
    await feed.settled(after: .appear)
    feed.send(.delete("p2"))
    #expect(await feed.settled(after: .nearEnd).ids == ["p0", "p1", "p3", "p4", "p5"])
    feed.send(.delete("p5"))
    await feed.close()
    let again = try self.feed()
    #expect(await again.settled(after: .appear).ids == ["p0", "p1", "p3", "p4"])
  }

  @Test("a search is dry at the end of the stored records, and continues by hand")
  func search() async throws {
    let feed = try feed()
    await feed.settled(after: .appear)
    feed.send(.typed("p7"))
    let state = await feed.reached { $0.asked == "p7" }
    #expect(state.ids == [] && state.tail == .dry)
    #expect(await feed.settled(after: .nearEnd).tail == .dry)
    #expect(service.pages == [1])
    #expect(await feed.settled(after: .more).ids == [])
    let found = await feed.settled(after: .more)
    #expect(found.ids == ["p7"] && found.tail == .dry)
    #expect(found.summary.searched == 9)
    #expect(service.pages == [1, 2, 3])
  }

  @Test("a service that is down fails the tail and keeps the rows, and a retry continues there")
  func down() async throws {
    let feed = try feed()
    await feed.settled(after: .appear)
    service.become(down: true)
    let failed = await feed.settled(after: .nearEnd)
    #expect(failed.ids == people(0..<3))
    let error = try #require(failed.tail.error)
    #expect(error.kind == .unreachable && error.source == "people")
    service.become(down: false)
    let state = await feed.settled(after: .retry)
    #expect(state.ids == people(0..<6) && state.tail == .more)
  }

  @Test("the bundled copy does not grow")
  func bundled() async throws {
    service.become(down: true)
    let feed = try feed()
    let state = await feed.settled(after: .appear)
    #expect(state.ids == ["b0", "b1"] && state.origin?.kind == .bundled && state.origin?.reason?.kind == .unreachable)
    service.become(down: false)
    let asked = service.pages.count
    #expect(await feed.settled(after: .nearEnd).ids == ["b0", "b1"])
    #expect(await feed.settled(after: .more).tail == .ended(state.summary.verdict ?? .bounded))
    #expect(service.pages.count == asked)
  }

  @Test("offline no service is asked: the list ends with the stored records")
  func offline() async throws {
    try await service.open(in: store).fetchOne()
    let feed = try feed(.offline)
    let state = await feed.settled(after: .appear)
    #expect(state.ids == people(0..<3) && state.tail == .ended(.unverifiable))
    await feed.settled(after: .more)
    #expect(service.pages == [1])
  }

  @Test("a long list is read on after its end although its last record was deleted elsewhere")
  func longList() async throws {
    let source = try service.open(in: store)
    let fetch = Fetch(at: TestClock.start, request: "all", place: "page 1")
    try await source.stored.land((0..<3_000).map { Row("p\($0)") }, from: fetch)
    let feed = RecordFeed(source)
    await feed.settled(after: .appear)
    while feed.state.items.count < 3_000 { await feed.settled(after: .nearEnd) }
    _ = try await source.delete("p2999")
    try await source.stored.land([Row("another")], from: fetch)
    #expect(await feed.settled(after: .nearEnd).ids.last == "another")
    #expect(service.pages == [])
  }

  @Test("an undo restores records deleted before the feed began, the last first, after those it deleted itself")
  func earlier() async throws {
    let opened = try service.open(in: store)
    try await opened.fetchOne()
    let ids = people(0..<3)
    for number in 0..<2 { _ = try await opened.stored.delete(ids[number], at: TestClock.start + .seconds(number)) }
    let feed = try feed()
    #expect(await feed.settled(after: .appear).deleted.isEmpty)
    feed.send(.delete(ids[2]))
    #expect(feed.state.undoable == ids[2] && feed.state.deleted == [ids[2]])
    for id in [ids[2], ids[1], ids[0]] {
      #expect(feed.state.undoable == id)
      feed.send(.undo)
    }
    #expect(feed.state.undoable == nil)
    await feed.close()
    #expect(try await opened.stored.deletions().isEmpty)
  }

  @Test("a deletion is stored and an undo restores the record, in the order in which they were asked for")
  func deletion() async throws {
    let feed = try feed()
    #expect(await feed.settled(after: .appear).canDelete)
    feed.send(.delete("p0"))
    feed.send(.delete("p1"))
    #expect(feed.state.ids == ["p2"])
    feed.send(.undo)
    #expect(feed.state.ids == ["p1", "p2"])
    await feed.close()
    let archive = try service.open(in: store).stored
    #expect(try await archive.history(of: "p0")?.deletedAt != nil)
    #expect(try await archive.history(of: "p1")?.deletedAt == nil)
  }

  @Test("a record is shown in full, a deleted one is not shown, and an unknown one is called unknown")
  func detail() async throws {
    let feed = try feed()
    await feed.settled(after: .appear)
    let shown = await feed.settled(after: .show("p1"))
    #expect(shown.detail?.phase == .loaded && shown.detail?.item?.id == "p1" && shown.detail?.origin?.kind == .cache)
    #expect(await feed.settled(after: .delete("p1")).detail == nil)
    #expect(await feed.settled(after: .show("p1")).detail == nil)
    _ = try await service.open(in: store).delete("p2")
    #expect(await feed.settled(after: .show("p2")).detail?.phase.error?.remedy == .ask(.init("restore", "p2"), "to undo"))
    let unknown = await feed.settled(after: .show("nobody"))
    let error = try #require(unknown.detail?.phase.error)
    #expect(error.kind == .notFound && error.message == "no such record: \"nobody\"")
  }

  @Test("if the place in the stored records was lost, a retry starts anew and no row comes twice")
  func lostPlace() async throws {
    let source = try service.open(in: store, reach: .offline)
    let fetch = Fetch(at: TestClock.start, request: "all", place: "page 1")
    try await source.stored.land((0..<600).map { Row("p\($0)") }, from: fetch)
    let feed = RecordFeed(source)
    #expect(await feed.settled(after: .appear).items.count == 500)
    // Other walks over stored records end this one.
    for _ in 0..<9 { _ = try await source.answering.page(PageRequest()) }
    #expect(await feed.settled(after: .nearEnd).tail.error?.kind == .notStored)
    let state = await feed.settled(after: .retry)
    #expect(state.ids == people(0..<600) && state.tail == .ended(.unverifiable))
  }

  @Test("without a match at the end of a list, similar titles among the known records are suggested")
  func nearest() async throws {
    let titled = Source<Titled>(
      "titled", "Titled", searches: "title", live: { _ in TitledService() }, bundled: { [Titled(title: "Antwerp")] })
    let world = World(settings: Settings(declared: []), transport: StubTransport(playing: .json("[]")))
    let feed = RecordFeed(try titled.open(in: world))
    feed.send(.typed("antwerb"))
    #expect(await feed.settled(after: .submit).summary.nearest.question == "did you mean Antwerp?")
  }
}

private struct Titled: Record {
  var title = ""
  var id: String { title }

  static let fields: [Field<Titled>] = [Field("title", \.title, .title, searchable: true)]

  init() {}
  init(title: String) { self.title = title }
}

/// A service that searches by itself and finds nothing.
private struct TitledService: DataSource {
  let profile = Profile("titled", paging: .whole, search: .native, lookup: .native)

  func page(_ request: PageRequest) async throws -> Page<Titled> { Page(of: self, []) }
}

@Suite("The rows of a feed") struct FeedItemsTests {
  @Test("rows that are hidden and shown again at random are those of a plain list", arguments: 0..<40 as Range<UInt64>)
  func byChance(seed: UInt64) {
    let dice = SeededDice(seed: seed)
    var (items, rows, hidden) = (FeedItems<Row>(), [Row](), Set<Int>())
    for _ in 0..<200 {
      switch dice.index(below: 3) {
      case 0:
        let page = (0..<dice.index(below: 4)).map { Row("\(rows.count + $0)") }
        items.append(page)
        rows += page
      case 1 where !rows.isEmpty:
        let place = dice.index(below: rows.count)
        items.hide(place)
        hidden.insert(place)
      case _ where !rows.isEmpty:
        let place = dice.index(below: rows.count)
        items.show(place)
        hidden.remove(place)
      default: break
      }
      #expect(items.map(\.id) == rows.indices.filter { !hidden.contains($0) }.map { rows[$0].id })
    }
  }

  @Test("a copy of a feed's rows stays unchanged when the rows change")
  func copies() {
    var items = FeedItems<Row>()
    items.append([Row("a"), Row("b")])
    let copy = items
    items.append([Row("c")])
    items.hide(0)
    #expect(copy.map(\.id) == ["a", "b"])
    #expect(items.map(\.id) == ["b", "c"])
  }

  @Test("rows of two feeds are equal if the same ones are visible, however they came and whatever is hidden")
  func equality() {
    var (one, other) = (FeedItems<Row>(), FeedItems<Row>())
    one.append([Row("a"), Row("b"), Row("c")])
    other.append([Row("a")])
    #expect(one != other)
    other.append([Row("x"), Row("b"), Row("c")])
    #expect(one != other)
    other.hide(1)
    #expect(one == other)
    one.hide(0)
    #expect(one != other)
  }
}
