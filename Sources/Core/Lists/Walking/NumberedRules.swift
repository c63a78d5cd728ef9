/// The rules of numbered pages in any size, each of which begins at the last row that came or some rows before it (Docs/decisions/0009).
///
/// A place is the number of rows before it, as with offsets; each request makes a number and a size of that. The rows that overlap show that
/// the list is still the same. The size of a page and its place in the list are known only where the service
/// gives as many rows as are asked for, so the end of the list is proved by its last row.
struct NumberedRules: Sendable {
  /// The latest page that had to begin early.
  struct Latest {
    var page: NumberedPage?
    /// True when it had fewer rows than were asked for.
    var isShort = false
    /// True when it began with the expected row.
    var isAtPlace = true
    /// True when its last row is shown to be the end.
    var isEndShown = false
  }

  /// The pages that are asked for as proof that the list ends with its last row.
  struct Proof {
    /// True when everything seems to have come, and only the proof is missing.
    var isAwaited = false
    /// The number of such pages so far. Each but the last proved nothing, because the list changed meanwhile.
    var attempts = 0
    /// True when a short page was not the last. From then on only a page without new rows has to be proved the last one.
    var isShortOften = false

    /// After more attempts than this, a service that has given every size is believed.
    static let most = 2
  }

  /// The ways in which the next page is asked for.
  enum Aim: AggregatorCore.Aim {
    case ahead, back(Int)
    /// After a page that seems to be an earlier one: either the service ignores the number, or the list has moved that far.
    case earlierPage
    /// At a short page that should end with the last row that came, as proof that the list ends there.
    case lastRow

    static let words: [Aim: String] = [.earlierPage: "earlier", .lastRow: "last"]
  }

  var aim = Aim.ahead
  /// The choice of the next page's number and size.
  private(set) var sizes: SizedPages
  /// True when a page showed how the service treats sizes.
  var isProven = false
  /// True before the first page of a walk that another one began.
  var isResumed = false
  var proof = Proof()
  private(set) var latest = Latest()
  /// True when the last page had no row that is known, so that the list has moved.
  private(set) var foundNoKnownRow = false
  /// The number of rows, beyond the first, by which a page begins early.
  private var lead = 0
  /// The page that may have come in place of another one.
  private var earlier: UInt64?
  /// A page that came in place of rows after the end; if it comes again, it is not the page asked for.
  private var standIn: UInt64?

  init(_ sizes: SizedPages) { self.sizes = sizes }

  /// The numbers that a cursor keeps of the rules, in its order.
  private enum Note: Int, CaseIterable {
    case isShort, isProofAwaited, isShortOften, foundNoKnownRow, attempts, lead, earlier, standIn, size, begin
  }

  /// The rules of a walk that another one began.
  init(_ sizes: SizedPages, resuming context: RowContext) {
    let doubt = context.doubt
    func number(_ note: Note) -> Int { Int(clamping: doubt[note] ?? 0) }
    (self.sizes, aim, isProven, isResumed) = (sizes, Aim(word: doubt.aim) ?? .ahead, context.isProven, true)
    (latest.isShort, foundNoKnownRow) = (doubt[Note.isShort] != nil, doubt[Note.foundNoKnownRow] != nil)
    (proof.isAwaited, proof.isShortOften) = (doubt[Note.isProofAwaited] != nil, doubt[Note.isShortOften] != nil)
    (proof.attempts, lead) = (min(Proof.most + 1, number(.attempts)), min(sizes.largest / 2, number(.lead)))
    (earlier, standIn) = (doubt[Note.earlier], doubt[Note.standIn])
    if number(.size) > 0 { latest.page = sizes.page(at: number(.begin), size: number(.size)) }
  }

  /// All that the rules know beside the rows.
  var doubt: RowContext.Doubt {
    // The usual page is chosen without the one before it.
    let page = aim == .ahead ? nil : latest.page
    return RowContext.Doubt(aim: aim.word) { (note: Note) in
      switch note {
      case .isShort: latest.isShort ? 1 : 0
      case .isProofAwaited: proof.isAwaited ? 1 : 0
      case .isShortOften: proof.isShortOften ? 1 : 0
      case .foundNoKnownRow: foundNoKnownRow ? 1 : 0
      case .attempts: UInt64(proof.attempts)
      case .lead: UInt64(lead)
      case .earlier: earlier ?? 0
      case .standIn: standIn ?? 0
      case .size: UInt64(page?.size ?? 0)
      case .begin: UInt64(page?.begin ?? 0)
      }
    }
  }

  func ask(from place: Int) -> WalkRules.Ask {
    WalkRules.Ask(place: page(from: place).place, looksBack: true, mostRows: lead == 0 ? sizes.largest : nil)
  }

  private func page(from place: Int) -> NumberedPage {
    switch aim {
    case .back(let step):
      // Two pages of one size show by their rows whether the service gives that size.
      let row = max(0, (place - 1).adding(-sizes.largest.times((1 << step) - 1)))
      return sizes.page(at: row, size: latest.page?.size ?? sizes.largest)
    case .earlierPage: if let last = latest.page { return last.next }
    case .lastRow: return sizes.page(endingAt: place)
    case .ahead: break
    }
    let early = sizes.page(at: max(0, place - 1 - lead))
    return early.end > place ? early : sizes.page(at: place - 1)
  }

  /// True when the end of a list has to be proved by its last row. The latest page was short, or another one than was expected, which a
  /// service that gives fewer rows at once would send too. After some attempts, a service that has given every size is believed: its page
  /// has to begin with the expected row, or `isGapExplained`.
  func needsProof(isGapExplained: Bool) -> Bool {
    if latest.isAtPlace || isGapExplained, sizes.isExact, proof.attempts > Proof.most { return false }
    return (latest.isShort || !latest.isAtPlace) && !latest.isEndShown
  }

  /// Returns what to do without the page from `place`: the list has fewer rows by now, and ended before it.
  mutating func step(withoutPageAt place: Int) -> WalkRules.Step {
    let asked = page(from: place)
    guard asked.begin > 0 else { return .stopSizing }
    if aim == .ahead || aim == .earlierPage { latest.page = asked }
    return aim.stepBack(from: aim)
  }

  mutating func take(_ page: ComingPage) -> WalkRules.Step {
    let (rows, asked, aim) = (page.rows, self.page(from: page.place), aim)
    self.aim = .ahead
    guard rows.count <= asked.size else { return .stopSizing }
    let isShort = rows.count < asked.size
    if !isShort { sizes.note(heard: asked.size) }
    if rows.count == 0, page.namesAnother { return .stopSizing }
    if aim == .lastRow { return takeLastRow(page, asked) }
    if aim == .earlierPage {
      if rows.fingerprint == earlier { return .loop }
      (earlier, isProven) = (nil, true)
      return .askAgain
    }
    let wasShort = latest.isShort
    (latest.page, latest.isShort, latest.isEndShown) = (asked, isShort, false)
    // The list is empty by now.
    if rows.count == 0, asked.begin == 0 {
      latest.isEndShown = true
      return .end
    }
    // A last page ends with the total. A short page that does not was given in another size.
    if isShort, rows.count > 0, let total = page.total, asked.begin.adding(rows.count) != total {
      return sizes.lower(to: rows.count) ? self.aim.askAgain(.ahead) : .stopSizing
    }
    return place(page, asked, aim, wasShort: wasShort)
  }

  /// Finds the place of a page by the rows that are known.
  private mutating func place(
    _ page: ComingPage, _ asked: NumberedPage, _ aim: Aim, wasShort: Bool
  ) -> WalkRules.Step {
    let (rows, isShort, overlap) = (page.rows, latest.isShort, page.overlap(with: asked))
    let isFollowing =
      aim == .ahead && overlap <= rows.count && rows.marks[overlap - 1] == page.lastKnown.last
      && (!page.evidence.knowsAll(page.known) || (0..<overlap - 1).allSatisfy { page.knows($0) })
    let known = isFollowing ? overlap : (rows.marks.indices.last { page.knows($0) } ?? -1) + 1
    let hasNews = known < rows.count
    latest.isAtPlace = isFollowing
    if !isFollowing, let step = takeElsewhere(page, asked, aim, known: known) { return step }
    // The page before had fewer rows than asked for and was not the last: the service rounds sizes down.
    if wasShort, hasNews, isShort, !sizes.isExact { return .stopSizing }
    (isProven, isResumed, foundNoKnownRow) = (true, false, false)
    if isFollowing { lead /= 2 }
    if isShort { latest.isEndShown = isFollowing && sizes.isExact && page.total != nil }
    // A list that changes before each request does not show its end. It is read on in pages of one size.
    if isShort, !hasNews, !page.namesAnother, page.total == nil, proof.attempts > Proof.most { return .stopSizing }
    if isShort, !page.isSaidLast, !hasNews || !(page.namesAnother || proof.isShortOften) { self.aim = .lastRow }
    guard isFollowing else { return .move(known: known, end: asked.begin.adding(rows.count)) }
    return hasNews || page.isSaidLast ? .follow(known: overlap, end: page.place.adding(rows.count - overlap)) : .askAgain
  }

  /// Judges a page that does not begin where it should; nil if the walk takes it, because it has a row that is known, or begins with the list.
  private mutating func takeElsewhere(
    _ page: ComingPage, _ asked: NumberedPage, _ aim: Aim, known: Int
  ) -> WalkRules.Step? {
    let (rows, hasNews) = (page.rows, known < page.rows.count)
    // A service that ignores the number gives its first page for every number.
    if aim == .ahead, !isProven, rows.marks.first == page.start, asked.begin > 0, rows.count > 2 {
      earlier = rows.fingerprint
      return self.aim.askAgain(.earlierPage)
    }
    if asked.begin > 0 {
      guard known > 0 else {
        // A list that keeps losing rows is read with more overlap.
        if aim == .ahead { lead = min(sizes.largest / 2, max(4, lead.times(2))) }
        foundNoKnownRow = true
        return self.aim.stepBack(from: aim)
      }
      // A page without news may be one that the service gives for every place after the end.
      let isRereading = page.evidence.list.furthest != nil
      if aim == .ahead, !hasNews, !isRereading || page.total.map({ asked.begin >= $0 }) ?? false { standIn = rows.fingerprint }
      if rows.fingerprint == standIn { return self.aim.stepBack(from: aim) }
    }
    guard latest.isShort else { return nil }
    // A short page at another place than expected: the list has changed, or the service gives fewer rows.
    if !sizes.isExact { return aim == .ahead && !isResumed ? self.aim.askAgain(.back(1)) : .stopSizing }
    return aim == .ahead && sizes.lower(to: rows.count) ? self.aim.askAgain(.ahead) : nil
  }

  /// Judges the page that should end with the last row that came. If it has the expected rows alone, the list ends there, whatever the
  /// service does with sizes: a page of another size would have other rows.
  private mutating func takeLastRow(_ page: ComingPage, _ asked: NumberedPage) -> WalkRules.Step {
    let (rows, overlap) = (page.rows, page.overlap(with: asked))
    let expected = page.lastKnown.suffix(overlap)
    proof.attempts += 1
    if rows.count < asked.size, rows.count == overlap, rows.marks.suffix(expected.count).elementsEqual(expected) {
      latest.isEndShown = true
      return .end
    }
    if let last = expected.last, let row = rows.marks.lastIndex(of: last), row + 1 < rows.count {
      // Rows were added, or pages are short elsewhere too.
      (proof.isShortOften, proof.isAwaited) = (true, false)
      return aim.askAgain(.ahead)
    }
    return aim.askAgain(.back(1))
  }
}

extension ComingPage {
  /// The number of its rows that are expected to be known.
  fileprivate func overlap(with asked: NumberedPage) -> Int { max(1, place - asked.begin) }

  /// The known rows up to the last one that came.
  fileprivate var lastKnown: ArraySlice<UInt64> { known.recent.upTo(last) }
}
