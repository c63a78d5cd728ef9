// Looking back in numbered pages, each of which begins at the last row that came or some rows before it.
extension LookBack {
  /// Returns the page to ask for in order to continue from `place`, after a row that is known.
  func page(from place: Int, of sizes: SizedPages) -> NumberedPage {
    switch aim {
    case .back(let step):
      // Two pages of one size show by their rows whether the service gives that size.
      let row = max(0, (place - 1).adding(-sizes.largest.times(1 << step - 1)))
      return sizes.page(at: row, size: asked?.size ?? sizes.largest)
    case .nothingBehind, .earlierPage: if let asked { return asked.next }
    case .proof: if let asked { return asked.previous ?? asked }
    case .ahead, .refusal: break
    }
    let early = sizes.page(at: max(0, (place - 1).adding(-lead)))
    return early.end > place ? early : sizes.page(at: place - 1)
  }

  /// True when the last page has fewer rows than the service gives at that size, so that the list ended with it.
  func isShortForSure(of sizes: SizedPages) -> Bool {
    guard let short, let asked else { return false }
    return short == 0 && asked.begin == 0 || sizes.isExact || proven.map { $0.size == asked.size && short < $0.rows } ?? false
  }

  /// Judges the answer that the service has no such page as `asked`: the list has fewer rows by now, and ended before that page.
  mutating func judgeMissing(_ asked: NumberedPage) -> Finding {
    let aim = aim
    self.aim = .ahead
    switch aim {
    case .nothingBehind: return .over
    case .ahead where asked.begin > 0, .earlierPage where asked.begin > 0:
      self.asked = asked
      return askAgain(.back(1))
    case .back(let step) where asked.begin > 0: return step < Self.mostSteps ? askAgain(.back(step + 1)) : .lost
    case .ahead, .earlierPage, .back, .proof, .refusal: return .unheard
    }
  }

  /// Judges `page`, which came for `asked`. Its first `overlap` rows are expected to be known, and `last` to be the last of them.
  ///
  /// `isLast` says that no page follows, `hasMore` that one does, and `total` is the total that this page announces. `start` is the first
  /// row that the walk has. A walk that `remembers` knows every row that came before.
  mutating func judge(
    _ page: PageRows, as asked: NumberedPage, of sizes: inout SizedPages, overlap: Int, behind last: UInt64, isLast: Bool,
    hasMore: Bool, total: Int?, start: UInt64?, remembers: Bool, knows: (Int) -> Bool
  ) -> Finding {
    let aim = aim
    self.aim = .ahead
    guard page.count <= asked.size else { return .unheard }
    let isShort = page.count < asked.size
    if !isShort { sizes.note(heard: asked.size) }
    if page.count == 0, hasMore { return .blind }
    if let finding = answer(to: aim, page, isExact: sizes.isExact, knows) { return finding }
    let wasShort = short != nil
    (self.asked, short) = (asked, isShort ? page.count : nil)
    // The list is empty by now.
    if page.count == 0, asked.begin == 0 { return .over }
    // A short page that does not end with the total is not at the place that its size says.
    if isShort, page.count > 0, let total, asked.begin.adding(page.count) != total { return .unheard }
    let isFollowing =
      aim == .ahead && overlap <= page.count && page.marks[overlap - 1] == last
      && (!remembers || (0..<overlap - 1).allSatisfy(knows))
    let known = isFollowing ? overlap : (page.marks.indices.last(where: knows) ?? -1) + 1
    guard known > 0 || asked.begin == 0 else {
      guard case .back(let step) = aim else {
        // A list that keeps losing rows is read with more overlap.
        lead = min(sizes.largest / 2, max(4, lead.times(2)))
        return askAgain(.back(1))
      }
      return step < Self.mostSteps ? askAgain(.back(step + 1)) : .lost
    }
    // A service that ignores the number gives its first page for every number.
    if aim == .ahead, !isFollowing, !isProven, page.marks.first == start, asked.begin > 0, page.count > 2 {
      earlier = (page.fingerprint, true, nil)
      return askAgain(.earlierPage)
    }
    let isSure = !isShort || asked.begin == 0 || isShortForSure(of: sizes)
    // A short page at another place than expected: the list has changed, or the service rounds sizes down.
    if !isFollowing, !isSure { return aim == .ahead && !isResumed ? askAgain(.proof) : .unheard }
    let hasNews = known < page.count
    // The page before had fewer rows than asked for and was not the last: the service rounds sizes down.
    if wasShort, hasNews, !isSure { return .unheard }
    (isProven, isResumed) = (true, false)
    if hasNews { pagesBehind = 0 }
    if isFollowing { lead /= 2 }
    if isShort, !isLast, !hasNews || !(hasMore || isShortOften) { self.aim = .nothingBehind }
    guard isFollowing else { return .moved(back: aim != .ahead, known: known) }
    return hasNews || isLast ? .follows(known: overlap) : .askAgain
  }

  /// Returns the finding for a page that was asked for only to settle a doubt, and is not taken; nil for a page that the walk may take.
  private mutating func answer(to aim: Aim, _ page: PageRows, isExact: Bool, _ knows: (Int) -> Bool) -> Finding? {
    switch aim {
    case .nothingBehind:
      if page.count == 0 { return .over }
      // A service may give its last page for every higher number.
      pagesBehind += 1
      if pagesBehind > 1, page.marks.indices.allSatisfy(knows) { return .unheard }
      // Rows have been added since, or pages are short elsewhere too: from now on only a page without new rows raises this doubt. A service
      // that may round sizes down is not asked again.
      isShortOften = true
      return isExact ? .askAgain : .unheard
    case .proof:
      // A page of the same size with more rows shows that the other one was short because the list ended there.
      guard page.count > short ?? .max else { return .unheard }
      proven = asked.map { ($0.size, page.count) }
      return .proven
    case .earlierPage:
      if page.fingerprint == earlier?.fingerprint { return .repeats }
      (earlier, isProven) = (nil, true)
      return .askAgain
    case .ahead, .back, .refusal: return nil
    }
  }
}
