/// What a caller limits a walk to.
public struct Bounds: Sendable, Hashable {
  /// The most records.
  public var limit: Int?
  /// The most pages.
  public var pages: Int?
  /// When to stop.
  public var deadline: Moment?

  /// What is nil does not limit the walk.
  public init(limit: Int? = nil, pages: Int? = nil, deadline: Moment? = nil) {
    self.limit = limit
    self.pages = pages
    self.deadline = deadline
  }

  /// As far as the source goes.
  public static let none = Bounds()

  /// Whether there is no need to ask at all.
  var allowNothing: Bool { min(limit ?? 1, pages ?? 1) <= 0 }
}

/// The ids that a walk has met, for one that cannot remember all of them: its list is too long, or an earlier run began it. It asks once for
/// each page, before it takes that in; repeats within one page it finds by itself.
public protocol Seen: Sendable {
  /// Those of a page's ids that were met before.
  func met(_ ids: [String]) async throws -> Set<String>

  /// Notes the ids of a page that was taken in: from now on they were met.
  func note(_ ids: [String])
}
