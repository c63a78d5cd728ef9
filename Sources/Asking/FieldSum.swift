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
