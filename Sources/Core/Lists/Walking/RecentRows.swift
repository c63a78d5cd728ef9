/// The last rows of a list as a walk knows them, in their order; among these it looks for a known row.
struct RecentRows: Sendable {
  var marks: [UInt64]
  /// The first row of the list, from the last page that began there; nil if none is known.
  var start: UInt64?
  /// Enough rows for the furthest step back of a walk in pages of 100.
  private static var most: Int { 4_000 }

  /// The first row of the list, as far as it is known.
  var first: UInt64? { start ?? marks.first }

  func contains(_ mark: UInt64) -> Bool { marks.contains(mark) }

  /// Returns the rows up to `last`, as far as they are known.
  func upTo(_ last: UInt64) -> ArraySlice<UInt64> { marks.lastIndex(of: last).map { marks[...$0] } ?? [last] }

  mutating func append(_ rows: some Sequence<UInt64>) {
    marks += rows
    trim(upTo: marks.count)
  }

  /// Adds a page that overlaps with known rows; false if it has some of them in another order. `twins`, which come repeatedly, are ignored.
  mutating func merge(_ page: [UInt64], ignoring twins: Set<UInt64>) -> Bool {
    var indices: [UInt64: Int] = [:]
    var twins = twins
    for (index, mark) in marks.enumerated() where indices.updateValue(index, forKey: mark) != nil { twins.insert(mark) }
    let known = page.compactMap { twins.contains($0) ? nil : indices[$0] }
    guard zip(known, known.dropFirst()).allSatisfy({ $0 < $1 }) else { return false }
    guard let first = known.first, let last = known.last else {
      // The place of the page is unknown; the known rows come after it, or are gone.
      marks = page + marks
      trim(upTo: page.count)
      return true
    }
    marks = Array(marks[..<first]) + page + Array(marks[(last + 1)...])
    trim(upTo: first + page.count)
    return true
  }

  /// True when the known rows among these come in the known order.
  func isInOrder(_ rows: some Sequence<UInt64>) -> Bool {
    let known = rows.compactMap { marks.lastIndex(of: $0) }
    return zip(known, known.dropFirst()).allSatisfy { $0 < $1 }
  }

  /// Removes rows if they are too many: those that are far before the page that ends at `place`, and then the last ones.
  private mutating func trim(upTo place: Int) {
    // This is done seldom, since it moves all remaining rows.
    guard marks.count > 2 * Self.most else { return }
    let (before, surplus) = (max(0, place - Self.most), marks.count - Self.most)
    marks.removeLast(surplus - before)
    marks.removeFirst(before)
  }
}
