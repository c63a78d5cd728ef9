/// How a walk by offset misses no row of a list that changes meanwhile (Docs/decisions/0009).
///
/// Each page is asked for one row early, and has to begin with the last row that came. Where it does not, the walk steps back, one page and
/// then twice as far again, until a page begins with a row that it knows or with the list itself, and goes on from there: whatever stayed in
/// the list stands behind that row in its old order.
struct LookBack: Sendable {
  /// How the next page is asked for.
  enum Aim: Sendable, Hashable {
    /// Going on, one row early.
    case ahead
    /// At the place itself, since the page held nothing behind the last row: is that the end, or all that the service gives at once?
    case nothingBehind
    /// At the place itself, since the service answered with an earlier page: does it round offsets, or did the list move that far?
    case earlierPage
    /// At the place itself, since the service refused the offset.
    case refusal
    /// Looking for a known row, for the nth time in a row.
    case back(Int)
    /// At the numbered page before a short one: does the service give more rows at that size?
    case proof
  }

  /// What a page is, seen from the rows that the walk knows.
  enum Finding: Sendable, Hashable {
    /// It begins where it should: the first `known` rows were there before, the others follow.
    case follows(known: Int)
    /// It has some other row that is known, or begins with the list: the list has changed. It was found ahead, or by stepping back. The first
    /// `known` rows are known, or were put in before the last known one.
    case moved(back: Bool, known: Int = 0)
    /// Ask once more, as ``aim`` now says.
    case askAgain
    /// There is nothing behind the last row.
    case over
    /// The service gives more rows at the size of the last page, which therefore was the end.
    case proven
    /// The service does not give as many rows as are asked for: pages of one size are left.
    case unheard
    /// It may be taken as it is; looking back tells nothing more.
    case blind
    /// The service gives one and the same page wherever one asks.
    case repeats
    /// No row that is known was found again.
    case lost
  }

  static let mostSteps = 5

  var aim = Aim.ahead
  /// Whether the service has shown how it treats an offset that is one row early.
  var isProven: Bool
  /// The page that raised the doubt whether it is an earlier one, and the row that it has behind the last one that came.
  var earlier: (fingerprint: UInt64, isFirst: Bool, successor: UInt64?)?
  /// The numbered page that was taken last, and how many rows it had where they were fewer than asked for.
  var (asked, short): (NumberedPage?, Int?)
  /// A size, and how many rows the service gave at it at least once.
  var proven: (size: Int, rows: Int)?
  /// How many rows more than one a numbered page begins early.
  var lead = 0
  /// How many pages came where none was expected, since a page had new rows.
  var pagesBehind = 0
  /// True before the first page of a walk that another one began.
  var isResumed = false
  /// Whether a page that was short was not the last.
  var isShortOften = false

  init(isProven: Bool = false) { self.isProven = isProven }

  /// The offset to ask for, to go on from `place` behind a row that is known, where a page holds so many rows.
  func offset(from place: Int, page rows: Int) -> Int {
    switch aim {
    case .ahead, .proof: place - 1
    case .nothingBehind, .earlierPage, .refusal: place
    case .back(let step): max(0, (place - 1).adding(-rows.times(1 << step - 1)))
    }
  }

  /// What to make of a page that begins at `offset`: `isLast` where none is to follow and `hasMore` where one is, `isShort` where it could
  /// have been longer; `start` is the first row that the walk has, and `mostRows` how many have come at once.
  mutating func judge(
    _ page: PageRows, at offset: Int, behind last: UInt64, isLast: Bool, hasMore: Bool, isShort: Bool,
    start: UInt64?, mostRows: Int, knows: (Int) -> Bool
  ) -> Finding {
    let aim = aim
    self.aim = .ahead
    // Broken rows look alike; the first record tells.
    let isKnown = page.count > 0 && knows(page.firstRecord ?? 0)
    // A list that ends behind the last row that came, though that row has moved.
    let isEnd = isKnown && isShort && page.marks.last == last && (1..<page.count).allSatisfy(knows)
    switch aim {
    case .ahead:
      if page.marks.first == last {
        isProven = true
        guard page.count == 1, !isLast else { return .follows(known: 1) }
        return askAgain(.nothingBehind)
      }
      if !isProven, isKnown, !isEnd, page.count > 1, offset > 0 {
        isProven = true
        let place = page.marks.firstIndex(of: last).map { $0 + 1 } ?? page.count
        earlier = (page.fingerprint, page.marks.first == start, place < page.count ? page.marks[place] : nil)
        return askAgain(.earlierPage)
      }
      isProven = true
      guard isKnown || offset == 0 else { return askAgain(.back(1)) }
      return moved(back: false, isEnd)
    case .nothingBehind:
      if page.count == 0 { return hasMore ? .blind : .over }
      if isKnown { return isEnd ? .over : .moved(back: false) }
      // Rows have come since; unless one row is all that the service ever gives.
      return max(page.count, mostRows) > 1 ? .follows(known: 0) : .blind
    case .earlierPage:
      defer { earlier = nil }
      // Two different offsets, and a third; of two rows, two insertions may do it.
      if let earlier, earlier.isFirst, page.fingerprint == earlier.fingerprint, page.count > 2 { return .repeats }
      if isKnown { return .moved(back: false) }
      // The earlier page showed that nothing stood between the last row and this one.
      guard let successor = earlier?.successor, page.marks.contains(successor) else { return .blind }
      isProven = false
      return .follows(known: 0)
    case .refusal, .proof: return .blind
    case .back(let step):
      if isKnown || offset == 0 { return moved(back: true, isEnd) }
      return step < Self.mostSteps ? askAgain(.back(step + 1)) : .lost
    }
  }

  var isSearching: Bool { if case .back = aim { true } else { false } }

  var isEarly: Bool { aim == .ahead }

  /// True when a page that was asked for early, and refused so, is worth asking for at its place. A recording may lack one, and a service may
  /// take some sizes and refuse others.
  func mayAskInstead(after error: SourceError, sized isSized: Bool) -> Bool {
    let isRefusal = error.kind == .badRequest || error.kind == .noSuchAddress
    let isMissing = error.kind == .notRecorded || error.kind == .notStored
    return isSized ? isMissing || isRefusal : isEarly && (isMissing || isRefusal && !isProven)
  }

  mutating func refuse() { aim = .refusal }

  private mutating func moved(back isBack: Bool, _ isEnd: Bool) -> Finding {
    if isEnd { aim = .nothingBehind }
    return .moved(back: isBack)
  }

  mutating func askAgain(_ aim: Aim) -> Finding {
    self.aim = aim
    return .askAgain
  }
}

/// The last rows of a list as a walk knows them, in their order: where it looks for a row it knows.
struct RecentRows: Sendable {
  var marks: [UInt64]
  /// As far as a walk steps back, in pages of 100.
  private static var most: Int { 4_000 }

  func contains(_ mark: UInt64) -> Bool { marks.contains(mark) }

  mutating func append(_ rows: some Sequence<UInt64>) {
    marks += rows
    trim()
  }

  /// Adds a page that overlaps with known rows; false where it has some in another order. `twins`, which come repeatedly, tell nothing.
  mutating func merge(_ page: [UInt64], ignoring twins: Set<UInt64>) -> Bool {
    var places: [UInt64: Int] = [:]
    var twins = twins
    for (place, mark) in marks.enumerated() where places.updateValue(place, forKey: mark) != nil { twins.insert(mark) }
    let known = page.compactMap { twins.contains($0) ? nil : places[$0] }
    guard zip(known, known.dropFirst()).allSatisfy({ $0 < $1 }) else { return false }
    guard let first = known.first, let last = known.last else {
      // Its place is unknown; the known rows come after it, or are gone.
      marks = page + marks
      return true
    }
    marks = Array(marks[..<first]) + page + Array(marks[(last + 1)...])
    trim()
    return true
  }

  /// Whether the known rows among these come in the known order.
  func isInOrder(_ rows: some Sequence<UInt64>) -> Bool {
    let known = rows.compactMap { marks.lastIndex(of: $0) }
    return zip(known, known.dropFirst()).allSatisfy { $0 < $1 }
  }

  private mutating func trim() {
    // Seldom, since it moves all that is left.
    if marks.count > 2 * Self.most { marks.removeFirst(marks.count - Self.most) }
  }
}
