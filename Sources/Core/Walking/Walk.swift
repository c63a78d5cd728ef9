/// A walk over a source's pages, from the first to its end, without repeats, ending in a verdict.
///
/// ```swift
/// var walk = Walk(source, bounds: Bounds(limit: 20))
/// while let heroes = try await walk.nextPage() { for hero in heroes { print(hero.name) } }
/// print(walk.summary.verdict ?? .unverifiable)
/// ```
///
/// An error on the first page is thrown; one on a later page ends the walk as partial, keeping what came, and ``resume(until:)`` goes on
/// there. In a `for try await` loop, which has no summary to look at, a walk that ends as partial throws ``Incomplete``.
public struct Walk<Item: SourceItem>: Sendable {
  private let source: any DataSource<Item>
  private let query: Query
  private var bounds: Bounds
  private let clock: any Timekeeper
  private let seen: (any Seen)?
  private var ledger: Ledger<Item>

  /// A walk over what `source` has for `query`, from its beginning or from `cursor`.
  ///
  /// Where the source cannot search or look up, the walk reads everything and picks.
  /// `behind` is how many rows came before the cursor, for a total to add up; an offset tells it by itself. `announced` is the total that
  /// was announced by then. `seen` remembers the ids in place of the walk, whose memory then does not grow with the list. Of the records
  /// that are not wanted none is handed out, and none counts for the limit.
  public init(
    _ source: some DataSource<Item>, _ query: Query = .everything, bounds: Bounds = .none, from cursor: Cursor? = nil,
    behind: Int? = nil, announced: Int? = nil, seen: (any Seen)? = nil, clock: any Timekeeper = SystemTime(),
    where isWanted: (@Sendable (Item) -> Bool)? = nil
  ) {
    let picker = Picker(query, of: source, where: isWanted)
    self.source = picker.source
    self.query = picker.asked
    self.bounds = picker.narrowed(bounds)
    self.clock = clock
    self.seen = seen
    self.ledger = Ledger(
      bounds: self.bounds, keeping: picker.keeps, forgetful: seen != nil, from: cursor, behind: behind, announced: announced)
  }

  /// The result so far; with its verdict once `nextPage` has returned nil.
  public var summary: Summary { ledger.summary }

  /// Where a later walk could continue without missing a record; nil where that is the beginning, or nowhere.
  ///
  /// Where the limit cut a page that no offset leads into, the page comes again.
  public var cursor: Cursor? { ledger.cursor }

  /// The new records of the next page, maybe none; nil when the walk has ended.
  public mutating func nextPage() async throws -> [Item]? {
    guard summary.verdict == nil else { return nil }
    if bounds.allowNothing {
      ledger.end(.bounded)
      return nil
    }
    let (deadline, clock) = (bounds.deadline, clock)
    do {
      return try await ledger.nextArrival(
        query, from: source, seen: seen, isLate: { deadline.map { $0 <= clock.now } ?? false })?.given
    } catch let error as SourceError where summary.pages > 0 {
      ledger.end(.partial(Shortfall(error, isLate: isLate)))
      return nil
    }
  }

  /// Goes on with a walk that an error, a budget or the deadline stopped on a later page: `nextPage` asks for that page again, and what
  /// came is known still. False where nothing stopped it.
  @discardableResult
  public mutating func resume(until deadline: Moment? = nil) -> Bool {
    switch summary.verdict {
    case .partial(.failed), .partial(.budget), .partial(.deadline), .partial(.notStored):
      bounds.deadline = deadline
      ledger.goOn()
      return true
    default: return false
    }
  }

  private var isLate: Bool { bounds.deadline.map { $0 <= clock.now } ?? false }
}

/// Turns a query into what is asked of the source and what the walk itself picks.
private struct Picker<Item: SourceItem> {
  let source: any DataSource<Item>
  let asked: Query
  let keeps: (@Sendable (Item) -> Bool)?
  private let isLookup: Bool

  init(_ query: Query, of source: some DataSource<Item>, where isWanted: (@Sendable (Item) -> Bool)?) {
    let profile = source.profile
    switch query {
    case .matching(let text) where profile.search == .walk:
      let matcher = Matcher(text, in: source.schema)
      let matches = PickedMatches(upstream: source, text: text, matcher: matcher)
      self.init(source: matches, asked: .everything, keeps: Self.both({ matcher.matches($0) }, isWanted), isLookup: false)
    case .record(let id) where profile.lookup == .walk:
      let schema = source.schema
      self.init(source: source, asked: .everything, keeps: Self.both({ schema.answers($0, to: id) }, isWanted), isLookup: true)
    default:
      self.init(source: source, asked: query, keeps: isWanted, isLookup: false)
    }
  }

  private init(source: some DataSource<Item>, asked: Query, keeps: (@Sendable (Item) -> Bool)?, isLookup: Bool) {
    self.source = source
    self.asked = asked
    self.keeps = keeps
    self.isLookup = isLookup
  }

  private static func both(
    _ one: @escaping @Sendable (Item) -> Bool, _ other: (@Sendable (Item) -> Bool)?
  ) -> @Sendable (Item) -> Bool {
    guard let other else { return one }
    return { one($0) && other($0) }
  }

  /// A record is found once.
  func narrowed(_ bounds: Bounds) -> Bounds {
    guard isLookup else { return bounds }
    var bounds = bounds
    bounds.limit = min(1, bounds.limit ?? 1)
    return bounds
  }
}

extension Walk: AsyncSequence {
  /// The records of a walk, one by one, from where it is.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var walk: Walk
    private var page: ArraySlice<Item> = []

    fileprivate init(_ walk: Walk) { self.walk = walk }

    /// The next record; nil at the end. Throws `Incomplete` where the walk ends as partial.
    public mutating func next() async throws -> Item? {
      while page.isEmpty {
        guard let items = try await walk.nextPage() else {
          if case .partial = walk.summary.verdict { throw Incomplete(summary: walk.summary) }
          return nil
        }
        page = items[...]
      }
      return page.removeFirst()
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

/// A loop over a walk has come to its end, and that is not the end of the list.
public struct Incomplete: Error, Sendable, CustomStringConvertible {
  public let summary: Summary

  public var description: String { "incomplete: \(summary.verdict?.reason ?? "the walk has not ended")" }
}

/// A source that cannot search, as a walk reads it that picks the matches by itself.
///
/// Whoever stands in for the source and can search is told what is looked for. A list that comes whole has its matches first, the best of
/// them at the front. What comes near to the text is noted in case nothing matches.
struct PickedMatches<Item: SourceItem>: Wrapper {
  let upstream: any DataSource<Item>
  let text: String
  let matcher: Matcher<Item>

  func page(_ request: PageRequest) async throws -> Page<Item> {
    var request = request
    request.soughtText = text
    var page = try await upstream.page(request)
    if page.maker.paging.style == .whole {
      page.items = matcher.ranked(page.items) + page.items.filter { !matcher.matches($0) }
    }
    if page.nearest.isEmpty, !page.items.contains(where: matcher.matches) {
      var guesser = TitleGuesser(text, in: schema)
      for item in page.items { guesser.look(at: item) }
      page.nearest = guesser.nearest
    }
    return page
  }
}
