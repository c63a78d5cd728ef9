package import AggregatorCore

/// Splits a line into words, as a POSIX shell does.
package enum ShellWords {
  /// Returns the words of a line that is one command. Variables and patterns stay as they are typed.
  package static func command(in line: String) throws(SourceError) -> [String] {
    let (words, isWhole) = try Self.words(in: line)
    if !isWhole { throw SourceError(.settings, "the line is more than one command; pipes and redirections are for a shell") }
    return words
  }

  /// Returns the words of a line up to a pipe or a semicolon, and whether that is the whole line.
  package static func words(in line: String) throws(SourceError) -> (words: [String], isWhole: Bool) {
    guard let (words, isWhole) = Self.words(in: Array(line.utf8)) else {
      throw SourceError(.settings, "the line ends inside quotes", remedy: "copy all of it")
    }
    return (words.map { String(decoding: $0, as: UTF8.self) }, isWhole)
  }

  /// Returns the words up to a pipe or the like, and whether that is the whole line; nil for a line that ends inside quotes.
  private static func words(in line: [UInt8]) -> (words: [[UInt8]], isWhole: Bool)? {
    // Nil between words, because an empty pair of quotes is a word too.
    var (rest, words, word, isWhole) = (line[...], [[UInt8]](), [UInt8]?.none, true)
    func add(_ bytes: some Sequence<UInt8>) {
      if word == nil { word = [] }
      word?.append(contentsOf: bytes)
    }
    func end() {
      if let word { words.append(word) }
      word = nil
    }
    while let byte = rest.popFirst() {
      switch byte {
      case Byte.space, Byte.tab, Byte.newline, Byte.carriageReturn: end()
      case UInt8(ascii: "|"), UInt8(ascii: ";"), UInt8(ascii: "<"), UInt8(ascii: ">"):
        (rest, isWhole) = ([], false)
      case UInt8(ascii: "&") where word == nil: (rest, isWhole) = ([], false)
      case Byte.backslash:
        // A backslash at the end of a line joins it with the next one.
        if rest.starts(with: "\r\n".utf8) { rest.removeFirst() }
        if let next = rest.popFirst(), next != Byte.newline { add([next]) }
      case UInt8(ascii: "'"):
        guard let end = rest.firstIndex(of: byte) else { return nil }
        add(rest[..<end])
        rest = rest[(end + 1)...]
      case UInt8(ascii: "$") where rest.first == UInt8(ascii: "'"):
        rest.removeFirst()
        guard let text = escaped(&rest) else { return nil }
        add(text)
      case Byte.quote:
        guard let text = quoted(&rest) else { return nil }
        add(text)
      default: add([byte])
      }
    }
    end()
    return (words, isWhole)
  }

  /// Returns the text up to the closing double quote; nil if that is missing.
  private static func quoted(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    var text: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == Byte.quote { return text }
      guard byte == Byte.backslash, let next = rest.first, "$`\"\\\n".utf8.contains(next) else {
        text.append(byte)
        continue
      }
      rest.removeFirst()
      if next != Byte.newline { text.append(next) }
    }
    return nil
  }

  private static let escapes: [UInt8: UInt8] = Dictionary(
    uniqueKeysWithValues: zip("abefnrtv".utf8, [7, 8, 27, 12, 10, 13, 9, 11]))

  /// Returns the text of `$'…'` up to the closing quote; nil if that is missing.
  private static func escaped(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    var text: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "'") { return text }
      guard byte == Byte.backslash, let next = rest.popFirst() else {
        text.append(byte)
        continue
      }
      switch next {
      case UInt8(ascii: "u"): text += utf8(number(&rest, 4), &rest)
      case UInt8(ascii: "U"): text += utf8(number(&rest, 8), &rest)
      case UInt8(ascii: "x"): text.append(UInt8(truncatingIfNeeded: number(&rest, 2)))
      case UInt8(ascii: "0")...UInt8(ascii: "7"):
        text.append(UInt8(truncatingIfNeeded: number(&rest, 2, radix: 8, from: UInt32(next & 7))))
      default: text.append(escapes[next] ?? next)
      }
    }
    return nil
  }

  private static func number(
    _ rest: inout ArraySlice<UInt8>, _ most: Int, radix: UInt32 = 16, from start: UInt32 = 0
  ) -> UInt32 {
    var number = start
    for _ in 0..<most {
      guard let digit = rest.first.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }), digit < radix else { break }
      number = number &* radix &+ UInt32(digit)
      rest.removeFirst()
    }
    return number
  }

  /// Returns a code point in UTF-8. Browsers write a character beyond the first plane as two surrogates.
  private static func utf8(_ unit: UInt32, _ rest: inout ArraySlice<UInt8>) -> [UInt8] {
    var value = unit
    if unit & 0xFFFF_FC00 == 0xD800, rest.starts(with: "\\u".utf8) {
      var after = rest.dropFirst(2)
      let second = number(&after, 4)
      if second & 0xFC00 == 0xDC00 { (value, rest) = (0x10000 + (unit & 0x3FF) << 10 + second & 0x3FF, after) }
    }
    return Array(String(Character(Unicode.Scalar(value) ?? "\u{FFFD}")).utf8)
  }
}
