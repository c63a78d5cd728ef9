/// The rows that show an edited text on a terminal, and the place of the cursor in them.
package struct LineDrawing: Sendable, Hashable {
  package var rows: [String]
  package var cursorRow: Int
  package var cursorColumn: Int

  /// Returns the bytes that draw this in place of what is shown, at whose cursor the terminal's is. Nil is an empty line.
  package func bytes(replacing shown: LineDrawing?) -> [UInt8] {
    // As one frame, so that nothing flickers.
    var text = "\u{1B}[?2026h\r"
    if let shown { text += Self.up(shown.cursorRow) }
    text += "\u{1B}[J" + rows.joined(separator: "\r\n") + "\r" + Self.up(rows.count - 1 - cursorRow)
    if cursorColumn > 0 { text += "\u{1B}[\(cursorColumn)C" }
    return Array((text + "\u{1B}[?2026l").utf8)
  }

  private static func up(_ rows: Int) -> String { rows > 0 ? "\u{1B}[\(rows)A" : "" }

  /// Returns this drawing as a terminal shows it after its width has changed: one that became narrower breaks each row anew.
  package func reflowed(to columns: Int) -> LineDrawing {
    var reflowed = LineDrawing(rows: [], cursorRow: 0, cursorColumn: 0)
    for (index, row) in rows.enumerated() {
      if index == cursorRow {
        reflowed.cursorRow = reflowed.rows.count + cursorColumn / max(1, columns)
        reflowed.cursorColumn = cursorColumn % max(1, columns)
      }
      var layout = LineLayout(columns: columns)
      for character in row { layout.add(character) }
      reflowed.rows += layout.rows
    }
    return reflowed
  }
}

extension LineEditor {
  /// Returns the rows that show the text: at most `rows` of them, around the cursor.
  package func drawing(columns: Int, rows: Int = .max) -> LineDrawing {
    var layout = LineLayout(columns: columns)
    for character in search.map({ "search \"\($0.part)\": " }) ?? prompt { layout.add(character) }
    for (index, character) in characters.enumerated() {
      if index == cursor { layout.markCursor(before: character) }
      if character == "\n" {
        layout.breakRow()
        for character in continuation { layout.add(character) }
      } else {
        layout.add(character)
      }
    }
    if cursor >= characters.count { layout.markCursor(before: " ") }
    let height = max(1, rows)
    guard layout.rows.count > height else {
      return LineDrawing(rows: layout.rows, cursorRow: layout.cursor.row, cursorColumn: layout.cursor.column)
    }
    let top = min(max(0, layout.cursor.row - height / 2), layout.rows.count - height)
    return LineDrawing(
      rows: Array(layout.rows[top..<top + height]), cursorRow: layout.cursor.row - top, cursorColumn: layout.cursor.column)
  }

  /// Returns texts side by side in as many columns as fit, read downward.
  package static func table(of texts: [String], columns: Int) -> [String] {
    let width = (texts.map { DisplayWidth.of($0) }.max() ?? 0) + 2
    let count = max(1, (max(1, columns) + 1) / width)
    let height = (texts.count + count - 1) / count
    return (0..<height).map { row in
      let cells = stride(from: row, to: texts.count, by: height).map { DisplayWidth.pad(texts[$0], to: width) }
      var line = cells.joined()
      while line.last == " " { line.removeLast() }
      return DisplayWidth.truncate(line, to: columns)
    }
  }
}

/// Puts characters into rows.
private struct LineLayout {
  let columns: Int
  private(set) var rows = [""]
  private(set) var cursor = (row: 0, column: 0)
  private var used = 0

  init(columns: Int) { self.columns = max(1, columns) }

  mutating func add(_ character: Character) {
    let shown: Character = character == "\t" ? " " : character
    let width = DisplayWidth.of(shown)
    if used + width > columns, used > 0 { breakRow() }
    rows[rows.count - 1].append(shown)
    used += width
  }

  mutating func breakRow() {
    rows.append("")
    used = 0
  }

  /// Puts the cursor where `character` will be. In a full row that is the beginning of the next one.
  mutating func markCursor(before character: Character) {
    let width = character == "\n" ? 1 : DisplayWidth.of(character)
    if used + max(1, width) > columns, used > 0 {
      guard character != "\n" else { return cursor = (rows.count - 1, columns - 1) }
      breakRow()
    }
    cursor = (rows.count - 1, used)
  }
}
