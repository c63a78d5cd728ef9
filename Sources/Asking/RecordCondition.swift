public import AggregatorCore

/// A condition on one value of a record, as a person types it: `region=EU`, `capital!=`, `name~land`, `registered>=2020-03`.
///
/// Case and diacritics do not matter. Numbers are compared as numbers, and times as moments. A list meets a condition if one of its
/// elements does; with `!=`, if none of them is equal. The same holds for a part with several values: `name~ada`. An empty text after `=`
/// means a missing value. `<` and the like compare only numbers, times, and texts that are numbers, such as `"12.04"`. A shortened date
/// such as `2020-03` means its first moment.
public struct RecordCondition: Sendable, Hashable {
  /// The way in which a value is compared, by the sign that a person types.
  public enum Comparison: String, Sendable, Hashable {
    /// The same text when folded, the same number, or the same time.
    case equals = "="
    /// Not the same; a list differs if none of its values is the same.
    case differs = "!="
    /// The value contains the text, both folded.
    case contains = "~"
    /// Less, or earlier.
    case below = "<"
    /// Less, earlier, or the same.
    case atMost = "<="
    /// Greater, or later.
    case above = ">"
    /// Greater, later, or the same.
    case atLeast = ">="

    /// True when only numbers and times can be compared in this way.
    var needsOrder: Bool { ![.equals, .differs, .contains].contains(self) }

    fileprivate func holds(of value: ComparedValue, and bound: ComparedValue) -> Bool {
      switch self {
      case .equals, .differs: value == bound
      case .contains: false
      case .below: value < bound
      case .atMost: value <= bound
      case .above: value > bound
      case .atLeast: value >= bound
      }
    }
  }

  /// The path of the value, or of the part with several values.
  public let path: FieldPath
  /// The sign between the path and the sought text.
  public let comparison: Comparison
  /// The text after the sign.
  public let sought: String
  /// The sought text, folded.
  private let operand: String
  private let needle: Needle
  /// The sought text as a number or a time; nil if it is neither.
  private let bound: ComparedValue?
  private let kind: Leaf.Kind

  /// Reads a condition on a record with those leaves. Throws if the text is not a condition, or holds several.
  public init(_ text: String, on leaves: [Leaf]) throws(SourceError) {
    guard let sign = text.firstIndex(where: Self.isSign) else { throw Self.unreadable(text) }
    let (name, rest) = (String(text[..<sign]), text[sign...])
    guard let comparison = Comparison(rawValue: String(rest.prefix(2))) ?? Comparison(rawValue: String(rest.prefix(1))) else {
      throw Self.unreadable(text)
    }
    let operand = String(rest.dropFirst(comparison.rawValue.count))
    if operand.isEmpty, comparison != .equals, comparison != .differs { throw Self.unreadable(text) }
    let path = try leaves.part(called: name)
    let value = leaves.first { $0.path == path }
    // Other languages write `==` and `=>`, but a sought text may begin with such a sign too.
    let isForeign = comparison == .equals && operand.first.map { "=<>".contains($0) } ?? false
    if isForeign, operand.first == "=" || value?.hasOrder == true { throw Self.unreadable(text) }
    // A person may mean two conditions by what a shell passes on as one text.
    guard !Self.hasCondition(operand, on: leaves) else {
      throw SourceError(
        .settings, "\"\(text)\" holds several conditions", remedy: .give([.init("where", "FIELD=VALUE")], "once for each"))
    }
    self.path = path
    kind = value?.kind ?? .any
    bound =
      kind == .text ? Numeral(plain: operand).map { .number($0) } : ComparedValue(operand, kind == .any ? .number : kind)
    self.comparison = comparison
    sought = operand
    self.operand = Fold.fold(operand)
    needle = Needle(operand)
    guard comparison.needsOrder else { return }
    let leaf = try leaves.leaf(called: name)
    guard leaf.hasOrder || leaf.mayBeNumber && bound != nil else {
      let others = leaves.filter(\.hasOrder).map(\.path.text).joined(separator: ", ")
      let remedy = others.isEmpty ? "no field has one" : "fields with an order: \(others)"
      throw SourceError(.settings, "\(path) has no order", remedy: .advice(remedy))
    }
    guard bound != nil else {
      throw SourceError(
        .settings, "\"\(operand)\" is not a \(kind == .time ? "time" : "number")",
        remedy: kind == .time
          ? "write 2020, 2020-03, 2020-03-01 or 2020-03-01T10:00:00Z" : .advice("\(path) compares with one, such as 19.90"))
    }
  }

  private static func isSign(_ character: Character) -> Bool { "=!~<>".contains(character) }

  /// True when a word of the text begins with the name of a field and a sign.
  private static func hasCondition(_ text: String, on leaves: [Leaf]) -> Bool {
    text.split { " ,&;".contains($0) }.contains { word in
      word.contains(where: isSign) && !leaves.named(String(word.prefix { !isSign($0) })).isEmpty
    }
  }

  private static func unreadable(_ text: String) -> SourceError {
    SourceError(
      .settings, "\"\(text)\" is not a condition", remedy: "write FIELD=VALUE, with =, !=, ~, or in quotes <, <=, >, >=")
  }

  /// Returns the texts and numbers that a record with these members has at the path.
  public func values(in record: Value) -> [String] { record.value(at: path.names[...]).texts }

  /// True when a record with these members meets the condition.
  public func isMet(by record: Value) -> Bool {
    let value = record.value(at: path.names[...])
    return comparison == .differs ? !isFound(in: value) : isFound(in: value)
  }

  /// Returns the text that a record with these members has where the condition compares numbers; nil if it has a number or no value.
  func strangeText(in record: Value) -> String? {
    guard comparison.needsOrder, kind == .text || kind == .any,
      case .text(let text) = MixedValue(record.value(at: path.names[...]))
    else {
      return nil
    }
    return text
  }

  /// Returns the value of a record with these members, as a text, where the condition needs a number or a time and the value is neither.
  func unfitText(in record: Value) -> String? {
    guard comparison.needsOrder, [.integer, .number, .time].contains(kind) else { return nil }
    let value = record.value(at: path.names[...])
    switch ComparedValue(value, kind) {
    case .number, .time: return nil
    case .text, nil: return value.isNull ? nil : String(value.plainText.prefix(60))
    }
  }

  private func isFound(in value: Value) -> Bool {
    switch value {
    case .list(let values): values.isEmpty ? operand.isEmpty : values.contains(where: isFound)
    case .object(let members): members.contains { isFound(in: $0.value) }
    case .null: operand.isEmpty
    case .bool: matches(value.plainText)
    case .int, .double, .decimal, .text: compares(value) || matches(value.plainText)
    }
  }

  /// True when the value is a number or a time, and compares with the sought one as the sign says.
  private func compares(_ value: Value) -> Bool {
    if case .text(let text) = value, !comparison.needsOrder, Self.isCode(text) || Self.isCode(sought) { return false }
    guard let bound, let value = ComparedValue(value, kind) else { return false }
    return switch (value, bound) {
    case (.number, .number), (.time, .time): comparison.holds(of: value, and: bound)
    default: false
    }
  }

  /// True when a text of digits begins with a zero that a number does not have: 0470 is not the same postcode as 470.
  private static func isCode(_ text: String) -> Bool {
    let digits = text.utf8.drop { $0 == 0x2D }
    return digits.first == 0x30 && digits.dropFirst().first.map { $0 != 0x2E } ?? false
  }

  private func matches(_ text: String) -> Bool {
    switch comparison {
    case .equals, .differs: Fold.fold(text) == operand
    case .contains: needle.matches(text)
    case .below, .atMost, .above, .atLeast: false
    }
  }
}

extension Leaf {
  /// True when its values compare with `<`, because each is one number or one time. A leaf of unknown kind may
  /// hold numbers, so it counts too.
  fileprivate var hasOrder: Bool { !mayBeList && ![.text, .bool, .address].contains(kind) }
  /// True when its values are texts, which may be numbers.
  fileprivate var mayBeNumber: Bool { !mayBeList && kind == .text }
}

extension [Leaf] {
  /// Returns the path of the value that a person calls `name`, or of the part that contains several such values.
  func part(called name: String) throws(SourceError) -> FieldPath {
    let found = named(FieldPath.trimmed(name)).map { $0.path.names }
    guard found.count > 1, let first = found.first else { return try leaf(called: name).path }
    let shared = found.dropFirst().reduce(first.count) { count, names in
      Swift.min(count, zip(first, names).prefix { $0 == $1 }.count)
    }
    return FieldPath([String](first.prefix(shared)))
  }

  /// Returns the only value that a person calls `name`. Throws if none or several have this name.
  func leaf(called name: String) throws(SourceError) -> Leaf {
    let found = named(FieldPath.trimmed(name))
    if found.count == 1 { return found[0] }
    guard found.isEmpty else {
      let names = found.map { $0.path.text }.joined(separator: ", ")
      throw SourceError(.settings, "\"\(name)\" has several values", remedy: "choose one of \(names)")
    }
    throw SourceError(Unknown("field", name, among: map { $0.path.text }), remedy: .give(["fields"], "to list them"))
  }
}

extension RecordCondition: CustomStringConvertible {
  /// The condition as a person types it.
  public var description: String { path.text + comparison.rawValue + sought }
}

extension Value {
  /// The texts and numbers in it, as people write them.
  fileprivate var texts: [String] {
    switch self {
    case .null: []
    case .list(let values): values.flatMap(\.texts)
    case .object(let members): members.flatMap(\.value.texts)
    default: [plainText]
    }
  }
}
