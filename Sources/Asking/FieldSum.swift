import AggregatorCore

/// Adds up the numbers of one field, exactly. Texts that are numbers count, as in conditions; of a list every element counts.
struct FieldSum {
  private let leaf: Leaf
  /// The sum so far.
  private(set) var total = DecimalSum()
  /// The number of values that could not be added, and the first of them.
  private var others = (count: 0, first: "")

  init(_ leaf: Leaf) { self.leaf = leaf }

  /// Adds the value of a record, and returns the numbers that could be added.
  mutating func add(_ value: Value) -> [Numeral] {
    switch value {
    case .null: return []
    case .list(let elements): return elements.flatMap { add($0) }
    case .int, .double, .decimal, .text:
      if case .number(let number) = ComparedValue(value, leaf.kind), total.add(number) { return [number] }
    case .bool, .object: break
    }
    if others.count == 0 { others.first = String(value.plainText.prefix(60)) }
    others.count += 1
    return []
  }

  /// A notice about the values that could not be added; nil if all were.
  var leftOut: Notice? {
    guard others.count > 0 else { return nil }
    let values = others.count == 1 ? "1 value" : "\(others.count) values"
    return .note(
      "the sum leaves out \(values) of \(leaf.path.text) that \(others.count == 1 ? "is not a number" : "are not numbers"), such as \"\(others.first)\""
    )
  }
}

/// An exact sum of decimal numbers.
struct DecimalSum: Sendable, Hashable {
  /// The digits in groups of nine, the lowest group first. A group may be negative or too large until it is carried over.
  private var groups: [Int64] = []
  /// The number of the lowest group; group 0 has the units.
  private var lowest = 0

  /// The number of digits before and after the point that a number may have. Every floating-point number has fewer.
  private static let mostDigits = 1_000
  private static let base: Int64 = 1_000_000_000

  /// Adds a number. Returns false, and adds nothing, if it has too many digits before or after the point.
  mutating func add(_ number: Numeral) -> Bool {
    guard !number.digits.isEmpty else { return true }
    let end = number.point - number.digits.utf8.count
    guard number.point <= Self.mostDigits, end >= -Self.mostDigits else { return false }
    makeRoom(from: Self.group(of: end), through: Self.group(of: number.point - 1))
    var place = number.point
    for digit in number.digits.utf8 {
      place -= 1
      let group = Self.group(of: place)
      var amount = Int64(digit - 0x30)
      for _ in 0..<(place - group * 9) { amount *= 10 }
      groups[group - lowest] += number.isNegative ? -amount : amount
    }
    // Far below the limit of the type, which one more number cannot reach.
    if groups.contains(where: { $0.magnitude > 1 << 62 }) { groups = Self.carried(groups) }
    return true
  }

  /// The sum: a whole number if it is one and fits, else a decimal number without zeros at its end.
  var value: Value {
    var carried = Self.carried(groups)
    let isNegative = carried.last.map { $0 < 0 } ?? false
    if isNegative { carried = Self.carried(carried.map { -$0 }) }
    let digits = carried.reversed().map { $0.padded(to: 9) }.joined()
    func zeros(_ groups: Int) -> String { String(repeating: "0", count: max(0, groups) * 9) }
    // All groups may be far from the point, on either side.
    let above = lowest + carried.count
    let padded = zeros(-above) + digits + zeros(lowest)
    let whole = padded.prefix(max(0, above) * 9).drop { $0 == "0" }
    var fraction = padded.dropFirst(max(0, above) * 9)
    while fraction.last == "0" { fraction.removeLast() }
    let text = (isNegative ? "-" : "") + (whole.isEmpty ? "0" : whole) + (fraction.isEmpty ? "" : "." + fraction)
    return Int(text).map(Value.int) ?? DecimalNumber(text).map(Value.decimal) ?? .text(text)
  }

  private mutating func makeRoom(from first: Int, through last: Int) {
    if groups.isEmpty { lowest = first }
    if first < lowest { groups.insert(contentsOf: repeatElement(0, count: lowest - first), at: 0) }
    lowest = min(lowest, first)
    let missing = last - lowest - groups.count + 1
    if missing > 0 { groups += repeatElement(0, count: missing) }
  }

  /// Returns the number of the group of a power of ten.
  private static func group(of power: Int) -> Int { power >= 0 ? power / 9 : (power - 8) / 9 }

  /// Returns the groups with every one from 0 to 999999999, but for the last, which has the sign.
  private static func carried(_ groups: [Int64]) -> [Int64] {
    var (carried, carry) = ([Int64](), Int64(0))
    for group in groups {
      let total = group + carry
      let rest = (total % base + base) % base
      carried.append(rest)
      carry = (total - rest) / base
    }
    while carry != 0, carry != -1 || carried.last == nil {
      let rest = (carry % base + base) % base
      carried.append(rest)
      carry = (carry - rest) / base
    }
    if carry == -1 { carried.append(-1) }
    return carried
  }
}
