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
  /// What the service was asked for besides a place, to tell where a record came from: `["seed": "k3x"]`. Never a secret.
  public var parameters: [String: String] = [:]
  /// The cached walk that it belongs to, which the request for the next page names too.
  var thread: AnswerThread?

  /// How many rows came, broken ones too.
  public var received: Int { items.count + faults.count }

  /// A page that `source` made; what else it knows is set afterwards.
  public init(
    of source: some DataSource<Item>, _ items: [Item], faults: [RowFault] = [], total: Int? = nil,
    next: Continuation = .advance, origin: Origin = .live
  ) {
    self.init(by: source.profile, items, faults: faults, total: total, next: next, origin: origin)
  }

  init(by maker: Profile, _ items: [Item], faults: [RowFault], total: Int?, next: Continuation, origin: Origin) {
    (self.items, self.faults, self.maker) = (items, faults, maker)
    (self.total, self.next, self.origin) = (total, next, origin)
  }

  /// Other records, and all else as `page` has it.
  private init<Other>(_ items: [Item], faults: [RowFault], like page: Page<Other>) {
    (self.items, self.faults, maker, total, next) = (items, faults, page.maker, page.total, page.next)
    (more, origin, standing, mark) = (page.more, page.origin, page.standing, page.mark)
    (searched, nearest, parameters, thread) = (page.searched, page.nearest, page.parameters, page.thread)
  }

  /// The same page, which keeps all else that it says, with each record turned into another; one that cannot be turned is a broken row.
  public func mapped<Output: SourceItem>(_ transform: (Item) throws -> Output) rethrows -> Page<Output> {
    var items: [Output] = []
    items.reserveCapacity(self.items.count)
    var faults: [RowFault] = []
    try forEachRow { row in
      switch row {
      case .fault(let fault): faults.append(fault)
      case .item(let item):
        do {
          items.append(try transform(item))
        } catch let error as SourceError {
          faults.append(
            RowFault("\(item.id): \(error.message)", digest: Page.digest(of: item.id), row: items.count + faults.count))
        }
      }
    }
    return Page<Output>(items, faults: faults, like: self)
  }
}

/// A row that could not be read: skipped and counted, never the end of its page.
public struct RowFault: Sendable, Hashable {
  /// What is wrong with it: `results[3].name: expected a string`. Nil where so many are broken that the first ones tell enough.
  public let reason: String?
  /// What it was, to know it again without keeping it.
  public let digest: UInt64
  /// What a person is told of it.
  public var text: String { reason ?? "an unreadable row" }
  /// Which row of its page it was; nil where that is unknown.
  public let row: Int?

  /// A row that could not be read for `reason`, known again by the digest of its bytes.
  public init(_ reason: String?, digest: UInt64, row: Int? = nil) {
    self.reason = reason
    self.digest = digest
    self.row = row
  }
}
