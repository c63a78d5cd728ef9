/// One scalar read from bytes that may not be UTF-8.
struct DecodedScalar {
  var value: UInt32
  /// How many bytes it took: at least one, and never more than there are.
  var count: Int
}

extension UnsafeBufferPointer<UInt8> {
  /// The scalar that begins at `index`, which must be inside.
  ///
  /// Malformed bytes read as U+FFFD, as many at once as `String(decoding:as:)` takes, so that both see the same text.
  @inline(__always)
  func scalar(at index: Int) -> DecodedScalar {
    let first = self[index]
    if first < 0x80 { return DecodedScalar(value: UInt32(first), count: 1) }
    if first >= 0xC2, first < 0xE0, index + 1 < count, self[index + 1] & 0xC0 == 0x80 {
      return DecodedScalar(value: UInt32(first & 0x1F) << 6 | UInt32(self[index + 1] & 0x3F), count: 2)
    }
    return longScalar(at: index, first: first)
  }

  private func longScalar(at index: Int, first: UInt8) -> DecodedScalar {
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF:
      length = 3
      // No overlong forms, no surrogates.
      if first == 0xE0 { second = 0xA0...0xBF } else if first == 0xED { second = 0x80...0x9F }
    case 0xF0...0xF4:
      length = 4
      if first == 0xF0 { second = 0x90...0xBF } else if first == 0xF4 { second = 0x80...0x8F }
    default: return DecodedScalar(value: 0xFFFD, count: 1)
    }
    var value = UInt32(first) & (0x7F >> UInt32(length))
    for offset in 1..<length {
      guard index + offset < count, (offset == 1 ? second : 0x80...0xBF).contains(self[index + offset]) else {
        return DecodedScalar(value: 0xFFFD, count: offset)
      }
      value = value << 6 | UInt32(self[index + offset] & 0x3F)
    }
    return DecodedScalar(value: value, count: length)
  }
}

extension [UInt8] {
  /// Appends a scalar as UTF-8; what is no scalar becomes U+FFFD.
  mutating func append(scalar value: UInt32) {
    append(contentsOf: UTF8.encode(Unicode.Scalar(value) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
  }
}
