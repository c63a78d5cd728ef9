/// What a terminal shows: a grid of cells, and where its cursor is.
///
///     var screen = Screen(columns: 80, rows: 24)
///     screen.put("France", at: (0, 0), style: .bold)
///     let bytes = screen.difference(from: shown)
package struct Screen: Sendable {
  package typealias Place = (column: Int, row: Int)

  package let columns: Int
  package let rows: Int
  /// Where the cursor shows; nil where it does not.
  package var cursor: Place?
  let isColored: Bool
  /// Whether skin tones are left out: some multiplexers count columns for them.
  let hasSkinTones: Bool
  private(set) var cells: [Cell]
  /// The graphemes that do not fit into a cell.
  private(set) var long: [[UInt8]] = []

  /// An empty screen. Sizes that no terminal has are brought down to what memory allows.
  package init(columns: Int, rows: Int, isColored: Bool = true, hasSkinTones: Bool = true) {
    self.columns = min(max(columns, 1), 1_000)
    self.rows = min(max(rows, 1), 1_000)
    self.isColored = isColored
    self.hasSkinTones = hasSkinTones
    cells = Array(repeating: .blank, count: self.columns * self.rows)
  }

  /// Writes a text from there to the right, at most `width` columns and not beyond the edge; says how many columns it took.
  ///
  /// What takes no column by itself is left out, control characters among it. A wide grapheme of which only a part fits becomes blanks.
  @discardableResult
  package mutating func put(_ text: String, at place: Place, width: Int = .max, style: CellStyle = []) -> Int {
    guard place.row >= 0, place.row < rows, place.column >= 0, place.column < columns else { return 0 }
    let style = isColored ? style : style.subtracting(.colors)
    let end = place.column + min(width, columns - place.column)
    var column = place.column
    for character in text {
      let grapheme = shown(character)
      let width = DisplayWidth.of(grapheme)
      guard width > 0 else { continue }
      guard column + width <= end else {
        fill(from: column, to: end, row: place.row, style: style)
        return end - place.column
      }
      set(grapheme, width, at: (column, place.row), style)
      column += width
    }
    return column - place.column
  }

  /// Draws one row of a picture from there to the right, as far as the screen goes.
  package mutating func put(_ picture: CharacterPicture, row: Int, at place: Place) {
    guard place.row >= 0, place.row < rows, place.column >= 0, row >= 0, row < picture.rows else { return }
    for column in 0..<max(0, min(picture.columns, columns - place.column)) {
      var cell = picture.cells[row * picture.columns + column]
      if !isColored { cell.colors = CellColors() }
      put(cell, at: place.row * columns + place.column + column)
    }
  }

  /// Makes the rest of a line blank, up to `end`.
  package mutating func fill(from column: Int, to end: Int, row: Int, style: CellStyle) {
    guard row >= 0, row < rows else { return }
    for column in max(0, column)..<max(max(0, column), min(end, columns)) { set(" ", 1, at: (column, row), style) }
  }

  /// Changes how some columns of a line look, not what they say.
  package mutating func restyle(from column: Int, to end: Int, row: Int, adding style: CellStyle) {
    guard row >= 0, row < rows else { return }
    for column in max(0, column)..<max(max(0, column), min(end, columns)) { cells[row * columns + column].style.formUnion(style) }
  }

  private mutating func set(_ grapheme: Character, _ width: Int, at place: Place, _ style: CellStyle) {
    let index = place.row * columns + place.column
    for covered in index..<index + width { clear(covered) }
    let bytes = Self.bounded(grapheme)
    var glyph = Cell.glyph(of: bytes)
    if glyph == nil {
      glyph = Cell.glyph(long: long.count)
      long.append(bytes)
    }
    cells[index] = Cell(glyph: glyph ?? 0x20, style: style, width: UInt8(clamping: width))
    for covered in index + 1..<index + width { cells[covered] = Cell(glyph: 0, style: style, width: 0) }
  }

  private mutating func put(_ cell: Cell, at index: Int) {
    clear(index)
    cells[index] = cell
  }

  /// Takes away whatever grapheme covers a cell, the whole of it.
  private mutating func clear(_ index: Int) {
    let line = index / columns * columns..<(index / columns + 1) * columns
    var start = index
    while start > line.lowerBound, cells[start].width == 0 { start -= 1 }
    let end = min(line.upperBound, start + max(1, Int(cells[start].width)))
    for covered in start..<end { cells[covered] = Cell(glyph: 0x20, style: cells[covered].style, width: 1) }
  }

  private func shown(_ character: Character) -> Character {
    guard !hasSkinTones, character.utf8.count > 4 else { return character }
    let scalars = character.unicodeScalars.filter { !(0x1F3FB...0x1F3FF ~= $0.value) }
    let text = String(String.UnicodeScalarView(scalars))
    return text.count == 1 ? text.first ?? character : character
  }

  /// The bytes of a grapheme, without marks beyond what any writing has: there is no end to those that somebody may stack.
  private static func bounded(_ grapheme: Character) -> [UInt8] {
    var bytes: [UInt8] = []
    for scalar in grapheme.unicodeScalars {
      let next = UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      if bytes.count + next.count > 64 { break }
      bytes += next
    }
    return bytes
  }
}

extension Screen {
  /// What the lines say, without how they look: blanks at their ends are left out.
  package var lines: [String] { (0..<rows).map(line) }

  package func line(_ row: Int) -> String {
    var bytes: [UInt8] = []
    for index in row * columns..<(row + 1) * columns where cells[index].width > 0 { bytes += self.bytes(of: cells[index]) }
    while bytes.last == 0x20 { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The UTF-8 of what begins in a cell.
  func bytes(of cell: Cell) -> [UInt8] {
    if let index = cell.longIndex { return long[index] }
    var bytes: [UInt8] = []
    var rest = cell.glyph
    while rest > 0 {
      bytes.append(UInt8(rest & 0xFF))
      rest >>= 8
    }
    return bytes
  }

  /// Whether a place looks the same on both screens.
  func isSame(at index: Int, as other: Screen) -> Bool {
    let (one, two) = (cells[index], other.cells[index])
    guard one.longIndex != nil, two.longIndex != nil else { return one == two }
    return one.style == two.style && one.colors == two.colors && one.width == two.width && bytes(of: one) == other.bytes(of: two)
  }
}
