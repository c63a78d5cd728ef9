extension DisplayWidth {
  /// Where the blanks go that fill a column.
  public enum Alignment: Sendable {
    case left
    case right
  }

  /// The text with blanks up to `width` columns; a longer text stays as it is.
  public static func pad(_ text: String, to width: Int, align: Alignment = .left) -> String {
    let blanks = String(repeating: " ", count: max(0, width - of(text)))
    return align == .left ? text + blanks : blanks + text
  }

  /// The text in at most `width` columns; what does not fit gives way, between graphemes, to the ellipsis.
  public static func truncate(_ text: String, to width: Int, ellipsis: String = "…") -> String {
    guard of(text) > width else { return text }
    let mark = of(ellipsis) <= width ? ellipsis : prefix(of: ellipsis, width: width)
    var kept = prefix(of: text, width: width - of(mark))
    while kept.last == " " { kept.removeLast() }
    return kept + mark
  }

  /// The longest beginning of the text that fits.
  static func prefix(of text: String, width: Int) -> String {
    var left = width
    var end = text.startIndex
    while end < text.endIndex {
      left -= of(text[end])
      if left < 0 { break }
      end = text.index(after: end)
    }
    return String(text[..<end])
  }
}
