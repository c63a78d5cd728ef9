// Moving, inserting and deleting. Positions are numbers of characters.
extension LineEditor {
  /// Replaces a part of the text, and puts the cursor behind what is inserted.
  ///
  /// Characters are counted anew, because a combining mark joins the character before it.
  mutating func replace(from start: Int, to end: Int, with new: String) {
    let range = max(0, start)..<max(max(0, start), min(end, characters.count))
    let before = String(characters[..<range.lowerBound]) + new
    let scalars = before.unicodeScalars.count
    characters = Array(before + String(characters[range.upperBound...]))
    var passed = 0
    cursor = 0
    while cursor < characters.count, passed < scalars {
      passed += characters[cursor].unicodeScalars.count
      cursor += 1
    }
  }

  mutating func insert(_ text: String) { replace(from: cursor, to: cursor, with: text) }

  mutating func delete(from start: Int, to end: Int) { replace(from: start, to: end, with: "") }

  /// Deletes a part of the text so that Ctrl-Y inserts it. Parts that follow one another are one.
  mutating func kill(from start: Int, to end: Int) {
    note(.kill)
    let part = Array(characters[max(0, start)..<max(max(0, start), min(end, characters.count))])
    guard !part.isEmpty else { return }
    killed = last != .kill ? part : start < cursor ? part + killed : killed + part
    delete(from: start, to: end)
  }

  /// Swaps the characters on both sides of the cursor; at the end of a line, the last two.
  mutating func transpose() {
    let place = cursor == lineEnd ? cursor - 1 : cursor
    guard place > lineStart, place < lineEnd else { return }
    let swapped = String([characters[place], characters[place - 1]])
    replace(from: place - 1, to: place + 1, with: swapped)
  }

  /// The beginning of the line with the cursor.
  var lineStart: Int { (characters[..<cursor].lastIndex(of: "\n") ?? -1) + 1 }

  /// The end of the line with the cursor.
  var lineEnd: Int { characters[cursor...].firstIndex(of: "\n") ?? characters.count }

  /// Returns the beginning of the word before the cursor.
  func wordStart(_ isWord: (Character) -> Bool = Self.isWord) -> Int {
    var place = cursor
    while place > 0, !isWord(characters[place - 1]) { place -= 1 }
    while place > 0, isWord(characters[place - 1]) { place -= 1 }
    return place
  }

  /// Returns the end of the word after the cursor.
  func wordEnd() -> Int {
    var place = cursor
    while place < characters.count, !Self.isWord(characters[place]) { place += 1 }
    while place < characters.count, Self.isWord(characters[place]) { place += 1 }
    return place
  }

  static func isWord(_ character: Character) -> Bool { character.isLetter || character.isNumber || character == "_" }
}
