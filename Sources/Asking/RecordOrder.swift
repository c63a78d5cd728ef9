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
    let keys = items.map { item in changing([UInt8]()) { append(value(item), to: &$0) } }
    return items.indices.sorted { left, right in
      keys[left] == keys[right] ? left < right : keys[left].lexicographicallyPrecedes(keys[right])
    }.map { items[$0] }
  }

  /// Adds to a key where a record with these members stands: the lesser bytes first.
  func append(_ members: Value, to key: inout [UInt8]) {
    guard let compared = ComparedValue(members.value(at: path.names[...]), kind) else { return key.append(1) }
    key.append(0)
    let start = key.count
    compared.appendOrder(to: &key)
    if isDescending { key.invert(from: start) }
  }
}

/// What a value is compared by: a number by its size, a time by when it is, another text by what it folds to.
/// Numbers stand before times, and those before texts.
enum ComparedValue: Hashable, Comparable {
  case number(Numeral)
  case time(Moment)
  case text(String)

  /// Nil of nothing, and of a part; a list is compared by its first value.
  init?(_ value: Value, _ kind: Leaf.Kind) {
    switch value {
    case .int, .double, .decimal: self.init(value.plainText, .number)
    case .bool(let bool): self.init(bool ? "1" : "0", .number)
    case .text(let text): self = ComparedValue(text, kind) ?? .text(Fold.fold(text))
    case .list(let values):
      guard let first = values.first else { return nil }
      self.init(first, kind)
    case .null, .object: return nil
    }
  }

  /// The one order of values, as bytes: the lesser value has the lesser bytes, and no value's begin with another's.
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

  static func < (left: ComparedValue, right: ComparedValue) -> Bool {
    var (one, other): ([UInt8], [UInt8]) = ([], [])
    left.appendOrder(to: &one)
    right.appendOrder(to: &other)
    return one.lexicographicallyPrecedes(other)
  }

  /// What is written where such a leaf holds numbers or times; nil of other leaves, and of what cannot be read.
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

extension Moment {
  /// A moment as ISO 8601 writes it; of `2020`, `2020-03` and `2020-03-01` the first one, UTC.
  fileprivate init?(beginningOf text: String) {
    guard [4, 7, 10].contains(text.utf8.count) else {
      self.init(iso: text)
      return
    }
    guard let day = CalendarDay(iso: text + "0000-01-01".dropFirst(text.utf8.count)) else { return nil }
    self.init(day)
  }
}
