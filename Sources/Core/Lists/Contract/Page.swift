/// Some records, and everything that their source said with them.
public struct Page<Item: SourceItem>: Sendable {
  /// The records in the order of the list, including a row that the walk looks back at.
  public var items: [Item] { didSet { knownIDs = nil } }
  /// The ids of the records, if they were read together with them.
  private var knownIDs: [String]?
  /// The rows that could not be read.
  public var faults: [RowFault]
  /// The source that made the page and accepts its cursors.
  public var maker: Profile
  /// The announced number of all records. A negative number becomes nil: many services write -1 where they did not count.
  public var total: Int? { didSet { total = Self.count(total) } }
  /// The source's statement about the next page.
  public var next: Continuation
  /// True when the service says that more follows this page (`has_more`, `hasNextPage`, not `is_last`); nil if it says nothing.
  public var more: Bool?
  /// The origin of the page.
  public var origin: Origin
  /// The best verdict that a walk over these records can get, such as that of the walk that stored them. Nil sets no limit.
  public var standing: Verdict?
  /// The time of the last change among the rows by the service's clock, if the source tells changes. Unreadable dates are ignored.
  public var mark: Moment?
  /// A note by the source of how far it has come, in its own words. A sync keeps the last one with the rows before it, and hands it back
  /// with the next query (``Query/following(_:)``). Nil if the source makes no such notes.
  public var bookmark: String?
  /// True when the rows come after those of the page before for certain: one output has all of them, or they are the rows of several lists.
  /// Then a page of nothing but repeated or broken rows says nothing about the end of the list.
  package var isInOneOutput = false
  package var basis = PageBasis.bodyAndLink
  /// The number of records that were searched, if known.
  public var searched: Int?
  /// Texts for a person about the answer as a whole. A walk tells each of them once.
  public var notices: [String] = []
  /// The values that do not fit their fields, by the ids of their records. A page that is put together of others takes theirs along.
  public var misfits: [String: [Misfit]] = [:]
  /// The request's parameters other than a place, which tell how a record was obtained: `["seed": "k3x"]`. Never a secret.
  public var parameters: [String: String] = [:]
  /// The knowledge of a store about these records.
  package var stored = StoredFacts()
  /// The shape of the rows, as far as reading them shows it.
  package var shape = ShapeCounts()
  /// The cached walk that the page belongs to; the request for the next page names it too.
  var thread: AnswerThread?

  /// The number of rows that came, including broken ones.
  public var received: Int { items.count + faults.count }

  private static func count(_ total: Int?) -> Int? { total.flatMap { $0 < 0 ? nil : $0 } }

  var ids: [String] {
    if let knownIDs { return knownIDs }
    var ids: [String] = []
    ids.reserveCapacity(items.count)
    for item in items { ids.append(item.id) }
    return ids
  }

  /// A page that `source` made; its other properties are set afterwards.
  public init(
    of source: some DataSource<Item>, _ items: [Item], faults: [RowFault] = [], total: Int? = nil,
    next: Continuation = .advance, origin: Origin = .live
  ) { self.init(by: source.profile, items, faults: faults, total: total, next: next, origin: origin) }

  init(by maker: Profile, _ items: [Item], faults: [RowFault], total: Int?, next: Continuation, origin: Origin) {
    (self.items, self.faults, self.maker) = (items, faults, maker)
    (self.total, self.next, self.origin) = (Self.count(total), next, origin)
  }

  /// A page with other records, and everything else from `page`. List every stored property here, or `mapped` loses it.
  private init<Other>(_ items: [Item], faults: [RowFault], like page: Page<Other>) {
    (self.items, self.faults, maker, total, next) = (items, faults, page.maker, page.total, page.next)
    (more, origin, standing, stored) = (page.more, page.origin, page.standing, page.stored)
    (mark, bookmark, searched, parameters, thread) = (page.mark, page.bookmark, page.searched, page.parameters, page.thread)
    (isInOneOutput, basis, shape, misfits) = (page.isInOneOutput, page.basis, page.shape, page.misfits)
    notices = page.notices
  }

  /// Returns the page with each record transformed, and everything else unchanged. A record whose transformation throws a `SourceError`
  /// becomes a broken row.
  public func mapped<Output: SourceItem>(_ transform: (Item) throws -> Output) rethrows -> Page<Output> {
    var (items, faults): ([Output], [RowFault]) = ([], [])
    for (index, row) in rows.enumerated() {
      switch row {
      case .fault(let fault): faults.append(fault)
      case .item(let item):
        do {
          items.append(try transform(item))
        } catch let error as SourceError {
          faults.append(RowFault("\(item.id): \(error.message)", digest: Fingerprint.of(item.id), row: index))
        }
      }
    }
    return Page<Output>(items, faults: faults, like: self)
  }
}

extension RowFault: Part {
  /// A fault without any information.
  public init() { self.init(nil, digest: 0) }

  public static let fields: [Field<RowFault>] = [Field("reason", \.reason), Field("digest", \.digestText), Field("row", \.row)]

  /// The number of broken rows in a page that keep their reason.
  static var mostReasons: Int { 20 }

  private var digestText: String {
    get { String(digest, radix: 16) }
    set { digest = UInt64(newValue, radix: 16) ?? 0 }
  }
}

extension Page {
  /// A page of a service's rows, read by the records' fields or by `read`. A row that cannot be read is skipped and counted.
  ///
  /// What the answer around the rows says of itself is heard (``Caveat``), except for the members at the paths of `ignored`; nil hears nothing.
  public init(
    of source: some DataSource<Item>, rows: some Sequence<JSON>, total: Int? = nil, next: Continuation = .advance,
    origin: Origin = .live, ignoring ignored: Set<ValuePath>? = [], reading read: ((JSON) throws -> Item)? = nil
  ) throws {
    let schema = source.schema
    let read = read ?? { try schema.read($0, as: .service) }
    var (items, ids): ([Item], [String]) = ([], [])
    // A service may claim millions of rows, so memory is reserved only for the first of them.
    let count = min(1_000, rows.underestimatedCount)
    items.reserveCapacity(count)
    ids.reserveCapacity(count)
    var (faults, misfits): ([RowFault], [String: [Misfit]]) = ([], [:])
    var (first, last): (JSON?, (index: Int, row: JSON)?)
    // Not `rows.enumerated()`: the runtime would look up the type of its elements for each row.
    var index = -1
    for row in rows {
      index += 1
      last = (index, row)
      if index == 0 { first = row }
      if index & 1023 == 1023 { try Deadline.check() }
      do {
        let item = try read(row)
        let id = item.id
        guard !id.isEmpty else { throw row.error("record without an ID") }
        if row.tape.hasMisfits { misfits[id] = schema.misfits(of: row, as: .service) }
        if row.holdsMask {
          guard !Scrubber.isMasked(Array(id.utf8)[...]) else { throw row.error("its ID has the key, which is not shown") }
          misfits[id, default: []] += schema.masked(in: item, of: row, except: misfits[id] ?? [])
        }
        items.append(consume item)
        ids.append(id)
      } catch let error as SourceError where error.kind == .malformed {
        let reason = faults.count < RowFault.mostReasons ? error.message : nil
        let fault = RowFault(reason, digest: Fingerprint.of(row.raw), row: index)
        faults.append(copy(of: fault) { $0.isKeyless = schema.lacksKey(row) })
        if row.tape.hasMisfits { _ = row.tape.takeMisfits() }
      }
    }
    self.init(of: source, items, faults: faults, total: total, next: next, origin: origin)
    (knownIDs, self.misfits) = (ids, misfits)
    if let ignored {
      let caveats = first.map(Caveat.all(around:)) ?? (rows as? JSON.Elements).map { Caveat.all(in: $0.document) }
      hear(caveats ?? [], ignoring: ignored)
    }
    // The next page begins after the last row, which may have an id even if the rest of it cannot be read.
    if maker.paging.style == .keyset, next == .advance, let last, last.index == faults.last?.row {
      self.next = schema.id(of: last.row).map { .token($0) } ?? next
    }
  }
}

extension Page {
  /// Throws `malformed` if this is the first page and none of its rows could be read, unless other rows were read and searched.
  func checkIsUnderstood(_ request: PageRequest) throws(SourceError) {
    guard request.cursor == nil, items.isEmpty, searched ?? 0 == 0, let first = faults.first else { return }
    let rows = faults.count == 1 ? "the only row" : "any of the \(faults.count) rows"
    throw SourceError(
      .malformed, "cannot read \(rows)\(first.reason.map { ": \($0)" } ?? "")",
      remedy: faults.allSatisfy(\.isKeyless) ? .checkDescription : nil)
  }

  /// Returns where the next page begins, if this one began at `place`; nil if nothing points to a next page.
  func next(after place: Place?) -> Place? {
    let number = (place ?? maker.paging.start).number
    return switch (maker.paging.style, next) {
    case (.whole, _), (_, .end), (.token, .advance): nil
    case (.keyset, .token(let key)): .key(key)
    case (_, .token(let token)): .token(token)
    // An empty page does not tell how many rows it covered; a full page is assumed.
    case (.offset, .advance): .offset(number.adding(received == 0 ? maker.paging.size : received))
    case (.number, .advance): .number(number.adding(1))
    case (.keyset, .advance): items.last.map { .key($0.id) }
    }
  }

  package enum Row {
    case item(Item)
    case fault(RowFault)
  }

  /// All rows in the order in which they came; a broken row whose index is unknown comes last.
  package var rows: [Row] {
    var broken = faults.sorted { ($0.row ?? .max) < ($1.row ?? .max) }[...]
    var rows: [Row] = []
    for item in items {
      while let fault = broken.first, fault.row ?? .max <= rows.count {
        rows.append(.fault(fault))
        broken = broken.dropFirst()
      }
      rows.append(.item(item))
    }
    return rows + broken.map { .fault($0) }
  }
}

/// The knowledge of a store about the records of a page, beyond the statements of their service.
package struct StoredFacts: Sendable {
  /// The change of the list while the records were read from the service, for a person; nil if none was noticed.
  package var change: String?
  /// The number of rows that the sync of the records could not read.
  package var unread = 0
  /// The fields that a person has edited, by the ids of their records.
  package var edited: [String: [FieldPath]] = [:]
  /// The fields whose values in the records are not known, because their description came after the records.
  package var unknown: Set<String> = []
  /// True when the records have a person's edits already.
  package var hasEdits = false
  /// True when the records, and those of the pages after them, are in the order that the request asks for.
  package var isSorted = false
  /// The verdict for a count of the records if the store counted all of them; nil if a service announced the total.
  package var counted: Verdict?
}

/// The parts of an answer that a page is made of.
package enum PageBasis: Sendable, Hashable {
  /// The body alone. It also names the next page, or says that this is the last one.
  case body
  /// The body, and perhaps a `Link` header, which may change while the body stays the same.
  case bodyAndLink
  /// More than that: other headers, or the pages before it.
  case more
}

extension Page {
  /// Ends the list here if the place of the next page holds a secret: it was masked when it came, and leads nowhere.
  mutating func refuseMaskedPlace() {
    guard case .token(let place) = next else { return }
    guard Scrubber.isMasked(Array(place.utf8)[...]) || Scrubber.isMasked(Array(PercentEncoding.decode(place[...]).utf8)[...])
    else { return }
    next = .end
    limit(to: .partial(.recorded("the place of the next page holds a secret, which is not sent")))
  }
}
