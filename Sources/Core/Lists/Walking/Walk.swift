/// A walk over a source's pages, from the first to the last, without repeats; it ends in a verdict.
///
/// ```swift
/// var walk = Walk(source, bounds: Bounds(limit: 20))
/// while let heroes = try await walk.nextPage() { for hero in heroes { print(hero.name) } }
/// print(walk.summary.verdict ?? .unverifiable)
/// ```
///
/// An error on the first page is thrown. One on a later page ends the walk as partial and keeps what came; ``resume(until:)`` continues
/// there. A `for try await` loop has no summary to look at, so there a walk that ends as partial throws ``Incomplete``.
public struct Walk<Item: SourceItem>: Sendable {
  let source: any DataSource<Item>
  let query: Query
  let clock: any Timekeeper
  let seen: (any Seen)?
  /// True for a record that the caller wants; nil if all are.
  private let isWanted: (@Sendable (Item) -> Bool)?
  /// True for a record that answers the query and is wanted; nil if the query does not pick records.
  private let answers: (@Sendable (Item) -> Bool)?
  /// The text of a search.
  let matcher: Matcher<Item>?
  /// The state of the walk, for those who drive it page by page.
  var ledger: Ledger<Item>
  /// The order that is asked for. Only pages that say so have it (``isSorted``).
  package var sorting: Sorting?
  /// True when the records have that order.
  package internal(set) var isSorted = false
  /// The name of the walk under which the pages are cached; nil if they are not. No other walk has it.
  package internal(set) var keptWalk: String?
  /// The values of the last page that do not fit their fields, by the ids of its records.
  package private(set) var misfits: [String: [Misfit]] = [:]
  /// The shape of the rows that came, as far as reading them shows it.
  var shape = ShapeCounts()
  /// The number of notices that were told.
  var told = 0

  /// Makes a walk over the records of `source` for `query`, from the beginning or from `cursor`. Where the maker of a page cannot search or look
  /// up, the walk reads everything and picks.
  ///
  /// `rowsBefore` is the number of rows before the cursor, so that a total adds up, and `announced` the total that was announced by then.
  /// `seen` knows further ids that were met. Records that are not wanted are not handed out, and do not count for the limit.
  public init(
    _ source: some DataSource<Item>, _ query: Query = .everything, bounds: Bounds = Bounds(), from cursor: Cursor? = nil,
    rowsBefore: Int? = nil, announced: Int? = nil, seen: (any Seen)? = nil, clock: any Timekeeper = SystemTime(),
    where isWanted: (@Sendable (Item) -> Bool)? = nil
  ) {
    let (schema, matcher) = (source.schema, query.text.map { Matcher($0, in: source.schema) })
    var answers: (@Sendable (Item) -> Bool)?
    if let matcher { answers = { matcher.matches($0) } }
    if case .record(let id) = query { answers = { schema.answers($0, to: id) } }
    (self.source, self.query, self.clock, self.seen) = (source, query, clock, seen)
    (self.isWanted, self.matcher) = (isWanted, matcher)
    self.answers = answers.map { answers in { @Sendable item in answers(item) && (isWanted?(item) ?? true) } }
    self.ledger = Ledger(
      .init(bounds: bounds, picks: isWanted), othersRemember: seen?.remembersAll ?? false, from: cursor, rowsBefore: rowsBefore,
      announced: announced)
    pick(from: PageRequest(query).asked(of: source.profile))
  }

  /// Picks the records that are wanted from those that a source was asked for: from everything, if it does not answer the query itself.
  mutating func pick(from asked: PageRequest?) {
    let isPicking = asked.map { $0.query != query } ?? false
    ledger.wanted.picks = isPicking ? answers : isWanted
    // One record is all that a lookup wants.
    if isPicking, case .record = query { ledger.wanted.bounds.limit = Swift.min(1, ledger.wanted.bounds.limit ?? 1) }
  }

  /// The result so far; it has a verdict once `nextPage` has returned nil.
  public var summary: Summary { ledger.summary }

  /// The place where a later walk could continue without missing a record, though a part of a page may come again. Nil if that is the
  /// beginning, or if no page names what follows. A list that ended may still have one: rows may be added to it.
  public var cursor: Cursor? { ledger.cursor }

  /// The total last announced, of all records whether or not they are wanted.
  package var announced: Int? { ledger.announced }

  /// The number of different rows that came, whether or not they are wanted.
  package var received: Int { ledger.evidence.counts.received }

  /// The number of different rows before the present place, those before the walk included: the next walk's `rowsBefore`.
  package var rowsBefore: Int { ledger.evidence.rows ?? ledger.evidence.counts.received }

  /// Stops the walk at a page that fails, in place of going past it: for a caller who may miss no record.
  package mutating func stopAtFailingPages() { ledger.failing.stops = true }

  /// Reads a list in which rows may slip unseen until two readings agree. That takes at least twice the requests.
  package mutating func readUntilReadingsAgree() { ledger.known.wantsAgreement = true }

  /// True when two readings of the whole list, one after the other, brought the same rows.
  var readingsAgree: Bool { ledger.evidence.readingsAgree }

  /// Notes the order of the rows, so that ``readAgain()`` needs one more reading and not two.
  mutating func noteOrder() { ledger.known.notesOrder = true }

  /// Begins to read a complete list once more, in which rows may slip unseen: two equal readings with an equal total prove that everything
  /// came. False if the walk has proved that already, or if another reading would not.
  mutating func readAgain() -> Bool { ledger.readAgainForAgreement() }

  /// Takes a record that comes again as a newer state of it, and gives it once more. For lists of changes, in which a record may change twice:
  /// one that has changed again is news there, and no row that the walk knows.
  package mutating func takeRenewedRecords() {
    ledger.known.takesRenewed = true
    guard case .changed = query else { return }
    ledger.evidence.changes = source.profile.changeField == nil ? .untimed : .timed
  }

  /// Returns the digest of a record's state, in a list of changes that is stored; nil in any other list.
  var stateDigest: (@Sendable (Item) -> UInt64)? {
    ledger.evidence.changes == nil ? nil : source.schema.stateDigest(for: query, by: source.profile.changeField)
  }

  /// Takes the counts of fields that the description lacks, of the pages since the last call, for a list that this one is a part of.
  package mutating func takeUnknownFields() -> ShapeCounts {
    defer { shape = ShapeCounts() }
    return copy(of: shape) { ($0.broken, $0.keyless) = (0, 0) }
  }

  /// Returns the new records of the next page, which may be empty; nil when the walk has ended.
  public mutating func nextPage() async throws -> [Item]? {
    guard summary.verdict == nil else { return nil }
    do {
      if !ledger.wanted.bounds.allowNothing {
        let arrival = try await nextArrival()
        misfits = arrival?.page.misfits ?? [:]
        return arrival?.given
      }
      ledger.end(.bounded)
    } catch let error as SourceError where summary.pages > 0 {
      let isLate = clock.isPast(ledger.wanted.bounds.deadline)
      let gaps = ledger.failing.isFilling && error.kind.isOfPlace && !isLate ? ledger.evidence.list.gapsInWords : nil
      ledger.end(.partial(gaps.map { .missing($0) } ?? Shortfall(error, isLate: isLate)))
    }
    return nil
  }

  /// Continues a walk that an error, a budget or the deadline stopped, or that went past pages that failed: `nextPage` asks for those again.
  /// False if none of them did.
  @discardableResult
  public mutating func resume(until deadline: Moment? = nil) -> Bool {
    switch summary.verdict {
    case .partial(.failed), .partial(.budget), .partial(.deadline), .partial(.notStored), .partial(.missing):
      ledger.goOn(until: deadline)
      return true
    default: return false
    }
  }
}

extension Walk: AsyncSequence {
  /// The records of a walk, one by one, from its present place on.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var walk: Walk
    private var page: ArraySlice<Item> = []

    fileprivate init(_ walk: Walk) { self.walk = walk }

    /// Returns the next record; nil at the end. Throws `Incomplete` if the walk ends as partial.
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

/// The error of a loop over a walk that ended before the list did.
public struct Incomplete: Error, Sendable, CustomStringConvertible {
  /// The result, with what came before and why it is not everything.
  public let summary: Summary

  public var description: String { "incomplete: \(summary.verdict?.reason ?? "the walk has not ended")" }
}

/// The limits that a caller sets to a walk.
public struct Bounds: Sendable, Hashable {
  /// The most records; nil for all.
  public var limit: Int?
  /// The most pages; nil for all.
  public var pages: Int?
  /// The moment at which to stop; nil for no limit.
  public var deadline: Moment?

  /// Makes bounds; a value that is nil does not limit the walk.
  public init(limit: Int? = nil, pages: Int? = nil, deadline: Moment? = nil) {
    (self.limit, self.pages, self.deadline) = (limit, pages, deadline)
  }

  var allowNothing: Bool { min(limit ?? 1, pages ?? 1) <= 0 }
}

/// The ids that a walk has met, for a walk that does not know all of them: its list is too long, or an earlier run began it. The walk
/// asks once for each page, before it takes that in; repeats within one page it finds by itself.
public protocol Seen: Sendable {
  /// True when it remembers all that it is told with `note`, so that the walk need not.
  var remembersAll: Bool { get }

  /// Returns those of a page's ids that were met before.
  func met(_ ids: [String]) async throws -> Set<String>

  /// Notes the ids of a page that was taken in: from now on they count as met.
  func note(_ ids: [String])

  /// Returns the digests of the records with these ids, by id, as far as they are known. A walk asks for them only where keys are guessed, to
  /// tell another record from the same one, and in lists of changes, to tell a record that has changed again.
  func contents(of ids: Set<String>) async throws -> [String: UInt64]
}

extension Seen {
  public var remembersAll: Bool { true }
  public func contents(of ids: Set<String>) async throws -> [String: UInt64] { [:] }
}

/// The result of a walk: everything an envelope says beside its items.
public struct Summary: Sendable, Hashable {
  /// The origin of the first page, and so of all pages.
  public var origin: Origin?
  /// The total last announced; for a walk that picked by itself the number of matches, once everything was read.
  public var total: Int?
  /// The number of records that were handed out.
  public var given = 0
  /// The number of pages that were read.
  public var pages = 0
  /// The number of rows that could not be read.
  public var skipped = 0
  /// The number of records whose id had come before.
  public var duplicates = 0
  /// The number of records that were searched; nil if it is unknown.
  public var searched: Int?
  /// The titles that come near a text that nothing matches. A walk does not look for them; an answer does, once it is empty.
  public var nearest = NearestTitles()
  /// The fields that a person has edited, by the records' ids; only stored records have edits.
  public var edited: [String: [FieldPath]] = [:]
  /// The values that do not fit their fields, among the records that were read.
  public var misfits = Misfits()
  /// The last change among the rows that came, by the service's clock; nil if the source does not tell changes.
  public var mark: Moment?
  /// The last bookmark among the pages; nil if the source makes none.
  public var bookmark: String?
  /// The verdict at the end of the walk; nil before that.
  public var verdict: Verdict?
  /// The verdict about a count of the records without the rest of the pages; nil if only reading them tells.
  package var counted: Verdict?
  /// The fields whose values in stored records are not known, because their description came after the records.
  package var unknown: Set<String> = []
  /// The change of the list while it was read, for a person; nil if nothing shows one.
  public var change: String?
  /// True when a complete walk cannot have missed a row that was in the list all along.
  public var isSure = true
  /// Texts for a person that pages came with, each once.
  public var notices: [String] = []

  /// The reason for the verdict if its word does not say everything; nil otherwise.
  public var reason: String? { verdict?.reason(after: change) }

  /// Makes the summary of a walk that has not asked yet.
  public init() {}

  /// Counts the values of a record that do not fit their fields.
  package mutating func note(_ misfits: [Misfit], of item: some SourceItem) { self.misfits.add(misfits, of: item) }
}
