import AggregatorCore
import ScratchFolders
import TestServers
import Testing

@testable import Store

/// A store with values that this program never writes.
@Suite("An edited store") final class EditedStoreTests: FileSuite {
  private func edit(_ sql: String) throws { try store.database.writing { try $0.run(sql) } }

  @Test(
    "an invalid position of next is an error, and each record comes once after a reset",
    arguments: ["'abc'", "json('[0]')", "1.5e300", "1.5", "NULL", "-9223372036854775808", "9223372036854775807"])
  func position(value: String) async throws {
    try await friends.land((1...3).map { Friend($0) }, from: .page(1))
    _ = try await friends.take(1)
    let members = ["shown", "reading", "rowsBefore", "revision"].map { "'$.\($0)', \(value)" }.joined(separator: ", ")
    try edit("UPDATE source_state SET body = json_set(body, \(members)) WHERE name = 'next'")
    await #expect { try await friends.position() } throws: { Self.isUnreadable($0) }
    await #expect { try await friends.take(1) } throws: { Self.isUnreadable($0) }
    let next = try #require(Cursor(text: "friends page 2"))
    await #expect {
      try await friends.land([Friend(4)], from: .page(2), advancing: Position().advance(to: next, passing: 1))
    } throws: { Self.isUnreadable($0) }
    #expect(try await friends.count == 3)
    try await friends.reset()
    let position = try await friends.position()
    #expect(try await friends.waiting(upTo: 100) == 3)
    #expect(try await !friends.land([Friend(4)], from: .page(2), advancing: position.advance(to: next, passing: 1)).isOvertaken)
    #expect(try await friends.take(9).items.map(\.id) == ["1", "2", "3", "4"])
    #expect(try await friends.waiting(upTo: 100) == 0)
  }

  private static func isUnreadable(_ error: any Error) -> Bool {
    let error = error as? SourceError
    return error?.kind == .storage && error?.remedy == .startAgain
  }

  @Test("a store of which no record can be read is an error, not an empty list")
  func unreadable() async throws {
    try await friends.land((1...2).map { Friend($0) }, from: .page(1))
    try edit("UPDATE friends_record SET body = '{}'")
    await #expect { try await store.walk() } throws: { ($0 as? SourceError)?.kind == .malformed }
  }

  @Test(
    "odd numbers in the stored state of a sync can still be counted with",
    arguments: ["-9223372036854775808", "9223372036854775807", "'many'"])
  func sync(value: String) async throws {
    _ = try await store.beginSync(of: friends.kind, at: Moment(secondsSinceEpoch: 1), full: true, mark: nil)
    let names = [
      "rowsBefore", "received", "duplicates", "skipped", "requests", "total", "new", "updated", "unchanged", "deleted", "number",
    ]
    let members = names.map { "'$.\($0)', \(value)" }.joined(separator: ", ")
    try edit("UPDATE source_state SET body = json_set(body, \(members)) WHERE name = 'sync'")
    let state = try #require(try await friends.lastSync())
    let numbers = [
      state.rowsBefore, state.counts.received, state.counts.repeated, state.counts.skipped, state.counts.requests, state.total ?? 0,
      state.counts.landed.new,
    ]
    #expect(numbers.allSatisfy { (0...1 << 48).contains($0) })
    // A body that cannot be read leaves the number, and claims nothing.
    if value == "'many'" { #expect(state.number == 1 && state.standing == .partial(.recorded("the sync lost its position"))) }
    try edit("UPDATE source_state SET revision = \(value)")
    let next = try await store.beginSync(of: friends.kind, at: Moment(secondsSinceEpoch: 2), full: true, mark: nil)
    _ = try await store.note(next, of: friends.kind)
  }

  @Test("huge sizes of stored answers can be added up")
  func sizes() async throws {
    try edit(
      """
      INSERT INTO cached_answer(source, question, step, walk, at, rows, body, size) VALUES
        ('a ', 'list', 0, 'w', 0, '', '', 9223372036854775807), ('a ', 'list', 1, 'w', 0, '', '', 9223372036854775807)
      """)
    #expect(try await store.holdings().first?.rows == 2)
  }
}
