/// How a text on a screen looks. Colours are those of the terminal's own palette.
package struct CellStyle: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let bold = CellStyle(rawValue: 1)
  package static let dim = CellStyle(rawValue: 2)
  package static let underlined = CellStyle(rawValue: 4)
  package static let reversed = CellStyle(rawValue: 8)
  package static let cyan = CellStyle(rawValue: 16)
  package static let red = CellStyle(rawValue: 32)

  /// What a screen without colours leaves out.
  static let colors: CellStyle = [.cyan, .red]

  /// The sequence that sets this style and these colours, and nothing else.
  func sequence(_ colors: CellColors = CellColors()) -> String {
    var codes = "0"
    for (style, code) in Self.codes where contains(style) { codes += ";\(code)" }
    if let text = colors.text { codes += ";38;5;\(text)" }
    if let background = colors.background { codes += ";48;5;\(background)" }
    return "\u{1B}[\(codes)m"
  }

  private static let codes: [(CellStyle, Int)] = [(.bold, 1), (.dim, 2), (.underlined, 4), (.reversed, 7), (.cyan, 36), (.red, 31)]
}

/// The colours of a part of a picture, by their numbers in the palette of 256; nil is the terminal's own.
struct CellColors: Sendable, Hashable {
  var text: UInt8?
  var background: UInt8?
}

/// One place on a screen: a grapheme that begins there, or what is covered by one that began to the left.
struct Cell: Sendable, Hashable {
  /// The UTF-8 of the grapheme, its first byte lowest; with the highest bit set, a place in the screen's list of long graphemes.
  var glyph: UInt64
  var style: CellStyle
  var colors = CellColors()
  /// How many columns the grapheme takes; 0 where it began to the left.
  var width: UInt8

  static let blank = Cell(glyph: 0x20, style: [], width: 1)

  private static let longBit: UInt64 = 1 << 63

  /// Nil where the bytes are too many.
  static func glyph(of bytes: some Collection<UInt8>) -> UInt64? {
    guard bytes.count <= 7 else { return nil }
    return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  static func glyph(long index: Int) -> UInt64 { longBit | UInt64(index) }

  /// Where the grapheme is in the list of long ones.
  var longIndex: Int? { glyph & Self.longBit == 0 ? nil : Int(glyph & ~Self.longBit) }

  var isASCII: Bool { glyph < 0x80 && width == 1 }
}
