import AggregatorCore

/// What the index is asked for a person's text.
///
/// The index knows which row has which three letters one behind the other, joints left out, and nothing of their order; so a hit only may
/// match.
enum SearchTerms: Equatable {
  /// Nothing is looked for, or joints, which the index does not have: any row may match.
  case all
  /// The rows that have all of these.
  case trigrams([String])
  /// No word has three letters: the rows that have three that begin so. Every text in the index ends in two line breaks, so one and two
  /// letters always begin some three.
  case beginning(String)

  init(_ text: String) {
    let text = SearchText(text)
    let words = text.isOfJoints ? [] : text.words.map { Array(String(decoding: $0, as: UTF8.self).unicodeScalars) }
    guard let longest = words.map(\.count).max(), let first = words.first(where: { $0.count == longest }) else {
      self = .all
      return
    }
    if longest < 3 {
      // The others are looked for in what has this one.
      self = .beginning(Self.string(first[...]))
      return
    }
    var trigrams: [String] = []
    for word in words where word.count >= 3 {
      let last = word.count - 3
      // Of a long word every other one narrows down nearly as much, and each costs time.
      for start in Array(stride(from: 0, to: last, by: last > 2 ? 2 : 1)) + [last] {
        let trigram = Self.string(word[start..<start + 3])
        if !trigrams.contains(trigram) { trigrams.append(trigram) }
        // More would only narrow down what is checked anyway.
        if trigrams.count == Self.most { break }
      }
    }
    self = .trigrams(Array(trigrams.prefix(Self.most)))
  }

  /// The most trigrams that are worth asking for.
  private static let most = 32

  /// The query, in the index's own language: each one quoted, so that nothing in it is an operator.
  static func query(_ terms: [String], _ operator: String) -> String {
    terms.map { "\"\($0.replacingEach("\"", with: "\"\""))\"" }.joined(separator: " \(`operator`) ")
  }

  private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }
}
