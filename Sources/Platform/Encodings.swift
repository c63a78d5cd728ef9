/// The base64 of RFC 4648.
package enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let addressAlphabet = Array(alphabet.dropLast(2)) + Array("-_".utf8)

  /// Returns the text for the bytes. A text for addresses has `-` and `_` in place of `+` and `/`, and no padding.
  package static func encode(_ bytes: some Sequence<UInt8>, forAddresses isForAddresses: Bool = false) -> String {
    let alphabet = isForAddresses ? addressAlphabet : alphabet
    var text: [UInt8] = []
    var (bits, count): (UInt32, Int) = (0, 0)
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        text.append(alphabet[Int(bits >> UInt32(count) & 63)])
      }
    }
    if count > 0 { text.append(alphabet[Int(bits << UInt32(6 - count) & 63)]) }
    while !isForAddresses, text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes for `text`; nil if it is not base64. Line breaks, missing padding and the alphabet for addresses are accepted.
  package static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 4 * 3)
    var (bits, digits, isPadded): (UInt32, Int, Bool) = (0, 0, false)
    for byte in text.utf8 where byte > 0x20 {
      if byte == UInt8(ascii: "=") {
        isPadded = true
        continue
      }
      guard !isPadded, let digit = digit(byte) else { return nil }
      bits = bits << 6 | digit
      digits += 1
      if digits % 4 != 1 { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(6 - 2 * ((digits - 1) % 4)))) }
    }
    return digits % 4 == 1 ? nil : bytes
  }

  private static func digit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a") + 26)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0") + 52)
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}

extension UInt8 {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// The byte as RFC 3986 writes it: `%3F`.
  package var percentEncoded: [UInt8] { [UInt8(ascii: "%"), Self.digits[Int(self >> 4)], Self.digits[Int(self & 15)]] }
}
