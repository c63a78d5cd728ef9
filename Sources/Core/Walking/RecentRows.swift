/// The last rows of a list as a walk knows them, in their order: where it looks for a row it knows.
struct RecentRows: Sendable {
  private(set) var marks: [UInt64]
  private let most: Int

  /// Remembers at most so many rows.
  init(_ marks: [UInt64] = [], most: Int) {
    self.marks = marks
    self.most = max(1, most)
  }

  func contains(_ mark: UInt64) -> Bool { marks.contains(mark) }

  /// Goes on behind the last row.
  mutating func append(_ rows: some Sequence<UInt64>) {
    marks += rows
    trim()
  }

  /// Adds a page that overlaps with known rows: rows inserted between them, and rows that are gone.
  ///
  /// False where the page has known rows in another order: then the list does not keep its order. `twins` are rows that the list has
  /// more than once, which tell nothing.
  mutating func merge(_ page: [UInt64], ignoring twins: Set<UInt64>) -> Bool {
    var places: [UInt64: Int] = [:]
    var twins = twins
    for (place, mark) in marks.enumerated() where places.updateValue(place, forKey: mark) != nil { twins.insert(mark) }
    let known = page.compactMap { twins.contains($0) ? nil : places[$0] }
    guard zip(known, known.dropFirst()).allSatisfy({ $0 < $1 }) else { return false }
    guard let first = known.first, let last = known.last else {
      // Its place is unknown; the known rows come after it, or are gone.
      marks = page + marks
      return true
    }
    marks = Array(marks[..<first]) + page + Array(marks[(last + 1)...])
    trim()
    return true
  }

  /// Whether the known rows among these come in the known order.
  func isInOrder(_ rows: some Sequence<UInt64>) -> Bool {
    let known = rows.compactMap { marks.lastIndex(of: $0) }
    return zip(known, known.dropFirst()).allSatisfy { $0 < $1 }
  }

  private mutating func trim() {
    // Seldom, since it moves all that is left.
    if marks.count > 2 * most { marks.removeFirst(marks.count - most) }
  }
}
