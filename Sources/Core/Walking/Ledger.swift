/// The rules of a walk, as a pure state machine: pages go in; new records, the way on and the verdict come out.
///
/// Its parts are ``LookBack`` and ``RecentRows`` for pages that begin early, ``SizedPages`` for their numbers, ``Completeness`` for the
/// verdict.
struct Ledger<Item: SourceItem> {
  var summary = Summary()
  /// Where to go on; meaningful while there is no verdict.
  var cursor: Cursor?

  var bounds: Bounds
  /// What the rows look like that came.
  private(set) var shape = ShapeCounts()
  /// The order in which the records are wanted.
  var sorting: Sorting?
  /// True when a search that finds nothing is to name the titles that come near.
  var wantsNearest = true
  /// Whether the pages have that order.
  private(set) var isSorted = false
  private let keeps: (@Sendable (Item) -> Bool)?
  /// The ids of the records that came: of the last page alone where somebody else remembers the others.
  private var ids: Set<String> = []
  let isForgetful: Bool
  /// Whether another walk began the list.
  let isFromCursor: Bool
  var completeness: Completeness
  var fingerprints: Set<UInt64>
  /// How pages that begin early are asked for; nil where the walk does not look back.
  var lookBack: LookBack?
  /// How numbered pages are chosen so that they begin early; nil where they are not.
  var sizes: SizedPages?
  private var recentRows: RecentRows
  /// The rows behind which the walk began: all that it knows of those that came before.
  private let ground: Set<UInt64>
  /// The broken rows behind the last record of a page whose successor begins behind that record: they come again.
  var tail: [UInt64] = []
  private var twins: Set<UInt64> = []
  /// The broken rows that came, for a list that is read again.
  private var brokenRows: Set<UInt64> = []
  /// The rows that came since the list is read again from its first page; nil where it is read for the first time.
  var passRows: Set<UInt64>?
  /// True when the second page is asked for although as many rows came as are announced.
  var doubtsTotal = false
  /// True when all rows came behind which the walk went on, and the beginning of the list is read again for those that moved there.
  var readsBeginningAgain = false
  /// True while the next page may have rows that came before, since the walk has just stopped looking back.
  private var expectsRepeats = false
  /// The verdict that the list comes to, and the total by then, if one more page proves that the last one was the end.
  var pending: (verdict: Verdict, total: Int?)?
  var mostRows = 1
  /// How many pages in a row brought nothing new and had come before as they were, since the list has moved.
  var pagesWithoutNews = 0
  /// The furthest place in a list by offset, and how long the walk has come no further (`longestStandstill`).
  var reach = (place: 0, standstill: 0)
  /// How many pages in a row were passed over.
  private var pagesLeft = 0
  /// How many pages in a row held no row and yet were not the last.
  var emptyPages = 0

  /// `announced` is the total announced before the cursor and `passed` the fingerprint of the page before it, where somebody knows them.
  /// A `forgetful` ledger has to be told which ids of a page came before.
  init(
    bounds: Bounds, keeping keeps: (@Sendable (Item) -> Bool)?, forgetful isForgetful: Bool = false, from cursor: Cursor?,
    behind: Int?, announced: Int? = nil, passed: UInt64? = nil
  ) {
    let rowContext = cursor?.rowContext ?? RowContext()
    (self.bounds, self.keeps, self.isForgetful, self.cursor) = (bounds, keeps, isForgetful, cursor)
    isFromCursor = cursor != nil
    fingerprints = passed.map { [$0] } ?? []
    lookBack = rowContext.last == nil || rowContext.isBlind ? nil : LookBack(isProven: rowContext.isProven)
    sizes = lookBack == nil ? nil : rowContext.sizes
    lookBack?.isResumed = true
    let rows = rowContext.last.map { rowContext.others + [$0] } ?? []
    (ground, recentRows, mostRows) = (Set(rows), RecentRows(marks: rows), max(1, rowContext.sizes?.largest ?? 1))
    passRows = rowContext.passes > 0 ? [] : nil
    completeness = Completeness(
      behind: (behind ?? (cursor?.place ?? .offset(0)).rowsBefore).map { max(0, $0) }, announced: announced, rowContext)
    if case .number = cursor?.place { completeness.list.isBlind = true }
    if case .offset(let offset) = cursor?.place, offset > 0 {
      // Nothing tells whether the row before the place is still the one that it was.
      if rowContext.last == nil { completeness.list.isBlind = true }
      // Nor whether the total is: cursors were once kept without it.
      if completeness.list.isBlind, completeness.list.total == nil { completeness.list.hasTotalMoved = true }
    }
    // A reading that another run began proves nothing here.
    if rowContext.passes > 0 { completeness.list.hasTotalMoved = true }
  }

  func request(_ query: Query, in profile: Profile) -> PageRequest {
    let wanted = keeps == nil ? bounds.limit.map { $0 - summary.given } : nil
    guard let cursor, let lookBack, let place = placeBehind, place > 0 else {
      let plain = cursor.map { Cursor(maker: $0.maker, place: $0.place, thread: $0.thread) }
      return PageRequest(query, at: plain, wanted: wanted?.adding(tail.count), deadline: bounds.deadline)
    }
    if let sizes {
      let page = lookBack.page(from: place, of: sizes)
      let request = PageRequest(
        query, at: Cursor(maker: cursor.maker, place: page.place, thread: cursor.thread), wanted: wanted,
        deadline: bounds.deadline, lookingBack: true)
      return changing(request) { $0.mostRows = lookBack.lead == 0 ? sizes.largest : nil }
    }
    let offset = lookBack.offset(from: place, page: mostRows)
    return PageRequest(
      query, at: Cursor(maker: cursor.maker, place: .offset(offset), thread: cursor.thread),
      wanted: lookBack.isSearching ? nil : wanted?.adding(place - offset), deadline: bounds.deadline,
      lookingBack: lookBack.isEarly)
  }

  mutating func end(_ verdict: Verdict) {
    let verdict = completeness.checked(verdict)
    summary.verdict = verdict
    summary.isSure = isSure && !completeness.mayHaveSlippedAhead
    summary.total = keeps == nil ? announced : (verdict == .complete ? summary.given : nil)
    summary.change = completeness.change
  }

  /// Takes the end back, where only an error was the reason for it.
  mutating func goOn(until deadline: Moment?) { (summary.verdict, bounds.deadline) = (nil, deadline) }

  var announced: Int? { completeness.list.total }

  /// Whether the walk went on although it found no row that it knows: then it can only end as drift.
  var isLost: Bool { completeness.list.isLost }

  /// Nothing slips out of a list that comes in one page.
  private var isSure: Bool { completeness.isSure || summary.pages == 1 && !isFromCursor }

  var placeBehind: Int? { if case .offset(let offset) = cursor?.place { offset } else { nil } }
}

// MARK: - Taking a page in

extension Ledger {
  struct Arrival {
    let page: Page<Item>
    let fingerprint: UInt64
    /// The records that are new, wanted and within the limit.
    var given: [Item] = []
    /// All records but those that were only read again.
    var items: [Item] = []
    /// The broken rows, likewise.
    var faults: [RowFault] = []
    /// The ids before the record at which the limit cut the page; nil where it cut none.
    var idsTaken: [String]?
  }

  /// Which rows of a page the walk expects to know.
  struct Known {
    /// So many at its beginning.
    var first = 0
    /// Whether any of the others may have come before: earlier pages are read again.
    var mayRepeat = false
  }

  /// Takes in the page that `request` was answered with; nil where another one is due in its place. `met` are those of its ids that came
  /// before, as far as the ledger does not remember them.
  mutating func admit(_ page: Page<Item>, _ rows: PageRows, met: Set<String>, for request: PageRequest) -> Arrival? {
    var arrival = Arrival(page: page, fingerprint: rows.fingerprint)
    if summary.origin == nil { summary.origin = page.origin }
    summary.searched = page.searched ?? summary.searched
    summary.nearest.add(page.nearest)
    summary.edited.merge(page.edited) { $1 }
    summary.mark = [summary.mark, page.mark].compactMap(\.self).max()
    (isSorted, summary.counted) = (page.isSorted, page.counted)
    mostRows = max(mostRows, page.received)
    let (before, total) = (placeBehind, announced)
    completeness.note(page)
    shape += page.shape
    var place = page.maker.paging.style == .offset ? (request.cursor?.place.number ?? 0).adding(page.received) : nil
    var known = Known(
      first: rows.count(of: tail), mayRepeat: isLost || expectsRepeats || passRows != nil || readsBeginningAgain)
    expectsRepeats = false
    var isFoundBehind = false
    let finding = judge(page, rows, met, request, upTo: place)
    switch finding {
    case .follows(let count):
      known = Known(first: count, mayRepeat: completeness.list.furthest != nil)
      if sizes != nil { place = before?.adding(rows.count - count) }
    case .moved(let isBack, let count):
      // A walk that another run began does not know all rows that came before.
      known = Known(first: isFromCursor && !isForgetful ? count : 0, mayRepeat: true)
      isFoundBehind = isBack
      if sizes != nil { place = (lookBack?.asked?.begin ?? 0).adding(rows.count) }
      completeness.list.hasMoved = true
      completeness.list.furthest = completeness.list.furthest ?? cursor?.rowContext.last
    case .blind where sizes != nil, .unheard:
      stopAskingForSizes()
      return leave(page)
    case .blind: goBlind()
    case nil: break
    case .askAgain: return leave(page)
    case .proven:
      if let pending, pending.total == announced, !readBeginningAgain(after: cursor) { end(pending.verdict) }
      pending = nil
      return leave(page)
    case .over where sizes != nil && announced != total && (announced ?? 0) > before ?? 0 && pagesLeft < 4:
      // Rows have come before this page since the last one.
      return leave(page)
    case .over, .repeats:
      summary.pages += 1
      if finding == .repeats {
        end(loop)
      } else {
        cursor?.thread = page.thread
        finish(completeness.verdict(at: sizes == nil ? place : before, more: page.more), cursor)
      }
      return arrival
    case .lost:
      loseGround()
      return leave(page)
    }
    pagesLeft = 0
    if request.cursor == nil, page.maker.paging.isNumbered {
      sizes = SizedPages(behind: page)
      if sizes == nil { goBlind() } else { (lookBack, place) = (LookBack(), page.received) }
    }
    sizes?.largest = max(mostRows, 1)
    summary.pages += 1
    if keeps == nil { summary.total = announced }
    summary.isSure = isSure

    var fresh = sort(rows, met, known, into: &arrival)
    let isNew = !fresh.isEmpty || !arrival.faults.isEmpty
    let isInOrder = remember(rows, known, isNew: isNew)
    var verdict =
      readsBeginningAgain
      ? verdict(afterBeginning: page, isNew: isNew)
      : verdict(after: page, rows, at: place, known, isFoundBehind: isFoundBehind, isNew: isNew)
    if !isInOrder { verdict = completeness.drift(at: place) }
    if completeness.list.furthest.map(rows.marks.contains) ?? false { completeness.list.furthest = nil }

    fresh = keeps.map { fresh.filter($0) } ?? fresh
    let room = bounds.limit.map { $0 - summary.given } ?? .max
    arrival.given = fresh.count > room ? Array(fresh.prefix(room)) : fresh
    summary.given += arrival.given.count
    if let cut = fresh.dropFirst(arrival.given.count).first {
      arrival.idsTaken = Array(rows.ids.prefix { $0 != cut.id })
      advance(to: cut, in: page, rows, request, at: place)
      conclude(.bounded, page)
    } else {
      advance(behind: page, rows, request, at: place)
      conclude(verdict, page)
    }
    return arrival
  }

  /// Passes over a page that only settled a doubt. A service that raises doubts for ever has a list that cannot be read.
  private mutating func leave(_ page: Page<Item>) -> Arrival? {
    cursor?.thread = page.thread
    pagesLeft += 1
    if pagesLeft > Self.mostPagesLeft, summary.verdict == nil { end(completeness.drift(at: placeBehind)) }
    return nil
  }

  /// Goes on without a row that is known: what is left is still worth having.
  mutating func loseGround() {
    goBlind()
    (completeness.list.isLost, completeness.list.hasMoved) = (true, true)
  }

  /// From now on pages are asked for at their place; of numbered ones the full page that has it.
  mutating func goBlind() {
    (lookBack, completeness.list.isBlind) = (nil, true)
    guard let sizes, let cursor else { return }
    self.sizes = nil
    // Rows that moved before this page are behind the walk, whatever the total says from now on.
    if completeness.list.hasMoved { completeness.list.hasTotalMoved = true }
    expectsRepeats = true
    let page = sizes.page(at: placeBehind ?? 0, size: sizes.largest)
    // A later run knows neither the first rows of that page nor which of them are broken, and counts them twice.
    let countsTwice = page.begin != placeBehind
    if countsTwice, isFromCursor { completeness.list.hasTotalMoved = true }
    let rowContext = changing(completeness.list.withoutRows) { $0.hasTotalMoved = $0.hasTotalMoved || countsTwice }
    self.cursor = Cursor(
      maker: cursor.maker, place: .number(page.number), rowContext: rowContext, thread: cursor.thread)
  }

  /// Goes on with full pages, since the service does not hear sizes; where all has come, there is nothing to go on with.
  mutating func stopAskingForSizes() {
    let place = placeBehind
    goBlind()
    guard pending != nil else { return }
    pending = nil
    finish(completeness.verdict(at: place, more: nil), cursor)
  }

  /// What looking back says of the page; nil where the walk does not look back.
  private mutating func judge(
    _ page: Page<Item>, _ rows: PageRows, _ met: Set<String>, _ request: PageRequest, upTo end: Int?
  ) -> LookBack.Finding? {
    guard let last = cursor?.rowContext.last, let place = placeBehind, place > 0 else { return nil }
    // The look back is the page's and the ledger's at once; taken out, it can ask the rest of the ledger.
    guard var lookBack else { return nil }
    defer { self.lookBack = lookBack }
    func knows(_ row: Int) -> Bool {
      if let item = rows.item(at: row) {
        return ground.contains(rows.marks[row]) || ids.contains(rows.ids[item]) || met.contains(rows.ids[item])
      }
      return recentRows.contains(rows.marks[row])
    }
    let start = fingerprints.contains(rows.fingerprint) ? rows.marks.first : recentRows.marks.first
    if var sizes {
      defer { self.sizes = sizes }
      let asked = lookBack.page(from: place, of: sizes)
      let overlap = place - asked.begin
      return lookBack.judge(
        rows, as: asked, of: &sizes, overlap: max(1, overlap), behind: last, isLast: page.isLast, hasMore: page.namesAnother,
        total: page.total, start: start,
        remembers: !isFromCursor || isForgetful, knows: knows)
    }
    guard page.maker.paging.style == .offset else { return nil }
    return lookBack.judge(
      rows, at: request.cursor?.place.number ?? 0, behind: last,
      isLast: page.isLast
        || page.more == nil && page.maker.paging.end == .total && completeness.isTotalReached(at: end, isFull: false),
      hasMore: page.namesAnother, isShort: request.wanted == nil && rows.count < mostRows,
      start: start, mostRows: mostRows, knows: knows)
  }

  /// Notes the records and broken rows that were not only read again, and gives the records among them that are new.
  private mutating func sort(_ rows: PageRows, _ met: Set<String>, _ known: Known, into arrival: inout Arrival) -> [Item] {
    let page = arrival.page
    var (old, repeated): (Set<Int>, Set<Int>) = ([], [])
    if isForgetful { ids.removeAll(keepingCapacity: true) }
    for (item, id) in rows.ids.enumerated() {
      let isSeen = !ids.insert(id).inserted || met.contains(id)
      let row = rows.row(ofItem: item)
      if row < known.first || known.mayRepeat && (isSeen || ground.contains(rows.marks[row])) {
        old.insert(item)
      } else if isSeen {
        repeated.insert(item)
        twins.insert(rows.marks[row])
      }
    }
    arrival.items = page.items.leavingOut(old)
    if !page.faults.isEmpty {
      for case (let row, .fault(let fault)) in page.rows.enumerated() where row >= known.first {
        let isMet = !brokenRows.insert(fault.digest).inserted || recentRows.contains(fault.digest)
        if !known.mayRepeat || !isMet { arrival.faults.append(fault) }
      }
    }
    let fresh = repeated.isEmpty ? arrival.items : page.items.leavingOut(old.union(repeated))
    summary.skipped += arrival.faults.count
    shape.broken += arrival.faults.count
    shape.keyless += arrival.faults.count { $0.isKeyless }
    summary.duplicates += repeated.count
    if passRows == nil {
      completeness.count(fresh: fresh.count, skipped: arrival.faults.count, repeated: repeated.count)
    } else {
      // Of a list that is read again all rows count once more.
      let count = rows.marks.count { passRows?.insert($0).inserted ?? false }
      completeness.count(fresh: count, skipped: 0, repeated: 0)
    }
    return fresh
  }

  /// Adds the page to the recent rows of a walk that looks back; false where rows that came before are in another order now.
  private mutating func remember(_ rows: PageRows, _ known: Known, isNew: Bool) -> Bool {
    guard completeness.paging?.looksBack ?? false, !completeness.list.isBlind, !readsBeginningAgain else { return true }
    if known.mayRepeat { return recentRows.merge(rows.marks, ignoring: twins) }
    let others = rows.marks.dropFirst(known.first)
    // A page of nothing but known rows in their order is a loop.
    let isInOrder = isNew || recentRows.isInOrder(others)
    recentRows.append(others)
    return isInOrder
  }
}

extension Page {
  /// Whether the service says that no page follows.
  var isLast: Bool { next == .end || more == false }

  /// Whether the service says that there is another page.
  var namesAnother: Bool { if case .token = next { true } else { more == true } }
}

extension Array {
  /// All but those at `indices`.
  fileprivate func leavingOut(_ indices: Set<Int>) -> [Element] {
    indices.isEmpty ? self : self.indices.filter { !indices.contains($0) }.map { self[$0] }
  }
}
