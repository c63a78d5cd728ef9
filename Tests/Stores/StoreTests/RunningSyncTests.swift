import ScratchFolders
import SourceTesting
import TestServers
import Testing

@testable import AggregatorCore
@testable import Store

/// A sync that runs takes nothing away from what the sync before it stored.
@Suite("readers beside a sync that runs") final class RunningSyncTests: StoreSuite {
  /// Pages of ten friends of which each is another one in each sync; `look` is called before the second page is given.
  private struct Friends: DataSource {
    let profile = Profile("friends", paging: .offset(size: 10, end: .total))
    var prefix = ""
    var look: @Sendable () async throws -> Void = {}

    func page(_ request: PageRequest) async throws -> Page<Friend> {
      let place = try request.place(in: self).number
      if place > 0 { try await look() }
      return Page(of: self, (place..<min(30, place + 10)).map { Friend(id: "\($0)", name: "\(prefix)\($0)") }, total: 30)
    }
  }

  private func sync(
    _ prefix: String, at second: Int, begun: Int? = nil, in store: any RecordStore, _ look: @escaping @Sendable () async throws -> Void = {}
  )
    async throws -> SyncOutcome
  {
    let clock = TestClock(at: Moment(secondsSinceEpoch: second))
    let friends = Friends(prefix: prefix) {
      // A page is asked for ahead, perhaps before the sync has begun.
      while try await store.friends.lastSync()?.began.seconds != begun ?? second { await Task.yield() }
      try await look()
    }
    return try await Syncing(friends, into: store.friends, clock: clock).run(SyncWishes(full: true))
  }

  private static func walk(_ store: any RecordStore, at second: Int) async throws -> Summary {
    var walk = Walk(
      StoredList(records: store.friends.records(clock: TestClock(at: Moment(secondsSinceEpoch: second))), clock: SystemTime()))
    while try await walk.nextPage() != nil {}
    return walk.summary
  }

  @Test("a list that was whole stays whole while the next sync runs, as of the sync before it", arguments: [true, false])
  func whole(isInMemory: Bool) async throws {
    let store = isInMemory ? StoreInMemory() : self.store
    _ = try await sync("a", at: 1_000, in: store) {
      // The first sync has nothing that could answer in its place.
      let status = try await store.friends.status(at: store.snapshot())
      #expect(status.sync?.isRunning == true && status.verdict?.kind == "partial")
    }
    _ = try await sync("b", at: 100_000, in: store) {
      let status = try await store.friends.status(at: store.snapshot())
      #expect(status.sync?.isRunning == true && status.verdict == .complete)
      #expect(status.sync?.began.seconds == 100_000 && status.asOf?.seconds == 1_000)
      let summary = try await Self.walk(store, at: 100_010)
      #expect(summary.verdict == .complete && summary.given == 30 && summary.origin?.age == .seconds(99_010))
    }
    let status = try await store.friends.status(at: store.snapshot())
    #expect(status.sync?.isRunning == false && status.verdict == .complete && status.asOf?.seconds == 100_000)
    #expect(status.since?.seconds == 1_000)
  }

  @Test("rows that a running sync has brought answer only once it has ended: no mixture is a list", arguments: [true, false])
  func unmixed(isInMemory: Bool) async throws {
    let store = isInMemory ? StoreInMemory() : self.store
    _ = try await sync("a", at: 1_000, in: store)
    try await store.delete("29", of: store.friends.kind, at: Moment(secondsSinceEpoch: 2_000))
    let landing: @Sendable () async throws -> Void = {
      guard let state = try await store.friends.lastSync(), !state.counts.landed.hasChanges else { return }
      var batch = Batch(store.friends.kind, rule: .lastStays)
      batch.add([Friend(id: "0", name: "b0"), Friend(id: "30", name: "b30")], from: Fetch(at: state.began, request: "sync", place: ""))
      batch.sync = state
      #expect(try await store.land(batch).hasChanges)
    }
    _ = try await sync("b", at: 100_000, in: store) {
      try await landing()
      let status = try await store.friends.status(at: store.snapshot())
      #expect(status.verdict == .complete && status.sync?.isRunning == true && status.census.count == 29 && status.removals.deleted == 1)
      #expect(status.asOf?.seconds == 1_000)
      var walk = Walk(StoredList(records: store.friends.records(clock: TestClock()), clock: SystemTime()))
      var names: [String] = []
      while let friends = try await walk.nextPage() { names += friends.map(\.name) }
      #expect(names == (0..<29).map { "a\($0)" } && walk.summary.verdict == .complete && walk.summary.total == 29)
      // What another snapshot was taken of is not what answers.
      #expect(try await store.snapshot().answeringSync(of: store.friends.kind)?.verdict == nil)
    }
    #expect(try await store.friends.status(at: store.snapshot()).verdict?.kind == "complete")
  }

  @Test("a list is never taken back further than to before the running sync, also where the clock was ahead", arguments: [true, false])
  func clockAhead(isInMemory: Bool) async throws {
    let store = isInMemory ? StoreInMemory() : self.store
    _ = try await sync("a", at: 1_000, in: store)
    _ = try await sync("b", at: 900_000, in: store)
    _ = try await sync("b", at: 200_000, in: store)
    _ = try await sync("c", at: 300_000, in: store) {
      guard var state = try await store.friends.lastSync() else { return }
      state.counts = StoringCounts()
      var batch = Batch(store.friends.kind, rule: .lastStays)
      batch.add([Friend(id: "0", name: "c0")], from: Fetch(at: state.began, request: "sync", place: ""))
      batch.sync = state
      _ = try await store.land(batch)
      var walk = Walk(StoredList(records: store.friends.records(clock: TestClock()), clock: SystemTime()))
      var names: [String] = []
      while let friends = try await walk.nextPage() { names += friends.map(\.name) }
      #expect(!names.contains { $0.hasPrefix("a") })
      // The changes do not tell what was there before this sync.
      #expect(walk.summary.verdict?.kind == "partial")
    }
  }

  @Test("a sync that stopped half-way is not one that runs", arguments: [true, false])
  func stopped(isInMemory: Bool) async throws {
    let store = isInMemory ? StoreInMemory() : self.store
    _ = try await sync("a", at: 1_000, in: store)
    let cut = try await sync("b", at: 100_000, in: store) { throw SourceError(.unreachable, "gone") }
    #expect(cut.verdict.kind == "partial")
    let status = try await store.friends.status(at: store.snapshot())
    #expect(status.sync?.isRunning == false && status.verdict?.kind == "partial" && status.since == nil)
    // So it stays while the next run continues it.
    _ = try await sync("b", at: 100_100, begun: 100_000, in: store) {
      let status = try await store.friends.status(at: store.snapshot())
      #expect(status.sync?.isRunning == true && status.verdict?.kind == "partial")
    }
    // After one that another took the place of, nothing whole was before.
    _ = try await sync("c", at: 400_000, in: store) { throw SourceError(.unreachable, "gone") }
    _ = try await sync("d", at: 800_000, in: store) {
      let status = try await store.friends.status(at: store.snapshot())
      #expect(status.verdict?.kind == "partial")
    }
  }

  @Test("a list that changed its verdict is as it is since the first sync that ended so")
  func since() async throws {
    for second in [1_000, 2_000, 3_000] { _ = try await sync("a", at: second, in: store) }
    #expect(try await friends.status(at: store.snapshot()).since?.seconds == 1_000)
    for second in [4_000, 5_000] {
      let short = ShortList()
      _ = try await Syncing(short, into: friends, clock: TestClock(at: Moment(secondsSinceEpoch: second))).run(SyncWishes(full: true))
    }
    let status = try await friends.status(at: store.snapshot())
    #expect(status.verdict?.kind == "partial" && status.since?.seconds == 4_000)
    _ = try await sync("a", at: 6_000, in: store)
    #expect(try await friends.status(at: store.snapshot()).since?.seconds == 6_000)
  }

  /// A list that announces more than it gives.
  private struct ShortList: DataSource {
    let profile = Profile("friends", paging: .offset(size: 10, end: .total))

    func page(_ request: PageRequest) async throws -> Page<Friend> {
      let place = try request.place(in: self).number
      return Page(of: self, place == 0 ? (0..<10).map { Friend($0) } : [], total: 30)
    }
  }

  @Test("a value that changed is noted in a list that no sync can prove whole, and the first sight of a record is not")
  func changedValues() async throws {
    for (second, name) in [(1_000, "Ann"), (2_000, "Bea")] {
      let feed = Feed(rows: [Friend(id: "1", name: name), Friend(id: "\(second)", name: "new")])
      let outcome = try await Syncing(feed, into: friends, clock: TestClock(at: Moment(secondsSinceEpoch: second))).run()
      #expect(outcome.verdict == .unverifiable)
    }
    let changes = try await friends.changes(since: Moment(secondsSinceEpoch: 0))
    #expect(changes.map(\.id) == ["1"] && changes.allSatisfy { $0.before != nil && $0.after != nil })
  }

  /// The newest rows of a list whose end no request reaches.
  private struct Feed: DataSource {
    let profile = Profile("friends", paging: .whole)
    let rows: [Friend]

    func page(_ request: PageRequest) async throws -> Page<Friend> {
      copy(of: Page(of: self, rows, next: .end)) { $0.standing = .unverifiable }
    }
  }
}
