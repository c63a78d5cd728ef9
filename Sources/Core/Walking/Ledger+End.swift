extension Ledger {
  /// How many pages in a row may come again as they were where the list has moved: more are a service's that does not do as it is asked.
  private static var mostPagesWithoutNews: Int { 20 }

  /// How many pages in a row may only settle doubts.
  static var mostPagesLeft: Int { 50 }

  /// How long a walk may stand still, where each page without new rows counts ten and one with new rows, behind rows that were taken out, one.
  private static var longestStandstill: Int { 1_000 }

  /// How many pages in a row may be empty and not the last: tokens differ each time, a place that is counted is a guess.
  private static func mostEmptyPages(_ paging: Paging) -> Int { paging.style == .token ? 1_000 : 5 }

  /// Where more rows came than announced, the total is useless and a repetition counts as the end.
  var loop: Verdict { completeness.isEveryRowThere ? .complete : .partial(.loop) }

  /// What the page says about the end; nil when the walk goes on.
  mutating func verdict(
    after page: Page<Item>, _ rows: PageRows, at place: Int?, _ known: Known, isFoundBehind: Bool, isNew: Bool
  ) -> Verdict? {
    let paging = page.maker.paging
    if page.received == 0, !page.isLast, paging.style != .whole, page.namesAnother { return verdict(afterEmpty: page) }
    emptyPages = 0
    // After the last record only the broken rows came that had come with it.
    let isTailAlone = paging.style == .keyset && page.more != true && known.first == rows.count
    if page.isLast || page.received == 0 || isTailAlone || paging.style == .whole {
      return completeness.verdict(at: place, more: page.more)
    }
    if let place, lookBack != nil {
      reach = place > reach.place ? (place, 0) : (reach.place, reach.standstill + (isNew ? 1 : 10))
      if reach.standstill > Self.longestStandstill { return .partial(.drift(missing: nil)) }
    }
    let isRepeated = !fingerprints.insert(rows.fingerprint).inserted
    // A repeated page says nothing about the place that was asked for.
    let isFull = page.received >= lookBack?.asked?.size ?? mostRows && page.received > 1
    // A short page that reaches the total is the end of any list whose pages begin early.
    let isCounted = paging.end == .total || sizes != nil && !isFull
    if isCounted, page.more != true, !isRepeated, completeness.isTotalReached(at: place, isFull: isFull) {
      guard mayAnnouncePages(page) else { return completeness.verdict(at: place, more: page.more) }
      doubtsTotal = true
    }
    if isNew { pagesWithoutNews = 0 }
    guard known.mayRepeat else { return isRepeated || !isNew ? loop : nil }
    // Pages that are read again may come as they were; but not forever. Sized ones differ even where a service passes over their number.
    if !isNew, isRepeated || sizes != nil { pagesWithoutNews += 1 }
    let most = Self.mostPagesWithoutNews + (sizes.map { (reach.place / max(1, $0.largest)).times(2) } ?? 0)
    guard pagesWithoutNews > most else { return nil }
    // A service that repeats itself does so wherever one asks; where stepping back finds the same rows, others come and go before it.
    return isFoundBehind || isLost ? .partial(.drift(missing: nil)) : loop
  }

  /// True when the first page is full and the total is as many rows: some services announce how many rows the page has. The next page tells.
  private func mayAnnouncePages(_ page: Page<Item>) -> Bool {
    let paging = page.maker.paging
    let isEnough = bounds.pages == 1 || bounds.limit.map { $0 <= summary.given.adding(page.received) } ?? false
    return summary.pages == 1 && !isFromCursor && page.more == nil && page.received == paging.size && announced == paging.size
      && !isEnough && !paging.isUnchanging && paging.partRows == nil
  }

  /// The verdict after a page of the beginning that is read again: what moved to the front stands before a page that is all known. Rows that
  /// are missing all the same may have come meanwhile, or have moved, which nothing tells: the list is complete, and not for sure.
  func verdict(afterBeginning page: Page<Item>, isNew: Bool) -> Verdict? {
    isNew && !page.isLast && completeness.mayHaveSlippedAhead ? nil : .complete
  }

  /// Many services filter after paging: an empty page that names another one is not the end.
  mutating func verdict(afterEmpty page: Page<Item>) -> Verdict? {
    emptyPages += 1
    // How many rows were left out is unknown, so the rows' places are too.
    goBlind()
    if case .token(let token) = page.next, !fingerprints.insert(Fingerprint.of(token)).inserted { return loop }
    return emptyPages > Self.mostEmptyPages(page.maker.paging) ? .partial(.more) : nil
  }

  mutating func conclude(_ verdict: Verdict?, _ page: Page<Item>) {
    if let verdict {
      let last = Cursor(maker: page.maker.name, place: page.maker.paging.start, thread: page.thread)
      finish(verdict, cursor ?? last, isSaid: page.isLast)
    } else if summary.given == bounds.limit || summary.pages == bounds.pages {
      end(.bounded)
    } else if cursor == nil {
      // The source said neither that it ended nor how to go on.
      end(.unverifiable)
    }
  }
}

extension Ledger {
  /// How often a list is read from its first page whose total moves meanwhile.
  private static var mostPasses: Int { 4 }

  /// Ends the walk at the end of the list, which the service said itself or which was counted. Where that proves too little, the walk goes
  /// on from the last page.
  mutating func finish(_ verdict: Verdict, _ last: Cursor?, isSaid: Bool = false) {
    guard let last else { return end(verdict) }
    if !isSaid, verdict == .complete, let lookBack, lookBack.short != nil, let sizes, !lookBack.isShortForSure(of: sizes) {
      // The page was short for a size that the service may not have heard.
      pending = (verdict, announced)
      self.lookBack?.aim = .proof
    } else if verdict.isOfEnd, completeness.isUnsteady, !isFromCursor || isForgetful,
      completeness.list.passes + 1 < Self.mostPasses
    {
      completeness.beginPass()
      (passRows, fingerprints) = ([], [])
      cursor = Cursor(
        maker: last.maker, place: completeness.paging?.start ?? last.place, rowContext: completeness.list.withoutRows,
        thread: last.thread)
    } else if verdict != .complete || !readBeginningAgain(after: last) {
      end(verdict)
    }
  }

  /// Goes on with the beginning of the list where rows are missing that may have moved there before they were read; false where none are.
  mutating func readBeginningAgain(after last: Cursor?) -> Bool {
    guard let last, completeness.mayHaveSlippedAhead, !readsBeginningAgain, !isFromCursor || isForgetful else { return false }
    (readsBeginningAgain, lookBack, sizes) = (true, nil, nil)
    cursor = Cursor(maker: last.maker, place: completeness.paging?.start ?? last.place, thread: last.thread)
    return true
  }
}

extension Verdict {
  /// Whether a walk came to it at the end of the list.
  fileprivate var isOfEnd: Bool {
    switch self {
    case .complete, .unverifiable, .partial(.total), .partial(.drift): true
    default: false
    }
  }
}
