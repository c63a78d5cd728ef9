extension Page {
  /// A page of a service's rows, each read by `read`; one that cannot be read is skipped and counted, never the page.
  public init(
    of source: some DataSource<Item>, rows: some Sequence<JSON>, total: Int? = nil, next: Continuation = .advance,
    origin: Origin = .live, reading read: (JSON) throws -> Item = { try Item($0) }
  ) throws {
    var items: [Item] = []
    items.reserveCapacity(rows.underestimatedCount)
    var faults: [RowFault] = []
    for row in rows {
      do {
        let item = try read(row)
        guard !item.id.isEmpty else { throw SourceError(.malformed, "\(row.path): a record without an id") }
        items.append(item)
      } catch let error as SourceError where error.kind == .malformed {
        faults.append(RowFault(error.message, digest: row.digest()))
      }
    }
    self.init(of: source, items, faults: faults, total: total, next: next, origin: origin)
  }
}
