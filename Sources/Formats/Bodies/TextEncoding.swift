import AggregatorCore

/// The encodings besides UTF-8 in which rows of text are read, where something names them.
enum TextEncoding {
  /// Windows-1252, which web pages mean by ISO-8859-1 and Latin-1 too.
  case windows1252
  case utf16

  /// The name of the encoding in a content type; nil without one.
  private static func name(in type: String?) -> String? {
    let parameters = type?.lowercased().split(separator: ";").map(\.trimmingSpaces) ?? []
    return parameters.first { $0.hasPrefix("charset=") }?.dropFirst("charset=".count).filter { $0 != "\"" && $0 != "'" }
  }

  /// Returns XML in UTF-8 and without its declaration, if the content type names an encoding in which the text is. Nil if it names none, and if
  /// the declaration is as good.
  static func xml(_ text: [UInt8], type: String?) -> [UInt8]? {
    guard name(in: type) != nil, text.starts(with: "<?xml".utf8), let end = text.firstIndex(of: UInt8(ascii: ">")) else {
      return nil
    }
    let isUTF8 = String(validating: text, as: UTF8.self) != nil
    guard isUTF8 ? name(in: type) == "utf-8" : TextEncoding(of: text, type: type) == .windows1252 else { return nil }
    return try? Array(isUTF8 ? text[(end + 1)...] : Self.windows1252.utf8(text)[(end + 1)...])
  }

  /// The encoding that the content type names, or the mark at the beginning of the text; nil for UTF-8, for another one and for none.
  init?(of text: [UInt8], type: String?) {
    switch Self.name(in: type) {
    case _ where text.isUTF16: self = .utf16
    case "iso-8859-1", "iso8859-1", "latin1", "windows-1252", "cp1252": self = .windows1252
    default: return nil
    }
  }

  /// Returns the text in UTF-8. Throws if it is not in this encoding.
  func utf8(_ text: [UInt8]) throws -> [UInt8] {
    switch self {
    case .windows1252:
      var bytes: [UInt8] = []
      bytes.reserveCapacity(text.count + text.count / 8)
      for byte in text {
        if byte < 0x80 { bytes.append(byte) } else { bytes += String(Self.scalar(byte)).utf8 }
      }
      return bytes
    case .utf16:
      // The mark says which byte of each two comes first.
      let high = text.first == 0xFE ? 0 : 1
      var units: [UInt16] = []
      for at in stride(from: 2, to: text.count - 1, by: 2) {
        units.append(UInt16(text[at + high]) << 8 + UInt16(text[at + 1 - high]))
      }
      guard text.count.isMultiple(of: 2), let read = String(validating: units, as: UTF16.self) else {
        throw SourceError(.malformed, "the answer is broken UTF-16")
      }
      return Array(read.utf8)
    }
  }

  /// The characters of Windows-1252 in place of control characters; those that it leaves free stay these.
  private static let marks = Array(
    "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

  private static func scalar(_ byte: UInt8) -> Unicode.Scalar {
    0x80...0x9F ~= byte ? marks[Int(byte) - 0x80] : Unicode.Scalar(byte)
  }
}
