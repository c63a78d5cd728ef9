import Testing

@testable import Terminal

/// The rows of an edited line on terminals of any width.
@Suite("An edited line on a terminal") struct LineDrawingTests {
  private func editor(_ text: String, cursor: Int? = nil) -> LineEditor {
    var editor = LineEditor(prompt: "sql> ", continuation: "...> ")
    _ = editor.take(.paste(text))
    if let cursor { editor.cursor = cursor }
    return editor
  }

  private static let drawings: [(String, Int, Int, [String], Int, Int)] = [
    ("abc", 3, 40, ["sql> abc"], 0, 8),
    ("abcdef", 6, 10, ["sql> abcde", "f"], 1, 1),
    // Behind a full row the cursor is in the next one.
    ("abcde", 5, 10, ["sql> abcde", ""], 1, 0),
    ("abcdef", 5, 10, ["sql> abcde", "f"], 1, 0),
    // A wide character does not begin in the last column, and a mark takes none.
    ("abcd東x", 4, 10, ["sql> abcd", "東x"], 1, 0),
    ("e\u{301}🇯🇵x", 2, 40, ["sql> e\u{301}🇯🇵x"], 0, 8),
    ("ab\ncd", 5, 40, ["sql> ab", "...> cd"], 1, 7), ("ab\ncd", 2, 40, ["sql> ab", "...> cd"], 0, 7),
    ("abcde\nf", 5, 10, ["sql> abcde", "...> f"], 0, 9),
    ("a\tb", 2, 40, ["sql> a b"], 0, 7),
    ("", 0, 3, ["sql", "> "], 1, 2), ("東", 1, 1, ["s", "q", "l", ">", " ", "東", ""], 6, 0),
  ]

  @Test("lines break at the width of the terminal", arguments: drawings)
  func rows(text: String, cursor: Int, columns: Int, rows: [String], row: Int, column: Int) {
    #expect(editor(text, cursor: cursor).drawing(columns: columns) == LineDrawing(rows: rows, cursorRow: row, cursorColumn: column))
  }

  @Test("of a text that is higher than the terminal the rows around the cursor are shown")
  func high() {
    let text = (0..<30).map { "\($0)" }.joined(separator: "\n")
    let drawing = editor(text, cursor: 30).drawing(columns: 40, rows: 5)
    #expect(drawing.rows.count == 5 && drawing.rows[drawing.cursorRow].hasPrefix("...> "))
    #expect(editor(text, cursor: 0).drawing(columns: 40, rows: 5).rows.first == "sql> 0")
    #expect(editor(text).drawing(columns: 40, rows: 5).rows.last == "...> 29")
    #expect(editor(text).drawing(columns: 40, rows: 0).rows == ["...> 29"])
  }

  @Test("a search shows what is looked for")
  func search() {
    var editor = editor("x")
    editor.remember("select 1")
    for key in [Key.control("r"), .text("l"), .text("e")] { _ = editor.take(.key(key)) }
    #expect(editor.drawing(columns: 40).rows == ["search \"le\": select 1"])
  }

  @Test("each change leaves on the terminal what a fresh drawing would", arguments: [9, 40, 80, 200])
  func changes(columns: Int) {
    var (editor, shown) = (editor(""), LineDrawing?.none)
    var terminal = LineScreen(columns: columns)
    terminal.obey(Array("before\r\n".utf8))
    var keys = "SELECT name, 東京 FROM e\u{301} WHERE region = 'a longer text than that' AND population > 1".unicodeScalars.map {
      Key.text($0)
    }
    keys += [Key(.home), .text("x"), Key(.right), .text("京"), .control("k"), .control("y"), .control("w"), .control("u")]
    for key in keys {
      _ = editor.take(.key(key))
      let drawing = editor.drawing(columns: columns)
      terminal.obey(drawing.bytes(replacing: shown))
      shown = drawing
      #expect(terminal.lines == ["before"] + drawing.rows.map(LineScreen.trimmed))
      #expect(terminal.row == 1 + drawing.cursorRow && terminal.column == drawing.cursorColumn)
    }
  }

  @Test("after the width has changed nothing of the old drawing stays", arguments: [80, 40, 200], [30, 40, 17, 80, 200])
  func resized(before: Int, after: Int) {
    for cursor in [0, 20, 60, 71] {
      let text = "SELECT name, 東京 FROM countries\nWHERE region = 'a longer text than that' A"
      let editor = editor(text, cursor: cursor)
      let shown = editor.drawing(columns: before)
      var terminal = LineScreen(columns: before)
      terminal.obey(Array("before\r\n".utf8) + shown.bytes(replacing: nil))
      terminal.resize(to: after)
      let drawing = editor.drawing(columns: after)
      terminal.obey(drawing.bytes(replacing: shown.reflowed(to: after)))
      #expect(terminal.lines == ["before"] + drawing.rows.map(LineScreen.trimmed))
      #expect(terminal.row == 1 + drawing.cursorRow && terminal.column == drawing.cursorColumn)
    }
  }

  @Test("candidates stand side by side, as many as fit, read downward")
  func table() {
    #expect(LineEditor.table(of: ["a", "bb", "ccc", "d", "e"], columns: 14) == ["a    ccc  e", "bb   d"])
    #expect(LineEditor.table(of: ["abcdef", "g"], columns: 4) == ["abc…", "g"])
    #expect(LineEditor.table(of: [], columns: 80) == [])
  }
}

/// A terminal that obeys what drawings of lines consist of, and breaks its rows anew when its width changes.
private struct LineScreen {
  private(set) var columns: Int
  private var rows: [[String]] = [[]]
  private(set) var row = 0
  private(set) var column = 0

  init(columns: Int) { self.columns = columns }

  /// The rows without blanks at their ends, up to the last one that has text or the cursor.
  var lines: [String] {
    var lines = rows.map { Self.trimmed($0.joined()) }
    while lines.count > row + 1, lines.last == "" { lines.removeLast() }
    return lines
  }

  static func trimmed(_ line: String) -> String {
    var line = line
    while line.last == " " { line.removeLast() }
    return line
  }

  mutating func obey(_ bytes: [UInt8]) {
    var rest = Array(String(decoding: bytes, as: UTF8.self))[...]
    while let character = rest.popFirst() {
      switch character {
      case "\u{1B}":
        rest = rest.dropFirst()
        let parameters = rest.prefix { !$0.isLetter }
        rest = rest.dropFirst(parameters.count)
        obey(String(parameters), rest.popFirst() ?? " ")
      case "\r": column = 0
      case "\r\n": (row, column) = (row + 1, 0)
      default: put(character)
      }
      while rows.count <= row { rows.append([]) }
    }
  }

  private mutating func obey(_ parameters: String, _ final: Character) {
    switch final {
    case "A": row = max(0, row - (Int(parameters) ?? 1))
    case "C": column = min(columns - 1, column + (Int(parameters) ?? 1))
    case "J":
      rows = Array(rows[...row])
      rows[row] = Array(rows[row].prefix(column))
    default: break
    }
  }

  private mutating func put(_ character: Character) {
    let width = DisplayWidth.of(character)
    precondition(column + width <= columns, "a drawing relies on the terminal to break its rows")
    while rows[row].count < column + width { rows[row].append(" ") }
    for cell in 0..<width { rows[row][column + cell] = cell == 0 ? String(character) : "" }
    column += width
  }

  mutating func resize(to new: Int) {
    var (broken, place) = ([[String]](), (row: 0, column: 0))
    for (index, cells) in rows.enumerated() {
      if index == row { place = (broken.count + column / new, column % new) }
      var line: [String] = []
      for (at, cell) in cells.enumerated() {
        // A wide character does not break.
        let isWide = at + 1 < cells.count && cells[at + 1].isEmpty && !cell.isEmpty
        if line.count + (isWide ? 2 : 1) > new, !cell.isEmpty {
          broken.append(line)
          line = []
        }
        line.append(cell)
      }
      broken.append(line)
    }
    (rows, columns, row, column) = (broken, new, place.row, place.column)
  }
}
