import AggregatorCore
import Asking
package import Feed
import Presentation
import RecordFormats
import Synchronization
import Terminal

/// What the browser shows of one source at a moment.
package typealias Listing = FeedState<BrowsedRecord>

/// A record as the browser shows it.
package struct BrowsedRecord: SourceItem {
  let look: any RecordLook

  package var id: String { look.id }
}

/// What a record looks like.
protocol RecordLook: Sendable {
  var id: String { get }
  var card: Card { get }
  var picture: WebAddress? { get }
  /// The address of the page about it.
  var link: WebAddress? { get }
  /// In full, in labelled lines.
  func lines(width: Int) -> [String]
  /// The field in which it has what was looked for, where none of the `shown` texts has that.
  func reason(for text: SoughtText, besides shown: [String]) -> String?
  /// True when a table of such records says more than an id and a title, and cuts few titles.
  func isTableWorthwhile(of list: FeedItems<BrowsedRecord>, width: Int) -> Bool
  /// A table of records like this one, its header first; its columns are the same whichever records these are.
  func table(of records: some Collection<BrowsedRecord>, from list: FeedItems<BrowsedRecord>, width: Int) -> [String]
}

/// A record of a source, and what the records of that source look like.
struct RecordView: RecordLook {
  let record: ShownRecord
  let looks: RecordLooks

  var id: String { record.id }
  var card: Card { looks.list.card(of: record) }
  var picture: WebAddress? { record.pictures.first }
  var link: WebAddress? { record.link }

  /// The fields that say something; those of the full record only where they are there.
  func lines(width: Int) -> [String] {
    LabelledLines(looks.full, width: max(1, width), style: Style(isColored: false)).of(record)
  }

  func reason(for text: SoughtText, besides shown: [String]) -> String? {
    looks.list.reason(for: text, in: record, besides: shown + [id])
  }

  func isTableWorthwhile(of list: FeedItems<BrowsedRecord>, width: Int) -> Bool { lines(from: list, width: width).isWorthwhile }

  func table(of records: some Collection<BrowsedRecord>, from list: FeedItems<BrowsedRecord>, width: Int) -> [String] {
    let lines = lines(from: list, width: width)
    return [lines.header] + shown(records).map(lines.of)
  }

  /// Records from all over the list lay it out: it stays as it is where one scrolls.
  private func lines(from list: FeedItems<BrowsedRecord>, width: Int) -> TableLines {
    let place = RecordLooks.Place(width: width, count: list.count, first: list.isEmpty ? nil : list[0].id)
    return looks.fitted(to: place) { shown(stride(from: 0, to: list.count, by: list.count / 64 + 1).map { list[$0] }) }
  }

  private func shown(_ records: some Collection<BrowsedRecord>) -> [ShownRecord] {
    records.compactMap { ($0.look as? Self)?.record }
  }
}

/// The columns of a source's records: on a card and in a table, and in full.
final class RecordLooks: Sendable {
  let list: Columns
  let full: Columns
  /// The last table that was laid out: most frames show the same list as the one before.
  private let last = Mutex<(place: Place, lines: TableLines)?>(nil)

  init(_ source: OpenedSource) { (list, full) = (Columns(of: source, detail: false), Columns(of: source, detail: true)) }

  /// A list as far as a table of it depends on that.
  struct Place {
    let width: Int
    let count: Int
    /// The id of the first record.
    let first: String?

    /// True when a table that was laid out for `other` serves this list as well: the list is the same, or has grown to less than its fourfold.
    func isServed(by other: Place) -> Bool {
      (width, first) == (other.width, other.first) && count >= other.count && count / 4 <= other.count
    }
  }

  /// A table that is laid out by `records`, unless the last one serves that place.
  func fitted(to place: Place, by records: () -> [ShownRecord]) -> TableLines {
    last.withLock { last in
      if let last, place.isServed(by: last.place) { return last.lines }
      var lines = TableLines(list, width: max(1, place.width), style: Style(isColored: false))
      lines.fit(records())
      last = (place, lines)
      return lines
    }
  }

  func view(of record: ShownRecord) -> BrowsedRecord { BrowsedRecord(look: RecordView(record: record, looks: self)) }
}

extension Listing {
  /// The title that was probably meant, where nothing is found.
  var suggestion: String? { items.isEmpty && head == .loaded ? summary.nearest.titles.first : nil }

  /// How many records there are, where that is known. It was announced before any was deleted.
  var total: Int? { summary.total.map { $0 - deleted.count } }

  /// Whether there are further pages for which no service is asked.
  var hasMoreAtHand: Bool { summary.origin.map { $0.kind != .live } == true && total.map { $0 > items.count } != false }

  /// Where a record is, looked for first around `index`.
  func index(of id: String, near index: Int) -> Int? {
    let near = max(0, index - 8)..<max(max(0, index - 8), min(items.count, index + 9))
    return near.first { items[$0].id == id } ?? items.firstIndex { $0.id == id }
  }

  /// Some records as a table.
  func table(of indices: Range<Int>, width: Int) -> [String] {
    items.first?.look.table(of: items[indices], from: items, width: width) ?? []
  }
}
