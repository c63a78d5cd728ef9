public import AggregatorCore

extension RecordCondition {
  /// Returns the condition that records have this value at a path, or that they have another one: the one that a person would type. Nil for
  /// a list and for a part with several values, which no single condition describes.
  public static func onCell(
    _ value: Value, at path: FieldPath, differs: Bool = false, on leaves: [Leaf], at now: Moment
  ) -> RecordCondition? {
    let spellings: [String]
    switch value {
    case .list(let values) where values.count > 1: return nil
    case .list(let values): return onCell(values.first ?? .null, at: path, differs: differs, on: leaves, at: now)
    case .object: return nil
    case .null: spellings = ["null"]
    default:
      // A text that looks like a condition itself is understood in quotes, and one that looks like a number is that text alone there.
      let text = value.plainText
      let quoted = "\"\(text.replacingEach("\"", with: "\"\""))\""
      let isNumeral = if case .text = value { Numeral(plain: text) != nil } else { false }
      spellings = isNumeral ? [quoted] : [TypedValue.spelled(text), quoted]
    }
    let comparison = differs ? Comparison.differs : .equals
    return spellings.lazy.compactMap { try? RecordCondition(text(path, comparison, $0), on: leaves, at: now) }.first
  }
}
