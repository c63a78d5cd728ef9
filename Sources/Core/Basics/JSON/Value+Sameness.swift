extension Value {
  /// True when both are the same value, however they are written: `1.0` is `1.00`, and the members of an object have no order. Texts are the
  /// same only if their bytes are.
  package func hasValue(of other: Value) -> Bool { self == other || canonical == other.canonical }

  /// Bytes that are equal for values that are the same, however they are written, and differ for all others.
  package var canonical: [UInt8] {
    var bytes: [UInt8] = []
    appendCanonical(to: &bytes)
    return bytes
  }

  /// The exact value of a number; nil for everything else.
  var numeral: Numeral? {
    switch self {
    case .int(let int): Numeral(String(int))
    case .double(let double): Numeral("\(double)")
    case .decimal(let decimal): Numeral(decimal.description)
    case .null, .bool, .text, .list, .object: nil
    }
  }

  /// The number if it is whole and fits, otherwise nil. Above 2^53 a `Double` stands for several whole numbers.
  private var whole: Int? {
    switch self {
    case .int(let int): int
    case .double(let double): double.magnitude < 9_007_199_254_740_992 ? Int(exactly: double) : nil
    case .decimal(let decimal): decimal.int
    case .null, .bool, .text, .list, .object: nil
    }
  }

  private func appendCanonical(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes.append(UInt8(ascii: "n"))
    case .bool(let bool): bytes.append(bool ? UInt8(ascii: "t") : UInt8(ascii: "f"))
    case .int, .double, .decimal: appendCanonicalNumber(to: &bytes)
    case .text(let text):
      bytes.append(UInt8(ascii: "\""))
      bytes.append(ended: text)
    case .list(let values):
      bytes.append(UInt8(ascii: "["))
      for value in values { value.appendCanonical(to: &bytes) }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for member in members.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
        bytes.append(UInt8(ascii: ","))
        bytes.append(ended: member.name)
        member.value.appendCanonical(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private func appendCanonicalNumber(to bytes: inout [UInt8]) {
    if let whole {
      bytes.append(UInt8(ascii: "i"))
      bytes.append(bigEndian: UInt64(bitPattern: Int64(whole)))
    } else if let numeral {
      // A large `Double` is the whole number that its digits say.
      if let int = numeral.int { return Value.int(int).appendCanonicalNumber(to: &bytes) }
      bytes.append(UInt8(ascii: "d"))
      numeral.appendOrder(to: &bytes)
    } else {
      // JSON has no other number: it is written as null.
      bytes.append(UInt8(ascii: "n"))
    }
  }
}

extension [UInt8] {
  /// Adds a text and a byte that is in no UTF-8.
  fileprivate mutating func append(ended text: String) {
    append(contentsOf: text.utf8)
    append(0xFF)
  }
}
