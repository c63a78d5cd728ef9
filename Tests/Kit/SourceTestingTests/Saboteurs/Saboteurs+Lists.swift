import AggregatorCore
import Ports
import SourceTesting
import Synchronization

extension Saboteurs {
  /// Saboteurs that fail when a list changes or does not do as asked.
  static var ofLists: [Saboteur] {
    [
      Saboteur(
        "counts pages where the service counts rows", breaks: .hazards([.clampedPageSize, .clampedToOne], .nothingLost),
        in: PortsFixtures.offset, paging: .numbered(size: 4, end: .total)
      ) { source, request in
        let place = try request.place(in: source)
        return try await source.ports(from: (place.number - 1) * place.size, limit: place.size)
      },
      Saboteur(
        "follows tokens for ever", breaks: .hazards([.cyclingCursor, .ignoredOffset, .onePage], .pagesEnd), in: PortsFixtures.tokens,
        paging: .whole
      ) { source, request in
        _ = try request.place(in: source)
        var (ports, faults, token): ([Port], [RowFault], String?) = ([], [], nil)
        var misfits: [String: [Misfit]] = [:]
        repeat {
          var get = source.client.request(.get, "ports", ["limit": "4"])
          if let token { get.query.append(.init("cursor", .plain(token))) }
          let body = try await source.document(get)
          let page = try Page(of: source, rows: body.array("ports"))
          (ports, faults, token) = (ports + page.items, faults + page.faults, try body.stringIfPresent("cursor"))
          misfits.merge(page.misfits) { $1 }
        } while token != nil
        return copy(of: Page(of: source, ports, faults: faults)) { $0.misfits = misfits }
      },
      Saboteur(
        "gives up after a while and calls it whole",
        breaks: .hazards([.ignoredOffset, .onePage, .rowDeleted, .rowDeletedAtBoundary, .rowReplaced], .nothingLost),
        in: PortsFixtures.offset,
        paging: .whole
      ) { source, request in
        _ = try request.place(in: source)
        var (ports, faults, offset): ([Port], [RowFault], Int) = ([], [], 0)
        var misfits: [String: [Misfit]] = [:]
        for _ in 0..<12 {
          let page = try await source.ports(from: offset)
          ports += page.items.filter { item in !ports.contains { $0.id == item.id } }
          misfits.merge(page.misfits) { $1 }
          faults += page.faults
          offset += page.received
          if page.received == 0 { break }
        }
        return copy(of: Page(of: source, ports, faults: faults)) { $0.misfits = misfits }
      },
      shy, forgetting,
      Saboteur("takes an early empty page for an error", breaks: .hazards([.totalTooHigh], .verdict), spoiling: PortsFixtures.offset) {
        page, source, request in
        let place = try request.place(in: source)
        if page.received == 0, let total = page.total, place.number < total { throw SourceError(.malformed, "a page is empty") }
      },
      Saboteur(
        "ends where the total says", breaks: .hazards([.totalTooLow, .duplicateIds, .totalOfPage, .onePage], .nothingLost),
        spoiling: PortsFixtures.offset
      ) {
        page, source, request in
        let place = try request.place(in: source)
        if let total = page.total, place.number + page.received >= total { page.next = .end }
      },
      shrinking,
      Saboteur(
        "takes a page with as many rows as the total for the list", breaks: .hazards([.totalOfPage, .onePage], .nothingLost),
        spoiling: PortsFixtures.offset
      ) {
        page, _, _ in
        if page.received == page.total { page.next = .end }
      },
      numbering, trusting, refusing,
      Saboteur("refuses a page that repeats itself", breaks: .hazards([.duplicateIds], .nothingLost), spoiling: PortsFixtures.offset) {
        page, _, _ in
        if Set(page.items.map(\.id)).count < page.items.count { throw SourceError(.malformed, "an id came twice") }
      },
      Saboteur("refuses a page for one bad row", breaks: .hazards([.badRows, .brokenTwice], .nothingLost), spoiling: PortsFixtures.offset) {
        page, _, _ in
        if let fault = page.faults.first { throw SourceError(.malformed, fault.reason ?? "a row cannot be read") }
      },
    ]
  }

  /// Keeps the token for the next page in memory, where the next run cannot find it.
  private static var forgetting: Saboteur {
    Saboteur("keeps its place to itself", breaks: .hazards([.totalFallsOverRuns], .nothingLost), in: PortsFixtures.tokens) {
      source, request in
      let place = try request.place(in: source)
      var get = source.client.request(.get, "ports", ["limit": "\(place.size)"])
      if place.token != nil, !source.memory.value.isEmpty { get.query.append(.init("cursor", .plain(source.memory.value))) }
      let body = try await source.document(get)
      let token = try body.stringIfPresent("cursor")
      source.memory.value = token ?? ""
      let number = place.token.flatMap { Int($0) } ?? 0
      return try Page(
        of: source, rows: body.array("ports"), total: body.int("total"), next: .token(ifAny: token.map { _ in "\(number + 1)" }))
    }
  }

  /// Takes a page that begins with known rows for the end.
  private static var shy: Saboteur {
    let memory = Memory("")
    return Saboteur("takes an overlap for the end", breaks: .hazards([.rowInserted], .nothingLost), spoiling: PortsFixtures.numbered) {
      page, source, request in
      if request.cursor == nil { memory.value = "" }
      let isOverlap = page.items.first.map { $0.id == memory.value } ?? false
      memory.value = page.items.last?.id ?? ""
      if isOverlap { page = Page(of: source, [], next: .end) }
    }
  }

  /// Tells broken rows apart by their places.
  private static var numbering: Saboteur {
    Saboteur("takes a broken row that comes twice for two", breaks: .hazards([.brokenTwice], .verdict), spoiling: PortsFixtures.offset) {
      page, source, request in
      let place = try request.place(in: source).number
      page.faults = page.faults.map { RowFault($0.reason, digest: UInt64(place + ($0.row ?? 0)), row: $0.row) }
    }
  }

  /// Takes a page that is shorter than the first one for the last.
  private static var trusting: Saboteur {
    let memory = Memory(0)
    return Saboteur("ends at a shorter page", breaks: .hazards([.pageSizeFalls], .nothingLost), spoiling: PortsFixtures.offset) {
      page, _, request in
      if request.cursor == nil { memory.value = page.received }
      if page.received < memory.value, request.wanted == nil { page.next = .end }
    }
  }

  /// Refuses a page whose rows all came before, at a place after all of them.
  private static var refusing: Saboteur {
    let memory = Memory(Set<String>())
    return Saboteur(
      "refuses a page that came before", breaks: .hazards([.firstPageAfterEnd, .lastPageAfterEnd, .ignoredOffset], .verdict),
      spoiling: PortsFixtures.posted
    ) { page, source, request in
      if request.cursor == nil { memory.value = [] }
      let ids = page.items.map(\.id)
      let isAfter = try request.place(in: source).number >= memory.value.count
      if request.cursor != nil, isAfter, !request.looksBack, !ids.isEmpty, memory.value.isSuperset(of: ids) {
        throw SourceError(.malformed, "the page came before")
      }
      memory.value.formUnion(ids)
    }
  }

  /// Fails when the list has become shorter.
  private static var shrinking: Saboteur {
    let memory = Memory("")
    return Saboteur(
      "fails when the list becomes shorter",
      breaks: .hazards([.rowDeleted, .rowDeletedAtBoundary, .rowDeletedPastBoundary, .totalFallsOverRuns], .nothingLost),
      spoiling: PortsFixtures.offset
    ) { page, _, request in
      let total = page.total ?? 0
      if request.cursor != nil, total != page.received, total < Int(memory.value) ?? 0 {
        throw SourceError(.malformed, "the total has changed")
      }
      memory.value = "\(total)"
    }
  }
}

extension Saboteurs {
  /// Saboteurs that mislead a sync, which believes what they say of the list.
  static var ofSyncs: [Saboteur] { [hopeful, hiding] }

  /// Once it has seen a date, even one far ahead, it asks for nothing before it.
  private static var hopeful: Saboteur {
    let last = Mutex<Moment?>(nil)
    return Saboteur(
      "asks for what changed after the last date it saw", breaks: .hazards([.dateAhead], .nothingLost), in: PortsFixtures.changing
    ) { source, request in
      var request = request
      if case .changed(let mark) = request.query {
        request = PageRequest(.changed(since: last.withLock { max($0 ?? mark, mark) }), at: request.cursor, wanted: request.wanted)
      }
      let page = try await PortsFixtures.changing.page(source, request)
      last.withLock { $0 = [$0, page.mark].compactMap { $0 }.max() }
      return page
    }
  }

  /// It takes an empty list for a mistake of the service, and does not tell so.
  private static var hiding: Saboteur {
    let known = Mutex<[Int: Page<Port>]>([:])
    return Saboteur("gives its last answer for an empty one", breaks: .hazards([.emptyOnce], .nothingLost), in: PortsFixtures.offset) {
      source, request in
      let page = try await PortsFixtures.offset.page(source, request)
      let place = try request.place(in: source).number
      guard page.total == 0, page.received == 0 else {
        known.withLock { $0[place] = page }
        return page
      }
      return known.withLock { $0[place] } ?? page
    }
  }
}
