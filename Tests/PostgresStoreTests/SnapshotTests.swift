import AggregatorCore
import TestServers
import Testing

@testable import PostgresStore

@Suite("A snapshot of a store on a server", .enabled(if: TestServer.isThere, "needs Scripts/with-postgres")) struct SnapshotTests {
  let store: PostgresStore
  var kind: RecordKind { store.friends.kind }

  init() async throws { store = PostgresStore(at: try await TestServer.newDatabase()) }

  private func isRefused(_ snapshot: any RecordSnapshot) async throws -> Bool {
    do {
      _ = try await snapshot.rows(of: kind, .everything, after: 0, count: 9)
      return false
    } catch let error as SourceError where error.kind == .storage {
      return true
    }
  }

  @Test("stays what it was for an hour, and says so where it is older")
  func age() async throws {
    try await store.friends.land((1...3).map { Friend($0) }, from: .page(1))
    let snapshot = try await store.snapshot()
    try await store.friends.land([Friend(2, "Changed")], from: .page(2), rule: .lastStays)
    let later = try await store.snapshot()
    _ = try await store.texts("UPDATE aggregator.past_1 SET at = at - interval '90 minutes'")
    try await store.optimize(kind, bulk: true)
    #expect(
      try await snapshot.rows(of: kind, .id("2"), after: 0, count: 9).rows.map { String(decoding: $0.body, as: UTF8.self) }
        == [#"{"id":"2","name":"Friend 2","nicknames":[]}"#])
    #expect(try await snapshot.rows(of: kind, .maybeMatching("changed"), after: 0, count: 9).rows.isEmpty)
    _ = try await store.texts("UPDATE aggregator.past_1 SET at = at - interval '90 minutes'")
    try await store.friends.land([Friend(3, "Changed")], from: .page(3), rule: .lastStays)
    #expect(try await store.texts("SELECT id FROM aggregator.past_1") == ["3"])
    #expect(try await isRefused(snapshot))
    #expect(try await !isRefused(later))
  }

  @Test("says so where everything was forgotten, and never shows what came after")
  func forgotten() async throws {
    try await store.friends.land((1...3).map { Friend($0) }, from: .page(1))
    let snapshot = try await store.snapshot()
    try await store.forget(kind, importedOnly: false)
    #expect(try await isRefused(snapshot))
    let empty = try await store.snapshot()
    try await store.friends.land([Friend(4)], from: .page(1))
    #expect(try await empty.rows(of: kind, .everything, after: 0, count: 9).rows.isEmpty)
    #expect(try await isRefused(snapshot))
  }
}
