import AggregatorCore

extension Saboteurs {
  /// Those that are led astray by a list that does not keep still or does not do as asked.
  static var weatherbeaten: [Saboteur] {
    [
      Saboteur(
        "counts pages where the service counts rows", breaks: .weather([.clampedPageSize, .clampedToOne], .nothingLost),
        in: PortsFixtures.offset, paging: .numbered(size: 4, end: .total)
      ) { quay, request in
        let place = try request.place(in: quay)
        let body = try await quay.client.json("ports", ["offset": "\((place.number - 1) * place.size)", "limit": "\(place.size)"])
        return try Page(of: quay, rows: body.array("ports"), total: body.int("total"))
      },
      Saboteur(
        "follows tokens for ever", breaks: .weather([.cyclingCursor, .ignoredOffset], .pagesEnd), in: PortsFixtures.tokens, paging: .whole
      ) { quay, request in
        _ = try request.place(in: quay)
        var (ports, faults, token): ([Port], [RowFault], String?) = ([], [], nil)
        repeat {
          var get = quay.client.request(.get, "ports", ["limit": "4"])
          if let token { get.query.append(.init("cursor", .plain(token))) }
          let body = try await quay.document(get)
          let page = try Page(of: quay, rows: body.array("ports"))
          (ports, faults, token) = (ports + page.items, faults + page.faults, try body.stringIfPresent("cursor"))
        } while token != nil
        return Page(of: quay, ports, faults: faults)
      },
      Saboteur(
        "gives up after a while and calls it whole",
        breaks: .weather([.ignoredOffset, .rowDeleted, .rowDeletedAtBoundary, .rowReplaced], .nothingLost), in: PortsFixtures.offset,
        paging: .whole
      ) { quay, request in
        _ = try request.place(in: quay)
        var (ports, faults, offset): ([Port], [RowFault], Int) = ([], [], 0)
        for _ in 0..<12 {
          let body = try await quay.client.json("ports", ["offset": "\(offset)", "limit": "4"])
          let page = try Page(of: quay, rows: body.array("ports"))
          ports += page.items.filter { item in !ports.contains { $0.id == item.id } }
          faults += page.faults
          offset += page.received
          if page.received == 0 { break }
        }
        return Page(of: quay, ports, faults: faults)
      },
      shy, forgetting,
      Saboteur("takes an early empty page for an error", breaks: .weather([.totalTooHigh], .verdict), in: PortsFixtures.offset) {
        quay, request in
        let page = try await PortsFixtures.offset.page(quay, request)
        let place = try request.place(in: quay)
        if page.received == 0, let total = page.total, place.number < total { throw SourceError(.malformed, "a page is empty") }
        return page
      },
      Saboteur("ends where the total says", breaks: .weather([.totalTooLow, .duplicateIds], .nothingLost), in: PortsFixtures.offset) {
        quay, request in
        var page = try await PortsFixtures.offset.page(quay, request)
        let place = try request.place(in: quay)
        if let total = page.total, place.number + page.received >= total { page.next = .end }
        return page
      },
      shrinking,
      Saboteur("refuses a page that repeats itself", breaks: .weather([.duplicateIds], .nothingLost), in: PortsFixtures.offset) {
        quay, request in
        let page = try await PortsFixtures.offset.page(quay, request)
        if Set(page.items.map(\.id)).count < page.items.count { throw SourceError(.malformed, "an id came twice") }
        return page
      },
      Saboteur("refuses a page for one bad row", breaks: .weather([.badRows], .nothingLost), in: PortsFixtures.offset) { quay, request in
        let page = try await PortsFixtures.offset.page(quay, request)
        if let fault = page.faults.first { throw SourceError(.malformed, fault.reason ?? "a row cannot be read") }
        return page
      },
    ]
  }

  /// Keeps the token for the next page to itself, where the next run cannot find it.
  private static var forgetting: Saboteur {
    Saboteur("keeps its place to itself", breaks: .weather([.totalFallsOverRuns], .nothingLost), in: PortsFixtures.tokens) {
      quay, request in
      let place = try request.place(in: quay)
      var get = quay.client.request(.get, "ports", ["limit": "\(place.size)"])
      if place.token != nil, !quay.memory.text.isEmpty { get.query.append(.init("cursor", .plain(quay.memory.text))) }
      let body = try await quay.document(get)
      let token = try body.stringIfPresent("cursor")
      quay.memory.note(token ?? "")
      let number = place.token.flatMap { Int($0) } ?? 0
      return try Page(
        of: quay, rows: body.array("ports"), total: body.int("total"), next: .token(ifAny: token.map { _ in "\(number + 1)" }))
    }
  }

  /// Takes a page that begins with what it has seen for the end.
  private static var shy: Saboteur {
    let memory = Memory()
    return Saboteur("takes an overlap for the end", breaks: .weather([.rowInserted], .nothingLost), in: PortsFixtures.numbered) {
      quay, request in
      let page = try await PortsFixtures.numbered.page(quay, request)
      if request.cursor == nil { memory.note("") }
      let isOverlap = page.items.first.map { $0.id == memory.text } ?? false
      memory.note(page.items.last?.id ?? "")
      return isOverlap ? Page(of: quay, [], next: .end) : page
    }
  }

  /// Fails when the list has become shorter.
  private static var shrinking: Saboteur {
    let memory = Memory()
    return Saboteur(
      "fails when the list becomes shorter",
      breaks: .weather([.rowDeleted, .rowDeletedAtBoundary, .rowDeletedBehind, .totalFallsOverRuns], .nothingLost),
      in: PortsFixtures.offset
    ) { quay, request in
      let page = try await PortsFixtures.offset.page(quay, request)
      let total = page.total ?? 0
      if request.cursor != nil, total < Int(memory.text) ?? 0 { throw SourceError(.malformed, "the total has changed") }
      memory.note("\(total)")
      return page
    }
  }
}
