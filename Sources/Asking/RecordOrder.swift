public import AggregatorCore

/// The order of records by one of their values: `name`, or `-issueCount` from the greatest to the least. Numbers stand by their size, times by
/// when they are, texts by what they fold to. Texts that are numbers, such as `"12.04"`, stand by their size, before other texts. A record without the value stands last either way, and equal records keep their order.
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

  /// The text or the number by which a record stands, where its field may hold either: nil of others, and of a missing value.
  func mixed(of members: Value) -> MixedValue? {
    kind == .text || kind == .any ? MixedValue(members.value(at: path.names[...])) : nil
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
    case .text(let text): self = ComparedValue(text, kind) ?? MixedValue.number(text, kind) ?? .text(Fold.fold(text))
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

/// A value of a field whose texts may be numbers.
enum MixedValue: Equatable {
  case number
  case text(String)

  /// Nil of what is neither.
  init?(_ value: Value) {
    switch value {
    case .int, .double, .decimal: self = .number
    case .text(let text): self = Numeral(plain: text) == nil ? .text(text) : .number
    case .null, .bool, .list, .object: return nil
    }
  }

  /// The number that a text is, where such a leaf may hold texts as well as numbers.
  fileprivate static func number(_ text: String, _ kind: Leaf.Kind) -> ComparedValue? {
    kind == .text || kind == .any ? Numeral(plain: text).map { .number($0) } : nil
  }
}

extension Numeral {
  /// Reads digits with a sign and a point at most: `1e5` and `12e4` more likely are codes.
  init?(plain text: String) {
    let text = text.trimmingSpaces
    guard let last = text.utf8.last, last &- 0x30 < 10, text.utf8.allSatisfy({ $0 &- 0x30 < 10 || $0 == 0x2E || $0 == 0x2D })
    else {
      return nil
    }
    self.init(text)
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
