/// Some records, and everything their source said with them.
public struct Page<Item: Record>: Sendable {
  public var items: [Item]
  /// The rows that could not be read.
  public var faults: [RowFault]
  /// How many records there are in all, as announced.
  public var total: Int?
  public var next: Continuation
  public var origin: Origin
  /// The source that made the page and that its cursors go back to.
  public var maker: Profile
  /// The best that a walk over these records can come to, when whoever kept them knows: what they were stored by ended so.
  public var standing: Verdict?
  /// How far changes are known once the page was read, in the source's own words, where it tells.
  public var mark: String?
  /// How many records were searched, where whoever searched knows.
  public var searched: Int?
  /// What was asked, in the source's own words, for whoever wants to know where a record came from: `seed=k3x`. Never a secret.
  public var question: String?

  /// How many rows came, broken ones too.
  public var received: Int { items.count + faults.count }

  public init(
    of source: some DataSource<Item>, _ items: [Item], faults: [RowFault] = [], total: Int? = nil,
    next: Continuation = .advance, origin: Origin = .live
  ) {
    self.init(maker: source.profile, items, faults: faults, total: total, next: next, origin: origin)
  }

  init(
    maker: Profile, _ items: [Item], faults: [RowFault] = [], total: Int? = nil,
    next: Continuation = .advance, origin: Origin = .live
  ) {
    self.items = items
    self.faults = faults
    self.total = total
    self.next = next
    self.origin = origin
    self.maker = maker
  }
}

/// A row that could not be read: skipped and counted, never the end of its page.
public struct RowFault: Sendable, Hashable {
  /// What is wrong with it, with the path: `results[3].name: expected a string`.
  public let reason: String
  /// What it was, to know it again without keeping it.
  public let digest: UInt64

  public init(_ reason: String, digest: UInt64) {
    self.reason = reason
    self.digest = digest
  }
}
