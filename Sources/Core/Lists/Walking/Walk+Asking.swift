extension Walk {
  /// Asks for pages until one is taken, and returns what it brought; nil once the walk has ended. An error leaves the walk where it was.
  mutating func nextArrival() async throws -> Ledger<Item>.Arrival? {
    let source = source
    while summary.verdict == nil {
      try Task.checkCancellation()
      let deadline = ledger.wanted.bounds.deadline
      if clock.isPast(deadline) { throw Deadline.isLate }
      if ledger.endsForLackOfHeadway() { return ending }
      let wish = copy(of: ledger.request(query)) { $0.sorting = sorting }
      let request = wish.asked(of: source.profile) ?? wish
      var page: Page<Item>
      do {
        page = try await Deadline.keep(until: deadline, by: clock) { try await source.page(request) }
      } catch let error as SourceError where ledger.doesWithout(request, in: source.profile.paging, refused: error) {
        if summary.verdict != nil { return ending }
        if request.looksBack, !ledger.rules.asksEarly, !ledger.readsBeginningAgain {
          Event.emit(.lookBackRefused(source: source.profile.name, error))
        }
        ledger.noteHeadway()
        continue
      } catch let error as SourceError
        where !clock.isPast(deadline) && ledger.goesPast(request, in: source.profile.paging, failed: error)
      {
        if summary.verdict != nil { return ending }
        ledger.noteHeadway()
        continue
      }
      let arrival = try await take(&page, for: request)
      if let arrival { return arrival }
      if summary.verdict != nil { return ending }
    }
    return nil
  }

  /// Gives a page to the ledger, and returns what it brought; nil if it was not taken.
  private mutating func take(_ page: inout Page<Item>, for request: PageRequest) async throws -> Ledger<Item>.Arrival? {
    // A stand-in that cannot search was asked for everything, whatever the first source can do.
    let request = request.asked(of: page.maker) ?? request
    page.refuseMaskedPlace()
    pick(from: request)
    if request.query != query, page.maker.paging.style == .whole, let matcher {
      page.items = matcher.ranked(page.items) + page.items.filter { !matcher.matches($0) }
    }
    let states = stateDigest.map { page.items.map($0) } ?? []
    let rows = PageRows(page, states: states, marked: ledger.evidence.changes == .timed)
    ledger.headway.count(page: rows.fingerprint)
    let met = try await rows.ids.isEmpty ? [] : seen?.met(rows.ids) ?? []
    if page.maker.isKeyGuessed || stateDigest != nil, let seen {
      let unknown = met.filter { ledger.known.lacksDigest(of: $0) }
      if !unknown.isEmpty { ledger.known.learn(try await seen.contents(of: unknown)) }
    }
    note(page)
    var arrival = ledger.admit(page, rows, met: met, for: request, digest: source.schema.contentDigest)
    arrival?.take(&page.items)
    ledger.noteHeadway()
    tell(of: page, arrival)
    if let arrival { seen?.note(arrival.idsTaken ?? rows.ids) }
    return arrival
  }

  /// Notes what a page says that the ledger need not know.
  private mutating func note(_ page: Page<Item>) {
    if summary.origin == nil { keptWalk = page.thread?.walk }
    isSorted = page.stored.isSorted
    shape += page.shape
  }

  private mutating func tell(of page: Page<Item>, _ arrival: Ledger<Item>.Arrival?) {
    let faults = arrival?.faults ?? []
    shape.broken += faults.count
    shape.keyless += faults.count { $0.isKeyless }
    faults.tell(source: page.maker.name)
    let count = arrival.map { $0.items.count + faults.count } ?? 0
    for notice in summary.notices.dropFirst(told) { Event.emit(.noticed(source: source.profile.name, notice)) }
    told = summary.notices.count
    Event.emit(.pageRead(source: page.maker.name, rows: count, total: page.total, origin: page.origin.kind))
  }

  /// An empty page as the end of a walk that was ended by a page that it did not take.
  private var ending: Ledger<Item>.Arrival {
    Ledger.Arrival(Page(of: source, [], next: .end), fingerprint: Fingerprint().value)
  }
}

extension Ledger {
  /// True when the walk ends because it gets no further. Otherwise the next request is counted.
  fileprivate mutating func endsForLackOfHeadway() -> Bool {
    if let verdict = headway.verdict(moved: evidence.list.hasMoved) {
      end(emptyPages > 0 ? .partial(.more) : verdict)
      return true
    }
    headway.countRequest()
    return false
  }

  /// Notes in the cursor how the walk stands still, so that walks end over many runs too.
  fileprivate mutating func noteHeadway() {
    cursor?.rowContext.idle = headway.idle.requests > 0 ? headway.idle : RowContext.Idle()
    cursor?.rowContext.gaps = emptyPages
    noteDoubt()
  }

  /// Notes in the cursor what was learned since its place: a page that is not taken shows something too. A run that is cut off after it would
  /// otherwise begin with the same request as this one, and so would each run after that.
  private mutating func noteDoubt() {
    var doubt = rules.doubt
    doubt.saysMore = rules.asksBehindTheLastRow && evidence.said.more == true
    cursor?.rowContext.doubt = doubt
    if rules.looksBack {
      cursor?.rowContext.isProven = rules.isProven
      cursor?.rowContext.sizes = rules.numbered?.sizes
    }
    // A cursor without a last row is one of pages at their own place, and has other facts.
    if cursor?.rowContext.last != nil, !readsBeginningAgain { cursor?.rowContext.list = evidence.list }
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
