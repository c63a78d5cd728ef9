import CText

/// The number of columns that a text takes on a terminal.
///
///     DisplayWidth.of("東京 🇯🇵")  // 7
///
/// It counts as terminals do. Combining marks and control characters take 0 columns, East Asian wide and full-width characters 2,
/// ambiguous ones 1, and a soft hyphen 1. An emoji takes 2 with everything that is joined to it (a variation selector, a skin tone, a
/// family), and so does a flag. The width of a text is the sum of the widths of its graphemes.
public enum DisplayWidth {
  /// Returns the number of columns that the text takes.
  public static func of(_ text: String) -> Int {
    // Each byte takes one column.
    if isPlain(text) { return text.utf8.count }
    var counter = Counter()
    for scalar in text.unicodeScalars { counter.add(scalar.value) }
    return counter.columns
  }

  /// True when the text is printable ASCII, as nearly every text is.
  private static func isPlain(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in bytes.allSatisfy { $0 &- 0x20 < 0x5F } }
  }

  /// Returns the number of columns that the character takes.
  public static func of(_ character: Character) -> Int { of(String(character)) }
}

/// Adds up scalars, and knows which ones are drawn together as one emoji.
private struct Counter {
  private(set) var columns = 0
  /// The scalar that began the grapheme, and its columns.
  private var base: (scalar: UInt32, columns: Int)?
  private var isJoining = false

  mutating func add(_ scalar: UInt32) {
    let wasJoining = isJoining
    isJoining = false
    switch scalar {
    case 0x200D: isJoining = isOnPictograph
    case 0xFE0F: if let base, isEmoji(base.scalar) { widen() }
    case 0x1F3FB...0x1F3FF where isOnPictograph: break
    case _ where wasJoining && isPictograph(scalar): widen()
    default:
      let width = Int(text_width(scalar))
      columns += width
      if width > 0 {
        base = (scalar, width)
      } else if base != nil, Unicode.Scalar(scalar)?.properties.isGraphemeExtend != true {
        base = nil
      }
    }
  }

  /// Takes the emoji form of a character that is narrow as text.
  private mutating func widen() {
    guard let base, base.columns == 1 else { return }
    columns += 1
    self.base = (base.scalar, 2)
  }

  private var isOnPictograph: Bool { base.map { isPictograph($0.scalar) } ?? false }

  private func isEmoji(_ scalar: UInt32) -> Bool { Unicode.Scalar(scalar)?.properties.isEmoji ?? false }

  /// True for the parts from which emoji are joined. Digits, skin tones and the halves of flags are emoji too, but do not count here.
  private func isPictograph(_ scalar: UInt32) -> Bool {
    scalar > 0x7F && !(0x1F1E6...0x1F1FF ~= scalar) && !(0x1F3FB...0x1F3FF ~= scalar) && isEmoji(scalar)
  }
}

extension DisplayWidth {
  /// Returns the text padded with blanks to `width` columns; a longer text stays as it is.
  public static func pad(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - of(text)))
  }

  /// Returns the text in at most `width` columns. An ellipsis replaces the part that does not fit, and the cut is between graphemes.
  public static func truncate(_ text: String, to width: Int) -> String {
    guard of(text) > width else { return text }
    var left = width - 1
    var part = text.prefix { character in
      left -= of(character)
      return left >= 0
    }
    while part.last == " " { part.removeLast() }
    return width < 1 ? "" : part + "…"
  }
}

extension DisplayWidth {
  /// Returns the text in lines of at most `width` columns.
  ///
  ///     DisplayWidth.wrap("Spider-Man swings", width: 8)  // ["Spider-", "Man", "swings"]
  ///
  /// Lines break at spaces, which are dropped, after hyphens and dashes inside a word, beside wide characters, and at line breaks in the
  /// text. A closing mark stays with the text that it closes. A word too long for a line is broken between graphemes; a wide character in
  /// a width of one column is alone on its line. Nothing visible is lost. The result always has at least one line.
  public static func wrap(_ text: String, width: Int) -> [String] {
    // Every line break contains one of these bytes.
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0xC2 || $0 == 0xE2 }) else { return wrapLine(text[...], width: width) }
    return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).flatMap { wrapLine($0, width: width) }
  }

  private static func wrapLine(_ text: Substring, width: Int) -> [String] {
    guard of(String(text)) > width else { return [trimmingEnd(text)] }
    var (lines, line, used) = ([String](), "", 0)
    func breakLine() {
      if !line.allSatisfy({ $0 == " " }) { lines.append(trimmingEnd(line[...])) }
      (line, used) = ("", 0)
    }
    for piece in pieces(of: text) {
      if used + piece.spaces + piece.width <= width {
        line += String(repeating: " ", count: piece.spaces) + piece.text
        used += piece.spaces + piece.width
      } else if !piece.text.isEmpty {
        breakLine()
        for character in piece.text {
          if used + of(character) > width { breakLine() }
          line.append(character)
          used += of(character)
        }
      }
    }
    breakLine()
    return lines.isEmpty ? [""] : lines
  }

  /// A part of a line that is broken only if it must be, with the spaces before it.
  private typealias Piece = (spaces: Int, text: String, width: Int)

  private static func pieces(of text: Substring) -> [Piece] {
    var (pieces, piece) = ([Piece](), Piece(0, "", 0))
    // Lines can break after very few characters, and only these are looked at twice.
    var mayEnd = false
    for character in text {
      let ascii = character.asciiValue
      let width = ascii.map { $0 &- 0x20 < 0x5F } ?? false ? 1 : of(character)
      let isSpace = ascii == 0x20
      if isSpace ? !piece.text.isEmpty : (mayEnd || width == 2) && mayBreak(after: piece.text, before: character) {
        pieces.append(piece)
        piece = (0, "", 0)
      }
      if isSpace {
        piece.spaces += 1
      } else {
        piece.text.append(character)
        piece.width += width
      }
      mayEnd = width == 2 || ascii == UInt8(ascii: "-") || ascii == nil && "‐–—".contains(character)
    }
    return pieces + [piece]
  }

  private static func mayBreak(after text: String, before next: Character) -> Bool {
    guard let last = text.last else { return false }
    if "-‐–—".contains(last) {
      // Only inside a word, so that "--all", "--same-account" and "-1" stay whole.
      return !text.hasPrefix("--") && (next.isLetter || next.isNumber) && text.contains { $0.isLetter || $0.isNumber }
    }
    guard of(last) == 2 || of(next) == 2 else { return false }
    return !"、。，．！？：；）」』】〉》〕］｝ー…’”)]},.!?:;%".contains(next) && !"（「『【〈《〔［｛‘“([{".contains(last)
  }

  private static func trimmingEnd(_ text: Substring) -> String {
    var text = text
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
