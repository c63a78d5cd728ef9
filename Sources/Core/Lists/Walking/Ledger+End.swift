extension Ledger {
  /// The most pages in a row that may be empty and not the last, where the place after one is a guess.
  private static var mostEmptyPages: Int { 5 }

  /// Returns the verdict of a walk that came to the list's end in this way.
  mutating func verdict(_ ending: Evidence.Ending) -> Verdict {
    evidence.ending = ending
    if known.wantsAgreement {
      evidence.readingsAgree = evidence.list.total.isSteady && known.readingsAgree(onTotal: evidence.list.total.announced)
    }
    // Rows that another run counted may have come again, as those of a page that stands for places after the end.
    let mayCountTwice = ending == .repetition && evidence.list.isBlind && !evidence.knowsAll(known)
    return VerdictGate.verdict(on: evidence).capped(by: mayCountTwice ? .unverifiable : nil)
  }

  /// Adds the page to the recent rows of a walk that looks back. Returns the verdict if the page ends the walk; nil if the walk continues.
  mutating func verdict(
    taking page: Page<Item>, _ rows: PageRows, _ fit: Fit, isNew: Bool, isRepeating: Bool
  ) -> Verdict? {
    var isInOrder = true
    if evidence.paging?.looksBack ?? false, !evidence.list.isBlind, !readsBeginningAgain {
      isInOrder = known.remember(
        rows, expecting: fit.known, mayRepeat: fit.mayRepeat, isNew: isNew, isStart: fit.end == rows.count)
    }
    let verdict =
      if failing.isFilling { self.verdict(filling: page, rows, fit) } else if readsBeginningAgain {
        self.verdict(afterBeginning: page, isNew: isNew)
      } else { self.verdict(after: page, rows, fit, isNew: isNew, isRepeating: isRepeating) }
    if evidence.list.furthest.map(rows.marks.contains) ?? false { evidence.list.furthest = nil }
    return isInOrder ? verdict : self.verdict(.disorder)
  }

  /// Returns the verdict if the page ends the walk; nil if the walk continues.
  private mutating func verdict(
    after page: Page<Item>, _ rows: PageRows, _ fit: Fit, isNew: Bool, isRepeating: Bool
  ) -> Verdict? {
    let isGap = page.received == 0 && !page.isLast && page.namesAnother
    emptyPages = isGap ? emptyPages + 1 : 0
    if isGap { return verdict(afterEmpty: page) }
    if page.isLast || page.received == 0 { return verdict(.end) }
    if rules.hasNoKeyAfter(rows, known: fit.known), page.more != true { return verdict(.brokenRows) }
    let isRepeated = !fingerprints.insert(rows.fingerprint).inserted
    let isFull = page.received > 1 && page.received >= rules.sizeAsked ?? evidence.counts.mostRows
    let endsByTotal = page.maker.paging.end == .total || rules.endsByTotal(isFull: isFull)
    // A repeated page says nothing about the place that was asked for.
    if endsByTotal, page.more != true, !isRepeated, evidence.isTotalReached(isFull: isFull) {
      guard mayAnnouncePages(page) else { return verdict(.end) }
      evidence.list.total.isDoubted = true
    }
    if page.isInOneOutput { return nil }
    let bringsNews = isNew && !isRepeated
    // Pages that are read again may bring nothing new. Headway ends a walk that does not get past them.
    let mayBringNothing = fit.mayRepeat && !(isRepeating && isRepeated)
    return bringsNews || mayBringNothing ? nil : verdict(.repetition)
  }

  /// True when the first page is full and the total equals its rows, since some services announce how many rows the page has. The next page
  /// then decides.
  private func mayAnnouncePages(_ page: Page<Item>) -> Bool {
    let paging = page.maker.paging
    let isEnough = wanted.bounds.pages == 1 || wanted.bounds.limit.map { $0 <= summary.given.adding(page.received) } ?? false
    return summary.pages == 1 && !evidence.isFromCursor && page.more == nil && page.received >= paging.size
      && announced == page.received && !isEnough && !paging.isUnchanging && paging.partRows == nil
  }

  /// Returns the verdict after a page of the beginning that is read again; nil if the walk continues.
  ///
  /// Rows that moved to the front come before the first page that is all known. Rows that are still missing came meanwhile, or have moved.
  /// Nothing shows which. The list is then complete, but not for sure.
  mutating func verdict(afterBeginning page: Page<Item>, isNew: Bool) -> Verdict? {
    guard case .beginning(let evidenceAtEnd) = rules, !isNew || page.isLast || !evidence.mayHaveSlippedAhead else { return nil }
    return VerdictGate.verdict(
      on: copy(of: evidenceAtEnd) {
        ($0.counts, $0.paging, $0.changes) = (evidence.counts, evidence.paging, evidence.changes)
        // Rows that came meanwhile do not make up for rows that pages leave out.
        if evidence.hasShortPages { $0.list = evidence.list }
      })
  }

  /// Returns the verdict after an empty page that names another one; nil if the walk continues. Many services filter after paging, so such
  /// a page is not the end.
  mutating func verdict(afterEmpty page: Page<Item>) -> Verdict? {
    // The number of rows that were left out is unknown, and so are the places of the rows.
    goBlind()
    guard case .token(let token) = page.next else { return emptyPages > Self.mostEmptyPages ? .partial(.more) : nil }
    return fingerprints.insert(Fingerprint.of(token)).inserted ? nil : verdict(.repetition)
  }

  mutating func conclude(_ verdict: Verdict?, _ page: Page<Item>) {
    if let verdict {
      let last = Cursor(maker: page.maker.name, place: page.maker.paging.start, thread: page.thread)
      finish(verdict, cursor ?? last, isSaid: page.isLast && rules.numbered?.latest.isAtPlace ?? true)
    } else if summary.given == wanted.bounds.limit || summary.pages == wanted.bounds.pages {
      end(.bounded)
    } else if failing.isFilled {
      aimAtGap()
    } else if cursor == nil {
      // The source said neither that the list ended nor how to continue.
      end(.unverifiable)
    }
  }

  /// The most readings, from the first page each, of a list whose total moves meanwhile.
  private static var mostPasses: Int { 4 }

  /// Ends the walk in this way at its place, if that proves enough.
  mutating func finish(_ ending: Evidence.Ending) {
    let verdict = verdict(ending)
    if let cursor { finish(verdict, cursor) } else { end(verdict) }
  }

  /// Ends the walk at the end of the list, which the service said itself or which was counted. If that proves too little, the walk
  /// continues: with one more page as proof, with the whole list again, or with its beginning.
  mutating func finish(_ verdict: Verdict, _ last: Cursor, isSaid: Bool = false) {
    if !isSaid, verdict == .complete, rules.askForProof(isGapExplained: evidence.hasAll || !evidence.list.total.isSteady) {
      // The page was short, but the service may have ignored its size.
      return
    }
    if verdict.isOfEnd, evidence.isWorthAnotherReading(wantingAgreement: known.wantsAgreement), evidence.knowsAll(known),
      evidence.list.passes + 1 < Self.mostPasses
    {
      // A walk that looks back is never worth another reading, so the rules are plain here.
      readAgain(from: last)
    } else if !verdict.isOfEnd || !readBeginningAgain(after: last) {
      end(verdict)
    }
  }

  /// Begins another reading of the list from its first page.
  private mutating func readAgain(from last: Cursor) {
    known.beginReading(afterTotal: evidence.list.total.announced)
    evidence.beginReading()
    fingerprints = []
    cursor = Cursor(
      maker: last.maker, place: evidence.paging?.start ?? last.place, rowContext: RowContext(evidence.list.withoutRows),
      thread: last.thread)
  }

  /// Reads the list again, although it came whole, until two readings agree. False if the list is of a kind in which that proves nothing more.
  mutating func readAgainForAgreement() -> Bool {
    guard summary.verdict == .complete, evidence.isWorthAnotherReading(wantingAgreement: true), evidence.knowsAll(known),
      let paging = evidence.paging, let maker
    else { return false }
    (summary.verdict, known.wantsAgreement) = (nil, true)
    readAgain(from: Cursor(maker: maker, place: paging.start))
    return true
  }

  /// Continues with the beginning of the list if rows are missing that may have moved there before they were read; false otherwise.
  mutating func readBeginningAgain(after last: Cursor) -> Bool {
    guard evidence.mayHaveSlippedAhead, !readsBeginningAgain, evidence.knowsAll(known) else { return false }
    rules = .beginning(evidence)
    cursor = Cursor(
      maker: last.maker, place: evidence.paging?.start ?? last.place, rowContext: beginningContext ?? RowContext(),
      thread: last.thread)
    return true
  }

  /// The knowledge with which a later run continues with the beginning that is read again; nil if nothing is read again, or if a later
  /// run does not know all rows that came.
  var beginningContext: RowContext? {
    guard case .beginning(let evidenceAtEnd) = rules, known.othersRemember, let end = evidenceAtEnd.place else { return nil }
    return copy(of: RowContext(evidenceAtEnd.list)) { $0.endedAt = end }
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
