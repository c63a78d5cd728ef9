import AggregatorCore
import ScratchFolders
import SourceTesting
import TestServers
import Testing

@testable import Store

/// The check that `doctor` asks a store for: the index of letters has to fit the records.
@Suite("The check of the index of letters") final class IndexCheckTests: FileSuite {
  /// Stores records in three batches, which are three pieces of the index.
  private func fill() async throws {
    for page in 0..<3 { try await friends.land((0..<700).map { Friend(page * 700 + $0) }, from: .page(page)) }
  }

  private func finding() async throws -> SourceError? { try await store.searchTrouble(of: friends.kind) }

  /// Changes the rows in the list of the letters "fri" of the second piece.
  private func change(_ change: (inout [Int64]) -> Void) throws {
    let key = try #require(try store.piece(2)).key(of: Self.letters)
    let bytes = try store.database.reading { connection in
      try connection.first("SELECT list FROM friends_letters WHERE key = ?1", key) { $0.bytes(0) }
    }
    var (cursor, rows) = (try RowCursor(#require(bytes)), [Int64]())
    while let row = cursor.row {
      rows.append(row)
      cursor.advance()
    }
    change(&rows)
    var list = RowList(try #require(rows.first))
    for row in rows { list.append(row) }
    let digits = list.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    try store.run("UPDATE friends_letters SET list = x'\(digits)' WHERE key = \(key)")
  }

  private static let letters = Array("fri".utf8).withUnsafeBytes { Letters.number(of: Array(Letters.Symbols($0))[...]) }

  /// Checks that the damage is found and told, that searches are right from then on, and that the next batch makes the index again.
  private func expectFinding() async throws {
    let finding = try #require(try await self.finding())
    #expect(finding.message.contains("the search index of friends in the store \(scratch["store.db"]) does not fit its records"))
    #expect(finding.remedy != nil)
    #expect(try await store.walk(.matching("friend 2099")).items == [Friend(2_099)])
    #expect(try await store.walk(.matching("fri")).items.count == 2_100)
    #expect(try await self.finding() == nil)
    try await friends.land([Friend(2_100)], from: .page(4))
    #expect(try store.number("SELECT count(*) FROM source_info WHERE indexed <> ''") == 1)
    #expect(try store.indexed("friend 2099", of: friends.kind) == [2_100])
    #expect(try await self.finding() == nil)
  }

  @Test(
    "damage of any kind is found, and the next batch makes the index again",
    arguments: [
      "DELETE FROM friends_letters WHERE key = (SELECT max(key) FROM friends_letters)",
      "DELETE FROM friends_letters WHERE key = (SELECT min(key) FROM friends_letters)",
      "DELETE FROM friends_letters", "UPDATE friends_letters SET list = x'00ff00ff00ff'",
      "UPDATE friends_letters SET list = x'' WHERE key = (SELECT max(key) FROM friends_letters)",
      "DELETE FROM friends_piece WHERE number = 2", "DELETE FROM friends_piece", "UPDATE friends_piece SET count = count - 1",
      "UPDATE friends_piece SET last = last - 1 WHERE number = 3", "DROP TABLE friends_piece", "DROP TABLE friends_letters",
    ])
  func damage(sql: String) async throws {
    try await fill()
    #expect(try await finding() == nil)
    try store.run(sql)
    try await expectFinding()
  }

  @Test("a list from which one row was taken, and which is valid, is found")
  func rowLess() async throws {
    try await fill()
    try change { $0.remove(at: 350) }
    try await expectFinding()
  }

  @Test("a row too many in a valid list is found where no update can have left it")
  func rowMore() async throws {
    try await friends.land((0..<700).map { Friend($0) }, from: .page(0))
    try await friends.land((700..<1_400).map { Friend($0, $0 == 1_000 ? "Nobody" : nil) }, from: .page(1))
    try await friends.land((1_400..<2_100).map { Friend($0) }, from: .page(2))
    #expect(try await finding() == nil)
    try change { $0.insert(1_001, at: 300) }
    #expect(try await finding() != nil)
  }

  @Test(
    "an index after many batches, updates, merges, deletions and removals fits, and a list that is taken from it is missed",
    arguments: 0..<6)
  func sound(seed: UInt64) async throws {
    let dice = SeededDice(seed: seed)
    for page in 1...40 {
      let start = dice.index(below: 1_500)
      let batch = (0...dice.index(below: 200)).map { Friend(start + $0, "Friend \(start + $0) on \(page)") }
      let rule: Batch.Rule = dice.index(below: 3) == 0 ? .firstStays : .lastStays
      try await friends.land(batch, from: .page(page, at: page), rule: rule)
      switch dice.index(below: 12) {
      case 0: try await store.optimize(friends.kind, bulk: true)
      case 1: _ = try await store.delete("\(start)", of: friends.kind, at: Moment(secondsSinceEpoch: page))
      case 2:
        try store.database.writing {
          _ = try $0.remove("row = (SELECT max(row) FROM friends_record) AND id <> ?1", "", of: friends.kind)
        }
      default: break
      }
      #expect(try await finding()?.message == nil, "page \(page)")
      // The same with many groups of records.
      #expect(try store.database.reading { try !$0.hasWrongIndex(of: friends.kind, atOnce: 6_000) })
    }
    try store.run("DELETE FROM friends_letters WHERE key % \(Letters.count) = \(Self.letters)")
    #expect(try store.database.reading { try $0.hasWrongIndex(of: friends.kind, atOnce: 6_000) })
    #expect(try await finding() != nil)
  }

  @Test("a store without records and an index of other fields are no damage")
  func unused() async throws {
    #expect(try await finding() == nil)
    #expect(!scratch.names().contains("store.db"))
    try await fill()
    #expect(try await store.searchTrouble(of: RecordKind("others")) == nil)
    try store.run("UPDATE source_info SET indexed = 'other fields'; DELETE FROM friends_letters")
    #expect(try await finding() == nil)
  }

  @Test("a store that is being written is checked as it was before, and damage that cannot be noted is told with the reason")
  func written() async throws {
    try await fill()
    let (other, again) = (try Connection(scratch["store.db"]), SQLiteStore(at: scratch["store.db"], patience: .zero))
    try other.run("BEGIN IMMEDIATE; DELETE FROM friends_letters")
    #expect(try await again.searchTrouble(of: friends.kind) == nil)
    try other.run("ROLLBACK; DELETE FROM friends_letters WHERE key = (SELECT max(key) FROM friends_letters); BEGIN IMMEDIATE")
    let finding = try #require(try await again.searchTrouble(of: friends.kind))
    #expect(finding.message.contains("does not fit its records") && finding.message.contains("is locked by another process"))
    try other.run("ROLLBACK")
    #expect(try store.number("SELECT count(*) FROM source_info WHERE indexed <> ''") == 1)
    #expect(try await again.searchTrouble(of: friends.kind) != nil)
    #expect(try store.number("SELECT count(*) FROM source_info WHERE indexed = ''") == 1)
  }
}

extension SQLiteStore {
  /// The piece of the friends' index with this number.
  fileprivate func piece(_ number: Int64) throws -> IndexPiece? {
    try database.reading { try $0.pieces(of: friends.kind).first { $0.number == number } }
  }
}
