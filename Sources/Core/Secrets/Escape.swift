/// What may be an escape: a percent sign, backslashes, a reference of HTML, or a `+` for a space.
struct Escape {
  /// The bytes that a character may begin with for which it stands; -1 for none.
  let meanings: (Int, Int, Int)
  /// Where to look for the next one.
  let end: Int

  @inline(__always) init(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) {
    let text = Text(bytes: bytes)
    switch bytes[start] {
    case UInt8(ascii: "\\"):
      var end = start + 1
      // A run of backslashes is one escape, or looking at each of them would take forever.
      while end < bytes.count, bytes[end] == bytes[start] { end += 1 }
      let next = end < bytes.count ? Int(bytes[end]) : -1
      let isCode = next == Int(UInt8(ascii: "u"))
      meanings = (Int(UInt8(ascii: "\\")), next, isCode ? text.firstByte(ofCodeAt: end + 1) : -1)
      self.end = end
    case UInt8(ascii: "%"):
      var inner = start + 1
      // %252F
      while inner + 1 < bytes.count, bytes[inner] == UInt8(ascii: "2"), bytes[inner + 1] == UInt8(ascii: "5") { inner += 2 }
      meanings = (text.hex(2, at: start + 1), inner > start + 1 ? text.hex(2, at: inner) : -1, -1)
      end = start + 1
    case UInt8(ascii: "&"):
      meanings = (text.firstByte(ofReferenceAt: start + 1), -1, -1)
      end = start + 1
    default:
      meanings = (Int(UInt8(ascii: " ")), -1, -1)
      end = start + 1
    }
  }

  private struct Text {
    let bytes: UnsafeBufferPointer<UInt8>

    /// Of the character that a code of UTF-16 begins.
    func firstByte(ofCodeAt start: Int) -> Int {
      let code = hex(4, at: start)
      guard code >= 0 else { return -1 }
      let isHalf = code & 0xF800 == 0xD800
      return firstByte(of: UInt32(isHalf ? 0x10000 + (code & 0x3FF) << 10 : code))
    }

    /// Of what `#39;`, `#x27;` or `apos;` stands for.
    func firstByte(ofReferenceAt start: Int) -> Int {
      let text = bytes[min(start, bytes.count)..<min(start + 9, bytes.count)].prefix { $0 != UInt8(ascii: ";") }
      if text.first == UInt8(ascii: "#") {
        let digits = String(decoding: text.dropFirst(), as: UTF8.self)
        let code = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return code.map { firstByte(of: $0) } ?? -1
      }
      let scalar = Spelling.references.first { text.elementsEqual($0.value.utf8) }?.key
      return scalar.map { firstByte(of: $0.value) } ?? -1
    }

    private func firstByte(of code: UInt32) -> Int { Unicode.Scalar(code).flatMap { UTF8.encode($0)?.first }.map { Int($0) } ?? -1 }

    /// This many hexadecimal digits as a number; -1 where they are not.
    func hex(_ count: Int, at start: Int) -> Int {
      guard start + count <= bytes.count else { return -1 }
      var value = 0
      for byte in bytes[start..<start + count] {
        switch byte {
        case 0x30...0x39: value = value << 4 | Int(byte - 0x30)
        case 0x41...0x46, 0x61...0x66: value = value << 4 | Int((byte | 0x20) - 0x61 + 10)
        default: return -1
        }
      }
      return value
    }
  }
}
