import AggregatorCore
import ScratchFolders
import SourceTesting
import StoreTables
import TestServers
import Testing

@testable import Store

@Suite("Searching stored records") final class SearchTests: FileSuite {
  private static let names = [
    "Spider-Man", "Łódź", "Straße 5", "Ærø", "O'Brien \"the Fox\"", "a", "ab", "100%", "x_y", "AND OR NOT NEAR", "*", "-", "日本語の名前", "日",
    "tab\there", "nul\0inside", "end", "é", "e\u{301}", "🦊 fox", "( NEAR(a b) )", "col:umn", "^start", "\u{202E}rtl",
  ]
  private static let needles =
    names + [
      "", " ", "s", "sp", "spi", "spider", "lodz", "STRASSE", "ae", "aero", "\"", "\"\"", "'", "fox\"", "%", "_", "AND", "OR", "a AND b",
      "*",
      "a*", "NEAR(", "語", "本語", "の名前", "\0", "l\0i", "nul\0inside", "d", "nd", "end", "\n", "n\n", "ø", "🦊", "🦊 ", "^", "col:", "--", ";",
      "no such text", "zz", "q", "spider-man and some more that nobody has", "brien \"the", "spiderman", "spider man", "man spider",
      "obrien", "the fox", "foxthe", "n0", "N.0", "nulinside", "col umn", "m", "mm",
    ]

  /// The store, filled once for all needles.
  private static let filled = Task {
    let scratch = try ScratchFolder()
    let store = SQLiteStore(at: scratch["store.db"])
    // More records than are read before the index is asked, and the relevant ones after them.
    let filler = (0..<1_100).map { Friend(id: "f\($0)", name: "Mmmmm") }
    let all = filler + names.enumerated().map { Friend(id: "n\($0)", name: "Someone", nicknames: [$1]) }
    for start in stride(from: 0, to: all.count, by: 300) {
      try await store.friends.land(Array(all[start..<min(all.count, start + 300)]), from: .page(start))
    }
    return (scratch: scratch, store: store, all: all)
  }

  @Test("a search notices its cancellation, in the store too")
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

  @Test("records are shown until one is refused, and the others follow after the last one that was taken")
  func shown() async throws {
    try await store.friends.land((0..<200).map { Friend($0) }, from: .page(1))
    let (kind, snapshot) = (friends.kind, try await store.snapshot())
    for query in [StoredQuery.everything, .maybeMatching("friend"), .maybeMatching("fr")] {
      let rows = try await snapshot.rows(of: kind, query, after: 0, count: 50).rows
      var shown: [StoredRow] = []
      let next = try await snapshot.look(through: kind, query, after: 0, count: 50) { row in
        guard shown.count < 30 else { return false }
        shown.append(StoredRow(row))
        return true
      }
      #expect(shown == Array(rows.prefix(30)))
      #expect(next == rows[29].row)
      let end = try await snapshot.look(through: kind, query, after: rows[29].row, count: 170) { row in
        shown.append(StoredRow(row))
        return true
      }
      #expect(end == nil)
      #expect(shown.map(\.row) == Array(1...200))
    }
    let stored = try await snapshot.rows(of: kind, .rows([3, 1, 999]), after: 0, count: 3).rows
    var named: [StoredRow] = []
    let next = try await snapshot.look(through: kind, .rows([3, 1, 999]), after: 0, count: 3) { row in
      named.append(StoredRow(row))
      return true
    }
    #expect(named == stored && named.count == 2 && next == nil)
  }

  @Test("a search that is past its deadline ends before it looks through the records")
  func late() async throws {
    try await store.friends.land((0..<200).map { Friend($0) }, from: .page(1))
    let (clock, records) = (TestClock(), friends.records())
    await #expect {
      try await Deadline.keep(until: clock.now, by: clock) { _ = try await records.page(PageRequest(.matching("friend"))) }
    } throws: {
      ($0 as? SourceError)?.kind == .timedOut
    }
  }

  @Test("a running statement is stopped, and the connection still works")
  func stopped() async throws {
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    let connection = try Connection(":memory:")
    let query = Task { try connection.untilCancelled { try connection.number(endless) } }
    query.cancel()
    await #expect(throws: CancellationError.self) { try await query.value }
    #expect(try connection.number("SELECT 7") == 7)
  }

  @Test("the index finds exactly what reading everything finds", arguments: needles)
  func sameAsReading(needle: String) async throws {
    let (_, store, all) = try await Self.filled.value
    let found = try await store.walk(.matching(needle))
    #expect(found.items.map(\.id) == Self.ranked(needle, among: all).map(\.id))
    #expect(found.summary.skipped == 0)
  }

  /// The expected result of a search among all records.
  private static func ranked(_ text: String, among all: [Friend]) -> [Friend] {
    let matcher = Matcher<Friend>(text)
    if matcher.isEmpty { return all }
    let found = all.compactMap { friend in matcher.rank(friend).map { (friend: friend, rank: $0) } }
    let best = found.prefix(1_000).enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
    return best.map(\.element.friend) + found.dropFirst(1_000).map(\.friend)
  }

  @Test("made-up texts are found in the same order in the file, in memory and in a list")
  func propertyOfOrder() async throws {
    let dice = SeededDice(seed: 7)
    let letters = ["a", "b", "Ñ", "-", "'", " ", "1", "ß"]
    func word(_ most: Int) -> String { (0...dice.index(below: most)).map { _ in letters[dice.index(below: letters.count)] }.joined() }
    let all = (0..<1_400).map { Friend(id: "\($0)\(word(1))", name: word(7), nicknames: [word(4), word(3)]) }
    let memory = Archive<Friend>("friends", in: StoreInMemory())
    for start in stride(from: 0, to: all.count, by: 350) {
      try await store.friends.land(Array(all[start..<start + 350]), from: .page(start))
      try await memory.land(Array(all[start..<start + 350]), from: .page(start))
    }
    var sizes: Set<Int> = []
    for _ in 0..<150 {
      let text = word(5)
      let due = Self.ranked(text, among: all).map(\.id)
      sizes.insert(due.count)
      #expect(try await store.walk(.matching(text)).items.map(\.id) == due, "\(text)")
      var walk = Walk(memory.records(), .matching(text))
      var ids: [String] = []
      while let page = try await walk.nextPage() { ids += page.map(\.id) }
      #expect(ids == due, "\(text)")
    }
    #expect(sizes.contains { $0 > 1_000 } && sizes.contains { (1...300).contains($0) })
  }

  @Test("a search that is read in small pages gives each match once, and the same as in one page")
  func smallPages() async throws {
    let (_, store, all) = try await Self.filled.value
    let due = Self.ranked("m", among: all).map(\.id)
    let records = store.friends.records()
    var (ids, cursor): ([String], Cursor?) = ([], nil)
    repeat {
      var walk = Walk(records, .matching("m"), bounds: Bounds(limit: 90), from: cursor)
      while let page = try await walk.nextPage() { ids += page.map(\.id) }
      cursor = walk.cursor
    } while cursor != nil && ids.count <= due.count
    #expect(ids == due)
  }

  @Test("a reader learns how the records came without a look at every fetch")
  func census() async throws {
    try await store.friends.land([Friend(1)], from: .page(1))
    let plan = try store.database.reading {
      try $0.all("EXPLAIN QUERY PLAN " + Connection.census(in: Tables(RecordKind("friends"))), "friends") { $0.text(3) }
    }
    #expect(plan.count { $0.contains("fetch_of_import") } == 2)
    #expect(plan.allSatisfy { !$0.contains("SCAN") }, "\(plan)")
  }

  @Test("an update is found by its new text and no longer by the old one")
  func updates() async throws {
    try await store.friends.land((1...5).map { Friend($0, "Oldname \($0)") }, from: .page(1))
    try await store.friends.land([Friend(2, "Newname 2"), Friend(4, "Newname 4")], from: .page(2), rule: .lastStays)
    #expect(try await store.walk(.matching("oldname")).items.map(\.id) == ["1", "3", "5"])
    #expect(try await store.walk(.matching("newname")).items.map(\.id) == ["2", "4"])
    #expect(try await store.walk(.matching("name")).items.map(\.id) == ["1", "2", "3", "4", "5"])
  }

  @Test("an index of other fields is not used, and is made again at the next landing")
  func otherFields() async throws {
    try await store.friends.land([Friend(id: "1", name: "Ann", note: "hidden")], from: .page(1))
    try store.run("DELETE FROM friends_letters; DELETE FROM friends_piece; UPDATE source_info SET indexed = 'older'")
    #expect(try await store.walk(.matching("ann")).items.count == 1)
    try await SQLiteStore(at: scratch["store.db"]).friends.land([Friend(2)], from: .page(2))
    #expect(try store.indexed("ann", of: friends.kind) == [1])
    #expect(try await store.walk(.matching("ann")).items.count == 1)
    // Made from the stored records, it has the ids as well.
    try store.run("DELETE FROM friends_letters; DELETE FROM friends_piece; UPDATE source_info SET indexed = 'older'")
    try await SQLiteStore(at: scratch["store.db"]).friends.land([Friend(id: "x-77", name: "Bea")], from: .page(3))
    #expect(try await store.walk(.matching("X77")).items.map(\.name) == ["Bea"])
  }
}
