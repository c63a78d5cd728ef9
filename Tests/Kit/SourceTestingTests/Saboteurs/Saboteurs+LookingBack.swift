import AggregatorCore
import Ports
import SourceTesting

extension Saboteurs {
  /// Saboteurs that lose rows of a list that changes, or of a service that does not begin a page at every place.
  static var ofChangingLists: [Saboteur] {
    [
      gathering, pretending, giddy, insistent,
      Saboteur("ends at an empty page", breaks: .hazards([.emptyPageBetween], .nothingLost), spoiling: PortsFixtures.tokens) { page, _, _ in
        if page.received == 0 { page.next = .end }
      },
      Saboteur("ignores that there is more", breaks: .hazards([.moreWithheld, .badRows], .verdict), spoiling: PortsFixtures.keyset) {
        page, _, _ in
        page.more = nil
      },
      Saboteur(
        "takes rows that it cannot read for none", breaks: .hazards([.brokenFirstPage], .emptyIsNotFailed), spoiling: PortsFixtures.offset
      ) {
        page, source, _ in
        if page.items.isEmpty, page.received > 0 { page = Page(of: source, [], total: 0) }
      },
    ]
  }

  /// Counts rows by itself from page to page, and never looks back.
  private static var gathering: Saboteur {
    Saboteur(
      "gathers pages and does not look back", breaks: .hazards([.rowDeleted, .rowDeletedAtBoundary, .rowReplaced], .nothingLost),
      in: PortsFixtures.offset, paging: .whole
    ) { source, request in
      _ = try request.place(in: source)
      var (ports, faults, offset): ([Port], [RowFault], Int) = ([], [], 0)
      var misfits: [String: [Misfit]] = [:]
      while true {
        let page = try await source.ports(from: offset)
        guard page.received > 0 else { return copy(of: Page(of: source, ports, faults: faults)) { $0.misfits = misfits } }
        let known = Set(ports.map(\.id))
        if !page.items.isEmpty, page.items.allSatisfy({ known.contains($0.id) }) { throw SourceError(.malformed, "the pages repeat") }
        ports += page.items
        faults += page.faults
        misfits.merge(page.misfits) { $1 }
        offset += page.received
      }
    }
  }

  /// Asks for the rows after the last one, and adds that row in front from memory.
  private static var pretending: Saboteur {
    struct Known: Sendable {
      var last: Port?
      var total = 0
    }
    let memory = Memory(Known())
    return Saboteur(
      "pretends to look back",
      // Its pages are longer than the first one, so they prove less in a list that moves.
      breaks: .hazards(
        [.rowDeleted, .rowDeletedAtBoundary, .rowReplaced, .totalFallsOverRuns], .nothingLost, doubting: [.rowDeletedPastBoundary]),
      in: PortsFixtures.offset
    ) { source, request in
      let place = try request.place(in: source)
      let number = place.number
      let known = memory.value
      var found = try await source.ports(from: request.looksBack && known.last != nil ? number + 1 : number, limit: place.size)
      if request.looksBack, let last = known.last {
        if found.total ?? 0 > known.total {
          // If more rows were inserted than deleted, it asks as requested.
          found = try await source.ports(from: number, limit: place.size)
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

  /// Takes an unknown row in the place of the last one for the end.
  private static var giddy: Saboteur {
    struct Known: Sendable {
      var ports: [Port] = []
      var total: Int?
    }
    let memory = Memory(Known())
    return Saboteur(
      "takes a stranger for the end", breaks: .hazards([.rowReplaced, .rowsReordered], .nothingLost), spoiling: PortsFixtures.offset
    ) { page, source, request in
      let number = try request.place(in: source).number
      let known = number == 0 ? Known() : memory.value
      let beginsBroken = page.faults.first?.row == 0
      let isStrange = page.items.first.map { first in !beginsBroken && !known.ports.contains { $0.id == first.id } } ?? false
      if request.looksBack, isStrange, page.total == known.total, let last = known.ports.last {
        page = Page(of: source, [last], total: number + 1, next: .end)
      } else {
        memory.value = Known(ports: known.ports + page.items, total: page.total)
      }
    }
  }

  /// Always continues one row early.
  private static var insistent: Saboteur {
    let first = Memory("")
    return Saboteur(
      "insists on looking back", breaks: .hazards([.roundedOffset, .refusedOffset, .clampedToOne, .rowInserted], .nothingLost),
      spoiling: PortsFixtures.offset
    ) { page, source, request in
      let id = page.items.first?.id
      if try request.place(in: source).number == 0 {
        first.value = id ?? ""
      } else if !request.looksBack, let id, id != first.value {
        throw SourceError(.malformed, "the page does not overlap")
      }
    }
  }
}
