/// Makes keys of the bytes that a terminal sends, however they are split.
///
/// What a terminal answers by itself is passed over, whenever it comes. After a short silence, ``flush()`` makes a key of an escape that
/// nothing followed.
package struct KeyParser: Sendable {
  private enum State {
    case ground
    case escape
    /// CSI, and whether it began behind another escape.
    case control
    /// ESC O: one byte follows.
    case single
    /// ESC [ [: the function keys of a console.
    case console
    /// An answer up to its terminator, and whether an escape has just come in it.
    case string(isEscaped: Bool)
    /// So many bytes of an old mouse report follow.
    case mouse(Int)
    case paste
  }

  private var state = State.ground
  private var parameters: [UInt8] = []
  /// What has come of a character, and how many bytes it has.
  private var character: [UInt8] = []
  private var characterLength = 0
  private var pasted: [UInt8] = []
  /// How much of the end of a paste has come.
  private var pasteEnd = 0
  private var stringLength = 0

  package init() {}

  /// Whether silence would decide what has come.
  package var isUndecided: Bool {
    switch state {
    case .escape, .single: true
    case .control: parameters.isEmpty
    case .string: stringLength == 0
    default: false
    }
  }

  package mutating func read(_ bytes: some Sequence<UInt8>) -> [TerminalInput] {
    var input: [TerminalInput] = []
    for byte in bytes { take(byte, &input) }
    return input
  }

  /// Nothing came for a while: an escape by itself was the key.
  package mutating func flush() -> [TerminalInput] {
    guard isUndecided else { return [] }
    defer { state = .ground }
    switch state {
    case .escape: return [.key(Key(.escape))]
    case .single: return [.key(Key(.text("O"), .alt))]
    case .control: return [.key(Key(.text("["), .alt))]
    default: return []
    }
  }
}

extension KeyParser {
  private static let mostParameters = 64
  private static let mostPasted = 4096
  private static let mostAnswered = 1 << 16
  private static let endOfPaste = Array("\u{1B}[201~".utf8)

  private mutating func take(_ byte: UInt8, _ input: inout [TerminalInput]) {
    switch state {
    case .ground: ground(byte, &input)
    case .escape: escape(byte, &input)
    case .control: control(byte, &input)
    case .single:
      state = .ground
      if byte < 0x20 { return ground(byte, &input) }
      if let key = Self.singles[byte] { input.append(.key(Key(key))) }
    case .console:
      state = .ground
      if byte < 0x20 { return ground(byte, &input) }
      if 0x41...0x45 ~= byte { input.append(.key(Key(.function(Int(byte) - 0x40)))) }
    case .string(let isEscaped): string(byte, isEscaped, &input)
    case .mouse(let left): state = left > 1 ? .mouse(left - 1) : .ground
    case .paste: paste(byte, &input)
    }
  }

  private mutating func ground(_ byte: UInt8, _ input: inout [TerminalInput]) {
    if characterLength > 0 {
      guard 0x80...0xBF ~= byte else {
        // It broke off; this byte begins something new.
        characterLength = 0
        return ground(byte, &input)
      }
      character.append(byte)
      if character.count == characterLength { finishCharacter([], &input) }
      return
    }
    switch byte {
    case 0x1B: state = .escape
    case 0x80...: begin(byte)
    default: if let key = Self.key(of: byte) { input.append(.key(key)) }
    }
  }

  private mutating func begin(_ byte: UInt8) {
    let length =
      switch byte {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 0
      }
    (character, characterLength) = ([byte], length)
  }

  private mutating func finishCharacter(_ modifiers: Key.Modifiers, _ input: inout [TerminalInput]) {
    characterLength = 0
    guard let text = String(validating: character, as: UTF8.self), let scalar = text.unicodeScalars.first, scalar.value >= 0xA0 else {
      return
    }
    input.append(.key(Key(.text(scalar), modifiers)))
  }

  private mutating func escape(_ byte: UInt8, _ input: inout [TerminalInput]) {
    state = .ground
    switch byte {
    case UInt8(ascii: "["):
      parameters = []
      state = .control
    case UInt8(ascii: "O"): state = .single
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
      stringLength = 0
      state = .string(isEscaped: false)
    case 0x1B:
      input.append(.key(Key(.escape)))
      state = .escape
    case 0x80...: ground(byte, &input)
    default:
      if var key = Self.key(of: byte) {
        key.modifiers.insert(.alt)
        input.append(.key(key))
      }
    }
  }

  private mutating func control(_ byte: UInt8, _ input: inout [TerminalInput]) {
    switch byte {
    case UInt8(ascii: "[") where parameters.isEmpty: state = .console
    case 0x20...0x3F:
      // No key has so many; the rest is only passed over.
      if parameters.count < Self.mostParameters { parameters.append(byte) }
    case 0x40...0x7E:
      state = .ground
      if byte == UInt8(ascii: "M"), parameters.isEmpty {
        state = .mouse(3)
      } else if byte == UInt8(ascii: "~"), parameters == Array("200".utf8) {
        (pasted, pasteEnd) = ([], 0)
        state = .paste
      } else if parameters.first == UInt8(ascii: "<") {
        if let event = Self.mouse(parameters.dropFirst(), byte) { input.append(.mouse(event)) }
      } else if let key = Self.key(parameters, byte) {
        input.append(.key(key))
      }
    default:
      // No sequence goes on like that.
      state = .ground
      ground(byte, &input)
    }
  }

  private mutating func string(_ byte: UInt8, _ isEscaped: Bool, _ input: inout [TerminalInput]) {
    stringLength += 1
    if isEscaped {
      state = .ground
      // ESC \ ends it; anything else begins something new.
      if byte != UInt8(ascii: "\\") { escape(byte, &input) }
    } else if byte == 0x1B {
      state = .string(isEscaped: true)
    } else if byte == 0x07 || stringLength > Self.mostAnswered {
      state = .ground
    } else if byte < 0x20 {
      state = .ground
      ground(byte, &input)
    }
  }

  private mutating func paste(_ byte: UInt8, _ input: inout [TerminalInput]) {
    if byte == Self.endOfPaste[pasteEnd] {
      pasteEnd += 1
      if pasteEnd == Self.endOfPaste.count {
        state = .ground
        input.append(.paste(String(decoding: pasted, as: UTF8.self)))
      }
      return
    }
    keep(Self.endOfPaste[..<pasteEnd])
    pasteEnd = 0
    if byte == 0x1B {
      pasteEnd = 1
    } else if byte == 0x03 {
      // Ctrl-C, where the end of a paste was lost.
      state = .ground
      ground(byte, &input)
    } else {
      keep([byte])
    }
  }

  private mutating func keep(_ bytes: some Collection<UInt8>) {
    if pasted.count + bytes.count <= Self.mostPasted { pasted += bytes }
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
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left, UInt8(ascii: "H"): .home,
    UInt8(ascii: "F"): .end, UInt8(ascii: "P"): .function(1), UInt8(ascii: "Q"): .function(2), UInt8(ascii: "R"): .function(3),
    UInt8(ascii: "S"): .function(4), UInt8(ascii: "M"): .enter,
  ]

  private static let numbered: [Int: Key.Code] = [
    1: .home, 2: .insert, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end, 11: .function(1), 12: .function(2),
    13: .function(3), 14: .function(4), 15: .function(5), 17: .function(6), 18: .function(7), 19: .function(8), 20: .function(9),
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
    guard final == UInt8(ascii: "M"), numbers.count == 3, let button = numbers[0], let column = numbers[1], let row = numbers[2],
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
