package import AggregatorCore
import Asking

/// The questions of a feed: the pages of a search, one record in full, and the deletion of records.
struct FeedSource<Item: SourceItem>: Sendable {
  let opened: OpenedSource
  /// Makes what the feed shows of a record.
  let show: @Sendable (ShownRecord) throws -> Item
  /// Deletes a record, or restores it; nil if records cannot be deleted.
  var change: (@Sendable (_ id: String, _ deletes: Bool) async throws -> Void)?

  init(_ opened: OpenedSource, showing show: @escaping @Sendable (ShownRecord) throws -> Item) {
    (self.opened, self.show) = (opened, show)
    // Records can be deleted only from an endless list, because such a list consists of its stored records.
    guard opened.descriptor.isEndless, opened.world.store != nil else { return }
    change = { id, deletes in
      if deletes { _ = try await opened.delete(id) } else { _ = try await opened.restore(id) }
    }
  }

  var clock: any Timekeeper { opened.world.clock }

  /// True when a row of the list has everything that its record has, because looking a record up would read the list again.
  var listsInFull: Bool { opened.answering.profile.lookup == .walk }

  /// Returns one record in full, and its origin.
  func record(_ id: String) async throws -> (item: Item, origin: Origin?) {
    let shown = try await opened.record(id, Ask(.record(id), of: opened.name))
    return (try show(shown.record), shown.summary.origin)
  }

  /// Returns the ids of the deleted records, the last one last; nil if records cannot be deleted, or if the store cannot be read.
  func deleted() async -> [String]? {
    guard change != nil else { return nil }
    return try? await opened.deletions().reversed()
  }

  /// Turns an error that was thrown on the way into the one to show.
  func named(_ error: any Error) -> SourceError { SourceError(shown: error).from(opened.name) }
}

extension SourceSession {
  fileprivate func deletions() async throws -> [String] { try await stored.deletions() }
}

extension SourceError {
  /// The error to show for anything that a source threw.
  package init(shown error: any Error) {
    switch error {
    case let error as SourceError: self = error
    // This feed did not cancel the request, because then its answer would not be awaited.
    case is CancellationError: self.init(.interrupted, "the request was cancelled")
    default: self.init(.custom("unforeseen"), "\(error)")
    }
  }
}

/// The pages of one search, one after the other, and after them whatever an endless list brings.
struct FeedPages: Sendable {
  private var answer: any ShownAnswer
  /// True when rows are looked for among others, so that most of a page may not be wanted.
  private let isSearch: Bool
  private let choice: FeedChoice

  /// The pages of a search in that choice; of everything if the text is empty.
  init(_ text: String, _ choice: FeedChoice = FeedChoice(), of source: OpenedSource) {
    var ask = Ask(text.isEmpty ? .everything : .matching(text), of: source.name)
    (ask.limit, ask.stopsAtFailingPages) = (.max, true)
    (ask.conditions, ask.order) = (choice.conditions, choice.order)
    (answer, isSearch, self.choice) = (source.records(for: ask), !text.isEmpty || !choice.conditions.isEmpty, choice)
  }

  /// The summary of the search so far.
  var summary: Summary { answer.summary }

  /// Reads the next page, and turns each record into an item with `show`. After an error, reading continues from the same place.
  mutating func next<Item>(showing show: (ShownRecord) throws -> Item) async throws -> FeedPage<Item> {
    if answer.hasEnded { _ = try await answer.goOn() }
    let records = try await answer.nextRecords() ?? []
    if records.isEmpty, let error = summary.stop { throw error }
    var page = FeedPage(items: try records.map(show), summary: summary, next: .more)
    if let verdict = summary.verdict, summary.stop == nil {
      page.next = !answer.canGrow || !choice.order.isEmpty ? .ended(verdict) : isSearch ? .dry : .more
    }
    if answer.hasEnded, !choice.isEmpty { page.notices = answer.notices.filter(\.isAboutChoice) }
    return page
  }
}

extension Notice {
  /// True when it is about the conditions or the order of an answer. The rest is told by the summary.
  fileprivate var isAboutChoice: Bool {
    switch self {
    case .sortedFirst, .noneMeets, .note: true
    default: false
    }
  }
}
