extension Parser {
  /// A number by the letter of the grammar; what it amounts to is worked out when somebody asks.
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

/// Reads `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?` and stops behind it, or where a digit is missing.
struct NumeralScanner {
  var at: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>

  /// What kind of number it is; nil if it is not one.
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

  /// One digit or more.
  @inline(__always) private mutating func skipDigits() -> Bool {
    guard at < end, Byte.isDigit(at.pointee) else { return false }
    repeat { at += 1 } while at < end && Byte.isDigit(at.pointee)
    return true
  }
}

extension NumeralScanner {
  /// Which kind of number all of `text` is; nil if it is not one.
  static func tag(of text: UnsafeBufferPointer<UInt8>) -> Node.Tag? {
    guard let start = text.baseAddress else { return nil }
    var scanner = NumeralScanner(at: start, end: start + text.count)
    let tag = scanner.scan()
    return scanner.at == scanner.end ? tag : nil
  }
}
