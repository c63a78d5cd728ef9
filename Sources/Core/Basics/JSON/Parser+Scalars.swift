extension Parser {
  @inline(__always) mutating func string(_ tag: Node.Tag, next: Int) -> Bool {
    at += 1
    let first = at
    var flags: Node.Flags = []
    while true {
      skipPlain()
      guard at < end else { return fail("the end of the string") }
      let byte = at.pointee
      if byte == Byte.quote { break }
      if byte == Byte.backslash {
        flags.insert(.escaped)
        guard aside({ $0.escape() }) else { return false }
      } else if byte >= 0x80 {
        flags.insert(.wide)
        guard aside({ $0.wideCharacters() }) else { return false }
      } else {
        return fail("an escape instead of a control character")
      }
    }
    append(
      Node(
        offset: UInt32(truncatingIfNeeded: first - start), length: UInt32(truncatingIfNeeded: at - first),
        next: UInt32(truncatingIfNeeded: next), tag: tag, flags: flags))
    at += 1
    return true
  }

  /// Skips bytes that need no check, up to a quote, a backslash, a control character or a byte beyond ASCII.
  @inline(__always) private mutating func skipPlain() {
    var at = at
    while end - at >= 16 {
      let marks = PlainText.marks(in: UnsafeRawPointer(at).loadUnaligned(as: PlainText.Block.self))
      if let count = PlainText.count(before: marks) {
        self.at = at + count
        return
      }
      at += 16
    }
    while at < end, !PlainText.isEnded(by: at.pointee) { at += 1 }
    self.at = at
  }

  /// Checks a part of the text in a function that is not inlined.
  @inline(__always) private mutating func aside(_ check: (inout StringScanner) -> StaticString?) -> Bool {
    var scanner = StringScanner(at: at, end: end)
    let expected = check(&scanner)
    at = scanner.at
    guard let expected else { return true }
    return fail(expected)
  }
}

/// Checks the parts of a string that are not plain. Each check moves past what is valid; otherwise it returns what should have been there.
private struct StringScanner {
  var at: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>

  /// Checks a backslash and the escape after it. Half of a surrogate pair is accepted, so that one broken title does not cost the page.
  @inline(never) mutating func escape() -> StaticString? {
    at += 1
    guard at < end else { return "an escape" }
    switch at.pointee {
    case Byte.quote, Byte.backslash, Byte.slash, Byte.b, Byte.f, Byte.n, Byte.r, Byte.t:
      at += 1
      return nil
    case Byte.u:
      at += 1
      for _ in 0..<4 {
        guard at < end, Byte.hexDigit(at.pointee) != nil else { return "four hexadecimal digits" }
        at += 1
      }
      return nil
    default: return "an escape"
    }
  }

  /// Checks characters beyond ASCII: well-formed UTF-8 by table 3-7 of the Unicode standard.
  @inline(never) mutating func wideCharacters() -> StaticString? {
    while at < end, at.pointee >= 0x80 {
      let lead = at.pointee
      let (rest, second): (Int, ClosedRange<UInt8>)
      switch lead {
      case 0xC2...0xDF: (rest, second) = (1, 0x80...0xBF)
      case 0xE0: (rest, second) = (2, 0xA0...0xBF)
      case 0xED: (rest, second) = (2, 0x80...0x9F)
      case 0xE1...0xEF: (rest, second) = (2, 0x80...0xBF)
      case 0xF0: (rest, second) = (3, 0x90...0xBF)
      case 0xF1...0xF3: (rest, second) = (3, 0x80...0xBF)
      case 0xF4: (rest, second) = (3, 0x80...0x8F)
      default: return "UTF-8"
      }
      at += 1
      guard at < end, second.contains(at.pointee) else { return "UTF-8" }
      at += 1
      for _ in 1..<rest {
        guard at < end, at.pointee & 0xC0 == 0x80 else { return "UTF-8" }
        at += 1
      }
    }
    return nil
  }
}

/// Finds the end of a run of plain characters in a string, sixteen bytes at a time. Uses arithmetic, because the standard library compares
/// vectors in a loop where it cannot see their type.
enum PlainText {
  typealias Block = SIMD16<UInt8>

  /// The high bit of each byte that is a quote, a backslash, a control character or beyond ASCII.
  @inline(__always) static func marks(in block: Block) -> Block { special(block) | block }

  @inline(__always) static func asciiMarks(in block: Block) -> Block { special(block) & ~block }

  /// The number of bytes before the first mark; nil without a mark.
  @inline(__always) static func count(before marks: Block) -> Int? {
    let words = unsafeBitCast(marks, to: SIMD2<UInt64>.self)
    let low = UInt64(littleEndian: words[0]) & 0x8080_8080_8080_8080
    let high = UInt64(littleEndian: words[1]) & 0x8080_8080_8080_8080
    guard low | high != 0 else { return nil }
    return (low != 0 ? low.trailingZeroBitCount : 64 &+ high.trailingZeroBitCount) &>> 3
  }

  @inline(__always) static func isEnded(by byte: UInt8) -> Bool {
    byte < 0x20 || byte >= 0x80 || byte == Byte.quote || byte == Byte.backslash
  }

  /// Valid for ASCII bytes: the subtraction gives a high bit to a zero, and to a byte below the space.
  @inline(__always) private static func special(_ block: Block) -> Block {
    let one = Block(repeating: 1)
    let quote = (block ^ Block(repeating: Byte.quote)) &- one
    let backslash = (block ^ Block(repeating: Byte.backslash)) &- one
    return quote | backslash | (block &- Block(repeating: Byte.space))
  }
}

extension Parser {
  /// Reads a number by the letter of the grammar. Its value is computed only on request.
  @inline(__always) mutating func number() -> Bool {
    let first = at
    var numeral = NumeralScanner(at: at, end: end)
    let tag = numeral.scan()
    at = numeral.at
    guard let tag else { return fail("a digit") }
    append(
      Node(
        offset: UInt32(truncatingIfNeeded: first - start), length: UInt32(truncatingIfNeeded: at - first),
        next: UInt32(truncatingIfNeeded: storage.count &+ 1), tag: tag))
    return true
  }
}

/// Reads `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?` and stops after it, or where a digit is missing.
struct NumeralScanner {
  var at: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>

  @inline(__always) mutating func scan() -> Node.Tag? {
    var tag = Node.Tag.integer
    if at < end, at.pointee == Byte.minus { at += 1 }
    if at < end, at.pointee == Byte.zero {
      at += 1
    } else {
      guard skipDigits() else { return nil }
    }
    if at < end, at.pointee == Byte.point {
      tag = .fraction
      at += 1
      guard skipDigits() else { return nil }
    }
    if at < end, at.pointee | 0x20 == Byte.e {
      tag = .fraction
      at += 1
      if at < end, at.pointee == Byte.plus || at.pointee == Byte.minus { at += 1 }
      guard skipDigits() else { return nil }
    }
    return tag
  }

  @inline(__always) private mutating func skipDigits() -> Bool {
    guard at < end, Byte.isDigit(at.pointee) else { return false }
    repeat { at += 1 } while at < end && Byte.isDigit(at.pointee)
    return true
  }

  /// Returns the kind of number that the whole of `text` is; nil if it is not a number.
  static func tag(of text: UnsafeBufferPointer<UInt8>) -> Node.Tag? {
    guard let start = text.baseAddress else { return nil }
    var scanner = NumeralScanner(at: start, end: start + text.count)
    let tag = scanner.scan()
    return scanner.at == scanner.end ? tag : nil
  }
}
