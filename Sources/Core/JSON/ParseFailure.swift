/// Where a document stopped being JSON, and what should have been there.
struct ParseFailure {
  let offset: Int
  let expected: StaticString

  /// `expected ',' or '}', found 'x' at byte 17, line 2:5`
  func error(in bytes: [UInt8], fromLine first: Int = 1) -> SourceError {
    let place = "at byte \(offset), \(line(in: bytes, from: first))"
    guard offset < bytes.count else { return SourceError(.truncated, "the JSON is cut short: expected \(expected) \(place)") }
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    // A first character that JSON does not allow: say what was sent instead, if that can be told.
    if bytes[start..<offset].allSatisfy(Byte.isSpace) {
      if bytes[offset] == UInt8(ascii: "<") { return SourceError(.malformed, "expected JSON, got an HTML page") }
      if bytes[offset] >= 0xFE || bytes[offset] == 0 { return SourceError(.malformed, "expected UTF-8, got UTF-16 or UTF-32") }
    }
    return SourceError(.malformed, "invalid JSON: expected \(expected), found \(found(in: bytes)) \(place)")
  }

  private func found(in bytes: [UInt8]) -> String {
    let byte = bytes[offset]
    guard !(0x21...0x7E).contains(byte) else { return "'\(Character(UnicodeScalar(byte)))'" }
    let digits = String(byte, radix: 16, uppercase: true)
    return "the byte 0x" + (digits.count < 2 ? "0" : "") + digits
  }

  /// `line 2:5`, lines and characters counted from one.
  private func line(in bytes: [UInt8], from first: Int) -> String {
    var line = first
    var column = 1
    for byte in bytes[..<offset] {
      if byte == Byte.newline {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return "line \(line):\(column)"
  }
}
