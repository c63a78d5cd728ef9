/// Some records, and everything their source said with them.
public struct Page<Item: SourceItem>: Sendable {
  public var items: [Item]
  /// The rows that could not be read.
  public var faults: [RowFault]
  /// Everything beside the rows.
  public var notes: PageNotes

  /// How many rows came, broken ones too.
  public var received: Int { items.count + faults.count }

  public init(
    of source: some DataSource<Item>, _ items: [Item], faults: [RowFault] = [], total: Int? = nil,
    next: Continuation = .advance, origin: Origin = .live
  ) {
    self.init(items, faults: faults, PageNotes(maker: source.profile, total: total, next: next, origin: origin))
  }

  init(_ items: [Item], faults: [RowFault] = [], _ notes: PageNotes) {
    self.items = items
    self.faults = faults
    self.notes = notes
  }
}

/// What a source says with a page, beside its rows.
public struct PageNotes: Sendable {
  /// The source that made the page and that its cursors go back to.
  public var maker: Profile
  /// How many records there are in all, as announced.
  public var total: Int?
  public var next: Continuation
  /// Whether the service says that there is more behind this page (`has_more`, `hasNextPage`, not `is_last`); nil where it says nothing.
  public var more: Bool?
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
  /// What the source wants to be reminded of with the request for the next page, wherever that begins.
  var thread: String?

  public init(maker: Profile, total: Int? = nil, next: Continuation = .advance, origin: Origin = .live) {
    self.maker = maker
    self.total = total
    self.next = next
    self.origin = origin
  }
}

// What the notes say is the page's own. No key path leads there: each would be made anew at every start.
extension Page {
  public var maker: Profile {
    get { notes.maker }
    set { notes.maker = newValue }
  }
  public var total: Int? {
    get { notes.total }
    set { notes.total = newValue }
  }
  public var next: Continuation {
    get { notes.next }
    set { notes.next = newValue }
  }
  public var more: Bool? {
    get { notes.more }
    set { notes.more = newValue }
  }
  public var origin: Origin {
    get { notes.origin }
    set { notes.origin = newValue }
  }
  public var standing: Verdict? {
    get { notes.standing }
    set { notes.standing = newValue }
  }
  public var mark: Moment? {
    get { notes.mark }
    set { notes.mark = newValue }
  }
  public var searched: Int? {
    get { notes.searched }
    set { notes.searched = newValue }
  }
  public var parameters: [String: String] {
    get { notes.parameters }
    set { notes.parameters = newValue }
  }
  var thread: String? {
    get { notes.thread }
    set { notes.thread = newValue }
  }
}

extension Page {
  /// The same page with each record turned into another; one that cannot be turned is a row that cannot be read.
  ///
  /// The one way to make a page from a page: it keeps everything else that the page says.
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
          faults.append(RowFault("\(item.id): \(error.message)", digest: Page.digest(of: item.id), row: items.count + faults.count))
        }
      }
    }
    return Page<Output>(items, faults: faults, notes)
  }
}

/// A row that could not be read: skipped and counted, never the end of its page.
public struct RowFault: Sendable, Hashable {
  /// What is wrong with it, with the path: `results[3].name: expected a string`. Nil where so many of a page are broken that the first
  /// ones tell enough.
  public let reason: String?
  /// What it was, to know it again without keeping it.
  public let digest: UInt64
  /// What a person is told of it.
  public var text: String { reason ?? "an unreadable row" }
  /// Which row of its page it was; nil where that is unknown.
  public let row: Int?

  public init(_ reason: String?, digest: UInt64, row: Int? = nil) {
    self.reason = reason
    self.digest = digest
    self.row = row
  }
}
