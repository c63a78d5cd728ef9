// Looking back in numbered pages, each of which begins at the last row that came or some rows before it.
extension LookBack {
  /// Returns the page to ask for in order to continue from `place`, after a row that is known.
  func page(from place: Int, of sizes: SizedPages) -> NumberedPage {
    switch aim {
    case .back(let step):
      // Two pages of one size show by their rows whether the service gives that size.
      let row = max(0, (place - 1).adding(-sizes.largest.times(1 << step - 1)))
      return sizes.page(at: row, size: asked?.size ?? sizes.largest)
    case .earlierPage: if let asked { return asked.next }
    case .lastRow: return sizes.page(endingAt: place)
    case .ahead, .nothingAfter, .refusal: break
    }
    let early = sizes.page(at: max(0, (place - 1).adding(-lead)))
    return early.end > place ? early : sizes.page(at: place - 1)
  }

  /// True when the end of a list is to be shown by its last row: the last page was short, or another one than was expected. A service that
  /// gives fewer rows at once, or another page, would give such a page too. After some attempts, a service that has given every size is
  /// believed where the page began with the expected row, or where the totals explain which rows are missing (`addsUp`).
  func needsProof(of sizes: SizedPages, addsUp: Bool) -> Bool {
    if isAtPlace || addsUp, sizes.isExact, proofs > Self.mostProofs { return false }
    return (isShort || !isAtPlace) && !isEndShown
  }

  /// Judges the answer that the service has no such page as `asked`: the list has fewer rows by now, and ended before that page.
  mutating func judgeMissing(_ asked: NumberedPage) -> Judgment {
    guard asked.begin > 0 else { return .unheard }
    if aim == .ahead || aim == .earlierPage { self.asked = asked }
    return goesBackFarther() ? .askAgain : .lost
  }

  /// Judges `page`, which came for `asked`. Its first `overlap` rows are expected to be the last of the `known` rows.
  ///
  /// `isLast` says that no page follows, `hasMore` that one does, and `total` is the total that this page announces. `start` is the first
  /// row that the walk has. A walk that `remembers` knows every row that came before, and one that `rereads` has stepped back before the
  /// furthest of them.
  mutating func judge(
    _ page: PageRows, as asked: NumberedPage, of sizes: inout SizedPages, overlap: Int, after rows: ArraySlice<UInt64>,
    isLast: Bool,
    hasMore: Bool, total: Int?, start: UInt64?, rereads isRereading: Bool, remembers: Bool, knows: (Int) -> Bool
  ) -> Judgment {
    let aim = aim
    self.aim = .ahead
    guard page.count <= asked.size else { return .unheard }
    let isShort = page.count < asked.size
    if !isShort { sizes.note(heard: asked.size) }
    if page.count == 0, hasMore { return .blind }
    if aim == .lastRow { return judgeLastRow(page, overlap, after: rows, isShort) }
    if aim == .earlierPage {
      if page.fingerprint == earlier?.fingerprint { return .repeats }
      (earlier, isProven) = (nil, true)
      return .askAgain
    }
    let wasShort = self.isShort
    (self.asked, self.isShort, isEndShown) = (asked, isShort, false)
    // The list is empty by now.
    if page.count == 0, asked.begin == 0 {
      isEndShown = true
      return .over
    }
    // A short page that does not end with the total is not at the place that its size says.
    if isShort, page.count > 0, let total, asked.begin.adding(page.count) != total {
      return sizes.lower(to: page.count) ? askAgain(.ahead) : .unheard
    }
    let isFollowing =
      aim == .ahead && overlap <= page.count && page.marks[overlap - 1] == rows.last
      && (!remembers || (0..<overlap - 1).allSatisfy(knows))
    let known = isFollowing ? overlap : (page.marks.indices.last(where: knows) ?? -1) + 1
    let hasNews = known < page.count
    isAtPlace = isFollowing
    if !isFollowing,
      let judgment = judgeElsewhere(page, asked, aim, known: known, total: total, start: start, rereads: isRereading, &sizes)
    {
      return judgment
    }
    // The page before had fewer rows than asked for and was not the last: the service rounds sizes down.
    if wasShort, hasNews, isShort, !sizes.isExact { return .unheard }
    (isProven, isResumed, hasLostGround) = (true, false, false)
    if isFollowing { lead /= 2 }
    if isShort { isEndShown = isFollowing && sizes.isExact && total != nil }
    // A list that changes before each request does not show its end. It is read on in pages of one size.
    if isShort, !hasNews, !hasMore, total == nil, proofs > Self.mostProofs { return .unheard }
    if isShort, !isLast, !hasNews || !(hasMore || isShortOften) { self.aim = .lastRow }
    guard isFollowing else { return .moved(known: known) }
    return hasNews || isLast ? .follows(known: overlap) : .askAgain
  }

  /// Returns the judgment for a page that does not begin where it should; nil for a page that the walk takes, because it has a row that is
  /// known, or begins with the list.
  private mutating func judgeElsewhere(
    _ page: PageRows, _ asked: NumberedPage, _ aim: Aim, known: Int, total: Int?, start: UInt64?, rereads isRereading: Bool,
    _ sizes: inout SizedPages
  ) -> Judgment? {
    let (hasNews, isShort) = (known < page.count, page.count < asked.size)
    // A service that ignores the number gives its first page for every number.
    if aim == .ahead, !isProven, page.marks.first == start, asked.begin > 0, page.count > 2 {
      earlier = (page.fingerprint, true, nil)
      return askAgain(.earlierPage)
    }
    if asked.begin > 0 {
      guard known > 0 else {
        // A list that keeps losing rows is read with more overlap.
        if aim == .ahead { lead = min(sizes.largest / 2, max(4, lead.times(2))) }
        hasLostGround = true
        return stepBack(from: aim)
      }
      // A page without news may be one that the service gives for every place after the end.
      if aim == .ahead, !hasNews, !isRereading || total.map({ asked.begin >= $0 }) ?? false { standIn = page.fingerprint }
      if page.fingerprint == standIn { return stepBack(from: aim) }
    }
    guard isShort else { return nil }
    // A short page at another place than expected: the list has changed, or the service gives fewer rows.
    if !sizes.isExact { return aim == .ahead && !isResumed ? askAgain(.back(1)) : .unheard }
    return aim == .ahead && sizes.lower(to: page.count) ? askAgain(.ahead) : nil
  }

  private mutating func stepBack(from aim: Aim) -> Judgment {
    self.aim = aim
    return goesBackFarther() ? .askAgain : .lost
  }

  /// Judges the page that should end with the last row that came, and begin `overlap` rows before its end. If it has these rows alone, the list
  /// ends there, whatever the service does with sizes: a page of another size would have other rows.
  private mutating func judgeLastRow(
    _ page: PageRows, _ overlap: Int, after rows: ArraySlice<UInt64>, _ isShort: Bool
  ) -> Judgment {
    let expected = rows.suffix(overlap)
    proofs += 1
    if isShort, page.count == overlap, page.marks.suffix(expected.count).elementsEqual(expected) {
      isEndShown = true
      return .over
    }
    if let last = expected.last, let row = page.marks.lastIndex(of: last), row + 1 < page.count {
      // Rows were added, or pages are short elsewhere too: from now on only a page without new rows raises this doubt.
      isShortOften = true
      return askAgain(.ahead)
    }
    return askAgain(.back(1))
  }
}
