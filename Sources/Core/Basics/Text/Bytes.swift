/// The bytes of the grammars of JSON and of tables.
package enum Byte {
  @inlinable package static var tab: UInt8 { UInt8(ascii: "\t") }
  @inlinable package static var newline: UInt8 { UInt8(ascii: "\n") }
  @inlinable package static var carriageReturn: UInt8 { UInt8(ascii: "\r") }
  @inlinable package static var space: UInt8 { UInt8(ascii: " ") }
  @inlinable package static var quote: UInt8 { UInt8(ascii: "\"") }
  @inlinable package static var backslash: UInt8 { UInt8(ascii: "\\") }
  static let slash = UInt8(ascii: "/")
  @inlinable package static var comma: UInt8 { UInt8(ascii: ",") }
  @inlinable package static var semicolon: UInt8 { UInt8(ascii: ";") }
  static let colon = UInt8(ascii: ":")
  @inlinable package static var openBrace: UInt8 { UInt8(ascii: "{") }
  @inlinable package static var closeBrace: UInt8 { UInt8(ascii: "}") }
  @inlinable package static var openBracket: UInt8 { UInt8(ascii: "[") }
  @inlinable package static var closeBracket: UInt8 { UInt8(ascii: "]") }
  static let minus = UInt8(ascii: "-")
  static let plus = UInt8(ascii: "+")
  static let point = UInt8(ascii: ".")
  static let zero = UInt8(ascii: "0")
  static let nine = UInt8(ascii: "9")
  static let b = UInt8(ascii: "b")
  static let e = UInt8(ascii: "e")
  static let f = UInt8(ascii: "f")
  static let n = UInt8(ascii: "n")
  static let r = UInt8(ascii: "r")
  static let t = UInt8(ascii: "t")
  static let u = UInt8(ascii: "u")

  @inline(__always) static func isSpace(_ byte: UInt8) -> Bool {
    byte == space || byte == newline || byte == carriageReturn || byte == tab
  }

  @inline(__always) static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }

  @inline(__always) static func isWord(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20) &- 0x61 < 26 }

  @inline(__always) static func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Returns the scalar that begins at `index`, and how many bytes it takes. The bytes must be UTF-8.
  @inline(__always) func scalar(at index: Int) -> (value: UInt32, count: Int) {
    let first = UInt32(self[index])
    if first < 0x80 { return (first, 1) }
    let count = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    var value = first & (0x7F >> UInt32(count))
    for offset in 1..<count { value = value << 6 | UInt32(self[index + offset] & 0x3F) }
    return (value, count)
  }

  /// Returns the number that the digits in a range make; nil if one of them is not a digit. The range must be short.
  func number(in range: Range<Int>) -> Int? {
    var number = 0
    for index in range {
      guard Byte.isDigit(self[index]) else { return nil }
      number = number * 10 + Int(self[index] - Byte.zero)
    }
    return number
  }

  /// Returns the number that so many hexadecimal digits from `start` on make; nil if one of them is not such a digit.
  func hexNumber(at start: Int, digits: Int) -> UInt32? {
    guard start + digits <= count else { return nil }
    var value: UInt32 = 0
    for byte in self[start..<start + digits] {
      guard let digit = Byte.hexDigit(byte) else { return nil }
      value = value << 4 | digit
    }
    return value
  }

  /// Returns the scalar of JSON's escape whose backslash is before `start`, and the end of the escape. Half of a surrogate pair gives
  /// U+FFFD. Nil if it is not an escape.
  func jsonEscape(at start: Int) -> (scalar: Unicode.Scalar, end: Int)? {
    guard start < count else { return nil }
    switch self[start] {
    case Byte.quote, Byte.backslash, Byte.slash, UInt8(ascii: "'"): return (Unicode.Scalar(self[start]), start + 1)
    case Byte.b: return ("\u{08}", start + 1)
    case Byte.f: return ("\u{0C}", start + 1)
    case Byte.n: return ("\n", start + 1)
    case Byte.r: return ("\r", start + 1)
    case Byte.t: return ("\t", start + 1)
    case Byte.u:
      guard let first = hexNumber(at: start + 1, digits: 4) else { return nil }
      let end = start + 5
      guard first & 0xFC00 == 0xD800, end + 1 < count, self[end] == Byte.backslash, self[end + 1] == Byte.u,
        let second = hexNumber(at: end + 2, digits: 4), second & 0xFC00 == 0xDC00
      else { return (Unicode.Scalar(first) ?? "\u{FFFD}", end) }
      return (Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF) ?? "\u{FFFD}", end + 6)
    default: return nil
    }
  }
}

extension BinaryInteger {
  /// Returns the number in at least `width` characters, with zeros before it.
  package func padded(to width: Int, radix: Int = 10) -> String {
    let digits = String(self, radix: radix)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}

extension String {
  /// The text without spaces, tabs and line ends at both ends.
  package var trimmingSpaces: String {
    utf8.first.map(Byte.isSpace) ?? false || utf8.last.map(Byte.isSpace) ?? false ? self[...].trimmingSpaces : self
  }
}

extension Substring {
  package var trimmingSpaces: String {
    // By index: the text would be copied for each space that is removed.
    var (start, end) = (startIndex, endIndex)
    while start < end, Byte.isSpace(utf8[start]) { start = utf8.index(after: start) }
    while start < end {
      let last = utf8.index(before: end)
      guard Byte.isSpace(utf8[last]) else { break }
      end = last
    }
    return String(self[start..<end])
  }
}

extension String {
  /// Returns the text with every occurrence of `needle` replaced. The standard library's loads its regular expressions at every start.
  package func replacingEach(_ needle: String, with other: String) -> String {
    let needle = Array(needle.utf8)
    guard let first = needle.first, utf8.count >= needle.count else { return self }
    let text = Array(utf8)
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      if text[index] == first, text[index...].starts(with: needle) {
        result.append(contentsOf: other.utf8)
        index += needle.count
      } else {
        result.append(text[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

// These replace the standard library's, which bring its engine for regular expressions into the program: 400 conformances, all of which the
// runtime looks through for each generic type at every start. They are not generic either, so that they are compiled for these types.
extension String {
  /// True when `part` occurs in the text, byte for byte.
  package func contains(_ part: String) -> Bool { utf8[...].contains(part.utf8[...]) }
  package func contains(_ part: Substring) -> Bool { utf8[...].contains(part.utf8) }
}

extension Substring {
  package func contains(_ part: String) -> Bool { utf8.contains(part.utf8[...]) }
  package func contains(_ part: Substring) -> Bool { utf8.contains(part.utf8) }
}

extension Substring.UTF8View {
  fileprivate func contains(_ part: Substring.UTF8View) -> Bool {
    guard let first = part.first else { return true }
    var rest = self
    while let start = rest.firstIndex(of: first) {
      rest = rest[start...]
      if rest.starts(with: part) { return true }
      rest.removeFirst()
    }
    return false
  }
}

extension [String] {
  /// Returns the texts as one, with `separator` between them. The standard library's is generic and looks up its types at every start.
  package func joined(separator: String = "") -> String {
    var text = first ?? ""
    for part in dropFirst() {
      text += separator
      text += part
    }
    return text
  }
}

extension Int {
  /// Reads a number written in the digits 0 to 9 alone; the standard initializer takes a sign too.
  package init?(digits text: some StringProtocol) {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    self.init(text)
  }
}

/// Returns a copy of the value after `change`.
package func copy<Value>(of value: Value, _ change: (inout Value) -> Void) -> Value {
  var value = value
  change(&value)
  return value
}

extension String {
  /// True when the other text has the same bytes. A text also equals its other normal forms.
  package func hasBytes(of other: String) -> Bool { self == other && utf8.elementsEqual(other.utf8) }
}
