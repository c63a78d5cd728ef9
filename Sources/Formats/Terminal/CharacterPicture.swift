/// A picture that is drawn with characters.
package struct CharacterPicture: Sendable, Hashable {
  package let columns: Int
  package let rows: Int
  /// The cells, row by row; each is one column wide.
  let cells: [Cell]

  /// Reads the output of a program that draws with characters and colors, a line for each row. Only sequences for colors are obeyed, and
  /// anything beyond `columns` by `rows` is cut off. Nil if nothing is left.
  package init?(_ output: [UInt8], columns: Int, rows: Int) {
    var lines = output.split(separator: 0x0A, omittingEmptySubsequences: false).map { Self.cells(of: $0, atMost: columns) }
    while lines.last?.isEmpty == true { lines.removeLast() }
    lines = Array(lines.prefix(max(0, rows)))
    let width = lines.map(\.count).max() ?? 0
    guard width > 0 else { return nil }
    (self.columns, self.rows) = (width, lines.count)
    cells = lines.flatMap { $0 + Array(repeating: Cell(), count: width - $0.count) }
  }

  private static func cells(of line: some Collection<UInt8>, atMost columns: Int) -> [Cell] {
    var reader = PictureLineReader()
    var rest = String(decoding: line, as: UTF8.self).unicodeScalars[...]
    while reader.cells.count < columns, let scalar = rest.popFirst() {
      guard scalar == "\u{1B}" else {
        reader.draw(scalar)
        continue
      }
      guard rest.popFirst() == "[" else { continue }
      let parameters = rest.prefix { 0x20...0x3F ~= $0.value }
      rest = rest.dropFirst(parameters.count)
      if rest.popFirst() == "m" { reader.obey(String(parameters)) }
    }
    return reader.cells
  }
}

/// Reads one line of a picture.
private struct PictureLineReader {
  private(set) var cells: [Cell] = []
  private var colors = CellColors()
  private var style: CellStyle = []

  mutating func draw(_ scalar: Unicode.Scalar) {
    let width = DisplayWidth.of(String(scalar))
    guard width > 0 else { return }
    // A character that takes two columns would shift those after it.
    cells.append(Cell(text: width == 1 ? String(scalar) : " ", style: style, colors: colors))
  }

  mutating func obey(_ parameters: String) {
    var codes = parameters.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }[...]
    while let code = codes.popFirst() {
      switch code {
      case 0: (colors, style) = (CellColors(), [])
      case 7: style.insert(.reversed)
      case 27: style.remove(.reversed)
      case 30...37: colors.text = UInt8(code - 30)
      case 90...97: colors.text = UInt8(code - 82)
      case 39: colors.text = nil
      case 40...47: colors.background = UInt8(code - 40)
      case 100...107: colors.background = UInt8(code - 92)
      case 49: colors.background = nil
      case 38, 48:
        guard codes.popFirst() == 5, let number = codes.popFirst(), let color = UInt8(exactly: number) else { return }
        if code == 38 { colors.text = color } else { colors.background = color }
      default: break
      }
    }
  }
}
