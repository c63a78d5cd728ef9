/// What a walk may claim in the end: whether it got everything.
struct Completeness: Sendable {
  /// What is known of the list so far; at first what the cursor knows that the walk began with.
  var list: RowContext
  private var firstAnnounced: Int?
  /// How many rows lie before the place where this walk began; nil when that is unknown.
  private var behind: Int?
  /// Whether the list changed in an earlier reading.
  private var hasChanged = false
  private var distinct = 0
  private var skipped = 0
  private var hasTwins = false
  private(set) var paging: Paging?
  /// Whether the last page announced a total.
  private var isTotalCurrent = false
  /// True before the first page of a reading.
  private var isAtStart = true
  /// The weakest of the verdicts that pages came with: a walk over them claims no more.
  private var standing: Verdict?

  init(behind: Int?, announced: Int?, _ rowContext: RowContext) {
    self.behind = behind
    list = rowContext
    list.total = announced ?? rowContext.total
  }

  /// Notes what a page announces.
  mutating func note<Item>(_ page: Page<Item>) {
    let (paging, isFirst) = (page.maker.paging, isAtStart)
    (self.paging, isAtStart) = (paging, false)
    if countsRows, !paging.looksBack { list.isBlind = true }
    isTotalCurrent = page.total != nil
    standing = standing.map { $0.capped(by: page.standing) } ?? page.standing
    guard let total = page.total, total >= 0 else { return }
    // One that a later page announces first may have been another one before.
    if list.total.map({ $0 != total }) ?? !isFirst { list.hasTotalMoved = true }
    list.total = total
    firstAnnounced = firstAnnounced ?? total
  }

  /// True when the total of a numbered list moved while it was read: a row may have slipped from a page to one that was read before.
  var isUnsteady: Bool {
    guard let paging, paging.isNumbered, list.isBlind, !list.isLost, list.total != nil else { return false }
    // A part of a list is never `complete` where the list changed.
    return list.hasTotalMoved && !paging.isUnchanging && paging.partRows == nil
  }

  /// Counts from nothing, since the list is read again from its first page.
  mutating func beginPass() {
    (behind, distinct, skipped, hasTwins, hasChanged, isAtStart) = (0, 0, 0, false, true, true)
    (list.total, list.hasTotalMoved, list.hasMoved) = (nil, false, false)
    list.passes += 1
  }

  /// True when fewer different rows came than are announced, of a list in which rows moved: one that was not read yet may stand before the walk.
  var mayHaveSlippedAhead: Bool { looksBack && list.hasMoved && !list.isLost && (shortOfRows ?? 0) > 0 }

  /// How many different rows came.
  var received: Int { distinct + skipped }

  mutating func count(fresh: Int, skipped: Int, repeated: Int) {
    distinct += fresh
    self.skipped += skipped
    hasTwins = hasTwins || repeated > 0
  }

  /// How many different rows are missing from the total; nil where that cannot be known.
  private var shortOfRows: Int? {
    guard let total = list.total, let behind else { return nil }
    return total - behind.adding(distinct + skipped)
  }

  /// Whether as many different rows came as were announced, and none of them can have gone again.
  var isEveryRowThere: Bool { countsRows && !list.hasMoved && !list.hasTotalMoved && (shortOfRows ?? 1) <= 0 }

  /// Whether pages are found by counting rows. Any other list says by itself where it ends, and a total only tells that rows are missing.
  var countsRows: Bool {
    switch paging?.style {
    case .offset, .number, nil: true
    case .whole, .token, .keyset: false
    }
  }

  private var looksBack: Bool { countsRows && !list.isBlind }

  /// How many rows of the total never came, of a walk that has come to `place`; nil where that cannot be known.
  func missing(at place: Int?) -> Int? {
    guard looksBack, let place, let total = list.total else { return shortOfRows.map { max(0, $0) } }
    // Rows that were read and then deleted count for none of those that were not read.
    return max(0, total.adding(-place), list.hasMoved ? 0 : shortOfRows ?? 0)
  }

  func drift(at place: Int?) -> Verdict { .partial(.drift(missing: missing(at: place).flatMap { $0 > 0 ? $0 : nil })) }

  /// Whether the total is reached and adds up; `isFull` where the page is as long as any.
  func isTotalReached(at place: Int?, isFull: Bool) -> Bool {
    guard let total = list.total, countsRows else { return false }
    if looksBack || list.isLost, let place {
      // Of a list that moves the total may be that of a moment ago, and there may be more behind a full page.
      if list.hasMoved { return place == total && !isFull }
      // A list that repeats rows has more of them than it announces.
      return place == total && (shortOfRows ?? 1) <= 0 || place > total && shortOfRows == 0
    }
    // Rows that were read and then deleted count for none of those that were not read: then an empty page ends the list.
    if list.hasTotalMoved, paging?.isNumbered ?? false { return false }
    return shortOfRows == 0
  }

  /// The verdict at the list's own end, where the last page may say that there is `more`.
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
    // A total that moved proves nothing where a walk cannot look back: a row that was deleted makes room for one that was never read.
    let isBehindRow = paging.style == .keyset && !paging.sharesKeys
    let hasMoved = list.hasTotalMoved || list.hasMoved || paging.sharesKeys && !isTotalCurrent
    let mayHaveSlipped = hasMoved && !looksBack && !isBehindRow
    return mayHaveSlipped && !paging.isUnchanging ? .unverifiable : .complete
  }

  /// What a verdict comes to by what the pages say of themselves and, where the list is part of another, by what the whole has.
  func checked(_ verdict: Verdict) -> Verdict { asPart(verdict).capped(by: standing) }

  /// Where the list is part of another, the rows of the others fit only if nothing has changed.
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

  /// Whether the way in which it was read lets no row slip, so that its end alone tells that everything came.
  private var isSureOfRows: Bool {
    guard let paging, !paging.isUnchanging else { return true }
    switch paging.style {
    case .offset, .number: return !list.isBlind
    case .keyset: return !paging.sharesKeys
    case .whole, .token: return true
    }
  }

  /// Whether no row that was in the list all along can be missing from a complete walk.
  var isSure: Bool {
    isSureOfRows && (paging?.style != .token || paging?.isUnchanging == true || !list.hasTotalMoved)
  }

  /// How the list changed while it was read, for a person; nil where nothing shows that it did.
  var change: String? {
    guard hasChanged || list.hasMoved || list.hasTotalMoved else { return nil }
    let grown = (list.total ?? 0) - (firstAnnounced ?? list.total ?? 0)
    let what = "the list changed while it was read"
    return grown == 0
      ? what : "\(what): \(abs(grown)) \(grown > 0 ? "more" : "fewer") \(abs(grown) == 1 ? "is" : "are") announced now"
  }
}
