import AggregatorCore
import SourceTesting
import Testing

@testable import Feed

@Suite("A feed of a list that grows as one asks") struct GrowingFeedTests {
  private let service = People()
  private let store = StoreInMemory()

  private func feed(_ reach: Surroundings.Reach = .anywhere) throws -> RecordFeed<Row> {
    RecordFeed(try service.open(in: store, reach: reach))
  }

  private func people(_ numbers: Range<Int>) -> [String] { numbers.map { "p\($0)" } }

  @Test("its end asks the service for one more page, and scrolling never moves the place of next")
  func growth() async throws {
    let feed = try feed()
    #expect(await feed.after(.appear).ids == people(0..<3))
    #expect(await feed.after(.nearEnd).ids == people(0..<6))
    let state = await feed.after(.nearEnd)
    #expect(state.ids == people(0..<9))
    #expect(state.tail == .more && state.origin?.kind == .cache)
    #expect(service.pages == [1, 2, 3])
    let taken = try await service.open(in: store).next(4)
    #expect(taken.items.map(\.id) == people(0..<4))
    #expect(service.pages == [1, 2, 3])
  }

  @Test("what another process has stored meanwhile comes first, and costs no request")
  func others() async throws {
    let feed = try feed()
    await feed.after(.appear)
    try await service.open(in: store).fetchOne()
    try await service.open(in: store).fetchOne()
    #expect(await feed.after(.nearEnd).ids == people(0..<9))
    #expect(service.pages == [1, 2, 3])
    #expect(await feed.after(.nearEnd).ids == people(0..<12))
    #expect(service.pages == [1, 2, 3, 4])
  }

  @Test("the list is read on behind a last record that was deleted")
  func deletedLast() async throws {
    let feed = try feed()
    await feed.after(.appear)
    feed.send(.delete("p2"))
    #expect(await feed.after(.nearEnd).ids == ["p0", "p1", "p3", "p4", "p5"])
    feed.send(.delete("p5"))
    await feed.close()
    let again = try self.feed()
    #expect(await again.after(.appear).ids == ["p0", "p1", "p3", "p4"])
  }

  @Test("a search runs dry at the end of what is stored, and goes on by hand")
  func search() async throws {
    let feed = try feed()
    await feed.after(.appear)
    feed.send(.typed("p7"))
    let state = await feed.reached { $0.asked == "p7" }
    #expect(state.ids == [] && state.tail == .dry)
    #expect(await feed.after(.nearEnd).tail == .dry)
    #expect(service.pages == [1])
    #expect(await feed.after(.more).ids == [])
    let found = await feed.after(.more)
    #expect(found.ids == ["p7"] && found.tail == .dry)
    #expect(found.summary.searched == 9)
    #expect(service.pages == [1, 2, 3])
  }

  @Test("a service that is down fails the tail, the rows stand, and a retry goes on there")
  func down() async throws {
    let feed = try feed()
    await feed.after(.appear)
    service.become(down: true)
    let failed = await feed.after(.nearEnd)
    #expect(failed.ids == people(0..<3))
    let error = try #require(failed.tail.error)
    #expect(error.kind == .unreachable && error.source == "people")
    service.become(down: false)
    let state = await feed.after(.retry)
    #expect(state.ids == people(0..<6) && state.tail == .more)
  }

  @Test("to the compiled-in copy nothing is added")
  func bundled() async throws {
    service.become(down: true)
    let feed = try feed()
    let state = await feed.after(.appear)
    #expect(state.ids == ["b0", "b1"] && state.origin?.kind == .bundled && state.origin?.reason?.kind == .unreachable)
    service.become(down: false)
    let asked = service.pages.count
    #expect(await feed.after(.nearEnd).ids == ["b0", "b1"])
    #expect(await feed.after(.more).tail == .ended(state.summary.verdict ?? .bounded))
    #expect(service.pages.count == asked)
  }

  @Test("offline nobody is asked: the list ends where what is stored does")
  func offline() async throws {
    try await service.open(in: store).fetchOne()
    let feed = try feed(.offline)
    let state = await feed.after(.appear)
    #expect(state.ids == people(0..<3) && state.tail == .ended(.unverifiable))
    await feed.after(.more)
    #expect(service.pages == [1])
  }

  @Test("a deletion is kept and an undo takes it back, in the order in which they were asked for")
  func deletion() async throws {
    let feed = try feed()
    #expect(await feed.after(.appear).canDelete)
    feed.send(.delete("p0"))
    feed.send(.delete("p1"))
    #expect(feed.state.ids == ["p2"])
    feed.send(.undo)
    #expect(feed.state.ids == ["p1", "p2"])
    await feed.close()
    let archive = try service.open(in: store).kept
    #expect(try await archive.history(of: "p0")?.deletedAt != nil)
    #expect(try await archive.history(of: "p1")?.deletedAt == nil)
  }

  @Test("a record in full; who was deleted is not shown, and who is unknown is said to be")
  func detail() async throws {
    let feed = try feed()
    await feed.after(.appear)
    let shown = await feed.after(.show("p1"))
    #expect(shown.detail?.phase == .loaded && shown.detail?.item?.id == "p1" && shown.detail?.origin?.kind == .cache)
    #expect(await feed.after(.delete("p1")).detail == nil)
    #expect(await feed.after(.show("p1")).detail == nil)
    let unknown = await feed.after(.preview("nobody"))
    let error = try #require(unknown.detail?.phase.error)
    #expect(error.kind == .notFound && "\(error)" == "people: no such record: \"nobody\"")
  }
}
