extension Ledger {
  /// Asks for pages until one is taken, and returns what it brought; nil once the walk has ended. `seen` knows ids that the ledger does
  /// not.
  mutating func nextArrival(
    _ query: Query, from source: any DataSource<Item>, seen: (any Seen)? = nil, clock: any Timekeeper
  ) async throws -> Arrival? {
    while summary.verdict == nil {
      try Task.checkCancellation()
      if clock.isPast(bounds.deadline) { throw Deadline.isLate }
      if let verdict = headway.verdict(moved: evidence.list.hasMoved) {
        end(emptyPages > 0 ? .partial(.more) : verdict)
        return ending(of: source)
      }
      headway.countRequest()
      let request = copy(of: request(query, in: source.profile)) { $0.sorting = sorting }
      var page: Page<Item>
      do {
        page = try await Deadline.keep(until: bounds.deadline, by: clock) { try await source.page(request) }
      } catch let error as SourceError where asksInstead(of: request, in: source.profile.paging, refused: error) {
        if summary.verdict != nil { return ending(of: source) }
        Event.emit(.lookBackRefused(source: source.profile.name, error))
        noteHeadway()
        continue
      }
      let rows = PageRows(page, of: source.schema)
      headway.count(page: rows.fingerprint)
      let met = try await rows.ids.isEmpty ? [] : seen?.met(rows.ids) ?? []
      var arrival = admit(page, rows, met: met, for: request)
      arrival?.take(&page.items)
      noteHeadway()
      let count = arrival.map { $0.items.count + $0.faults.count } ?? 0
      arrival?.faults.tell(source: page.maker.name)
      Event.emit(.pageRead(source: page.maker.name, rows: count, total: page.total, origin: page.origin.kind))
      guard let arrival else {
        if summary.verdict != nil { return ending(of: source) }
        continue
      }
      seen?.note(arrival.idsTaken ?? rows.ids)
      return arrival
    }
    return nil
  }

  /// Notes in the cursor how the walk stands still, so that walks end over many runs too.
  private mutating func noteHeadway() {
    cursor?.rowContext.idle = headway.idle.requests > 0 ? headway.idle : (0, 0)
    cursor?.rowContext.gaps = emptyPages
    cursor?.rowContext.aim = lookBack?.aimWord
  }

  /// True when the walk can do without the refused page: it asks for another page instead, or has ended.
  private mutating func asksInstead(of request: PageRequest, in paging: Paging, refused error: SourceError) -> Bool {
    evidence.paging = evidence.paging ?? paging
    if doubtsTotal, summary.pages == 1, error.kind == .noSuchAddress || error.kind == .badRequest && !request.looksBack {
      // The list has no second page.
      evidence.place = cursorOffset
      end(verdict(.end))
      return true
    }
    if request.looksBack, var lookBack, lookBack.mayAskInstead(after: error, sized: sizes != nil) {
      guard let sizes else {
        self.lookBack?.refuse()
        return true
      }
      var judgment = LookBack.Judgment.unheard
      if error.kind == .noSuchAddress {
        judgment = lookBack.judgeMissing(lookBack.page(from: cursorOffset ?? 1, of: sizes))
        self.lookBack = lookBack
      }
      switch judgment {
      case .askAgain: break
      case .lost: loseGround()
      default: stopAskingForSizes()
      }
      return true
    }
    return isAfterEnd(error)
  }

  /// True when the service has no page at a place after others, and the walk continues or ends without it.
  private mutating func isAfterEnd(_ error: SourceError) -> Bool {
    guard error.kind == .noSuchAddress || error.kind == .badRequest, let cursor, let paging = evidence.paging else {
      return false
    }
    guard evidence.countsRows || paging.style == .keyset, summary.pages > 0 || isFromCursor, cursor.place != paging.start else {
      return false
    }
    if lookBack?.aim == .nothingAfter, error.kind == .noSuchAddress {
      evidence.place = cursorOffset
      finish(.end, cursor)
      return true
    }
    if summary.pages == 0, !evidence.addsUp {
      // The list has fewer rows than when an earlier run came here.
      if sizes == nil, lookBack != nil {
        if !(lookBack?.goesBackFarther() ?? false) { loseGround() }
        return true
      }
      if evidence.total != nil { evidence.list.hasTotalMoved = true }
    }
    evidence.place = cursorOffset
    let verdict = verdict(.noSuchPage(error))
    if case .partial(.failed) = verdict, summary.pages > 0 { return false }
    finish(verdict, cursor)
    return true
  }

  /// Returns an empty page as the end of a walk that was ended by a page that it did not take.
  private func ending(of source: some DataSource<Item>) -> Arrival {
    Arrival(Page(of: source, [], next: .end), fingerprint: Fingerprint().value)
  }
}

extension [RowFault] {
  /// Reports the rows to listeners: the first ones in full, the others as a count.
  func tell(source: String) {
    var untold = 0
    for fault in self {
      if fault.reason == nil { untold += 1 } else { Event.emit(.rowSkipped(source: source, fault)) }
    }
    if untold > 0 { Event.emit(.rowsSkipped(source: source, untold)) }
  }
}
