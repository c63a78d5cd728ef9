/// The findings of a walk about its list, and the way in which it came to the list's end: all that ``VerdictGate`` needs for a verdict.
package struct Evidence: Sendable, Hashable {
  /// The way in which a walk came to the end of a list.
  package enum Ending: Sendable, Hashable {
    /// The service showed the end, or as many rows came as it announced.
    case end
    /// A page came again, or one without a new row.
    case repetition
    /// A page has nothing but broken rows that came before, so that no row leads to the next page.
    case brokenRows
    /// The service has no page at a place after others.
    case noSuchPage(SourceError)
    /// Known rows came in another order, so the walk ended before the list did.
    case disorder
  }

  /// A list of changes. Rows that came meanwhile are at its end, so they explain no missing row.
  package enum Changes: Sendable, Hashable {
    /// The records tell when they changed, so one that has moved is known by that.
    case timed
    /// A record that has moved looks like one that stayed.
    case untimed
  }

  package struct Statements: Sendable, Hashable {
    /// The last page's statement whether more follows, and the last such statement of any page; nil without one.
    package var (more, lastMore): (Bool?, Bool?)
    /// The number of rows that the first page was asked for; nil if the service alone decides it.
    var sizeAsked: Int?
    /// The change that a sync noticed when it stored the records; nil for records of a service.
    fileprivate var storedChange: String?
    fileprivate var firstTotal: Int?
    fileprivate var isTotalCurrent = false
    /// True when every total so far was the number of rows of its own page, and each of these pages was full. Some services announce that.
    package var totalsCountPages: Bool?
    /// True when a page after the first came again.
    package var hasRepeats = false
  }

  /// The numbers of rows in the present reading of the list.
  package struct Counts: Sendable, Hashable {
    /// The number of rows before the place where this walk began; nil if it is unknown.
    fileprivate(set) var rowsBefore: Int?
    /// The number of different records, and of different broken rows, that came.
    package var (records, broken) = (0, 0)
    /// The number of records that came once more.
    package var twins = 0
    /// The most rows that came at once.
    var mostRows: Int
    /// The most rows that came at once before the place where this walk began; 1 if that is unknown.
    var mostRowsBefore = 1

    init(rowsBefore: Int?, mostRows: Int = 1) { (self.rowsBefore, self.mostRows) = (rowsBefore, mostRows) }

    /// The number of different rows that came.
    var received: Int { records + broken }

    /// The most rows that came at once, those before this walk included.
    var mostRowsEver: Int { max(mostRows, mostRowsBefore) }
  }

  package var ending = Ending.end
  /// The knowledge about the list so far; at first that of the cursor with which the walk began.
  package var list: ListFacts
  package var paging: Paging?
  /// The number of rows in the list up to the last one that came; nil if it is unknown.
  package var place: Int?
  package var said = Statements()
  package var counts: Counts
  /// True when another walk began the list.
  var isFromCursor = false
  /// The kind of a list of changes; nil for any other list.
  var changes: Changes?
  /// True when two readings of the list, one after the other, brought the same rows in the same order.
  var readingsAgree = false
  /// True when the list changed during an earlier reading.
  private var hasChanged = false
  /// True before the first page of a reading.
  private var isAtStart = true

  package init(rowsBefore: Int? = 0, announced: Int? = nil, _ list: ListFacts = ListFacts()) {
    (self.list, counts) = (list, Counts(rowsBefore: rowsBefore))
    self.list.total.announced = announced ?? list.total.announced
  }

  /// Notes what a page says beside its rows. `isFull` says that it has just as many rows as were asked for, or as are usual, `isAfterFirst`
  /// that it was asked for at a place after the first page, and `isRepeated` that it came before.
  package mutating func note<Item>(_ page: Page<Item>, isFull: Bool, isAfterFirst: Bool, isRepeated: Bool) {
    let (paging, isFirst) = (page.maker.paging, isAtStart)
    (self.paging, isAtStart) = (paging, false)
    if countsRows, !paging.looksBack { list.isBlind = true }
    counts.mostRows = max(counts.mostRows, page.received)
    said.isTotalCurrent = page.total != nil
    (said.more, said.lastMore) = (page.more, page.more ?? said.lastMore)
    list.standing = list.standing.map { $0.capped(by: page.standing) } ?? page.standing
    said.storedChange = page.stored.change ?? said.storedChange
    if isAfterFirst, isRepeated, page.received > 0 { said.hasRepeats = true }
    guard let total = page.total else { return }
    said.totalsCountPages = (said.totalsCountPages ?? true) && isFull && total == page.received
    let wasWrong = list.total.isWrong
    // The list has more rows than this later page, so a total that is not greater is wrong.
    if isAfterFirst, !isRepeated, page.received > 0, total <= page.received { list.total.isWrong = true }
    // A total that a later page announces for the first time may have been another one before.
    if let before = list.total.announced {
      // A total that counted too few rows shows no change of the list when it becomes another one.
      if before != total { if wasWrong { list.total.isUnsure = true } else { list.total.hasMoved = true } }
    } else if !isFirst {
      list.total.isUnsure = true
    }
    list.total.announced = total
    said.firstTotal = said.firstTotal ?? total
  }

  /// Notes the length of a page by offset, or of a short numbered page, that ended before the total.
  mutating func noteWithTotal(length: Int) {
    if let other = list.length, other != length, !(paging?.isNumbered ?? false) { list.isUneven = true }
    list.length = length
  }

  /// Notes the length of a counted page that announces no total, and the number of its rows that are new. A short page should be the last one.
  /// If the next one is longer, or full where pages are numbered, and over half of its rows are new, then pages leave rows out.
  mutating func noteWithoutTotal(length: Int, news: Int, isShort: Bool) {
    let isNumbered = paging?.isNumbered ?? false
    if let before = list.length, news > length / 2, isNumbered ? !isShort : before < length { list.isUneven = true }
    if news > 0 { list.length = isNumbered && !isShort ? nil : length }
  }

  /// Counts the rows of a page. A total is wrong if more rows came, or if this page ends at a greater `place`; nil unless it is
  /// certainly the page that was asked for.
  package mutating func count(records: Int, broken: Int, repeated: Int, upTo place: Int?) {
    counts.records += records
    counts.broken += broken
    counts.twins += repeated
    guard let total = list.total.announced else { return }
    if isCalm && (rows ?? 0) > total || (place ?? 0).adding(-counts.twins) > total { list.total.isWrong = true }
  }

  /// Sets the counts back, since the list is read again from its first page.
  mutating func beginReading() {
    counts = Counts(rowsBefore: 0, mostRows: counts.mostRows)
    (hasChanged, isAtStart) = (hasChanged || list.hasMoved || list.total.hasMoved, true)
    (list.total.announced, list.total.hasMoved, list.total.isUnsure, list.hasMoved) = (nil, false, false, false)
    list.standing = nil
    list.passes += 1
  }

  /// The total last announced; nil without one, or if more rows than that came.
  package var total: Int? { list.total.credible }

  /// The number of different rows up to the last one that came, those before the walk included; nil if it is unknown.
  var rows: Int? { counts.rowsBefore?.adding(counts.received) }

  /// True when pages are found by counting rows, and before the first page.
  package var countsRows: Bool { paging?.isCounted ?? true }

  /// True when every row that came before is known: those of this walk, or those that others remember.
  func knowsAll(_ known: KnownRows) -> Bool { !isFromCursor || known.othersRemember }

  /// True when each page began at a row that the walk knew.
  var looksBack: Bool { countsRows && !list.isBlind }

  /// True when a counted page that ended before the total had fewer rows than were asked for. The service may leave out rows that it counts,
  /// which looks as if the list moved.
  var hasShortPages: Bool { list.isUneven || list.length ?? .max < paging?.size ?? 0 }

  /// True when neither the rows nor the total moved in the present reading, as far as is known.
  var isCalm: Bool { !list.hasMoved && list.total.isSteady }

  /// The number of different rows that the total has and the walk has not, negative if more came; nil if it cannot be known.
  private var shortOfRows: Int? { total.flatMap { total in rows.map { total - $0 } } }

  /// The number of announced rows that never came; nil if that cannot be known.
  var missing: Int? {
    guard looksBack, let place, let total else { return shortOfRows.map { max(0, $0) } }
    // Rows that were read and then deleted do not make up for unread rows.
    return max(0, total.adding(-place), list.hasMoved && !hasShortPages ? 0 : shortOfRows ?? 0)
  }

  /// True when as many different rows came as are announced, whether or not they are still there.
  var hasAll: Bool { (shortOfRows ?? 1) <= 0 }

  /// True when as many different rows came as are announced, and none of them can have gone since.
  var addsUp: Bool { countsRows && isCalm && !list.isLost && hasAll }

  /// True when a walk that follows tokens or addresses ended at just the number of rows that were asked for, and no page said that nothing
  /// follows. That number may have been the service's bound for the whole list, as OData's `$top` is.
  var endsAtSizeAsked: Bool {
    paging?.style == .token && said.more != false && said.sizeAsked != nil && rows?.adding(counts.twins) == said.sizeAsked
  }

  /// True when the way of reading lets no row slip, so that the end alone proves that everything came.
  var isSureOfRows: Bool {
    guard let paging, !paging.isUnchanging, !readingsAgree else { return true }
    switch paging.style {
    case .offset, .number: return !list.isBlind && (isCalm || !list.isUneven) && !(list.hasMoved && changes == .untimed)
    case .keyset: return !paging.sharesKeys
    case .whole, .token: return true
    }
  }

  /// True when a complete walk cannot have missed a row that was in the list all along.
  var isSure: Bool {
    isSureOfRows && (paging?.style != .token || paging?.isUnchanging == true || list.total.isSteady)
  }

  /// True when rows may have slipped from the pages that the walk asked for to those that it had, because it could not look back, or because
  /// the pages may leave rows out.
  var mayHaveSlipped: Bool {
    guard let paging, !paging.isUnchanging else { return false }
    let isAfterRow = paging.style == .keyset && !paging.sharesKeys
    return (!isCalm || paging.sharesKeys && !said.isTotalCurrent) && (!looksBack || list.isUneven) && !isAfterRow
  }

  /// True when rows moved in the list and fewer different rows came than are announced: an unread row may now be before the walk's place.
  var mayHaveSlippedAhead: Bool {
    looksBack && list.hasMoved && !list.isLost && ending != .disorder && (shortOfRows ?? 0) > 0
  }

  /// True when fewer rows came than were announced, although the list moved, and no row that came meanwhile explains it: a row may have moved
  /// to where it was not looked for, or the pages leave rows out.
  var mayLackRows: Bool { mayHaveSlippedAhead && (list.total.isSteady || changes != nil) }

  /// True when another reading from the first page may prove more: the walk cannot look back, and either the total moved while it read, or
  /// it `wantsAgreement` of two readings.
  func isWorthAnotherReading(wantingAgreement wantsAgreement: Bool) -> Bool {
    // A part of a list is never `complete` if the list changed.
    guard let paging, countsRows, list.isBlind, !list.isLost, !paging.isUnchanging, paging.partRows == nil, list.gaps.isEmpty
    else { return false }
    return paging.isNumbered && total != nil && !list.total.isSteady || wantsAgreement && !readingsAgree
  }

  /// True when the total is reached and adds up; `isFull` means that the page is as long as any.
  func isTotalReached(isFull: Bool) -> Bool {
    guard let total, countsRows else { return false }
    // A service that announces the rows up to the end of each page does so until a page is not full.
    if list.total.isDoubted, isFull { return false }
    if looksBack || list.isLost, let place {
      // The total of a list that moves may be that of a moment ago, and more rows may follow a full page.
      if list.hasMoved { return place == total && !isFull }
      // A list that repeats rows gives more rows than it announces.
      return place == total && (shortOfRows ?? 1) <= 0 || place > total && shortOfRows == 0
    }
    // Rows that were read and then deleted do not make up for unread rows, so only an empty page ends the list.
    if !list.total.isSteady, paging?.isNumbered ?? false { return false }
    return shortOfRows == 0
  }

  /// The change of the list while it was read, for a person; nil if nothing shows one.
  var change: String? {
    guard hasChanged || list.total.hasMoved || list.hasMoved && !(hasShortPages && missing ?? 0 > 0) else {
      return said.storedChange
    }
    let grown = said.firstTotal.map { (list.total.announced ?? $0).adding(-$0) } ?? 0
    let what = "the list changed while it was read"
    // A list that leaves rows out looks like one that moves.
    if list.isUneven && total == nil || mayLackRows { return "\(what), or its pages leave rows out" }
    return grown == 0
      ? what
      : "\(what): \(grown.magnitude) \(grown > 0 ? "more" : "fewer") \(grown.magnitude == 1 ? "is" : "are") announced now"
  }
}
