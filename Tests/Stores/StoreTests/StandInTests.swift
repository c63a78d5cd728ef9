import ScratchFolders
import SourceTesting
import TestServers
import Testing

@testable import AggregatorCore
@testable import Store

@Suite("A store around a source") struct StandInTests {
  private let descriptor = Source(
    "friends", "Friends", searches: "name",
    live: { _ in FriendList(.offset(size: 100, end: .total)) { _, _ in throw SourceError(.unreachable, "it is down") } },
    bundled: { [Friend(7)] }
  ).descriptor

  private func world(_ reach: World.Reach) -> World {
    var world = World(settings: Settings(declared: []), transport: StubTransport(playing: .json("{}")))
    world.clock = TestClock()
    world.store = StoreInMemory()
    world.terms.reach = reach
    return world
  }

  @Test("a store gives an app's next run the answers and budgets of its last run, and the hosts that were out of reach")
  func secondRun() async throws {
    let (scratch, clock) = (try ScratchFolder(), TestClock())
    let url = Setting("URL", .address, "where the friends are", default: "https://friends.example/")
    let friends = Source<Friend>(
      "friends", "Friends", settings: [url],
      live: { world in
        let client = try world.client(url, budget: Budget([Budget.Rate(2, per: .seconds(3_600))]))
        return FriendList(.whole) { _, list in try await Page(of: list, rows: client.json().asArray()) }
      }, bundled: { [Friend(7)] })
    /// The origin of the rows of a run, and the number of its requests.
    func run(_ answer: StubTransport.Answer) async throws -> (origin: Origin?, requests: Int) {
      let transport = StubTransport { _, _ in try answer.get() }
      let store = SQLiteStore(at: scratch["store.db"], clock: clock)
      var world = World(settings: Settings(declared: [url]), transport: transport, keepingIn: store)
      world.clock = clock
      let opened = try friends.open(in: world)
      var walk = Walk(opened.answering, clock: clock)
      while let page = try await walk.nextPage() { #expect(page == [Friend(1)]) }
      return (walk.summary.origin, transport.requests.count)
    }
    let answer = StubTransport.Answer.json(#"[{"id":"1","name":"Friend 1","nicknames":[]}]"#)
    let first = try await run(answer)
    #expect(first.origin == .live && first.requests == 1)
    let offline = try await run(.failure(SourceError(.unreachable, "cannot reach friends.example")))
    #expect(offline.origin?.kind == .cache && offline.requests == 1)
    let known = try await run(answer)
    #expect(known.origin?.kind == .cache && known.origin?.reason?.kind == .unreachable && known.requests == 0)
    clock.advance(by: .seconds(60))
    let spent = try await run(answer)
    #expect(spent.origin?.kind == .cache && spent.origin?.reason?.kind == .budgetSpent && spent.requests == 0)
  }

  @Test("a store is waited for until the deadline and its grace, and no longer", .timeLimit(.minutes(30)), arguments: [0, 2])
  func deadline(grace: Int) async throws {
    let clock = TestClock()
    let archive = Archive<Friend>("friends", in: StoreInMemory())
    var stored = StoredList(records: archive.records(), clock: clock)
    stored.grace = .seconds(grace)
    // A store that never answers.
    let gate = Gate()
    let task = Task { [stored] in
      try await Deadline.keep(until: clock.now, by: clock) { try await stored.inTime { try await gate.pass() } }
    }
    if grace > 0 { try await clock.sleepers(atLeast: 1) }
    clock.advance(by: .seconds(grace))
    await #expect { try await task.value } throws: { ($0 as? SourceError)?.kind == .timedOut }
  }

  @Test("the total on every page counts the stored records and the bundled ones after them")
  func total() async throws {
    let scratch = try ScratchFolder()
    let store = SQLiteStore(at: scratch["store.db"])
    try await store.friends.land(
      (100..<1_200).map { Friend($0) }, from: Fetch(at: TestClock.start, request: Fetch.importing, place: "line 1"))
    var world = world(.offline)
    world.store = store
    let source = try #require(descriptor.source(in: world) as? any DataSource<Friend>)
    var walk = Walk(source)
    var totals: [Int?] = []
    while try await walk.nextPage() != nil { totals.append(walk.summary.total) }
    #expect(totals == [1_101, 1_101, 1_101, 1_101] && walk.summary.given == 1_101)
  }

  @Test("the bundled copy is used if the store cannot be read", arguments: [World.Reach.offline, .anywhere])
  func unreadable(reach: World.Reach) async throws {
    let scratch = try ScratchFolder()
    try Connection(scratch["store.db"]).run("PRAGMA application_id = 1; PRAGMA user_version = 7; CREATE TABLE strange(x)")
    var world = world(reach)
    world.store = SQLiteStore(at: scratch["store.db"])
    let source = try #require(descriptor.source(in: world) as? any DataSource<Friend>)
    var walk = Walk(source)
    let recorder = EventRecorder()
    #expect(try await recorder.listen { try await walk.nextPage() } == [Friend(7)])
    #expect(walk.summary.origin?.kind == .bundled)
    #expect(walk.summary.origin?.reason?.kind == (reach == .offline ? .storage : .unreachable))
    let told = recorder.events.compactMap { if case .storeFailed(let error) = $0 { error.message } else { nil } }
    #expect(Set(told) == ["\(scratch["store.db"]) is a database of another program"])
  }
}
