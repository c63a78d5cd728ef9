extension Tape {
  @inline(__always) func text(_ node: Node) -> String {
    guard !node.flags.contains(.escaped) else { return unescaped(node) }
    return withBytes(of: node) { text in
      guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
        return String(decoding: text, as: UTF8.self)
      }
      // The parser has already checked the text.
      return String(copying: UTF8Span(unchecked: text.span, isKnownASCII: !node.flags.contains(.wide)))
    }
  }

  @inline(never) private func unescaped(_ node: Node) -> String {
    withBytes(of: node) { text in
      String(unsafeUninitializedCapacity: text.count) { Escapes.resolve(text, into: $0) }
    }
  }
}

extension JSON {
  /// Passes the text of a string to `body` without making a `String`, unless it has escapes. Returns nil for any other value.
  @discardableResult func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result? {
    let node = node
    guard node.tag == .string else { return nil }
    guard node.flags.contains(.escaped) else { return try tape.withBytes(of: node, body) }
    var text = tape.text(node)
    return try text.withUTF8(body)
  }
}

extension Tape {
  /// Returns the index of the last member with that name in an object; nil if it is missing, or if the value is not an object.
  @inline(__always) func find(_ key: String, in object: Int) -> Int? {
    let node = self[object]
    guard node.tag == .object else { return nil }
    // A copy of the name would have to be reference-counted.
    if let found = key.utf8.withContiguousStorageIfAvailable({ find($0, in: node) }) { return found }
    var key = key
    return key.withUTF8 { find($0, in: node) }
  }

  @inline(__always) private func find(_ key: UnsafeBufferPointer<UInt8>, in object: Node) -> Int? {
    var name = Int(object.length)
    while name > 0 {
      let candidate = self[name]
      if candidate.flags.contains(.escaped) {
        if says(candidate, key) { return name &+ 1 }
      } else if Int(candidate.length) == key.count, withBytes(of: candidate, { Self.areEqual($0, key) }) {
        return name &+ 1
      }
      name = Int(candidate.next)
    }
    return nil
  }

  /// True when a name with escapes equals `key`. Makes no string, because there may be millions of names, each compared with each key.
  @inline(never) private func says(_ name: Node, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
    // An escape is at most six times as long as its character, and as long as it is for half of a surrogate pair.
    guard (key.count...6 * key.count + 1).contains(Int(name.length)) else { return false }
    return withBytes(of: name) { text in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count) { resolved in
        Escapes.resolve(text, into: resolved) == key.count && resolved.prefix(key.count).elementsEqual(key)
      }
    }
  }

  /// True when two texts of the same length are equal. Names are short, so comparing eight bytes at a time is faster than a call.
  @inline(__always)
  private static func areEqual(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    let left = UnsafeRawBufferPointer(left)
    let right = UnsafeRawBufferPointer(right)
    var index = 0
    while index &+ 8 <= right.count {
      if left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        != right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      {
        return false
      }
      index &+= 8
    }
    while index < right.count {
      if left[index] != right[index] { return false }
      index &+= 1
    }
    return true
  }
}

enum Escapes {
  /// Writes the unescaped text, which is never longer than `text`, and returns its number of bytes. The parser has already checked it.
  static func resolve(_ text: UnsafeBufferPointer<UInt8>, into result: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var (read, written) = (0, 0)
    while read < text.count {
      if text[read] != Byte.backslash {
        result[written] = text[read]
        (read, written) = (read + 1, written + 1)
      } else {
        guard let (scalar, end) = text.jsonEscape(at: read + 1) else { return written }
        // A `\ud…` without a character is half of a surrogate pair. It stays an escape, because a `String` cannot hold it.
        if scalar == "\u{FFFD}", text[read + 2] | 0x20 == UInt8(ascii: "d") {
          written = keep(text[read..<end], in: result, at: written)
        } else {
          for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
            result[written] = unit
            written += 1
          }
        }
        read = end
      }
    }
    return written
  }

  /// Writes an escape as it is, in lower case, so that both spellings are one value. Returns the end of what is written.
  @inline(never) private static func keep(
    _ escape: Slice<UnsafeBufferPointer<UInt8>>, in result: UnsafeMutableBufferPointer<UInt8>, at start: Int
  ) -> Int {
    for (offset, byte) in escape.enumerated() { result[start + offset] = byte == Byte.backslash ? byte : byte | 0x20 }
    return start + escape.count
  }
}

extension Tape {
  /// Returns a number as an `Int` if it is integral and fits, otherwise nil. `1e3` and `12.0` are integral.
  @inline(__always) func int(_ node: Node) -> Int? {
    node.tag == .integer ? withBytes(of: node, Numerals.int) : exactInt(node)
  }

  @inline(never) private func exactInt(_ node: Node) -> Int? {
    withBytes(of: node) { Numeral(String(decoding: $0, as: UTF8.self))?.int }
  }

  /// Returns a number as the nearest `Double`; infinite if it is beyond the range.
  func double(_ node: Node) -> Double { withBytes(of: node, Numerals.double) }

  @inline(__always) func integral(_ node: Node) -> Int? {
    switch node.tag {
    case .integer, .fraction: int(node)
    case .string: quotedNumber(node).flatMap(int)
    default: nil
    }
  }

  func numeral(_ node: Node) -> Double? {
    switch node.tag {
    case .integer, .fraction: double(node)
    case .string: quotedNumber(node).map(double)
    default: nil
    }
  }

  /// Returns the number inside a string as a node; nil if the string is not a number by JSON's grammar.
  @inline(never) private func quotedNumber(_ node: Node) -> Node? {
    withBytes(of: node, NumeralScanner.tag).map { tag in copy(of: node) { $0.tag = tag } }
  }
}

enum Numerals {
  /// Returns the value of `-?[0-9]+`; nil if it does not fit.
  @inline(__always) static func int(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
    let isNegative = text.first == Byte.minus
    let digits = UnsafeBufferPointer(rebasing: text[(isNegative ? 1 : 0)...])
    // Eighteen digits always fit.
    guard digits.count <= 18 else { return Int(String(decoding: text, as: UTF8.self)) }
    var value = 0
    for digit in digits { value = value &* 10 &+ Int(digit &- Byte.zero) }
    return isNegative ? 0 &- value : value
  }

  static func double(_ text: UnsafeBufferPointer<UInt8>) -> Double {
    simple(text) ?? Double(String(decoding: text, as: UTF8.self)) ?? .nan
  }

  /// The usual case: the digits and the power of ten are both exact doubles, so one division gives the nearest double. Sixteen bytes with a
  /// point hold fifteen digits; without a point nothing is divided.
  private static func simple(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    guard text.count <= 16 else { return nil }
    var (mantissa, decimals, isAfterPoint) = (0, 0, false)
    for byte in text {
      if Byte.isDigit(byte) {
        mantissa = mantissa &* 10 &+ Int(byte &- Byte.zero)
        if isAfterPoint { decimals += 1 }
      } else if byte == Byte.point {
        isAfterPoint = true
      } else if byte != Byte.minus {
        return nil
      }
    }
    let magnitude = Double(mantissa) / powersOfTen[decimals]
    return text.first == Byte.minus ? -magnitude : magnitude
  }

  private static let powersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
  ]
}
