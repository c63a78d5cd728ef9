import AggregatorCore
import ScratchFolders
import Testing

@testable import Store

@Suite("Searching what is stored") struct SearchTests {
  let scratch: ScratchFolder
  let store: SQLiteStore

  init() throws {
    scratch = try ScratchFolder()
    store = SQLiteStore(at: scratch["store.db"])
  }

  private static let names = [
    "Spider-Man", "Łódź", "Straße 5", "Ærø", "O'Brien \"the Fox\"", "a", "ab", "100%", "x_y", "AND OR NOT NEAR", "*", "-", "日本語の名前", "日",
    "tab\there", "nul\0inside", "end", "é", "e\u{301}", "🦊 fox", "( NEAR(a b) )", "col:umn", "^start", "\u{202E}rtl",
  ]
  private static let needles =
    names + [
      "", " ", "s", "sp", "spi", "spider", "lodz", "STRASSE", "ae", "aero", "\"", "\"\"", "'", "fox\"", "%", "_", "AND", "OR", "a AND b",
      "*",
      "a*", "NEAR(", "語", "本語", "の名前", "\0", "l\0i", "nul\0inside", "d", "nd", "end", "\n", "n\n", "ø", "🦊", "🦊 ", "^", "col:", "--", ";",
      "no such text", "zz", "q", "spider-man and some more that nobody has", "brien \"the",
    ]

  /// Filled once for all needles.
  private static let filled = Task {
    let scratch = try ScratchFolder()
    let store = SQLiteStore(at: scratch["store.db"])
    // More than what is glanced at before the index is asked, and what matters behind it.
    let filler = (0..<1_100).map { Friend(id: "f\($0)", name: "Mmmmm") }
    let all = filler + names.enumerated().map { Friend(id: "n\($0)", name: "Someone", nicknames: [$1]) }
    for start in stride(from: 0, to: all.count, by: 300) {
      try await store.friends.land(Array(all[start..<min(all.count, start + 300)]), from: .page(start))
    }
    return (scratch: scratch, store: store, all: all)
  }

  @Test("a search hears that it is cancelled, in the store too")
  func cancelled() async throws {
    try await store.friends.land((0..<2_000).map { Friend($0) }, from: .page(1))
    let friends = store.friends
    let snapshot = try await store.snapshot()
    let search = Task {
      // It begins once it is cancelled, and would otherwise answer.
      while !Task.isCancelled { await Task.yield() }
      return try await snapshot.rows(of: friends.kind, .everything, after: 0, count: 10).rows.count
    }
    search.cancel()
    await #expect(throws: CancellationError.self) { try await search.value }
    #expect(try await snapshot.rows(of: friends.kind, .everything, after: 0, count: 10).rows.count == 10)
  }

  @Test("a statement that is under way is stopped, and the connection goes on")
  func stopped() async throws {
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    let connection = try Connection(":memory:")
    let query = Task { try connection.hearingCancellation { try connection.number(endless) } }
    query.cancel()
    await #expect(throws: CancellationError.self) { try await query.value }
    #expect(try connection.number("SELECT 7") == 7)
  }

  @Test("the index finds exactly what reading everything finds", arguments: needles)
  func sameAsReading(needle: String) async throws {
    let (_, store, all) = try await Self.filled.value
    let matcher = Matcher<Friend>(needle)
    let found = try await store.walk(.matching(needle))
    #expect(found.items.map(\.id) == all.filter(matcher.matches).map(\.id))
    #expect(found.summary.skipped == 0)
  }

  @Test("an update is found by its new text and no longer by the old one")
  func updates() async throws {
    try await store.friends.land((1...5).map { Friend($0, "Oldname \($0)") }, from: .page(1))
    try await store.friends.land([Friend(2, "Newname 2"), Friend(4, "Newname 4")], from: .page(2), rule: .lastStays)
    #expect(try await store.walk(.matching("oldname")).items.map(\.id) == ["1", "3", "5"])
    #expect(try await store.walk(.matching("newname")).items.map(\.id) == ["2", "4"])
    #expect(try await store.walk(.matching("name")).items.map(\.id) == ["1", "2", "3", "4", "5"])
  }

  @Test("many hits come in pages, each once, in order")
  func pages() async throws {
    let all = (1...2_500).map { Friend($0, $0.isMultiple(of: 2) ? "Even" : "Odd") }
    try await store.friends.land(all, from: .page(1))
    #expect(try await store.walk(.matching("even")).items.map(\.id) == all.filter { $0.name == "Even" }.map(\.id))
    #expect(try await store.walk(.matching("dd")).items.count == 1_250)
  }

  @Test("an index that was made of other fields is not asked, and made again at the next landing")
  func otherFields() async throws {
    try await store.friends.land([Friend(id: "1", name: "Ann", note: "hidden")], from: .page(1))
    try store.run("INSERT INTO friends_index(friends_index) VALUES('delete-all'); UPDATE source_info SET indexed = 'older'")
    store.database.forget()
    #expect(try await store.walk(.matching("ann")).items.count == 1)
    try await store.friends.land([Friend(2)], from: .page(2))
    #expect(try store.number("SELECT count(*) FROM friends_index WHERE friends_index MATCH '\"ann\"'") == 1)
  }

  @Test("one record is found by its id, or by the name it answers to")
  func lookup() async throws {
    try await store.friends.land([Friend(id: "X7", name: "Ann"), Friend(id: "x'--", name: "Bea")], from: .page(1))
    #expect(try await store.walk(.record("X7")).items.map(\.name) == ["Ann"])
    #expect(try await store.walk(.record("x'--")).items.map(\.name) == ["Bea"])
    #expect(try await store.walk(.record("nobody")).items.isEmpty)
  }
}
