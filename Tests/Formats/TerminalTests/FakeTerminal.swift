@testable import Terminal

/// A terminal as far as frames need one. It obeys their bytes, and counts the columns of some graphemes differently.
///
/// It shows some text at first, and erased spots get the current style, as on some terminals.
struct FakeTerminal {
  struct Spot: Hashable {
    var text = " "
    var style = "0"
    /// True when the grapheme to the left covers it.
    var isCovered = false
  }

  let columns: Int
  let rows: Int
  /// The number of columns that it gives a grapheme.
  var width: (Character) -> Int = { DisplayWidth.of($0) }
  private(set) var spots: [Spot]
  private(set) var cursor = (column: 0, row: 0)
  private(set) var isCursorShown = true
  /// Sequences that it does not know.
  private(set) var unknown: [String] = []
  private var style = "0"

  init(columns: Int, rows: Int) {
    (self.columns, self.rows) = (columns, rows)
    spots = Array(repeating: Spot(text: "#", style: "7"), count: columns * rows)
  }

  mutating func obey(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while let byte = rest.first {
      guard byte == 0x1B else {
        let end = rest.firstIndex(of: 0x1B) ?? rest.endIndex
        for character in String(decoding: rest[..<end], as: UTF8.self) { show(character) }
        rest = rest[end...]
        continue
      }
      let end = rest.dropFirst(2).firstIndex { 0x40...0x7E ~= $0 } ?? rest.endIndex
      let sequence = String(decoding: rest[rest.startIndex...min(end, rest.endIndex - 1)], as: UTF8.self)
      obey(String(sequence.dropFirst(2).dropLast()), sequence.last ?? " ", sequence)
      rest = rest[min(end + 1, rest.endIndex)...]
    }
  }

  private mutating func obey(_ parameters: String, _ final: Character, _ sequence: String) {
    switch final {
    case "H":
      let numbers = parameters.split(separator: ";").compactMap { Int($0) }
      cursor = (numbers[1] - 1, numbers[0] - 1)
    case "m": style = parameters == "0" ? "0" : parameters
    case "K":
      for column in cursor.column..<columns {
        clear(column)
        spots[cursor.row * columns + column] = Spot(style: style)
      }
    case "J": for index in spots.indices { spots[index] = Spot(style: style) }
    case "h" where parameters == "?25": isCursorShown = true
    case "l" where parameters == "?25": isCursorShown = false
    case "h" where ["?2026", "?7"].contains(parameters), "l" where ["?2026", "?7"].contains(parameters): break
    default: unknown.append(sequence)
    }
  }

  private mutating func show(_ character: Character) {
    let width = max(1, width(character))
    for column in cursor.column..<min(columns, cursor.column + width) { clear(column) }
    guard cursor.column < columns else { return }
    for column in cursor.column..<min(columns, cursor.column + width) {
      spots[cursor.row * columns + column] = Spot(
        text: column == cursor.column ? String(character) : "", style: style, isCovered: column > cursor.column)
    }
    cursor.column += width
  }

  /// Clears a spot, with the other half of a wide grapheme.
  private mutating func clear(_ column: Int) {
    var start = column
    while start > 0, spots[cursor.row * columns + start].isCovered { start -= 1 }
    var end = column + 1
    while end < columns, spots[cursor.row * columns + end].isCovered { end += 1 }
    for column in start..<end { spots[cursor.row * columns + column] = Spot(style: "0") }
  }

  /// The spots that it should have for a screen.
  static func spots(of screen: Screen) -> [Spot] {
    screen.cells.map { cell in
      let style = String(cell.style.sequence(cell.colors).dropFirst(2).dropLast())
      return Spot(
        text: cell.text, style: style, isCovered: cell.width == 0)
    }
  }
}
