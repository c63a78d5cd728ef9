import AggregatorCore
import Asking

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
      page.next = !answer.canGrow ? .ended(verdict) : isSearch ? .byHand : .more
    }
    return page
  }
}
