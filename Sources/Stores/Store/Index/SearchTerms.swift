import AggregatorCore

/// The letters by which an index is asked, for a person's text.
///
/// The index knows which rows have which three consecutive letters, without joints, but not in which order. So a row that it finds may still
/// not match.
enum SearchTerms: Equatable {
  /// The rows that have all of these.
  case all([Int])
  /// No word has three letters: the rows with any of these, which begin so. Every text in the index ends in two line breaks, so that one or
  /// two letters always begin some three.
  case any(Range<Int>)

  /// Returns nil if any row may match: the text is empty, or only joints, which the index does not have.
  init?(_ text: String) {
    let text = SearchText(text)
    let words = text.isOfJoints ? [] : text.words.map(Self.symbols)
    guard let longest = words.map(\.count).max(), let first = words.first(where: { $0.count == longest }) else { return nil }
    if longest < 3 {
      // The other words are compared in the records that have this one.
      self = .any(Letters.numbers(beginning: first[...]))
      return
    }
    var numbers: [Int] = []
    for word in words where word.count >= 3 {
      let last = word.count - 3
      // In a long word every other three letters narrow the search nearly as much, and all of them cost time.
      for start in Array(stride(from: 0, to: last, by: last > 2 ? 2 : 1)) + [last] {
        let number = Letters.number(of: word[start..<start + 3])
        // Further letters would only narrow down records that are compared anyway.
        if numbers.count < Self.most, !numbers.contains(number) { numbers.append(number) }
      }
    }
    self = .all(numbers)
  }

  /// The largest number of letters that is worth its time.
  private static let most = 32

  private static func symbols(of word: some Sequence<UInt8>) -> [Int] {
    Array(word).withUnsafeBytes { Array(Letters.Symbols($0)) }
  }
}
