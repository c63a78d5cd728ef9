import AggregatorCore
import ScratchFolders
import SourceTesting
import TestServers
import Testing

@testable import Store

/// The search index: lists of rows by three letters, in pieces that are merged.
@Suite("The index of letters") final class SearchIndexTests: FileSuite {
  @Test("a list of rows is read as it was written, and two lists become one that has the rows of both", arguments: 0..<40)
  func lists(seed: UInt64) throws {
    let dice = SeededDice(seed: seed)
    let (one, two) = (Self.rows(dice), Self.rows(dice))
    var list = try Self.list(one)
    #expect(try Self.rows(of: list) == one.sorted())
    try list.add(try Self.list(two))
    #expect(try Self.rows(of: list) == one.union(two).sorted())
    var cursor = try RowCursor(list.bytes)
    for row in Self.rows(dice).sorted() {
      cursor.advance(to: row)
      #expect(cursor.row == one.union(two).filter { $0 >= row }.min())
    }
  }

  @Test("a list of which any bit was changed, or the end is missing, is damaged", arguments: 0..<40)
  func damagedLists(seed: UInt64) throws {
    let dice = SeededDice(seed: seed)
    let bytes = try Self.list(Self.rows(dice)).bytes
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 1 << UInt8(dice.index(below: 8))
      for damaged in [changed, Array(bytes[..<place])] {
        #expect(throws: SQLiteFailure.self) { try damaged.withUnsafeBufferPointer { try RowList($0) } }
      }
    }
  }

  @Test(
    "the index finds the rows that have the letters, whatever the size of the batches, with updates, in every script", arguments: 0..<12)
  func model(seed: UInt64) throws {
    let (dice, connection) = (SeededDice(seed: seed), try Connection(":memory:"))
    let kind = RecordKind("friends")
    try connection.makeTables(of: kind)
    var texts: [Int64: [String]] = [:]
    for _ in 0..<90 {
      // Batches of a hundred letters make pieces of several sizes.
      for _ in 0...dice.index(below: [2, 40, 300][dice.index(below: 3)]) {
        let row = dice.index(below: 8) == 0 ? Int64(1 + dice.index(below: texts.count + 1)) : Int64(texts.count + 1)
        let text = Self.text(dice)
        texts[row, default: []].append(text)
        Array("\(text)\n\n".utf8).withUnsafeBytes { connection.indexedRows.add(row, $0) }
      }
      try connection.transaction { try connection.indexRows(of: kind) }
      if dice.index(below: 30) == 0 { try connection.transaction { try connection.mergeIndex(of: kind) } }
    }
    let pieces = try connection.pieces(of: kind)
    #expect((0..<IndexPiece.largest).allSatisfy { size in pieces.count { $0.size == size } < IndexPiece.mostOfOneSize })
    for _ in 0..<60 {
      let (needle, start) = (Self.needle(dice), Int64(dice.index(below: texts.count)))
      guard let terms = SearchTerms(needle) else { continue }
      let due = texts.filter { $0.key > start && $0.value.contains { terms.match($0) } }.keys.sorted()
      #expect(try connection.indexed(terms, of: kind, after: start) == due, "\(needle)")
      // Each row that has the needle is among them.
      let having = texts.filter { $0.key > start && $0.value.contains { $0.contains(needle) } }.keys
      #expect(Set(having).isSubset(of: due), "\(needle)")
    }
  }

  @Test("a rare row among many pieces is found, and pieces after the last one that is asked for are not read")
  func pieces() async throws {
    for page in 0..<40 { try await friends.land((0..<150).map { Friend(page * 150 + $0) }, from: .page(page)) }
    let kind = friends.kind
    #expect(try store.indexed("friend 5777", of: kind) == [5_778])
    #expect(try store.number("SELECT count(*) FROM friends_piece") < IndexPiece.mostOfOneSize + 3)
    #expect(try store.number("SELECT sum(count) FROM friends_piece") == 6_000)
    try await store.optimize(kind, bulk: true)
    #expect(try store.number("SELECT count(*) FROM friends_piece") == 1)
    #expect(try store.indexed("friend 5777", of: kind) == [5_778])
    #expect(try store.number("SELECT count(DISTINCT key / \(Letters.count)) FROM friends_letters") == 1)
  }

  @Test("a batch that is larger than the memory for letters becomes several pieces")
  func largeBatch() async throws {
    let long = (0..<600).map { number in
      Friend(id: "\(number)", name: (0..<900).map { String($0 * number % 46_656, radix: 36) }.joined(separator: "x"))
    }
    try await friends.land(long, from: .page(1))
    #expect(try store.number("SELECT count(*) FROM friends_piece") > 1)
    #expect(try await store.walk(.matching(long[599].name)).items.map(\.id) == ["599"])
  }

  @Test(
    "a damaged index costs time, never a record, and is made again by what meets the damage",
    arguments: [
      "UPDATE friends_letters SET list = x'00ff00ff00ff'", "UPDATE friends_letters SET list = 'text'",
      "UPDATE friends_letters SET list = x''",
      "UPDATE friends_piece SET first = -9223372036854775808", "UPDATE friends_piece SET last = 9223372036854775807",
      "UPDATE friends_piece SET number = -9223372036854775808 WHERE number = 2",
      "UPDATE friends_piece SET number = 9223372036854775807 WHERE number = 2",
      "UPDATE friends_piece SET count = -1", "UPDATE friends_piece SET count = 'many'",
      "UPDATE friends_letters SET list = CAST(list || x'80' AS BLOB)",
      "UPDATE friends_letters SET list = CAST(substr(list, 1, 30) || x'03' || substr(list, 32) AS BLOB)",
      "UPDATE friends_letters SET list = CAST(x'02' || substr(list, 2) AS BLOB)", "DELETE FROM friends_piece",
      "DELETE FROM friends_letters",
      "DELETE FROM friends_piece WHERE number = 2", "DROP TABLE friends_piece", "DROP TABLE friends_letters",
    ])
  func damage(sql: String) async throws {
    for page in 0..<3 { try await friends.land((0..<700).map { Friend(page * 700 + $0) }, from: .page(page)) }
    let texts = ["friend 77", "fr", "friend 2099", "7", "dn"]
    var sound: [[Friend]] = []
    for text in texts { sound.append(try await store.walk(.matching(text)).items) }
    try store.run(sql)
    let again = SQLiteStore(at: scratch["store.db"])
    for (text, sound) in zip(texts, sound) { #expect(try await again.walk(.matching(text)).items == sound, "\(text)") }
    try await again.friends.land([Friend(2_100)], from: .page(4))
    try await again.optimize(friends.kind, bulk: true)
    #expect(try again.indexed("friend 2100", of: friends.kind) == [2_101])
    #expect(try again.indexed("friend 2099", of: friends.kind) == [2_100])
  }

  @Test("an index whose tables somebody has replaced by others is an error, and ends")
  func otherTables() async throws {
    try await friends.land([Friend(1)], from: .page(1))
    try store.run("DROP TABLE friends_letters; CREATE TABLE friends_letters(key INTEGER PRIMARY KEY)")
    #expect(try await store.walk(.matching("friend 1")).items == [Friend(1)])
    let again = SQLiteStore(at: scratch["store.db"])
    await #expect(throws: SourceError.self) { try await again.friends.land([Friend(2)], from: .page(2)) }
  }

  private static func rows(_ dice: SeededDice) -> Set<Int64> {
    let span = [50, 5_000, 1 << 40][dice.index(below: 3)]
    return Set((0...dice.index(below: 40)).map { _ in 1 + Int64(dice.index(below: span)) })
  }

  private static func list(_ rows: Set<Int64>) throws -> RowList {
    let sorted = rows.sorted()
    var list = RowList(try #require(sorted.first))
    for row in sorted { list.append(row) }
    return list
  }

  private static func rows(of list: RowList) throws -> [Int64] {
    var (cursor, rows) = (try RowCursor(list.bytes), [Int64]())
    while let row = cursor.row {
      rows.append(row)
      cursor.advance()
    }
    return rows
  }

  private static let letters = Array("aaabcdez059жщλ語名前")

  private static func text(_ dice: SeededDice) -> String {
    (0...dice.index(below: 3)).map { _ in needle(dice, most: 9) }.joined(separator: "\n")
  }

  private static func needle(_ dice: SeededDice, most: Int = 5) -> String {
    String((0...dice.index(below: most)).map { _ in letters[dice.index(below: letters.count)] })
  }
}

extension SearchTerms {
  /// True when a text with two line breaks at its end has the letters.
  fileprivate func match(_ text: String) -> Bool {
    let symbols = Array("\(text)\n\n".utf8).withUnsafeBytes { Array(Letters.Symbols($0)) }
    let numbers = Set((0..<max(0, symbols.count - 2)).map { Letters.number(of: symbols[$0..<$0 + 3]) })
    return switch self {
    case .all(let sought): numbers.isSuperset(of: sought)
    case .any(let sought): numbers.contains { sought.contains($0) }
    }
  }
}

extension Connection {
  /// The rows after `start` that the index finds.
  fileprivate func indexed(_ terms: SearchTerms, of kind: RecordKind, after start: Int64 = 0) throws -> [Int64] {
    var (hits, rows) = (try IndexHits(terms, of: kind, after: start, on: self), [Int64]())
    while let row = try hits.next() { rows.append(row) }
    return rows
  }

  /// The rows that the index finds for a text.
  func indexed(_ text: String, of kind: RecordKind) throws -> [Int64] {
    try SearchTerms(text).map { try indexed($0, of: kind) } ?? []
  }
}

extension SQLiteStore {
  /// The rows that the index finds for a text.
  func indexed(_ text: String, of kind: RecordKind) throws -> [Int64] { try database.reading { try $0.indexed(text, of: kind) } }
}
