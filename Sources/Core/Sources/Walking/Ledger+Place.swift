extension Ledger {
  mutating func advance(after page: Page<Item>, _ rows: PageRows, _ request: PageRequest, at place: Int?) {
    let paging = page.maker.paging
    var next = page.next(after: request.cursor?.place)
    if sizes != nil, let place, page.next == .advance { next = .offset(place) }
    let isAfterRecord = paging.style == .keyset && page.next != .end && !page.items.isEmpty
    tail = isAfterRecord ? Array(rows.marks.dropFirst(rows.row(ofItem: page.items.count - 1) + 1)) : []
    goOn(at: next, in: page, after: rows.marks[...])
  }

  /// Continues at the record where the limit cut the page, so that a later walk misses none.
  mutating func advance(to cut: Item, in page: Page<Item>, _ rows: PageRows, _ request: PageRequest, at place: Int?) {
    guard let item = page.items.firstIndex(where: { $0.id == cut.id }) else { return }
    let row = rows.row(ofItem: item)
    switch page.maker.paging.style {
    case .offset: goOn(at: .offset((request.cursor?.place.number ?? 0).adding(row)), in: page, after: rows.marks[..<row])
    case .number where sizes != nil && row > 0:
      goOn(at: place.map { .offset($0 - (rows.count - row)) }, in: page, after: rows.marks[..<row])
    case .keyset where item > 0 && page.next == .advance: goOn(at: .key(page.items[item - 1].id), in: page, after: [])
    // No place leads into the middle of such a page, so all of it comes again.
    case .keyset, .whole, .number, .token: break
    }
  }

  /// Continues at a place after these rows of the page; nil means that nothing follows.
  mutating func goOn(at place: Place?, in page: Page<Item>, after rows: ArraySlice<UInt64>) {
    guard let place else { return cursor = nil }
    let list = evidence.list
    var rowContext = RowContext()
    switch place {
    case .offset where page.maker.paging.looksBack:
      rowContext = list
      rowContext.last = rows.last ?? cursor?.rowContext.last
      rowContext.isProven = lookBack?.isProven ?? false
      rowContext.sizes = sizes
      if sizes != nil, list.furthest == nil { rowContext.others = rows.dropLast().suffix(Self.mostOthers) }
      if lookBack == nil, !list.isBlind, !readsBeginningAgain { lookBack = LookBack() }
    case .offset, .number: rowContext = list.withoutRows
    case .token, .key:
      // A token may lead anywhere, whatever the source says about its pages.
      if evidence.countsRows { goBlind() }
      rowContext = evidence.list.withoutRows
    }
    cursor = Cursor(maker: page.maker.name, place: place, rowContext: rowContext, thread: page.thread)
  }

  /// The number of rows that a cursor has beside the last one: if that one is gone, the next walk finds its ground at another.
  private static var mostOthers: Int { 15 }
}

extension RowContext {
  /// The knowledge that a walk hands on if it does not look back.
  var withoutRows: RowContext {
    copy(of: RowContext()) {
      ($0.total, $0.hasTotalMoved, $0.isTotalWrong) = (total, hasTotalMoved, isTotalWrong)
      ($0.passes, $0.broken, $0.sharedKeys) = (passes, broken, sharedKeys)
    }
  }
}

extension SizedPages {
  /// Makes the choice of pages after a first page; nil if its source does not give pages of any size, or gives too few rows at once.
  init?(after page: Page<some SourceItem>) {
    let paging = page.maker.paging
    guard paging.looksBack, case .number(let first) = paging.style, Paging.leastSize...paging.size ~= page.received else {
      return nil
    }
    self.init(first: first, largest: page.received)
    if page.received == paging.size { note(heard: page.received) }
  }
}
