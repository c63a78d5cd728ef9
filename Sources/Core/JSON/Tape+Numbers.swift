extension Tape {
  /// A number as an `Int`: one that is integral and fits; nil for any other. `1e3` and `12.0` are integral.
  @inline(__always) func int(_ node: Node) -> Int? {
    node.tag == .integer ? withBytes(of: node, Numerals.int) : Int(exactly: double(node))
  }

  /// A number as the nearest `Double`; infinite beyond its range.
  func double(_ node: Node) -> Double { withBytes(of: node, Numerals.double) }

  /// An integral number, or a string that is one.
  @inline(__always) func integral(_ node: Node) -> Int? {
    switch node.tag {
    case .integer, .fraction: int(node)
    case .string: quotedNumber(node).flatMap(int)
    default: nil
    }
  }

  /// A number, or a string that is one.
  func numeral(_ node: Node) -> Double? {
    switch node.tag {
    case .integer, .fraction: double(node)
    case .string: quotedNumber(node).map(double)
    default: nil
    }
  }

  /// A string that is a number by JSON's grammar, as that number's node.
  @inline(never) private func quotedNumber(_ node: Node) -> Node? {
    guard let tag = withBytes(of: node, NumeralScanner.tag) else { return nil }
    var number = node
    number.tag = tag
    return number
  }
}

/// What numbers in JSON's grammar amount to.
enum Numerals {
  /// The value of `-?[0-9]+`; nil if it does not fit.
  @inline(__always) static func int(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
    let isNegative = text.first == Byte.minus
    let digits = UnsafeBufferPointer(rebasing: text[(isNegative ? 1 : 0)...])
    // Eighteen digits always fit.
    guard digits.count <= 18 else { return Int(String(decoding: text, as: UTF8.self)) }
    var value = 0
    for digit in digits { value = value &* 10 &+ Int(digit &- Byte.zero) }
    return isNegative ? 0 &- value : value
  }

  /// The nearest double.
  static func double(_ text: UnsafeBufferPointer<UInt8>) -> Double {
    simple(text) ?? Double(String(decoding: text, as: UTF8.self)) ?? .nan
  }

  /// The usual case: the digits as an integer and the power of ten both are doubles exactly, so that one division, which
  /// rounds correctly, gives the nearest double. Sixteen bytes with a point hold fifteen digits; without one, nothing is divided.
  private static func simple(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    guard text.count <= 16 else { return nil }
    var mantissa = 0
    var places = 0
    var isBehindPoint = false
    for byte in text {
      if Byte.isDigit(byte) {
        mantissa = mantissa &* 10 &+ Int(byte &- Byte.zero)
        if isBehindPoint { places += 1 }
      } else if byte == Byte.point {
        isBehindPoint = true
      } else if byte != Byte.minus {
        return nil
      }
    }
    let magnitude = Double(mantissa) / powersOfTen[places]
    return text.first == Byte.minus ? -magnitude : magnitude
  }

  private static let powersOfTen: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16]
}
