import AggregatorCore
package import Asking
package import RecordFormats
import Terminal

/// A text that was searched for, as a whole and word by word.
package struct SearchPhrase: Sendable {
  private let whole: SearchText
  private let words: [SearchText]

  /// Nil for an empty text, which every record has.
  package init?(_ text: String) {
    whole = SearchText(text)
    guard !whole.isEmpty else { return nil }
    words = text.split(whereSeparator: \.isWhitespace).map { SearchText(String($0)) }.filter { !$0.isEmpty }
  }

  /// True when `texts` show by themselves why a record was found.
  package func isFound(in texts: [String]) -> Bool { whole.isFound(in: texts) }

  /// Returns the words that `texts` do not have.
  fileprivate func missing(in texts: [String]) -> [SearchText] { words.filter { !$0.isFound(in: texts) } }
}

extension Columns {
  /// Returns a field in which a record has words that `shown` does not have, with the part of its value around them: `Aliases: Spidey`.
  /// Nil if `shown` has the text or all of its words, or if no field has the missing ones: then only the service knows why it found the
  /// record.
  package func reason(for text: SearchPhrase, in record: ShownRecord, besides shown: [String]) -> String? {
    guard !text.isFound(in: shown) else { return nil }
    let missing = text.missing(in: shown)
    let searched = all.filter { $0.leaf.isSearchable || $0.field.isSearchedLast }
    for column in searched {
      guard let value = values(of: record, in: [column]).first, value != .null else { continue }
      let texts = value.list?.map(shownText) ?? [shownText(value)]
      guard let word = missing.first(where: { $0.isFound(in: texts) }) else { continue }
      let text = texts.first { word.isFound(in: [$0]) } ?? texts.joined(separator: ", ")
      return "\(Printable.clean(column.label)): \(Self.part(of: text, around: word))"
    }
    return nil
  }

  /// Returns a short text as a whole, and a long text from two words before the match to its end.
  private static func part(of text: String, around word: SearchText) -> String {
    guard DisplayWidth.of(text) > 60 else { return text }
    let words = text.split(separator: " ")
    func index(_ count: Int) -> Int? {
      words.indices.first { word.isFound(in: [words[$0...].prefix(count).joined(separator: " ")]) }
    }
    let index = index(1) ?? index(2) ?? 0
    let start = max(0, index - 2)
    return (start > 0 ? "… " : "") + words[start...].joined(separator: " ")
  }
}
