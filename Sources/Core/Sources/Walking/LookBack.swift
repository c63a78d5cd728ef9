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
    case nothingAfter
    /// At the place itself, since the service answered with an earlier page: either it rounds offsets, or the list has moved that far.
    case earlierPage
    /// At the place itself, since the service refused the offset.
    case refusal
    /// Further back, looking for a known row, for the nth time in a row.
    case back(Int)
    /// At a short numbered page that should end with the last row that came, as proof that the list ends there.
    case lastRow
  }

  /// The judgment about a page, by the rows that the walk knows.
  enum Judgment: Sendable, Hashable {
    /// The page begins where it should: the first `known` rows came before, the others follow.
    case follows(known: Int)
    /// The list has changed: the page has some other row that is known, or begins with the list. The first `known` rows are known, or were
    /// put in before the last known one.
    case moved(known: Int = 0)
    /// Another page has to be asked for, as ``aim`` now says.
    case askAgain
    /// Nothing follows the last row.
    case over
    /// The service does not give as many rows as are asked for, so that only pages of one size remain.
    case unheard
    /// The page may be taken as it is; looking back shows nothing more.
    case blind
    /// The service gives the same page for every place.
    case repeats
    /// No known row was found again.
    case lost

    var isFollowing: Bool { if case .follows = self { true } else { false } }
  }

  static let mostSteps = 5
  /// The number of attempts to show the end of a list by its last row, after which a service that has given every size is believed.
  static let mostProofs = 2

  var aim = Aim.ahead
  /// True when the service has shown how it treats an offset that is one row early.
  var isProven: Bool
  /// The page that may be an earlier one, and the row that it has after the last one that came.
  var earlier: (fingerprint: UInt64, isFirst: Bool, successor: UInt64?)?
  /// True when the last page had no row that is known, so that the list has moved.
  var hasLostGround = false
  /// A page that came in place of rows after the end, such as the first or the last page; if it comes again, it is not the page asked for.
  var standIn: UInt64?
  /// The numbered page that was taken last.
  var asked: NumberedPage?
  /// True when that page had fewer rows than were asked for, when it began with the expected row, and when its last row is shown to be the
  /// end.
  var (isShort, isAtPlace, isEndShown) = (false, true, false)
  /// The number of pages in a row that should have shown the end and did not, because the list changed meanwhile.
  var proofs = 0
  /// The number of rows, beyond the first, by which a numbered page begins early.
  var lead = 0
  /// The number of pages by offset that came where none was expected, since the last page with new rows.
  var unexpectedPages = 0
  /// True before the first page of a walk that another one began.
  var isResumed = false
  /// True when a short page was not the last.
  var isShortOften = false

  init(isProven: Bool = false) { self.isProven = isProven }

  /// Returns the offset to ask for in order to continue from `place`, after a row that is known; `rows` is the length of a page.
  func offset(from place: Int, page rows: Int) -> Int {
    switch aim {
    case .ahead, .lastRow: place - 1
    case .nothingAfter, .earlierPage, .refusal: place
    case .back(let step): max(0, (place - 1).adding(-rows.times(1 << step - 1)))
    }
  }

  /// Judges a page that begins at `offset`.
  ///
  /// `isLast` says that no page follows, `isSaid` that the service says so, and `hasMore` that it names another. `isShort` says that the page
  /// could have been longer, and `mostRows` is the most that have come at once. `start` is the first row that the walk has, `first` the first
  /// that it remembers, and `total` the total that this page announces.
  mutating func judge(
    _ page: PageRows, at offset: Int, after last: UInt64, isLast: Bool, isSaid: Bool, hasMore: Bool, isShort: Bool,
    start: UInt64?, mostRows: Int, total: Int?, first: UInt64?, isInOrder: () -> Bool, knows: (Int) -> Bool
  ) -> Judgment {
    let aim = aim
    self.aim = .ahead
    // Broken rows look alike, so the first record decides.
    let isKnown = page.count > 0 && knows(page.firstRecord ?? 0)
    let isAllKnown = isKnown && (1..<page.count).allSatisfy(knows)
    // The list ends after the last row that came, although that row has moved.
    let isEnd = isAllKnown && isShort && page.marks.last == last
    // Some services give their first or their last page for every place after the end; `isInOrder` says that its rows came in that order.
    // So is a last page that has neither a new row nor the last one.
    let isOtherEnd = aim == .ahead && isSaid && page.marks.last != last
    let isStandIn =
      isAllKnown && offset > 0
      && (page.marks.first == first || isOtherEnd || total.map { offset >= $0 } ?? false || page.fingerprint == standIn)
      && isInOrder()
    switch aim {
    case .ahead:
      if page.marks.first == last {
        isProven = true
        guard page.count == 1, !isLast else {
          unexpectedPages = 0
          return .follows(known: 1)
        }
        return askAgain(.nothingAfter)
      }
      // A service that rounds offsets down gives a page that has the last row.
      if !isProven, isKnown, !isEnd, page.count > 1, offset > 0, let row = page.marks.firstIndex(of: last) {
        isProven = true
        let next = row + 1
        earlier = (page.fingerprint, page.marks.first == start, next < page.count ? page.marks[next] : nil)
        return askAgain(.earlierPage)
      }
      isProven = true
      guard isKnown && !isStandIn || offset == 0 else {
        if isStandIn { standIn = page.fingerprint }
        return askAgain(.back(1))
      }
      // If the same page comes for the next place too, it is one for places after the end.
      standIn = isAllKnown ? page.fingerprint : nil
      return moved(isEnd)
    case .nothingAfter:
      if page.count == 0 { return hasMore ? .blind : .over }
      // The only row that ever came is here too: this may be a page after the end, or the only page that the service gives for any place.
      if isAllKnown, mostRows == 1, !isSaid { return .repeats }
      // A page for a place after the end, or one that ends with the last row, has nothing after that row.
      if isAllKnown, page.fingerprint != standIn, isStandIn || page.marks.last == last { return .over }
      if isKnown { return .moved() }
      // Rows have been added since, unless the service never gives more than one row. Others may have been deleted too, so that these rows
      // are taken only with the last one before them.
      unexpectedPages += 1
      return max(page.count, mostRows) > 1 && unexpectedPages == 1 ? askAgain(.ahead) : .blind
    case .earlierPage:
      defer { earlier = nil }
      // Three different offsets gave the same page. If it has only two rows, two insertions could explain that.
      if let earlier, earlier.isFirst, page.fingerprint == earlier.fingerprint, page.count > 2 { return .repeats }
      if isKnown { return .moved() }
      // The earlier page showed that no row was between the last row and this one.
      guard let successor = earlier?.successor else { return .blind }
      guard page.marks.contains(successor) else { return askAgain(.back(1)) }
      isProven = false
      return .follows(known: 0)
    case .refusal, .lastRow: return .blind
    case .back(let step):
      if isKnown && !isStandIn || offset == 0 {
        if isEnd { standIn = page.fingerprint }
        return moved(isEnd)
      }
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

  private mutating func moved(_ isEnd: Bool) -> Judgment {
    if isEnd { aim = .nothingAfter }
    return .moved()
  }

  /// The aim as a word of a cursor, for a walk that continues there; nil for the usual aim, and for those that need more than a word.
  var aimWord: String? {
    switch aim {
    case .nothingAfter: "behind"
    case .lastRow: "last"
    case .back(let step): "back\(step)"
    case .ahead, .earlierPage, .refusal: nil
    }
  }

  /// Takes up the aim of an earlier run.
  mutating func aim(as word: String) {
    switch word {
    case "behind": aim = .nothingAfter
    case "last": aim = .lastRow
    default:
      if let step = Int(digits: word.dropFirst(4)), 1...Self.mostSteps ~= step, word.hasPrefix("back") { aim = .back(step) }
    }
  }

  /// Steps back, or further back than the page that is missing; false if that was the furthest step.
  mutating func goesBackFarther() -> Bool {
    var step = 1
    if case .back(let last) = aim { step = last + 1 }
    aim = .back(step)
    return step <= Self.mostSteps
  }

  mutating func askAgain(_ aim: Aim) -> Judgment {
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

  /// Returns the rows up to `last`, as far as they are known.
  func upTo(_ last: UInt64) -> ArraySlice<UInt64> { marks.lastIndex(of: last).map { marks[...$0] } ?? [last] }

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
