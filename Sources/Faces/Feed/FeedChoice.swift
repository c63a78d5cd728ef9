public import Asking

/// The conditions that the rows of a feed meet, and their order. They are parts of the ask, so they hold for the whole list and not only for
/// the rows that have come.
public struct FeedChoice: Sendable, Hashable {
  /// The conditions, all of which a row meets.
  public var conditions: [RecordCondition]
  /// The orders; a later one decides only between rows that are equal in the earlier ones.
  public var order: [RecordOrder]

  /// A choice of these conditions and orders; without any, the list as it is.
  public init(_ conditions: [RecordCondition] = [], order: [RecordOrder] = []) {
    (self.conditions, self.order) = (conditions, order)
  }

  /// True when every row is chosen, in the list's own order.
  public var isEmpty: Bool { conditions.isEmpty && order.isEmpty }
}
