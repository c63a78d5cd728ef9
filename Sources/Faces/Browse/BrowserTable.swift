import AggregatorCore
import Feed
import Presentation
import RecordFormats
import Terminal

/// The columns of a table as a person wants them.
struct TableWish: Sendable, Hashable {
  /// The columns in their order; nil for those that the source declares.
  var fields: [FieldPath]?
  /// The columns whose values are shown whole.
  var whole: Set<FieldPath> = []
  /// The index of the column after the id, once a person has scrolled sideways; nil while the layout chooses the columns that fit.
  var first: Int?
}

/// The shape of a table: its width on the terminal, and the columns as a person wants them.
struct BrowserTable: Sendable, Hashable {
  var width: Int
  var wish = TableWish()
}

// The current column, which is what sorting, filtering and copying a cell are about.
extension Browser {
  /// The shape of the table that is shown; the mark of the selected record takes two columns.
  var shape: BrowserTable { BrowserTable(width: layout.list.width - 2, wish: tab.table.wish) }

  /// The columns that are shown; empty while the list consists of cards.
  var spans: [TableLines.Span] { layout.isTable && !items.isEmpty ? listing.spans(in: shape) : [] }

  /// The current column; nil while the list consists of cards. At first it is the second one, because the first is the id.
  var span: TableLines.Span? { span(in: spans) }

  /// Returns the current column of these.
  func span(in spans: [TableLines.Span]) -> TableLines.Span? {
    spans.first { $0.path == tab.table.column } ?? spans.dropFirst().first ?? spans.first
  }

  /// The value in the current column of the selected record; nil while the list consists of cards.
  var cell: (path: FieldPath, value: Value)? {
    guard let span, let record = tab.record else { return nil }
    return (span.path, record.look.value(at: span.path))
  }

  private var paths: [FieldPath] { items.first?.look.paths(from: items, in: shape) ?? [] }

  /// Makes the next column the current one, or the one before it. A column beyond the edge scrolls the table sideways.
  mutating func moveColumn(by step: Int) -> [BrowserAction] {
    let paths = paths
    guard let span else { return [] }
    let index = span.index + step
    guard paths.indices.contains(index) else { return tell(step < 0 ? "this is the first column" : "this is the last column") }
    tab.table.column = paths[index]
    guard !spans.contains(where: { $0.index == index }) else { return [] }
    if step < 0 {
      tab.table.wish.first = index > 1 ? index : nil
    } else {
      for first in (tab.table.wish.first ?? 0)...index {
        tab.table.wish.first = first
        if spans.contains(where: { $0.index == index }) { break }
      }
    }
    return []
  }

  /// Shows the values of the current column whole, or as the layout has room for them.
  mutating func toggleWidth() -> [BrowserAction] {
    guard let span else { return tellNoColumns() }
    if tab.table.wish.whole.remove(span.path) == nil {
      tab.table.wish.whole.insert(span.path)
      return tell("\(span.path.label) is shown whole, as far as it fits; w narrows it")
    }
    return tell("\(span.path.label) shares the room with the other columns")
  }

  /// Leaves the current column out of the table.
  mutating func hideColumn() -> [BrowserAction] {
    guard let span else { return tellNoColumns() }
    let rest = paths.filter { $0 != span.path }
    guard !rest.isEmpty else { return tell("the last column stays") }
    (tab.table.wish.fields, tab.table.wish.first) = (rest, nil)
    tab.table.column = rest[min(span.index, rest.count - 1)]
    return tell("\(span.path.label) is hidden; v chooses the columns")
  }

  /// Shows or hides one of all columns, in the list from which they are chosen.
  mutating func toggleColumn(_ path: FieldPath) {
    var chosen = paths
    if chosen.contains(path) {
      if chosen.count > 1 { chosen.removeAll { $0 == path } }
    } else {
      let all = columnLeaves.map(\.path)
      let place = all.firstIndex(of: path) ?? 0
      chosen.insert(path, at: chosen.firstIndex { all.firstIndex(of: $0) ?? 0 > place } ?? chosen.count)
    }
    (tab.table.wish.fields, tab.table.wish.first) = (chosen, nil)
  }

  /// True when that column is one of those that the table shows if it has room.
  func isChosen(_ path: FieldPath) -> Bool { paths.contains(path) }

  /// All values of which columns can be made.
  var columnLeaves: [Leaf] { tab.leaves }

  /// Tells how to get a table, which columns need.
  mutating func tellNoColumns() -> [BrowserAction] {
    tell(
      items.isEmpty
        ? "no records, so no columns" : isTableRoomy ? "z shows a table, which has columns" : "a table needs 60 columns")
  }

  /// True when the terminal is wide enough for a table without the details beside it.
  var isTableRoomy: Bool { size.columns >= BrowserLayout.leastTable }
}
