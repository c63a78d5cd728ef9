extension Ledger {
  /// True when the walk can do without the page that the service refused: it asks for another page instead, or has ended.
  mutating func doesWithout(_ request: PageRequest, in paging: Paging, refused error: SourceError) -> Bool {
    evidence.paging = evidence.paging ?? paging
    if evidence.list.total.isDoubted, summary.pages == 1, !evidence.isFromCursor,
      error.kind == .noSuchAddress || error.kind == .badRequest && !request.looksBack
    {
      // The list has no second page.
      evidence.place = cursorOffset
      end(verdict(.end))
      return true
    }
    guard request.looksBack, let place = cursorOffset, let step = rules.step(without: error, at: place) else {
      return isAfterEnd(error)
    }
    follow(step)
    return true
  }

  /// True when the service has no page at a place after others, and the walk continues or ends without it.
  private mutating func isAfterEnd(_ error: SourceError) -> Bool {
    guard error.kind == .noSuchAddress || error.kind == .badRequest, let cursor, let paging = evidence.paging else {
      return false
    }
    guard evidence.countsRows || paging.style == .keyset, cursor.place != paging.start else { return false }
    if rules.asksBehindTheLastRow, error.kind == .noSuchAddress {
      evidence.place = cursorOffset
      finish(.end)
      return true
    }
    if summary.pages == 0, evidence.said.more != true, !evidence.addsUp {
      // The list has fewer rows than when an earlier run came here. It has not where the last page has just said that there is more.
      if let step = rules.stepBack() {
        follow(step)
        return true
      }
      if evidence.total != nil { evidence.list.total.hasMoved = true }
    }
    evidence.place = cursorOffset
    let verdict = verdict(.noSuchPage(error))
    if case .partial(.failed) = verdict, summary.pages > 0 { return false }
    finish(verdict, cursor)
    return true
  }
}
