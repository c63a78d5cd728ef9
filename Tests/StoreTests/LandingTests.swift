import AggregatorCore
import Testing

@testable import Store

@Suite("Landing records") struct LandingTests {
  let store = SQLiteStore(at: nil)
  var friends: Archive<Friend> { store.friends }

  private func landed(new: Int = 0, updated: Int = 0, duplicates: Int = 0, deleted: Int = 0) -> Landed {
    var landed = Landed()
    landed.new = new
    landed.updated = updated
    landed.duplicates = duplicates
    landed.deleted = deleted
    return landed
  }

  @Test("new, changed and repeated records are told apart")
  func counts() async throws {
    #expect(try await friends.land([Friend(1), Friend(2), Friend(1)], from: .page(1), rule: .lastStays) == landed(new: 2, duplicates: 1))
    #expect(
      try await friends.land([Friend(1, "Ann"), Friend(2), Friend(3)], from: .page(2), rule: .lastStays)
        == landed(new: 1, updated: 1, duplicates: 1))
    #expect(try await store.walk().items == [Friend(1, "Ann"), Friend(2), Friend(3)])
  }

  @Test("where the first stays, the others are remembered as absorbed")
  func absorbed() async throws {
    try await friends.land([Friend(1, "Ann"), Friend(1, "Bea"), Friend(1, "Ann")], from: .page(1, at: 5))
    try await friends.land([Friend(1, "Cid")], from: .page(2, at: 6))
    let history = try #require(try await friends.history(of: "1"))
    #expect(history.fetch == .page(1, at: 5))
    #expect(try history.absorbed.map { try Friend(JSON($0.body)).name } == ["Bea", "Cid"])
    #expect(history.absorbed.map(\.fetch) == [.page(1, at: 5), .page(2, at: 6)])
    #expect(try await store.walk().items == [Friend(1, "Ann")])
  }

  @Test("a record comes back as it was, whatever is in it")
  func roundTrip() async throws {
    let odd = [
      Friend(id: "a\0b", name: "Zo\u{eb} \"Q\" \\ \0 \u{1F469}\u{200D}\u{1F680}", nicknames: ["", "\n", "'; DROP TABLE x; --"]),
      Friend(id: "é", name: ""),
      Friend(id: "a\0c", name: "e\u{301}", note: "\u{7f}"),
    ]
    try await friends.land(odd, from: .page(1))
    let read = try await store.walk().items
    #expect(read.map { Array($0.id.utf8) } == odd.map { Array($0.id.utf8) })
    #expect(read.map(\.name) == odd.map(\.name))
    #expect(read.map(\.nicknames) == odd.map(\.nicknames))
  }

  @Test("the deleted never come back by landing, until they are restored")
  func deleted() async throws {
    try await friends.land([Friend(1), Friend(2)], from: .page(1))
    let moment = Moment(secondsSinceEpoch: 50)
    #expect(try await friends.delete("1", at: moment) == moment)
    #expect(try await friends.delete("1", at: moment + .seconds(9)) == moment)
    try await friends.delete("3", at: moment)
    for rule in [Batch.Rule.firstStays, .lastStays] {
      let landed = try await friends.land([Friend(1, "Other"), Friend(2), Friend(3)], from: .page(2), rule: rule)
      #expect(landed.deleted == 2)
      #expect(landed.new == 0)
    }
    #expect(try await store.walk().items == [Friend(2)])
    #expect(try await store.walk(.matching("friend")).items == [Friend(2)])
    #expect(try await store.walk(.record("1")).items.isEmpty)
    #expect(try await friends.take(10).items == [Friend(2)])
    #expect(try await friends.history(of: "1")?.deletedAt == moment)
    #expect(try await friends.history(of: "3")?.record == nil)
    #expect(try await friends.restore("1"))
    #expect(try await !friends.restore("1"))
    #expect(try await store.walk().items == [Friend(1), Friend(2)])
  }

  @Test("the view has every field as a column, with readable times, right after landing")
  func view() async throws {
    try await friends.land([Friend(id: "7", name: "Ann", nicknames: ["A", "B"])], from: .page(1, at: 1_700_000_000))
    try await friends.delete("7", at: Moment(secondsSinceEpoch: 1_700_000_060))
    let row = try store.database.reading { connection in
      try connection.first("SELECT id, name, nicknames, note IS NULL, fetched_at, deleted_at FROM friends") { row in
        (0..<6 as Range<CInt>).map { row.text($0) }
      }
    }
    #expect(row == ["7", "Ann", #"["A","B"]"#, "1", "2023-11-14T22:13:20Z", "2023-11-14T22:14:20Z"])
  }

  @Test("a batch that fails half-way leaves nothing behind")
  func atomic() async throws {
    try await friends.land([Friend(1)], from: .page(1))
    try store.run("CREATE TEMP TRIGGER stop BEFORE INSERT ON main.friends_record WHEN new.id = '4' BEGIN SELECT raise(ABORT, 'stop'); END")
    await #expect(throws: SourceError.self) { try await friends.land([Friend(2), Friend(3), Friend(4)], from: .page(2)) }
    try store.run("DROP TRIGGER stop")
    #expect(try await store.walk().items == [Friend(1)])
    #expect(try await store.walk(.matching("friend 3")).items.isEmpty)
    #expect(try store.number("SELECT count(*) FROM fetch_log") == 1)
  }
}
