/// Rows and their letters, in memory, before they are a piece of an index.
///
/// It lasts from one piece to the next for its memory: two megabytes for the slots, and two for the letters.
struct IndexedRows {
  /// The facts about three letters: the last of the rows that has them, counted from 1, and the number of such rows.
  private struct Slot {
    var last: UInt32 = 0
    var count: UInt32 = 0
  }

  private(set) var rows: [Int64] = []
  /// The letters of all rows, one row after the other, each number once for a row.
  private var letters: [UInt32] = []
  /// For each row, the end of its letters.
  private var ends: [Int] = []
  /// The letters that any row has.
  private var present: [UInt32] = []
  /// One for each number of three letters; none before the first row.
  private var slots: [Slot] = []

  private let mostLetters: Int
  private static let mostRows = 1 << 16
  /// Enough for the letters of one more row, unless its text is very long.
  private static let spareLetters = 1 << 12

  /// Makes memory for so many letters of all rows.
  init(mostLetters: Int = 1 << 19) { self.mostLetters = mostLetters }

  /// True when the rows have to become a piece before others are added.
  var isFull: Bool { letters.count >= mostLetters - Self.spareLetters || rows.count >= Self.mostRows }

  /// The number of rows in all lists together.
  var entries: Int { letters.count }

  /// Adds a row with its text. The same row may be added again with another text.
  mutating func add(_ row: Int64, _ text: UnsafeRawBufferPointer) {
    if slots.isEmpty {
      slots = Array(repeating: Slot(), count: Letters.count)
      letters.reserveCapacity(mostLetters)
    }
    rows.append(row)
    let row = UInt32(truncatingIfNeeded: rows.count)
    var (number, length) = (0, 0)
    for symbol in Letters.Symbols(text) {
      number = Letters.number(after: number, symbol)
      length += 1
      if length >= 3 { note(number, of: row) }
    }
    // Every row is in a list, so that a piece without lists is a damaged one.
    if length < 3 { note(0, of: row) }
    ends.append(letters.count)
  }

  @inline(__always)
  private mutating func note(_ number: Int, of row: UInt32) {
    guard slots[number].last != row else { return }
    if slots[number].count == 0 { present.append(UInt32(number)) }
    slots[number] = Slot(last: row, count: slots[number].count + 1)
    letters.append(UInt32(number))
  }

  /// Removes all rows.
  mutating func removeAll() {
    for letters in present { slots[Int(letters)] = Slot() }
    rows.removeAll(keepingCapacity: true)
    letters.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    present.removeAll(keepingCapacity: true)
  }

  /// Calls `body` with each three letters in ascending order and the rows that have them, and removes all rows.
  mutating func drain(_ body: (_ letters: Int, _ rows: RowList) throws -> Void) rethrows {
    defer { removeAll() }
    guard let first = rows.first else { return }
    present.sort()
    let grouped = rowsByLetters()
    var (list, start) = (RowList(first), 0)
    for letters in present {
      let end = start + Int(slots[Int(letters)].count)
      list.restart(at: rows[Int(grouped[start])])
      for index in grouped[start..<end] { list.append(rows[Int(index)]) }
      try body(Int(letters), list)
      start = end
    }
  }

  /// Returns the indices of the rows that have each of the present letters: those of the first letters, then those of the second, each in
  /// the order of the rows.
  private mutating func rowsByLetters() -> [UInt16] {
    let isAscending = zip(rows, rows.dropFirst()).allSatisfy { $0 <= $1 }
    let order = isAscending ? Array(rows.indices) : rows.indices.sorted { rows[$0] < rows[$1] }
    // From here on, `last` is the place of the next row with these letters.
    var place: UInt32 = 0
    for letters in present {
      slots[Int(letters)].last = place
      place += slots[Int(letters)].count
    }
    return [UInt16](unsafeUninitializedCapacity: letters.count) { grouped, count in
      for index in order {
        for letters in letters[(index == 0 ? 0 : ends[index - 1])..<ends[index]] {
          grouped[Int(slots[Int(letters)].last)] = UInt16(index)
          slots[Int(letters)].last += 1
        }
      }
      count = letters.count
    }
  }
}
