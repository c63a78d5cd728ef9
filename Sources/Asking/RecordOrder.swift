public import AggregatorCore

/// The order of records by one of their values: `name`, or `-issueCount` from the greatest to the least. Numbers stand by their size, times by
/// when they are, texts by what they fold to; a record without the value stands last either way, and equal records keep their order.
public struct RecordOrder: Sendable, Hashable {
  /// The value by which records stand.
  public let path: FieldPath
  /// Whether the greatest stands first.
  public let isDescending: Bool
  private let kind: Leaf.Kind

  /// Reads an order of records with those leaves.
  public init(_ text: String, of leaves: [Leaf]) throws(SourceError) {
    isDescending = text.hasPrefix("-") && leaves.named(FieldPath.trimmed(text)).isEmpty
    let leaf = try leaves.leaf(called: isDescending ? String(text.dropFirst()) : text)
    (path, kind) = (leaf.path, leaf.kind)
  }

  /// Reads the orders in `name,-issueCount`; a name that has a comma itself stands alone.
  public static func all(in text: String, of leaves: [Leaf]) throws(SourceError) -> [RecordOrder] {
    if let whole = try? RecordOrder(text, of: leaves) { return [whole] }
    return try text.split(separator: ",", omittingEmptySubsequences: false).map { part throws(SourceError) in
      try RecordOrder(String(part), of: leaves)
    }
  }

  /// The records in this order; `value` gives a record's members.
  public func sorted<Item>(_ items: [Item], _ value: (Item) -> Value) -> [Item] {
    let keys = items.map { ComparedValue(value($0).value(at: path.names[...]), kind) }
    return items.indices.sorted { left, right in
      guard let one = keys[left], let other = keys[right], one != other else {
        return (keys[left] == nil) == (keys[right] == nil) ? left < right : keys[left] != nil
      }
      return (one < other) != isDescending
    }.map { items[$0] }
  }
}
