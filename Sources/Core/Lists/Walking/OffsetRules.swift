/// The rules of pages by offset that begin one row early (Docs/decisions/0009).
///
/// Each page should begin with the last row that came. If it does not, the walk steps back by 1, 3, 7, 15 and 31 pages, until a page begins
/// with a row that it knows or with the list. It continues there: all rows that stayed in the list come after that row in their old order.
struct OffsetRules: Sendable {
  /// The ways in which the next page is asked for.
  enum Aim: AggregatorCore.Aim {
    case ahead, back(Int)
    /// At the place itself, since the page had nothing after the last row: the list ends there, or the service gives no more rows at once.
    case nothingAfter
    /// At the place itself, since the service answered with an earlier page: it rounds or ignores the place, or the list moved that far.
    case earlierPage
    /// At the place itself, since the service refused the early one.
    case refusal

    static let words: [Aim: String] = [.nothingAfter: "behind", .earlierPage: "earlier", .refusal: "refused"]
  }

  var aim = Aim.ahead
  /// True when the service has shown how it treats an offset that is one row early.
  var isProven = false
  /// The page that may be an earlier one, and the row that it has after the last one that came.
  private var earlier: (fingerprint: UInt64, isFirst: Bool, successor: UInt64?)?
  /// A page that came in place of rows after the end, such as the first or the last page; if it comes again, it is not the page asked for.
  private var standIn: UInt64?
  /// The number of pages that came where none was expected, since the last page that began with the last row.
  private var unexpectedPages = 0

  init() {}

  /// The numbers that a cursor keeps of the rules, in its order.
  private enum Note: Int, CaseIterable { case unexpectedPages, standIn, earlier, isEarlierFirst, successor }

  /// The rules of a walk that another one began.
  init(resuming context: RowContext) {
    let doubt = context.doubt
    (aim, isProven) = (Aim(word: doubt.aim) ?? .ahead, context.isProven)
    (unexpectedPages, standIn) = (Int(min(2, doubt[Note.unexpectedPages] ?? 0)), doubt[Note.standIn])
    if let fingerprint = doubt[Note.earlier] {
      earlier = (fingerprint, doubt[Note.isEarlierFirst] != nil, doubt[Note.successor])
    }
  }

  /// All that the rules know beside the rows.
  var doubt: RowContext.Doubt {
    RowContext.Doubt(aim: aim.word) { (note: Note) in
      switch note {
      case .unexpectedPages: UInt64(unexpectedPages)
      case .standIn: standIn ?? 0
      case .earlier: earlier?.fingerprint ?? 0
      case .isEarlierFirst: earlier?.isFirst ?? false ? 1 : 0
      case .successor: earlier?.successor ?? 0
      }
    }
  }

  /// Returns the page to ask for in order to continue from `place`; `rows` is the length of a page.
  func ask(from place: Int, page rows: Int) -> WalkRules.Ask {
    var (offset, isSearching) = (place, false)
    switch aim {
    case .ahead: offset = place - 1
    case .nothingAfter, .earlierPage, .refusal: break
    case .back(let step): (offset, isSearching) = (max(0, (place - 1).adding(-rows.times((1 << step) - 1))), true)
    }
    return WalkRules.Ask(place: .offset(offset), early: isSearching ? nil : place - offset, looksBack: aim == .ahead)
  }

  mutating func take(_ page: ComingPage) -> WalkRules.Step {
    let sight = Sight(page, standIn: standIn, isAhead: aim == .ahead)
    let aim = aim
    self.aim = .ahead
    switch aim {
    case .ahead: return takeAhead(page, sight)
    case .nothingAfter: return takeAfterNothing(page, sight)
    case .earlierPage: return takeAfterEarlier(page, sight)
    case .refusal: return .takeBlindly
    case .back:
      guard sight.canContinue || page.offset == 0 else { return self.aim.stepBack(from: aim) }
      if sight.isEnd { standIn = page.rows.fingerprint }
      return move(page, sight)
    }
  }

  /// Judges a page that was asked for one row early.
  private mutating func takeAhead(_ page: ComingPage, _ sight: Sight) -> WalkRules.Step {
    let rows = page.rows
    if rows.marks.first == page.last {
      isProven = true
      guard rows.count == 1, !sight.isLast else {
        unexpectedPages = 0
        return .follow(known: 1, end: sight.end)
      }
      return aim.askAgain(.nothingAfter)
    }
    // A service that rounds offsets down gives a page that has the last row.
    if !isProven, sight.isKnown, !sight.isEnd, rows.count > 1, page.offset > 0, let row = rows.marks.firstIndex(of: page.last) {
      isProven = true
      earlier = (rows.fingerprint, rows.marks.first == page.start, rows.marks.dropFirst(row + 1).first)
      return aim.askAgain(.earlierPage)
    }
    isProven = true
    guard sight.canContinue || page.offset == 0 else {
      if sight.isStandIn { standIn = rows.fingerprint }
      return aim.askAgain(.back(1))
    }
    // If the same page comes for the next place too, it is one for places after the end.
    standIn = sight.isAllKnown ? rows.fingerprint : nil
    return move(page, sight)
  }

  /// Judges a page that was asked for at the place itself, after one that had nothing after the last row.
  private mutating func takeAfterNothing(_ page: ComingPage, _ sight: Sight) -> WalkRules.Step {
    let (rows, mostRows) = (page.rows, page.evidence.counts.mostRowsEver)
    if rows.count == 0 { return page.namesAnother ? .takeBlindly : .end }
    // The only row that ever came is here too: this may be a page after the end, or the only page that the service gives for any place.
    if sight.isAllKnown, mostRows == 1, !page.isSaidLast { return .loop }
    // Two kinds of page show the end: one that stands for places after it, and one that ends with the last row. A page that came for the
    // early place already shows nothing.
    if sight.isAllKnown, rows.fingerprint != standIn, sight.isStandIn || rows.marks.last == page.last { return .end }
    if sight.isKnown { return .move(end: sight.end) }
    // New rows came where none was expected. Others may have been deleted, so the page is asked for again one row early. A service that
    // never gives more than one row is believed.
    unexpectedPages += 1
    return max(rows.count, mostRows) > 1 && unexpectedPages == 1 ? aim.askAgain(.ahead) : .takeBlindly
  }

  /// Judges a page that was asked for at the place itself, after one that may have been an earlier page.
  private mutating func takeAfterEarlier(_ page: ComingPage, _ sight: Sight) -> WalkRules.Step {
    defer { earlier = nil }
    let rows = page.rows
    // Two offsets gave this page, and it begins like the list. If it has only two rows, two insertions could explain that.
    if let earlier, earlier.isFirst, rows.fingerprint == earlier.fingerprint, rows.count > 2 { return .loop }
    if sight.isKnown { return .move(end: sight.end) }
    // The earlier page showed which row comes after the last one.
    guard let successor = earlier?.successor else { return .takeBlindly }
    guard rows.marks.contains(successor) else { return aim.askAgain(.back(1)) }
    // The page before was another one than an early offset should give, so that is shown anew.
    isProven = false
    return .follow(known: 0, end: sight.end)
  }

  private mutating func move(_ page: ComingPage, _ sight: Sight) -> WalkRules.Step {
    if sight.isEnd { aim = .nothingAfter }
    return .move(end: sight.end)
  }

  /// The rows of a page, compared with those that the walk knows.
  private struct Sight {
    /// The place in the list that the rows lead to.
    let end: Int
    /// True when no page follows, as the service says or the total shows.
    let isLast: Bool
    /// True when the first record came before. Broken rows look alike, so it decides.
    let isKnown: Bool
    let isAllKnown: Bool
    /// True when the page is short, has known rows only, and ends with the last row that came: the list seems to end there.
    let isEnd: Bool
    /// True for a page that stands for places after the end: some services give their first or their last page there.
    let isStandIn: Bool

    var canContinue: Bool { isKnown && !isStandIn }

    init(_ page: ComingPage, standIn: UInt64?, isAhead: Bool) {
      let (rows, evidence, recent) = (page.rows, page.evidence, page.known.recent)
      end = page.offset.adding(rows.count)
      isLast =
        page.isSaidLast || evidence.said.more == nil && evidence.paging?.end == .total && evidence.isTotalReached(isFull: false)
      isKnown = rows.count > 0 && page.knows(rows.firstRecord ?? 0)
      isAllKnown = isKnown && (1..<rows.count).allSatisfy { page.knows($0) }
      isEnd =
        isAllKnown && page.request.wanted == nil && rows.count < evidence.counts.mostRowsEver && rows.marks.last == page.last
      // A last page that has neither a new row nor the last one is such a page too. Its rows come in the order that is known.
      let isOtherEnd = isAhead && page.isSaidLast && rows.marks.last != page.last
      isStandIn =
        isAllKnown && page.offset > 0
        && (rows.marks.first == recent.first || isOtherEnd || page.total.map { page.offset >= $0 } ?? false
          || rows.fingerprint == standIn)
        && recent.isInOrder(rows.marks)
    }
  }
}
