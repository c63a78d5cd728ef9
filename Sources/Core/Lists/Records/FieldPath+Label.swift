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
