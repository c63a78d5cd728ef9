import AggregatorCore
import Feed
import Presentation
import RecordFormats
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

  /// The least width of a table that has the screen for itself.
  static let leastTable = 60

  /// A layout for records that fit as `fit` says. With `isAlone` the list has the whole screen.
  init(_ size: TerminalSize, _ fit: ListFit? = nil, isAlone: Bool = false) {
    let (columns, rows) = (max(size.columns, Self.least.columns), max(size.rows, Self.least.rows))
    statusHeight = rows < 12 ? 1 : 2
    body = Area(row: 2, width: columns, height: rows - 3 - statusHeight)
    list = body
    if isAlone, columns >= Self.leastTable {
      isTable = list.height > 1
    } else if columns >= ListFit.leastColumns {
      // A line is between them, with a column on either side of it.
      let width = fit?.recordWidth ?? columns * 2 / 5
      list.width = columns - width - 3
      record = Area(column: list.width + 3, row: body.row, width: width, height: body.height)
      isTable = (columns >= Self.wide || fit?.prefersTable ?? false) && list.height > 1
    } else if isAlone {
      // The list has everything.
    } else if rows >= 32 {
      let height = body.height / 3
      list.height -= height + 1
      record = Area(row: list.row + list.height + 1, width: columns, height: height)
    }
    if isTable { (list.row, list.height) = (list.row + 1, list.height - 1) }
  }
}

/// The layout for a list on a wide terminal: the room that its records need in full, and whether it is a table where cards fit as well. It
/// stays while more records come, so that nothing moves.
struct ListFit: Sendable {
  /// The width and the list for which it was made.
  let columns: Int
  let asked: String?
  /// The width of the record beside the list.
  var recordWidth: Int
  var prefersTable = false

  /// The least width of a terminal on which a record has a place beside the list.
  static let leastColumns = 100
  /// The least and the greatest width of a record beside the list. Longer lines are hard to read.
  private static let widths = 28...72

  /// The room for lines, and for a picture if one may come, in a terminal of so many columns.
  init(_ items: FeedItems<BrowsedRecord>, asked: String?, columns: Int, hasPictures: Bool) {
    (self.columns, self.asked) = (columns, asked)
    let records = stride(from: 0, to: items.count, by: items.count / 12 + 1).map { items[$0] }
    // Most lines decide, because a single long text wraps anyway.
    let lines = records.flatMap { $0.look.lines(width: 1_000) }.map(DisplayWidth.of).sorted()
    let wanted = lines.isEmpty ? 0 : lines[(lines.count * 9 + 9) / 10 - 1]
    let picture = hasPictures && records.contains { $0.look.picture != nil } ? Browser.largestPicture.columns : 0
    recordWidth = min(max(wanted, Self.widths.lowerBound, picture), Self.widths.upperBound, columns * 45 / 100)
  }
}

extension Browser {
  /// A view on a narrow screen is a table alone: its rows say little as cards, and Enter shows what they are about.
  var layout: BrowserLayout {
    BrowserLayout(size, tab.table.fit, isAlone: isAlone || tab.source.view != nil && size.columns < ListFit.leastColumns)
  }

  /// Measures the records of the list, if that was not done for it in this size.
  mutating func fitList() {
    let asked = tab.listing.asked
    guard size.columns >= ListFit.leastColumns, let first = tab.listing.items.first,
      tab.table.fit?.columns != size.columns || tab.table.fit?.asked != asked
    else { return }
    var fit = ListFit(tab.listing.items, asked: asked, columns: size.columns, hasPictures: look.hasPictures)
    if size.columns < BrowserLayout.wide {
      // The rows of a view are short, and are compared with each other.
      fit.prefersTable =
        tab.source.view != nil
        || first.look.isTableWorthwhile(of: tab.listing.items, width: BrowserLayout(size, fit).list.width - 2)
    }
    tab.table.fit = fit
    guard BrowserLayout(size, fit).isTable,
      let last = listing.spans(in: BrowserTable(width: BrowserLayout(size, fit).list.width - 2)).last
    else { return }
    // What the columns do not need goes to the record, so that the eye has no gap to cross.
    let spare = BrowserLayout(size, fit).list.width - max(last.start + last.width + Self.margins, size.columns * 45 / 100)
    if spare > 0 { tab.table.fit?.recordWidth += spare }
  }

  /// The columns of the list beside those of its table: the mark of the selected record, and a gap.
  private static let margins = 4

  var isTooSmall: Bool { size.columns < BrowserLayout.least.columns || size.rows < BrowserLayout.least.rows }

  /// Returns the lines of a record in the list; the mark of the selected one takes two columns.
  func listLines(at index: Int) -> [Card.Line] {
    let width = layout.list.width - 2
    if layout.isTable { return [Card.Line(.title, items[index].look.row(from: items, in: shape))] }
    var lines = items[index].look.card.lines(width: width)
    if let reason = reason(at: index, besides: lines.map(\.text) + lines.map(\.badge)) {
      lines.append(Card.Line(.subtitle, DisplayWidth.truncate(reason, to: width)))
    }
    // A record without a title still has a line.
    return lines.isEmpty ? [Card.Line(.title, Printable.clean(items[index].id))] : Array(lines.prefix(layout.list.height))
  }

  /// Returns the reason why a search found the record, if the shown texts do not tell it.
  func reason(at index: Int, besides shown: [String]) -> String? {
    guard tab.pick.listing == nil, let text = tab.sought else { return nil }
    return items[index].look.reason(for: text, besides: shown)
  }

  /// The number of lines of the selected record in full, including its picture.
  var recordHeight: Int { pictures.height + recordLines.count }

  /// The selected record in full, as far as it is known.
  var recordLines: [String] { pictureTrouble + fieldLines + lackOfPictures }

  /// The reason why the record's picture is not shown; empty for a record without one.
  private var lackOfPictures: [String] {
    guard !look.hasPictures, record?.look.picture != nil else { return [] }
    return [""] + DisplayWidth.wrap("no picture: \(look.lackOfPictures)", width: recordWidth)
  }

  private var pictureTrouble: [String] {
    guard let trouble = pictures.trouble else { return [] }
    return DisplayWidth.wrap(Printable.clean(trouble), width: recordWidth) + [""]
  }

  private var fieldLines: [String] {
    guard mode == .record, let detail = listing.detail else {
      return tab.record.map { meaningOfMark + $0.look.lines(width: recordWidth) } ?? []
    }
    let lines = detail.item?.look.lines(width: recordWidth) ?? []
    guard let error = detail.phase.error else { return lines }
    // Above the rest, because below it a person may not see that something is missing.
    return DisplayWidth.wrap("\(look.text(error)); r tries again", width: recordWidth) + [""] + lines
  }

  /// The meaning of the mark on the selected row of a table: the field in which a search found the record.
  private var meaningOfMark: [String] {
    let row = tab.window.lines(at: tab.selected).map(\.text)
    guard layout.isTable, !row.isEmpty, let reason = reason(at: tab.selected, besides: row) else { return [] }
    return DisplayWidth.wrap("\(Self.matchMark) \(reason)", width: recordWidth) + [""]
  }

  /// The mark on a row of a table whose record was found by a field that the row does not show.
  static var matchMark: String { "*" }

  private var recordWidth: Int { layout.record?.width ?? layout.list.width }
}
