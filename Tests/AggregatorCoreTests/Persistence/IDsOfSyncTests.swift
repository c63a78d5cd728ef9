import Synchronization
import Testing

@testable import AggregatorCore

@Suite("What a sync has met") struct IDsOfSyncTests {
  /// A store that knows some ids, and remembers which it was asked for.
  private final class Store: SyncKeeper {
    private let log = Mutex<[[String]]>([])
    private let stored: Set<String>

    init(_ stored: Set<String>) { self.stored = stored }

    /// What it was asked for, each time.
    var asked: [[String]] { log.withLock { $0 } }

    func met(_ ids: [String], of kind: RecordKind, sync number: Int) async throws -> Set<String> {
      log.withLock { $0.append(ids) }
      return stored.intersection(ids)
    }

    func claim(of kind: RecordKind) async throws -> Claim { Claim {} }
    func sync(of kind: RecordKind) async throws -> SyncState? { nil }
    func beginSync(of kind: RecordKind, at moment: Moment, full isFull: Bool, mark: Moment?) async throws -> SyncState {
      SyncState(after: nil, at: moment, full: isFull, mark: mark)
    }
    func note(_ state: SyncState, of kind: RecordKind) async throws -> Int { 0 }
    func changes(of kind: RecordKind, since moment: Moment) async throws -> [RecordChange] { [] }
    func unmet(of kind: RecordKind) async throws -> Int { 0 }
  }

  private func seen(in store: Store, received: Int) -> IDsOfSync {
    var state = SyncState(began: Moment(secondsSinceEpoch: 0))
    state.received = received
    return IDsOfSync(RecordKind("rows", Row.self), in: store, of: state)
  }

  @Test("the store is asked for those ids of a page alone that may be in it, and for all of them at once")
  func asking() async throws {
    let store = Store(["1", "2"])
    let seen = seen(in: store, received: 0)
    #expect(try await seen.met(["1", "2", "3"]) == [])
    seen.note(["1", "2", "3"])
    #expect(try await seen.met(["2", "3", "4"]) == ["2", "3"])
    #expect(store.asked.isEmpty)
    // Two batches later the first one is stored.
    seen.turn()
    seen.note(["5"])
    seen.turn()
    #expect(try await seen.met(["4", "1", "2", "5"]) == ["1", "2", "5"])
    #expect(store.asked == [["1", "2"]])
  }

  @Test("what an earlier run brought, only the store knows")
  func resumed() async throws {
    let store = Store(["1"])
    let seen = seen(in: store, received: 1)
    seen.note(["2"])
    #expect(try await seen.met(["1", "2", "3"]) == ["1", "2"])
    #expect(store.asked == [["1", "3"]])
  }

  /// Ids that somebody else remembers.
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
