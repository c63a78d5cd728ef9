import Platform

/// The look of a text on a screen. Colors are those of the terminal's own palette.
package struct CellStyle: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let bold = CellStyle(rawValue: 1)
  package static let dim = CellStyle(rawValue: 2)
  package static let reversed = CellStyle(rawValue: 4)
  package static let cyan = CellStyle(rawValue: 8)
  package static let yellow = CellStyle(rawValue: 16)

  /// The styles that a screen without colors leaves out.
  static let colors: CellStyle = [.cyan, .yellow]

  /// Returns the sequence that sets this style and these colors, and nothing else.
  func sequence(_ colors: CellColors = CellColors()) -> String {
    var codes = "0"
    for (style, code) in Self.codes where contains(style) { codes += ";\(code)" }
    if let text = colors.text { codes += ";38;5;\(text)" }
    if let background = colors.background { codes += ";48;5;\(background)" }
    return "\u{1B}[\(codes)m"
  }

  private static let codes: [(CellStyle, Int)] = [(.bold, 1), (.dim, 2), (.reversed, 7), (.cyan, 36), (.yellow, 33)]
}

/// The colors of a part of a picture, by their numbers in the palette of 256; nil is the terminal's own color.
struct CellColors: Sendable, Hashable {
  var text: UInt8?
  var background: UInt8?
}

/// One cell of a screen: a grapheme that begins there, or a part of one that began further left.
struct Cell: Sendable, Hashable {
  /// The grapheme; empty if it began further left.
  var text = " "
  var style: CellStyle = []
  var colors = CellColors()
  /// The number of columns that the grapheme takes; 0 if it began further left.
  var width: UInt8 = 1
}

/// The contents of a terminal: a grid of cells, and the position of its cursor.
///
///     var screen = Screen(columns: 80, rows: 24)
///     screen.put("France", at: (0, 0), style: .bold)
///     let bytes = screen.difference(from: shown)
package struct Screen: Sendable {
  package typealias Point = (column: Int, row: Int)

  package let columns: Int
  package let rows: Int
  /// The position of the cursor; nil if it is hidden.
  package var cursor: Point?
  let isColored: Bool
  /// True when skin tones are shown. Some multiplexers count columns for them, and there they are left out.
  let hasSkinTones: Bool
  private(set) var cells: [Cell]

  /// An empty screen. Sizes that no terminal has are reduced, to limit the memory.
  package init(columns: Int, rows: Int, isColored: Bool = true, hasSkinTones: Bool = true) {
    self.columns = min(max(columns, 1), 1_000)
    self.rows = min(max(rows, 1), 1_000)
    self.isColored = isColored
    self.hasSkinTones = hasSkinTones
    cells = Array(repeating: Cell(), count: self.columns * self.rows)
  }

  /// Writes a text from there to the right, in at most `width` columns and not beyond the edge. Returns the
  /// number of columns that it took.
  ///
  /// Characters that take no column by themselves, such as control characters, are left out. A wide grapheme that
  /// fits only in part becomes blanks.
  @discardableResult
  package mutating func put(_ text: String, at point: Point, width: Int = .max, style: CellStyle = []) -> Int {
    guard point.row >= 0, point.row < rows, point.column >= 0, point.column < columns else { return 0 }
    let style = isColored ? style : style.subtracting(.colors)
    let end = point.column + min(width, columns - point.column)
    var column = point.column
    for character in text {
      let grapheme = shown(character)
      let width = DisplayWidth.of(grapheme)
      guard width > 0 else { continue }
      guard column + width <= end else {
        for rest in column..<end { set(" ", 1, at: (rest, point.row), style) }
        return end - point.column
      }
      set(grapheme, width, at: (column, point.row), style)
      column += width
    }
    return column - point.column
  }

  /// Draws one row of a picture from there to the right, up to the edge of the screen.
  package mutating func put(_ picture: CharacterPicture, row: Int, at point: Point) {
    guard point.row >= 0, point.row < rows, point.column >= 0, row >= 0, row < picture.rows else { return }
    for column in 0..<max(0, min(picture.columns, columns - point.column)) {
      var cell = picture.cells[row * picture.columns + column]
      if !isColored { cell.colors = CellColors() }
      let index = point.row * columns + point.column + column
      clear(index)
      cells[index] = cell
    }
  }

  /// Changes the style of some columns of a line, but not their text.
  package mutating func restyle(from column: Int, to end: Int, row: Int, adding style: CellStyle) {
    guard row >= 0, row < rows else { return }
    for column in max(0, column)..<max(max(0, column), min(end, columns)) {
      cells[row * columns + column].style.formUnion(style)
    }
  }

  private mutating func set(_ grapheme: Character, _ width: Int, at point: Point, _ style: CellStyle) {
    let index = point.row * columns + point.column
    for covered in index..<index + width { clear(covered) }
    cells[index] = Cell(text: Self.bounded(grapheme), style: style, width: UInt8(clamping: width))
    for covered in index + 1..<index + width { cells[covered] = Cell(text: "", style: style, width: 0) }
  }

  /// Removes the whole grapheme that covers a cell.
  private mutating func clear(_ index: Int) {
    let line = index / columns * columns..<(index / columns + 1) * columns
    var start = index
    while start > line.lowerBound, cells[start].width == 0 { start -= 1 }
    let end = min(line.upperBound, start + max(1, Int(cells[start].width)))
    for covered in start..<end { cells[covered] = Cell(style: cells[covered].style) }
  }

  private func shown(_ character: Character) -> Character {
    guard !hasSkinTones, character.utf8.count > 4 else { return character }
    let scalars = character.unicodeScalars.filter { !(0x1F3FB...0x1F3FF ~= $0.value) }
    let text = String(String.UnicodeScalarView(scalars))
    return text.count == 1 ? text.first ?? character : character
  }

  /// Returns a grapheme with at most as many marks as any script uses, because the number of marks that can be stacked is not limited.
  private static func bounded(_ grapheme: Character) -> String {
    grapheme.utf8.count <= 64 ? String(grapheme) : String(String.UnicodeScalarView(grapheme.unicodeScalars.prefix(16)))
  }
}

extension Screen {
  /// The text of the lines, without styles and without blanks at their ends.
  package var lines: [String] { (0..<rows).map(line) }

  package func line(_ row: Int) -> String {
    var line = cells[row * columns..<(row + 1) * columns].map(\.text).joined()
    while line.last == " " { line.removeLast() }
    return line
  }
}

extension Screen {
  /// Returns the bytes that make a terminal with the screen `old` show this screen, as one frame; empty if nothing changed.
  ///
  /// Everything is drawn if `old` is nil or has another size. After each grapheme that is not ASCII the cursor is moved, so that nothing
  /// to its right shifts on a terminal that counts its columns differently.
  package func difference(from old: Screen?) -> [UInt8] {
    let isWhole = old.map { $0.columns != columns || $0.rows != rows } ?? true
    let before = isWhole ? Screen(columns: columns, rows: rows) : old ?? self
    var pen = Pen()
    if isWhole { pen.write("\u{1B}[0m\u{1B}[2J") }
    for row in 0..<rows { draw(row, over: before, with: &pen) }
    let isMoved = isWhole || old?.cursor?.column != cursor?.column || old?.cursor?.row != cursor?.row
    guard isMoved || !pen.bytes.isEmpty else { return [] }
    var frame = Pen()
    frame.write("\u{1B}[?2026h\u{1B}[?25l\u{1B}[?7l")
    frame.bytes += pen.bytes
    frame.write("\u{1B}[0m\u{1B}[?7h")
    if let cursor {
      frame.move(to: (min(max(cursor.column, 0), columns - 1), min(max(cursor.row, 0), rows - 1)))
      frame.write("\u{1B}[?25h")
    }
    frame.write("\u{1B}[?2026l")
    return frame.bytes
  }

  private func draw(_ row: Int, over old: Screen, with pen: inout Pen) {
    let start = row * columns
    // The line is blank from here on.
    var used = columns
    while used > 0, cells[start + used - 1] == Cell() { used -= 1 }
    var column = 0
    while column < columns {
      let width = max(1, Int(cells[start + column].width))
      let isShown = (column..<min(columns, column + width)).allSatisfy { cells[start + $0] == old.cells[start + $0] }
      if !isShown {
        pen.move(to: (column, row))
        if column >= used, columns - column > 3 {
          pen.set([], CellColors())
          pen.write("\u{1B}[K")
          return
        }
        pen.draw(cells[start + column], isLast: column + width >= columns)
      }
      column += width
    }
  }
}

/// Writes a frame, and knows the position of the cursor and the style that is set.
private struct Pen {
  var bytes: [UInt8] = []
  private var point: Screen.Point?
  private var look: (style: CellStyle, colors: CellColors)?

  mutating func write(_ text: String) { bytes += text.utf8 }

  mutating func move(to point: Screen.Point) {
    if let current = self.point, current == point { return }
    write("\u{1B}[\(point.row + 1);\(point.column + 1)H")
    self.point = point
  }

  mutating func set(_ style: CellStyle, _ colors: CellColors) {
    if let look, look == (style, colors) { return }
    write(style.sequence(colors))
    look = (style, colors)
  }

  mutating func draw(_ cell: Cell, isLast: Bool) {
    set(cell.style, cell.colors)
    if cell.width > 1, cell.text.utf8.count > 3, let start = point {
      // On a terminal that gives it fewer columns, nothing old must remain beside it.
      bytes += repeatElement(0x20, count: Int(cell.width))
      point = nil
      move(to: start)
    }
    write(cell.text)
    // After the last column, terminals differ on the position of the cursor.
    point = cell.text.utf8.count == 1 && !isLast ? point.map { ($0.column + 1, $0.row) } : nil
  }
}

/// The size of a terminal.
package struct TerminalSize: Sendable, Hashable {
  package var columns: Int
  package var rows: Int
  /// The size in pixels; 0 if the terminal does not tell.
  package var width = 0
  package var height = 0

  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }

  /// Nil if the descriptor is not a terminal, or if the terminal does not know its size.
  package init?(ofTerminalAt descriptor: Int32) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
    (columns, rows, width, height) = (Int(size.ws_col), Int(size.ws_row), Int(size.ws_xpixel), Int(size.ws_ypixel))
  }
}
