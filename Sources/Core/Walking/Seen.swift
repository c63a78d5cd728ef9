/// The ids that a walk has met, for one that cannot remember all of them by itself: its list is too long, or an earlier run began it.
///
/// A walk asks once for each page, before it takes the page in. Repeats within one page it finds by itself.
public protocol Seen: Sendable {
  /// Those of a page's ids that were met before.
  func met(_ ids: [String]) async throws -> Set<String>

  /// Notes the ids of a page that was taken in: from now on they were met.
  func note(_ ids: [String])
}
