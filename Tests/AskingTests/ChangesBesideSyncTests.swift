import AggregatorCore
import Asking
import StoreTesting
import Synchronization
import Testing

/// Changes that are read while a sync ends in another process.
@Suite struct ChangesBesideSyncTests {
  /// A store's syncs. Something else happens as soon as the changes were read.
  private struct Syncs: SyncStore {
    let base: StoreInMemory
    let afterChanges: @Sendable () async throws -> Void

    func changes(of kind: RecordKind, since moment: Moment, upTo most: Int) async throws -> [RecordChange] {
      let changes = try await base.changes(of: kind, since: moment, upTo: most)
      try await afterChanges()
      return changes
    }

    func claim(_ claim: Claim, of kind: RecordKind) async throws { try await base.claim(claim, of: kind) }
    func release(_ claim: Claim, of kind: RecordKind) async { await base.release(claim, of: kind) }
    func sync(of kind: RecordKind) async throws -> SyncState? { try await base.sync(of: kind) }
    func beginSync(of kind: RecordKind, at moment: Moment, full isFull: Bool, mark: Moment?) async throws -> SyncState {
      try await base.beginSync(of: kind, at: moment, full: isFull, mark: mark)
    }
    func note(_ state: SyncState, of kind: RecordKind) async throws -> Int { try await base.note(state, of: kind) }
    func met(_ ids: [String], of kind: RecordKind, sync number: Int) async throws -> Set<String> {
      try await base.met(ids, of: kind, sync: number)
    }
    func note(_ text: String, as note: RecordNote, of kind: RecordKind) async throws { try await base.note(text, as: note, of: kind) }
    func unmet(of kind: RecordKind) async throws -> Int { try await base.unmet(of: kind) }
  }

  @Test("the verdict about changes is that of the sync before them, and not of one that ended since")
  func verdict() async throws {
    let shops = TwoShops()
    @Sendable func sync(_ count: Int, lacking missing: Int = 0) async throws {
      shops.extra.withLock { $0 = missing }
      try await shops.sync("people", (1...count).map { ["id": .int($0), "name": .text("Person \($0)")] })
    }
    try await sync(1)
    try await sync(1, lacking: 1)
    var world = try shops.world()
    world.store = StoreParts(
      lists: shops.store, positions: shops.store, syncs: Syncs(base: shops.store) { try await sync(2) }, deletions: shops.store,
      answers: shops.store, upkeep: shops.store)
    let ask = Ask(of: "people")
    let beside = try await shops.catalogue().open(ask, in: world).changes(ask)
    let later = try await shops.catalogue().open(ask, in: shops.world()).changes(ask)
    #expect(beside.changes.isEmpty)
    #expect(beside.verdict == .partial(.loop))
    #expect(later.changes.map(\.id) == ["2"] && later.verdict == .complete)
  }
}
