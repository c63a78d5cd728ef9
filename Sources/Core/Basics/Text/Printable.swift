/// The cleaning of text from outside, so that it is safe to print.
public enum Printable {
  /// The treatment of line breaks.
  public enum Lines: Sendable {
    /// Each becomes a space: for a message, a cell, a line of tsv.
    case joined
    /// Each stays, as `\n`.
    case kept
  }

  /// Returns the text without characters that a terminal would obey, or that would change how the text reads.
  ///
  /// Terminal control sequences are removed as a whole, in their 7-bit and their 8-bit form. Other control characters, byte-order marks,
  /// and the marks that reverse or isolate the direction of writing are removed too. Tabs and separators become spaces; `lines` decides on
  /// line breaks.
  ///
  /// A sequence without an end loses only its introducer: the text after it is shown.
  public static func clean(_ text: String, lines: Lines = .joined) -> String {
    var text = text
    let cleaned = text.withUTF8 { bytes -> String? in
      guard let suspect = firstSuspect(in: bytes, lines: lines) else { return nil }
      var cleaner = Cleaner(bytes: bytes, lines: lines)
      cleaner.run(from: suspect)
      return String(decoding: cleaner.output, as: UTF8.self)
    }
    return cleaned ?? text
  }

  /// Returns the index of the first byte that may begin something to clean; nil if the text is clean.
  private static func firstSuspect(in bytes: UnsafeBufferPointer<UInt8>, lines: Lines) -> Int? {
    bytes.indices.first { index in
      let byte = bytes[index]
      if byte &- 0x20 < 0x5F { return false }
      if byte < 0x80 { return byte != 0x0A || lines == .joined }
      return (byte == 0xC2 || byte == 0xE2 || byte == 0xEF) && Cleaner.isUnwanted(bytes.scalar(at: index).value)
    }
  }
}

private struct Cleaner {
  let bytes: UnsafeBufferPointer<UInt8>
  let lines: Printable.Lines
  var output: [UInt8] = []

  static func isControl(_ scalar: UInt32) -> Bool { scalar < 0x20 || 0x7F...0x9F ~= scalar }

  static func isUnwanted(_ scalar: UInt32) -> Bool {
    isControl(scalar) || 0x2028...0x202E ~= scalar || 0x2066...0x2069 ~= scalar || scalar == 0xFEFF
  }

  mutating func run(from start: Int) {
    output.reserveCapacity(bytes.count)
    output.append(contentsOf: bytes[..<start])
    var index = start
    while index < bytes.count {
      let scalar = bytes.scalar(at: index)
      let next = index + scalar.count
      switch scalar.value {
      case 0x1B: index = end(ofEscapeAt: next)
      case 0x90, 0x98, 0x9D, 0x9E, 0x9F: index = end(ofStringAt: next) ?? next
      case 0x9B: index = end(ofParametersAt: next) ?? next
      case 0x09, 0x85, 0x2028, 0x2029:
        output.append(0x20)
        index = next
      case 0x0A, 0x0D:
        let isPair = scalar.value == 0x0D && next < bytes.count && bytes[next] == 0x0A
        output.append(lines == .kept ? 0x0A : 0x20)
        index = isPair ? next + 1 : next
      case let value:
        if !Self.isUnwanted(value) { output.append(contentsOf: bytes[index..<next]) }
        index = next
      }
    }
  }

  /// Returns the end of the escape sequence after ESC; `start` if it is not a sequence, so that only ESC is removed.
  private func end(ofEscapeAt start: Int) -> Int {
    guard start < bytes.count else { return start }
    switch bytes[start] {
    case UInt8(ascii: "["): return end(ofParametersAt: start + 1) ?? start + 1
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
      return end(ofStringAt: start + 1) ?? start + 1
    case 0x20...0x2F:
      // For example the choice of a character set, ESC ( B.
      var index = start
      while index < bytes.count, 0x20...0x2F ~= bytes[index] { index += 1 }
      return index < bytes.count && 0x30...0x7E ~= bytes[index] ? index + 1 : start
    case 0x30...0x7E: return start + 1
    default: return start
    }
  }

  /// Returns the end of a CSI sequence: parameters, intermediate bytes, one final byte. Nil if it has no end.
  private func end(ofParametersAt start: Int) -> Int? {
    var index = start
    while index < bytes.count, 0x30...0x3F ~= bytes[index] { index += 1 }
    while index < bytes.count, 0x20...0x2F ~= bytes[index] { index += 1 }
    return index < bytes.count && 0x40...0x7E ~= bytes[index] ? index + 1 : nil
  }

  /// The end of OSC, DCS, APC, PM or SOS, at ST (in either form) or BEL. Nil if it has no end, or if another control character comes first.
  private func end(ofStringAt start: Int) -> Int? {
    var index = start
    while index < bytes.count {
      let scalar = bytes.scalar(at: index)
      let next = index + scalar.count
      if Self.isControl(scalar.value) {
        if scalar.value == 0x07 || scalar.value == 0x9C { return next }
        return scalar.value == 0x1B && next < bytes.count && bytes[next] == UInt8(ascii: "\\") ? next + 1 : nil
      }
      index = next
    }
    return nil
  }
}
