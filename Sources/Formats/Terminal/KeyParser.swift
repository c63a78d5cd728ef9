/// Turns the bytes that a terminal sends into keys, however the bytes are split.
///
/// Answers that a terminal sends by itself are skipped, whenever they come. After a short silence, ``flush()`` turns an escape
/// that nothing followed into a key.
package struct KeyParser: Sendable {
  /// The beginning of a character or a sequence whose rest has not come.
  private var begun: [UInt8] = []
  /// The part of a paste that has come; nil outside of a paste.
  private var pasted: [UInt8]?
  /// The most bytes of a paste; the rest is dropped.
  private let mostPasted: Int

  package init(mostPasted: Int = 4096) { self.mostPasted = mostPasted }

  /// True when a silence would decide the meaning of what has come.
  package var isUndecided: Bool { begun.first == Self.escape && begun.count <= 2 && pasted == nil }

  package mutating func read(_ bytes: some Sequence<UInt8>) -> [TerminalInput] {
    begun += bytes
    var (rest, input) = (begun[...], [TerminalInput]())
    while !rest.isEmpty, let (length, found) = next(in: rest) {
      rest = rest.dropFirst(length)
      if let found { input.append(found) }
    }
    begun = Array(rest)
    return input
  }

  /// Takes note of a silence: an escape by itself was the key.
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
  /// The number of bytes of the next thing, and its meaning; nil if it has none here.
  private typealias ParsedInput = (length: Int, input: TerminalInput?)

  private static let escape: UInt8 = 0x1B
  private static let mostAnswered = 1 << 16
  private static let endOfPaste = Array("\u{1B}[201~".utf8)

  /// Reads the first thing in `rest`; nil if its end has not come. A thing that breaks off ends where a new one begins.
  private mutating func next(in rest: ArraySlice<UInt8>) -> ParsedInput? {
    if pasted != nil { return paste(rest) }
    switch rest[at: 0] {
    case Self.escape: return rest.count > 1 ? sequence(rest) : nil
    case 0x80...: return Self.character(rest)
    case let byte: return (1, .key(Self.key(of: byte)))
    }
  }

  private static func character(_ rest: ArraySlice<UInt8>) -> ParsedInput? {
    let length =
      switch rest[at: 0] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    let bytes = rest.prefix(length)
    if let end = bytes.dropFirst().firstIndex(where: { !(0x80...0xBF ~= $0) }) { return (end - rest.startIndex, nil) }
    guard bytes.count == length else { return nil }
    let scalar = String(validating: bytes, as: UTF8.self)?.unicodeScalars.first
    return (length, scalar.flatMap { $0.value < 0xA0 ? nil : .key(.text($0)) })
  }

  private mutating func sequence(_ rest: ArraySlice<UInt8>) -> ParsedInput? {
    switch rest[at: 1] {
    case UInt8(ascii: "["): return rest.count > 2 ? control(rest) : nil
    case UInt8(ascii: "O"):
      guard rest.count > 2 else { return nil }
      return rest[at: 2] < 0x20 ? (2, nil) : (3, Self.singles[rest[at: 2]].map { .key(Key($0)) })
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
      return Self.answer(rest)
    case Self.escape: return (1, .key(Key(.escape)))
    case 0x80...: return (1, nil)
    case let byte:
      var key = Self.key(of: byte)
      key.modifiers.insert(.alt)
      return (2, .key(key))
    }
  }

  private mutating func control(_ rest: ArraySlice<UInt8>) -> ParsedInput? {
    switch rest[at: 2] {
    // The function keys of a console.
    case UInt8(ascii: "["):
      guard rest.count > 3 else { return nil }
      return rest[at: 3] < 0x20 ? (3, nil) : (4, rest[at: 3] == UInt8(ascii: "A") ? .key(Key(.f1)) : nil)
    // Reports of old mice, in three bytes.
    case UInt8(ascii: "M"): return rest.count < 6 ? nil : (6, nil)
    default: break
    }
    guard let end = rest.dropFirst(2).firstIndex(where: { !(0x20...0x3F ~= $0) }) else {
      return rest.count > Self.mostAnswered ? (rest.count, nil) : nil
    }
    let (length, parameters) = (end + 1 - rest.startIndex, rest[..<end].dropFirst(2))
    guard 0x40...0x7E ~= rest[end] else { return (length - 1, nil) }
    if rest[end] == UInt8(ascii: "~"), parameters.elementsEqual("200".utf8) {
      pasted = []
      return (length, nil)
    }
    if parameters.first == UInt8(ascii: "<") {
      return (length, Self.mouse(parameters.dropFirst(), rest[end]).map { .mouse($0) })
    }
    return (length, Self.key(parameters, rest[end]).map { .key($0) })
  }

  /// Skips an answer of the terminal, up to a BEL or `ESC \`.
  private static func answer(_ rest: ArraySlice<UInt8>) -> ParsedInput? {
    guard let end = rest.prefix(mostAnswered).dropFirst(2).firstIndex(where: { $0 < 0x20 }) else {
      return rest.count > mostAnswered ? (mostAnswered, nil) : nil
    }
    let length = end - rest.startIndex
    switch rest[end] {
    case 0x07: return (length + 1, nil)
    case escape: return rest.count == length + 1 ? nil : (rest[end + 1] == UInt8(ascii: "\\") ? length + 2 : length, nil)
    default: return (length, nil)
    }
  }

  private mutating func paste(_ rest: ArraySlice<UInt8>) -> ParsedInput? {
    let end = rest.firstIndex { $0 == Self.escape || $0 == 0x03 } ?? rest.endIndex
    let length = end - rest.startIndex
    keep(rest[..<end])
    let mark = rest[end...].prefix(Self.endOfPaste.count)
    if mark.first == 0x03 {
      // Ctrl-C, if the end of a paste was lost.
      pasted = nil
    } else if mark.elementsEqual(Self.endOfPaste) {
      defer { pasted = nil }
      return (length + mark.count, .paste(String(decoding: pasted ?? [], as: UTF8.self)))
    } else if Self.endOfPaste.starts(with: mark) {
      return length == 0 ? nil : (length, nil)
    } else {
      keep([Self.escape])
      return (length + 1, nil)
    }
    return (length, nil)
  }

  private mutating func keep(_ bytes: ArraySlice<UInt8>) {
    let room = mostPasted - (pasted?.count ?? 0)
    pasted?.append(contentsOf: bytes.prefix(room))
  }
}

extension ArraySlice<UInt8> {
  fileprivate subscript(at offset: Int) -> UInt8 { self[startIndex + offset] }
}

// MARK: - Meanings of sequences

extension KeyParser {
  /// Returns the key for a single byte below 128.
  private static func key(of byte: UInt8) -> Key {
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
    UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end, UInt8(ascii: "P"): .f1, UInt8(ascii: "M"): .enter,
  ]

  private static let numbered: [Int: Key.Code] = [
    1: .home, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end, 11: .f1,
  ]

  /// Returns the key for a control sequence; nil for an answer, a report, or anything unknown.
  private static func key(_ parameters: ArraySlice<UInt8>, _ final: UInt8) -> Key? {
    var numbers: [Int] = []
    for part in parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
      // If a parameter has several values, the first one is the key.
      let digits = part.prefix { $0 != UInt8(ascii: ":") }
      guard digits.allSatisfy({ 0x30...0x39 ~= $0 }), digits.count < 8 else { return nil }
      numbers.append(digits.reduce(0) { $0 * 10 + Int($1) - 0x30 })
    }
    let modifiers = Key.Modifiers(rawValue: max(0, (numbers.dropFirst().first ?? 1) - 1) & 7)
    switch final {
    case UInt8(ascii: "Z"): return parameters.isEmpty ? Key(.tab, .shift) : nil
    case UInt8(ascii: "~"): return numbers.first.flatMap { numbered[$0] }.map { Key($0, modifiers) }
    case UInt8(ascii: "u"): return numbers.first.flatMap { key(code: $0, modifiers) }
    // With a number above 1 it would be an answer.
    case _ where final != UInt8(ascii: "M") && numbers.count <= 2 && numbers.first ?? 0 <= 1:
      return singles[final].map { Key($0, modifiers) }
    default: return nil
    }
  }

  /// Returns the action of the mouse; nil for one that has no meaning here: another button, a release, a movement.
  private static func mouse(_ parameters: some Collection<UInt8>, _ final: UInt8) -> MouseEvent? {
    let numbers = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { part in
      part.count < 6 ? Int(String(decoding: part, as: UTF8.self)) : nil
    }
    guard final == UInt8(ascii: "M"), numbers.count == 3, let button = numbers[0], let column = numbers[1],
      let row = numbers[2], column > 0, row > 0
    else { return nil }
    let kinds: [Int: MouseEvent.Kind] = [0: .press, 64: .wheelUp, 65: .wheelDown]
    return kinds[button].map { MouseEvent($0, column: column - 1, row: row - 1) }
  }

  /// Returns the key with this number of a character; nil for a key without a character.
  private static func key(code: Int, _ modifiers: Key.Modifiers) -> Key? {
    switch code {
    case 27: return Key(.escape, modifiers)
    case 13, 57414: return Key(.enter, modifiers)
    case 9: return Key(.tab, modifiers)
    case 8, 127: return Key(.backspace, modifiers)
    // Keys without a character: modifiers, media keys, and keys of the keypad.
    case 0..<0x20, 57344...63743: return nil
    default: return Unicode.Scalar(UInt32(clamping: code)).map { Key(.text($0), modifiers) }
    }
  }
}
