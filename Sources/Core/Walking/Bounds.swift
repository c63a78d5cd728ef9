/// What a caller limits a walk to.
public struct Bounds: Sendable, Hashable {
  /// The most records.
  public var limit: Int?
  /// The most pages.
  public var pages: Int?
  /// When to stop.
  public var deadline: Moment?

  public init(limit: Int? = nil, pages: Int? = nil, deadline: Moment? = nil) {
    self.limit = limit
    self.pages = pages
    self.deadline = deadline
  }

  public static let none = Bounds()

  /// Whether there is no need to ask at all.
  var allowNothing: Bool { min(limit ?? 1, pages ?? 1) <= 0 }
}
