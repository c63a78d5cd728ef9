/// A decimal number of which nothing is lost: `19.90` is written as it was read, and equals `19.9`. It has 18 digits at most.
public struct DecimalNumber: Sendable {
  private let digits: Int
  /// How many of the digits stand behind the point.
  public let scale: Int

  /// `DecimalNumber(1990, scale: 2)` is 19.90; nil beyond 18 digits.
  public init?(_ digits: Int, scale: Int = 0) {
    guard digits.magnitude < 1_000_000_000_000_000_000, (0...18).contains(scale) else { return nil }
    (self.digits, self.scale) = (digits, scale)
  }

  /// Reads `19.90`, `-3` or `1.2e3`; nil for anything else, and beyond 18 digits.
  public init?(_ text: some StringProtocol) {
    let parts = text.lowercased().split(separator: "e", maxSplits: 1, omittingEmptySubsequences: false)
    let halves = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let sign = halves[0].hasPrefix("-") ? "-" : ""
    let whole = halves[0].dropFirst(sign.count)
    var fraction = halves.count > 1 ? String(halves[1]) : ""
    guard !whole.isEmpty, halves.count == 1 || !fraction.isEmpty, (whole + fraction).utf8.allSatisfy(Byte.isDigit),
      let exponent = parts.count == 1 ? 0 : Int(parts[1]), exponent.magnitude <= 36
    else { return nil }
    if exponent > fraction.utf8.count { fraction += String(repeating: "0", count: exponent - fraction.utf8.count) }
    let zeros = String(repeating: "0", count: max(0, -exponent))
    // As an exponent the point only moves: the digits stay.
    guard let digits = Int(sign + zeros + whole + fraction) else { return nil }
    self.init(digits, scale: fraction.utf8.count - exponent)
  }

  /// The nearest floating-point number.
  public var double: Double { Double(description) ?? 0 }

  /// The digits before the point and the eighteen behind it: in their order numbers stand, and equal ones have the same.
  private var parts: (whole: Int, fraction: Int) {
    let (whole, rest) = digits.quotientAndRemainder(dividingBy: Self.power(scale))
    return (whole, rest * Self.power(18 - scale))
  }

  private static func power(_ exponent: Int) -> Int { (0..<exponent).reduce(1) { power, _ in power * 10 } }
}

extension DecimalNumber: Hashable, Comparable {
  public static func == (left: DecimalNumber, right: DecimalNumber) -> Bool { left.parts == right.parts }
  public static func < (left: DecimalNumber, right: DecimalNumber) -> Bool { left.parts < right.parts }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(parts.whole)
    hasher.combine(parts.fraction)
  }
}

extension DecimalNumber: CustomStringConvertible {
  /// `19.90`
  public var description: String {
    let text = String(digits.magnitude)
    let padded = String(repeating: "0", count: max(0, scale + 1 - text.utf8.count)) + text
    let number = scale == 0 ? padded : "\(padded.dropLast(scale)).\(padded.suffix(scale))"
    return digits < 0 ? "-" + number : number
  }
}

extension DecimalNumber: FieldValue {
  /// A number, or a text that is one.
  public init(_ json: JSON, as form: RowForm) throws {
    let text = json.kind == .number ? String(decoding: json.raw, as: UTF8.self) : try json.asString().trimmingSpaces
    guard let number = DecimalNumber(text) else { throw json.mismatch("a number of at most 18 digits") }
    self = number
  }

  public var fieldValue: Value { .decimal(self) }
  public static var leaves: [Leaf] { .number }
}

/// An amount of money: `19.90 EUR`.
public struct Money: Part {
  public var amount = DecimalNumber(0)!
  /// The code of ISO 4217: `EUR`.
  public var currency = ""

  public init() {}

  public init(_ amount: DecimalNumber, _ currency: String) { (self.amount, self.currency) = (amount, currency) }

  /// So many of the currency's smallest units, as many services send money: 1990 in EUR are 19.90, in JPY 1990.
  public init(minorUnits: Int, currency: String) throws {
    let scale = Self.decimals[currency.uppercased()] ?? 2
    guard let amount = DecimalNumber(minorUnits, scale: scale) else {
      throw SourceError(.malformed, "an amount of more than 18 digits")
    }
    self.init(amount, currency)
  }

  public static let fields: [Field<Money>] = [Field("amount", \.amount), Field("currency", \.currency)]
  public static let phrase: Phrase? = "{amount} {currency}"

  /// How many digits behind the point a currency has that has not two.
  private static let decimals: [String: Int] = {
    let none = ["BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF"]
    let three = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]
    return Dictionary(uniqueKeysWithValues: none.map { ($0, 0) } + three.map { ($0, 3) })
  }()
}
