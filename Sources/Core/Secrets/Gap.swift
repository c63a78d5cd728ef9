import Platform

/// Something that is stripped later, or shows as nothing, and so may part two characters of a secret and leave it to be read.
///
/// A control character, a terminal sequence, a character without a shape (zero-width, soft hyphen, mark of direction), a tag or
/// comment of HTML, or an element of it that is never shown. Each may be escaped as JSON escapes it, a character also be a reference of HTML.
struct Gap {
  /// How many bytes may lie between two characters. The longest tags of real pages are shorter, and it bounds the time that a body
  /// full of open tags takes; what a reader sees is no part of a gap, so a large bound makes no false finds.
  static let longest = 512

  private let bytes: UnsafeBufferPointer<UInt8>
  private let limit: Int

  init(in bytes: UnsafeBufferPointer<UInt8>, upTo limit: Int) { (self.bytes, self.limit) = (bytes, min(limit, bytes.count)) }

  /// Whether a gap may begin at `place`: the byte there and the one behind it tell for nearly all that are none.
  @inline(__always) static func mayBegin(at place: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let byte = bytes[place]
    if byte < 0x20 || byte >= 0x7F { return true }
    guard byte == UInt8(ascii: "<") || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "&"), place + 1 < bytes.count else {
      return false
    }
    let next = bytes[place + 1]
    switch byte {
    case UInt8(ascii: "\\"):
      switch next {
      case UInt8(ascii: "\\"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"),
        UInt8(ascii: "u"):
        return true
      default: return false
      }
    case UInt8(ascii: "&"): return next == UInt8(ascii: "#") || isLetter(next)
    default:
      return isLetter(next) || next == UInt8(ascii: "/") || next == UInt8(ascii: "!") || next == UInt8(ascii: "?")
        || next == UInt8(ascii: "\\")
    }
  }

  /// Calls `body` with every place at which the gap that begins at `start` may end: what one reader takes for a whole sequence is to
  /// another a single control character.
  func forEachEnd(at start: Int, _ body: (Int) -> Void) {
    guard let (value, end) = character(at: start) else { return }
    switch value {
    case 0x3C: forEachEnd(ofMarkupAt: end, body)
    case 0x26:
      if let end = self.end(ofReferenceAt: end) { body(end) }
    default:
      guard Self.isInvisible(value) else { return }
      body(end)
      guard let end = self.end(ofSequence: value, from: end) else { return }
      body(end)
      // Of backslashes at its end the last may belong to what follows.
      if bytes[end - 1] == UInt8(ascii: "\\") { body(end - 1) }
    }
  }

  private static func isInvisible(_ value: UInt32) -> Bool {
    if value < 0xAD { return value < 0x20 || 0x7F...0x9F ~= value }
    guard let properties = Unicode.Scalar(value)?.properties else { return false }
    return properties.isDefaultIgnorableCodePoint || properties.generalCategory == .format || 0x2028...0x2029 ~= value
  }
}

// MARK: - Characters

extension Gap {
  /// The character at `start`, raw or behind backslashes, and where it ends.
  private func character(at start: Int) -> (value: UInt32, end: Int)? {
    guard start < limit else { return nil }
    guard bytes[start] == UInt8(ascii: "\\") else {
      let scalar = bytes.scalar(at: start)
      return (scalar.value, start + scalar.count)
    }
    let at = pastBackslashes(from: start)
    guard at < limit else { return nil }
    switch bytes[at] {
    case UInt8(ascii: "b"): return (0x08, at + 1)
    case UInt8(ascii: "t"): return (0x09, at + 1)
    case UInt8(ascii: "n"): return (0x0A, at + 1)
    case UInt8(ascii: "f"): return (0x0C, at + 1)
    case UInt8(ascii: "r"): return (0x0D, at + 1)
    case UInt8(ascii: "u"):
      guard let first = number(from: at + 1, digits: 4) else { return nil }
      let next = pastBackslashes(from: at + 5)
      guard first & 0xFC00 == 0xD800, next > at + 5, next < limit, bytes[next] == UInt8(ascii: "u"),
        let second = number(from: next + 1, digits: 4)
      else { return (first, at + 5) }
      return (0x10000 + (first & 0x3FF) << 10 + second & 0x3FF, next + 5)
    case let byte: return (UInt32(byte), at + 1)
    }
  }

  private func pastBackslashes(from start: Int) -> Int {
    var at = start
    while at < limit, bytes[at] == UInt8(ascii: "\\") { at += 1 }
    return at
  }

  private func number(from start: Int, digits: Int) -> UInt32? {
    guard start + digits <= bytes.count else { return nil }
    var value: UInt32 = 0
    for byte in bytes[start..<start + digits] {
      guard let digit = Self.hexDigit(byte) else { return nil }
      value = value << 4 | digit
    }
    return value
  }

  private static func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case 0x30...0x39: UInt32(byte - 0x30)
    case 0x41...0x46, 0x61...0x66: UInt32((byte | 0x20) - 0x61 + 10)
    default: nil
    }
  }

  /// The names that HTML has for characters that do not show.
  private static let references: [StaticString] = [
    "shy", "ZeroWidthSpace", "zwj", "zwnj", "lrm", "rlm", "NoBreak", "NewLine", "Tab", "af", "ApplyFunction", "ic", "InvisibleComma", "it",
    "InvisibleTimes", "NegativeThinSpace", "NegativeVeryThinSpace", "NegativeMediumSpace", "NegativeThickSpace",
  ]

  /// Where `shy;`, `#173;` or `#xAD;` ends if it stands for nothing to be seen; like HTML, it does without the semicolon.
  private func end(ofReferenceAt start: Int) -> Int? {
    guard start < limit else { return nil }
    var at = start
    if bytes[start] == UInt8(ascii: "#") {
      at += 1
      let isHex = at < limit && bytes[at] | 0x20 == UInt8(ascii: "x")
      if isHex { at += 1 }
      let first = at
      var value: UInt32 = 0
      while at < limit, let digit = Self.hexDigit(bytes[at]), isHex || digit < 10 {
        value = min(value * (isHex ? 16 : 10) + digit, 0x11_0000)
        at += 1
      }
      guard at > first, Self.isInvisible(value) else { return nil }
    } else {
      let name = Self.references.first { stands($0, at: start) && (isSemicolon($0.utf8CodeUnitCount + start) || stands("shy", at: start)) }
      guard let name else { return nil }
      at += name.utf8CodeUnitCount
    }
    return isSemicolon(at) ? at + 1 : at
  }

  private func isSemicolon(_ at: Int) -> Bool { at < limit && bytes[at] == UInt8(ascii: ";") }

  private func stands(_ text: StaticString, at start: Int) -> Bool {
    let count = text.utf8CodeUnitCount
    guard start + count <= limit else { return false }
    return text.withUTF8Buffer { text in (0..<count).allSatisfy { bytes[start + $0] == text[$0] } }
  }
}

// MARK: - Terminal sequences

extension Gap {
  /// Where the terminal sequence ends that this control character begins, which ends itself at `start`.
  private func end(ofSequence value: UInt32, from start: Int) -> Int? {
    switch value {
    case 0x9B: return end(ofParametersFrom: start)
    case 0x90, 0x98, 0x9D, 0x9E, 0x9F: return end(ofStringFrom: start)
    case 0x1B: break
    default: return nil
    }
    guard let (kind, next) = character(at: start) else { return nil }
    switch kind {
    case 0x5B: return end(ofParametersFrom: next)
    case 0x5D, 0x50, 0x58, 0x5E, 0x5F: return end(ofStringFrom: next)
    case 0x20...0x2F:
      var end = next
      while end < limit, 0x20...0x2F ~= bytes[end] { end += 1 }
      return end < limit && 0x30...0x7E ~= bytes[end] ? end + 1 : nil
    case 0x30...0x7E: return next
    default: return nil
    }
  }

  /// Parameters, then one final byte. A slash among them may be escaped.
  private func end(ofParametersFrom start: Int) -> Int? {
    var at = start
    while at < limit, 0x20...0x3F ~= bytes[at] || bytes[at] == UInt8(ascii: "\\") && at + 1 < limit && bytes[at + 1] == UInt8(ascii: "/") {
      at += 1
    }
    return character(at: at).flatMap { 0x40...0x7E ~= $0.value ? $0.end : nil }
  }

  /// Up to BEL or ST.
  private func end(ofStringFrom start: Int) -> Int? {
    var at = start
    while let (value, next) = character(at: at) {
      if value == 0x07 || value == 0x9C { return next }
      if value == 0x1B {
        let end = pastBackslashes(from: next)
        return end > next ? end : nil
      }
      if value < 0x20 { return nil }
      at = next
    }
    return nil
  }
}

// MARK: - HTML

extension Gap {
  /// Elements of which nothing is shown.
  private static let hidden: [StaticString] = [
    "script", "style", "figure", "noscript", "template", "svg", "iframe", "head", "title", "audio", "video", "canvas", "object", "select",
    "textarea",
  ]

  private func forEachEnd(ofMarkupAt start: Int, _ body: (Int) -> Void) {
    let start = pastBackslashes(from: start)
    guard start < limit else { return }
    let close = self.close(from: start + 1)
    switch bytes[start] {
    case UInt8(ascii: "!"), UInt8(ascii: "?"):
      // Where it has no end its mark alone is taken for markup.
      body(start + 1)
      guard stands("!--", at: start) else { break }
      body(start + 3)
      var at = start + 3
      while close != nil, at + 1 < limit {
        if bytes[at] == UInt8(ascii: "-"), bytes[at + 1] == UInt8(ascii: "-") {
          let end = at + 2 < limit && bytes[at + 2] == UInt8(ascii: "!") ? at + 3 : at + 2
          if let end = self.end(ofCloseAt: end) {
            body(end)
            break
          }
        }
        at += 1
      }
    case UInt8(ascii: "/"): body(start + 1)
    case let byte where Self.isLetter(byte):
      guard let close else { return }
      if let end = endOfQuotedTag(from: start + 1), end > close { body(end) }
      forEachEnd(ofHiddenElementNamedAt: start, behind: close, body)
    default: return
    }
    if let close { body(close) }
  }

  private func forEachEnd(ofHiddenElementNamedAt start: Int, behind close: Int, _ body: (Int) -> Void) {
    guard let name = Self.hidden.first(where: { isNamed($0, at: start) }) else { return }
    for at in close..<max(close, limit) where bytes[at] == UInt8(ascii: "/") && isNamed(name, at: at + 1) {
      if let end = self.close(from: at) { body(end) }
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  /// Whether `name` stands there in letters of either case.
  private func isNamed(_ name: StaticString, at start: Int) -> Bool {
    let count = name.utf8CodeUnitCount
    guard start + count < limit, !Self.isLetter(bytes[start + count]) else { return false }
    return name.withUTF8Buffer { name in (0..<count).allSatisfy { bytes[start + $0] | 0x20 == name[$0] } }
  }

  /// The end of the first `>` from `start` on. By the system's own search: a body full of open tags asks at every one.
  private func close(from start: Int) -> Int? {
    let raw = index(of: UInt8(ascii: ">"), from: start, upTo: limit)
    var at = start
    // An escaped one may stand before it.
    while let slash = index(of: UInt8(ascii: "\\"), from: at, upTo: raw ?? limit) {
      if let end = end(ofCloseAt: slash) { return end }
      at = slash + 1
    }
    return raw.map { $0 + 1 }
  }

  private func index(of byte: UInt8, from start: Int, upTo end: Int) -> Int? {
    guard let base = bytes.baseAddress, start < end, let found = memchr(base + start, CInt(byte), end - start) else { return nil }
    return UnsafeRawPointer(base).distance(to: found)
  }

  /// Where a `>`, or `\u003e`, ends that begins there.
  private func end(ofCloseAt at: Int) -> Int? {
    guard at < limit else { return nil }
    switch bytes[at] {
    case UInt8(ascii: ">"): return at + 1
    case UInt8(ascii: "\\") where at + 1 < limit && bytes[at + 1] == UInt8(ascii: "u"):
      return number(from: at + 2, digits: 4) == 0x3E ? at + 6 : nil
    default: return nil
    }
  }

  /// The end of the tag where values stand in quotes, in which `>` is as good as any character.
  private func endOfQuotedTag(from start: Int) -> Int? {
    var awaitsValue = false
    var quote: UInt8?
    var at = start
    while at < limit {
      let byte = bytes[at]
      if let open = quote {
        if byte == open { quote = nil }
      } else if let end = end(ofCloseAt: at) {
        return end
      } else if awaitsValue, byte == 0x22 || byte == 0x27 {
        quote = byte
        awaitsValue = false
      } else if byte > 0x20, byte != UInt8(ascii: "\\") {
        awaitsValue = byte == UInt8(ascii: "=")
      }
      at += 1
    }
    return nil
  }
}
