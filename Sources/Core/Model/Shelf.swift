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
    // Broken rows count as the last ones.
    let isLast = end == found.count && place.number <= found.count
    return Page(
      of: source, Array(found[start..<end]), faults: isLast ? faults : [], total: found.count + faults.count, origin: origin)
  }

  private func found(_ query: Query) -> [Item] {
    switch query {
    case .everything: return items
    case .matching(let text):
      let matcher = Matcher<Item>(text)
      let ranked = items.map { ($0, rank: matcher.rank($0)) }
      // Those that a person most likely means come first; within a rank the order stays.
      return (0...2).flatMap { rank in ranked.filter { $0.rank == rank }.map(\.0) }
    case .record(let id): return items.first { $0.answers(to: id) }.map { [$0] } ?? []
    }
  }
}
