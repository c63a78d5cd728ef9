extension Ledger {
  /// The most pages in a row that may come again unchanged after the list has moved. A service with more of them does not do what it is
  /// asked.
  private static var mostPagesWithoutNews: Int { 20 }

  /// The most pages in a row that may only settle doubts.
  static var mostPagesLeft: Int { 50 }

  /// The longest standstill of a walk. A page that gets no further counts ten without new rows; with new rows, which replace deleted ones,
  /// it counts one.
  private static var longestStandstill: Int { 1_000 }

  /// Returns how many pages in a row may be empty and not the last: tokens differ each time, but a counted place is a guess.
  private static func mostEmptyPages(_ paging: Paging) -> Int { paging.style == .token ? 1_000 : 5 }

  /// The verdict after a repetition. If at least as many rows came as announced, the total tells nothing more and a repetition counts as
  /// the end.
  var loop: Verdict { completeness.isEveryRowThere ? .complete : .partial(.loop) }

  /// Returns the verdict if the page ends the walk; nil if the walk continues.
  mutating func verdict(
    after page: Page<Item>, _ rows: PageRows, at place: Int?, _ known: Known, isFoundBehind: Bool, isNew: Bool
  ) -> Verdict? {
    let paging = page.maker.paging
    if page.received == 0, !page.isLast, paging.style != .whole, page.namesAnother { return verdict(afterEmpty: page) }
    emptyPages = 0
    // The page has nothing but the broken rows that had already come after the last record.
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
    // A short page that reaches the total is the end of any numbered list whose pages begin early.
    let isCounted = paging.end == .total || sizes != nil && !isFull
    if isCounted, page.more != true, !isRepeated, completeness.isTotalReached(at: place, isFull: isFull) {
      guard mayAnnouncePages(page) else { return completeness.verdict(at: place, more: page.more) }
      doubtsTotal = true
    }
    if isNew { pagesWithoutNews = 0 }
    guard known.mayRepeat else { return isRepeated || !isNew ? loop : nil }
    // Pages that are read again may come unchanged, but not forever. Pages of various sizes differ even if a service ignores their number.
    if !isNew, isRepeated || sizes != nil { pagesWithoutNews += 1 }
    let most = Self.mostPagesWithoutNews + (sizes.map { (reach.place / max(1, $0.largest)).times(2) } ?? 0)
    guard pagesWithoutNews > most else { return nil }
    // A service that repeats itself does so for every place. If stepping back finds the same rows, other rows come and go before them.
    return isFoundBehind || isLost ? .partial(.drift(missing: nil)) : loop
  }

  /// True when the first page is full and the total equals its rows, since some services announce how many rows the page has. The next page
  /// then decides.
  private func mayAnnouncePages(_ page: Page<Item>) -> Bool {
    let paging = page.maker.paging
    let isEnough = bounds.pages == 1 || bounds.limit.map { $0 <= summary.given.adding(page.received) } ?? false
    return summary.pages == 1 && !isFromCursor && page.more == nil && page.received == paging.size && announced == paging.size
      && !isEnough && !paging.isUnchanging && paging.partRows == nil
  }

  /// Returns the verdict after a page of the beginning that is read again; nil if the walk continues. Rows that moved to the front come
  /// before the first page that is all known. Rows that are still missing may have come meanwhile, or have moved, which nothing shows: the
  /// list is then complete, but not for sure.
  func verdict(afterBeginning page: Page<Item>, isNew: Bool) -> Verdict? {
    isNew && !page.isLast && completeness.mayHaveSlippedAhead ? nil : .complete
  }

  /// Returns the verdict after an empty page that names another one; nil if the walk continues. Many services filter after paging, so such
  /// a page is not the end.
  mutating func verdict(afterEmpty page: Page<Item>) -> Verdict? {
    emptyPages += 1
    // The number of rows that were left out is unknown, and so are the places of the rows.
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
      // The source said neither that the list ended nor how to continue.
      end(.unverifiable)
    }
  }
}

extension Ledger {
  /// The most readings, from the first page each, of a list whose total moves meanwhile.
  private static var mostPasses: Int { 4 }

  /// Ends the walk at the end of the list, which the service said itself or which was counted. If that proves too little, the walk
  /// continues: with one more page as proof, with the whole list again, or with its beginning.
  mutating func finish(_ verdict: Verdict, _ last: Cursor?, isSaid: Bool = false) {
    guard let last else { return end(verdict) }
    if !isSaid, verdict == .complete, let lookBack, lookBack.short != nil, let sizes, !lookBack.isShortForSure(of: sizes) {
      // The page was short, but the service may have ignored its size.
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

  /// Continues with the beginning of the list if rows are missing that may have moved there before they were read; false otherwise.
  mutating func readBeginningAgain(after last: Cursor?) -> Bool {
    guard let last, completeness.mayHaveSlippedAhead, !readsBeginningAgain, !isFromCursor || isForgetful else { return false }
    (readsBeginningAgain, lookBack, sizes) = (true, nil, nil)
    cursor = Cursor(maker: last.maker, place: completeness.paging?.start ?? last.place, thread: last.thread)
    return true
  }
}

extension Verdict {
  /// True when a walk comes to this verdict at the end of the list.
  fileprivate var isOfEnd: Bool {
    switch self {
    case .complete, .unverifiable, .partial(.total), .partial(.drift): true
    default: false
    }
  }
}
