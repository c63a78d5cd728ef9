public import AggregatorCore
public import Asking

/// The values of a record to show: those that a person named, or all.
public struct Selection {
  package private(set) var leaves: [Leaf]
  /// True when a person named them.
  package private(set) var isChosen: Bool

  /// All values; with `detail` also those of the full record.
  public init(of fields: [FieldOutline], detail: Bool) {
    (leaves, isChosen) = (fields.filter { detail || !$0.isDetail }.leaves, false)
  }

  /// These values, as if a person had named them.
  package init(chosen leaves: [Leaf]) { (self.leaves, isChosen) = (leaves, true) }

  /// The values named in `list`, each of them once. The name of a part means all values in it, and `all` means every value. Without a
  /// list these are all values; with `detail` also those of the full record.
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
  /// The path as a terminal may show it.
  package var shownName: String { Printable.clean(path.text) }
}

extension FieldPath {
  /// The path as a person writes it: `Real name` for `realName` and `real_name`, `Name first`, `UUID`.
  package var label: String {
    let words = names.flatMap { Self.words(in: Printable.clean($0)) }
    if words.count == 1, Self.abbreviations.contains(words[0]) { return words[0].uppercased() }
    let written = words.joined(separator: " ")
    return written.prefix(1).uppercased() + written.dropFirst()
  }

  /// The label as it is inside a line: `first name`.
  package var labelInside: String {
    let label = label
    return label.uppercased() == label ? label : label.prefix(1).lowercased() + label.dropFirst()
  }

  /// Returns the words of a name, in lower case. A word begins with a capital after a lower-case letter or a digit, or with the last one
  /// of several capitals: `HTTPStatus` has two words.
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

/// The reason why columns cannot be chosen as a person named them.
public enum ColumnError: Error, Hashable {
  /// The list does not name a field.
  case none
  /// The list has a name that is not one of a field.
  case unknown(Unknown)
}
