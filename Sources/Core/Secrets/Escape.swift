/// What may be an escape: a percent sign, backslashes, a reference of HTML, or a `+` for a space.
struct Escape {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let start: Int
  /// Where to look for the next one.
  let end: Int

  init(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) {
    self.bytes = bytes
    self.start = start
    var end = start + 1
    // A run of backslashes is one escape, or looking at each of them would take for ever.
    if bytes[start] == UInt8(ascii: "\\") { while end < bytes.count, bytes[end] == bytes[start] { end += 1 } }
    self.end = end
  }

  /// Calls `body` with each byte that a character may begin with for which it stands; with none where it stands for nothing.
  func forEachByte(_ body: (UInt8) -> Void) {
    switch bytes[start] {
    case UInt8(ascii: "%"):
      if let byte = hex(2, at: start + 1) { body(UInt8(truncatingIfNeeded: byte)) }
      // %252F
      var at = start + 1
      while at + 1 < bytes.count, bytes[at] == UInt8(ascii: "2"), bytes[at + 1] == UInt8(ascii: "5") { at += 2 }
      if at > start + 1, let byte = hex(2, at: at) { body(UInt8(truncatingIfNeeded: byte)) }
    case UInt8(ascii: "\\"):
      body(UInt8(ascii: "\\"))
      guard end < bytes.count else { return }
      body(bytes[end])
      if bytes[end] == UInt8(ascii: "u"), let code = hex(4, at: end + 1) { body(Self.firstByte(ofCode: code)) }
    case UInt8(ascii: "&"): reference(body)
    default: body(UInt8(ascii: " "))
    }
  }

  private func reference(_ body: (UInt8) -> Void) {
    let text = bytes[min(start + 1, bytes.count)..<min(start + 10, bytes.count)].prefix { $0 != UInt8(ascii: ";") }
    if text.first == UInt8(ascii: "#") {
      let digits = String(decoding: text.dropFirst(), as: UTF8.self)
      let code = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
      if let scalar = code.flatMap(Unicode.Scalar.init), let byte = UTF8.encode(scalar)?.first { body(byte) }
      return
    }
    for (scalar, name) in Spelling.references where text.elementsEqual(name.utf8) {
      if let byte = UTF8.encode(scalar)?.first { body(byte) }
    }
  }

  /// The first byte, in UTF-8, of the character that a code of UTF-16 begins.
  private static func firstByte(ofCode code: UInt32) -> UInt8 {
    let isHalf = code & 0xF800 == 0xD800
    let scalar = Unicode.Scalar(isHalf ? 0x10000 + (code & 0x3FF) << 10 : code)
    return scalar.flatMap { UTF8.encode($0)?.first } ?? 0
  }

  private func hex(_ count: Int, at start: Int) -> UInt32? {
    guard start + count <= bytes.count else { return nil }
    var value: UInt32 = 0
    for byte in bytes[start..<start + count] {
      switch byte {
      case 0x30...0x39: value = value << 4 | UInt32(byte - 0x30)
      case 0x41...0x46, 0x61...0x66: value = value << 4 | UInt32((byte | 0x20) - 0x61 + 10)
      default: return nil
      }
    }
    return value
  }
}
