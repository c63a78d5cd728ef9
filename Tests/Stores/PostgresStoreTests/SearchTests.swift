import AggregatorCore
import ScratchFolders
import Store
import TestServers
import Testing

@testable import PostgresStore

@Suite(.enabled(if: TestServer.isThere, "needs Scripts/with-postgres")) struct SearchTests {
  private static let odd = [
    "Spider-Man", "Łódź", "Straße 5", "O'Brien \"the Fox\"", "100%", "100", "x_y", "xay", "a\\b", "a\\%b", "日本語の名前", "nul\0inside",
    "nul\u{1}2inside", "é", "e\u{301}", "🦊 fox", "-", "' OR 1=1; --", "\u{202E}rtl", "%", "_", "\\",
  ]
  private static let syllables = [
    "an", "ber", "ços", "dé", "ett", "ła", "mo", "ñi", "ra", "sō", "ti", "x", "日", "я", "'", "-", "_", "%", "\\", " ",
  ]

  /// `count` random texts of one to `most` syllables.
  private static func texts(_ count: Int, of most: Int, seed: Int) -> [String] {
    let dice = SeededDice(seed: UInt64(seed))
    return (0..<count).map { _ in
      (0...dice.index(below: most)).map { _ in syllables[dice.index(below: syllables.count)] }.joined()
    }
  }

  @Test("a search on a server finds the same people as in a file, in the same order")
  func sameAsFile() async throws {
    let scratch = try ScratchFolder()
    let (server, file) = try await (TestServer.newStore(), SQLiteStore(at: scratch["store.db"]))
    let names = Self.texts(3_000 - Self.odd.count, of: 7, seed: 3) + Self.odd
    let nicknames = Self.texts(3_000, of: 2, seed: 4)
    let people = zip(names, nicknames).enumerated().map { Friend(id: "p\($0)", name: $1.0, nicknames: [$1.1]) }
    for store in [server, file] as [any RecordStore] {
      for start in stride(from: 0, to: people.count, by: 1_000) {
        try await store.friends.land(Array(people[start..<start + 1_000]), from: .page(start))
      }
      try await store.optimize(store.friends.kind, bulk: true)
    }
    #expect(try await server.texts("SELECT indexdef FROM pg_indexes WHERE indexdef LIKE '%gin_trgm_ops%'").count == 1)
    var sizes: Set<Int> = []
    for needle in Self.odd + ["", " ", "p77", "P 2999", "nul", "an", "q", "zzzz"] + Self.texts(120, of: 4, seed: 5) {
      let found = try await server.walk(.matching(needle), limit: 40).map(\.id)
      #expect(try await file.walk(.matching(needle), limit: 40).map(\.id) == found, "\(needle)")
      sizes.insert(found.count)
    }
    #expect(sizes.contains(0) && sizes.contains(40) && sizes.contains { (1..<40).contains($0) })
  }

  @Test("search texts made of other fields are not used, and are made again when the store is put in order")
  func otherFields() async throws {
    let store = try await TestServer.newStore()
    try await store.friends.land([Friend(id: "x-77", name: "Ann")], from: .page(1))
    _ = try await store.texts(
      "WITH changed AS (UPDATE aggregator.source_info SET indexed = 'older') UPDATE aggregator.record_1 SET folded = ''")
    #expect(try await store.walk(.matching("ann")).count == 1)
    let before = try await store.snapshot()
    // Records that land meanwhile are found too.
    try await store.friends.land([Friend(2, "Annabel")], from: .page(2))
    #expect(try await store.walk(.matching("ann")).count == 2)
    try await store.optimize(store.friends.kind, bulk: false)
    #expect(try await store.texts("SELECT folded FROM aggregator.record_1 ORDER BY row") == ["ann\nx77\n\n", "annabel\n2\n\n"])
    #expect(try await store.walk(.matching("X77")).map(\.name) == ["Ann"])
    #expect(try await before.rows(of: store.friends.kind, .maybeMatching("ann"), after: 0, count: 9).rows.count == 1)
  }
}

@Suite("A snapshot of a store on a server", .enabled(if: TestServer.isThere, "needs Scripts/with-postgres")) struct SnapshotTests {
  let store: PostgresStore
  var kind: RecordKind { store.friends.kind }

  init() async throws { store = try await TestServer.newStore() }

  private func isRefused(_ snapshot: any RecordSnapshot) async throws -> Bool {
    do {
      _ = try await snapshot.rows(of: kind, .everything, after: 0, count: 9)
      return false
    } catch let error as SourceError where error.kind == .storage {
      return true
    }
  }

  @Test("a snapshot on a server stays unchanged for an hour, and is refused when it is older")
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

  @Test("a snapshot on a server is refused when all records were removed, and never shows later ones")
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
