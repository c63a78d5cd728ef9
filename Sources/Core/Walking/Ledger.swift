/// The rules of a walk, as a pure state machine: pages go in; new records, the way on and the verdict come out.
///
/// Its parts are ``LookBack`` and ``RecentRows`` for offsets, ``PagesAgain`` for numbered pages, ``Completeness`` for the verdict.
struct Ledger<Item: SourceItem> {
  private(set) var summary = Summary()
  /// Where to go on; meaningful while there is no verdict.
  private(set) var cursor: Cursor?

  var bounds: Bounds
  private let keeps: (@Sendable (Item) -> Bool)?
  /// The ids of the records that came: of the last page alone where somebody else remembers the others.
  private var ids: Set<String> = []
  private let isForgetful: Bool
  private var completeness: Completeness
  private var fingerprints: Set<UInt64>
  /// How pages by offset are asked for; nil where the walk does not look back.
  private var lookBack: LookBack?
  private var recentRows: RecentRows
  /// The row behind which the walk began.
  private let ground: UInt64?
  /// The broken rows behind the last record of a page whose successor begins behind that record: they come again.
  private var tail: [UInt64] = []
  private var twins: Set<UInt64> = []
  private var again: PagesAgain
  private var mostRows = 1
  /// How many pages in a row brought nothing new and had come before as they were, since the list has moved.
  private var pagesWithoutNews = 0
  /// The furthest place in a list by offset, and how long the walk has come no further (`longestStandstill`).
  private var reach = (place: 0, standstill: 0)
  /// How many pages in a row held no row and yet were not the last.
  private var emptyPages = 0

  /// `announced` is the total announced before the cursor and `passed` the fingerprint of the page before it, where somebody knows them.
  /// A `forgetful` ledger has to be told which ids of a page came before.
  init(
    bounds: Bounds, keeping keeps: (@Sendable (Item) -> Bool)?, forgetful isForgetful: Bool = false, from cursor: Cursor?,
    behind: Int?, announced: Int? = nil, passed: UInt64? = nil
  ) {
    let rowContext = cursor?.rowContext ?? RowContext()
    (self.bounds, self.keeps, self.isForgetful, self.cursor) = (bounds, keeps, isForgetful, cursor)
    fingerprints = passed.map { [$0] } ?? []
    lookBack = rowContext.last == nil || rowContext.isBlind ? nil : LookBack(isProven: rowContext.isProven)
    ground = rowContext.last
    recentRows = RecentRows(marks: rowContext.last.map { [$0] } ?? [])
    again = PagesAgain(rowContext)
    completeness = Completeness(
      behind: (behind ?? (cursor?.place ?? .offset(0)).rowsBefore).map { max(0, $0) }, announced: announced, rowContext)
    if case .offset(let offset) = cursor?.place, offset > 0 {
      // Nothing tells whether the row before the place is still the one that it was.
      if rowContext.last == nil { completeness.list.isBlind = true }
      // Nor whether the total is: cursors were once kept without it.
      if completeness.list.isBlind, completeness.list.total == nil { completeness.list.hasTotalMoved = true }
    }
  }

  func request(_ query: Query, in profile: Profile) -> PageRequest {
    let wanted = keeps == nil ? bounds.limit.map { $0 - summary.given } : nil
    guard let cursor, let lookBack, let place = placeBehind, place > 0 else {
      let plain = cursor.map { Cursor(maker: $0.maker, place: $0.place, thread: $0.thread) }
      return PageRequest(query, at: plain, wanted: wanted?.adding(tail.count), deadline: bounds.deadline)
    }
    let offset = lookBack.offset(from: place, page: mostRows)
    return PageRequest(
      query, at: Cursor(maker: cursor.maker, place: .offset(offset), thread: cursor.thread),
      wanted: lookBack.isSearching ? nil : wanted?.adding(place - offset), deadline: bounds.deadline,
      lookingBack: lookBack.isEarly)
  }

  /// Whether to ask for a page at its own place, since the service refused to give it one row early.
  mutating func asksInstead(of request: PageRequest, refused error: SourceError) -> Bool {
    guard request.looksBack, lookBack?.mayAskInstead(after: error) ?? false else { return false }
    lookBack?.refuse()
    return true
  }

  mutating func end(_ verdict: Verdict) {
    let verdict = completeness.checked(verdict)
    summary.verdict = verdict
    summary.total = keeps == nil ? announced : (verdict == .complete ? summary.given : nil)
    summary.change = completeness.change
  }

  /// Takes the end back, where only an error was the reason for it.
  mutating func goOn(until deadline: Moment?) { (summary.verdict, bounds.deadline) = (nil, deadline) }

  var announced: Int? { completeness.list.total }

  /// Whether the walk went on although it found no row that it knows: then it can only end as drift.
  var isLost: Bool { completeness.list.isLost }

  private var placeBehind: Int? { if case .offset(let offset) = cursor?.place { offset } else { nil } }
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
  }

  /// Which rows of a page the walk expects to know.
  private enum Known: Hashable {
    /// So many at its beginning.
    case first(Int)
    /// Any of them: earlier pages are read again.
    case any
  }

  /// Takes in the page that `request` was answered with; nil where another one is due in its place. `met` are those of its ids that came
  /// before, as far as the ledger does not remember them.
  mutating func admit(_ page: Page<Item>, _ rows: PageRows, met: Set<String>, for request: PageRequest) -> Arrival? {
    var arrival = Arrival(page: page, fingerprint: rows.fingerprint)
    if summary.origin == nil { summary.origin = page.origin }
    summary.searched = page.searched ?? summary.searched
    summary.nearest.add(page.nearest)
    summary.mark = page.mark ?? summary.mark
    mostRows = max(mostRows, page.received)
    let fall = completeness.note(page)
    var known = again.isUnderWay || isLost ? Known.any : .first(rows.count(of: tail))
    let place = page.maker.paging.style == .offset ? (request.cursor?.place.number ?? 0).adding(page.received) : nil
    var isFoundBehind = false
    let finding = judge(page, rows, met, request, upTo: place)
    switch finding {
    case .follows(let count): known = completeness.list.furthest == nil ? .first(count) : .any
    case .moved(let isBack):
      (known, isFoundBehind) = (.any, isBack)
      completeness.list.hasMoved = true
      completeness.list.furthest = completeness.list.furthest ?? cursor?.rowContext.last
    case .blind: goBlind()
    case nil: break
    case .askAgain:
      cursor?.thread = page.thread
      return nil
    case .over, .repeats:
      summary.pages += 1
      end(finding == .over ? completeness.verdict(at: place, page) : loop)
      return arrival
    case .lost:
      // What is left is still worth having: from now on pages are asked for at their place.
      goBlind()
      (completeness.list.isLost, completeness.list.hasMoved) = (true, true)
      return nil
    }
    summary.pages += 1
    if keeps == nil { summary.total = announced }
    summary.isSure = completeness.isSure

    var fresh = sort(rows, met, known, into: &arrival)
    let isNew = !fresh.isEmpty || !arrival.faults.isEmpty
    let isInOrder = remember(rows, known, isNew: isNew)
    var verdict = verdict(after: page, rows, at: place, known, isFoundBehind: isFoundBehind, isNew: isNew, fall: fall)
    if !isInOrder { verdict = completeness.drift(at: place) }
    if completeness.list.furthest.map(rows.marks.contains) ?? false { completeness.list.furthest = nil }

    fresh = keeps.map { fresh.filter($0) } ?? fresh
    let room = bounds.limit.map { $0 - summary.given } ?? .max
    arrival.given = fresh.count > room ? Array(fresh.prefix(room)) : fresh
    summary.given += arrival.given.count
    if let cut = fresh.dropFirst(arrival.given.count).first {
      advance(to: cut, in: page, rows, request)
      conclude(.bounded)
    } else {
      advance(behind: page, rows, request, fall: fall)
      conclude(verdict.map { $0 == .complete ? page.standing ?? $0 : $0 })
    }
    return arrival
  }

  /// From now on pages are asked for at their place.
  private mutating func goBlind() { (lookBack, completeness.list.isBlind) = (nil, true) }

  /// What looking back says of the page; nil where the walk does not look back.
  private mutating func judge(
    _ page: Page<Item>, _ rows: PageRows, _ met: Set<String>, _ request: PageRequest, upTo end: Int?
  ) -> LookBack.Finding? {
    guard page.maker.paging.style == .offset, let last = cursor?.rowContext.last, let place = placeBehind, place > 0 else {
      return nil
    }
    // The look back is the page's and the ledger's at once; taken out, it can ask the rest of the ledger.
    guard var lookBack else { return nil }
    defer { self.lookBack = lookBack }
    return lookBack.judge(
      rows, at: request.cursor?.place.number ?? 0, behind: last,
      isLast: page.isLast
        || page.more == nil && page.maker.paging.end == .total && completeness.isTotalReached(at: end, isFull: false),
      hasMore: page.namesAnother, isShort: request.wanted == nil && rows.count < mostRows,
      start: fingerprints.contains(rows.fingerprint) ? rows.marks.first : recentRows.marks.first, mostRows: mostRows
    ) { row in
      if let item = rows.item(at: row) {
        return rows.marks[row] == ground || ids.contains(rows.ids[item]) || met.contains(rows.ids[item])
      }
      return recentRows.contains(rows.marks[row])
    }
  }

  /// Notes the records and broken rows that were not only read again, and gives the records among them that are new.
  private mutating func sort(_ rows: PageRows, _ met: Set<String>, _ known: Known, into arrival: inout Arrival) -> [Item] {
    let page = arrival.page
    let start = if case .first(let count) = known { count } else { 0 }
    var (old, repeated): (Set<Int>, Set<Int>) = ([], [])
    if isForgetful { ids.removeAll(keepingCapacity: true) }
    for (item, id) in rows.ids.enumerated() {
      let isSeen = !ids.insert(id).inserted || met.contains(id)
      let row = rows.row(ofItem: item)
      if row < start || known == .any && (isSeen || rows.marks[row] == ground) {
        old.insert(item)
      } else if isSeen {
        repeated.insert(item)
        twins.insert(rows.marks[row])
      }
    }
    arrival.items = page.items.leavingOut(old)
    if !page.faults.isEmpty {
      for case (let row, .fault(let fault)) in page.rows.enumerated() where row >= start {
        if known != .any || !recentRows.contains(fault.digest) { arrival.faults.append(fault) }
      }
    }
    let fresh = repeated.isEmpty ? arrival.items : page.items.leavingOut(old.union(repeated))
    summary.skipped += arrival.faults.count
    summary.duplicates += repeated.count
    completeness.count(fresh: fresh.count, skipped: arrival.faults.count, repeated: repeated.count)
    return fresh
  }

  /// Adds the page to the recent rows of a walk that looks back; false where rows that came before are in another order now.
  private mutating func remember(_ rows: PageRows, _ known: Known, isNew: Bool) -> Bool {
    guard completeness.paging?.looksBack ?? false, !completeness.list.isBlind else { return true }
    switch known {
    case .any: return recentRows.merge(rows.marks, ignoring: twins)
    case .first(let count):
      let others = rows.marks.dropFirst(count)
      // A page of nothing but known rows in their order is a loop.
      let isInOrder = isNew || recentRows.isInOrder(others)
      recentRows.append(others)
      return isInOrder
    }
  }
}

// MARK: - The end

extension Ledger {
  /// How many pages in a row may come again as they were where the list has moved: more are a service's that does not do as it is asked.
  private static var mostPagesWithoutNews: Int { 20 }

  /// How long a walk may stand still, where each page without new rows counts ten and one with new rows, behind rows that were taken out, one.
  private static var longestStandstill: Int { 1_000 }

  /// How many pages in a row may be empty and not the last: tokens differ each time, a place that is counted is a guess.
  private static func mostEmptyPages(_ paging: Paging) -> Int { paging.style == .token ? 1_000 : 5 }

  /// Where more rows came than announced, the total is useless and a repetition counts as the end.
  private var loop: Verdict { completeness.isEveryRowThere ? .complete : .partial(.loop) }

  /// What the page says about the end; nil when the walk goes on.
  private mutating func verdict(
    after page: Page<Item>, _ rows: PageRows, at place: Int?, _ known: Known, isFoundBehind: Bool, isNew: Bool, fall: Int
  ) -> Verdict? {
    let paging = page.maker.paging
    if case .number(let first) = paging.style, case let number = (cursor?.place ?? paging.start).number,
      again.shifted(before: number, first: first, fall: fall, rows: mostRows) > 0
    {
      // Rows moved up into pages that were read already.
      fingerprints.insert(rows.fingerprint)
      return nil
    }
    if page.received == 0, !page.isLast, paging.style != .whole, page.namesAnother { return verdict(afterEmpty: page) }
    emptyPages = 0
    // After the last record only the broken rows came that had come with it.
    let isTailAlone = paging.style == .keyset && page.more != true && known == .first(rows.count)
    if page.isLast || page.received == 0 || isTailAlone || paging.style == .whole {
      return completeness.verdict(at: place, page)
    }
    if let place, lookBack != nil {
      reach = place > reach.place ? (place, 0) : (reach.place, reach.standstill + (isNew ? 1 : 10))
      if reach.standstill > Self.longestStandstill { return .partial(.drift(missing: nil)) }
    }
    let isRepeated = !fingerprints.insert(rows.fingerprint).inserted
    // A repeated page says nothing about the place that was asked for.
    if paging.end == .total, page.more != true, !isRepeated, !again.isUnderWay,
      completeness.isTotalReached(at: place, isFull: page.received >= mostRows && page.received > 1)
    {
      return completeness.verdict(at: place, page)
    }
    if isNew { pagesWithoutNews = 0 }
    guard known == .any else { return isRepeated || !isNew ? loop : nil }
    // Pages that are read again may come as they were; but not forever.
    if !isNew, isRepeated { pagesWithoutNews += 1 }
    guard pagesWithoutNews > Self.mostPagesWithoutNews else { return nil }
    // A service that repeats itself does so wherever one asks; where stepping back finds the same rows, others come and go before it.
    return isFoundBehind || isLost ? .partial(.drift(missing: nil)) : loop
  }

  /// Many services filter after paging: an empty page that names another one is not the end.
  private mutating func verdict(afterEmpty page: Page<Item>) -> Verdict? {
    emptyPages += 1
    // How many rows were left out is unknown, so the rows' places are too.
    goBlind()
    if case .token(let token) = page.next, !fingerprints.insert(Fingerprint.of(token)).inserted { return loop }
    return emptyPages > Self.mostEmptyPages(page.maker.paging) ? .partial(.more) : nil
  }

  private mutating func conclude(_ verdict: Verdict?) {
    if let verdict {
      end(verdict)
    } else if summary.given == bounds.limit || summary.pages == bounds.pages {
      end(.bounded)
    } else if cursor == nil {
      // The source said neither that it ended nor how to go on.
      end(.unverifiable)
    }
  }
}

// MARK: - The way on

extension Ledger {
  private mutating func advance(behind page: Page<Item>, _ rows: PageRows, _ request: PageRequest, fall: Int) {
    let paging = page.maker.paging
    let number = (request.cursor?.place ?? paging.start).number
    var next = page.next(behind: request.cursor?.place)
    if case .number(let first) = paging.style,
      page.next == .advance
        || page.next == .end && again.shifted(before: number, first: first, fall: fall, rows: mostRows) > 0
    {
      next = .number(again.next(after: number, first: first, fall: fall, rows: mostRows))
    }
    let isBehindRecord = paging.style == .keyset && page.next != .end && !page.items.isEmpty
    tail = isBehindRecord ? Array(rows.marks.dropFirst(rows.row(ofItem: page.items.count - 1) + 1)) : []
    goOn(at: next, in: page, behind: rows.marks.last)
  }

  /// Continues at the record where the limit cut the page, so that a later walk misses none.
  private mutating func advance(to cut: Item, in page: Page<Item>, _ rows: PageRows, _ request: PageRequest) {
    guard let item = page.items.firstIndex(where: { $0.id == cut.id }) else { return }
    switch page.maker.paging.style {
    case .offset:
      let row = rows.row(ofItem: item)
      goOn(
        at: .offset((request.cursor?.place.number ?? 0).adding(row)), in: page, behind: row > 0 ? rows.marks[row - 1] : nil)
    case .keyset where item > 0 && page.next == .advance: goOn(at: .key(page.items[item - 1].id), in: page, behind: nil)
    // No place leads into such a page: all of it comes again.
    case .keyset, .whole, .number, .token: break
    }
  }

  private mutating func goOn(at place: Place?, in page: Page<Item>, behind last: UInt64?) {
    guard let place else { return cursor = nil }
    let list = completeness.list
    var rowContext = RowContext()
    switch place {
    case .offset where page.maker.paging.looksBack:
      rowContext = list
      rowContext.last = last ?? cursor?.rowContext.last
      rowContext.isProven = lookBack?.isProven ?? false
      if lookBack == nil, !list.isBlind { lookBack = LookBack() }
    case .offset, .number:
      (rowContext.total, rowContext.hasTotalMoved, rowContext.furthestPage) = (list.total, list.hasTotalMoved, again.resumption)
    case .token, .key: break
    }
    cursor = Cursor(maker: page.maker.name, place: place, rowContext: rowContext, thread: page.thread)
  }
}

extension Page {
  /// Whether the service says that no page follows.
  fileprivate var isLast: Bool { next == .end || more == false }

  /// Whether the service says that there is another page.
  fileprivate var namesAnother: Bool { if case .token = next { true } else { more == true } }
}

extension Array {
  /// All but those at `indices`.
  fileprivate func leavingOut(_ indices: Set<Int>) -> [Element] {
    indices.isEmpty ? self : self.indices.filter { !indices.contains($0) }.map { self[$0] }
  }
}
