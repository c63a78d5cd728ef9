public import AggregatorCore

/// A condition on one value of a record, as a person types it: `region=EU`, `capital!=`, `name~land`.
///
/// Case and diacritics do not matter, numbers are compared as numbers, and a list meets a condition where one of its elements does
/// (`!=`: where none is that); so does a part with several values: `name~ada`. Nothing behind the sign stands for a missing value.
public struct RecordCondition: Sendable, Hashable {
  public enum Comparison: String, Sendable, Hashable {
    case equals = "="
    case differs = "!="
    case contains = "~"
  }

  public let path: FieldPath
  public let comparison: Comparison
  /// What stands behind the sign.
  public let sought: String
  /// The same, folded.
  private let operand: String
  private let needle: Needle
  private let number: Double?
  /// The number exactly, where it is a whole one.
  private let integer: Int?

  /// Reads a condition on a record with those leaves.
  public init(_ text: String, on leaves: [Leaf]) throws(SourceError) {
    guard let sign = text.firstIndex(where: { $0 == "=" || $0 == "~" || $0 == "!" }) else { throw Self.unreadable(text) }
    let rest = text[sign...]
    let comparison: Comparison
    if rest.hasPrefix(Comparison.differs.rawValue) {
      comparison = .differs
    } else if rest.first == "~" {
      comparison = .contains
    } else if rest.first == "=", !rest.hasPrefix("==") {
      comparison = .equals
    } else {
      throw Self.unreadable(text)
    }
    let operand = String(rest.dropFirst(comparison.rawValue.count))
    path = try leaves.part(called: String(text[..<sign]))
    // What is one text to a shell may be two conditions to a person.
    guard !operand.hasCondition(on: leaves) else {
      throw SourceError(.settings, "\"\(text)\" holds several conditions", remedy: .separateConditions)
    }
    self.comparison = comparison
    sought = operand
    self.operand = Fold.fold(operand)
    needle = Needle(operand)
    // As people write numbers: no hexadecimal ones, no "nan".
    number = operand.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) } ? Double(operand) : nil
    integer = Int(operand)
    if comparison == .contains, self.operand.isEmpty { throw Self.unreadable(text) }
  }

  private static func unreadable(_ text: String) -> SourceError {
    SourceError(
      .settings, "\"\(text)\" is not a condition", remedy: "write FIELD=VALUE, FIELD!=VALUE or FIELD~TEXT")
  }

  /// The texts and numbers that a record with these members has there.
  public func values(in record: Value) -> [String] { record.value(at: path.names[...]).texts }

  /// Whether a record with these members meets it.
  public func isMet(by record: Value) -> Bool {
    let value = record.value(at: path.names[...])
    return comparison == .differs ? !isFound(in: value) : isFound(in: value)
  }

  private func isFound(in value: Value) -> Bool {
    switch value {
    case .list(let values): values.isEmpty ? operand.isEmpty : values.contains(where: isFound)
    case .object(let members): members.contains { isFound(in: $0.value) }
    case .null: operand.isEmpty
    case .bool(let bool): matches(bool ? "true" : "false")
    case .int(let int):
      comparison != .contains && (integer.map { $0 == int } ?? (number == Double(int))) || matches(String(int))
    case .double(let double): comparison != .contains && number == double || matches(String(double))
    case .decimal(let decimal):
      comparison != .contains && DecimalNumber(sought) == decimal || matches(decimal.description)
    case .text(let text): matches(text)
    }
  }

  private func matches(_ text: String) -> Bool { comparison == .contains ? needle.matches(text) : Fold.fold(text) == operand }
}

extension [Leaf] {
  /// The way to what a person calls `name`: to a value, or to the part in which several lie.
  func part(called name: String) throws(SourceError) -> FieldPath {
    let found = named(FieldPath.trimmed(name)).map { $0.path.names }
    guard found.count > 1, let first = found.first else { return try path(called: name) }
    let shared = found.dropFirst().reduce(first.count) { count, names in
      Swift.min(count, zip(first, names).prefix { $0 == $1 }.count)
    }
    return FieldPath([String](first.prefix(shared)))
  }

  /// The way to the one value a person calls `name`.
  func path(called name: String) throws(SourceError) -> FieldPath {
    let found = named(FieldPath.trimmed(name))
    if found.count == 1 { return found[0].path }
    guard found.isEmpty else {
      let names = found.map { $0.path.text }.joined(separator: ", ")
      throw SourceError(.settings, "\"\(name)\" has several values", remedy: "choose one of \(names)")
    }
    let nearest = Closest.closest(to: name, among: map { $0.path.text })
    throw SourceError(
      .settings, "unknown field \"\(name)\"", remedy: nearest.map { "did you mean \($0)?" } ?? .listFields(of: nil))
  }
}

extension RecordCondition: CustomStringConvertible {
  /// As a person types it.
  public var description: String { path.text + comparison.rawValue + sought }
}

extension String {
  /// Whether a word in it begins another condition: the name of a field and a sign.
  fileprivate func hasCondition(on leaves: [Leaf]) -> Bool {
    split { $0 == " " || $0 == "," || $0 == "&" || $0 == ";" }.contains { word in
      guard let sign = word.firstIndex(where: { $0 == "=" || $0 == "~" || $0 == "!" }), sign > word.startIndex else {
        return false
      }
      return !leaves.named(String(word[..<sign])).isEmpty
    }
  }
}

extension Value {
  /// The texts and numbers in it, as people write them.
  fileprivate var texts: [String] {
    switch self {
    case .null: []
    case .bool(let bool): [bool ? "true" : "false"]
    case .int(let int): [String(int)]
    case .decimal(let decimal): [decimal.description]
    case .double(let double): [String(double)]
    case .text(let text): [text]
    case .list(let values): values.flatMap(\.texts)
    case .object(let members): members.flatMap(\.value.texts)
    }
  }
}
