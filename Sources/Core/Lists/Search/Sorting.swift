/// The order in which the records are wanted. A request carries it to a source that has all of them at hand; a page shows by
/// ``Page/isSorted`` that it is in this order.
package final class Sorting: Sendable {
  /// The number of records that are wanted from the beginning; nil for all.
  package let most: Int?
  /// Returns the sort key of a record, given its own fields as JSON. Smaller bytes come first; equal keys keep the order of the list.
  package let key: @Sendable (JSON) throws -> [UInt8]

  package init(most: Int?, key: @escaping @Sendable (JSON) throws -> [UInt8]) { (self.most, self.key) = (most, key) }

  /// A key after all other keys, for a row that cannot be read.
  static let last: [UInt8] = [.max]
}

extension Sorting: Equatable {
  /// True only for the same object, because keys cannot be compared.
  package static func == (left: Sorting, right: Sorting) -> Bool { left === right }
}

// MARK: - Keys

extension [UInt8] {
  package mutating func append(bigEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }

  /// Reverses the order in which the bytes from `start` on sort.
  package mutating func invert(from start: Int) { for index in start..<count { self[index] = ~self[index] } }

  /// Adds a text that sorts by its bytes, in a form that is never the beginning of another text's form.
  package mutating func append(ordered text: String) {
    for byte in text.utf8 {
      // A byte below 2 is escaped, because 0 marks the end and 1 the escape.
      if byte < 2 { append(1) }
      append(byte < 2 ? byte + 1 : byte)
    }
    append(0)
  }
}

/// Keeps the first of many keys, in limited memory.
struct KeySorter {
  /// A key and its row; the rows after it are wanted.
  struct Bound: Sendable {
    let key: [UInt8]
    let row: Int64
  }

  private struct Entry {
    /// The first bytes of the key, which usually decide.
    let beginning: UInt64
    let row: Int64
    let start: UInt32
    let count: UInt32
  }

  /// The number of bytes that keys may use: enough for about a million and a half usual ones.
  static let room = 64 << 20

  private let most: Int
  private let room: Int
  private let floor: Bound?
  private var entries: [Entry] = []
  private var bytes: [UInt8] = []
  /// The last key inside; keys after it were left out. Nil if none was left out.
  private var bar: Bound?

  /// Keeps the first `most` of the keys after `floor`, or fewer if they need more room.
  init(most: Int, after floor: Bound?, room: Int = room) { (self.most, self.floor, self.room) = (most, floor, room) }

  mutating func add(_ key: [UInt8], _ row: Int64) {
    if let floor, !Self.stands((floor.key, floor.row), before: (key, row)) { return }
    if let bar, !Self.stands((key, row), before: (bar.key, bar.row)) { return }
    var beginning: UInt64 = 0
    for index in 0..<8 { beginning = beginning << 8 | UInt64(index < key.count ? key[index] : 0) }
    entries.append(Entry(beginning: beginning, row: row, start: UInt32(bytes.count), count: UInt32(key.count)))
    bytes += key
    if entries.count / 2 > most { cut(to: most) }
    if bytes.count + entries.count * MemoryLayout<Entry>.stride > room { cut(to: max(1, entries.count / 2)) }
  }

  /// Returns the rows in order, and the bound after which others follow; nil if these are all.
  mutating func end() -> (rows: [Int64], next: Bound?) {
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
    bar = Bound(key: Array(key(of: last)), row: last.row)
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
