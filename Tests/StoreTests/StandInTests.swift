import ScratchFolders
import SourceTesting
import Testing

@testable import AggregatorCore
@testable import Store

@Suite("What is kept, around a source") struct StandInTests {
  private let descriptor = Source(
    "friends", "Friends", searches: "name",
    live: { _ in FriendList(.offset(size: 100, end: .total)) { _, _ in throw SourceError(.unreachable, "it is down") } },
    bundled: { [Friend(7)] }
  ).descriptor

  private func world(_ reach: World.Reach) -> World {
    var world = World(settings: Settings(declared: []), transport: StubTransport(playing: .json("{}")))
    world.clock = TestClock()
    world.store = StoreInMemory()
    world.reach = reach
    return world
  }

  @Test("what is stored is not waited for behind the deadline, apart from its grace", .timeLimit(.minutes(30)), arguments: [0, 2])
  func deadline(grace: Int) async throws {
    let clock = TestClock()
    let archive = Archive<Friend>("friends", in: StoreInMemory())
    var stored = StoredList(records: archive.records(), policy: .synced, clock: clock)
    stored.grace = .seconds(grace)
    // A store that never answers.
    let gate = Gate()
    let task = Task { [stored] in try await stored.inTime(clock.now) { try await gate.pass() } }
    if grace > 0 { try await clock.sleepers(atLeast: 1) }
    clock.advance(by: .seconds(grace))
    await #expect { try await task.value } throws: { ($0 as? SourceError)?.kind == .timedOut }
  }

  @Test("the bundled records behind the stored ones count for the total on every page")
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

  @Test("withholds nothing that is compiled in where the store cannot be read", arguments: [World.Reach.offline, .anywhere])
  func unreadable(reach: World.Reach) async throws {
    let scratch = try ScratchFolder()
    try Connection(scratch["store.db"]).run("PRAGMA application_id = 1; PRAGMA user_version = 7; CREATE TABLE strange(x)")
    var world = world(reach)
    let store = SQLiteStore(at: scratch["store.db"])
    (world.store, world.answers) = (store, store)
    let source = try #require(descriptor.source(in: world) as? any DataSource<Friend>)
    var walk = Walk(source)
    #expect(try await walk.nextPage() == [Friend(7)])
    #expect(walk.summary.origin?.kind == .bundled)
    #expect("\(try #require(walk.summary.origin?.reason))".contains("is a database of another program"))
  }
}
