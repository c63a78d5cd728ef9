import Platform

/// RFC 3986's percent-encoding, over UTF-8.
public enum PercentEncoding {
  /// Encodes a text as one name or value of a query: everything but the unreserved characters is encoded.
  public static func query(_ text: String) -> String {
    // Most texts, such as names and numbers, stay as they are.
    if text.utf8.allSatisfy(isUnreserved) { return text }
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if isUnreserved(byte) { bytes.append(byte) } else { bytes += byte.percentEncoded }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Encodes a text as one segment of a path. Nil if it cannot be one: it is empty, or it would lead to another folder, such as `..` or
  /// `../a`, also for a server that decodes a path twice.
  public static func segment(_ text: String) -> String? {
    guard !text.isEmpty else { return nil }
    let leadsAway = decode(text).utf8.split { $0 == Byte.slash || $0 == Byte.backslash }
      .contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
    return leadsAway ? nil : query(text)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
    default: Byte.isWord(byte)
    }
  }

  /// Decodes a percent-encoded name or value of a query; text that is not encoded stays as it is, and `+` becomes a space.
  public static func decode(_ text: some StringProtocol) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let code = rest.prefix(2).compactMap(Byte.hexDigit)
      if byte == UInt8(ascii: "%"), code.count == 2 {
        bytes.append(UInt8(code[0] << 4 | code[1]))
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte == Byte.plus ? Byte.space : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
