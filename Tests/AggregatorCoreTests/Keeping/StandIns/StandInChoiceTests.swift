import SourceTesting
import Synchronization
import Testing

@testable import AggregatorCore

/// The choice among stand-ins: a complete answer first, then one that has as much as is wanted, then the one that has most.
@Suite final class StandInChoiceTests: Sendable {
  private let clock = TestClock()
  private let store = StoreInMemory()
  private let isDown = Mutex(false)

  /// A list of 327 rows in pages of 20, with the first `bundled` of them as its bundled copy.
  private func descriptor(bundled: Int? = nil) -> Source<Row> {
    let service = ModelSource("orders", paging: .offset(size: 20, end: .total)) { [self] asked in
      if isDown.withLock({ $0 }) { throw SourceError(.unavailable, "down") }
      let rows: [Int] = (0..<327).dropFirst(asked.place.number).prefix(asked.place.size).map { $0 }
      return asked.page(rows, total: 327)
    }
    let copy: (@Sendable () throws -> RecordList<Row>)? = bundled.map { count in { @Sendable in RecordList((0..<count).map { Row($0) }) } }
    return Source("orders", "Orders", live: { _ in service }, bundled: copy)
  }

  private func session(_ reach: World.Reach = .anywhere, bundled: Int? = nil) throws -> any SourceSession<Row> {
    var world = World(settings: Settings(declared: []), transport: StubTransport(), keepingIn: store)
    (world.clock, world.terms.reach, world.patience) = (clock, reach, .none)
    return try descriptor(bundled: bundled).open(in: world)
  }

  private func walk(
    _ reach: World.Reach = .anywhere, _ query: Query = .everything, limit: Int? = nil, bundled: Int? = nil
  ) async throws -> Walked {
    try await Walked(session(reach, bundled: bundled).answering, query, bounds: Bounds(limit: limit), clock: clock)
  }

  private func sync() async throws {
    let session = try session(.live)
    _ = try await Syncing(session.live, into: session.stored, clock: clock).run()
  }

  private func goDown() { isDown.withLock { $0 = true } }

  @Test("an answer from a clock that was ahead has no age, and is younger than none")
  func ahead() {
    let (ahead, old) = (Origin.cache(age: .seconds(-3_600)), Origin.cache(age: .seconds(86_400)))
    #expect(ahead.age == nil && Origin.cache(age: .milliseconds(-900)).age == .zero)
    #expect(old.isYounger(than: ahead) && !ahead.isYounger(than: old) && !ahead.isYounger(than: ahead))
  }

  @Test("a complete stored list replaces a walk that ended early", arguments: [World.Reach.anywhere, .offline])
  func complete(reach: World.Reach) async throws {
    try await sync()
    clock.advance(by: .seconds(60))
    try await walk(limit: 3).expect(given: 3)
    goDown()
    try await walk(reach).expect(.complete, given: 327)
    try await walk(reach, .matching("31"), limit: 20).expect(given: 13)
    try await walk(reach, limit: 3).expect(ids: 0..<3, .bounded)
  }

  @Test(
    "a sync that found an empty list answers with it, as sure as it was and as old as it is",
    arguments: [
      (Paging.offset(size: 20, end: .total), Verdict.complete), (.tokens(size: 20), .complete),
      (.numbered(size: 20, end: .emptyPage), .unverifiable),
    ], [World.Reach.anywhere, .offline])
  func empty(list: (paging: Paging, verdict: Verdict), reach: World.Reach) async throws {
    let service = ModelSource("orders", paging: list.paging) { [self] asked in
      if isDown.withLock({ $0 }) { throw SourceError(.unavailable, "down") }
      return asked.page([], total: list.paging.end == .total ? 0 : nil, next: list.paging.style == .token ? .end : .advance)
    }
    func open(_ reach: World.Reach) throws -> any SourceSession<Row> {
      var world = World(settings: Settings(declared: []), transport: StubTransport(), keepingIn: store)
      (world.clock, world.terms.reach, world.patience) = (clock, reach, .none)
      return try Source("orders", "Orders", live: { _ in service }).open(in: world)
    }
    await #expect(throws: SourceError.self) { try await Walked(open(.offline).answering, clock: clock) }
    let session = try open(.live)
    let synced = try await Syncing(session.live, into: session.stored, clock: clock).run()
    #expect(synced.verdict == list.verdict)
    clock.advance(by: .seconds(60))
    goDown()
    for query in [Query.everything, .matching("1")] {
      let walk = try await Walked(open(reach).answering, query, clock: clock).expect(list.verdict, given: 0)
      #expect(walk.summary.origin?.kind == .cache && walk.summary.origin?.age == .seconds(60))
    }
  }

  @Test("the youngest of several complete answers is the stand-in", arguments: [World.Reach.anywhere, .offline])
  func youngest(reach: World.Reach) async throws {
    try await sync()
    clock.advance(by: .seconds(60))
    try await walk().expect(.complete, given: 327)
    clock.advance(by: .seconds(10))
    goDown()
    let walk = try await walk(reach).expect(.complete, given: 327)
    #expect(walk.summary.origin?.age == .seconds(10))
  }

  @Test(
    "the number of wanted records does not decide between complete answers, so that pages by offset come from one of them",
    arguments: [3, 20, 326, 327, nil] as [Int?], [World.Reach.anywhere, .offline])
  func places(limit: Int?, reach: World.Reach) async throws {
    try await sync()
    clock.advance(by: .seconds(60))
    try await walk().expect(.complete, given: 327)
    clock.advance(by: .seconds(10))
    goDown()
    #expect(try await walk(reach, limit: limit).summary.origin?.age == .seconds(10))
  }

  @Test(
    "a stored list that was whole after an answer had come is preferred to that answer, also with imported records",
    arguments: [World.Reach.anywhere, .offline])
  func wholeSince(reach: World.Reach) async throws {
    let session = try session(.live)
    try await walk().expect(.complete, given: 327)
    clock.advance(by: .seconds(10))
    try await sync()
    clock.advance(by: .seconds(10))
    let fetch = Fetch(at: clock.now, request: Fetch.importing, place: "")
    try await session.stored.land([Row(500)], from: fetch, rule: .imported(since: clock.now))
    goDown()
    try await walk(reach).expect(.unverifiable, given: 328)
    // An answer that comes later than the stored list was whole is complete, and so the better one.
    isDown.withLock { $0 = false }
    clock.advance(by: .seconds(10))
    try await walk().expect(.complete, given: 327)
    goDown()
    try await walk(reach).expect(.complete, given: 327)
  }

  @Test("of incomplete answers, the stand-in is the one that has more of what is wanted", arguments: [World.Reach.anywhere, .offline])
  func most(reach: World.Reach) async throws {
    let session = try session(.live)
    try await session.stored.land((0..<60).map { Row($0) }, from: Fetch(at: clock.now, request: "orders", place: "offset 0"))
    try await walk(limit: 3).expect(given: 3)
    goDown()
    let all = try await walk(reach).expect(given: 60)
    #expect(all.verdict?.kind == "partial")
    // The last answer has all three records that are wanted here.
    #expect(try await walk(reach, limit: 3).ids == ids(0..<3))
  }

  @Test("a stored row is never shown with an older value that was cached", arguments: [World.Reach.anywhere, .offline])
  func newest(reach: World.Reach) async throws {
    try await walk(limit: 3).expect(given: 3)
    clock.advance(by: .seconds(86_400))
    try await session(.live).stored.land((0..<60).map { Row($0) }, from: Fetch(at: clock.now, request: "orders", place: "offset 0"))
    clock.advance(by: .seconds(10))
    goDown()
    #expect(try await walk(reach, limit: 3).summary.origin?.age == .seconds(10))
  }

  @Test(
    "a cached answer never beats a younger stored row of a list that was whole, also when the sync that brought the row stopped",
    arguments: [World.Reach.anywhere, .offline])
  func stoppedSync(reach: World.Reach) async throws {
    let stored = try session(.live).stored
    try await sync()
    clock.advance(by: .seconds(10))
    try await walk(limit: 3).expect(given: 3)
    try await walk().expect(.complete, given: 327)
    clock.advance(by: .seconds(1_300_000))
    var batch = Batch(stored.kind, rule: .lastStays)
    batch.add(
      (0..<20).map { Row($0) }, by: RowWriter(stored.schema), from: Fetch(at: clock.now, request: "sync", place: "start"), misfits: [:])
    batch.sync = try await store.beginSync(of: stored.kind, at: clock.now, full: true, mark: nil)
    _ = try await store.land(batch)
    clock.advance(by: .seconds(10))
    goDown()
    for limit in [3, nil] { #expect(try await walk(reach, limit: limit).summary.verdict?.kind != "complete") }
    #expect(try await walk(reach).ids.count == 327)
  }

  @Test("the bundled copy is the stand-in if nothing else has all that is wanted", arguments: [World.Reach.anywhere, .offline])
  func bundled(reach: World.Reach) async throws {
    try await walk(limit: 3, bundled: 50).expect(given: 3)
    goDown()
    #expect(try await walk(reach, limit: 3, bundled: 50).summary.origin?.kind == .cache)
    let all = try await walk(reach, bundled: 50).expect(.complete, given: 50)
    #expect(all.summary.origin?.kind == .bundled)
  }

  @Test("a walk that was canceled leaves no answer that looks like more")
  func calledOff() async throws {
    try await sync()
    clock.advance(by: .seconds(1))
    var walk = Walk(try session().answering, clock: clock)
    for _ in 0..<3 { _ = try await walk.nextPage() }
    goDown()
    try await self.walk().expect(.complete, given: 327)
  }

  @Test("a stored search of many pages is read to its end", arguments: [World.Reach.anywhere, .offline])
  func pages(reach: World.Reach) async throws {
    let session = try session(.live)
    try await session.stored.land((0..<2_000).map { Row($0) }, from: Fetch(at: clock.now, request: "orders", place: "offset 0"))
    goDown()
    let due = (0..<2_000).count { "\($0)".contains("1") }
    let walk = try await walk(reach, .matching("1")).expect(given: due)
    #expect(walk.verdict == .partial(.recorded("the list was never synced completely")))
  }

  @Test("a stored part without a match answers a search with its own verdict", arguments: [World.Reach.anywhere, .offline])
  func noMatch(reach: World.Reach) async throws {
    let session = try session(.live)
    try await session.stored.land((0..<60).map { Row($0) }, from: Fetch(at: clock.now, request: "orders", place: "offset 0"))
    goDown()
    let found = try await walk(reach, .matching("777")).expect(given: 0)
    #expect(found.verdict == .partial(.recorded("the list was never synced completely")))
    let copied = try await walk(reach, .matching("777"), bundled: 50).expect(.complete, given: 0)
    #expect(copied.summary.origin?.kind == .bundled)
  }

  @Test("of a young answer and a young stored list, the younger one is given without asking")
  func younger() async throws {
    try await walk().expect(.complete, given: 327)
    clock.advance(by: .seconds(10))
    try await sync()
    clock.advance(by: .seconds(5))
    var world = World(settings: Settings(declared: []), transport: StubTransport(), keepingIn: store)
    (world.clock, world.patience, world.terms.maxAge) = (clock, .none, .seconds(60))
    let walk = try await Walked(descriptor().open(in: world).answering, clock: clock).expect(.complete, given: 327)
    #expect(walk.summary.origin?.age == .seconds(5))
  }
}
