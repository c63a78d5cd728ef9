/// The facts from which a walk's verdict follows: whether it got everything.
struct Completeness: Sendable {
  /// The knowledge about the list so far; at first that of the cursor with which the walk began.
  var list: RowContext
  private var firstAnnounced: Int?
  /// The number of rows before the place where this walk began; nil if it is unknown.
  private var behind: Int?
  /// True when the list changed during an earlier reading.
  private var hasChanged = false
  private var distinct = 0
  private var skipped = 0
  private var hasTwins = false
  private(set) var paging: Paging?
  /// True when the last page announced a total.
  private var isTotalCurrent = false
  /// True before the first page of a reading.
  private var isAtStart = true
  /// The weakest of the verdicts that pages came with; a walk over them claims no more.
  private var standing: Verdict?

  init(behind: Int?, announced: Int?, _ rowContext: RowContext) {
    self.behind = behind
    list = rowContext
    list.total = announced ?? rowContext.total
  }

  /// Notes the paging, the verdict and the total of a page.
  mutating func note<Item>(_ page: Page<Item>) {
    let (paging, isFirst) = (page.maker.paging, isAtStart)
    (self.paging, isAtStart) = (paging, false)
    if countsRows, !paging.looksBack { list.isBlind = true }
    isTotalCurrent = page.total != nil
    standing = standing.map { $0.capped(by: page.standing) } ?? page.standing
    guard let total = page.total, total >= 0 else { return }
    // A total that a later page announces for the first time may have been another one before.
    if list.total.map({ $0 != total }) ?? !isFirst { list.hasTotalMoved = true }
    list.total = total
    firstAnnounced = firstAnnounced ?? total
  }

  /// True when the total of a numbered list moved while it was read: a row may have slipped from a page to an earlier one, which was read
  /// before.
  var isUnsteady: Bool {
    guard let paging, paging.isNumbered, list.isBlind, !list.isLost, list.total != nil else { return false }
    // A part of a list is never `complete` if the list changed.
    return list.hasTotalMoved && !paging.isUnchanging && paging.partRows == nil
  }

  /// Sets the counts back, since the list is read again from its first page.
  mutating func beginPass() {
    (behind, distinct, skipped, hasTwins, hasChanged, isAtStart) = (0, 0, 0, false, true, true)
    (list.total, list.hasTotalMoved, list.hasMoved) = (nil, false, false)
    list.passes += 1
  }

  /// True when rows moved in the list and fewer different rows came than are announced: an unread row may have moved to before the walk's
  /// place.
  var mayHaveSlippedAhead: Bool { looksBack && list.hasMoved && !list.isLost && (shortOfRows ?? 0) > 0 }

  /// The number of different rows that came.
  var received: Int { distinct + skipped }

  mutating func count(fresh: Int, skipped: Int, repeated: Int) {
    distinct += fresh
    self.skipped += skipped
    hasTwins = hasTwins || repeated > 0
  }

  /// The number of different rows that the total has and the walk has not, negative if more came; nil if it cannot be known.
  private var shortOfRows: Int? {
    guard let total = list.total, let behind else { return nil }
    return total - behind.adding(distinct + skipped)
  }

  /// True when at least as many different rows came as are announced, and none of them can have gone since.
  var isEveryRowThere: Bool { countsRows && !list.hasMoved && !list.hasTotalMoved && (shortOfRows ?? 1) <= 0 }

  /// True when pages are found by counting rows. Any other list tells its end itself, and a total only shows that rows are missing.
  var countsRows: Bool {
    switch paging?.style {
    case .offset, .number, nil: true
    case .whole, .token, .keyset: false
    }
  }

  private var looksBack: Bool { countsRows && !list.isBlind }

  /// Returns how many rows of the total never came, for a walk that has come to `place`; nil if that cannot be known.
  func missing(at place: Int?) -> Int? {
    guard looksBack, let place, let total = list.total else { return shortOfRows.map { max(0, $0) } }
    // Rows that were read and then deleted do not make up for unread rows.
    return max(0, total.adding(-place), list.hasMoved ? 0 : shortOfRows ?? 0)
  }

  func drift(at place: Int?) -> Verdict { .partial(.drift(missing: missing(at: place).flatMap { $0 > 0 ? $0 : nil })) }

  /// True when the total is reached and adds up; `isFull` means that the page is as long as any.
  func isTotalReached(at place: Int?, isFull: Bool) -> Bool {
    guard let total = list.total, countsRows else { return false }
    if looksBack || list.isLost, let place {
      // The total of a list that moves may be that of a moment ago, and more rows may follow a full page.
      if list.hasMoved { return place == total && !isFull }
      // A list that repeats rows gives more rows than it announces.
      return place == total && (shortOfRows ?? 1) <= 0 || place > total && shortOfRows == 0
    }
    // Rows that were read and then deleted do not make up for unread rows, so only an empty page ends the list.
    if list.hasTotalMoved, paging?.isNumbered ?? false { return false }
    return shortOfRows == 0
  }

  /// Returns the verdict at the list's own end; `more` is the last page's statement whether more follows.
  func verdict(at place: Int?, more: Bool?) -> Verdict {
    guard let paging else { return .unverifiable }
    if more == true { return .partial(.more) }
    if list.isLost { return drift(at: place) }
    guard let missing = missing(at: place) else {
      switch paging.end {
      case .total, .never: return .unverifiable
      case .emptyPage, .lastToken, .more: return isSureOfRows ? .complete : .unverifiable
      }
    }
    guard missing == 0 else {
      let hasChanged = list.hasTotalMoved || list.hasMoved || looksBack && hasTwins
      return .partial(hasChanged ? .drift(missing: missing) : .total(missing: missing))
    }
    // If a walk cannot look back, a total that moved proves nothing: a deleted row makes room for a row that was never read.
    let isBehindRow = paging.style == .keyset && !paging.sharesKeys
    let hasMoved = list.hasTotalMoved || list.hasMoved || paging.sharesKeys && !isTotalCurrent
    let mayHaveSlipped = hasMoved && !looksBack && !isBehindRow
    return mayHaveSlipped && !paging.isUnchanging ? .unverifiable : .complete
  }

  /// Returns the verdict, weakened by the pages' own verdicts and, for a part of a list, by the number of rows that the part has.
  func checked(_ verdict: Verdict) -> Verdict { asPart(verdict).capped(by: standing) }

  /// Returns the verdict for a part of a list. Parts fit together only if the list did not change between them.
  private func asPart(_ verdict: Verdict) -> Verdict {
    guard let rows = paging?.partRows else { return verdict }
    switch verdict {
    case .complete, .unverifiable, .partial(.total), .partial(.drift):
      let hasChanged = list.hasMoved || list.hasTotalMoved || list.total.map { $0 != rows } ?? false
      if hasChanged || received > rows { return .partial(.drift(missing: nil)) }
      if case .partial = verdict { return verdict }
      if received < rows { return .partial(.total(missing: rows - received)) }
      return list.total == nil ? .unverifiable : verdict
    default: return verdict
    }
  }

  /// True when the way of reading lets no row slip, so that the end alone proves that everything came.
  private var isSureOfRows: Bool {
    guard let paging, !paging.isUnchanging else { return true }
    switch paging.style {
    case .offset, .number: return !list.isBlind
    case .keyset: return !paging.sharesKeys
    case .whole, .token: return true
    }
  }

  /// True when a complete walk cannot have missed a row that was in the list all along.
  var isSure: Bool {
    isSureOfRows && (paging?.style != .token || paging?.isUnchanging == true || !list.hasTotalMoved)
  }

  /// The change of the list while it was read, for a person; nil if nothing shows one.
  var change: String? {
    guard hasChanged || list.hasMoved || list.hasTotalMoved else { return nil }
    let grown = (list.total ?? 0) - (firstAnnounced ?? list.total ?? 0)
    let what = "the list changed while it was read"
    return grown == 0
      ? what : "\(what): \(abs(grown)) \(grown > 0 ? "more" : "fewer") \(abs(grown) == 1 ? "is" : "are") announced now"
  }
}
