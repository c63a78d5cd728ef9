/// The ids a walk has met.
///
/// In memory for a walk that ends soon; a sync brings the store's own keys, so that its memory does not grow.
public protocol Seen: Sendable {
  /// Notes `id`; false when it was noted before.
  mutating func insert(_ id: String) throws -> Bool
  /// Whether `id` was noted; notes nothing.
  func contains(_ id: String) throws -> Bool
}

/// Ids in memory.
public struct SeenInMemory: Seen {
  private var ids: Set<String> = []

  public init() {}

  public mutating func insert(_ id: String) -> Bool { ids.insert(id).inserted }
  public func contains(_ id: String) -> Bool { ids.contains(id) }
}
