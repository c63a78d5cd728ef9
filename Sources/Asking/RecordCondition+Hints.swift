import AggregatorCore

/// Hints for a person: the condition that was probably meant, and the text "null".
extension RecordCondition {
  /// True when a record with these members has the text "null", and the condition means a missing value by that word.
  func meetsNullText(in record: Value) -> Bool {
    soughtValues.contains(where: \.isNull) && Self.hasNullText(record.value(at: path.names[...]))
  }

  private static func hasNullText(_ value: Value) -> Bool {
    switch value {
    case .text(let text): text.utf8.count == 4 && Fold.fold(text) == "null"
    case .list(let values): values.contains(where: hasNullText)
    case .object(let members): members.contains { hasNullText($0.value) }
    default: false
    }
  }

  /// Returns the condition on several values that was meant by `status=open,paid`, if one of these is among the values that records have.
  func listMeant(among values: [String]) -> String? {
    guard comparison == .equals else { return nil }
    let pieces = sought.split { ",|".contains($0) }.map { String($0).trimmingSpaces }.filter { !$0.isEmpty }
    guard pieces.count > 1 else { return nil }
    let known = Set(values.map { Fold.fold($0) })
    guard pieces.contains(where: { known.contains(Fold.fold($0)) }) else { return nil }
    return list(of: pieces)
  }

  /// Returns the condition with the nearest of the values that records have; nil if none is near.
  func nearest(among values: [String]) -> String? {
    guard !comparison.needsOrder, !comparison.isNegative else { return nil }
    let nearest = soughtValues.map { $0.isMissing ? nil : Closest.closest(to: $0.text, among: values) }
    guard nearest.contains(where: { $0 != nil }) else { return nil }
    if comparison == .isAmong { return list(of: zip(soughtValues, nearest).map { $0.isNull ? nil : $1 ?? $0.text }) }
    let one = nearest[0] ?? sought
    return Self.text(path, comparison, comparison.isOfWholeValues ? TypedValue.spelled(one) : one)
  }

  /// Returns the condition on several values; nil stands for a missing one.
  private func list(of values: [String?]) -> String {
    Self.text(path, .isAmong, values.map { $0.map { TypedValue.spelled($0, isListed: true) } ?? "null" }.joined(separator: ","))
  }
}
