import AggregatorCore
import Asking
package import Feed
import Presentation
import RecordFormats
import Synchronization
import Terminal

/// The state of one source in the browser.
package typealias Listing = FeedState<BrowsedRecord>

/// A record as the browser shows it.
package struct BrowsedRecord: SourceItem {
  let look: any RecordLook

  package var id: String { look.id }
}

/// The appearance of a record in the browser.
protocol RecordLook: Sendable {
  var id: String { get }
  var card: Card { get }
  var picture: WebAddress? { get }
  /// The address of the page about it.
  var link: WebAddress? { get }
  /// The record of a source that a row of a view is about; nil for a record of a source.
  var target: BrowsedTarget? { get }
  /// The values that the fields of such records have, for conditions and orders.
  var leaves: [Leaf] { get }
  /// The record as `list` writes it, or in full as `show` writes it.
  func value(inFull: Bool) -> Value
  /// Returns the value that the record has in a column.
  func value(at path: FieldPath) -> Value
  /// Returns the record in full, in labelled lines.
  func lines(width: Int) -> [String]
  /// Returns the field that contains the searched text, with its label; nil if one of the `shown` texts contains it, or if no field does.
  func reason(for text: SearchPhrase, besides shown: [String]) -> String?
  /// True when a table of such records says more than an id and a title, and cuts few titles.
  func isTableWorthwhile(of list: FeedItems<BrowsedRecord>, width: Int) -> Bool
  /// Returns the row of this record in a table. The columns are the same for all records of `list`.
  func row(from list: FeedItems<BrowsedRecord>, in shape: BrowserTable) -> String
  /// Returns the header of that table.
  func header(from list: FeedItems<BrowsedRecord>, in shape: BrowserTable) -> String
  /// Returns the columns of that table as they are shown, from the left to the right.
  func spans(from list: FeedItems<BrowsedRecord>, in shape: BrowserTable) -> [TableLines.Span]
  /// Returns the paths of all columns that the table may show, in their order.
  func paths(from list: FeedItems<BrowsedRecord>, in shape: BrowserTable) -> [FieldPath]
}

/// The record of a source that a row of a view is about, or the source itself.
package struct BrowsedTarget: Sendable, Hashable {
  let source: String
  var id: String?
}

/// A record of a source, with the columns for all records of that source.
struct RecordView: RecordLook {
  let record: ShownRecord
  let looks: RecordLooks
  /// The id of a row that does not come from a source.
  var rowID: String?
  var target: BrowsedTarget?

  var id: String { rowID ?? record.id }
  var card: Card { looks.list.card(of: record) }
  var picture: WebAddress? { record.pictures.first }
  var link: WebAddress? { record.link }
  var leaves: [Leaf] { looks.list.fields.leaves }

  func value(inFull isFull: Bool) -> Value { (isFull ? looks.full : looks.list).value(of: record) }

  func value(at path: FieldPath) -> Value {
    let column = looks.list.all.first { $0.leaf.path == path }
    return column.map { looks.list.values(of: record, in: [$0])[0] } ?? .null
  }

  /// Returns the fields that have a value. Fields of the full record are only there once it was loaded.
  func lines(width: Int) -> [String] {
    LabelledLines(looks.full, width: max(1, width), style: Style(isColored: false)).of(record)
  }

  func reason(for text: SearchPhrase, besides shown: [String]) -> String? {
    looks.list.reason(for: text, in: record, besides: shown + [id])
  }

  func isTableWorthwhile(of list: FeedItems<BrowsedRecord>, width: Int) -> Bool {
    lines(from: list, BrowserTable(width: width)).isWorthwhile
  }

  func row(from list: FeedItems<BrowsedRecord>, in shape: BrowserTable) -> String { lines(from: list, shape).of(record) }

  func header(from list: FeedItems<BrowsedRecord>, in shape: BrowserTable) -> String { lines(from: list, shape).header }

  func spans(from list: FeedItems<BrowsedRecord>, in shape: BrowserTable) -> [TableLines.Span] {
    lines(from: list, shape).spans
  }

  func paths(from list: FeedItems<BrowsedRecord>, in shape: BrowserTable) -> [FieldPath] { lines(from: list, shape).paths }

  /// Returns the layout of a table, made from records all over the list, so that it stays the same while a person scrolls.
  private func lines(from list: FeedItems<BrowsedRecord>, _ shape: BrowserTable) -> TableLines {
    let measure = RecordLooks.Measure(shape: shape, count: list.count, first: list.isEmpty ? nil : list[0].id)
    return looks.fitted(to: measure) { shown(stride(from: 0, to: list.count, by: list.count / 64 + 1).map { list[$0] }) }
  }

  private func shown(_ records: some Collection<BrowsedRecord>) -> [ShownRecord] {
    records.compactMap { ($0.look as? Self)?.record }
  }
}

/// The columns of a source's records: for cards and tables, and for a record in full.
final class RecordLooks: Sendable {
  let list: Columns
  let full: Columns
  /// The last table layout, because most frames show the same list as the frame before.
  private let last = Mutex<(measure: Measure, lines: TableLines, more: [Leaf])?>(nil)

  init(list: Columns, full: Columns) { (self.list, self.full) = (list, full) }

  convenience init(_ source: OpenedSource) {
    self.init(list: Columns(of: source, detail: false), full: Columns(of: source, detail: true))
  }

  /// The properties of a list that decide the layout of its table.
  struct Measure {
    let shape: BrowserTable
    let count: Int
    /// The id of the first record.
    let first: String?

    /// True when a layout for `other` serves this list as well: the list is the same, or has grown to about four times its size at most.
    func isServed(by other: Measure) -> Bool {
      (shape, first) == (other.shape, other.first) && count >= other.count && count / 4 <= other.count
    }
  }

  /// Returns the last layout if it serves that list, or else a layout made from `records`.
  func fitted(to measure: Measure, by records: () -> [ShownRecord]) -> TableLines {
    last.withLock { last in
      if let last, measure.isServed(by: last.measure) { return last.lines }
      let (shape, records) = (measure.shape, records())
      var lines = table(of: columns(of: shape.wish), in: shape, for: records)
      var more: [Leaf] = []
      if let last, (last.measure.shape, last.measure.first) == (shape, measure.first) {
        // The list has only grown, so its columns stay.
        more = last.more
      } else if shape.wish.fields == nil, shape.wish.first == nil {
        more = leaves(for: records, beside: lines, in: shape.width)
      }
      if !more.isEmpty {
        let chosen = Selection(chosen: list.inText.map(\.leaf) + more)
        lines = table(of: Columns(chosen, of: list.fields, id: list.id, at: list.moment), in: shape, for: records)
      }
      last = (measure, lines, more)
      return lines
    }
  }

  private func table(of columns: Columns, in shape: BrowserTable, for records: [ShownRecord]) -> TableLines {
    var lines = TableLines(
      columns, width: max(1, shape.width), style: Style(isColored: false), isFixed: true, whole: shape.wish.whole,
      from: shape.wish.first)
    lines.fit(records)
    return lines
  }

  /// The widest value that has room in a column which a table shows only because there is room to spare.
  private static let widestSpare = 32

  /// Returns values that the source declares as hidden, for which a table has room beside all other columns. Most records have them, and
  /// not all have the same.
  private func leaves(for records: [ShownRecord], beside lines: TableLines, in width: Int) -> [Leaf] {
    guard let last = lines.spans.last, lines.spans.count == list.inText.count else { return [] }
    var room = width - last.start - last.width
    return list.all.filter { $0.width == .hidden && ![.link, .picture].contains($0.field.role) && $0.leaf.kind != .address }
      .filter { column in
        let texts = records.map { shownText(list.values(of: $0, in: [column])[0]) }
        let needed = 2 + max(DisplayWidth.of(column.leaf.path.label), texts.map(DisplayWidth.of).max() ?? 0)
        guard needed <= min(room, Self.widestSpare), Set(texts).count > 1, texts.count(where: \.isEmpty) * 2 <= texts.count
        else {
          return false
        }
        room -= needed
        return true
      }.map(\.leaf)
  }

  /// Returns the columns that a person chose for lists, or else all.
  func columns(of wish: TableWish) -> Columns {
    guard let paths = wish.fields else { return list }
    let leaves = paths.compactMap { path in list.all.first { $0.leaf.path == path }?.leaf }
    return Columns(Selection(chosen: leaves), of: list.fields, id: list.id, at: list.moment)
  }

  func view(of record: ShownRecord) -> BrowsedRecord { BrowsedRecord(look: RecordView(record: record, looks: self)) }
}

extension Listing {
  /// The title that was probably meant, if a search found nothing.
  var suggestion: String? { items.isEmpty && head == .loaded ? summary.nearest.titles.first : nil }

  /// The number of records in the list, less those that were deleted here; nil if unknown. A service announces how many it has, and not how
  /// many of them meet conditions.
  var total: Int? {
    if !chosen.conditions.isEmpty { guard case .ended = tail else { return nil } }
    return summary.total.map { $0 - deleted.count }
  }

  /// True when further pages can be read without asking the service.
  var hasMoreAtHand: Bool { summary.origin.map { $0.kind != .live } == true && total.map { $0 > items.count } != false }

  /// Returns the index of a record, which is looked for around `index` first.
  func index(of id: String, near index: Int) -> Int? {
    let near = max(0, index - 8)..<max(max(0, index - 8), min(items.count, index + 9))
    return near.first { items[$0].id == id } ?? items.firstIndex { $0.id == id }
  }

  /// Returns the columns of the table as they are shown.
  func spans(in shape: BrowserTable) -> [TableLines.Span] { items.first?.look.spans(from: items, in: shape) ?? [] }
}
