internal import AggregatorCore

/// What the index is asked for a person's text.
///
/// The index knows which row has which three letters, and nothing of their order; so a hit only may hold the text.
enum SearchTerms: Equatable {
  /// Nothing is left of the text after folding: it is in every record.
  case all
  /// The rows that have all of these.
  case trigrams([String])
  /// Too short for three letters: the rows that have three that begin so. Every text in the index ends in two line breaks, so one and
  /// two letters always begin some three.
  case beginning(String)

  init(_ text: String) {
    // As the index has it: it would stop reading at a NUL.
    let scalars = Fold.fold(text).unicodeScalars.map { $0 == "\0" ? "\u{1}" : $0 }
    switch scalars.count {
    case 0: self = .all
    case 1, 2: self = .beginning(Self.string(scalars[...]))
    default:
      var trigrams: [String] = []
      for start in 0...scalars.count - 3 {
        let trigram = Self.string(scalars[start..<start + 3])
        if !trigrams.contains(trigram) { trigrams.append(trigram) }
        // More would only narrow down what is checked anyway.
        if trigrams.count == Self.most { break }
      }
      self = .trigrams(trigrams)
    }
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
