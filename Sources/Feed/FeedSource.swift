package import AggregatorCore
import Asking

/// What a feed asks: the pages of a search, one record in full, and to take records out.
struct FeedSource<Item: SourceItem>: Sendable {
  let opened: OpenedSource
  /// What the feed shows of a record.
  let show: @Sendable (ShownRecord) throws -> Item
  /// Deletes a record, or restores it; nil where none can be deleted.
  var change: (@Sendable (_ id: String, _ deletes: Bool) async throws -> Void)?

  init(_ opened: OpenedSource, showing show: @escaping @Sendable (ShownRecord) throws -> Item) {
    (self.opened, self.show) = (opened, show)
    // Records are taken out of lists without an end, which are what is kept of them.
    guard opened.descriptor.isEndless, opened.world.store != nil else { return }
    change = { id, deletes in
      if deletes { _ = try await opened.delete(id) } else { _ = try await opened.restore(id) }
    }
  }

  var clock: any Timekeeper { opened.world.clock }

  /// True when a row of the list is all there is of a record: to look one up would be to read the list again.
  var listsInFull: Bool { opened.answering.profile.lookup == .walk }

  /// One record in full, and where it came from.
  func record(_ id: String) async throws -> (item: Item, origin: Origin?) {
    let shown = try await opened.record(id, Ask(.record(id), of: opened.name))
    return (try show(shown.record), shown.summary.origin)
  }

  /// The ids of the records that are deleted, the last one last; nil where none can be.
  func deleted() async -> [String]? {
    guard change != nil else { return nil }
    return try? await opened.deletions().reversed()
  }

  /// What is shown of an error that was thrown on the way.
  func named(_ error: any Error) -> SourceError { SourceError(shown: error).from(opened.name) }
}

extension SourceSession {
  fileprivate func deletions() async throws -> [String] { try await stored.deletions() }
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
struct FeedPages: Sendable {
  private var answer: any ShownAnswer
  private let isSearch: Bool

  /// The pages of a search; of everything where the text is empty.
  init(_ text: String, of source: OpenedSource) {
    var ask = Ask(text.isEmpty ? .everything : .matching(text), of: source.name)
    ask.limit = .max
    (answer, isSearch) = (source.records(for: ask), !text.isEmpty)
  }

  /// What came of the search so far.
  var summary: Summary { answer.summary }

  /// The next page, of what `show` makes of each record. After an error the reading goes on where it was.
  mutating func next<Item>(showing show: (ShownRecord) throws -> Item) async throws -> FeedPage<Item> {
    if answer.hasEnded { _ = try await answer.goOn() }
    let records = try await answer.nextRecords() ?? []
    if records.isEmpty, let error = summary.stop { throw error }
    var page = FeedPage(items: try records.map(show), summary: summary, next: .more)
    if let verdict = summary.verdict, summary.stop == nil {
      page.next = !answer.canGrow ? .ended(verdict) : isSearch ? .dry : .more
    }
    return page
  }
}
