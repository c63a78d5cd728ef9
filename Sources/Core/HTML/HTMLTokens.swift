/// Takes HTML apart into text and tags; comments and declarations are skipped.
///
/// Each byte is looked at a bounded number of times, however the markup is broken: what is searched for and not found once
/// is not searched for again.
struct HTMLTokens {
  enum Token: Equatable {
    case text(Range<Int>)
    case open(String, attributes: Range<Int>)
    case close(String)
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private let lastTagEnd: Int
  private let lastQuotes: [UInt8: Int]
  private var quotesAreBroken = false
  private var commentsAreBroken = false
  private var lastEnds: [String: Int] = [:]

  init(bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    lastTagEnd = bytes.lastIndex(of: UInt8(ascii: ">")) ?? -1
    lastQuotes = [0x22: bytes.lastIndex(of: 0x22) ?? -1, 0x27: bytes.lastIndex(of: 0x27) ?? -1]
  }

  mutating func next() -> Token? {
    while position < bytes.count {
      let start = position
      while position < bytes.count, bytes[position] != UInt8(ascii: "<") { position += 1 }
      if position > start { return .text(start..<position) }
      switch markup() {
      case .token(let token): return token
      case .nothing: continue
      case .noMarkup:
        position = start + 1
        return .text(start..<position)
      }
    }
    return nil
  }

  private enum Markup {
    case token(Token)
    case nothing
    case noMarkup
  }

  /// What begins at `<`, skipped if it is markup.
  private mutating func markup() -> Markup {
    let start = position + 1
    guard start < bytes.count else { return .noMarkup }
    switch bytes[start] {
    case UInt8(ascii: "!"), UInt8(ascii: "?"):
      passDeclaration(from: start)
      return .nothing
    case UInt8(ascii: "/"):
      guard start + 1 < bytes.count, bytes[start + 1].isLetter else {
        passDeclaration(from: start)
        return .nothing
      }
      return tag(from: start + 1).map { .token(.close($0.name)) } ?? .nothing
    case let byte where byte.isLetter:
      guard start <= lastTagEnd else { return passRest(of: start) }
      return tag(from: start).map { .token(.open($0.name, attributes: $0.attributes)) } ?? .nothing
    default: return .noMarkup
    }
  }

  private mutating func passDeclaration(from start: Int) {
    if bytes[start...].starts(with: "!--".utf8) {
      position = endOfComment(from: start + 3)
    } else if start <= lastTagEnd {
      position = (bytes[start...].firstIndex(of: UInt8(ascii: ">")) ?? start) + 1
    } else {
      position = start + 1
    }
  }

  private mutating func endOfComment(from start: Int) -> Int {
    if bytes[start...].starts(with: ">".utf8) { return start + 1 }
    if bytes[start...].starts(with: "->".utf8) { return start + 2 }
    // Without an end the mark alone goes.
    guard !commentsAreBroken else { return start }
    var index = start
    while index + 2 < bytes.count {
      if bytes[index] == UInt8(ascii: "-"), bytes[index + 1] == UInt8(ascii: "-") {
        if bytes[index + 2] == UInt8(ascii: ">") { return index + 3 }
        if bytes[index...].starts(with: "--!>".utf8) { return index + 4 }
      }
      index += 1
    }
    commentsAreBroken = true
    return start
  }

  /// What looks like a tag but has no `>` after it: the markup if the text was cut off inside a tag, or else a `<` meant as such.
  private mutating func passRest(of start: Int) -> Markup {
    let rest = bytes[start...].prefix { $0 != UInt8(ascii: "<") }
    let isCutInName = rest.endIndex == bytes.count && !rest.contains { $0.endsTagName }
    guard isCutInName || rest.contains(UInt8(ascii: "=")) else { return .noMarkup }
    position = rest.endIndex
    return .nothing
  }

  /// Passes over a tag whose name begins at `start`; nil if it does not end.
  private mutating func tag(from start: Int) -> (name: String, attributes: Range<Int>)? {
    var index = start
    while index < bytes.count, !bytes[index].endsTagName { index += 1 }
    // No name that matters here is longer.
    let name = index - start > 16 ? "" : String(decoding: bytes[start..<index].map(\.lowered), as: UTF8.self)
    guard let end = tagEnd(from: index) else {
      position = index
      return nil
    }
    position = end + 1
    return (name, index..<end)
  }

  /// The `>` that ends a tag, which one inside a quoted value does not.
  private mutating func tagEnd(from start: Int) -> Int? {
    guard start <= lastTagEnd else { return nil }
    var index = start
    var awaitsValue = false
    while !quotesAreBroken, index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: ">") { return index }
      if awaitsValue, let last = lastQuotes[byte] {
        guard index < last else { break }
        index += 1
        while bytes[index] != byte { index += 1 }
        awaitsValue = false
      } else if !byte.isHTMLSpace {
        awaitsValue = byte == UInt8(ascii: "=")
      }
      index += 1
    }
    // A quote without its end: this tag ends where it first can, and so do all that follow.
    quotesAreBroken = true
    return bytes[start...].firstIndex(of: UInt8(ascii: ">"))
  }
}

extension HTMLTokens {
  /// Passes over everything up to the end tag, in which nothing is markup; without one, over everything.
  mutating func skipRaw(until name: String) {
    while position < bytes.count, !isEndTag(of: name, at: position) { position += 1 }
    if position < bytes.count { _ = tag(from: position + 2) }
  }

  /// Passes over an element with all its like inside; if no end tag follows, over nothing.
  mutating func skip(untilEndOf name: String) {
    let end = lastEnd(of: name)
    var depth = 1
    while depth > 0, position <= end, let token = next() {
      switch token {
      case .open(name, _): depth += 1
      case .close(name): depth -= 1
      case .open("body", _) where name == "head": return
      case .open(let raw, _) where raw == "script" || raw == "style": skipRaw(until: raw)
      default: break
      }
    }
  }

  private mutating func lastEnd(of name: String) -> Int {
    if let known = lastEnds[name] { return known }
    let end = bytes.indices.last { isEndTag(of: name, at: $0) } ?? -1
    lastEnds[name] = end
    return end
  }

  private func isEndTag(of name: String, at index: Int) -> Bool {
    guard bytes[index] == UInt8(ascii: "<"), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "/") else { return false }
    let end = index + 2 + name.utf8.count
    guard end <= bytes.count, zip(bytes[(index + 2)..<end], name.utf8).allSatisfy({ $0.lowered == $1 }) else { return false }
    return end == bytes.count || bytes[end].endsTagName
  }
}

extension UInt8 {
  var isHTMLSpace: Bool { self == 0x20 || 0x09...0x0D ~= self && self != 0x0B }
  var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }
  var isDigit: Bool { self &- 0x30 < 10 }
  var lowered: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
  fileprivate var endsTagName: Bool { isHTMLSpace || self == UInt8(ascii: "/") || self == UInt8(ascii: ">") }
}
