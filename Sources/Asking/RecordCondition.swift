public import AggregatorCore

/// A condition on one value of a record, as a person types it: `region=EU`, `status in open,paid`, `name!~land`, `placed>=yesterday`.
///
/// Case and diacritics do not matter. Numbers are compared as numbers, and times as moments. A list meets a condition if one of its
/// elements does; with `!=` and `!~`, if none of them is equal or has the text. The same holds for a part with several values: `name~ada`.
/// `<` and the like compare only numbers, times, and texts that are numbers, such as `"12.04"`. A shortened date such as `2020-03` means
/// its first moment, and so does a day's name.
///
/// After `=`, `!=` and `in`, `null` means a missing value. A value in double quotes is taken as it stands: `surname="null"`, `note=""`, and
/// `city in "Paris, Texas",Rome`. Nothing after `=` means a missing value or an empty text.
public struct RecordCondition: Sendable, Hashable {
  /// The way in which a value is compared, by the sign or the word that a person types.
  public enum Comparison: String, Sendable, Hashable, CaseIterable {
    /// The same text when folded, the same number, or the same time.
    case equals = "="
    /// Not the same; a list differs if none of its values is the same.
    case differs = "!="
    /// The same as one of several, which have commas between them.
    case isAmong = "in"
    /// The value contains the text, both folded.
    case contains = "~"
    /// The value does not contain the text; a list lacks it if none of its values contains it.
    case lacks = "!~"
    /// Less, or earlier.
    case below = "<"
    /// Less, earlier, or the same.
    case atMost = "<="
    /// Greater, or later.
    case above = ">"
    /// Greater, later, or the same.
    case atLeast = ">="

    /// True when only numbers and times can be compared in this way.
    var needsOrder: Bool { [.below, .atMost, .above, .atLeast].contains(self) }
    /// True when whole values are compared, so that one may be missing or be in quotes.
    var isOfWholeValues: Bool { [.equals, .differs, .isAmong].contains(self) }
    /// True when a record meets the condition if no value of it is found.
    var isNegative: Bool { self == .differs || self == .lacks }

    fileprivate func holds(of value: ComparedValue, and bound: ComparedValue) -> Bool {
      switch self {
      case .equals, .differs, .isAmong: value == bound
      case .contains, .lacks: false
      case .below: value < bound
      case .atMost: value <= bound
      case .above: value > bound
      case .atLeast: value >= bound
      }
    }
  }

  /// The path of the value, or of the part with several values.
  public let path: FieldPath
  /// The sign or the word between the path and the sought text.
  public let comparison: Comparison
  /// The text after the sign, as it was typed.
  public let sought: String
  /// The sought values: several after `in`, else one.
  let soughtValues: [SoughtValue]
  let kind: Leaf.Kind

  init(_ path: FieldPath, _ comparison: Comparison, _ sought: String, _ values: [SoughtValue], _ kind: Leaf.Kind) {
    (self.path, self.comparison, self.sought, soughtValues, self.kind) = (path, comparison, sought, values, kind)
  }

  /// Returns the texts and numbers that a record with these members has at the path.
  public func values(in record: Value) -> [String] { record.value(at: path.names[...]).texts }

  /// True when a record with these members meets the condition.
  public func isMet(by record: Value) -> Bool {
    isFound(in: record.value(at: path.names[...])) != comparison.isNegative
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
    // Nearly every value is a number, which need not be read for that.
    switch value {
    case .int, .decimal: return nil
    case .double(let number) where number.isFinite: return nil
    default: break
    }
    switch ComparedValue(value, kind) {
    case .number, .time: return nil
    case .text, nil: return value.isNull ? nil : String(value.plainText.prefix(60))
    }
  }

  private func isFound(in value: Value) -> Bool {
    switch value {
    case .list(let values): values.isEmpty ? seeksMissing : values.contains(where: isFound)
    case .object(let members): members.contains { isFound(in: $0.value) }
    case .null: seeksMissing
    case .bool: matches(value.plainText)
    case .int, .double, .decimal, .text: compares(value) || matches(value.plainText)
    }
  }

  private var seeksMissing: Bool { comparison.isOfWholeValues && soughtValues.contains(where: \.isMissing) }

  /// True when the value is a number or a time, and compares with a sought one as the sign says.
  private func compares(_ value: Value) -> Bool {
    var mayBeCode = false
    if case .text(let text) = value, !comparison.needsOrder, kind != .time {
      if SoughtValue.isCode(text) { return false }
      mayBeCode = true
    }
    let isNumberOrTime = soughtValues.contains { $0.bound != nil }
    guard isNumberOrTime, let compared = ComparedValue(value, kind) else { return false }
    return soughtValues.contains { sought in
      if mayBeCode, SoughtValue.isCode(sought.text) { return false }
      return switch (compared, sought.bound) {
      case (.number, .number(let bound)?): comparison.holds(of: compared, and: .number(bound))
      case (.time, .time(let bound)?): comparison.holds(of: compared, and: .time(bound))
      default: false
      }
    }
  }

  private func matches(_ text: String) -> Bool {
    switch comparison {
    case .equals, .differs, .isAmong:
      let folded = Fold.fold(text)
      return soughtValues.contains { $0.folded == folded }
    case .contains, .lacks: return soughtValues.contains { $0.needle.matches(text) }
    case .below, .atMost, .above, .atLeast: return false
    }
  }
}

extension RecordCondition: CustomStringConvertible {
  /// The condition as a person types it.
  public var description: String { Self.text(path, comparison, sought) }

  package static func text(_ path: FieldPath, _ comparison: Comparison, _ sought: String) -> String {
    comparison == .isAmong ? "\(path.text) in \(sought)" : path.text + comparison.rawValue + sought
  }
}

/// One value that a condition looks for.
package struct SoughtValue: Sendable, Hashable {
  /// The value without the quotes around it.
  let text: String
  /// True when it is the word `null`, which means a missing value.
  let isNull: Bool
  /// True when a missing value is looked for, by `null` or by nothing at all.
  let isMissing: Bool
  /// The text in its folded form; nil if only a missing value is looked for.
  let folded: String?
  let needle: Needle
  /// The text as a number or a time; nil if it is neither.
  let bound: ComparedValue?

  /// A value that was typed, perhaps in quotes. `comparison` says whether `null` and nothing at all mean a missing value.
  init(_ typed: TypedValue, _ comparison: RecordCondition.Comparison, _ kind: Leaf.Kind, at now: Moment) {
    text = typed.text
    isNull = comparison.isOfWholeValues && typed.isNull
    isMissing = isNull || comparison.isOfWholeValues && typed.isNothing
    folded = isNull ? nil : Fold.fold(typed.text)
    needle = Needle(typed.text)
    // A text in quotes is taken as it stands: "1.10" is not 1.1.
    bound =
      switch kind {
      case .text where typed.isQuoted, .any where typed.isQuoted: nil
      case .text: Numeral(plain: typed.text).map { .number($0) }
      case .time: Moment(inWords: typed.text, at: now).map { .time($0) }
      case .integer, .number, .any, .bool, .address: ComparedValue(typed.text, kind == .any ? .number : kind)
      }
  }

  /// True when a text of digits begins with a zero that a number does not have: 0470 is not the same postcode as 470.
  package static func isCode(_ text: String) -> Bool {
    let digits = text.utf8.drop { $0 == 0x2D }
    return digits.first == 0x30 && digits.dropFirst().first.map { $0 != 0x2E } ?? false
  }
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
