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
  private let clock: any Timekeeper
  private let seen: (any Seen)?
  private var ledger: Ledger<Item>

  /// A walk over what `source` has for `query`, from its beginning or from `cursor`. Where the source cannot search or look up, the walk
  /// reads everything and picks.
  ///
  /// `behind` is how many rows came before the cursor, for a total to add up, and `announced` the total that was announced by then. `seen`
  /// remembers the ids in place of the walk. Records that are not wanted are not handed out, and do not count for the limit.
  public init(
    _ source: some DataSource<Item>, _ query: Query = .everything, bounds: Bounds = Bounds(), from cursor: Cursor? = nil,
    behind: Int? = nil, announced: Int? = nil, seen: (any Seen)? = nil, clock: any Timekeeper = SystemTime(),
    where isWanted: (@Sendable (Item) -> Bool)? = nil
  ) {
    var (reader, asked, bounds): (any DataSource<Item>, _, _) = (source, query, bounds)
    var picks: (@Sendable (Item) -> Bool)?
    switch query {
    case .matching(let text) where source.profile.search == .walk:
      let matcher = Matcher(text, in: source.schema)
      picks = { matcher.matches($0) }
      (reader, asked) = (PickedMatches(upstream: source, text: text, matcher: matcher), .everything)
    case .record(let id) where source.profile.lookup == .walk:
      let schema = source.schema
      picks = { schema.answers($0, to: id) }
      // A record is found once.
      (asked, bounds.limit) = (.everything, Swift.min(1, bounds.limit ?? 1))
    default: break
    }
    let keeps = picks.map { picks in { @Sendable item in picks(item) && (isWanted?(item) ?? true) } } ?? isWanted
    (self.source, self.query, self.clock, self.seen) = (reader, asked, clock, seen)
    self.ledger = Ledger(
      bounds: bounds, keeping: keeps, forgetful: seen != nil, from: cursor, behind: behind, announced: announced)
  }

  /// The result so far; with its verdict once `nextPage` has returned nil.
  public var summary: Summary { ledger.summary }

  /// Where a later walk could continue without missing a record, if with a part of a page again; nil where that is the beginning, or nowhere.
  public var cursor: Cursor? { ledger.cursor }

  /// The order that is asked for. Only pages that say so have it (``isSorted``).
  package var sorting: Sorting? {
    get { ledger.sorting }
    set { ledger.sorting = newValue }
  }

  /// True when a search that finds nothing is to name the titles that come near.
  package var wantsNearest: Bool {
    get { ledger.wantsNearest }
    set { ledger.wantsNearest = newValue }
  }

  /// Whether the records stand in that order.
  package var isSorted: Bool { ledger.isSorted }

  /// The total last announced, of all records whether or not they are wanted.
  package var announced: Int? { ledger.announced }

  /// What the rows look like that came, as far as reading them shows it.
  var shape: ShapeCounts { ledger.shape }

  /// How many different rows came, whether or not they are wanted.
  package var received: Int { ledger.completeness.received }

  /// The new records of the next page, maybe none; nil when the walk has ended.
  public mutating func nextPage() async throws -> [Item]? {
    guard summary.verdict == nil else { return nil }
    do {
      if !ledger.bounds.allowNothing {
        return try await ledger.nextArrival(query, from: source, seen: seen, clock: clock)?.given
      }
      ledger.end(.bounded)
    } catch let error as SourceError where summary.pages > 0 {
      ledger.end(.partial(Shortfall(error, isLate: clock.isPast(ledger.bounds.deadline))))
    }
    return nil
  }

  /// Goes on with a walk that an error, a budget or the deadline stopped: `nextPage` asks for that page again. False where nothing did.
  @discardableResult
  public mutating func resume(until deadline: Moment? = nil) -> Bool {
    switch summary.verdict {
    case .partial(.failed), .partial(.budget), .partial(.deadline), .partial(.notStored):
      ledger.goOn(until: deadline)
      return true
    default: return false
    }
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
  /// What came before, and why it is not everything.
  public let summary: Summary

  public var description: String { "incomplete: \(summary.verdict?.reason ?? "the walk has not ended")" }
}

/// A source that cannot search, as a walk reads it that picks the matches by itself: what stands in for it is told what is looked for, and
/// a list that comes whole has its matches first, the best of them at the front.
struct PickedMatches<Item: SourceItem>: Wrapper {
  let upstream: any DataSource<Item>
  let text: String
  let matcher: Matcher<Item>

  func page(_ request: PageRequest) async throws -> Page<Item> {
    var page = try await upstream.page(changing(request) { $0.soughtText = text })
    if page.maker.paging.style == .whole {
      page.items = matcher.ranked(page.items) + page.items.filter { !matcher.matches($0) }
    }
    if request.wantsNearest, page.nearest.isEmpty, !page.items.contains(where: matcher.matches) {
      page.nearest = TitleGuesser(text, in: schema, among: page.items).nearest
    }
    return page
  }
}

/// What a caller limits a walk to.
public struct Bounds: Sendable, Hashable {
  /// The most records.
  public var limit: Int?
  /// The most pages.
  public var pages: Int?
  /// When to stop.
  public var deadline: Moment?

  /// What is nil does not limit the walk.
  public init(limit: Int? = nil, pages: Int? = nil, deadline: Moment? = nil) {
    (self.limit, self.pages, self.deadline) = (limit, pages, deadline)
  }

  /// Whether there is no need to ask at all.
  var allowNothing: Bool { min(limit ?? 1, pages ?? 1) <= 0 }
}

/// The ids that a walk has met, for one that cannot remember all of them: its list is too long, or an earlier run began it. It asks once for
/// each page, before it takes that in; repeats within one page it finds by itself.
public protocol Seen: Sendable {
  /// Those of a page's ids that were met before.
  func met(_ ids: [String]) async throws -> Set<String>

  /// Notes the ids of a page that was taken in: from now on they were met.
  func note(_ ids: [String])
}

/// The result of a walk: everything an envelope says beside its items.
public struct Summary: Sendable, Hashable {
  /// Where the first page came from, and so all of them.
  public var origin: Origin?
  /// The total last announced; of a walk that searched by itself, how many matched, once all was read.
  public var total: Int?
  /// How many records were handed out.
  public var given = 0
  /// How many pages were read.
  public var pages = 0
  /// Rows that could not be read.
  public var skipped = 0
  /// Records whose id had come before.
  public var duplicates = 0
  /// How many records were searched, where that is known.
  public var searched: Int?
  /// Where nothing matches a text, the titles that come near, as far as they were at hand.
  public var nearest = NearestTitles()
  /// Which fields of the records a person has edited, by the records' ids: of stored records alone.
  public var edited: [String: [FieldPath]] = [:]
  /// The last change among the rows that came, by the service's clock, where the source tells changes.
  public var mark: Moment?
  /// How the walk ended; nil while it has not.
  public var verdict: Verdict?
  /// What a count comes to without the rest of the pages; nil where only reading them tells.
  package var counted: Verdict?

  /// How the list changed while it was read, for a person; nil where nothing shows that it did.
  public var change: String?
  /// Whether no row that was in the list all along can be missing from a complete walk.
  public var isSure = true

  /// Why the verdict is what it is, where its word does not say all.
  public var reason: String? { verdict?.reason(after: change) }

  /// Of a walk that has not asked yet.
  public init() {}
}
