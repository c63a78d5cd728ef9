/// A text of SQL that may not be whole yet, as its tokens.
struct StatementText: Sendable {
  struct Token: Sendable, Hashable {
    enum Kind: Sendable, Hashable { case word, name, text, comment, symbol }

    let kind: Kind
    /// The bytes in the text.
    let range: Range<Int>
    /// True when the end is missing, as the second quote of `'new yo`.
    var isOpen = false
  }

  private let bytes: [UInt8]
  let tokens: [Token]

  init(_ text: String) {
    let bytes = Array(text.utf8)
    var (tokens, start) = ([Token](), 0)
    while start < bytes.count {
      guard let token = Self.token(of: bytes, at: start) else {
        start += 1
        continue
      }
      tokens.append(token)
      start = token.range.upperBound
    }
    (self.bytes, self.tokens) = (bytes, tokens)
  }

  /// Returns the token as it is written.
  func text(of token: Token) -> String { String(decoding: bytes[token.range], as: UTF8.self) }

  /// Returns the text up to the end of a token; none before the first.
  func text(upTo token: Token?) -> String { String(decoding: bytes[..<(token?.range.upperBound ?? 0)], as: UTF8.self) }

  /// Returns the name that a word or a quoted name is; nil for another token.
  func name(of token: Token) -> String? {
    switch token.kind {
    case .word: return text(of: token)
    case .name:
      let quote = bytes[token.range.lowerBound]
      let close = quote == UInt8(ascii: "[") ? UInt8(ascii: "]") : quote
      var (name, wasQuote) = ([UInt8](), false)
      for byte in bytes[token.range].dropFirst().dropLast(token.isOpen ? 0 : 1) {
        wasQuote = byte == close && !wasQuote
        if !wasQuote || byte != close { name.append(byte) }
      }
      return String(decoding: name, as: UTF8.self)
    default: return nil
    }
  }

  func isSymbol(_ token: Token, _ symbol: Unicode.Scalar) -> Bool {
    token.kind == .symbol && UInt32(bytes[token.range.lowerBound]) == symbol.value
  }

  /// The statements that a semicolon ends, each with its semicolon, and what follows the last of them: nil if nothing but spaces and
  /// comments does.
  var parts: (statements: [String], rest: String?) {
    var (statements, start) = ([String](), 0)
    var hasContent = false
    for token in tokens {
      if isSymbol(token, ";") {
        if hasContent { statements.append(part(from: start, to: token.range.upperBound)) }
        (start, hasContent) = (token.range.upperBound, false)
      } else if token.kind != .comment || token.isOpen && bytes[token.range.lowerBound] == UInt8(ascii: "/") {
        hasContent = true
      }
    }
    return (statements, hasContent ? part(from: start, to: bytes.count) : nil)
  }

  /// Returns a part without the spaces and line breaks around it.
  private func part(from start: Int, to end: Int) -> String {
    var slice = bytes[start..<end]
    while let first = slice.first, Self.isSpace(first) { slice.removeFirst() }
    while let last = slice.last, Self.isSpace(last) { slice.removeLast() }
    return String(decoding: slice, as: UTF8.self)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }

  /// Returns the token that begins at `start`; nil for a space.
  private static func token(of bytes: [UInt8], at start: Int) -> Token? {
    let byte = bytes[start]
    let next = start + 1 < bytes.count ? bytes[start + 1] : 0
    switch byte {
    case _ where isSpace(byte): return nil
    case UInt8(ascii: "'"): return quoted(.text, bytes, start, by: byte)
    case UInt8(ascii: "\""), UInt8(ascii: "`"): return quoted(.name, bytes, start, by: byte)
    case UInt8(ascii: "["): return quoted(.name, bytes, start, by: UInt8(ascii: "]"))
    case UInt8(ascii: "-") where next == byte:
      let end = bytes[start...].firstIndex(of: 0x0A)
      return Token(kind: .comment, range: start..<(end ?? bytes.count), isOpen: end == nil)
    case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
      var end = start + 2
      while end + 1 < bytes.count, bytes[end] != UInt8(ascii: "*") || bytes[end + 1] != UInt8(ascii: "/") { end += 1 }
      let isOpen = end + 1 >= bytes.count
      return Token(kind: .comment, range: start..<(isOpen ? bytes.count : end + 2), isOpen: isOpen)
    case _ where isWord(byte):
      return Token(kind: .word, range: start..<(bytes[start...].firstIndex { !isWord($0) } ?? bytes.count))
    default: return Token(kind: .symbol, range: start..<start + 1)
    }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
    default: false
    }
  }

  /// Returns the token up to the closing quote. Two of them are one in the text.
  private static func quoted(_ kind: Token.Kind, _ bytes: [UInt8], _ start: Int, by close: UInt8) -> Token {
    var end = start + 1
    while end < bytes.count {
      if bytes[end] == close {
        guard close != UInt8(ascii: "]"), end + 1 < bytes.count, bytes[end + 1] == close else {
          return Token(kind: kind, range: start..<end + 1)
        }
        end += 1
      }
      end += 1
    }
    return Token(kind: kind, range: start..<bytes.count, isOpen: true)
  }
}
