extension Ledger {
  /// Asks until a page is taken, and gives what it brought; nil once the walk has ended. `seen` knows the ids that the ledger does not
  /// remember.
  mutating func nextArrival(
    _ query: Query, from source: any DataSource<Item>, seen: (any Seen)? = nil, isLate: () -> Bool
  ) async throws -> Arrival? {
    while summary.verdict == nil {
      try Task.checkCancellation()
      if isLate() { throw Deadline.isLate }
      let request = request(query, in: source.profile)
      let page: Page<Item>
      do {
        page = try await source.page(request)
      } catch let error as SourceError where asksInstead(of: request, refused: error) {
        Event.emit(.lookBackRefused(source: source.profile.name, error))
        continue
      }
      let rows = PageRows(page)
      let arrival: Arrival
      if let seen, !rows.ids.isEmpty {
        arrival = try await admit(page, rows, met: seen.met(rows.ids), for: request)
        if arrival.isTaken { seen.note(rows.ids) }
      } else {
        arrival = admit(page, rows, for: request)
      }
      arrival.faults.tell(source: page.maker.name)
      Event.emit(
        .pageRead(
          source: page.maker.name, rows: arrival.isTaken ? arrival.items.count + arrival.faults.count : 0, total: page.total,
          origin: page.origin.kind))
      if arrival.isTaken { return arrival }
    }
    return nil
  }
}

extension [RowFault] {
  /// Reports the rows to listeners: the first ones in full, the others as a count.
  func tell(source: String) {
    var untold = 0
    for fault in self {
      if fault.reason == nil { untold += 1 } else { Event.emit(.rowSkipped(source: source, fault)) }
    }
    if untold > 0 { Event.emit(.rowsSkipped(source: source, untold)) }
  }
}
