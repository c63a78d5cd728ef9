/// What the escapes in a string stand for.
enum Escapes {
  /// Writes what `text` says, which is never longer than `text` itself; the number of bytes written.
  ///
  /// The parser has checked the escapes; should one be cut short nevertheless, it is left out.
  static func resolve(_ text: UnsafeBufferPointer<UInt8>, into result: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var read = 0
    var written = 0
    while read < text.count {
      let byte = text[read]
      read += 1
      guard byte == Byte.backslash, read < text.count else {
        result[written] = byte
        written += 1
        continue
      }
      let letter = text[read]
      read += 1
      switch letter {
      case Byte.b: result[written] = 0x08
      case Byte.f: result[written] = 0x0C
      case Byte.n: result[written] = Byte.newline
      case Byte.r: result[written] = Byte.carriageReturn
      case Byte.t: result[written] = Byte.tab
      case Byte.u:
        for unit in UTF8.encode(scalar(in: text, at: &read)) ?? UTF8.encodedReplacementCharacter {
          result[written] = unit
          written += 1
        }
        continue
      default: result[written] = letter
      }
      written += 1
    }
    return written
  }

  /// The character whose digits begin at `index`, taking the second half of a surrogate pair along; U+FFFD for half a pair.
  private static func scalar(in text: UnsafeBufferPointer<UInt8>, at index: inout Int) -> Unicode.Scalar {
    let replacement: Unicode.Scalar = "\u{FFFD}"
    guard let first = unit(in: text, at: index) else {
      index = text.count
      return replacement
    }
    index += 4
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, index + 6 <= text.count, text[index] == Byte.backslash, text[index + 1] == Byte.u,
      let second = unit(in: text, at: index + 2), (0xDC00..<0xE000).contains(second)
    else { return replacement }
    index += 6
    return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? replacement
  }

  private static func unit(in text: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt32? {
    guard index + 4 <= text.count else { return nil }
    var unit: UInt32 = 0
    for digit in text[index..<index + 4] {
      guard let value = Byte.hexDigit(digit) else { return nil }
      unit = unit << 4 | value
    }
    return unit
  }
}
