import SourceTesting
import Synchronization
import Testing

@testable import AggregatorCore

@Suite("What a sync has met") struct MetIDsTests {
  private func ids(received: Int) -> MetIDs {
    var state = SyncState(began: Moment(secondsSinceEpoch: 0))
    state.counts.received = received
    return MetIDs(of: state)
  }

  @Test("the store is asked only for ids of a page that it may have")
  func asking() {
    var ids = ids(received: 0)
    #expect(ids.sorted(["1", "2", "3"]) == ([], []))
    ids.note(["1", "2", "3"])
    #expect(ids.sorted(["2", "3", "4"]) == (["2", "3"], []))
    // After two more batches the first one is stored.
    ids.turn()
    ids.note(["5"])
    ids.turn()
    #expect(ids.sorted(["4", "1", "2", "5"]) == (["5"], ["1", "2"]))
  }

  @Test("ids of an earlier run are known to the store alone")
  func resumed() {
    var ids = ids(received: 1)
    ids.note(["2"])
    #expect(ids.sorted(["1", "2", "3"]) == (["2"], ["1", "3"]))
  }

  @Test("a full filter of ids misses no id, and takes few new ones for known ones")
  func many() {
    var ids = ids(received: 0)
    for page in 0..<1_350 {
      ids.note((0..<100).map { "\(page * 100 + $0)" })
      ids.turn()
    }
    ids.turn()
    ids.turn()
    for page in [0, 1_309, 1_310, 1_349] {
      let known = (0..<100).map { "\(page * 100 + $0)" }
      #expect(ids.sorted(known) == ([], known))
    }
    #expect(ids.sorted((0..<10_000).map { "new \($0)" }).unsure.count < 10)
  }

  /// Ids that another object remembers.
  private final class Known: Seen {
    private let state = Mutex<(asked: [[String]], noted: [[String]])>(([], []))
    var asked: [[String]] { state.withLock { $0.asked } }
    var noted: [[String]] { state.withLock { $0.noted } }

    func met(_ ids: [String]) async throws -> Set<String> {
      state.withLock { $0.asked.append(ids) }
      return ["1"]
    }
    func note(_ ids: [String]) { state.withLock { $0.noted.append(ids) } }
  }

  @Test("a walk asks once for each page, before it takes the page in, and finds repeats within a page by itself")
  func walk() async throws {
    let known = Known()
    let source = ModelSource(paging: .tokens(size: 3)) {
      $0.call == 0 ? $0.page([1, 2, 2], next: .token("next")) : $0.page([3, 4], next: .end)
    }
    var walk = Walk(source, seen: known)
    var given: [String] = []
    while let items = try await walk.nextPage() { given += items.map(\.id) }
    #expect(given == ["2", "3", "4"])
    #expect(walk.summary.duplicates == 2)
    #expect(known.asked == [["1", "2", "2"], ["3", "4"]])
    #expect(known.noted == known.asked)
  }
}

@Suite("Records on their way into a store")
struct IntakeTests {
  @Test("records on their way into a store fill one batch at most, counting the one that is stored and the one that is filled")
  func oneBatch() async throws {
    let gate = Gate()
    let given = Mutex(0)
    let stored = Mutex(0)
    let executor = WatchedExecutor()
    let filling = Task(executorPreference: executor) {
      // Each batch lands when this test opens the gate.
      var intake = Intake<Row>(
        RecordKind("rows", of: Row.schema), of: Row.schema, rule: .lastStays, pace: .steady,
        landing: { batch in
          try await gate.pass()
          stored.withLock { $0 += batch.rows.count }
          return LandingResult()
        })
      for page in 0..<400 {
        given.withLock { $0 += 100 }
        try await intake.add([Row]((0..<100).map { page * 100 + $0 }), from: Fetch(at: TestClock.start, request: "", place: ""))
      }
      _ = try await intake.finish()
    }
    // The intake waits for nothing but the store, and the store for the gate.
    await executor.waits()
    #expect(given.withLock { $0 } == IntakePace.steady.rows)
    try await gate.arrivals(atLeast: 1)
    gate.open()
    try await filling.value
    #expect(stored.withLock { $0 } == 40_000)
  }

  @Test("the first batches of an import are small, so that the store begins early, and each later one is twice as large")
  func growingBatches() async throws {
    let sizes = Mutex<[Int]>([])
    var intake = Intake<Row>(
      RecordKind("rows", of: Row.schema), of: Row.schema, rule: .firstStays, pace: .bulk,
      landing: { batch in
        sizes.withLock { $0.append(batch.rows.count) }
        return LandingResult()
      })
    for page in 0..<300 {
      try await intake.add([Row]((0..<1_000).map { page * 1_000 + $0 }), from: Fetch(at: TestClock.start, request: "", place: ""))
    }
    _ = try await intake.finish()
    #expect(sizes.withLock { $0 } == [4_000, 8_000, 16_000, 32_000, 64_000, 100_000, 76_000])
  }
}
