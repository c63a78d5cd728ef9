public import AggregatorCore
public import Asking

/// Which values of a record to show: those that a person named, or all.
public struct Selection {
  package private(set) var leaves: [Leaf]
  /// Whether somebody chose them.
  package private(set) var isChosen: Bool

  /// Every value, those of the full record too when `detail`.
  public init(of fields: [FieldOutline], detail: Bool) {
    (leaves, isChosen) = (fields.filter { detail || !$0.isDetail }.leaves, false)
  }

  /// The values named in `list`; a part stands for all in it, `all` for every one, and each is there once. Without a list it is every
  /// one, those of the full record too when `detail`.
  public init(_ list: String?, of fields: [FieldOutline], detail: Bool) throws(ColumnError) {
    self.init(of: fields, detail: detail)
    guard let list else { return }
    let known = leaves
    var chosen: [Leaf] = []
    for name in FieldPath.texts(in: list) {
      let named = known.named(name)
      let found = named.isEmpty && name == "all" ? known : named
      guard !found.isEmpty else {
        throw .unknown(Unknown("field", name, among: known.map(\.shownName)))
      }
      chosen += found.filter { !chosen.contains($0) }
    }
    guard !chosen.isEmpty else { throw .none }
    (leaves, isChosen) = (chosen, true)
  }
}

extension Leaf {
  /// Its path as a terminal may show it.
  package var shownName: String { Printable.clean(path.text) }
}

extension FieldPath {
  /// As a person writes it: `Real name` for `realName` and `real_name`, `Name first`, `UUID`.
  package var label: String {
    let words = names.flatMap { Self.words(in: Printable.clean($0)) }
    if words.count == 1, Self.abbreviations.contains(words[0]) { return words[0].uppercased() }
    let written = words.joined(separator: " ")
    return written.prefix(1).uppercased() + written.dropFirst()
  }

  /// The label inside a line: `first name`.
  package var labelInside: String {
    let label = label
    return label.uppercased() == label ? label : label.prefix(1).lowercased() + label.dropFirst()
  }

  /// The words of a name in small letters. One begins with a capital behind a small letter or a digit, or before one behind capitals:
  /// `HTTPStatus` has two.
  private static func words(in name: String) -> [String] {
    let characters = Array(name)
    var words = [""]
    for (index, character) in characters.enumerated() {
      if " _-".contains(character) {
        words.append("")
        continue
      }
      let before = index > 0 ? characters[index - 1] : " "
      let isLastOfCapitals = before.isUppercase && index + 1 < characters.count && characters[index + 1].isLowercase
      if character.isUppercase, before.isLowercase || before.isNumber || isLastOfCapitals { words.append("") }
      words[words.count - 1] += character.lowercased()
    }
    let said = words.filter { !$0.isEmpty }
    return said.isEmpty ? [name] : said
  }

  private static let abbreviations: Set = ["id", "url", "uuid"]
}

/// Why columns cannot be had as somebody named them.
public enum ColumnError: Error, Hashable {
  /// No field is named.
  case none
  /// None is called so.
  case unknown(Unknown)
}
