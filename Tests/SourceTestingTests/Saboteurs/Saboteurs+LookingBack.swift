import AggregatorCore
import Ports
import SourceTesting

extension Saboteurs {
  /// Those that lose rows of a list that changes, or of a service that does not begin a page wherever one asks.
  static var ofChangingLists: [Saboteur] {
    [
      gathering, pretending, giddy, insistent,
      Saboteur("ends at an empty page", breaks: .hazards([.emptyPageBetween], .nothingLost), in: PortsFixtures.tokens) { source, request in
        var page = try await PortsFixtures.tokens.page(source, request)
        if page.received == 0 { page.next = .end }
        return page
      },
      Saboteur("ignores that there is more", breaks: .hazards([.moreWithheld, .badRows], .verdict), in: PortsFixtures.keyset) {
        source, request in
        var page = try await PortsFixtures.keyset.page(source, request)
        page.more = nil
        return page
      },
      Saboteur("takes rows that it cannot read for none", breaks: .hazards([.brokenFirstPage], .emptyIsNotFailed), in: PortsFixtures.offset)
      {
        source, request in
        let page = try await PortsFixtures.offset.page(source, request)
        return page.items.isEmpty && page.received > 0 ? Page(of: source, [], total: 0) : page
      },
    ]
  }

  /// Counts rows by itself from page to page, and looks back at none.
  private static var gathering: Saboteur {
    Saboteur(
      "gathers pages and does not look back", breaks: .hazards([.rowDeleted, .rowDeletedAtBoundary, .rowReplaced], .nothingLost),
      in: PortsFixtures.offset, paging: .whole
    ) { source, request in
      _ = try request.place(in: source)
      var (ports, faults, offset): ([Port], [RowFault], Int) = ([], [], 0)
      while true {
        let body = try await source.client.json("ports", ["offset": "\(offset)", "limit": "4"])
        let page = try Page(of: source, rows: body.array("ports"))
        guard page.received > 0 else { return Page(of: source, ports, faults: faults) }
        let known = Set(ports.map(\.id))
        if !page.items.isEmpty, page.items.allSatisfy({ known.contains($0.id) }) { throw SourceError(.malformed, "the pages repeat") }
        ports += page.items
        faults += page.faults
        offset += page.received
      }
    }
  }

  /// Asks for what lies behind the last row, and puts that row in front from memory.
  private static var pretending: Saboteur {
    struct Known: Sendable {
      var last: Port?
      var total = 0
    }
    let memory = Memory(Known())
    return Saboteur(
      "pretends to look back",
      breaks: .hazards([.rowDeleted, .rowDeletedAtBoundary, .rowReplaced, .totalFallsOverRuns], .nothingLost), in: PortsFixtures.offset
    ) { source, request in
      let place = try request.place(in: source)
      func page(_ number: Int) async throws -> Page<Port> {
        let body = try await source.client.json("ports", ["offset": "\(number)", "limit": "\(place.size)"])
        return try Page(of: source, rows: body.array("ports"), total: body.int("total"))
      }
      let number = place.number
      let known = memory.value
      var found = try await page(request.looksBack && known.last != nil ? number + 1 : number)
      if request.looksBack, let last = known.last {
        if found.total ?? 0 > known.total {
          // Where more were put in than taken out, it does as it is asked.
          found = try await page(number)
        } else {
          let faults = found.faults.map { RowFault($0.reason, digest: $0.digest, row: $0.row.map { $0 + 1 }) }
          found = Page(of: source, [last] + found.items, faults: faults, total: found.total)
        }
      }
      let endsBroken = found.faults.last?.row == found.received - 1
      memory.value = Known(last: endsBroken ? nil : found.items.last, total: found.total ?? 0)
      return found
    }
  }

  /// Takes a row that it has never seen, where the last one should be, for the end.
  private static var giddy: Saboteur {
    struct Known: Sendable {
      var ports: [Port] = []
      var total: Int?
    }
    let memory = Memory(Known())
    return Saboteur(
      "takes a stranger for the end", breaks: .hazards([.rowReplaced, .rowsReordered], .nothingLost), in: PortsFixtures.offset
    ) {
      source, request in
      let page = try await PortsFixtures.offset.page(source, request)
      let number = try request.place(in: source).number
      let known = number == 0 ? Known() : memory.value
      let beginsBroken = page.faults.first?.row == 0
      let isStrange = page.items.first.map { first in !beginsBroken && !known.ports.contains { $0.id == first.id } } ?? false
      if request.looksBack, isStrange, page.total == known.total, let last = known.ports.last {
        return Page(of: source, [last], total: number + 1, next: .end)
      }
      memory.value = Known(ports: known.ports + page.items, total: page.total)
      return page
    }
  }

  /// Goes on nowhere but one row early.
  private static var insistent: Saboteur {
    let first = Memory("")
    return Saboteur(
      "insists on looking back", breaks: .hazards([.roundedOffset, .refusedOffset, .clampedToOne, .rowInserted], .nothingLost),
      in: PortsFixtures.offset
    ) { source, request in
      let page = try await PortsFixtures.offset.page(source, request)
      guard try request.place(in: source).number > 0 else {
        first.value = page.items.first?.id ?? ""
        return page
      }
      if !request.looksBack, let id = page.items.first?.id, id != first.value {
        throw SourceError(.malformed, "the page does not overlap")
      }
      return page
    }
  }
}
