extension Page {
  /// A page of a service's rows, read as the records' fields say or by `read`; one that cannot be read is skipped and counted, never the
  /// page.
  public init(
    of source: some DataSource<Item>, rows: some Sequence<JSON>, total: Int? = nil, next: Continuation = .advance,
    origin: Origin = .live, reading read: ((JSON) throws -> Item)? = nil
  ) throws {
    let schema = source.schema
    let read = read ?? { try schema.read($0, as: .service) }
    var items: [Item] = []
    // A service's claim of millions is no reason to reserve memory.
    items.reserveCapacity(min(1_000, rows.underestimatedCount))
    var faults: [RowFault] = []
    var last: (index: Int, row: JSON)?
    for (index, row) in rows.enumerated() {
      last = (index, row)
      if index & 1023 == 1023 { try Deadline.check() }
      do {
        let item = try read(row)
        guard !item.id.isEmpty else { throw SourceError(.malformed, "\(row.path): record without an ID") }
        items.append(item)
      } catch let error as SourceError where error.kind == .malformed {
        faults.append(RowFault(faults.count < RowFault.told ? error.message : nil, digest: Fingerprint.of(row.raw), row: index))
      }
    }
    var next = next
    // The next page begins behind the last row, which has an id even where the rest of it cannot be read.
    if source.profile.paging.style == .keyset, next == .advance, let last, last.index == faults.last?.row,
      let id = schema.id(of: last.row)
    {
      next = .token(id)
    }
    self.init(of: source, items, faults: faults, total: total.flatMap { $0 < 0 ? nil : $0 }, next: next, origin: origin)
  }
}

extension RowFault {
  /// How many broken rows of a page are told in full.
  static var told: Int { 20 }
}

extension Page {
  /// Throws `malformed` where it is the first page, and has rows of which none could be read, unless others were searched that could.
  func checkIsUnderstood(_ request: PageRequest) throws(SourceError) {
    guard request.cursor == nil, items.isEmpty, searched ?? 0 == 0, let first = faults.first else { return }
    let rows = faults.count == 1 ? "the only row" : "any of the \(faults.count) rows"
    throw SourceError(.malformed, "cannot read \(rows)\(first.reason.map { ": \($0)" } ?? "")")
  }

  /// Where the page behind this one begins, which began at `place`; nil where nothing says that there is one.
  func next(behind place: Place?) -> Place? {
    let number = (place ?? maker.paging.start).number
    return switch (maker.paging.style, next) {
    case (.whole, _), (_, .end), (.token, .advance): nil
    case (.keyset, .token(let key)): .key(key)
    case (_, .token(let token)): .token(token)
    // How far an empty page reached that is not the last is unknown: at most as far as was asked for.
    case (.offset, .advance): .offset(number.adding(received == 0 ? maker.paging.size : received))
    case (.number, .advance): .number(number.adding(1))
    case (.keyset, .advance): items.last.map { .key($0.id) }
    }
  }

  enum Row {
    case item(Item)
    case fault(RowFault)
  }

  /// Gives the rows in the order in which they came; a broken row whose place is unknown comes last.
  func forEachRow(_ body: (Row) throws -> Void) rethrows {
    let order = faults.contains { $0.row != nil } ? faults.sorted { ($0.row ?? .max) < ($1.row ?? .max) } : faults
    var (item, fault) = (items.startIndex, order.startIndex)
    while item < items.endIndex || fault < order.endIndex {
      let isFault = fault < order.endIndex && (item == items.endIndex || (order[fault].row ?? .max) <= item + fault)
      if isFault {
        try body(.fault(order[fault]))
        fault += 1
      } else {
        try body(.item(items[item]))
        item += 1
      }
    }
  }

  static func digest(of id: String) -> UInt64 {
    var hash = Fingerprint()
    hash.combine(id)
    return hash.value
  }
}
