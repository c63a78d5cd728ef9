/// A decimal number that keeps all its digits: `19.90` is written as it was read, and equals `19.9`.
public struct DecimalNumber: Sendable, CustomStringConvertible {
  /// The number as it is written in JSON: `19.90`.
  public let description: String

  /// Reads a number of JSON's grammar, such as `19.90`, `-3` or `1.2e3`; nil for anything else.
  public init?(_ text: String) {
    var text = text
    guard text.withUTF8({ NumeralScanner.tag(of: $0) }) != nil else { return nil }
    // Only an exponent can be too large.
    if text.utf8.contains(where: { $0 | 0x20 == Byte.e }), Numeral(text) == nil { return nil }
    description = text
  }

  /// A number of units, whose last `scale` digits are after the point: 1990 with scale 2 is 19.90.
  public init(_ units: Int, scale: UInt8 = 0) {
    let padded = units.magnitude.padded(to: Int(scale) + 1)
    description = (units < 0 ? "-" : "") + (scale > 0 ? "\(padded.dropLast(Int(scale))).\(padded.suffix(Int(scale)))" : padded)
  }

  /// The nearest floating-point number.
  public var double: Double { Double(description) ?? 0 }

  /// The number if it is integral and fits, otherwise nil.
  package var int: Int? { numeral.int }

  private var numeral: Numeral { Numeral(description) ?? Numeral() }
}

extension DecimalNumber: Hashable, Comparable {
  public static func == (left: DecimalNumber, right: DecimalNumber) -> Bool { left.numeral == right.numeral }
  public static func < (left: DecimalNumber, right: DecimalNumber) -> Bool { left.numeral < right.numeral }
  public func hash(into hasher: inout Hasher) { hasher.combine(numeral) }
}

/// The exact value of a number, however it is written: `19.90` is `19.9`, and nothing is rounded.
package struct Numeral: Hashable, Comparable {
  package private(set) var isNegative = false
  /// The digits without zeros at either end; empty for zero.
  package private(set) var digits: Substring = ""
  /// The power of ten by which `0.digits` is multiplied: 2 for `12`, -1 for `0.05`. The least number for zero.
  package private(set) var point = Int.min

  fileprivate init() {}

  /// Reads `12`, `-0.5` or `1.2e3`, as people write numbers; neither hexadecimal numbers nor "nan".
  package init?(_ text: String) {
    let parts = text.trimmingSpaces.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
    let isNegative = parts[0].first == "-"
    let halves = parts[0].dropFirst(isNegative || parts[0].first == "+" ? 1 : 0)
      .split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let all = halves.joined()
    guard !all.isEmpty, all.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let exponent = parts.count > 1 ? Int(parts[1]) : 0, (-1_000_000_000...1_000_000_000).contains(exponent)
    else { return nil }
    digits = all.drop { $0 == "0" }
    let zeros = all.utf8.count - digits.utf8.count
    while digits.last == "0" { digits.removeLast() }
    if digits.isEmpty { return }
    (self.isNegative, point) = (isNegative, halves[0].utf8.count - zeros + exponent)
  }

  /// True when the nearest `Double` stands for it: that one is written with the same digits, or this is a fraction of at most 17 digits, as
  /// many as one can need, and the `Double` has the same ones when it is rounded to as many.
  package func isKept(by double: Double) -> Bool {
    let length = digits.utf8.count
    // A fraction of 15 digits is always kept.
    if length <= 15, point < length { return true }
    if self == Numeral("\(double)") { return true }
    guard length <= 17, point < length, double != 0, double.magnitude < 1e17 else { return false }
    return UInt64(digits) == double.rounded(toDecimals: length - point)
  }

  package static func < (left: Numeral, right: Numeral) -> Bool {
    guard left.isNegative == right.isNegative else { return left.isNegative }
    let (nearer, farther) = left.isNegative ? (right, left) : (left, right)
    return (nearer.point, nearer.digits) < (farther.point, farther.digits)
  }

  var int: Int? {
    if digits.isEmpty { return 0 }
    guard digits.utf8.count <= point, point <= 19 else { return nil }
    return Int((isNegative ? "-" : "") + digits + String(repeating: "0", count: point - digits.utf8.count))
  }

  /// Adds bytes that sort as the numbers do, in a form that is never the beginning of another number's form.
  package func appendOrder(to bytes: inout [UInt8]) {
    bytes.append(isNegative ? 0 : 1)
    let start = bytes.count
    bytes.append(bigEndian: UInt32(bitPattern: Int32(clamping: point)) ^ 1 << 31)
    bytes += digits.utf8
    bytes.append(0)
    if isNegative { bytes.invert(from: start) }
  }
}

extension Double {
  /// Returns the magnitude rounded to so many decimals, as `printf` rounds it, in units of the last one. It must be below 10^17.
  fileprivate func rounded(toDecimals count: Int) -> UInt64 {
    var units = UInt64(magnitude)
    // The binary digits after the point, 32 in each part. Each of them is taken off without rounding.
    var parts: [UInt64] = []
    var rest = magnitude - magnitude.rounded(.down)
    while rest > 0 {
      rest *= 4_294_967_296
      parts.append(UInt64(rest))
      rest -= rest.rounded(.down)
    }
    for _ in 0..<count {
      var carry: UInt64 = 0
      for index in parts.indices.reversed() {
        carry += parts[index] * 10
        parts[index] = carry & 0xFFFF_FFFF
        carry >>= 32
      }
      units = units &* 10 &+ carry
    }
    let half: UInt64 = 1 << 31
    let first = parts.first ?? 0
    let isTie = first == half && parts.dropFirst().allSatisfy { $0 == 0 }
    return (isTie ? units % 2 == 1 : first >= half) ? units &+ 1 : units
  }
}
