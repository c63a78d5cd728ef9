extension DisplayWidth {
  /// The text in lines of at most `width` columns.
  ///
  ///     DisplayWidth.wrap("Spider-Man swings", width: 8)  // ["Spider-", "Man", "swings"]
  ///
  /// Lines break at spaces, which go, after hyphens and dashes inside a word, beside wide characters (but a closing mark stays
  /// with what it closes), and at line breaks in the text. A word too long for a line is broken between graphemes; a wide
  /// character where there is one column stands alone. Nothing visible is lost. There is always at least one line.
  public static func wrap(_ text: String, width: Int) -> [String] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).flatMap { wrapLine($0, width: width) }
  }

  private static func wrapLine(_ text: Substring, width: Int) -> [String] {
    guard of(String(text)) > width else { return [String(text.trimmingEnd())] }
    var lines = Lines(width: width)
    for piece in Pieces(text: text) { lines.add(piece) }
    return lines.finish()
  }
}

/// What is never broken unless it must be, with the spaces before it.
private struct Piece {
  var spaces = 0
  var text = ""
  var width = 0
}

/// Takes a line apart where it may break.
private struct Pieces: Sequence, IteratorProtocol {
  private var rest: Substring

  init(text: Substring) { rest = text }

  mutating func next() -> Piece? {
    guard !rest.isEmpty else { return nil }
    var piece = Piece()
    while rest.first == " " {
      piece.spaces += 1
      rest.removeFirst()
    }
    var last: Character?
    var lastWidth = 0
    while let character = rest.first, character != " " {
      let width = DisplayWidth.of(character)
      if let last, mayBreak(after: last, lastWidth, before: character, width, in: piece) { break }
      piece.text.append(character)
      piece.width += width
      last = character
      lastWidth = width
      rest.removeFirst()
    }
    return piece
  }

  private func mayBreak(after last: Character, _ lastWidth: Int, before next: Character, _ width: Int, in piece: Piece) -> Bool {
    if "-‐–—".contains(last) {
      // Inside a word only: neither "--all" nor "-1" comes apart.
      return (next.isLetter || next.isNumber) && piece.text.contains { $0.isLetter || $0.isNumber }
    }
    guard lastWidth == 2 || width == 2 else { return false }
    return !"、。，．！？：；）」』】〉》〕］｝ー…’”)]},.!?:;%".contains(next) && !"（「『【〈《〔［｛‘“([{".contains(last)
  }
}

private struct Lines {
  let width: Int
  private var lines: [String] = []
  private var line = ""
  private var used = 0

  init(width: Int) { self.width = width }

  mutating func add(_ piece: Piece) {
    if used + piece.spaces + piece.width <= width {
      line += String(repeating: " ", count: piece.spaces) + piece.text
      used += piece.spaces + piece.width
      return
    }
    guard !piece.text.isEmpty else { return }
    breakLine()
    if piece.width <= width {
      line = piece.text
      used = piece.width
      return
    }
    for character in piece.text {
      let columns = DisplayWidth.of(character)
      if used + columns > width { breakLine() }
      line.append(character)
      used += columns
    }
  }

  private mutating func breakLine() {
    if !line.allSatisfy({ $0 == " " }) { lines.append(String(Substring(line).trimmingEnd())) }
    line = ""
    used = 0
  }

  mutating func finish() -> [String] {
    breakLine()
    return lines.isEmpty ? [""] : lines
  }
}

extension Substring {
  fileprivate func trimmingEnd() -> Substring {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
