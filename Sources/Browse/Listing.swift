package import AggregatorCore
package import Feed
package import Presentation
import Terminal

/// What the browser shows of one source at a moment, whatever its records are made of.
package protocol Listing: Sendable {
  /// What stands in the search field, and the search that the rows answer.
  var typed: String { get }
  var asked: String? { get }
  var head: FeedHead { get }
  var tail: FeedTail { get }
  /// What the first page waits for, while it is asked for.
  var wait: FeedWait? { get }
  var summary: Summary { get }
  var canDelete: Bool { get }
  /// The ids of the deleted records, the last one last.
  var deleted: [String] { get }
  /// The record that an undo brings back.
  var undoable: String? { get }
  /// Why the last deletion or the undoing of one was refused.
  var refusal: SourceError? { get }
  /// The record that is shown in full, and how far it is.
  var detail: (id: String, phase: FeedPhase)? { get }

  var count: Int { get }
  func id(at index: Int) -> String
  func card(at index: Int) -> Card
  /// A table of some records, its header first; its columns are the same whichever records these are.
  func table(of indices: Range<Int>, width: Int) -> [String]
  func picture(at index: Int) -> WebAddress?
  func link(at index: Int) -> WebAddress?
  /// Of the record that is shown in full.
  var detailPicture: WebAddress? { get }
  var detailLink: WebAddress? { get }
  /// A record in labelled lines, as the list has it.
  func lines(at index: Int, width: Int) -> [String]
  /// The record that is shown in full, in labelled lines; none where not even the list has it.
  func detailLines(width: Int) -> [String]
}

extension Listing {
  package var wait: FeedWait? { nil }
  package var detailPicture: WebAddress? { nil }
  package var detailLink: WebAddress? { nil }
  package func picture(at index: Int) -> WebAddress? { nil }
  package func link(at index: Int) -> WebAddress? { nil }
}

/// How far one record is; of every type of record alike.
package enum FeedPhase: Sendable, Hashable {
  case loading
  case loaded
  case failed(SourceError)
}

extension Listing {
  /// The title that was probably meant, where nothing is found.
  var suggestion: String? { count == 0 && head == .loaded ? summary.nearest.titles.first : nil }

  /// How many records there are, where that is known. It was announced before any was deleted.
  var total: Int? { summary.total.map { $0 - deleted.count } }

  /// Whether there are further pages for which no service is asked.
  var hasMoreAtHand: Bool { summary.origin.map { $0.kind != .live } == true && total.map { $0 > count } != false }

  /// Where a record is, looked for first around `index`.
  func index(of id: String, near index: Int) -> Int? {
    let near = max(0, index - 8)..<max(max(0, index - 8), min(count, index + 9))
    return near.first { self.id(at: $0) == id } ?? (0..<count).first { self.id(at: $0) == id }
  }
}

/// The listing of a feed.
struct FeedListing<Item: SourceItem>: Listing {
  let state: FeedState<Item>
  let looks: RecordLooks<Item>

  var typed: String { state.typed }
  var asked: String? { state.asked }
  var head: FeedHead { state.head }
  var tail: FeedTail { state.tail }
  var wait: FeedWait? { state.wait }
  var summary: Summary { state.summary }
  var canDelete: Bool { state.canDelete }
  var deleted: [String] { state.deleted }
  var undoable: String? { state.undoable }
  var refusal: SourceError? { state.refusal }

  var detail: (id: String, phase: FeedPhase)? {
    state.detail.map { detail in
      switch detail.phase {
      case .waiting, .loading: (detail.id, .loading)
      case .loaded: (detail.id, .loaded)
      case .failed(let error): (detail.id, .failed(error))
      }
    }
  }

  var count: Int { state.items.count }
  func id(at index: Int) -> String { state.items[index].id }
  func card(at index: Int) -> Card { looks.list.card(of: state.items[index]) }
  func table(of indices: Range<Int>, width: Int) -> [String] { looks.table(of: state.items[indices], of: state.items, width: width) }
  func lines(at index: Int, width: Int) -> [String] { looks.lines(of: state.items[index], width: width) }
  func picture(at index: Int) -> WebAddress? { looks.schema.pictures(of: state.items[index]).first }
  func link(at index: Int) -> WebAddress? { looks.schema.link(of: state.items[index]) }
  var detailPicture: WebAddress? { state.detail?.item.flatMap { looks.schema.pictures(of: $0).first } }
  var detailLink: WebAddress? { state.detail?.item.flatMap { looks.schema.link(of: $0) } }
  func detailLines(width: Int) -> [String] { state.detail?.item.map { looks.lines(of: $0, width: width) } ?? [] }
}

/// One record that was chosen at random.
struct PickedListing<Item: SourceItem>: Listing {
  let item: Item
  let summary: Summary
  let looks: RecordLooks<Item>

  var typed: String { "" }
  var asked: String? { nil }
  var head: FeedHead { .loaded }
  var tail: FeedTail { .ended(summary.verdict ?? .unverifiable) }
  var canDelete: Bool { false }
  var deleted: [String] { [] }
  var undoable: String? { nil }
  var refusal: SourceError? { nil }
  var detail: (id: String, phase: FeedPhase)? { nil }
  var count: Int { 1 }
  func id(at index: Int) -> String { item.id }
  func card(at index: Int) -> Card { looks.list.card(of: item) }
  func table(of indices: Range<Int>, width: Int) -> [String] { looks.table(of: [item], of: [item], width: width) }
  func picture(at index: Int) -> WebAddress? { looks.schema.pictures(of: item).first }
  func link(at index: Int) -> WebAddress? { looks.schema.link(of: item) }
  func lines(at index: Int, width: Int) -> [String] { looks.lines(of: item, width: width) }
  func detailLines(width: Int) -> [String] { [] }
}

/// A source that has not answered, or cannot be opened.
struct EmptyListing: Listing {
  var head = FeedHead.idle

  var typed: String { "" }
  var asked: String? { nil }
  var tail: FeedTail { .more }
  var summary: Summary { Summary() }
  var canDelete: Bool { false }
  var deleted: [String] { [] }
  var undoable: String? { nil }
  var refusal: SourceError? { nil }
  var detail: (id: String, phase: FeedPhase)? { nil }
  var count: Int { 0 }
  func id(at index: Int) -> String { "" }
  func card(at index: Int) -> Card { Card() }
  func table(of indices: Range<Int>, width: Int) -> [String] { [] }
  func lines(at index: Int, width: Int) -> [String] { [] }
  func detailLines(width: Int) -> [String] { [] }
}

/// What records of one kind look like: on a card, and in full.
struct RecordLooks<Item: SourceItem>: Sendable {
  let schema: Schema<Item>
  let list: Columns<Item>
  private let full: Columns<Item>

  init(_ schema: Schema<Item>, at moment: Moment) throws {
    self.schema = schema
    let (fields, outline) = (schema.fields, schema.outline)
    list = Columns(try Selection(nil, of: outline, detail: false), of: fields, id: schema.idPath, at: moment)
    full = Columns(try Selection(nil, of: outline, detail: true), of: fields, id: schema.idPath, at: moment)
  }

  /// Some records of a list as a table, its header first. Records from all over the list lay it out: it stays as it is where one scrolls.
  func table(of items: some Collection<Item>, of list: some RandomAccessCollection<Item>, width: Int) -> [String] {
    var lines = TableLines(self.list, width: max(1, width), style: Style(isColored: false))
    lines.fit(stride(from: 0, to: list.count, by: list.count / 64 + 1).map { list[list.index(list.startIndex, offsetBy: $0)] })
    return [lines.header] + items.map { lines.of($0) }
  }

  /// The fields of a record that say something; those of the full record only where they are there.
  func lines(of item: Item, width: Int) -> [String] { LabelledLines(full, width: max(1, width), style: Style(isColored: false)).of(item) }
}
