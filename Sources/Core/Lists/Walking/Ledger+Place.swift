extension Ledger {
  mutating func advance(after page: Page<Item>, _ rows: PageRows, _ request: PageRequest, at end: Int?) {
    var next = page.next(after: request.cursor?.place)
    if rules.numbered != nil, let end, page.next == .advance { next = .offset(end) }
    if page.maker.paging.style == .keyset { rules = .keyset(KeysetRules(after: page, rows)) }
    goOn(at: next, in: page, rows, upTo: rows.count)
  }

  /// Continues at the record where the limit cut the page, so that a later walk misses none.
  mutating func advance(to cut: Item, in page: Page<Item>, _ rows: PageRows, _ request: PageRequest, at end: Int?) {
    guard let item = page.items.firstIndex(where: { $0.id == cut.id }) else { return }
    let row = rows.row(ofItem: item)
    switch page.maker.paging.style {
    case .offset: goOn(at: .offset((request.cursor?.place.number ?? 0).adding(row)), in: page, rows, upTo: row)
    case .number where rules.numbered != nil && row > 0:
      goOn(at: end.map { .offset($0 - (rows.count - row)) }, in: page, rows, upTo: row)
    case .keyset where item > 0 && page.next == .advance: goOn(at: .key(page.items[item - 1].id), in: page, rows, upTo: row)
    // No place leads into the middle of such a page, so all of it comes again.
    case .keyset, .whole, .number, .token: break
    }
  }

  /// Continues at a place after the first `count` rows of the page; nil means that nothing follows.
  mutating func goOn(at place: Place?, in page: Page<Item>, _ rows: PageRows, upTo count: Int) {
    guard let place else { return cursor = nil }
    let marks = rows.marks.prefix(count)
    var rowContext = RowContext(evidence.list.withoutRows)
    switch place {
    case .offset where page.maker.paging.looksBack:
      rowContext = RowContext(evidence.list, last: marks.last ?? cursor?.rowContext.last)
      (rowContext.isProven, rowContext.sizes) = (rules.isProven, rules.numbered?.sizes)
      if rules.numbered != nil, evidence.list.furthest == nil {
        rowContext.others = marks.dropLast().suffix(Self.mostOthers)
      }
      if !evidence.list.isBlind {
        rowContext.pages = RowContext.Pages(
          firstRow: known.recent.first, last: count == rows.count ? rows.fingerprint : nil,
          mostRows: evidence.counts.mostRowsEver)
        if case .plain = rules { rules = .offset(OffsetRules()) }
      }
    case .offset, .number: break
    case .token, .key:
      // A token may lead anywhere, whatever the source says about its pages.
      if evidence.countsRows { goBlind() }
    }
    if failing.isFilling { (rowContext.isFilling, rowContext.endedAt) = (true, failing.endedAt) }
    cursor = Cursor(maker: page.maker.name, place: place, rowContext: beginningContext ?? rowContext, thread: page.thread)
  }

  /// Does what the rules want in place of taking a page.
  mutating func follow(_ step: WalkRules.Step) {
    switch step {
    case .stopSizing: stopSizing()
    case .loseGround: loseGround()
    default: break
    }
  }

  /// Continues without a row that is known: the rest is still worth having.
  mutating func loseGround() {
    (evidence.list.isLost, evidence.list.hasMoved) = (true, true)
    goBlind()
  }

  /// Continues with full pages, since the service ignores sizes. If everything has come already, the walk ends.
  private mutating func stopSizing() {
    let awaitsProof = rules.numbered?.proof.isAwaited ?? false
    evidence.place = cursorOffset
    goBlind()
    guard awaitsProof else { return }
    evidence.said.more = nil
    finish(.end)
  }

  /// From now on asks for pages at their own place, without looking back; for a numbered list that is the full page that has the place.
  mutating func goBlind() {
    evidence.list.isBlind = true
    guard rules.looksBack else { return }
    let numbered = rules.numbered
    rules = .plain
    guard let numbered, let cursor else { return }
    // Rows that moved to before this page are missed, whatever the total says from now on.
    if evidence.list.hasMoved || numbered.foundNoKnownRow { evidence.list.total.hasMoved = true }
    repeats.areExpected = true
    let page = numbered.sizes.page(at: cursorOffset ?? 0, size: evidence.counts.mostRows)
    // A later run knows neither the first rows of that page nor which of them are broken, so it counts them twice.
    let countsTwice = page.begin != cursorOffset
    if countsTwice, evidence.isFromCursor { evidence.list.total.isUnsure = true }
    let list = copy(of: evidence.list.withoutRows) { $0.total.isUnsure = $0.total.isUnsure || countsTwice }
    self.cursor = Cursor(
      maker: cursor.maker, place: .number(page.number),
      rowContext: copy(of: RowContext(list)) { $0.comesAgain = countsTwice }, thread: cursor.thread)
  }

  /// The number of rows that a cursor has beside the last one: if that one is gone, the next walk finds its ground at another.
  private static var mostOthers: Int { 15 }
}

extension SizedPages {
  /// Makes the choice of pages after a first page; nil if its source does not give pages of any size, or gives too few rows at once.
  init?(after page: Page<some SourceItem>) {
    let paging = page.maker.paging
    guard paging.looksBack, case .number(let first) = paging.style, Paging.leastSize...paging.size ~= page.received else {
      return nil
    }
    self.init(first: first, usual: page.received)
    if page.received == paging.size { note(heard: page.received) }
  }
}
