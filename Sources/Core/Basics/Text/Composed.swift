import CText

extension String {
  /// The text in Unicode's form NFC, in which equal texts have equal bytes, as stores compare them: `e\u{301}` becomes `é`.
  public var composed: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    var scalars: [Unicode.Scalar] = []
    for scalar in unicodeScalars { Composition.take(scalar, apart: &scalars) }
    Composition.sort(&scalars)
    var text = UnicodeScalarView()
    text.append(contentsOf: Composition.together(scalars))
    return String(text)
  }
}

/// The steps of the Unicode standard's section 3.11.
private enum Composition {
  static func take(_ scalar: Unicode.Scalar, apart parts: inout [Unicode.Scalar]) {
    if let (first, second) = Hangul.parts(of: scalar) {
      take(first, apart: &parts)
      parts.append(second)
    } else if let pair = text_parts(scalar.value) {
      for value in [pair[0], pair[1]] where value != 0 {
        if let part = Unicode.Scalar(value) { take(part, apart: &parts) }
      }
    } else {
      parts.append(scalar)
    }
  }

  /// Sorts each sequence of marks by their classes.
  static func sort(_ scalars: inout [Unicode.Scalar]) {
    var start = 0
    while start < scalars.count {
      let end = scalars[start...].firstIndex { order($0) == 0 } ?? scalars.count
      // The index decides between marks of one class, since the sort may not keep their order.
      let marks = scalars[start..<end].enumerated().sorted { (order($0.element), $0.offset) < (order($1.element), $1.offset) }
      scalars.replaceSubrange(start..<end, with: marks.map(\.element))
      start = end + 1
    }
  }

  /// Combines every scalar with the last starter before it, unless a scalar between them prevents that.
  static func together(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
    var whole: [Unicode.Scalar] = []
    var starter: Int?
    /// The class of the last scalar that was not combined with the starter; nil without such a scalar.
    var last: UInt8?
    for scalar in scalars {
      let order = order(scalar)
      if let starter, last.map({ $0 < order }) ?? true, let composite = composite(whole[starter], scalar) {
        whole[starter] = composite
        continue
      }
      (starter, last) = order == 0 ? (whole.count, nil) : (starter, order)
      whole.append(scalar)
    }
    return whole
  }

  private static func composite(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Unicode.Scalar? {
    if let syllable = Hangul.whole(first, second) { return syllable }
    let whole = text_whole(first.value, second.value)
    return whole == 0 ? nil : Unicode.Scalar(whole)
  }

  private static func order(_ scalar: Unicode.Scalar) -> UInt8 { scalar.properties.canonicalCombiningClass.rawValue }
}

/// Korean syllables; their parts are found by arithmetic.
private enum Hangul {
  private static let (syllables, leads, vowels, tails): (UInt32, UInt32, UInt32, UInt32) = (0xAC00, 0x1100, 0x1161, 0x11A7)

  static func parts(of scalar: Unicode.Scalar) -> (Unicode.Scalar, Unicode.Scalar)? {
    guard 0xAC00...0xD7A3 ~= scalar.value else { return nil }
    let index = scalar.value - syllables
    let (first, second) =
      index % 28 == 0 ? (leads + index / 588, vowels + index % 588 / 28) : (scalar.value - index % 28, tails + index % 28)
    return (Unicode.Scalar(first) ?? scalar, Unicode.Scalar(second) ?? scalar)
  }

  static func whole(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Unicode.Scalar? {
    let (lead, vowel, tail) = (first.value &- leads, second.value &- vowels, second.value &- tails)
    if lead < 19, vowel < 21 { return Unicode.Scalar(syllables + lead * 588 + vowel * 28) }
    let syllable = first.value &- syllables
    if syllable < 11_172, syllable % 28 == 0, tail > 0, tail < 28 { return Unicode.Scalar(first.value + tail) }
    return nil
  }
}
