/// What an answer is kept under.
public struct AnswerKey: Sendable, Hashable {
  /// The source that gave it, with the address of its service.
  public let source: String
  /// What was asked, as a text that no other query has.
  public let query: String

  /// One text for each source and one for each query: equal ones have the same answer.
  public init(source: String, query: String) {
    self.source = source
    self.query = query
  }
}

/// One page as it is kept.
public struct CachedAnswer: Sendable, Hashable {
  /// The records in their own fields, a JSON array.
  public let rows: [UInt8]
  /// The rows of the page that could not be read.
  public let faults: [RowFault]
  /// The total that the service announced with it; nil where it announced none.
  public let total: Int?
  /// What the page said about the one after it.
  public let next: Continuation
  /// Whether the service said that there is more; nil where it did not say.
  public let more: Bool?
  /// How the source that made it pages.
  public let paging: Paging
  /// Where in the list it was asked for, so that it is given again for nothing else.
  public let place: String
  /// The walk that it is part of: no two have the same.
  public let walk: String
  /// When it came.
  public let at: Moment

  /// A page as it was read from a store.
  public init(
    rows: [UInt8], faults: [RowFault], total: Int?, next: Continuation, more: Bool?, paging: Paging, place: String,
    walk: String, at: Moment
  ) {
    self.rows = rows
    self.faults = faults
    self.total = total
    self.next = next
    self.more = more
    self.paging = paging
    self.place = place
    self.walk = walk
    self.at = at
  }

  /// Whether it may be kept as `step` where `last` is the last step so far; not where another walk has taken its place.
  public func mayBeKept(as step: Int, behind last: (step: Int, walk: String)?) -> Bool {
    step == 0 || last.map { $0.step == step - 1 && $0.walk == walk } ?? false
  }
}
