extension Page {
  /// A page of a service's rows, which are the records' own fields; one that cannot be read is skipped and counted, never the page.
  public init(
    of source: some DataSource<Item>, rows: some Sequence<JSON>, total: Int? = nil, next: Continuation = .advance,
    origin: Origin = .live
  ) throws {
    try self.init(of: source, rows: rows, total: total, next: next, origin: origin, reading: source.schema.read)
  }

  /// The same of rows that `read` makes records of.
  public init(
    of source: some DataSource<Item>, rows: some Sequence<JSON>, total: Int? = nil, next: Continuation = .advance,
    origin: Origin = .live, reading read: (JSON) throws -> Item
  ) throws {
    var items: [Item] = []
    // Whoever says that there are millions has not proved it.
    items.reserveCapacity(min(1_000, rows.underestimatedCount))
    var faults: [RowFault] = []
    for (index, row) in rows.enumerated() {
      if index & 1023 == 1023 { try Deadline.check() }
      do {
        let item = try read(row)
        guard !item.id.isEmpty else { throw SourceError(.malformed, "\(row.path): a record without an id") }
        items.append(item)
      } catch let error as SourceError where error.kind == .malformed {
        faults.append(RowFault(faults.count < RowFault.told ? error.message : nil, digest: row.digest(), row: index))
      }
    }
    self.init(of: source, items, faults: faults, total: total.flatMap { $0 < 0 ? nil : $0 }, next: next, origin: origin)
  }
}

extension RowFault {
  /// How many broken rows of a page are told in full.
  static var told: Int { 20 }
}
