/// A text that a person edits with the keys of readline, and the texts that were entered before.
///
/// It is a value: keys go in, and out come a state, what the terminal has to do, and what to draw (``drawing(columns:rows:)``). The text
/// may have several lines.
package struct LineEditor: Sendable {
  /// Something that a key asks for, beside the change of the text.
  package enum Action: Sendable, Hashable {
    /// The text is entered.
    case enter
    /// The text before the cursor should be completed; ``complete(with:)`` takes the candidates.
    case complete
    /// Ctrl-C.
    case cancel
    /// Ctrl-D without a text.
    case end
    /// The screen should be cleared.
    case clear
    case suspend
    case ring
    /// These texts should be shown above the line.
    case list([String])
  }

  /// The kind of the last key, as far as the next one depends on it.
  enum LastKey: Sendable, Hashable { case kill, recall, other }

  /// The text before the first line.
  let prompt: String
  /// The text before each further line.
  let continuation: String
  /// True for a text that Enter ends; in another text it begins a new line.
  private let isWhole: @Sendable (String) -> Bool

  var characters: [Character] = []
  /// The number of characters before the cursor.
  package internal(set) var cursor = 0
  /// The text that Ctrl-Y inserts.
  var killed: [Character] = []
  var history = LineHistory()
  /// True when the last key was a Tab that completed nothing for sure, so that the next one shows the candidates.
  var wasCompletion = false
  /// The search under way; nil without one.
  var search: LineSearch?
  private(set) var last = LastKey.other
  private var present = LastKey.other

  package init(prompt: String, continuation: String, isWhole: @escaping @Sendable (String) -> Bool = { _ in true }) {
    (self.prompt, self.continuation, self.isWhole) = (prompt, continuation, isWhole)
  }

  /// The text.
  package var text: String { String(characters) }
  /// The text before the cursor.
  package var textBeforeCursor: String { String(characters[..<cursor]) }
  /// The text after the cursor.
  package var textAfterCursor: String { String(characters[cursor...]) }

  /// Removes the text and returns it.
  @discardableResult
  package mutating func takeText() -> String {
    defer { (characters, cursor, search) = ([], 0, nil) }
    history.forgetDrafts()
    return text
  }

  /// Adds a text to those that Up and Ctrl-R find.
  package mutating func remember(_ text: String) { history.add(Self.cleaned(text)) }

  /// Takes what came from the terminal. Returns what there is to do beside drawing; nil for nothing.
  package mutating func take(_ input: TerminalInput) -> Action? {
    present = .other
    defer { last = present }
    if input != .key(Key(.tab)) { wasCompletion = false }
    switch input {
    case .key(let key):
      if search != nil, let (isTaken, action) = takeInSearch(key), isTaken { return action }
      return take(key)
    case .paste(let text):
      endSearch()
      insert(Self.cleaned(text))
      return nil
    case .notice(.interrupted): return take(.control("c"))
    case .mouse, .notice, .ended: return nil
    }
  }

  /// Notes what the present key was.
  mutating func note(_ kind: LastKey) { present = kind }

  private mutating func take(_ key: Key) -> Action? {
    switch (key.code, key.modifiers.intersection([.alt, .control])) {
    case (.enter, _): return enter()
    case (.tab, _): return .complete
    case (.text(let scalar), []): insert(String(scalar))
    case (.text(let scalar), .control): return takeControl(scalar)
    case (.text(let scalar), .alt): takeAlt(scalar)
    case (.backspace, .alt), (.backspace, .control): kill(from: wordStart(), to: cursor)
    case (.backspace, _): delete(from: cursor - 1, to: cursor)
    case (.delete, .alt), (.delete, .control): kill(from: cursor, to: wordEnd())
    case (.delete, _): delete(from: cursor, to: cursor + 1)
    case (.left, []): cursor = max(0, cursor - 1)
    case (.right, []): cursor = min(characters.count, cursor + 1)
    case (.left, _): cursor = wordStart()
    case (.right, _): cursor = wordEnd()
    case (.home, _): cursor = lineStart
    case (.end, _): cursor = lineEnd
    case (.up, _): return moveUp()
    case (.down, _): return moveDown()
    default: break
    }
    return nil
  }

  private mutating func takeControl(_ scalar: Unicode.Scalar) -> Action? {
    switch scalar {
    case "a": cursor = lineStart
    case "b": cursor = max(0, cursor - 1)
    case "c": return .cancel
    case "d":
      if characters.isEmpty { return .end }
      delete(from: cursor, to: cursor + 1)
    case "e": cursor = lineEnd
    case "f": cursor = min(characters.count, cursor + 1)
    case "k": kill(from: cursor, to: cursor == lineEnd ? cursor + 1 : lineEnd)
    case "l": return .clear
    case "n": return moveDown()
    case "p": return moveUp()
    case "r": beginSearch()
    case "t": transpose()
    case "u": kill(from: cursor == lineStart ? cursor - 1 : lineStart, to: cursor)
    case "w": kill(from: wordStart { !$0.isWhitespace }, to: cursor)
    case "y": insert(String(killed))
    case "z": return .suspend
    default: break
    }
    return nil
  }

  private mutating func takeAlt(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "b", "B": cursor = wordStart()
    case "f", "F": cursor = wordEnd()
    case "d", "D": kill(from: cursor, to: wordEnd())
    default: break
    }
  }

  private mutating func enter() -> Action? {
    guard isWhole(text) else {
      insert("\n")
      return nil
    }
    cursor = characters.count
    return .enter
  }

  /// Returns a text from outside without characters that a terminal would obey; line breaks and tabs stay.
  static func cleaned(_ text: String) -> String {
    var (cleaned, wasReturn) = (String.UnicodeScalarView(), false)
    for scalar in text.unicodeScalars {
      defer { wasReturn = scalar == "\r" }
      switch scalar.value {
      case 0x0A: if !wasReturn { cleaned.append("\n") }
      case 0x0D, 0x2028, 0x2029: cleaned.append("\n")
      case 0x09: cleaned.append("\t")
      case 0..<0x20, 0x7F...0x9F, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: break
      default: cleaned.append(scalar)
      }
    }
    return String(cleaned)
  }
}
