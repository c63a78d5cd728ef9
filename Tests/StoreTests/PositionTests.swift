import AggregatorCore
import ScratchFolders
import TestServers
import Testing

@testable import Store

@Suite("What next shows") final class PositionTests: FileSuite {
  @Test("a store is empty until something came, and stays used when all of it is deleted")
  func emptiness() async throws {
    #expect(try await friends.isEmpty)
    try await friends.land([Friend(1)], from: .page(1))
    try await friends.delete("1", at: Moment(secondsSinceEpoch: 1))
    #expect(try await friends.count == 0)
    #expect(try await !friends.isEmpty)
  }

  @Test("ten processes that take at once share the records: none twice, none left out")
  func together() async throws {
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
    "a cursor is the same once it was text", arguments: ["users page 3", "users.cached offset 200", "users token a b%20c", "users token "])
  func cursors(text: String) throws {
    #expect(try #require(Cursor(text: text)).text == text)
  }

  @Test("what is no cursor is none", arguments: ["", "users", "users page", "users page x", " page 3", "users line 3"])
  func noCursors(text: String) { #expect(Cursor(text: text) == nil) }
}
