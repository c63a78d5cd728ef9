/// The rules by which a walk by offset misses no row of a list that changes meanwhile (Docs/decisions/0009).
///
/// Each page is asked for one row early, and should begin with the last row that came. If it does not, the walk steps back, by one page and
/// then twice as far each time, until a page begins with a row that it knows or with the list itself. It continues from there: all rows
/// that stayed in the list come after that row in their old order.
struct LookBack: Sendable {
  /// The way in which the next page is asked for.
  enum Aim: Sendable, Hashable {
    /// One row early, as usual.
    case ahead
    /// At the place itself, since the page had nothing after the last row: either the list ends there, or the service gives no more rows at
    /// once.
    case nothingBehind
    /// At the place itself, since the service answered with an earlier page: either it rounds offsets, or the list has moved that far.
    case earlierPage
    /// At the place itself, since the service refused the offset.
    case refusal
    /// Further back, looking for a known row, for the nth time in a row.
    case back(Int)
    /// At the numbered page before a short one, to see whether the service gives more rows at that size.
    case proof
  }

  /// The judgment about a page, by the rows that the walk knows.
  enum Finding: Sendable, Hashable {
    /// The page begins where it should: the first `known` rows came before, the others follow.
    case follows(known: Int)
    /// The list has changed: the page has some other row that is known, or begins with the list. `back` tells whether the walk had stepped
    /// back. The first `known` rows are known, or were put in before the last known one.
    case moved(back: Bool, known: Int = 0)
    /// Another page has to be asked for, as ``aim`` now says.
    case askAgain
    /// Nothing follows the last row.
    case over
    /// The service gives more rows at the size of the last page, which therefore was the end.
    case proven
    /// The service does not give as many rows as are asked for, so that only pages of one size remain.
    case unheard
    /// The page may be taken as it is; looking back shows nothing more.
    case blind
    /// The service gives the same page for every place.
    case repeats
    /// No known row was found again.
    case lost
  }

  static let mostSteps = 5

  var aim = Aim.ahead
  /// True when the service has shown how it treats an offset that is one row early.
  var isProven: Bool
  /// The page that may be an earlier one, and the row that it has after the last one that came.
  var earlier: (fingerprint: UInt64, isFirst: Bool, successor: UInt64?)?
  /// The numbered page that was taken last, and its number of rows if they were fewer than asked for.
  var (asked, short): (NumberedPage?, Int?)
  /// A size, and a number of rows that the service gave at that size at least once.
  var proven: (size: Int, rows: Int)?
  /// The number of rows, beyond the first, by which a numbered page begins early.
  var lead = 0
  /// The number of pages that came where none was expected, since the last page with new rows.
  var pagesBehind = 0
  /// True before the first page of a walk that another one began.
  var isResumed = false
  /// True when a short page was not the last.
  var isShortOften = false

  init(isProven: Bool = false) { self.isProven = isProven }

  /// Returns the offset to ask for in order to continue from `place`, after a row that is known; `rows` is the length of a page.
  func offset(from place: Int, page rows: Int) -> Int {
    switch aim {
    case .ahead, .proof: place - 1
    case .nothingBehind, .earlierPage, .refusal: place
    case .back(let step): max(0, (place - 1).adding(-rows.times(1 << step - 1)))
    }
  }

  /// Judges a page that begins at `offset`. `isLast` says that no page follows, `hasMore` that one does, and `isShort` that the page could
  /// have been longer. `start` is the first row that the walk has, and `mostRows` the most that have come at once.
  mutating func judge(
    _ page: PageRows, at offset: Int, behind last: UInt64, isLast: Bool, hasMore: Bool, isShort: Bool,
    start: UInt64?, mostRows: Int, knows: (Int) -> Bool
  ) -> Finding {
    let aim = aim
    self.aim = .ahead
    // Broken rows look alike, so the first record decides.
    let isKnown = page.count > 0 && knows(page.firstRecord ?? 0)
    // The list ends after the last row that came, although that row has moved.
    let isEnd = isKnown && isShort && page.marks.last == last && (1..<page.count).allSatisfy(knows)
    switch aim {
    case .ahead:
      if page.marks.first == last {
        isProven = true
        guard page.count == 1, !isLast else {
          pagesBehind = 0
          return .follows(known: 1)
        }
        return askAgain(.nothingBehind)
      }
      if !isProven, isKnown, !isEnd, page.count > 1, offset > 0 {
        isProven = true
        let next = page.marks.firstIndex(of: last).map { $0 + 1 } ?? page.count
        earlier = (page.fingerprint, page.marks.first == start, next < page.count ? page.marks[next] : nil)
        return askAgain(.earlierPage)
      }
      isProven = true
      guard isKnown || offset == 0 else { return askAgain(.back(1)) }
      return moved(back: false, isEnd)
    case .nothingBehind:
      if page.count == 0 { return hasMore ? .blind : .over }
      if isKnown { return isEnd ? .over : .moved(back: false) }
      // Rows have been added since, unless the service never gives more than one row. Others may have been deleted too, so that these rows
      // are taken only with the last one before them.
      pagesBehind += 1
      return max(page.count, mostRows) > 1 && pagesBehind == 1 ? askAgain(.ahead) : .blind
    case .earlierPage:
      defer { earlier = nil }
      // Three different offsets gave the same page. If it has only two rows, two insertions could explain that.
      if let earlier, earlier.isFirst, page.fingerprint == earlier.fingerprint, page.count > 2 { return .repeats }
      if isKnown { return .moved(back: false) }
      // The earlier page showed that no row was between the last row and this one.
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

  /// True when a page that was refused is worth asking for at its own place, since it was asked for early. A recording may lack the early
  /// page, and a service may take some sizes and refuse others.
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

/// The last rows of a list as a walk knows them, in their order; among these it looks for a known row.
struct RecentRows: Sendable {
  var marks: [UInt64]
  /// Enough rows for the furthest step back of a walk in pages of 100.
  private static var most: Int { 4_000 }

  func contains(_ mark: UInt64) -> Bool { marks.contains(mark) }

  mutating func append(_ rows: some Sequence<UInt64>) {
    marks += rows
    trim()
  }

  /// Adds a page that overlaps with known rows; false if it has some of them in another order. `twins`, which come repeatedly, are ignored.
  mutating func merge(_ page: [UInt64], ignoring twins: Set<UInt64>) -> Bool {
    var indices: [UInt64: Int] = [:]
    var twins = twins
    for (index, mark) in marks.enumerated() where indices.updateValue(index, forKey: mark) != nil { twins.insert(mark) }
    let known = page.compactMap { twins.contains($0) ? nil : indices[$0] }
    guard zip(known, known.dropFirst()).allSatisfy({ $0 < $1 }) else { return false }
    guard let first = known.first, let last = known.last else {
      // The place of the page is unknown; the known rows come after it, or are gone.
      marks = page + marks
      return true
    }
    marks = Array(marks[..<first]) + page + Array(marks[(last + 1)...])
    trim()
    return true
  }

  /// True when the known rows among these come in the known order.
  func isInOrder(_ rows: some Sequence<UInt64>) -> Bool {
    let known = rows.compactMap { marks.lastIndex(of: $0) }
    return zip(known, known.dropFirst()).allSatisfy { $0 < $1 }
  }

  private mutating func trim() {
    // This is done seldom, since it moves all remaining rows.
    if marks.count > 2 * Self.most { marks.removeFirst(marks.count - Self.most) }
  }
}
