/// Some records, and everything their source said with them.
public struct Page<Item: SourceItem>: Sendable {
  /// In the order of the list, the row that a walk looks back at included.
  public var items: [Item]
  /// The rows that could not be read.
  public var faults: [RowFault]
  /// The source that made the page and that its cursors go back to.
  public var maker: Profile
  /// How many records there are in all, as announced.
  public var total: Int?
  /// What it says about the page after it.
  public var next: Continuation
  /// Whether the service says that there is more behind this page (`has_more`, `hasNextPage`, not `is_last`); nil where it says nothing.
  public var more: Bool?
  /// Where it came from.
  public var origin: Origin
  /// The best verdict for a walk over these records: that of the walk that stored them.
  public var standing: Verdict?
  /// The last change among its rows by the service's clock, where the source tells changes. A date that cannot be read is none.
  public var mark: Moment?
  /// How many records were searched, where that is known.
  public var searched: Int?
  /// Where nothing matches, the titles that come near.
  public var nearest = NearestTitles()
  /// Which fields of its records a person has edited, by the records' ids.
  package var edited: [String: [FieldPath]] = [:]
  /// What the service was asked for besides a place, to tell where a record came from: `["seed": "k3x"]`. Never a secret.
  public var parameters: [String: String] = [:]
  /// Whether its records, and those of the pages behind it, stand in the order that the request carries.
  package var isSorted = false
  /// What a count of these records comes to where its maker counted all of them itself; nil where a service announced the total.
  package var counted: Verdict?
  /// What its rows look like, as far as reading them shows it.
  package var shape = ShapeCounts()
  /// The cached walk that it belongs to, which the request for the next page names too.
  var thread: AnswerThread?

  /// How many rows came, broken ones too.
  public var received: Int { items.count + faults.count }

  /// A page that `source` made; what else it knows is set afterwards.
  public init(
    of source: some DataSource<Item>, _ items: [Item], faults: [RowFault] = [], total: Int? = nil,
    next: Continuation = .advance, origin: Origin = .live
  ) { self.init(by: source.profile, items, faults: faults, total: total, next: next, origin: origin) }

  init(by maker: Profile, _ items: [Item], faults: [RowFault], total: Int?, next: Continuation, origin: Origin) {
    (self.items, self.faults, self.maker) = (items, faults, maker)
    (self.total, self.next, self.origin) = (total, next, origin)
  }

  /// Other records, and all else as `page` has it.
  private init<Other>(_ items: [Item], faults: [RowFault], like page: Page<Other>) {
    (self.items, self.faults, maker, total, next) = (items, faults, page.maker, page.total, page.next)
    (more, origin, standing, mark) = (page.more, page.origin, page.standing, page.mark)
    (searched, nearest, parameters, thread) = (page.searched, page.nearest, page.parameters, page.thread)
    (isSorted, counted, shape, edited) = (page.isSorted, page.counted, page.shape, page.edited)
  }

  /// The same page, which keeps all else that it says, with each record turned into another; one that cannot be turned is a broken row.
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

/// A row that could not be read: skipped and counted, never the end of its page.
public struct RowFault: Sendable, Hashable {
  /// What is wrong with it: `results[3].name: expected a string`. Nil where so many are broken that the first ones tell enough.
  public internal(set) var reason: String?
  /// What it was, to know it again without keeping it.
  public internal(set) var digest: UInt64
  /// What a person is told of it.
  public var text: String { reason ?? "an unreadable row" }
  /// Which row of its page it was; nil where that is unknown.
  public internal(set) var row: Int?
  /// True when it has nothing where its key is due.
  package var isKeyless = false

  /// A row that could not be read for `reason`, known again by the digest of its bytes.
  public init(_ reason: String?, digest: UInt64, row: Int? = nil) {
    (self.reason, self.digest, self.row) = (reason, digest, row)
  }
}

extension RowFault: Part {
  /// One of which nothing is known.
  public init() { self.init(nil, digest: 0) }

  public static let fields: [Field<RowFault>] = [Field("reason", \.reason), Field("digest", \.digestText), Field("row", \.row)]

  /// The digest in hexadecimal digits.
  private var digestText: String {
    get { String(digest, radix: 16) }
    set { digest = UInt64(newValue, radix: 16) ?? 0 }
  }
}

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
        guard !item.id.isEmpty else { throw row.error("record without an ID") }
        items.append(item)
      } catch let error as SourceError where error.kind == .malformed {
        faults.append(RowFault(faults.count < RowFault.told ? error.message : nil, digest: Fingerprint.of(row.raw), row: index))
        if schema.lacksKey(row) { faults[faults.count - 1].isKeyless = true }
      }
    }
    self.init(of: source, items, faults: faults, total: total.flatMap { $0 < 0 ? nil : $0 }, next: next, origin: origin)
    // The next page begins behind the last row, which has an id even where the rest of it cannot be read.
    if maker.paging.style == .keyset, next == .advance, let last, last.index == faults.last?.row {
      self.next = schema.id(of: last.row).map { .token($0) } ?? next
    }
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
    throw SourceError(
      .malformed, "cannot read \(rows)\(first.reason.map { ": \($0)" } ?? "")",
      remedy: faults.allSatisfy(\.isKeyless) ? .checkDescription : nil)
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

  package enum Row {
    case item(Item)
    case fault(RowFault)
  }

  /// In the order in which they came; a broken row whose place is unknown comes last.
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
