/// A text with the escapes of URLs, JSON and HTML resolved and the lines of base64 joined; it knows where in the text each part stands.
struct Unescaped {
  let bytes: [UInt8]
  /// An index in `bytes` after each escape, and the index in the text that it came from; empty unless marks were asked for.
  private let marks: [(here: Int, there: Int, isLineBreak: Bool)]

  /// Nil if the text has no escapes. Only with `withMarks` can ``origin(of:)`` be asked: a body full of escapes needs very many marks.
  init?(_ text: UnsafeBufferPointer<UInt8>, withMarks: Bool = false) {
    guard let first = Self.mark(in: text, from: 0) else { return nil }
    var marks: [(here: Int, there: Int, isLineBreak: Bool)] = []
    var isEscaped = false
    // No escape is shorter than the bytes that it stands for.
    bytes = Array(unsafeUninitializedCapacity: text.count) { bytes, count in
      var copied = 0
      var next: Int? = first
      while let index = next {
        if let escape = Escape(in: text, at: index) {
          count = bytes[count...].update(fromContentsOf: text[copied..<index])
          var isLineBreak = false
          switch escape.meaning {
          case .nothing: isLineBreak = true
          case .byte(let byte):
            bytes[count] = byte
            count += 1
          case .scalar(let value):
            for byte in Unicode.Scalar(value).flatMap(UTF8.encode) ?? UTF8.encodedReplacementCharacter {
              bytes[count] = byte
              count += 1
            }
          }
          copied = escape.end
          isEscaped = true
          if withMarks { marks.append((count, copied, isLineBreak)) }
        }
        next = Self.mark(in: text, from: max(copied, index + 1))
      }
      count = bytes[count...].update(fromContentsOf: text[copied...])
    }
    guard isEscaped else { return nil }
    self.marks = marks
  }

  /// Returns the part of the text that this part of `bytes` came from.
  func origin(of part: Range<Int>) -> Range<Int> { origin(of: part.lowerBound)..<origin(of: part.upperBound, isEnd: true) }

  /// Returns the index in the text of one index in `bytes`. A line break after the end of a part does not belong to the part.
  private func origin(of index: Int, isEnd: Bool = false) -> Int {
    var (low, high) = (0, marks.count)
    while low < high {
      let middle = (low + high) / 2
      let isAfter = marks[middle].here == index ? isEnd && marks[middle].isLineBreak : marks[middle].here > index
      if isAfter { high = middle } else { low = middle + 1 }
    }
    return low == 0 ? index : marks[low - 1].there + index - marks[low - 1].here
  }

  /// Returns the index of the next byte that may begin an escape.
  private static func mark(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let raw = UnsafeRawBufferPointer(text)
    var at = start
    while at + 8 <= text.count {
      let block = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      let percents = block ^ (ones &* UInt64(Escape.percent))
      let backslashes = block ^ (ones &* UInt64(Byte.backslash))
      let ampersands = block ^ (ones &* UInt64(Escape.ampersand))
      let returns = block ^ (ones &* UInt64(Byte.carriageReturn))
      let newlines = block ^ (ones &* UInt64(Byte.newline))
      // Subtracting one from a byte sets its highest bit if the byte is zero; the lowest bit that is set this way is always right.
      let escapes = (percents &- ones) & ~percents | (backslashes &- ones) & ~backslashes | (ampersands &- ones) & ~ampersands
      let zeros = escapes | (returns &- ones) & ~returns | (newlines &- ones) & ~newlines
      let found = zeros & (ones << 7)
      if found != 0 { return at + found.trailingZeroBitCount / 8 }
      at += 8
    }
    return text[at...].firstIndex {
      $0 == Escape.percent || $0 == Byte.backslash || $0 == Escape.ampersand || $0 == Byte.newline || $0 == Byte.carriageReturn
    }
  }
}

/// One escape: `%2F`, `\/`, `\u002f`, `&#47;` or `&amp;`; or a line break inside base64, put there by an encoder for mail.
private struct Escape {
  enum Meaning {
    case nothing
    /// A byte, which may be only part of a character: `%C3`.
    case byte(UInt8)
    case scalar(UInt32)
  }

  let meaning: Meaning
  let end: Int

  static var percent: UInt8 { UInt8(ascii: "%") }
  static var ampersand: UInt8 { UInt8(ascii: "&") }

  init?(in text: UnsafeBufferPointer<UInt8>, at start: Int) {
    let found: (Meaning, Int)? =
      switch text[start] {
      case Self.percent: text.hexNumber(at: start + 1, digits: 2).map { (.byte(UInt8($0)), start + 3) }
      case Byte.backslash: text.jsonEscape(at: start + 1).map { (.scalar($0.scalar.value), $0.end) }
      case Byte.newline, Byte.carriageReturn: Self.lineBreak(in: text, at: start).map { (.nothing, $0) }
      default: Self.reference(in: text, at: start + 1)
      }
    guard let found else { return nil }
    (meaning, end) = found
  }

  /// Returns the end of the line break at `start` if that is between two digits of base64; nil otherwise.
  private static func lineBreak(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    let isPair = text[start] == Byte.carriageReturn && start + 1 < text.count && text[start + 1] == Byte.newline
    let end = start + (isPair ? 2 : 1)
    func isDigit(_ byte: UInt8) -> Bool { Byte.isWord(byte) || "+/-_=".utf8.contains(byte) }
    return start > 0 && end < text.count && isDigit(text[start - 1]) && isDigit(text[end]) ? end : nil
  }

  /// The characters that HTML's encoders write by name.
  private static let names: [(name: String, byte: UInt8)] = [
    ("amp", 0x26), ("quot", Byte.quote), ("lt", 0x3C), ("gt", 0x3E), ("apos", 0x27),
  ]

  private static func reference(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> (Meaning, Int)? {
    guard let end = text[start..<min(start + 9, text.count)].firstIndex(of: UInt8(ascii: ";")) else { return nil }
    let name = text[start..<end]
    guard name.first == UInt8(ascii: "#") else {
      return names.first { name.elementsEqual($0.name.utf8) }.map { (.byte($0.byte), end + 1) }
    }
    let digits = String(decoding: name.dropFirst(), as: UTF8.self)
    let value = digits.first?.lowercased() == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return value.map { (.scalar($0), end + 1) }
  }
}
