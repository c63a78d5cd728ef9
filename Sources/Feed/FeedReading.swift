import AggregatorCore
import Asking

/// The pages of one search, one after the other.
protocol FeedPages<Item>: Sendable {
  associatedtype Item: SourceItem

  /// What came of the search so far.
  var summary: Summary { get }
  /// The next page. After an error the reading goes on where it was.
  mutating func next() async throws -> FeedPage<Item>
}

/// The pages of a source: a walk, and behind it what a list brings that grows as one asks.
struct FeedReading<Listed: SourceItem, Item: SourceItem>: FeedPages {
  private let answering: any DataSource<Listed>
  private let opened: (any OpenSource<Listed>)?
  private let query: Query
  private let clock: any Timekeeper
  /// What is shown of a record that is listed.
  private let show: @Sendable (Listed) -> Item
  private var walk: Walk<Listed>
  /// What the walks before this one came to.
  private var earlier = Summary()
  /// The last records that came. More than one, since the last may be deleted before the list is read on behind it.
  private var recent: [String] = []

  init(
    _ answering: any DataSource<Listed>, _ opened: (any OpenSource<Listed>)?, _ text: String, clock: any Timekeeper,
    showing show: @escaping @Sendable (Listed) -> Item
  ) {
    (self.answering, self.opened, self.clock, self.show) = (answering, opened, clock, show)
    query = text.isEmpty ? .everything : .matching(text)
    walk = Walk(answering, query, clock: clock)
  }

  var summary: Summary {
    var summary = walk.summary
    summary.origin = summary.origin ?? earlier.origin
    summary.total = summary.total ?? earlier.total
    summary.searched = summary.searched ?? earlier.searched
    summary.pages += earlier.pages
    summary.skipped += earlier.skipped
    summary.duplicates += earlier.duplicates
    return summary
  }

  mutating func next() async throws -> FeedPage<Item> {
    let listed = try await readOn() ?? []
    if !listed.isEmpty { recent = listed.suffix(20).map { $0.id } }
    var summary = summary
    if listed.isEmpty, let error = summary.stop { throw error }
    let items = listed.map(show)
    guard let verdict = summary.verdict, summary.stop == nil else { return FeedPage(items: items, summary: summary, next: .more) }
    if growth != nil { return FeedPage(items: items, summary: summary, next: query == .everything ? .more : .byHand) }
    // A service that searched by itself knows no titles that come near.
    if let text = query.text, summary.given == 0, summary.searched == nil, summary.nearest.isEmpty, let opened {
      summary.nearest = await opened.nearestTitles(to: text)
    }
    return FeedPage(items: items, summary: summary, next: .ended(verdict))
  }

  private mutating func readOn() async throws -> [Listed]? {
    switch walk.summary.verdict {
    case nil: break
    // What is kept may have changed, and the place in it is lost. What was read before is known.
    case .partial(.notKept): walk = Walk(answering, query, clock: clock)
    case _ where walk.resume(): break
    default:
      guard let growth else { return nil }
      return try await grow(growth.kept, growth.fetch)
    }
    return try await walk.nextPage()
  }

  /// How the list grows, if these rows are what is kept of it: to the compiled-in copy nothing is added.
  private var growth: (kept: StoredRecords<Listed>, fetch: @Sendable () async throws -> Void)? {
    summary.origin?.kind == .cache ? opened?.growth : nil
  }

  private mutating func grow(_ kept: StoredRecords<Listed>, _ fetch: @Sendable () async throws -> Void) async throws -> [Listed]? {
    // Another process may have stored more meanwhile.
    if query == .everything, let items = try await read(kept), !items.isEmpty { return items }
    try await fetch()
    return try await read(kept)
  }

  /// Begins behind the last record; a search begins anew, since its best matches come first.
  private mutating func read(_ kept: StoredRecords<Listed>) async throws -> [Listed]? {
    var cursor: Cursor?
    if query == .everything {
      earlier = summary
      for id in recent.reversed() where cursor == nil { cursor = try await kept.cursor(behind: id) }
    }
    walk = Walk(kept, query, from: cursor, clock: clock)
    return try await walk.nextPage()
  }
}
