// A recount of pages at random places.
extension AuditRun {
  /// Reads pages at random places, and looks up random stored records if the service can.
  mutating func drawPlaces() async throws {
    // One request is for the end of the list, where rows may follow that no place has.
    let spare = most >= 4 ? 1 : 0
    let places = looksUp ? max(1, most.adding(paging.size) / paging.size.adding(1), most / 5) : most
    var pages = DrawnPages(rows: max(stored.sync?.total ?? 0, stored.count), size: paging.size)
    try await draw(min(places, most - spare), &pages)
    let isEmpty = try await isEmpty(pages)
    let isEndSeen = if isEmpty { true } else { spare == 0 ? audit.total != nil : try await readOn(after: pages) }
    if list.gaps.count == 1, paging.style == .offset, requestsLeft > 0 {
      let rest = try await page(
        at: Cursor(maker: source.profile.name, place: .offset(list.gaps[0])), size: pages.size, isAfterEnd: true)
      if rest?.received ?? 0 == 0 { list.gaps = [] }
    }
    guard audit.rows > 0 || audit.places > 0 else { throw failure }
    if audit.rows > 0, came.repeated * 2 > audit.rows, audit.places > 2 {
      audit.doubts.append("the service gives the same rows at different places, so places say nothing about the rest")
      audit.sample = Audit.Sample()
    }
    let isSound = audit.failed == 0 && came.repeated == 0 && came.flaw == nil && list.gaps.isEmpty && !list.hasTotalMoved
    let isRead = (isEmpty || pages.areAllDrawn) && isEndSeen
    if isRead { endReading(isSound: isSound) }
    if !isRead || !isSound, list.emptyPlaces > 0 {
      audit.doubts.append(
        "\(list.emptyPlaces) of \(audit.places) places had no row, so the list may be shorter than what is stored")
    }
    if audit.isWhole {
      try await compareAll()
    } else if looksUp, requestsLeft > 0 {
      try await lookUp(requestsLeft)
    }
  }

  /// True when no place had a row, and the first one has none either: then the list has none.
  private mutating func isEmpty(_ pages: DrawnPages) async throws -> Bool {
    guard list.emptyPlaces > 0, audit.rows == 0, audit.failed == 0, came.flaw == nil, requestsLeft > 0 else { return false }
    return try await page(at: nil, size: pages.size)?.received == 0
  }

  /// Reads what follows the last place: one page, or all of them if every place was drawn. Returns true if nothing more follows.
  private mutating func readOn(after pages: DrawnPages) async throws -> Bool {
    var number = pages.count
    while requestsLeft > 0 {
      let (rows, repeats, failures) = (audit.rows, came.repeated, audit.failed)
      let page = try await page(at: cursor(of: number, pages.size), size: pages.size, isAfterEnd: true)
      if let page { try await compare(page.items, isDrawn: false) }
      // A service may give its last or first page again for every place after the end.
      came.repeated = repeats
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
      if page.received == 0 { list.emptyPlaces += 1 }
      let isTotalReached = page.total.map { number.times(pages.size).adding(page.received) >= $0 } ?? false
      let isEnd = page.isLast || isTotalReached && !page.namesAnother
      if page.received > 0, page.received < pages.size, !isEnd {
        list.gaps.append(number.times(pages.size).adding(page.received))
      }
      // The first answer may show that the list is longer, or that its pages are shorter. Then its place was drawn among others than the
      // rest, and is compared but not counted as drawn.
      let isFitting = audit.places > 1 || pages.fits(page.total, page.received, at: number)
      try await compare(page.items, isDrawn: isFitting)
      if !isFitting {
        // The list is divided anew, and this page is drawn again with the others.
        list.gaps = []
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
}
