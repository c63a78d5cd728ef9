/// Records in memory that are paged, searched and looked up by the rules of live pages.
public struct RecordList<Item: SourceItem>: Sendable {
  private enum Content {
    case records([Item])
    case rows([JSON], Schema<Item>)
  }

  private let content: Content
  private let faults: [RowFault]
  private var misfits: [String: [Misfit]] = [:]

  /// The records in the order in which pages return them; `faults` are the rows that could not be read.
  public init(_ items: [Item], faults: [RowFault] = []) {
    content = .records(items)
    // They count as the last rows, whatever their indices were.
    self.faults = faults.map { RowFault($0.reason, digest: $0.digest) }
  }

  /// The records of a page that has the whole list, with what is known of its rows.
  public init(_ page: Page<Item>) {
    self.init(page.items, faults: page.faults)
    misfits = page.misfits
  }

  /// The records in rows as a store keeps them: the values of their own fields, and of those that only a search looks at. A search makes
  /// only the records that it finds, so rows that lack such values would not be found. A source's tests and `source verify` compare both.
  public init(rows: some Sequence<JSON>, of schema: Schema<Item>) { (content, faults) = (.rows(Array(rows), schema), []) }

  private var length: Int {
    switch content {
    case .records(let items): items.count
    case .rows(let rows, _): rows.count
    }
  }

  /// All records. Throws if a row cannot be read.
  package var items: [Item] {
    get throws {
      switch content {
      case .records(let items): items
      case .rows(let rows, let schema): try rows.map { try schema.read($0) }
      }
    }
  }

  /// Returns the page of `source` that `request` asks for.
  public func page(
    of source: some DataSource<Item>, _ request: PageRequest, origin: Origin
  ) throws -> Page<Item> { try page(by: source.profile, source.schema, request, origin: origin) }

  /// Returns the page for a source with that profile, whose records `schema` describes.
  func page(by maker: Profile, _ schema: Schema<Item>, _ request: PageRequest, origin: Origin) throws -> Page<Item> {
    let place = try request.place(in: maker)
    let found = try self.found(request.query, of: maker.name, schema)
    // A repeated id counts as one record, as everywhere.
    let distinct = Set(found.map(\.id)).count
    let count = found.count + faults.count
    let start = max(0, min(offset(of: place, in: maker.paging, among: found, count: count), count))
    let end = place.size < count - start ? start + place.size : count
    let isToken = maker.paging.style == .token
    // An array of a slice would look up the type of the slice at every start.
    var page = Page(
      by: maker, (min(start, found.count)..<min(end, found.count)).map { found[$0] },
      faults: Array(faults.prefix(end - min(end, found.count)).dropFirst(start - min(start, found.count))),
      total: distinct + faults.count, next: isToken ? .token(ifAny: end < count ? "\(end)" : nil) : .advance, origin: origin)
    page.misfits = misfits
    if maker.paging.style == .keyset { page.more = end < count }
    if request.query != .everything { page.searched = length }
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

  private func found(_ query: Query, of source: String, _ schema: Schema<Item>) throws -> [Item] {
    switch query {
    case .everything, .changed, .following, .latest: return try items
    case .matching(let text):
      let matcher = Matcher(text, in: schema)
      switch content {
      case .records(let items): return matcher.ranked(items)
      case .rows(let rows, _): return try matcher.ranked(rows, idAt: schema.idPath).map { try schema.read($0) }
      }
    case .record(let name):
      let answering = try items.filter { schema.answers($0, to: name) }
      return Namesakes.choose(among: answering, called: name, by: schema, of: String(source.prefix { $0 != "." })).map { [$0] }
        ?? []
    }
  }
}

extension RecordList: ExpressibleByArrayLiteral {
  public init(arrayLiteral items: Item...) { self.init(items) }

  /// Throws if a search of the rows would not see what it sees of the records.
  package func checkRows() throws {
    guard case .rows(let rows, let schema) = content else { return }
    let matcher = Matcher("", in: schema)
    for (index, row) in rows.enumerated() {
      guard let name = try matcher.difference(between: schema.read(row), and: row, idAt: schema.idPath) else { continue }
      throw SourceError(
        .malformed, "[\(index)]: a search reads another \(name) in the row than in the record",
        remedy: "write the row as a store keeps it, with the fields that only a search looks at")
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

  package static func tell(_ count: Int, called name: String, shown id: String, of source: String) {
    Event.emit(.noticed(source: source, "\(count) are called \"\(name)\"; showing the best known, \(id)"))
  }
}
