import AggregatorCore
import ScratchFolders
import Testing

@testable import Store

@Suite("What next shows") struct PositionTests {
  let store = SQLiteStore(at: nil)
  var friends: Archive<Friend> { store.friends }

  private func take(_ count: Int) async throws -> [String] { try await friends.take(count).items.map(\.id) }

  @Test("each record once, in the order in which they came")
  func once() async throws {
    try await friends.land((1...5).map { Friend($0) }, from: .page(1))
    #expect(try await friends.position().waiting == 5)
    #expect(try await take(2) == ["1", "2"])
    #expect(try await take(2) == ["3", "4"])
    #expect(try await friends.position().waiting == 1)
    #expect(try await take(9) == ["5"])
    #expect(try await take(9) == [])
    try await friends.land([Friend(3), Friend(6)], from: .page(2))
    #expect(try await take(9) == ["6"])
  }

  @Test("what a closed pipe refused comes first next time, in order")
  func givenBack() async throws {
    try await friends.land((1...8).map { Friend($0) }, from: .page(1))
    let first = try await friends.take(4).items
    #expect(try await take(2) == ["5", "6"])
    try await friends.giveBack(first[2...].reversed())
    #expect(try await friends.position().waiting == 4)
    #expect(try await take(3) == ["3", "4", "7"])
    #expect(try await take(3) == ["8"])
  }

  @Test("of two that fetched the same page one lands it, and the position moves once")
  func overtaken() async throws {
    let position = try await friends.position()
    let next = try #require(Cursor(text: "friends page 2"))
    #expect(try await friends.land([Friend(1)], from: .page(1), advancing: position.advance(to: next, passing: 1)).new == 1)
    let late = try await friends.land([Friend(1), Friend(2)], from: .page(1), advancing: position.advance(to: next, passing: 1))
    #expect(late.isOvertaken)
    #expect(late.new == 0)
    #expect(try await store.walk().items == [Friend(1)])
    #expect(try await friends.position().cursor == next)
    let here = try await friends.position()
    try await friends.land([Friend(2)], from: .page(2), advancing: here.end(.complete))
    #expect(try await friends.position().ended == .complete)
    try await friends.reset()
    #expect(try await friends.position().ended == nil)
  }

  @Test("what comes back after somebody began again comes once")
  func givenBackLate() async throws {
    try await friends.land((1...4).map { Friend($0) }, from: .page(1))
    let first = try await friends.take(3).items
    try await friends.reset()
    try await friends.giveBack(first)
    #expect(try await friends.position().waiting == 4)
    #expect(try await take(9) == ["1", "2", "3", "4"])
  }

  @Test("whom nobody had been shown when they were deleted comes once they are restored")
  func restored() async throws {
    try await friends.land((1...4).map { Friend($0) }, from: .page(1))
    #expect(try await take(1) == ["1"])
    for id in ["1", "2", "4"] { try await friends.delete(id, at: Moment(secondsSinceEpoch: 1)) }
    #expect(try await take(1) == ["3"])
    for id in ["1", "2", "4"] { try await friends.restore(id) }
    #expect(try await take(9) == ["2", "4"])
    #expect(try await take(9) == [])
  }

  @Test("a store is empty until something came, and stays used when all of it is deleted")
  func emptiness() async throws {
    #expect(try await friends.isEmpty)
    try await friends.land([Friend(1)], from: .page(1))
    try await friends.delete("1", at: Moment(secondsSinceEpoch: 1))
    #expect(try await friends.count == 0)
    #expect(try await !friends.isEmpty)
  }

  @Test("reset begins with the first record again, and keeps the place in the service's list")
  func reset() async throws {
    let next = try #require(Cursor(text: "friends page 2"))
    try await friends.land([Friend(1), Friend(2)], from: .page(1), advancing: friends.position().advance(to: next, passing: 2))
    let taken = try await friends.take(1).items
    try await friends.giveBack(taken)
    try await friends.reset()
    #expect(try await friends.position().cursor == next)
    #expect(try await take(9) == ["1", "2"])
  }

  @Test("ten processes that take at once share the records: none twice, none left out")
  func together() async throws {
    let scratch = try ScratchFolder()
    let path = scratch["store.db"]
    do {
      let land = try Probe("land", path)
      while !land.read(atLeast: 1).contains("\n") {}
      land.kill()
      land.end()
    }
    let probes = try (0..<10).map { _ in try Probe("next", path) }
    let ends = probes.map { $0.end() }
    #expect(ends.allSatisfy { $0.status == 0 })
    let shown = ends.flatMap(\.lines)
    #expect(shown.count == Set(shown).count)
    let store = try Connection(path)
    #expect(try store.number("SELECT count(*) FROM users_record") == shown.count)
  }

  @Test(
    "a cursor is the same once it was text", arguments: ["users page 3", "users.kept offset 200", "users token a b%20c", "users token "])
  func cursors(text: String) throws {
    #expect(try #require(Cursor(text: text)).text == text)
  }

  @Test("what is no cursor is none", arguments: ["", "users", "users page", "users page x", " page 3", "users line 3"])
  func noCursors(text: String) { #expect(Cursor(text: text) == nil) }

  @Test("a keepsake is made once")
  func keepsake() async throws {
    #expect(try await store.keepsake("seed") { "a" } == "a")
    #expect(try await store.keepsake("seed") { "b" } == "a")
  }
}
