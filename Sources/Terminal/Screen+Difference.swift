extension Screen {
  /// What makes a terminal that shows `old` show this screen, as one frame; nothing where nothing changed.
  ///
  /// Without `old`, or where its size was another, everything is drawn. Behind each grapheme that is not ASCII the cursor is moved: where a
  /// terminal counts other columns for one, nothing to the right of it shifts.
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
    // From here on the line is blank.
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

/// Writes a frame, and knows where the cursor is and how it writes.
private struct Pen {
  var bytes: [UInt8] = []
  private var place: Screen.Place?
  private var look: (style: CellStyle, colors: CellColors)?

  mutating func write(_ text: String) { bytes += text.utf8 }

  mutating func move(to place: Screen.Place) {
    if let current = self.place, current == place { return }
    write("\u{1B}[\(place.row + 1);\(place.column + 1)H")
    self.place = place
  }

  mutating func set(_ style: CellStyle, _ colors: CellColors) {
    if let look, look == (style, colors) { return }
    write(style.sequence(colors))
    look = (style, colors)
  }

  mutating func draw(_ cell: Cell, isLast: Bool) {
    set(cell.style, cell.colors)
    if cell.width > 1, cell.text.utf8.count > 3, let start = place {
      // A terminal that gives it fewer columns must not leave what was there before beside it.
      bytes += repeatElement(0x20, count: Int(cell.width))
      place = nil
      move(to: start)
    }
    write(cell.text)
    // Behind the last column terminals differ on where the cursor is.
    place = cell.text.utf8.count == 1 && !isLast ? place.map { ($0.column + 1, $0.row) } : nil
  }
}
