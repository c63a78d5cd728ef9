/// Records in memory that are paged, searched and looked up by the rules of live pages.
public struct RecordList<Item: SourceItem>: Sendable {
  private let items: [Item]
  private let faults: [RowFault]

  /// The records in the order in which pages return them; `faults` are the rows that could not be read.
  public init(_ items: [Item], faults: [RowFault] = []) {
    self.items = items
    // They count as the last rows, whatever their indices were.
    self.faults = faults.map { RowFault($0.reason, digest: $0.digest) }
  }

  /// Returns the page of `source` that `request` asks for.
  public func page(
    of source: some DataSource<Item>, _ request: PageRequest, origin: Origin
  ) throws -> Page<Item> { try page(by: source.profile, source.schema, request, origin: origin) }

  /// Returns the page for a source with that profile, whose records `schema` describes.
  func page(by maker: Profile, _ schema: Schema<Item>, _ request: PageRequest, origin: Origin) throws -> Page<Item> {
    let place = try request.place(in: maker)
    let found = self.found(request.query, of: maker.name, schema)
    // A repeated id counts as one record, as everywhere.
    let distinct = Set(found.map(\.id)).count
    let count = found.count + faults.count
    let start = max(0, min(offset(of: place, in: maker.paging, among: found, count: count), count))
    let end = place.size < count - start ? start + place.size : count
    let isToken = maker.paging.style == .token
    var page = Page(
      by: maker, Array(found.dropFirst(start).prefix(end - start)),
      faults: Array(faults.prefix(end - min(end, found.count)).dropFirst(start - min(start, found.count))),
      total: distinct + faults.count, next: isToken ? .token(ifAny: end < count ? "\(end)" : nil) : .advance, origin: origin)
    if maker.paging.style == .keyset { page.more = end < count }
    if request.query != .everything { page.searched = items.count }
    if request.wantsNearest, found.isEmpty, let text = request.query.text {
      page.nearest = TitleGuesser(text, in: schema, among: items).nearest
    }
    return page
  }

  private func offset(of place: PagePlace, in paging: Paging, among found: [Item], count: Int) -> Int {
    switch paging.style {
    case .whole, .offset: place.number
    case .keyset: place.key.map { key in (found.firstIndex { $0.id == key } ?? found.count) + 1 } ?? 0
    case .number(let first):
      // A place may be any number; the pages before it cannot hold more than the whole list.
      place.number > first
        ? min(place.number.subtractingReportingOverflow(first).partialValue, count) * min(place.size, count) : 0
    case .token: place.token.flatMap { Int($0) } ?? 0
    }
  }

  private func found(_ query: Query, of source: String, _ schema: Schema<Item>) -> [Item] {
    switch query {
    case .everything, .changed, .latest: return items
    case .matching(let text):
      return Matcher(text, in: schema).ranked(items)
    case .record(let name):
      let answering = items.filter { schema.answers($0, to: name) }
      return Namesakes.choose(among: answering, called: name, by: schema, of: String(source.prefix { $0 != "." })).map { [$0] }
        ?? []
    }
  }
}

/// Chooses among several records with the same name.
package enum Namesakes {
  /// Returns the record whose id is the name, otherwise the best known. Tells the person if others have the name.
  package static func choose<Item>(among items: [Item], called name: String, by schema: Schema<Item>, of source: String)
    -> Item?
  {
    let identity = schema.identity(name)
    guard let first = items.first else { return nil }
    if items.count == 1 { return first }
    if let own = items.first(where: { $0.id == identity }) { return own }
    let best = Matcher(name, in: schema).ranked(items).first ?? first
    tell(items.count, called: name, shown: best.id, of: source)
    return best
  }

  /// Tells the person that several records have the name.
  package static func tell(_ count: Int, called name: String, shown id: String, of source: String) {
    Event.emit(.noticed(source: source, "\(count) are called \"\(name)\"; showing the best known, \(id)"))
  }
}
