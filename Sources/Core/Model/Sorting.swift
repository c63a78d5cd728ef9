/// The order in which somebody wants the records. A request carries it to whoever has all of them at hand; a page says by ``Page/isSorted``
/// that it was heard.
package final class Sorting: Sendable {
  /// How many records are wanted, the first of them; nil where all are.
  package let most: Int?
  /// Where a record stands, of its own fields as JSON: the lesser bytes first, and equal ones in the order of the list.
  package let key: @Sendable (JSON) throws -> [UInt8]

  package init(most: Int?, key: @escaping @Sendable (JSON) throws -> [UInt8]) { (self.most, self.key) = (most, key) }

  /// Behind every other key: where a row stands that cannot be read.
  static let last: [UInt8] = [.max]
}

extension Sorting: Equatable {
  /// Two are the same where one answer serves both.
  package static func == (left: Sorting, right: Sorting) -> Bool { left === right }
}

// MARK: - Keys

extension [UInt8] {
  package mutating func append(bigEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }

  /// Turns the order of what stands behind `start` around.
  package mutating func invert(from start: Int) { for place in start..<count { self[place] = ~self[place] } }

  /// Adds a text in its bytes' order, so that no other text's begin with them.
  package mutating func append(ordered text: String) {
    for byte in text.utf8 {
      // What is less than 2 stands for itself and for the end.
      if byte < 2 { append(1) }
      append(byte < 2 ? byte + 1 : byte)
    }
    append(0)
  }
}

/// Keeps the first of many keys, in bounded memory.
struct KeySorter {
  /// A key and the row that it is of, behind which rows are wanted.
  struct Place: Sendable {
    let key: [UInt8]
    let row: Int64
  }

  private struct Entry {
    /// The first bytes of the key, which mostly decide.
    let beginning: UInt64
    let row: Int64
    let start: UInt32
    let count: UInt32
  }

  /// How many bytes keys may take up: about a million and a half of usual ones.
  static let room = 64 << 20

  private let most: Int
  private let room: Int
  private let floor: Place?
  private var entries: [Entry] = []
  private var bytes: [UInt8] = []
  /// What stands behind it was left out.
  private var bar: Place?

  /// Keeps the first `most` of the keys behind `floor`, or fewer where they need more room.
  init(most: Int, behind floor: Place?, room: Int = room) { (self.most, self.floor, self.room) = (most, floor, room) }

  mutating func add(_ key: [UInt8], _ row: Int64) {
    if let floor, !Self.stands((floor.key, floor.row), before: (key, row)) { return }
    if let bar, !Self.stands((key, row), before: (bar.key, bar.row)) { return }
    var beginning: UInt64 = 0
    for place in 0..<8 { beginning = beginning << 8 | UInt64(place < key.count ? key[place] : 0) }
    entries.append(Entry(beginning: beginning, row: row, start: UInt32(bytes.count), count: UInt32(key.count)))
    bytes += key
    if entries.count / 2 > most { cut(to: most) }
    if bytes.count + entries.count * MemoryLayout<Entry>.stride > room { cut(to: max(1, entries.count / 2)) }
  }

  /// The rows in their order, and behind which place others follow; nil where these are all.
  mutating func end() -> (rows: [Int64], next: Place?) {
    cut(to: most)
    return (entries.map(\.row), bar)
  }

  private mutating func cut(to count: Int) {
    bytes.withUnsafeBytes { bytes in
      entries.sort { left, right in
        if left.beginning != right.beginning { return left.beginning < right.beginning }
        let keys = [left, right].map { bytes[Int($0.start)..<Int($0.start) + Int($0.count)] }
        return Self.stands((keys[0], left.row), before: (keys[1], right.row))
      }
    }
    guard entries.count > count, let last = entries.prefix(count).last else { return }
    bar = Place(key: Array(key(of: last)), row: last.row)
    entries.removeLast(entries.count - count)
    var left: [UInt8] = []
    entries = entries.map { entry in
      defer { left += key(of: entry) }
      return Entry(beginning: entry.beginning, row: entry.row, start: UInt32(left.count), count: entry.count)
    }
    bytes = left
  }

  private func key(of entry: Entry) -> ArraySlice<UInt8> { bytes[Int(entry.start)..<Int(entry.start) + Int(entry.count)] }

  private static func stands(
    _ left: (key: some Collection<UInt8>, row: Int64), before right: (key: some Collection<UInt8>, row: Int64)
  ) -> Bool {
    left.key.elementsEqual(right.key) ? left.row < right.row : left.key.lexicographicallyPrecedes(right.key)
  }
}
