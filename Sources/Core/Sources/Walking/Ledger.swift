/// The rules of a walk as a pure state machine: pages go in; new records, the next place and the verdict come out.
///
/// Its parts are ``KnownRows``, with which a page is compared, ``LookBack`` for pages that begin early, ``SizedPages`` for their numbers,
/// ``Headway`` so that every walk ends, ``Evidence`` and ``VerdictGate`` for the verdict.
struct Ledger<Item: SourceItem> {
  var summary = Summary()
  /// The cursor at which this walk, or after its limit a later one, continues; nil at the beginning, and if nothing follows.
  var cursor: Cursor?

  var bounds: Bounds
  /// The shape of the rows that came.
  private(set) var shape = ShapeCounts()
  /// The order in which the records are wanted.
  var sorting: Sorting?
  /// True when the pages have that order.
  private(set) var isSorted = false
  private let keeps: (@Sendable (Item) -> Bool)?
  /// True when another walk began the list.
  let isFromCursor: Bool
  var evidence: Evidence
  var headway = Headway()
  /// The pages that came, and the tokens that led to them after empty ones.
  var fingerprints: Set<UInt64> = []
  /// The way in which early pages are asked for; nil if the walk does not look back.
  var lookBack: LookBack?
  /// The name of the cached walk that the first page belongs to; nil if it is not cached.
  var keptWalk: String?
  /// The choice of numbered pages that begin early; nil if pages do not.
  var sizes: SizedPages?
  var known: KnownRows
  /// The broken rows after the last record of a page whose successor begins after that record: they come again.
  var tail: [UInt64] = []
  /// True when the second page is asked for although as many rows came as are announced.
  var doubtsTotal = false
  /// The evidence at the end of the list, while the walk reads the beginning again for rows that moved there.
  var evidenceAtEnd: Evidence?
  /// True when the next page may have rows that came before: the walk has just stopped looking back, or the page was read by an earlier run.
  private var expectsRepeats: Bool
  /// True while the pages after such a page have no new row either, because they are shorter than it was thought.
  private var rereads = false
  /// The number of pages in a row that were empty and not the last.
  var emptyPages = 0
  /// True when the last page awaits the proof that it was the end.
  var awaitsProof = false
  var mostRows = 1

  /// Makes a ledger. `announced` is the total announced before the cursor, if it is known. A `forgetful` ledger has to be told which ids of
  /// a page came before.
  init(
    bounds: Bounds, keeping keeps: (@Sendable (Item) -> Bool)?, forgetful isForgetful: Bool = false, from cursor: Cursor?,
    behind: Int?, announced: Int? = nil
  ) {
    let rowContext = cursor?.rowContext ?? RowContext()
    (self.bounds, self.keeps, self.cursor) = (bounds, keeps, cursor)
    isFromCursor = cursor != nil
    lookBack = rowContext.last == nil || rowContext.isBlind ? nil : LookBack(isProven: rowContext.isProven)
    sizes = lookBack == nil ? nil : rowContext.sizes
    lookBack?.isResumed = true
    if let aim = rowContext.aim { lookBack?.aim(as: aim) }
    (headway, emptyPages) = (Headway(resuming: rowContext.idle), rowContext.gaps)
    known = KnownRows(before: rowContext, forgetful: isForgetful)
    mostRows = max(1, rowContext.sizes?.largest ?? 1)
    // A run that ended with the list's only page, and was cut off then, has no cursor.
    expectsRepeats = cursor.map { $0.rowContext.comesAgain } ?? ((behind ?? 0) > 0)
    evidence = Evidence(
      behind: (behind ?? (cursor?.place ?? .offset(0)).rowsBefore).map { max(0, $0) }, announced: announced, rowContext)
    if case .number = cursor?.place { evidence.list.isBlind = true }
    if case .offset(let offset) = cursor?.place, offset > 0 {
      // Nothing shows whether the row before the place is still the same one.
      if rowContext.last == nil { evidence.list.isBlind = true }
      // Nothing shows whether the total is still the same either: cursors of older versions lack it.
      if evidence.list.isBlind, evidence.list.total == nil, !evidence.list.isTotalWrong { evidence.list.hasTotalMoved = true }
    }
    // A second reading that another run began proves nothing here.
    if rowContext.passes > 0 { evidence.list.hasTotalMoved = true }
  }

  func request(_ query: Query, in profile: Profile) -> PageRequest {
    let wanted = keeps == nil ? bounds.limit.map { $0 - summary.given } : nil
    guard let cursor, let lookBack, let place = cursorOffset, place > 0 else {
      let plain = cursor.map { Cursor(maker: $0.maker, place: $0.place, thread: $0.thread) }
      return PageRequest(query, at: plain, wanted: wanted?.adding(tail.count))
    }
    if let sizes {
      let page = lookBack.page(from: place, of: sizes)
      let request = PageRequest(
        query, at: Cursor(maker: cursor.maker, place: page.place, thread: cursor.thread), wanted: wanted,
        lookingBack: true)
      return copy(of: request) { $0.mostRows = lookBack.lead == 0 ? sizes.largest : nil }
    }
    let offset = lookBack.offset(from: place, page: mostRows)
    return PageRequest(
      query, at: Cursor(maker: cursor.maker, place: .offset(offset), thread: cursor.thread),
      wanted: lookBack.isSearching ? nil : wanted?.adding(place - offset),
      lookingBack: lookBack.isEarly)
  }

  mutating func end(_ verdict: Verdict) {
    let verdict = VerdictGate.checked(verdict, evidence)
    summary.verdict = verdict
    summary.isSure = isSure && !evidence.mayHaveSlippedAhead
    summary.total = keeps == nil ? announced : (verdict == .complete ? summary.given : nil)
    summary.change = evidence.change
  }

  /// Takes back an end for which an error was the only reason.
  mutating func goOn(until deadline: Moment?) { (summary.verdict, bounds.deadline) = (nil, deadline) }

  var announced: Int? { evidence.total }

  /// True when the walk continued although it found no row that it knows: then it can only end as drift.
  var isLost: Bool { evidence.list.isLost }

  /// True when every row that came before is known: those of this walk, or those that others remember.
  var remembersAll: Bool { !isFromCursor || known.isForgetful }

  var readsBeginningAgain: Bool { evidenceAtEnd != nil }

  /// True when no row can have slipped out. A list that comes in one page is always sure.
  private var isSure: Bool { evidence.isSure || summary.pages == 1 && !isFromCursor }

  var cursorOffset: Int? { if case .offset(let offset) = cursor?.place { offset } else { nil } }
}

// MARK: - Taking a page in

extension Ledger {
  /// The rows of a page that the walk expects to know.
  struct Expected {
    /// The number of such rows at the beginning.
    var first = 0
    /// True when any of the other rows may have come before, because earlier pages are read again.
    var mayRepeat = false
  }

  /// The use that a walk makes of a page.
  private enum Step {
    /// It is taken in: its rows lead to `place` in the list, if that is known. It is the page that was asked for if it `isAtPlace`.
    case take(Expected, place: Int?, isAtPlace: Bool)
    /// It only settled a doubt, and another page is asked for.
    case leave
    /// It only shows that the walk has come to its end.
    case end
  }

  /// Takes in the page that `request` was answered with; nil if it is not taken, because another page is needed or the walk has ended.
  /// `met` are those of its ids that came before, as far as the ledger does not remember them. The arrival takes the records afterwards.
  mutating func admit(_ page: Page<Item>, _ rows: PageRows, met: Set<String>, for request: PageRequest) -> Arrival? {
    var arrival = Arrival(page, fingerprint: rows.fingerprint)
    note(page, rows, request)
    let (wasReread, wasExpected) = (rereads, expectsRepeats)
    let (expected, place, isAtPlace): (Expected, Int?, Bool)
    switch step(page, rows, met, request) {
    case .take(let rows, let end, let isRight): (expected, place, isAtPlace) = (rows, end, isRight)
    case .end: return arrival
    case .leave:
      cursor?.thread = page.thread
      return nil
    }
    summary.pages += 1
    evidence.place = place
    let found = compare(page, rows, met, expected)
    arrival.faults = found.faults
    evidence.count(
      records: found.news.records, broken: found.news.broken, repeated: found.repeated.count, upTo: isAtPlace ? place : nil)
    let isNew = found.news.records + found.news.broken > 0
    if isNew { headway.countNews(upTo: lookBack == nil ? nil : place) }
    if keeps == nil { summary.total = announced }
    summary.isSure = isSure
    rereads = (wasReread || wasExpected) && !isNew
    let verdict = verdict(taking: page, rows, expected, isNew: isNew, isReread: wasReread)
    if let cut = pick(from: page, found, into: &arrival) {
      arrival.idsTaken = Array(rows.ids.prefix { $0 != cut.id })
      advance(to: cut, in: page, rows, request, at: place)
      conclude(.bounded, page)
    } else {
      advance(after: page, rows, request, at: place)
      conclude(verdict, page)
    }
    return arrival
  }

  /// Notes what the page says beside its rows.
  private mutating func note(_ page: Page<Item>, _ rows: PageRows, _ request: PageRequest) {
    if summary.origin == nil { (summary.origin, keptWalk) = (page.origin, page.thread?.walk) }
    summary.searched = page.searched ?? summary.searched
    summary.edited.merge(page.edited) { $1 }
    summary.mark = [summary.mark, page.mark].compactMap(\.self).max()
    summary.bookmark = page.bookmark ?? summary.bookmark
    (isSorted, summary.counted) = (page.isSorted, page.counted)
    mostRows = max(mostRows, page.received)
    evidence.note(
      page, isFull: [request.size(in: page.maker.paging), page.maker.paging.size].contains(page.received),
      isAfterFirst: request.cursor.map { evidence.countsRows && $0.place != page.maker.paging.start } ?? false,
      isRepeated: fingerprints.contains(rows.fingerprint))
    shape += page.shape
  }

  /// Decides what to do with the page, by the rows that the walk knows.
  private mutating func step(_ page: Page<Item>, _ rows: PageRows, _ met: Set<String>, _ request: PageRequest) -> Step {
    let before = cursorOffset
    var place = page.maker.paging.style == .offset ? (request.cursor?.place.number ?? 0).adding(page.received) : nil
    var expected = Expected(
      first: page.isInOneOutput && summary.pages > 0 ? 0 : rows.count(of: tail),
      mayRepeat: isLost || expectsRepeats || rereads || readsBeginningAgain)
    (expectsRepeats, rereads) = (false, false)
    evidence.place = place
    let judgment = judge(page, rows, met, request)
    switch judgment {
    case .follows(let count):
      expected = Expected(first: count, mayRepeat: evidence.list.furthest != nil)
      if sizes != nil { place = before?.adding(rows.count - count) }
    case .moved(let count):
      // A walk that another run began does not know all rows that came before.
      expected = Expected(first: remembersAll ? 0 : count, mayRepeat: true)
      if sizes != nil { place = (lookBack?.asked?.begin ?? 0).adding(rows.count) }
      evidence.list.hasMoved = true
      evidence.list.furthest = evidence.list.furthest ?? cursor?.rowContext.last
    case .blind where sizes != nil, .unheard:
      stopAskingForSizes()
      return .leave
    case .blind: goBlind()
    case nil: break
    case .askAgain: return .leave
    case .over, .repeats:
      end(before, at: place, by: page, repeats: judgment == .repeats)
      return .end
    case .lost:
      loseGround()
      return .leave
    }
    if request.cursor == nil, page.maker.paging.isNumbered {
      sizes = SizedPages(after: page)
      if sizes == nil { goBlind() } else { (lookBack, place) = (LookBack(), page.received) }
    }
    // A page may be another one than the walk asked for, unless it begins with the expected row.
    return .take(expected, place: place, isAtPlace: request.cursor == nil || judgment?.isFollowing ?? false)
  }

  /// Ends a walk, or its present reading, at a page that has nothing after the place `before` it.
  private mutating func end(_ before: Int?, at place: Int?, by page: Page<Item>, repeats isRepeating: Bool) {
    summary.pages += 1
    cursor?.thread = page.thread
    let isBeyond = sizes != nil || place ?? 0 > announced ?? .max
    evidence.place = !isBeyond ? place : page.received > 0 ? before : before.map { min($0, announced ?? $0) }
    if isRepeating { end(verdict(.repetition)) } else { finish(.end, cursor) }
  }

  /// Puts the wanted records of the page into the arrival, up to the limit. Returns the first record beyond the limit, if there is one.
  private mutating func pick(from page: Page<Item>, _ found: KnownRows.Comparison, into arrival: inout Arrival) -> Item? {
    (arrival.old, arrival.isPicked) = (found.old, keeps != nil || bounds.limit != nil || !found.repeated.isEmpty)
    var cut: Item?
    if arrival.isPicked {
      var wanted = page.items.leavingOut(found.old.union(found.repeated))
      if let keeps { wanted = wanted.filter(keeps) }
      let room = bounds.limit.map { $0 - summary.given } ?? .max
      cut = wanted.dropFirst(room).first
      arrival.given = cut == nil ? wanted : Array(wanted.prefix(room))
    }
    if !page.misfits.isEmpty {
      // Of a walk that looks for one record, only that record counts.
      let read = bounds.limit == 1 && keeps != nil ? arrival.given : page.items.leavingOut(found.old.union(found.repeated))
      for item in read { if let misfits = page.misfits[item.id] { summary.misfits.add(misfits, of: item) } }
    }
    summary.given += arrival.isPicked ? arrival.given.count : page.items.count - found.old.count - found.repeated.count
    return cut
  }

  /// Continues without a row that is known: the rest is still worth having.
  mutating func loseGround() {
    goBlind()
    (evidence.list.isLost, evidence.list.hasMoved) = (true, true)
  }

  /// From now on asks for pages at their own place, without looking back; for a numbered list that is the full page that has the place.
  mutating func goBlind() {
    let hasLostGround = lookBack?.hasLostGround ?? false
    (lookBack, evidence.list.isBlind) = (nil, true)
    guard let sizes, let cursor else { return }
    self.sizes = nil
    // Rows that moved to before this page are missed, whatever the total says from now on.
    if evidence.list.hasMoved || hasLostGround { evidence.list.hasTotalMoved = true }
    expectsRepeats = true
    let page = sizes.page(at: cursorOffset ?? 0, size: mostRows)
    // A later run knows neither the first rows of that page nor which of them are broken, so it counts them twice.
    let countsTwice = page.begin != cursorOffset
    if countsTwice, isFromCursor { evidence.list.hasTotalMoved = true }
    let rowContext = copy(of: evidence.list.withoutRows) { $0.hasTotalMoved = $0.hasTotalMoved || countsTwice }
    self.cursor = Cursor(
      maker: cursor.maker, place: .number(page.number), rowContext: rowContext, thread: cursor.thread)
  }

  /// Continues with full pages, since the service ignores sizes. If everything has come already, the walk ends.
  mutating func stopAskingForSizes() {
    evidence.place = cursorOffset
    goBlind()
    guard awaitsProof else { return }
    (awaitsProof, evidence.more) = (false, nil)
    finish(.end, cursor)
  }

  /// Returns what looking back finds about the page; nil if the walk does not look back.
  private mutating func judge(
    _ page: Page<Item>, _ rows: PageRows, _ met: Set<String>, _ request: PageRequest
  ) -> LookBack.Judgment? {
    guard let last = cursor?.rowContext.last, let place = cursorOffset, place > 0 else { return nil }
    guard var lookBack else { return nil }
    defer { self.lookBack = lookBack }
    func knows(_ row: Int) -> Bool { known.has(row, of: rows, met: met) }
    let start = fingerprints.contains(rows.fingerprint) ? rows.marks.first : known.recent.marks.first
    let total = evidence.list.isTotalWrong ? nil : page.total
    if var sizes {
      defer { self.sizes = sizes }
      let asked = lookBack.page(from: place, of: sizes)
      return lookBack.judge(
        rows, as: asked, of: &sizes, overlap: max(1, place - asked.begin), after: known.recent.upTo(last), isLast: page.isLast,
        hasMore: page.namesAnother, total: total, start: start, rereads: evidence.list.furthest != nil,
        remembers: remembersAll, knows: knows)
    }
    guard page.maker.paging.style == .offset else { return nil }
    return lookBack.judge(
      rows, at: request.cursor?.place.number ?? 0, after: last,
      isLast: page.isLast || page.more == nil && page.maker.paging.end == .total && evidence.isTotalReached(isFull: false),
      isSaid: page.isLast, hasMore: page.namesAnother, isShort: request.wanted == nil && rows.count < mostRows,
      start: start, mostRows: mostRows, total: total, first: known.recent.marks.first,
      isInOrder: { known.recent.isInOrder(rows.marks) }, knows: knows)
  }

  /// Compares the page with the rows that are known, and counts what it found.
  private mutating func compare(
    _ page: Page<Item>, _ rows: PageRows, _ met: Set<String>, _ expected: Expected
  ) -> KnownRows.Comparison {
    let found = known.add(page, rows, met: met, expecting: expected.first, mayRepeat: expected.mayRepeat)
    evidence.list.broken += found.broken.prefix(max(0, RowContext.mostBroken - evidence.list.broken.count))
    evidence.list.sharedKeys += found.sharedKeys
    summary.skipped += found.faults.count
    summary.duplicates += found.repeated.count
    shape.broken += found.faults.count
    shape.keyless += found.faults.count { $0.isKeyless }
    return found
  }
}

extension Page {
  /// True when the service says that no page follows.
  var isLast: Bool { next == .end || more == false }

  /// True when the service says that another page follows.
  var namesAnother: Bool { if case .token = next { true } else { more == true } }
}
