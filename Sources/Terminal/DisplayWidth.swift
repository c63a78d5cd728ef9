import CText

/// How many columns a text takes on a terminal.
///
///     DisplayWidth.of("東京 🇯🇵")  // 7
///
/// As terminals count: combining marks and control characters 0, East Asian wide and full-width characters 2, ambiguous ones
/// 1, a soft hyphen 1. An emoji takes 2 with all that is joined to it (a variation selector, a skin tone, a family), and so
/// does a flag. The width of a text is the sum of the widths of its graphemes.
public enum DisplayWidth {
  /// How many columns the text takes.
  public static func of(_ text: String) -> Int {
    // As wide as it is long.
    if isPlain(text) { return text.utf8.count }
    var counter = Counter()
    for scalar in text.unicodeScalars { counter.add(scalar.value) }
    return counter.columns
  }

  /// Whether it is printable ASCII, as nearly everything is.
  private static func isPlain(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in bytes.allSatisfy { $0 &- 0x20 < 0x5F } }
  }

  /// How many columns the character takes.
  public static func of(_ character: Character) -> Int { of(String(character)) }
}

/// Adds scalars up, and knows what an emoji draws together.
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

  /// The emoji form of a sign that is narrow as text.
  private mutating func widen() {
    guard let base, base.columns == 1 else { return }
    columns += 1
    self.base = (base.scalar, 2)
  }

  private var isOnPictograph: Bool { base.map { isPictograph($0.scalar) } ?? false }

  private func isEmoji(_ scalar: UInt32) -> Bool { Unicode.Scalar(scalar)?.properties.isEmoji ?? false }

  /// What emoji are joined from: digits, skin tones and the halves of flags are emoji too, but not these.
  private func isPictograph(_ scalar: UInt32) -> Bool {
    scalar > 0x7F && !(0x1F1E6...0x1F1FF ~= scalar) && !(0x1F3FB...0x1F3FF ~= scalar) && isEmoji(scalar)
  }
}

extension DisplayWidth {
  /// The text with blanks up to `width` columns; a longer text stays as it is.
  public static func pad(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - of(text)))
  }

  /// The text in at most `width` columns; what does not fit gives way, between graphemes, to an ellipsis.
  public static func truncate(_ text: String, to width: Int) -> String {
    guard of(text) > width else { return text }
    var left = width - 1
    var kept = text.prefix { character in
      left -= of(character)
      return left >= 0
    }
    while kept.last == " " { kept.removeLast() }
    return width < 1 ? "" : kept + "…"
  }
}

extension DisplayWidth {
  /// The text in lines of at most `width` columns.
  ///
  ///     DisplayWidth.wrap("Spider-Man swings", width: 8)  // ["Spider-", "Man", "swings"]
  ///
  /// Lines break at spaces, which go, after hyphens and dashes inside a word, beside wide characters (but a closing mark stays
  /// with what it closes), and at line breaks in the text. A word too long for a line is broken between graphemes; a wide
  /// character where there is one column stands alone. Nothing visible is lost. There is always at least one line.
  public static func wrap(_ text: String, width: Int) -> [String] {
    // No line break is without one of these bytes.
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

  /// What is never broken unless it must be, with the spaces before it.
  private typealias Piece = (spaces: Int, text: String, width: Int)

  private static func pieces(of text: Substring) -> [Piece] {
    var (pieces, piece) = ([Piece](), Piece(0, "", 0))
    // Hardly any character ends where a line may break: the others are not looked at twice.
    var mayEnd = false
    for character in text {
      let ascii = character.asciiValue
      let width = ascii.map { $0 &- 0x20 < 0x5F } ?? false ? 1 : of(character)
      let isSpace = ascii == 0x20
      if isSpace ? !piece.text.isEmpty : (mayEnd || width == 2) && mayBreak(behind: piece.text, before: character) {
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

  private static func mayBreak(behind text: String, before next: Character) -> Bool {
    guard let last = text.last else { return false }
    if "-‐–—".contains(last) {
      // Inside a word only: neither "--all" nor "-1" comes apart.
      return (next.isLetter || next.isNumber) && text.contains { $0.isLetter || $0.isNumber }
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
