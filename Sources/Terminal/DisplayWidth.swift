import CText

/// How many columns a text takes on a terminal.
///
///     DisplayWidth.of("東京 🇯🇵")  // 7
///
/// As terminals count: combining marks and control characters 0, East Asian wide and full-width characters 2, ambiguous ones
/// 1, a soft hyphen 1. An emoji takes 2 with all that is joined to it (a variation selector, a skin tone, a family), and so
/// does a flag. The width of a text is the sum of the widths of its graphemes.
public enum DisplayWidth {
  public static func of(_ text: String) -> Int {
    // Printable ASCII, which is nearly everything, is as wide as it is long.
    var text = text
    if text.withUTF8({ bytes in bytes.allSatisfy { $0 &- 0x20 < 0x5F } }) { return text.utf8.count }
    var counter = Counter()
    for scalar in text.unicodeScalars { counter.add(scalar.value) }
    return counter.columns
  }

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
