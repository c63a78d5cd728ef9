/// What a walk may claim in the end: whether it got everything.
struct Completeness: Sendable {
  /// The total announced last.
  private(set) var announced: Int?
  private var firstAnnounced: Int?
  var hasTotalMoved: Bool
  /// Whether a page by offset did not begin with the row that it should have begun with.
  var hasMoved: Bool
  /// Whether pages by offset were taken without looking back.
  var isBlind: Bool
  /// Whether the walk went on although it found no row that it knows.
  var isLost: Bool
  /// The last of all rows that came, while the walk is not past it again.
  var furthest: UInt64?
  /// How many rows lie before the place where this walk began; nil when that is unknown.
  private let behind: Int?
  private var distinct = 0
  private var skipped = 0
  private var hasTwins = false
  private var paging: Paging?

  init(behind: Int?, announced: Int?, _ rowContext: RowContext) {
    self.behind = behind
    self.announced = announced ?? rowContext.total
    hasMoved = rowContext.hasMoved
    hasTotalMoved = rowContext.hasTotalMoved
    isBlind = rowContext.isBlind
    isLost = rowContext.isLost
    furthest = rowContext.furthest
  }

  /// Notes what a page announces, and returns by how much the total fell.
  mutating func note<Item>(_ page: Page<Item>) -> Int {
    let paging = page.maker.paging
    self.paging = paging
    if paging.style == .offset, !paging.looksBack { isBlind = true }
    guard let total = page.total, total >= 0 else { return 0 }
    defer {
      announced = total
      firstAnnounced = firstAnnounced ?? total
    }
    guard let before = announced else { return 0 }
    hasTotalMoved = hasTotalMoved || before != total
    return max(0, before - total)
  }

  mutating func count(fresh: Int, skipped: Int, repeated: Int) {
    distinct += fresh
    self.skipped += skipped
    hasTwins = hasTwins || repeated > 0
  }

  /// How many different rows are missing from the total; nil where that cannot be known.
  private var shortOfRows: Int? {
    guard let announced, let behind else { return nil }
    return announced - behind.adding(distinct + skipped)
  }

  /// Whether as many different rows came as were announced, and none of them can have gone again.
  var isEveryRowThere: Bool { countsRows && !hasMoved && !hasTotalMoved && isCountReached }

  /// Whether pages are found by counting rows. Any other list says by itself where it ends, and a total only tells that rows are missing.
  private var countsRows: Bool {
    switch paging?.style {
    case .offset, .number, nil: true
    case .whole, .token, .keyset: false
    }
  }

  private var isCountReached: Bool { shortOfRows.map { $0 <= 0 } ?? false }

  private var looksBack: Bool { paging?.style == .offset && !isBlind }

  /// How many rows of the total never came, of a walk that has come to `place`; nil where that cannot be known.
  func missing(at place: Int?) -> Int? {
    guard looksBack, let place, let announced else { return shortOfRows.map { max(0, $0) } }
    // Rows that were read and then deleted count for none of those that were not read.
    return max(0, announced.adding(-place), hasMoved ? 0 : shortOfRows ?? 0)
  }

  /// Whether the total is reached and adds up; `isFull` where the page is as long as any.
  func isTotalReached(at place: Int?, isFull: Bool) -> Bool {
    guard let announced, countsRows else { return false }
    if looksBack || isLost, let place {
      // Of a list that moves the total may be that of a moment ago, and there may be more behind a full page.
      if hasMoved { return place == announced && !isFull }
      // A list that repeats rows has more of them than it announces.
      return place == announced && isCountReached || place > announced && shortOfRows == 0
    }
    // Rows that were read and then deleted count for none of those that were not read: then an empty page ends the list.
    if hasTotalMoved, case .number = paging?.style { return false }
    return shortOfRows == 0
  }

  /// The verdict at the list's own end.
  func verdict<Item>(at place: Int?, _ page: Page<Item>) -> Verdict {
    let paging = page.maker.paging
    if page.more == true { return .partial(.more) }
    if isLost { return .partial(.drift(missing: missing(at: place).flatMap { $0 > 0 ? $0 : nil })) }
    guard let missing = missing(at: place) else {
      switch paging.end {
      case .total, .never: return .unverifiable
      case .emptyPage, .lastToken, .more: return isSureWithoutTotal ? .complete : .unverifiable
      }
    }
    guard missing == 0 else {
      let hasChanged = hasTotalMoved || hasMoved || looksBack && hasTwins
      return .partial(hasChanged ? .drift(missing: missing) : .total(missing: missing))
    }
    let mayHaveSlipped = paging.style == .offset && isBlind && (hasTotalMoved || hasMoved) && !paging.isUnchanging
    return mayHaveSlipped ? .unverifiable : .complete
  }

  /// Whether the end alone tells that everything came.
  private var isSureWithoutTotal: Bool {
    guard let paging, !paging.isUnchanging else { return true }
    switch paging.style {
    case .offset: return !isBlind
    case .number: return false
    case .whole, .token, .keyset: return true
    }
  }

  /// Whether no row that was in the list all along can be missing from a complete walk.
  var isSure: Bool {
    guard let paging, !paging.isUnchanging else { return true }
    switch paging.style {
    case .offset: return !isBlind
    case .number: return false
    case .whole, .keyset: return true
    case .token: return !hasTotalMoved
    }
  }

  /// How the list changed while it was read, for a person; nil where nothing shows that it did.
  var change: String? {
    guard hasMoved || hasTotalMoved else { return nil }
    let grown = (announced ?? 0) - (firstAnnounced ?? announced ?? 0)
    let what = "the list changed while it was read"
    return grown == 0 ? what : "\(what): \(abs(grown)) \(grown > 0 ? "more" : "fewer") are announced now"
  }
}
