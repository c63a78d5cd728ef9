/// Records that are all at hand: paged, searched and looked up here, by the rules that hold for live pages.
public struct Shelf<Item: Record>: Sendable {
  private let items: [Item]
  private let faults: [RowFault]

  public init(_ items: [Item], faults: [RowFault] = []) {
    self.items = items
    self.faults = faults
  }

  /// The page of `source` that `request` asks for.
  public func page(
    of source: some DataSource<Item>, _ request: PageRequest, origin: Origin
  ) throws -> Page<Item> {
    let place = try request.place(in: source)
    let found = self.found(request.query)
    let start = min(place.number, found.count)
    let end = place.size < found.count - start ? start + place.size : found.count
    // A repeated id is one record, as for everyone who counts what was received.
    let distinct = Set(found.map(\.id)).count
    // Broken rows count as the last ones.
    let isLast = end == found.count && place.number <= found.count
    return Page(
      of: source, Array(found[start..<end]), faults: isLast ? faults : [], total: distinct + faults.count, origin: origin)
  }

  private func found(_ query: Query) -> [Item] {
    switch query {
    case .everything: return items
    case .matching(let text):
      let matcher = Matcher<Item>(text)
      return items.filter { matcher.matches($0) }
    case .record(let id): return items.first { $0.answers(to: id) }.map { [$0] } ?? []
    }
  }
}
