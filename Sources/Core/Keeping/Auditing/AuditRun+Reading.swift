// A recount that reads the list from its beginning, or the lists below parents.
extension AuditRun {
  mutating func readWhole() async throws {
    audit.method = .whole
    guard let page = try await page(at: nil, size: nil) else { throw failure }
    try await compare(page.items, isDrawn: false)
    endReading(isSound: true)
    try await compareAll()
  }

  /// Notes that the list was read to its end, in a way that lets no row slip if `isSound`. It is not whole if the service announces more rows
  /// than came, or if some of them could not be compared.
  mutating func endReading(isSound: Bool) {
    audit.isWhole = isSound && came.flaw == nil && audit.rows >= audit.total ?? 0
    if let flaw = came.flaw {
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
      let known = came.ids.count
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
        // The size that is asked for may be the service's bound for the whole list.
        if paging.style == .token, page.more != false, audit.rows == size {
          came.flaw = came.flaw ?? "the list ends at just the \(plural(audit.rows, "row")) that were asked for"
        }
        break
      }
      guard page.items.isEmpty || came.ids.count > known, places.insert(place).inserted else {
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
        guard let list = try await source.listBelowRandomParent(by: dice, within: requestsLeft) else { return audit.places > 0 }
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
}
