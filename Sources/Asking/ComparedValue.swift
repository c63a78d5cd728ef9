import AggregatorCore

/// What a value is compared by: a number by its size, a time by when it is, another text by what it folds to.
/// Numbers stand before times, and those before texts.
enum ComparedValue: Hashable, Comparable {
  case number(Numeral)
  case time(Moment)
  case text(String)

  /// Nil of nothing, and of a part; a list is compared by its first value.
  init?(_ value: Value, _ kind: Leaf.Kind) {
    switch value {
    case .int(let int): self.init(number: String(int))
    case .double(let double): self.init(number: double.description)
    case .bool(let bool): self.init(number: bool ? "1" : "0")
    case .text(let text): self = ComparedValue(text, kind) ?? .text(Fold.fold(text))
    case .list(let values):
      guard let first = values.first else { return nil }
      self.init(first, kind)
    case .null, .object: return nil
    }
  }

  /// What is written where such a leaf holds numbers or times; nil of other leaves, and of what cannot be read.
  init?(_ text: String, _ kind: Leaf.Kind) {
    switch kind {
    case .integer, .number: self.init(number: text)
    case .time:
      guard let moment = Moment(beginningOf: text.trimmingSpaces) else { return nil }
      self = .time(moment)
    case .text, .bool, .address, .any: return nil
    }
  }

  private init?(number text: String) {
    guard let numeral = Numeral(text) else { return nil }
    self = .number(numeral)
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
    self.init(secondsSinceEpoch: day.daysSinceEpoch * 86_400)
  }
}

/// A number exactly as it is written in decimal: `19.90` is `19.9`, and nothing is rounded.
struct Numeral: Hashable, Comparable {
  private var isNegative = false
  /// Without zeros at either end; empty of zero.
  private var digits: Substring
  /// How many digits stand before the point, less the zeros behind it; the least there is of zero.
  private var point = Int.min

  /// Reads `12`, `-0.5`, `1.2e3`: as people write numbers, nothing hexadecimal and no "nan".
  init?(_ text: String) {
    let parts = text.trimmingSpaces.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
    let isNegative = parts[0].first == "-"
    let halves = parts[0].dropFirst(isNegative || parts[0].first == "+" ? 1 : 0)
      .split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let all = halves.joined()
    guard !all.isEmpty, all.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let exponent = parts.count > 1 ? Int(parts[1]) : 0, (-1_000_000_000...1_000_000_000).contains(exponent)
    else { return nil }
    digits = all.drop { $0 == "0" }
    let zeros = all.utf8.count - digits.utf8.count
    while digits.last == "0" { digits.removeLast() }
    if digits.isEmpty { return }
    (self.isNegative, point) = (isNegative, halves[0].utf8.count - zeros + exponent)
  }

  static func < (left: Numeral, right: Numeral) -> Bool {
    guard left.isNegative == right.isNegative else { return left.isNegative }
    let (nearer, farther) = left.isNegative ? (right, left) : (left, right)
    return (nearer.point, nearer.digits) < (farther.point, farther.digits)
  }
}
