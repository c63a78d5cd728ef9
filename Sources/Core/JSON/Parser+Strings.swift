extension Parser {
  /// A string, from its opening quote to behind its closing one.
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

  /// Moves over bytes that need no thought, to a quote, a backslash, a control character or a byte beyond ASCII.
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

  /// Has a part of the text checked out of line.
  @inline(__always) private mutating func aside(_ check: (inout StringScanner) -> StaticString?) -> Bool {
    var scanner = StringScanner(at: at, end: end)
    let expected = check(&scanner)
    at = scanner.at
    guard let expected else { return true }
    return fail(expected)
  }
}

/// The parts of a string that take thought. Each check moves over what is right and returns what should have been there, or
/// nil when all was.
private struct StringScanner {
  var at: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>

  /// A backslash and what belongs to it. Half of a surrogate pair is let pass and read as U+FFFD: one broken title does not
  /// cost the page.
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

  /// Characters beyond ASCII: well-formed UTF-8 as in the Unicode standard's table 3-7, so nothing overlong, no surrogates,
  /// nothing beyond U+10FFFF.
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
