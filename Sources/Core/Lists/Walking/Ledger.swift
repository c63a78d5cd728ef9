/// The state of a walk, as a pure state machine: pages go in; new records, the next place and the verdict come out.
///
/// ``WalkRules`` say which page comes next and how a page fits. The ledger does what all ways of paging share: it compares a page with
/// ``KnownRows``, sees by ``Headway`` that the walk ends, and asks ``VerdictGate`` for the verdict on its ``Evidence``.
struct Ledger<Item: SourceItem> {
  struct Wanted {
    var bounds: Bounds
    /// True for a record that is wanted; nil if all are.
    var picks: (@Sendable (Item) -> Bool)?
  }

  var summary = Summary()
  /// The cursor at which this walk, or after its limit a later one, continues; nil at the beginning, and if no page names what follows.
  var cursor: Cursor?
  var wanted: Wanted
  var rules: WalkRules
  var evidence: Evidence
  var known: KnownRows
  var headway: Headway
  /// The pages that came, and the tokens that led to them after empty ones.
  var fingerprints: Set<UInt64> = []
  /// The number of pages in a row that were empty and not the last.
  var emptyPages: Int
  /// `areExpected`: the next page may begin with rows that came before, because the walk has just stopped looking back, or an earlier run
  /// read that page. `continues`: no page since then has brought a new row.
  var repeats: (areExpected: Bool, continues: Bool)
  /// The source that made the last page.
  var maker: String?
  /// The way in which the walk treats pages that fail.
  var failing = FailingPages()

  /// Makes a ledger. `announced` is the total announced before the cursor, if it is known. If `othersRemember` the ids, the ledger has to be
  /// told which ids of a page came before.
  init(_ wanted: Wanted, othersRemember: Bool = false, from cursor: Cursor?, rowsBefore: Int?, announced: Int? = nil) {
    let rowContext = cursor?.rowContext ?? RowContext()
    (self.wanted, self.cursor, rules) = (wanted, cursor, WalkRules(resuming: cursor))
    (headway, emptyPages) = (Headway(resuming: rowContext.idle), rowContext.gaps)
    known = KnownRows(before: rowContext, othersRemember: othersRemember)
    // A run that ended with the list's only page, and was cut off then, has no cursor.
    repeats = (cursor.map { $0.rowContext.comesAgain } ?? ((rowsBefore ?? 0) > 0), false)
    evidence = Evidence(
      rowsBefore: (rowsBefore ?? (cursor?.place ?? .offset(0)).rowsBefore).map { max(0, $0) }, announced: announced,
      rowContext.list)
    evidence.isFromCursor = cursor != nil
    evidence.counts.mostRows = rowContext.sizes?.usual ?? 1
    evidence.counts.mostRowsBefore = rowContext.pages.mostRows ?? 1
    if let page = rowContext.pages.last { fingerprints = [page] }
    beginFilling(rowContext)
    if rowContext.doubt.saysMore { (evidence.said.more, evidence.said.lastMore) = (true, true) }
    if let end = rowContext.endedAt, othersRemember, !rowContext.isFilling {
      rules = .beginning(copy(of: evidence) { ($0.list, $0.place) = (rowContext.list, end) })
      return
    }
    if case .number = cursor?.place { evidence.list.isBlind = true }
    if case .offset(let offset) = cursor?.place, offset > 0 {
      // Nothing shows whether the row before the place is still the same one.
      if rowContext.last == nil { evidence.list.isBlind = true }
      // Nothing shows whether a total that is announced from here on was the same before.
      if evidence.list.isBlind, evidence.list.total.announced == nil, !evidence.list.total.isWrong {
        evidence.list.total.isUnsure = true
      }
    }
    // A second reading that another run began proves nothing here.
    if rowContext.list.passes > 0 { evidence.list.total.isUnsure = true }
  }

  func request(_ query: Query) -> PageRequest {
    let count = wanted.picks == nil ? wanted.bounds.limit.map { $0 - summary.given } : nil
    guard let cursor else { return PageRequest(query, wanted: count) }
    let ask = rules.ask(for: cursor.place, mostRows: evidence.counts.mostRowsEver)
    let request = PageRequest(
      query, at: Cursor(maker: cursor.maker, place: ask.place, thread: cursor.thread),
      wanted: ask.early.flatMap { count?.adding($0) }, lookingBack: ask.looksBack)
    return copy(of: request) { $0.mostRows = ask.mostRows }
  }

  mutating func end(_ verdict: Verdict) {
    let verdict = VerdictGate.checked(verdict, evidence)
    if case .partial(.missing) = verdict { aimAtGap() }
    if verdict == .bounded, case .partial(let shortfall) = evidence.list.standing { summary.notices.append(shortfall.sentence) }
    summary.verdict = verdict
    summary.isSure = isSure && !evidence.mayHaveSlippedAhead
    summary.total = wanted.picks == nil ? announced : (verdict == .complete ? summary.given : nil)
    summary.change = evidence.change
  }

  /// Takes back an end for which an error was the only reason.
  mutating func goOn(until deadline: Moment?) {
    if case .partial(.missing) = summary.verdict { fillGap() }
    (summary.verdict, wanted.bounds.deadline) = (nil, deadline)
  }

  var announced: Int? { evidence.total }

  /// True when the walk continued although it found no row that it knows. Then it cannot be complete.
  var isLost: Bool { evidence.list.isLost }

  var readsBeginningAgain: Bool { if case .beginning = rules { true } else { false } }

  /// True when the list is read once more from its first page, or its beginning is.
  var readsAgain: Bool { readsBeginningAgain || evidence.list.passes > 0 }

  /// True when no row can have slipped out. A list that comes in one page is always sure.
  private var isSure: Bool { evidence.isSure || summary.pages == 1 && !evidence.isFromCursor }

  var cursorOffset: Int? { if case .offset(let offset) = cursor?.place { offset } else { nil } }
}

// MARK: - Taking a page in

extension Ledger {
  /// The place of a page among the rows that came.
  struct Fit {
    /// The number of rows at its beginning that came before.
    var known = 0
    /// True when any of the other rows may have come before, because earlier pages are read again.
    var mayRepeat = false
    /// The place in the list that the rows lead to, if it is known.
    var end: Int?
    /// True for the first page, and for a page that begins with the expected row. Any other page may not be the one that was asked for.
    var isAtPlace = false
  }

  private enum Use {
    case take(Fit)
    /// It only settled a doubt, and another page is asked for.
    case leave
    /// It only shows that the walk has come to its end.
    case end
  }

  /// Takes in the page that `request` was answered with; nil if it is not taken, because another page is needed or the walk has ended.
  /// `met` are those of its ids that came before, as far as the ledger does not remember them. The arrival takes the records afterwards.
  mutating func admit(
    _ page: Page<Item>, _ rows: PageRows, met: Set<String>, for request: PageRequest, digest: (Item) -> UInt64
  ) -> Arrival? {
    var arrival = Arrival(page, fingerprint: rows.fingerprint)
    note(page, rows, request)
    let (wasRepeating, wasExpected) = (repeats.continues, repeats.areExpected)
    let fit: Fit
    switch use(of: page, rows, met, request) {
    case .take(let found): fit = found
    case .end: return arrival
    case .leave:
      cursor?.thread = page.thread
      return nil
    }
    summary.pages += 1
    evidence.place = fit.end
    failing.passed = nil
    if !failing.isFilling { evidence.list.noteRow(after: rows.marks.first, at: request.cursor?.place.rowsBefore) }
    let found = compare(page, rows, met, fit, digest)
    arrival.faults = found.faults.map { $0.fault }
    let news = found.news.records + found.news.broken
    let isNew = news > 0 || found.changed > 0
    noteLength(of: page, request, news: news)
    if isNew { headway.countNews(upTo: rules.looksBack ? fit.end : nil) }
    if wanted.picks == nil { summary.total = announced }
    summary.isSure = isSure
    repeats.continues = (wasRepeating || wasExpected) && !isNew
    let verdict = verdict(taking: page, rows, fit, isNew: isNew, isRepeating: wasRepeating)
    let cut = pick(from: page, found, into: &arrival)
    countBroken(found, rows, before: cut)
    if let cut {
      arrival.idsTaken = Array(rows.ids.prefix { $0 != cut.id })
      advance(to: cut, in: page, rows, request, at: fit.end)
      conclude(.bounded, page)
    } else {
      advance(after: page, rows, request, at: fit.end)
      conclude(verdict, page)
    }
    return arrival
  }

  private mutating func note(_ page: Page<Item>, _ rows: PageRows, _ request: PageRequest) {
    maker = page.maker.name
    if summary.origin == nil { summary.skipped += page.stored.unread }
    summary.origin = summary.origin ?? page.origin
    summary.searched = page.searched ?? summary.searched
    summary.edited.merge(page.stored.edited) { $1 }
    summary.mark = [summary.mark, page.mark].compactMap(\.self).max()
    summary.bookmark = page.bookmark ?? summary.bookmark
    (summary.counted, summary.unknown) = (page.stored.counted, page.stored.unknown)
    for notice in page.notices where !summary.notices.contains(notice) { summary.notices.append(notice) }
    if summary.pages == 0, page.maker.paging.size < .max {
      evidence.said.sizeAsked = evidence.isFromCursor ? page.maker.paging.size : request.size(in: page.maker.paging)
    }
    evidence.note(
      page, isFull: [request.size(in: page.maker.paging), page.maker.paging.size].contains(page.received),
      isAfterFirst: request.cursor.map { page.maker.paging.isCounted && $0.place != page.maker.paging.start } ?? false,
      isRepeated: fingerprints.contains(rows.fingerprint))
  }

  /// Notes the length of a counted page, as far as it shows rows that are left out.
  private mutating func noteLength(of page: Page<Item>, _ request: PageRequest, news: Int) {
    let (paging, asked) = (page.maker.paging, request.size(in: page.maker.paging))
    let rowsBefore: Int
    switch (paging.style, request.cursor?.place) {
    case (.offset, let place) where asked == paging.size: rowsBefore = place?.number ?? 0
    case (.number, nil) where paging.looksBack: rowsBefore = 0
    case (.number(let first), .number(let number, _?)): rowsBefore = number.adding(-first).times(asked)
    default: return
    }
    let isShort = page.received < asked
    guard let total = page.total else { return evidence.noteWithoutTotal(length: page.received, news: news, isShort: isShort) }
    if isShort || !paging.isNumbered, rowsBefore.adding(page.received) < total { evidence.noteWithTotal(length: page.received) }
  }

  /// Decides what to do with the page, as the rules judge it.
  private mutating func use(of page: Page<Item>, _ rows: PageRows, _ met: Set<String>, _ request: PageRequest) -> Use {
    let paging = page.maker.paging
    let end = paging.style == .offset ? (request.cursor?.place.number ?? 0).adding(page.received) : nil
    var fit = Fit(
      mayRepeat: isLost || repeats.areExpected || repeats.continues || readsBeginningAgain || failing.isFilling, end: end,
      isAtPlace: request.cursor == nil)
    (repeats, evidence.place) = ((false, false), end)
    let step = rules.take(coming(page, rows, met, request))
    switch step {
    case .take(let known): fit.known = known
    case .takeBlindly: goBlind()
    case .follow(let known, let end):
      fit = Fit(known: known, mayRepeat: evidence.list.furthest != nil || failing.isFilling, end: end, isAtPlace: true)
    case .move(let known, let end):
      // A walk that another run began does not know all rows that came before.
      fit = Fit(known: evidence.knowsAll(self.known) ? 0 : known, mayRepeat: true, end: end)
      evidence.list.hasMoved = true
      evidence.list.furthest = evidence.list.furthest ?? cursor?.rowContext.last
    case .askAgain, .stopSizing, .loseGround:
      follow(step)
      return .leave
    case .end, .loop:
      self.end(at: end, by: page, isLoop: step == .loop)
      return .end
    }
    if request.cursor == nil, paging.isNumbered {
      if let sizes = SizedPages(after: page) {
        (rules, fit.end) = (.numbered(NumberedRules(sizes)), page.received)
      } else {
        goBlind()
      }
    }
    return .take(fit)
  }

  private func coming(_ page: Page<Item>, _ rows: PageRows, _ met: Set<String>, _ request: PageRequest) -> ComingPage {
    ComingPage(
      rows: rows, request: request, cursor: cursor, isSaidLast: page.isLast, namesAnother: page.namesAnother,
      total: evidence.list.total.isWrong ? nil : page.total, isRepeated: fingerprints.contains(rows.fingerprint),
      evidence: evidence, known: known, met: met)
  }

  /// Ends a walk, or its present reading, at a page that has nothing after the present place, and leads to `place`.
  private mutating func end(at place: Int?, by page: Page<Item>, isLoop: Bool) {
    summary.pages += 1
    cursor?.thread = page.thread
    let isBeyond = rules.numbered != nil || place ?? 0 > announced ?? .max
    let before = page.received > 0 ? cursorOffset : cursorOffset.map { min($0, announced ?? $0) }
    evidence.place = isBeyond ? before : place
    if isLoop { end(verdict(.repetition)) } else { finish(.end) }
  }

  /// Puts the wanted records of the page into the arrival, up to the limit. Returns the first record beyond the limit, if there is one.
  private mutating func pick(from page: Page<Item>, _ found: KnownRows.Comparison, into arrival: inout Arrival) -> Item? {
    let old = found.old.subtracting(found.restored)
    arrival.old = old
    arrival.isPicked = wanted.picks != nil || wanted.bounds.limit != nil || !found.repeated.isEmpty
    var cut: Item?
    if arrival.isPicked {
      var items = page.items.leavingOut(old.union(found.repeated))
      if let picks = wanted.picks { items = items.filter(picks) }
      let room = wanted.bounds.limit.map { $0 - summary.given } ?? .max
      cut = items.dropFirst(room).first
      arrival.given = cut == nil ? items : Array(items.prefix(room))
    }
    if !page.misfits.isEmpty {
      // Of a walk that looks for one record, only that record counts.
      let read =
        wanted.bounds.limit == 1 && wanted.picks != nil ? arrival.given : page.items.leavingOut(found.old.union(found.repeated))
      for item in read { if let misfits = page.misfits[item.id] { summary.misfits.add(misfits, of: item) } }
    }
    summary.given += arrival.isPicked ? arrival.given.count : page.items.count - found.old.count - found.repeated.count
    return cut
  }

  /// Compares the page with the rows that are known, and counts what it found.
  private mutating func compare(
    _ page: Page<Item>, _ rows: PageRows, _ met: Set<String>, _ fit: Fit, _ digest: (Item) -> UInt64
  ) -> KnownRows.Comparison {
    let found = known.add(page, rows, met: met, expecting: fit.known, mayRepeat: fit.mayRepeat, digest: digest)
    evidence.list.sharedKeys += found.sharedKeys
    summary.duplicates += found.repeated.count
    evidence.count(
      records: found.news.records, broken: found.news.broken, repeated: found.repeated.count + found.renewed,
      upTo: fit.isAtPlace ? fit.end : nil)
    return found
  }

  /// Counts the broken rows before the record where the limit cut the page. Those after it come again in a later walk, which counts them.
  private mutating func countBroken(_ found: KnownRows.Comparison, _ rows: PageRows, before cut: Item?) {
    let end = cut.flatMap { rows.row(ofID: $0.id) } ?? rows.count
    let digests = found.broken.filter { $0 < end }.map { rows.marks[$0] }
    evidence.list.broken += digests.prefix(max(0, ListFacts.mostBroken - evidence.list.broken.count))
    summary.skipped += found.faults.count { $0.row < end }
  }
}

extension Page {
  /// True when the service says that no page follows, and for the only page of a list that comes whole.
  var isLast: Bool { next == .end || more == false || maker.paging.style == .whole }

  /// True when the service says that another page follows.
  var namesAnother: Bool { if case .token = next { true } else { more == true } }
}
