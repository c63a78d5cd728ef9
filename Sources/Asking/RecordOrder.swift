public import AggregatorCore

/// The order of records by one of their values: `name`, or `-issueCount` from the greatest to the least. Numbers stand by their size, texts by
/// what they fold to; a record without the value stands last either way, and equal records keep their order.
public struct RecordOrder: Sendable, Hashable {
  public let path: FieldPath
  public let isDescending: Bool

  /// Reads an order of records with those leaves.
  public init(_ text: String, of leaves: [Leaf]) throws(SourceError) {
    isDescending = text.hasPrefix("-") && leaves.named(FieldPath.trimmed(text)).isEmpty
    path = try leaves.path(called: isDescending ? String(text.dropFirst()) : text)
  }

  /// Reads the orders in `name,-issueCount`; a name that has a comma itself stands alone.
  public static func all(in text: String, of leaves: [Leaf]) throws(SourceError) -> [RecordOrder] {
    if let whole = try? RecordOrder(text, of: leaves) { return [whole] }
    var orders: [RecordOrder] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      orders.append(try RecordOrder(String(part), of: leaves))
    }
    return orders
  }

  /// The records in this order; `value` gives a record's members.
  public func sorted<Item>(_ items: [Item], _ value: (Item) -> Value) -> [Item] {
    let keys = items.map { Key(value($0).value(at: path.names[...])) }
    return items.indices.sorted { left, right in
      switch keys[left].compared(to: keys[right], isDescending) {
      case .some(let isBefore): isBefore
      case nil: left < right
      }
    }.map { items[$0] }
  }

  /// What a record is sorted by.
  private enum Key {
    case integer(Int)
    case number(Double)
    case text(String)
    case nothing

    init(_ value: Value) {
      switch value {
      case .int(let int): self = .integer(int)
      case .double(let double): self = .number(double)
      case .decimal(let decimal): self = .number(decimal.double)
      case .bool(let bool): self = .number(bool ? 1 : 0)
      case .text(let text): self = .text(Fold.fold(text))
      case .list(let values): self = values.first.map(Key.init) ?? .nothing
      case .null, .object: self = .nothing
      }
    }

    /// Whether it stands before the other; nil where they are equal.
    func compared(to other: Key, _ isDescending: Bool) -> Bool? {
      switch (self, other) {
      case (.integer(let one), .integer(let other)): one == other ? nil : (one < other) != isDescending
      case (.integer(let one), .number): Key.number(Double(one)).compared(to: other, isDescending)
      case (.number, .integer(let other)): compared(to: .number(Double(other)), isDescending)
      case (.number(let one), .number(let other)): one == other ? nil : (one < other) != isDescending
      case (.text(let one), .text(let other)): one == other ? nil : (one < other) != isDescending
      case (.nothing, .nothing): nil
      case (.nothing, _): false
      case (_, .nothing): true
      case (.number, .text), (.integer, .text): true
      case (.text, .number), (.text, .integer): false
      }
    }
  }
}
