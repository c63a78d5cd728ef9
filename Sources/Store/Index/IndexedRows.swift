/// Rows and their letters, in memory, before they are a piece of an index.
///
/// It is kept from one piece to the next for its memory, which is two megabytes for the slots and up to six for the letters.
final class IndexedRows {
  /// What is known of three letters: the last of the rows that has them, counted from 1, and the number of such rows.
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
  private var slots = [Slot](repeating: Slot(), count: Letters.count)

  /// True when the rows should become a piece before others are added.
  var isFull: Bool { letters.count >= 1 << 19 || rows.count >= 1 << 16 }

  /// Adds a row with its text. The same row may be added again with another text.
  func add(_ row: Int64, _ text: UnsafeRawBufferPointer) {
    rows.append(row)
    let row = UInt32(truncatingIfNeeded: rows.count)
    var (number, length) = (0, 0)
    for symbol in Letters.Symbols(text) {
      number = (number << 6 | symbol) & (Letters.count - 1)
      length += 1
      guard length >= 3, slots[number].last != row else { continue }
      if slots[number].count == 0 { present.append(UInt32(number)) }
      slots[number] = Slot(last: row, count: slots[number].count + 1)
      letters.append(UInt32(number))
    }
    ends.append(letters.count)
  }

  /// Removes all rows.
  func removeAll() {
    for letters in present { slots[Int(letters)] = Slot() }
    rows.removeAll(keepingCapacity: true)
    letters.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    present.removeAll(keepingCapacity: true)
  }

  /// Calls `body` with each three letters in ascending order and the rows that have them, and removes all rows.
  func drain(_ body: (_ letters: Int, _ rows: RowList) throws -> Void) rethrows {
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
  private func rowsByLetters() -> [UInt32] {
    let isAscending = zip(rows, rows.dropFirst()).allSatisfy { $0 <= $1 }
    let order = isAscending ? Array(rows.indices) : rows.indices.sorted { rows[$0] < rows[$1] }
    // From here on, `last` is the place of the next row with these letters.
    var place: UInt32 = 0
    for letters in present {
      slots[Int(letters)].last = place
      place += slots[Int(letters)].count
    }
    return [UInt32](unsafeUninitializedCapacity: letters.count) { grouped, count in
      slots.withUnsafeMutableBufferPointer { slots in
        for index in order {
          for letters in letters[(index == 0 ? 0 : ends[index - 1])..<ends[index]] {
            grouped[Int(slots[Int(letters)].last)] = UInt32(index)
            slots[Int(letters)].last += 1
          }
        }
      }
      count = letters.count
    }
  }
}
