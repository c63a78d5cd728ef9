public import AggregatorCore

/// The rows of a feed, page by page, without those that are hidden.
///
/// A row is never moved: one that is shown again is back at its place. A copy shares the pages, so it costs little however many there are.
public struct FeedItems<Item: SourceItem>: Sendable, RandomAccessCollection {
  private var pages: [[Item]] = []
  /// How many rows there are up to the end of each page.
  private var ends: [Int] = []
  /// The places of the hidden rows, in order.
  private var hidden: [Int] = []

  /// How many rows there are, the hidden ones included.
  var rowCount: Int { ends.last ?? 0 }

  public var startIndex: Int { 0 }
  public var endIndex: Int { rowCount - hidden.count }

  public subscript(index: Int) -> Item { row(at: place(of: index)) }

  /// The row at a place that counts the hidden ones.
  func row(at place: Int) -> Item {
    let page = Self.first(below: ends.count) { ends[$0] > place }
    return pages[page][place - (page == 0 ? 0 : ends[page - 1])]
  }

  /// Where a row is that so many visible ones stand before.
  private func place(of index: Int) -> Int {
    // Before the hidden row number k stand as many visible ones as its place says, but for the k hidden ones.
    index + Self.first(below: hidden.count) { hidden[$0] - $0 > index }
  }

  mutating func append(_ rows: [Item]) {
    guard !rows.isEmpty else { return }
    ends.append(rowCount + rows.count)
    pages.append(rows)
  }

  mutating func hide(_ place: Int) {
    let index = Self.first(below: hidden.count) { hidden[$0] >= place }
    if index == hidden.count || hidden[index] != place { hidden.insert(place, at: index) }
  }

  mutating func show(_ place: Int) {
    let index = Self.first(below: hidden.count) { hidden[$0] >= place }
    if index < hidden.count, hidden[index] == place { hidden.remove(at: index) }
  }

  /// The first number from which on `holds` is true, where it never turns false again.
  private static func first(below count: Int, where holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension FeedItems: Equatable where Item: Equatable {
  /// Whether the same rows are to be seen, however they came. Copies share their pages, which makes most comparisons quick.
  public static func == (some: FeedItems, others: FeedItems) -> Bool {
    some.count == others.count && (some.pages == others.pages && some.hidden == others.hidden || some.elementsEqual(others))
  }
}
