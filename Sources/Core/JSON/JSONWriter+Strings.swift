import Platform

extension JSONWriter {
  mutating func append(quoted string: String) {
    var string = string
    string.withUTF8 { text in
      bytes.append(Byte.quote)
      defer { bytes.append(Byte.quote) }
      guard !Self.mayHoldTerminalControls(text) else { return append(guarded: text) }
      var clean = 0
      while true {
        let special = Self.special(in: text, from: clean)
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[clean..<special]))
        guard special < text.count else { break }
        append(escaped: text[special])
        clean = special + 1
      }
    }
  }

  /// Whether DEL or a character of U+0080 to U+009F, which some terminals obey, may be in it. JSON allows them raw; a pipe that
  /// ends on a terminal does not.
  private static func mayHoldTerminalControls(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = text.baseAddress else { return false }
    return memchr(start, 0x7F, text.count) != nil || memchr(start, 0xC2, text.count) != nil
  }

  /// The text byte by byte, those controls escaped too.
  private mutating func append(guarded text: UnsafeBufferPointer<UInt8>) {
    var at = 0
    while at < text.count {
      let byte = text[at]
      if byte == 0xC2, at + 1 < text.count, text[at + 1] < 0xA0 {
        append(escaped: text[at + 1])
        at += 1
      } else if byte == 0x7F || (byte < 0x80 && PlainText.isEnded(by: byte)) {
        append(escaped: byte)
      } else {
        bytes.append(byte)
      }
      at += 1
    }
  }

  /// The first byte at or after `start` that must be escaped, or the end.
  private static func special(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    let raw = UnsafeRawBufferPointer(text)
    var at = start
    while at &+ 16 <= raw.count {
      let marks = PlainText.asciiMarks(in: raw.loadUnaligned(fromByteOffset: at, as: PlainText.Block.self))
      if let count = PlainText.count(before: marks) { return at &+ count }
      at &+= 16
    }
    while at < raw.count, raw[at] >= 0x80 || !PlainText.isEnded(by: raw[at]) { at &+= 1 }
    return at
  }

  private mutating func append(escaped byte: UInt8) {
    bytes.append(Byte.backslash)
    switch byte {
    case Byte.quote, Byte.backslash: bytes.append(byte)
    case 0x08: bytes.append(Byte.b)
    case 0x0C: bytes.append(Byte.f)
    case Byte.newline: bytes.append(Byte.n)
    case Byte.carriageReturn: bytes.append(Byte.r)
    case Byte.tab: bytes.append(Byte.t)
    default:
      bytes.append(contentsOf: "u00".utf8)
      for digit in [byte >> 4, byte & 15] { bytes.append(digit < 10 ? Byte.zero + digit : UInt8(ascii: "a") + digit - 10) }
    }
  }
}
