/// A pattern that writes a part of a record as one line: the names of its values in braces, and the text around them.
///
///     struct Address: Part {
///       static let lineFormat: LineFormat? = "{street}, {city}, {state} {postcode}, {country}"
///
/// A word whose value is missing is left out. A clause between commas is left out if none of its values is there: an address without a
/// street begins with its city.
public struct LineFormat: Sendable, Hashable, ExpressibleByStringLiteral {
  private let pattern: String

  /// A pattern such as `{street}, {city}`.
  public init(_ pattern: String) { self.pattern = pattern }
  public init(stringLiteral pattern: String) { self.init(pattern) }

  /// Returns the line; empty if all values are missing. `text` returns each value as a person reads it.
  public func line(_ text: (FieldPath) -> String) -> String {
    var clauses: [String] = []
    for clause in pieces(of: pattern, between: ",") {
      let words = pieces(of: clause, between: " ").map { fill($0, text) }
      // A clause that has only words of the pattern says nothing.
      guard words.contains(where: { $0.hasValue }) else { continue }
      clauses.append(words.map(\.text).filter { !$0.isEmpty }.joined(separator: " "))
    }
    return clauses.joined(separator: ", ")
  }

  /// Fills the values into a word; empty if one of them is missing.
  private func fill(_ word: String, _ text: (FieldPath) -> String) -> (text: String, hasValue: Bool) {
    var filled = ""
    var hasValue = false
    for (index, piece) in word.split(separator: "{", omittingEmptySubsequences: false).enumerated() {
      guard index > 0, let end = piece.firstIndex(of: "}") else {
        filled += piece
        continue
      }
      let value = text(FieldPath(text: String(piece[..<end])))
      if value.isEmpty { return ("", false) }
      hasValue = true
      filled += value + piece[piece.index(after: end)...]
    }
    return (filled, hasValue)
  }

  /// The pieces between separators outside braces: a name in braces may contain a blank or a comma.
  private func pieces(of text: String, between separator: Character) -> [String] {
    var pieces = [""]
    var isName = false
    for character in text {
      if character == "{" { isName = true }
      if character == "}" { isName = false }
      if character == separator, !isName { pieces.append("") } else { pieces[pieces.count - 1].append(character) }
    }
    return pieces.filter { !$0.isEmpty }
  }
}

extension Value {
  /// The value as text; empty for null.
  package var plainText: String {
    switch self {
    case .null: ""
    case .bool(let bool): bool ? "true" : "false"
    case .int(let int): String(int)
    case .decimal(let decimal): decimal.description
    case .double(let double): String(double)
    case .text(let text): text
    case .list(let values): values.map(\.plainText).joined(separator: values.separator)
    case .object(let members): members.map(\.value.plainText).filter { !$0.isEmpty }.joined(separator: ", ")
    }
  }

  /// The value as a person reads it, with a part written by `lineFormat`. Line breaks stay.
  package func phrased(by lineFormat: LineFormat?) -> String {
    switch self {
    case .list(let values) where lineFormat != nil:
      return values.map { $0.phrased(by: lineFormat) }.filter { !$0.isEmpty }.joined(separator: values.separator)
    case .object:
      let line = lineFormat?.line { value(at: $0.names[...]).plainText } ?? ""
      // The values that the lineFormat names may be missing while others are there.
      return line.isEmpty ? plainText : line
    default: return plainText
    }
  }
}

extension [Value] {
  /// The text between the values of a list, which differs from the text inside objects.
  fileprivate var separator: String { contains { $0.members != nil } ? "; " : ", " }
}
