import AggregatorCore
import Asking

/// The pages of one search, one after the other: a walk, and behind it what a list brings that grows as one asks.
struct FeedReading<Item: SourceItem>: Sendable {
  private let source: FeedSource<Item>
  private let query: Query
  private var walk: Walk<Item>
  /// What the walks before this one came to.
  private var earlier = Summary()
  /// The last records that came. More than one, since the last may be deleted before the list is read on behind it.
  private var recent: [String] = []

  init(_ source: FeedSource<Item>, _ text: String) {
    self.source = source
    query = text.isEmpty ? .everything : .matching(text)
    walk = Walk(source.answering, query, clock: source.clock)
  }

  /// What came of the search so far.
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

  /// The next page. After an error the reading goes on where it was.
  mutating func next() async throws -> FeedPage<Item> {
    let items = try await readOn() ?? []
    if !items.isEmpty { recent = items.suffix(20).map { $0.id } }
    var summary = summary
    if items.isEmpty, let error = summary.stop { throw error }
    guard let verdict = summary.verdict, summary.stop == nil else { return FeedPage(items: items, summary: summary, next: .more) }
    if growth != nil { return FeedPage(items: items, summary: summary, next: query == .everything ? .more : .byHand) }
    // A service that searched by itself knows no titles that come near.
    if let text = query.text, summary.given == 0, summary.searched == nil, summary.nearest.isEmpty, let opened = source.opened {
      summary.nearest = await opened.nearestTitles(to: text)
    }
    return FeedPage(items: items, summary: summary, next: .ended(verdict))
  }

  private mutating func readOn() async throws -> [Item]? {
    switch walk.summary.verdict {
    case nil: break
    // What is kept may have changed, and the place in it is lost. What was read before is known.
    case .partial(.notKept): walk = Walk(source.answering, query, clock: source.clock)
    case _ where walk.resume(): break
    default:
      guard let growth else { return nil }
      return try await grow(growth.kept, growth.fetch)
    }
    return try await walk.nextPage()
  }

  /// How the list grows, if these rows are what is kept of it: to the compiled-in copy nothing is added.
  private var growth: (kept: StoredRecords<Item>, fetch: @Sendable () async throws -> Void)? {
    summary.origin?.kind == .cache ? source.growth : nil
  }

  private mutating func grow(_ kept: StoredRecords<Item>, _ fetch: @Sendable () async throws -> Void) async throws -> [Item]? {
    // Another process may have stored more meanwhile.
    if query == .everything, let items = try await read(kept), !items.isEmpty { return items }
    try await fetch()
    return try await read(kept)
  }

  /// Begins behind the last record; a search begins anew, since its best matches come first.
  private mutating func read(_ kept: StoredRecords<Item>) async throws -> [Item]? {
    var cursor: Cursor?
    if query == .everything {
      earlier = summary
      for id in recent.reversed() where cursor == nil { cursor = try await kept.cursor(behind: id) }
    }
    walk = Walk(kept, query, from: cursor, clock: source.clock)
    return try await walk.nextPage()
  }
}
