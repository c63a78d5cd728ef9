import AggregatorCore
import Feed
import Presentation
import Terminal

/// A part of the screen.
struct Area: Sendable, Hashable {
  var column = 0
  var row = 0
  var width = 0
  var height = 0
}

/// The areas of everything on a screen of one size.
struct BrowserLayout: Sendable, Hashable {
  /// The smallest size in which anything can be read.
  static let least = (columns: 20, rows: 5)

  /// Everything between the search field and the foot.
  var body: Area
  var list: Area
  /// True when the list is a table, with its header above it; otherwise it consists of cards.
  var isTable = false
  /// The area of the selected record beside or below the list; nil if it takes the list's place.
  var record: Area?
  /// The number of lines that say where the rows came from and how complete they are. The line with the keys is below them.
  var statusHeight: Int

  /// The number of columns from which on the list is always a table. From a hundred on it is one if the table has enough to show.
  static let wide = 140

  init(_ size: TerminalSize, prefersTable: Bool = false) {
    let (columns, rows) = (max(size.columns, Self.least.columns), max(size.rows, Self.least.rows))
    statusHeight = rows < 12 ? 1 : 2
    body = Area(row: 2, width: columns, height: rows - 3 - statusHeight)
    list = body
    if columns >= 100 {
      // A line is between them, with a column on either side of it.
      list.width = columns * 45 / 100
      record = Area(column: list.width + 3, row: body.row, width: columns - list.width - 3, height: body.height)
      isTable = (columns >= Self.wide || prefersTable) && list.height > 1
      if isTable { (list.row, list.height) = (list.row + 1, list.height - 1) }
    } else if rows >= 32 {
      let height = body.height / 3
      list.height -= height + 1
      record = Area(row: list.row + list.height + 1, width: columns, height: height)
    }
  }
}

/// The choice of a table where cards fit as well, with the list and the width for which it was made.
struct TableChoice: Sendable {
  let width: Int
  let asked: String?
  let isPreferred: Bool
}

extension Browser {
  var layout: BrowserLayout { BrowserLayout(size, prefersTable: tab.table?.isPreferred ?? false) }

  /// Chooses between a table and cards if the terminal has room for some tables, but not for those of all sources. The choice
  /// stays while more records come.
  mutating func chooseTable() {
    let width = BrowserLayout(size).list.width - 2
    let asked = tab.listing.asked
    guard 100..<BrowserLayout.wide ~= size.columns, let first = tab.listing.items.first,
      tab.table?.width != width || tab.table?.asked != asked
    else { return }
    let isPreferred = first.look.isTableWorthwhile(of: tab.listing.items, width: width)
    tab.table = TableChoice(width: width, asked: asked, isPreferred: isPreferred)
  }

  var isTooSmall: Bool { size.columns < BrowserLayout.least.columns || size.rows < BrowserLayout.least.rows }

  /// Returns the lines of a record in the list; the mark of the selected one takes two columns.
  func listLines(at index: Int) -> [Card.Line] {
    let width = layout.list.width - 2
    if layout.isTable { return listing.table(of: index..<index + 1, width: width).suffix(1).map { Card.Line(.title, $0) } }
    var lines = items[index].look.card.lines(width: width)
    if let reason = reason(at: index, besides: lines.map(\.text) + lines.map(\.badge)) {
      lines.append(Card.Line(.subtitle, DisplayWidth.truncate(reason, to: width)))
    }
    // A record without a title still has a line.
    return lines.isEmpty ? [Card.Line(.title, Printable.clean(items[index].id))] : Array(lines.prefix(layout.list.height))
  }

  /// Returns the reason why a search found the record, if the shown texts do not tell it.
  func reason(at index: Int, besides shown: [String]) -> String? {
    guard tab.picked == nil, let text = tab.sought else { return nil }
    return items[index].look.reason(for: text, besides: shown)
  }

  /// The number of lines of the selected record in full, including its picture.
  var recordHeight: Int { pictures.height + recordLines.count }

  /// The selected record in full, as far as it is known.
  var recordLines: [String] { pictureTrouble + fieldLines }

  private var pictureTrouble: [String] {
    guard let trouble = pictures.trouble else { return [] }
    return DisplayWidth.wrap(Printable.clean(trouble), width: recordWidth) + [""]
  }

  private var fieldLines: [String] {
    guard let record = tab.record else { return [] }
    guard mode == .record, let detail = listing.detail else { return marked + record.look.lines(width: recordWidth) }
    let lines = detail.item?.look.lines(width: recordWidth) ?? []
    guard let error = detail.phase.error else { return lines }
    // Above the rest, because below it a person may not see that something is missing.
    return DisplayWidth.wrap("\(look.text(error)); r tries again", width: recordWidth) + [""] + lines
  }

  /// The meaning of the mark on the selected row of a table: the field in which a search found the record.
  private var marked: [String] {
    let row = tab.window.lines(at: tab.selected).map(\.text)
    guard layout.isTable, !row.isEmpty, let reason = reason(at: tab.selected, besides: row) else { return [] }
    return DisplayWidth.wrap("\(Self.matchMark) \(reason)", width: recordWidth) + [""]
  }

  /// The mark on a row of a table whose record was found by a field that the row does not show.
  static var matchMark: String { "*" }

  private var recordWidth: Int { layout.record?.width ?? layout.list.width }
}
