import AggregatorCore
import ScratchFolders
import SourceTesting
import Synchronization
import TestServers
import Testing

@testable import Store

@Suite("Syncing, from a source") final class SyncingTests: StoreSuite {
  private let clock = TestClock()

  /// A list that knows when each row changed last.
  private final class List: DataSource {
    let profile = Profile("friends", paging: .offset(size: 10, end: .total), tellsChanges: true)
    /// The rows, each with the moment of its last change.
    let rows: [(friend: Friend, changed: Int)]
    private let log = Mutex<[Query]>([])

    private let limit: SourceError.Kind

    /// The service's own time in its answers, independent of its rows; nil for a service that tells the time of its last change.
    private let time: Moment?

    init(
      _ rows: [(friend: Friend, changed: Int)], _ limit: SourceError.Kind = .requestsSpent, tellingTime time: Moment? = nil
    ) { (self.rows, self.limit, self.time) = (rows, limit, time) }

    private let allowed = Mutex(Int.max)

    var asked: [Query] { log.withLock { $0 } }

    /// Lets it answer `count` more times.
    func allow(_ count: Int) { allowed.withLock { $0 = count } }

    func page(_ request: PageRequest) async throws -> Page<Friend> {
      let place = try request.place(in: self)
      try allowed.withLock {
        guard $0 > 0 else { throw SourceError(limit, "no more") }
        $0 -= 1
      }
      log.withLock { $0.append(request.query) }
      let found =
        switch request.query {
        case .changed(let mark): rows.filter { $0.changed >= mark.seconds }
        case .latest: Array(rows.sorted { $0.changed > $1.changed }.prefix(1))
        default: rows
        }
      let page = found.dropFirst(place.number).prefix(10)
      var answer = Page(of: self, page.map(\.friend), total: found.count)
      if request.query != .everything || time != nil {
        answer.mark = page.map(\.changed).max().map { Moment(secondsSinceEpoch: $0) }
      }
      if request.query == .latest, let time { answer.mark = time }
      return answer
    }
  }

  private func sync(_ list: List, full: Bool = false) async throws -> SyncOutcome {
    try await Syncing(list, into: store.friends, clock: clock).run(.init(full: full))
  }

  @Test(
    "a sync of two requests a run gets on, also after rows before its place were deleted", arguments: [1, 2, 3],
    [SourceError.Kind.requestsSpent, .budgetSpent])
  func smallRuns(requests: Int, limit: SourceError.Kind) async throws {
    let rows = (0..<200).map { (friend: Friend($0), changed: 100) }
    let first = List(rows)
    first.allow(10)
    _ = try await sync(first, full: true)
    let rest = List(Array(rows.dropFirst(80)), limit)
    var (runs, outcome) = (0, SyncOutcome?.none)
    repeat {
      rest.allow(requests)
      do { outcome = try await sync(rest, full: true) } catch let error as SourceError where error.kind == .budgetSpent {}
      runs += 1
    } while outcome?.state.verdict == nil && runs < 40
    #expect(outcome?.state.verdict == .complete && runs < 40, "\(runs) runs, \(outcome?.state.rowsBefore ?? 0) rows")
  }

  @Test("the second sync asks for changes, and a full one for everything")
  func changes() async throws {
    var rows = (0..<35).map { (friend: Friend($0), changed: 100) }
    let first = List(rows)
    #expect(try await sync(first).verdict == .complete)
    #expect(first.asked.count { $0 == .everything } == 4)

    rows[3] = (Friend(3, "Changed"), 200)
    rows.append((Friend(35), 201))
    let second = List(rows)
    let outcome = try await sync(second)
    #expect(outcome.verdict == .complete)
    #expect(outcome.state.counts.landed.updated == 1)
    #expect(outcome.state.counts.landed.new == 1)
    #expect(outcome.state.watermark?.seconds == 201)
    #expect(Set(second.asked) == [.changed(since: Moment(secondsSinceEpoch: 100))])

    let third = List(rows)
    _ = try await sync(third)
    #expect(Set(third.asked) == [.changed(since: Moment(secondsSinceEpoch: 201))])

    let full = List(Array(rows.dropLast()))
    let last = try await sync(full, full: true)
    #expect(last.state.counts.gone == 1)
    #expect(full.asked.contains(.everything))
  }

  @Test("a late change is found by its own date, if the service only tells the time")
  func late() async throws {
    let now = clock.now.seconds
    // The rows with the latest dates are on the first of four pages.
    var rows = (0..<35).map { (friend: Friend($0), changed: now - 30 * 86_400 - $0) }
    func list() -> List { List(rows, tellingTime: clock.now) }
    #expect(try await sync(list()).state.watermark?.seconds == now - 30 * 86_400)

    rows[3] = (Friend(3, "Changed"), now - 3 * 86_400)
    let second = list()
    #expect(try await sync(second).state.counts.landed.updated == 1)
    #expect(!second.asked.contains(.everything))
  }

  @Test("a row with a date ahead hides no change: a mark is at least a day before the sync's beginning", arguments: [300_000_000, 3_600])
  func aheadOfTime(ahead: Int) async throws {
    let now = clock.now.seconds
    var rows = (0..<35).map { (friend: Friend($0), changed: $0 == 7 ? now + ahead : 100) }
    #expect(try await sync(List(rows)).state.watermark?.seconds == now - 86_400)
    for day in 1...3 {
      clock.advance(by: .seconds(86_400))
      // By a service whose clock is hours behind.
      rows[3] = (Friend(3, "Changed \(day)"), clock.now.seconds - 40_000)
      rows.append((Friend(34 + day), clock.now.seconds - 40_000))
      let list = List(rows)
      let outcome = try await sync(list)
      #expect(!list.asked.contains(.everything))
      #expect((outcome.verdict, outcome.state.counts.landed.updated, outcome.state.counts.landed.new) == (.complete, 1, 1))
    }
  }

  @Test("the records that an unfinished sync has not met are as old as the last whole one")
  func ageOfUnmet() async throws {
    let rows = (0..<35).map { (friend: Friend($0), changed: 100) }
    let began = clock.now
    _ = try await sync(List(rows), full: true)
    clock.advance(by: .seconds(3_600))
    let list = List(rows)
    list.allow(2)
    #expect(try await sync(list, full: true).state.verdict == nil)
    #expect(try await store.friends.status(at: store.friends.snapshot()).asOf == began)
    _ = try await sync(List(rows), full: true)
    #expect(try await store.friends.status(at: store.friends.snapshot()).asOf == clock.now)
  }

  @Test("a change that is made while a sync runs is found by the next one, also where the service's clock is days behind")
  func changedMeanwhile() async throws {
    var rows = (0..<35).map { (friend: Friend($0), changed: 100) }
    _ = try await sync(List(rows))
    func change(_ ids: Range<Int>, to name: String) {
      for id in ids { rows[id] = (Friend(id, name), clock.now.seconds - 3 * 86_400) }
    }
    change(0..<20, to: "first")
    let begun = List(rows)
    begun.allow(1)
    _ = try await sync(begun)
    clock.advance(by: .seconds(60))
    change(0..<1, to: "second")
    clock.advance(by: .seconds(60))
    change(19..<20, to: "second")
    _ = try await sync(List(rows))
    #expect(try await sync(List(rows)).state.counts.landed.updated == 1)
  }

  private func setMark(_ mark: String) throws {
    try #require(store as? SQLiteStore).database.writing {
      try $0.run("UPDATE source_state SET body = json_set(body, '$.watermark', ?1) WHERE name = 'sync'", mark)
    }
  }

  @Test(
    "a store whose mark is ahead of the clock, or is not a date, is repaired by the next sync", .enabled(if: !TestServer.isThere),
    arguments: ["2999-01-01 00:00:00", "zzz"])
  func healed(mark: String) async throws {
    var rows = (0..<35).map { (friend: Friend($0), changed: 100) }
    _ = try await sync(List(rows))
    _ = try await sync(List(rows))
    try setMark(mark)
    rows.append((Friend(35), 150))
    #expect(try await sync(List(rows)).state.counts.landed.new == 1)
    rows.append((Friend(36), clock.now.seconds))
    let list = List(rows)
    #expect(try await sync(list).state.counts.landed.new == 1)
    #expect(Set(list.asked) == [.changed(since: Moment(secondsSinceEpoch: 150))])
  }

  @Test("a sync that was interrupted before it stored anything still tells the next one the mark")
  func markKept() async throws {
    var list = List((0..<35).map { (friend: Friend($0), changed: 100) })
    _ = try await store.beginSync(of: store.friends.kind, at: clock.now, full: true, mark: Moment(secondsSinceEpoch: 100))
    #expect(try await sync(list).verdict == .complete)
    list = List(list.rows)
    _ = try await sync(list)
    #expect(Set(list.asked) == [.changed(since: Moment(secondsSinceEpoch: 100))])
  }

  @Test("syncs of one request at a time reach the end", arguments: [SourceError.Kind.requestsSpent, .budgetSpent])
  func oneByOne(limit: SourceError.Kind) async throws {
    let list = List((0..<25).map { (friend: Friend($0), changed: 100) }, limit)
    var runs = 0
    repeat {
      list.allow(1)
      runs += 1
    } while (try? await sync(list))?.verdict != .complete && runs < 9
    #expect(runs == 4)
    #expect(list.asked == [.latest, .everything, .everything, .everything])
  }

  @Test(
    "full syncs of one request at a time reach the end, also where the whole list is stored already",
    arguments: [SourceError.Kind.requestsSpent, .budgetSpent])
  func oneByOneAgain(limit: SourceError.Kind) async throws {
    let list = List((0..<25).map { (friend: Friend($0), changed: 100) }, limit)
    #expect(try await sync(list).verdict == .complete)
    let before = list.asked.count
    var runs = 0
    repeat {
      list.allow(1)
      runs += 1
    } while (try? await sync(list, full: true))?.verdict != .complete && runs < 9
    #expect(runs == 4)
    #expect(Array(list.asked.dropFirst(before)) == [.latest, .everything, .everything, .everything])
  }

  @Test("a list that was stored in two runs is as old as the first page of the first one")
  func ageOfContinuedSync() async throws {
    let list = List((0..<35).map { (friend: Friend($0), changed: 100) })
    list.allow(3)
    #expect(try await sync(list).verdict == .bounded)
    clock.advance(by: .seconds(72_000))
    list.allow(9)
    #expect(try await sync(list).verdict == .complete)
    let page = try await store.friends.records(clock: clock).page(PageRequest())
    #expect(page.origin.age == .seconds(72_000))
  }

  @Test("an unfinished sync older than a day starts again")
  func stale() async throws {
    _ = try await store.beginSync(of: store.friends.kind, at: clock.now, full: true, mark: nil)
    clock.advance(by: .seconds(86_401))
    let outcome = try await sync(List((0..<5).map { (Friend($0), 1) }))
    #expect(outcome.state.began == clock.now)
  }

  @Test("a full sync that skipped a row takes no unseen record for gone")
  func skipped() async throws {
    let broken = FriendList(.offset(size: 10, end: .total)) { request, list in
      _ = try request.place(in: list)
      return Page(of: list, [Friend(1)], faults: [RowFault("broken", digest: 1)], total: 2)
    }
    _ = try await sync(List((0..<2).map { (Friend($0), 1) }))
    let outcome = try await Syncing(broken, into: store.friends, clock: clock).run(.init(full: true))
    #expect(outcome.verdict == .partial(.unlisted(1, because: "rows that cannot be read may be among them")))
    #expect(outcome.state.counts.gone == 0)
    #expect(try await store.friends.count == 2)
  }

  @Test("a sync that fails, or is cancelled, leaves the claim to the next one", .timeLimit(.minutes(30)), arguments: [true, false])
  func claim(isCancelled: Bool) async throws {
    let gate = Gate()
    let slow = FriendList(.offset(size: 10, end: .total)) { _, _ in
      try await gate.pass()
      throw SourceError(.refusedKey, "no")
    }
    let syncing = Syncing(slow, into: store.friends, clock: clock)
    let task = Task { try await syncing.run() }
    try await gate.arrivals(atLeast: 1)
    await #expect(throws: Claim.isTaken) { try await Syncing(slow, into: store.friends, clock: clock).run() }
    if isCancelled { task.cancel() } else { gate.open() }
    _ = await task.result
    try await store.claim(Claim(), of: store.friends.kind)
  }
}
