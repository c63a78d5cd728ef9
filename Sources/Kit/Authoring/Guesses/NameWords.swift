import AggregatorCore

extension Set<String> {
  /// The words of a text, for a list of names that is easier to read without quotes.
  init(words text: String) { self.init(text.split { $0.isWhitespace }.map(String.init)) }
}

/// Splits names into words, and joins words to names.
package enum NameWords {
  /// Returns the words of a name, without marks: `Größe-in_cm` gives `Grosse`, `in`, `cm`, and `createdAt` gives `created`, `At`. Words
  /// that end after `longest` letters are left out.
  package static func words(in name: String, longest: Int = 36) -> [String] {
    var words: [String] = []
    var word = ""
    var wasLower = false
    for scalar in name.unicodeScalars {
      let folded = plain(scalar)
      let isBreak = folded.isEmpty || (wasLower && scalar.properties.isUppercase)
      if isBreak, !word.isEmpty {
        words.append(word)
        word = ""
      }
      word += folded
      wasLower = scalar.properties.isLowercase
    }
    if !word.isEmpty { words.append(word) }
    // No name begins with a digit. A sign before the digit becomes a word: `+1`.
    if let first = words.first, first.first?.isNumber ?? false {
      words[0] = (name.hasPrefix("+") ? "plus" : name.hasPrefix("-") ? "minus" : "n") + first
    }
    var length = 0
    return words.prefix { word in
      length += word.utf8.count
      return length <= longest
    }
  }

  /// Returns the ASCII letters and digits for a character, in its own case; empty if it has none.
  private static func plain(_ scalar: Unicode.Scalar) -> String {
    if scalar.isASCII { return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) ? String(scalar) : "" }
    let folded = Fold.fold(String(scalar)).filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    guard scalar.properties.isUppercase else { return folded }
    return folded.prefix(1).uppercased() + folded.dropFirst()
  }

  /// Joins `created`, `At` to `createdAt`. A word in capitals becomes lowercase at the start: `URL` is `url`.
  package static func lowerCamel(_ words: [String]) -> String {
    guard let first = words.first else { return "" }
    return first.lowercased() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// Returns `port` for `ports`, `hero` for `heroes`, `city` for `cities`. A word without a plural ending stays as it is.
  package static func singular(_ word: String) -> String {
    let lower = word.lowercased()
    func without(_ count: Int, _ ending: String = "") -> String { String(word.dropLast(count)) + ending }
    if lower.count < 4 || ["ss", "us", "is", "news", "series"].contains(where: lower.hasSuffix) { return word }
    if lower.hasSuffix("ies") { return without(3, "y") }
    // "heroes" and "classes", but "houses" and "shoes".
    let isLong = ["sses", "uses", "xes", "ches", "shes", "zzes", "oes"].contains(where: lower.hasSuffix)
    if isLong, !["houses", "causes", "clauses", "shoes", "toes"].contains(where: lower.hasSuffix) { return without(2) }
    return lower.hasSuffix("s") ? without(1) : word
  }
}
