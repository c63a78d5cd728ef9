public import AggregatorCore

/// An order of records by one of their values: `name`, or `-issueCount` from the greatest to the least.
///
/// Numbers are ordered by size, times by moment, and texts by their folded form. Texts that are numbers, such as `"12.04"`, are ordered
/// by size and come before other texts. A record without the value comes last in either direction, and equal records keep their order.
public struct RecordOrder: Sendable, Hashable {
  /// The path of the value that is compared.
  public let path: FieldPath
  /// True when the greatest value comes first.
  public let isDescending: Bool
  private let kind: Leaf.Kind

  /// Reads an order for records with those leaves. Throws if none of them has this name.
  public init(_ text: String, of leaves: [Leaf]) throws(SourceError) {
    isDescending = text.hasPrefix("-") && leaves.named(FieldPath.trimmed(text)).isEmpty
    let leaf = try leaves.leaf(called: isDescending ? String(text.dropFirst()) : text)
    (path, kind) = (leaf.path, leaf.kind)
  }

  /// Reads orders with commas between them, such as `name,-issueCount`. A name that contains a comma can only be given alone.
  public static func all(in text: String, of leaves: [Leaf]) throws(SourceError) -> [RecordOrder] {
    if let whole = try? RecordOrder(text, of: leaves) { return [whole] }
    return try text.split(separator: ",", omittingEmptySubsequences: false).map { part throws(SourceError) in
      try RecordOrder(String(part), of: leaves)
    }
  }

  /// Returns the records in this order; `value` returns the members of a record.
  public func sorted<Item>(_ items: [Item], _ value: (Item) -> Value) -> [Item] {
    let keys = items.map { item in copy(of: [UInt8]()) { append(value(item), to: &$0) } }
    return items.indices.sorted { left, right in
      keys[left] == keys[right] ? left < right : keys[left].lexicographicallyPrecedes(keys[right])
    }.map { items[$0] }
  }

  /// Returns the record's value, if its field may hold texts as well as numbers. Nil for other fields, for values of other
  /// types, and for a missing value.
  func mixed(of members: Value) -> MixedValue? {
    kind == .text || kind == .any ? MixedValue(members.value(at: path.names[...])) : nil
  }

  /// Appends the bytes of a record with these members to a sort key; lesser bytes come first.
  func append(_ members: Value, to key: inout [UInt8]) {
    guard let compared = ComparedValue(members.value(at: path.names[...]), kind) else { return key.append(1) }
    key.append(0)
    let start = key.count
    compared.appendOrder(to: &key)
    if isDescending { key.invert(from: start) }
  }
}

/// A value in the form in which it is compared: a number by its size, a time by its moment, any other text by its folded form. Numbers
/// come before times, and times before texts.
package enum ComparedValue: Hashable, Comparable {
  case number(Numeral)
  case time(Moment)
  case text(String)

  /// The form of a value; a list is compared by its first value. Nil for null, for an object and for an empty list.
  package init?(_ value: Value, _ kind: Leaf.Kind) {
    switch value {
    case .int, .double, .decimal: self.init(value.plainText, .number)
    case .bool(let bool): self.init(bool ? "1" : "0", .number)
    case .text(let text): self = ComparedValue(text, kind) ?? MixedValue.number(text, kind) ?? .text(Fold.fold(text))
    case .list(let values):
      guard let first = values.first else { return nil }
      self.init(first, kind)
    case .null, .object: return nil
    }
  }

  /// Appends the value as bytes that sort as the values do. The bytes of a value never begin with those of another one.
  func appendOrder(to bytes: inout [UInt8]) {
    switch self {
    case .number(let numeral):
      bytes.append(0)
      numeral.appendOrder(to: &bytes)
    case .time(let moment):
      bytes.append(1)
      let second = moment.seconds
      let rest = (moment.sinceEpoch - .seconds(second)).components.attoseconds
      bytes.append(bigEndian: UInt64(bitPattern: Int64(second)) ^ 1 << 63)
      bytes.append(bigEndian: rest)
    case .text(let text):
      bytes.append(2)
      bytes.append(ordered: text)
    }
  }

  package static func < (left: ComparedValue, right: ComparedValue) -> Bool {
    // A condition compares each record, and needs no bytes for that.
    switch (left, right) {
    case (.number(let one), .number(let other)): return one < other
    case (.time(let one), .time(let other)): return one < other
    default: break
    }
    var (one, other): ([UInt8], [UInt8]) = ([], [])
    left.appendOrder(to: &one)
    right.appendOrder(to: &other)
    return one.lexicographicallyPrecedes(other)
  }

  /// Reads a text from a leaf that holds numbers or times. Nil for other leaves, and for a text that cannot be read.
  init?(_ text: String, _ kind: Leaf.Kind) {
    switch kind {
    case .integer, .number:
      guard let numeral = Numeral(text) else { return nil }
      self = .number(numeral)
    case .time:
      guard let moment = Moment(beginningOf: text.trimmingSpaces) else { return nil }
      self = .time(moment)
    case .text, .bool, .address, .any: return nil
    }
  }
}

/// A value of a field that may hold texts and numbers; a text may be a number too.
enum MixedValue: Equatable {
  case number
  case text(String)

  /// Nil for a value that is neither a number nor a text.
  init?(_ value: Value) {
    switch value {
    case .int, .double, .decimal: self = .number
    case .text(let text): self = Numeral(plain: text) == nil ? .text(text) : .number
    case .null, .bool, .list, .object: return nil
    }
  }

  /// Reads a text as a number, if such a leaf may hold texts as well as numbers.
  fileprivate static func number(_ text: String, _ kind: Leaf.Kind) -> ComparedValue? {
    kind == .text || kind == .any ? Numeral(plain: text).map { .number($0) } : nil
  }
}

extension Numeral {
  /// Reads digits with at most a sign and a point. Texts such as `1e5` and `12e4` are more likely codes than numbers.
  init?(plain text: String) {
    let text = text.trimmingSpaces
    guard let last = text.utf8.last, last &- 0x30 < 10, text.utf8.allSatisfy({ $0 &- 0x30 < 10 || $0 == 0x2E || $0 == 0x2D })
    else {
      return nil
    }
    self.init(text)
  }
}
