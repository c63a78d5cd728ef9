package import AggregatorCore
import Asking

/// What a feed asks: the pages of a search, one record in full, and to take records out.
struct FeedSource<Item: SourceItem>: Sendable {
  /// What errors are said to be of.
  let name: String
  let clock: any Timekeeper
  /// Whether a row of the list is all there is of a record: to look one up would be to read the list again.
  let listsInFull: Bool
  /// The pages of a search; of everything where the text is empty.
  let pages: @Sendable (_ text: String) -> any FeedPages<Item>
  /// One record in full, and where it came from.
  let record: @Sendable (_ id: String) async throws -> (item: Item, origin: Origin?)
  /// Deletes a record, or restores it; nil where none can be deleted.
  var change: (@Sendable (_ id: String, _ deletes: Bool) async throws -> Void)?
  /// The ids of the records that are deleted, the last one last; nil where none can be.
  var deleted: @Sendable () async -> [String]? = { nil }

  /// Everything that can be done with an opened source; `show` makes what the feed shows of a record that is listed.
  init<Listed: SourceItem>(_ opened: some SourceSession<Listed>, showing show: @escaping @Sendable (Listed) -> Item) {
    (name, clock) = (opened.name, opened.world.clock)
    listsInFull = opened.answering.profile.lookup == .walk
    pages = { FeedReading($0, of: opened, showing: show) }
    record = { id in
      let shown = try await opened.record(id, Ask(.record(id), of: opened.name))
      return (show(shown.item), shown.summary.origin)
    }
    // Records are taken out of lists without an end, which are what is kept of them.
    guard opened.descriptor.isEndless, opened.archive != nil else { return }
    change = { id, deletes in
      if deletes { _ = try await opened.delete(id) } else { _ = try await opened.restore(id) }
    }
    deleted = { try? await opened.stored.deletions().reversed() }
  }

  /// What is shown of an error that was thrown on the way.
  func named(_ error: any Error) -> SourceError { SourceError(shown: error).from(name) }
}

extension SourceError {
  /// What is shown of whatever a source threw.
  package init(shown error: any Error) {
    switch error {
    case let error as SourceError: self = error
    // Nobody here asked for it, or the answer would not be waited for.
    case is CancellationError: self.init(.interrupted, "the request was cancelled")
    default: self.init(.custom("unforeseen"), "\(error)")
    }
  }
}

/// The pages of one search, one after the other, and behind them what a list brings that grows as one asks.
protocol FeedPages<Item>: Sendable {
  associatedtype Item: SourceItem

  /// What came of the search so far.
  var summary: Summary { get }
  /// The next page. After an error the reading goes on where it was.
  mutating func next() async throws -> FeedPage<Item>
}

struct FeedReading<Listed: SourceItem, Item: SourceItem>: FeedPages {
  private var answer: Answer<Listed>
  private let isSearch: Bool
  /// What is shown of a record that is listed.
  private let show: @Sendable (Listed) -> Item

  init(_ text: String, of source: some SourceSession<Listed>, showing show: @escaping @Sendable (Listed) -> Item) {
    var ask = Ask(text.isEmpty ? .everything : .matching(text), of: source.name)
    ask.limit = .max
    answer = source.answer(to: ask)
    isSearch = !text.isEmpty
    self.show = show
  }

  var summary: Summary { answer.summary }

  mutating func next() async throws -> FeedPage<Item> {
    if answer.hasEnded { _ = try await answer.goOn() }
    let items = try await answer.nextPage() ?? []
    if items.isEmpty, let error = summary.stop { throw error }
    var page = FeedPage(items: items.map(show), summary: summary, next: .more)
    if let verdict = summary.verdict, summary.stop == nil {
      page.next = !answer.canGrow ? .ended(verdict) : isSearch ? .dry : .more
    }
    return page
  }
}
