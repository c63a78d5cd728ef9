/// One recount while it runs: it asks, compares and counts.
struct AuditRun<Item: SourceItem> {
  var audit = Audit()
  private let source: any DataSource<Item>
  private let stored: StoredIDs<Item>
  private let dice: any Dice
  private let most: Int
  /// The ids that came, as far as the recount has them.
  private var seen: Set<String> = []
  /// The number of rows that came more than once.
  private var repeated = 0
  /// The number of rows whose values are others than those that are stored.
  private var changed = 0
  private var hasTotalMoved = false
  /// The reason why a row that came could not be compared; nil without such a row. A stored record that did not come may be that row.
  private var flaw: String?
  /// The places after pages that had fewer rows than were asked for, although nothing showed that the list ends there.
  private var gaps: [Int] = []
  /// The number of places without rows, and of pages with some.
  private var (emptyPlaces, filledPages) = (0, 0)
  /// The stored records that the service does not have, and those among them that were not looked up.
  private var (gone, unconfirmed): ([String], [String]) = ([], [])
  /// The error that ended the recount, or the last one.
  private var error: SourceError?
  private var isOver = false

  init(_ source: any DataSource<Item>, _ stored: StoredIDs<Item>, by dice: any Dice, most: Int) {
    (self.source, self.stored, self.dice, self.most) = (source, stored, dice, most)
  }

  /// True when pages that the service called unchanged have to be asked for in full.
  var doubtsUnchangedPages: Bool { stored.unchangedPages > 0 && (audit.findsFaults || changed > 0) }

  /// Says what the service had said of pages that the comparison does not bear out.
  mutating func doubtUnchangedPages() {
    guard doubtsUnchangedPages else { return }
    let other = changed > 0 ? "\(changed) of the rows \(changed == 1 ? "has" : "have") other values now, and " : ""
    audit.doubts.append(
      other
        + "the service had said of \(stored.unchangedPages) \(stored.unchangedPages == 1 ? "page" : "pages") that nothing has "
        + "changed; the next sync asks for every page in full")
  }

  private var paging: Paging { source.profile.paging }
  private var looksUp: Bool { source.profile.lookup == .native }
  var requestsLeft: Int { isOver ? 0 : max(0, most - audit.requests) }

  // MARK: - The ways to compare

  /// Reads the one page of a list.
  mutating func readWhole() async throws {
    audit.method = .whole
    guard let page = try await page(at: nil, size: nil) else { throw failure }
    try await compare(page.items, isDrawn: false)
    endReading(isSound: true)
    try await compareAll()
  }

  /// Notes that the list was read to its end, in a way that lets no row slip if `isSound`. It is not whole if the service announces more rows
  /// than came, or if some of them could not be compared.
  private mutating func endReading(isSound: Bool) {
    audit.isWhole = isSound && flaw == nil && audit.rows >= audit.total ?? 0
    if let flaw {
      audit.doubts.append(flaw)
    } else if !audit.isWhole, let total = audit.total, audit.rows < total {
      audit.doubts.append("the service announces \(total) rows and gives \(audit.rows)")
    }
  }

  /// Reads the list from its beginning, in pages of another size.
  mutating func walk() async throws {
    audit.method = .walk
    let size = paging.size == .max ? nil : max(1, paging.size - paging.size / 3)
    var cursor: Cursor?
    var places: Set<Place> = []
    var isRead = false
    while requestsLeft > 0 {
      guard let page = try await page(at: cursor, size: size) else { break }
      let known = seen.count
      try await compare(page.items, isDrawn: false)
      let place: Place? =
        switch (page.next, paging.style) {
        case (.token(let text), .keyset): .key(text)
        case (.token(let text), _): .token(text)
        case (.advance, .keyset): page.items.last.map { .key($0.id) }
        case (.advance, _), (.end, _): nil
        }
      // A page without rows is not the end if it names another page.
      guard let place, page.more != false else {
        isRead = audit.failed == 0
        break
      }
      guard page.items.isEmpty || seen.count > known, places.insert(place).inserted else {
        audit.doubts.append(Shortfall.loop.sentence)
        break
      }
      cursor = Cursor(maker: source.profile.name, place: place)
    }
    guard audit.rows > 0 else { throw failure }
    if isRead {
      endReading(isSound: true)
      try await compareAll()
    } else {
      audit.doubts.append("only the beginning of the list was read, so nothing is known of the rest")
    }
  }

  /// Reads the lists below random parents, each a place. Returns false if the source has no parents that can be drawn.
  mutating func drawParents() async throws -> Bool {
    guard let source = source.listOfLists else { return false }
    var read: Set<String> = []
    while requestsLeft > 0 {
      audit.requests += 1
      do {
        guard let list = try await source.listBelowRandomParent(by: dice) else { return audit.places > 0 }
        var walk = Walk(list, bounds: Bounds(pages: requestsLeft, deadline: Deadline.current))
        var items: [Item] = []
        while let page = try await walk.nextPage() { items += page }
        audit.requests += walk.summary.pages
        if case .partial(.failed(let error)) = walk.summary.verdict { throw error }
        guard walk.summary.verdict != .bounded else { break }
        // A parent that is drawn twice is one place.
        guard items.isEmpty || read.insert(items[0].id).inserted else { continue }
        audit.places += 1
        try await compare(items, isDrawn: true)
      } catch let error as SourceError {
        try note(error)
      }
    }
    guard audit.places > 0 else { throw failure }
    return true
  }

  /// Reads pages at random places, and looks up random stored records if the service can.
  mutating func drawPlaces() async throws {
    // One request is for the end of the list, where rows may follow that no place has.
    let spare = most >= 4 ? 1 : 0
    let places = looksUp ? max(1, most.adding(paging.size) / paging.size.adding(1), most / 5) : most
    var pages = DrawnPages(rows: max(stored.total ?? 0, stored.count), size: paging.size)
    try await draw(min(places, most - spare), &pages)
    let isEndSeen = spare == 0 ? audit.total != nil : try await readOn(after: pages)
    if gaps.count == 1, paging.style == .offset, requestsLeft > 0 {
      let rest = try await page(
        at: Cursor(maker: source.profile.name, place: .offset(gaps[0])), size: pages.size, isAfterEnd: true)
      if rest?.received ?? 0 == 0 { gaps = [] }
    }
    guard audit.rows > 0 || audit.places > 0 else { throw failure }
    if audit.rows > 0, repeated * 2 > audit.rows, audit.places > 2 {
      audit.doubts.append("the service gives the same rows at different places, so places say nothing about the rest")
      audit.sample = Audit.Sample()
    }
    let isSound = audit.failed == 0 && repeated == 0 && flaw == nil && gaps.isEmpty && !hasTotalMoved
    let isRead = pages.areAllDrawn && isEndSeen
    if isRead { endReading(isSound: isSound) }
    if !isRead || !isSound, emptyPlaces > 0 {
      audit.doubts.append("\(emptyPlaces) of \(audit.places) places had no row, so the list may be shorter than what is stored")
    }
    if audit.isWhole {
      try await compareAll()
    } else if looksUp, requestsLeft > 0 {
      try await lookUp(requestsLeft)
    }
  }

  /// Reads what follows the last place: one page, or all of them if every place was drawn. Returns true if nothing more follows.
  private mutating func readOn(after pages: DrawnPages) async throws -> Bool {
    var number = pages.count
    while requestsLeft > 0 {
      let (rows, repeats, failures) = (audit.rows, repeated, audit.failed)
      let page = try await page(at: cursor(of: number, pages.size), size: pages.size, isAfterEnd: true)
      if let page { try await compare(page.items, isDrawn: false) }
      // A service may give its last or first page again for every place after the end.
      repeated = repeats
      guard audit.rows > rows else {
        // A page that comes again may stand before rows that the service never gave, unless a total that fits shows the end.
        let isTotalFitting = audit.total.map { $0 >= audit.rows } ?? false
        guard page?.received ?? 0 == 0 || isTotalFitting && page?.namesAnother != true else {
          audit.doubts.append(Shortfall.loop.sentence)
          return false
        }
        return audit.failed == failures && !isOver
      }
      audit.sample = Audit.Sample()
      number += 1
      if !pages.areAllDrawn { break }
    }
    if number > pages.count {
      audit.doubts.append("the list is longer than what is announced or stored, and was not compared to its end")
    }
    return false
  }

  private mutating func draw(_ count: Int, _ pages: inout DrawnPages) async throws {
    var drawn = 0
    while drawn < count, requestsLeft > 0, let number = pages.draw(by: dice) {
      drawn += 1
      guard let page = try await page(at: cursor(of: number, pages.size), size: pages.size) else { continue }
      audit.places += 1
      if page.received == 0 { emptyPlaces += 1 }
      let isTotalReached = page.total.map { number.times(pages.size).adding(page.received) >= $0 } ?? false
      let isEnd = page.isLast || isTotalReached && !page.namesAnother
      if page.received > 0, page.received < pages.size, !isEnd { gaps.append(number.times(pages.size).adding(page.received)) }
      // The first answer may show that the list is longer, or that its pages are shorter. Then its place was drawn among others than the
      // rest, and is compared but not counted as drawn.
      let isFitting = audit.places > 1 || pages.fits(page.total, page.received, at: number)
      try await compare(page.items, isDrawn: isFitting)
      if !isFitting {
        // The list is divided anew, and this page is drawn again with the others.
        gaps = []
        pages.resize(to: page.total, page.received, at: number)
      }
    }
  }

  private func cursor(of number: Int, _ size: Int) -> Cursor? {
    guard number > 0 else { return nil }
    let place: Place =
      if case .number(let first) = paging.style { .number(first.adding(number)) } else { .offset(number.times(size)) }
    return Cursor(maker: source.profile.name, place: place)
  }

  /// Looks up random stored records.
  private mutating func lookUp(_ count: Int) async throws {
    // One look-up of a record that was just seen shows that the service finds records by their ids.
    let control = seen.min()
    let isControlled = control != nil && count > 1
    var (absent, strange, listed): ([String], Int, Int) = ([], 0, 0)
    for id in try await stored.random(isControlled ? count - 1 : count, by: dice) where requestsLeft > 0 {
      switch try await find(id) {
      case .there: audit.ids += 1
      case .absent:
        // The service has what it lists.
        if seen.contains(id) {
          (audit.ids, listed) = (audit.ids + 1, listed + 1)
        } else if try await !stored.isImported(id) {
          audit.ids += 1
          absent.append(id)
        }
      case .other: strange += 1
      case .failed: break
      }
    }
    if strange > 0 {
      audit.doubts.append("\(strange) \(strange == 1 ? "look-up was" : "look-ups were") answered with another record")
    }
    if listed > 0 { audit.doubts.append("the service lists \(listed) of the records that it does not find by their IDs") }
    guard !absent.isEmpty else { return }
    var finds = absent.count + listed < audit.ids
    if !finds, let control, requestsLeft > 0 { finds = try await find(control) == .there }
    guard finds else {
      audit.doubts.append("the service finds no record by its ID, so look-ups say nothing")
      audit.ids = 0
      return
    }
    tell(gone: absent)
  }

  private enum LookUp { case there, absent, other, failed }

  private mutating func find(_ id: String) async throws -> LookUp {
    audit.requests += 1
    do {
      let page = try await source.page(PageRequest(.record(id)))
      guard let item = page.items.first else { return page.faults.isEmpty ? .absent : .there }
      return item.id == id || source.schema.answers(item, to: id) ? .there : .other
    } catch let error as SourceError where error.kind == .notFound {
      return .absent
    } catch let error as SourceError {
      try note(error)
      return .failed
    }
  }

  // MARK: - Asking and comparing

  private static var mostExamples: Int { 5 }

  /// Returns a page; nil if the request failed. A service may refuse a place after the end of its list.
  private mutating func page(at cursor: Cursor?, size: Int?, isAfterEnd: Bool = false) async throws -> Page<Item>? {
    audit.requests += 1
    do {
      let page = try await source.page(PageRequest(at: cursor, wanted: size))
      if !page.faults.isEmpty { flaw = "the service gives rows that cannot be read" }
      if page.received > 0 { filledPages += 1 }
      if let total = page.total, !isAfterEnd {
        if let before = audit.total, before != total { hasTotalMoved = true }
        audit.total = total
      }
      return page
    } catch let error as SourceError {
      if isAfterEnd, [.notFound, .noSuchAddress, .badRequest].contains(error.kind) { return nil }
      try note(error)
      return nil
    }
  }

  /// Notes an error. One that would meet every further request ends the recount.
  private mutating func note(_ error: SourceError) throws {
    if error.kind == .planned { throw error }
    self.error = error
    if error.kind == .requestsSpent {
      audit.requests -= 1
      isOver = true
      return
    }
    audit.failed += 1
    let isLasting = [.budgetSpent, .throttled, .unreachable, .refusedKey, .missingKey, .settings].contains(error.kind)
    isOver =
      isLasting || error.kind == .timedOut && Deadline.current != nil || audit.failed >= 5 && audit.places + audit.ids == 0
    let text = "\(audit.failed) \(audit.failed == 1 ? "request" : "requests") failed, the last one so: \(error.message)"
    audit.doubts.removeAll { $0.contains(" failed, the last one so: ") }
    audit.doubts.append(text)
  }

  private var failure: SourceError { error ?? SourceError(.malformed, "the service gave no row to compare") }

  /// Compares the rows at a place with what is stored. `isDrawn` says that the place was drawn at random.
  private mutating func compare(_ rows: [Item], isDrawn: Bool) async throws {
    var missing = 0
    var items: [String: Item] = [:]
    for item in rows {
      let (isNew, known) = seen.insert(item.id)
      if isNew {
        items[item.id] = item
      } else if known.utf8.elementsEqual(item.id.utf8) {
        repeated += 1
      } else {
        flaw = "the service gives rows whose IDs differ only in how Unicode spells them"
      }
    }
    audit.rows += items.count
    let (absent, changed) = try await stored.compared(with: items)
    self.changed += changed
    for id in absent {
      let made = items[id].flatMap { source.schema.timeOfMaking(of: $0) }
      audit.tellsNew = audit.tellsNew || made != nil
      if let made, let began = stored.syncBegan, made >= began {
        audit.newSince += 1
        continue
      }
      missing += 1
      if audit.missingIDs.count < Self.mostExamples { audit.missingIDs.append(id) }
    }
    audit.missing += missing
    let isLost = !items.isEmpty && missing == items.count
    if isLost { audit.lostPlaces += 1 }
    guard isDrawn else { return }
    audit.sample.rows += items.count
    audit.sample.missing += missing
    audit.sample.places += 1
    if isLost { audit.sample.lost += 1 }
  }

  /// Compares all stored records with the whole list. What the list lacks is looked up, as far as the requests go.
  private mutating func compareAll() async throws {
    guard audit.isWhole else { return }
    var (imported, found) = (0, 0)
    for id in try await stored.all() where !seen.contains(id) {
      if try await stored.isImported(id) {
        imported += 1
      } else if !looksUp || requestsLeft == 0 {
        unconfirmed.append(id)
      } else if try await find(id) == .there {
        found += 1
      } else {
        gone.append(id)
      }
    }
    gone += unconfirmed
    if found > 0 { audit.doubts.append("the service finds \(found) of the records by ID that it does not list") }
    audit.ids = stored.count - imported
    tell(gone: gone)
  }

  private mutating func tell(gone: [String]) {
    (audit.ghosts, audit.ghostIDs) = (gone.count, Array(gone.prefix(Self.mostExamples)))
  }

  /// True when records count as gone because none of several pages had them. A row that moved between two pages is on neither of them.
  var mayHaveMissedRows: Bool { !unconfirmed.isEmpty && filledPages > 1 }

  /// Compares the records that no page had with another reading of the list.
  mutating func confirmGone(by other: AuditRun) {
    audit.requests += other.audit.requests
    if other.audit.isWhole {
      gone.removeAll(where: other.seen.contains)
    } else {
      let count = "\(unconfirmed.count) stored \(unconfirmed.count == 1 ? "record" : "records")"
      audit.doubts.append("\(count) did not come, and may have moved from page to page while the list was read")
      (gone, audit.isWhole, audit.ids) = ([], false, 0)
    }
    tell(gone: gone)
  }
}
