import AggregatorCore

/// The terms to look for in the index, for a person's text.
///
/// The index knows which rows have which three consecutive letters, without joints, but
/// not in which order. So a row that it finds may still not match.
enum SearchTerms: Equatable {
  /// Any row may match: the text is empty, or only joints, which the index does not have.
  case all
  /// The rows that have all of these.
  case trigrams([String])
  /// No word has three letters: the rows with a trigram that begins so. Every text in the
  /// index ends in two line breaks, so that one or two letters always begin a trigram.
  case beginning(String)

  init(_ text: String) {
    let text = SearchText(text)
    let words = text.isOfJoints ? [] : text.words.map { Array(String(decoding: $0, as: UTF8.self).unicodeScalars) }
    guard let longest = words.map(\.count).max(), let first = words.first(where: { $0.count == longest }) else {
      self = .all
      return
    }
    if longest < 3 {
      // The other words are compared in the records that have this one.
      self = .beginning(Self.string(first[...]))
      return
    }
    var trigrams: [String] = []
    for word in words where word.count >= 3 {
      let last = word.count - 3
      // In a long word every other trigram narrows the search nearly as much, and each costs time.
      for start in Array(stride(from: 0, to: last, by: last > 2 ? 2 : 1)) + [last] {
        let trigram = Self.string(word[start..<start + 3])
        if !trigrams.contains(trigram) { trigrams.append(trigram) }
        // Further trigrams would only narrow down records that are compared anyway.
        if trigrams.count == Self.most { break }
      }
    }
    self = .trigrams(Array(trigrams.prefix(Self.most)))
  }

  /// The largest number of trigrams that is worth its time.
  private static let most = 32

  /// Returns the query in the index's own language. Each term is quoted, so that nothing in it is an operator.
  static func query(_ terms: [String], _ operator: String) -> String {
    terms.map { "\"\($0.replacingEach("\"", with: "\"\""))\"" }.joined(separator: " \(`operator`) ")
  }

  private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    // `append(contentsOf:)` is not compiled for this type, and looks it up at every start.
    var text = String.UnicodeScalarView()
    for scalar in scalars { text.append(scalar) }
    return String(text)
  }
}
