/// Makes keys of the bytes that a terminal sends, however they are split.
///
/// What a terminal answers by itself is passed over, whenever it comes. After a short silence, ``flush()`` makes a key of an escape that
/// nothing followed.
package struct KeyParser: Sendable {
  /// The beginning of a character or a sequence, whose rest has not come; of an answer its first two bytes, and an escape in it.
  private var begun: [UInt8] = []
  private var answerLength = 0
  /// What has come of a paste; nil outside of one.
  private var pasted: [UInt8]?
  /// How much of the end of a paste has come.
  private var pasteEnd = 0

  package init() {}

  /// Whether silence would decide what has come.
  package var isUndecided: Bool { begun.first == Self.escape && begun.count <= 2 && answerLength == 0 }

  package mutating func read(_ bytes: some Sequence<UInt8>) -> [TerminalInput] {
    var input: [TerminalInput] = []
    for byte in bytes { take(byte, &input) }
    return input
  }

  /// Nothing came for a while: an escape by itself was the key.
  package mutating func flush() -> [TerminalInput] {
    guard isUndecided else { return [] }
    defer { begun = [] }
    switch begun.dropFirst().first {
    case nil: return [.key(Key(.escape))]
    case UInt8(ascii: "O"): return [.key(Key(.text("O"), .alt))]
    case UInt8(ascii: "["): return [.key(Key(.text("["), .alt))]
    default: return []
    }
  }
}

extension KeyParser {
  private static let escape: UInt8 = 0x1B
  private static let mostParameters = 64
  private static let mostPasted = 4096
  private static let mostAnswered = 1 << 16
  private static let endOfPaste = Array("\u{1B}[201~".utf8)

  private mutating func take(_ byte: UInt8, _ input: inout [TerminalInput]) {
    if pasted != nil { return paste(byte, &input) }
    begun.append(byte)
    switch begun[0] {
    case Self.escape: if begun.count > 1 { sequence(byte, &input) }
    case 0x80...: character(byte, &input)
    default:
      begun = []
      if let key = Self.key(of: byte) { input.append(.key(key)) }
    }
  }

  /// What has begun does not go on like that: this byte begins something new.
  private mutating func restart(with byte: UInt8, _ input: inout [TerminalInput]) {
    (begun, answerLength) = ([], 0)
    take(byte, &input)
  }

  private mutating func character(_ byte: UInt8, _ input: inout [TerminalInput]) {
    if begun.count > 1, !(0x80...0xBF ~= byte) { return restart(with: byte, &input) }
    let length =
      switch begun[0] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 0
      }
    guard begun.count >= length else { return }
    defer { begun = [] }
    guard let scalar = String(validating: begun, as: UTF8.self)?.unicodeScalars.first, scalar.value >= 0xA0 else { return }
    input.append(.key(.text(scalar)))
  }

  private mutating func sequence(_ byte: UInt8, _ input: inout [TerminalInput]) {
    switch begun[1] {
    case UInt8(ascii: "["): if begun.count > 2 { control(byte, &input) }
    case UInt8(ascii: "O"):
      guard begun.count > 2 else { return }
      if byte < 0x20 { return restart(with: byte, &input) }
      begun = []
      if let key = Self.singles[byte] { input.append(.key(Key(key))) }
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"): answer(byte, &input)
    case Self.escape:
      begun = [Self.escape]
      input.append(.key(Key(.escape)))
    case 0x80...: restart(with: byte, &input)
    default:
      begun = []
      guard var key = Self.key(of: byte) else { return }
      key.modifiers.insert(.alt)
      input.append(.key(key))
    }
  }

  private mutating func control(_ byte: UInt8, _ input: inout [TerminalInput]) {
    switch (begun[2], byte) {
    // The function keys of a console.
    case (UInt8(ascii: "["), _):
      guard begun.count > 3 else { return }
      if byte < 0x20 { return restart(with: byte, &input) }
      begun = []
      if 0x41...0x45 ~= byte { input.append(.key(Key(.function(Int(byte) - 0x40)))) }
    // What old mice report in three bytes.
    case (UInt8(ascii: "M"), _): if begun.count == 6 { begun = [] }
    // No key has so many parameters; the rest is only passed over.
    case (_, 0x20...0x3F): if begun.count > 2 + Self.mostParameters { begun.removeLast() }
    case (_, 0x40...0x7E):
      let parameters = Array(begun[2...].dropLast())
      begun = []
      if byte == UInt8(ascii: "~"), parameters == Array("200".utf8) {
        (pasted, pasteEnd) = ([], 0)
      } else if parameters.first == UInt8(ascii: "<") {
        if let event = Self.mouse(parameters.dropFirst(), byte) { input.append(.mouse(event)) }
      } else if let key = Self.key(parameters, byte) {
        input.append(.key(key))
      }
    default: restart(with: byte, &input)
    }
  }

  /// Passes over what a terminal answers, up to a bell or `ESC \`.
  private mutating func answer(_ byte: UInt8, _ input: inout [TerminalInput]) {
    guard begun.count > 2 else { return }
    if begun.count == 4 {
      (begun, answerLength) = ([Self.escape], 0)
      if byte == UInt8(ascii: "\\") { begun = [] } else { take(byte, &input) }
      return
    }
    answerLength += 1
    if byte == Self.escape { return }
    begun.removeLast()
    if byte == 0x07 || answerLength > Self.mostAnswered {
      (begun, answerLength) = ([], 0)
    } else if byte < 0x20 {
      restart(with: byte, &input)
    }
  }

  private mutating func paste(_ byte: UInt8, _ input: inout [TerminalInput]) {
    if byte == Self.endOfPaste[pasteEnd] {
      pasteEnd += 1
      guard pasteEnd == Self.endOfPaste.count else { return }
      input.append(.paste(String(decoding: pasted ?? [], as: UTF8.self)))
      pasted = nil
      return
    }
    keep(Self.endOfPaste[..<pasteEnd])
    pasteEnd = byte == Self.escape ? 1 : 0
    if byte == 0x03 {
      // Ctrl-C, where the end of a paste was lost.
      pasted = nil
      take(byte, &input)
    } else if byte != Self.escape {
      keep([byte])
    }
  }

  private mutating func keep(_ bytes: some Collection<UInt8>) {
    if let count = pasted?.count, count + bytes.count <= Self.mostPasted { pasted?.append(contentsOf: bytes) }
  }
}

// MARK: - What sequences mean

extension KeyParser {
  /// A byte below 128 by itself.
  private static func key(of byte: UInt8) -> Key? {
    switch byte {
    case 0x00: Key(.text(" "), .control)
    case 0x08, 0x7F: Key(.backspace)
    case 0x09: Key(.tab)
    case 0x0A, 0x0D: Key(.enter)
    case 0x1B: Key(.escape)
    case 0x01...0x1A: .control(Unicode.Scalar(byte + 0x60))
    case 0x1C...0x1F: .control(Unicode.Scalar(byte + 0x40))
    default: .text(Unicode.Scalar(byte))
    }
  }

  private static let singles: [UInt8: Key.Code] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
    UInt8(ascii: "H"): .home,
    UInt8(ascii: "F"): .end, UInt8(ascii: "P"): .function(1), UInt8(ascii: "Q"): .function(2), UInt8(ascii: "R"): .function(3),
    UInt8(ascii: "S"): .function(4), UInt8(ascii: "M"): .enter,
  ]

  private static let numbered: [Int: Key.Code] = [
    1: .home, 2: .insert, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end, 11: .function(1), 12: .function(2),
    13: .function(3), 14: .function(4), 15: .function(5), 17: .function(6), 18: .function(7), 19: .function(8),
    20: .function(9),
    21: .function(10), 23: .function(11), 24: .function(12),
  ]

  /// A control sequence; nil where it is no key: an answer, a report, something unknown.
  private static func key(_ parameters: [UInt8], _ final: UInt8) -> Key? {
    var numbers: [Int] = []
    for part in parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
      // Of several values in one parameter the first is the key.
      let digits = part.prefix { $0 != UInt8(ascii: ":") }
      guard digits.allSatisfy({ 0x30...0x39 ~= $0 }), digits.count < 8 else { return nil }
      numbers.append(digits.reduce(0) { $0 * 10 + Int($1) - 0x30 })
    }
    let modifiers = Key.Modifiers(rawValue: max(0, (numbers.dropFirst().first ?? 1) - 1) & 7)
    switch final {
    case UInt8(ascii: "A")...UInt8(ascii: "D"), UInt8(ascii: "F"), UInt8(ascii: "H"), UInt8(ascii: "P"), UInt8(ascii: "Q"),
      UInt8(ascii: "S"):
      // Behind a number above 1 it is an answer.
      guard numbers.count <= 2, numbers.first ?? 0 <= 1, let code = singles[final] else { return nil }
      return Key(code, modifiers)
    case UInt8(ascii: "Z"): return numbers.isEmpty || parameters.isEmpty ? Key(.tab, .shift) : nil
    case UInt8(ascii: "~"): return numbers.first.flatMap { numbered[$0] }.map { Key($0, modifiers) }
    case UInt8(ascii: "u"): return numbers.first.flatMap { key(code: $0, modifiers) }
    default: return nil
    }
  }

  /// What the mouse did; nil where that is nothing here: another button, a release, a movement.
  private static func mouse(_ parameters: some Collection<UInt8>, _ final: UInt8) -> MouseEvent? {
    let numbers = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { part in
      part.count < 6 ? Int(String(decoding: part, as: UTF8.self)) : nil
    }
    guard final == UInt8(ascii: "M"), numbers.count == 3, let button = numbers[0], let column = numbers[1],
      let row = numbers[2],
      column > 0, row > 0
    else { return nil }
    let kinds: [Int: MouseEvent.Kind] = [0: .press, 64: .wheelUp, 65: .wheelDown]
    return kinds[button].map { MouseEvent($0, column: column - 1, row: row - 1) }
  }

  /// A key by the number of its character.
  private static func key(code: Int, _ modifiers: Key.Modifiers) -> Key? {
    switch code {
    case 27: return Key(.escape, modifiers)
    case 13, 57414: return Key(.enter, modifiers)
    case 9: return Key(.tab, modifiers)
    case 8, 127: return Key(.backspace, modifiers)
    // Keys without a character: modifiers, media, what the keypad has.
    case 0..<0x20, 57344...63743: return nil
    default: return Unicode.Scalar(UInt32(clamping: code)).map { Key(.text($0), modifiers) }
    }
  }
}
