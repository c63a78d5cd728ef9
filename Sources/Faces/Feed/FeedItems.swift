public import AggregatorCore

/// The rows of a feed, page by page, without the hidden ones.
///
/// A row never moves: when it is shown again, it is back at its index. Copies share the pages, so a copy costs
/// little however many rows it has.
public struct FeedItems<Item: SourceItem>: Sendable, RandomAccessCollection {
  private var pages: [[Item]] = []
  /// The number of rows up to the end of each page.
  private var ends: [Int] = []
  /// The indices of the hidden rows, in order.
  private var hidden: [Int] = []

  /// The number of rows, including the hidden ones.
  var rowCount: Int { ends.last ?? 0 }

  public var startIndex: Int { 0 }
  public var endIndex: Int { rowCount - hidden.count }

  public subscript(index: Int) -> Item { row(at: rowIndex(of: index)) }

  /// Returns the row at an index that counts hidden rows too.
  func row(at rowIndex: Int) -> Item {
    let page = Self.first(below: ends.count) { ends[$0] > rowIndex }
    return pages[page][rowIndex - (page == 0 ? 0 : ends[page - 1])]
  }

  /// Returns the index, hidden rows included, of a row that has `index` visible rows before it.
  private func rowIndex(of index: Int) -> Int {
    // The hidden row number k has hidden[k] - k visible rows before it.
    index + Self.first(below: hidden.count) { hidden[$0] - $0 > index }
  }

  /// True when all rows of `other` are among these, unchanged, because pages were only added. Compares no rows.
  package func continues(_ other: FeedItems) -> Bool {
    func start(_ page: [Item]?) -> UnsafePointer<Item>? { page?.withUnsafeBufferPointer(\.baseAddress) }
    // Copies share their pages, and a page that both still have cannot have given its address away.
    return pages.count >= other.pages.count && start(pages.first) == start(other.pages.first)
  }

  mutating func append(_ rows: [Item]) {
    guard !rows.isEmpty else { return }
    ends.append(rowCount + rows.count)
    pages.append(rows)
  }

  mutating func hide(_ rowIndex: Int) {
    let index = Self.first(below: hidden.count) { hidden[$0] >= rowIndex }
    if index == hidden.count || hidden[index] != rowIndex { hidden.insert(rowIndex, at: index) }
  }

  mutating func show(_ rowIndex: Int) {
    let index = Self.first(below: hidden.count) { hidden[$0] >= rowIndex }
    if index < hidden.count, hidden[index] == rowIndex { hidden.remove(at: index) }
  }

  /// Returns the first number below `count` for which `holds` is true, or `count`. After that number `holds` has to stay true.
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
  /// True when both show the same rows, however they came. Copies share their pages, which makes most comparisons quick.
  public static func == (some: FeedItems, others: FeedItems) -> Bool {
    some.count == others.count && (some.pages == others.pages && some.hidden == others.hidden || some.elementsEqual(others))
  }
}
