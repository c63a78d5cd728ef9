/// A row that could not be read. It is skipped and counted; the rest of its page is used.
public struct RowFault: Sendable, Hashable {
  /// The problem: `results[3].name: expected a string`. Nil for further rows of a page with many broken ones.
  public package(set) var reason: String?
  /// A hash of the row, with which it is recognized without being stored.
  public package(set) var digest: UInt64
  /// The text for a person.
  public var text: String { reason ?? "an unreadable row" }
  /// The index of the row in its page; nil if unknown.
  public internal(set) var row: Int?
  /// True when the row has no key.
  package var isKeyless = false

  /// A row that could not be read for `reason`, recognized by the digest of its bytes.
  public init(_ reason: String?, digest: UInt64, row: Int? = nil) {
    (self.reason, self.digest, self.row) = (reason, digest, row)
  }
}
