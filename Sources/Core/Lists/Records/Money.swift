/// An amount of money: `19.90 EUR`.
public struct Money: Part {
  /// The amount in the currency itself, not in its smallest unit.
  public var amount = DecimalNumber(0)
  /// The currency's code in ISO 4217: `EUR`.
  public var currency = ""

  /// An amount of zero without a currency.
  public init() {}

  /// An amount in that currency.
  public init(_ amount: DecimalNumber, _ currency: String) { (self.amount, self.currency) = (amount, currency) }

  /// An amount in the currency's smallest unit, as many services send money: 1990 is 19.90 in EUR, and 1990 in JPY.
  public init(minorUnits: Int, currency: String) {
    let code = currency.uppercased()
    self.init(DecimalNumber(minorUnits, scale: Self.decimals[code] ?? 2), code)
  }

  public static let fields: [Field<Money>] = [Field("amount", \.amount), Field("currency", \.currency)]
  public static let lineFormat: LineFormat? = "{amount} {currency}"

  /// The numbers of digits after the point, for currencies that do not have two.
  private static let decimals: [String: UInt8] = {
    let none = [
      "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF",
    ]
    let three = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]
    return Dictionary(uniqueKeysWithValues: none.map { ($0, 0) } + three.map { ($0, 3) } + [("CLF", 4), ("UYW", 4)])
  }()
}

extension DecimalNumber: FieldValue {
  /// Reads a number, or a text with a number.
  public init(_ json: JSON, as form: RowForm) throws {
    let text = json.kind == .number ? String(decoding: json.raw, as: UTF8.self) : try json.asString().trimmingSpaces
    guard let number = DecimalNumber(text) else { throw json.mismatch("a number") }
    self = number
  }

  public var fieldValue: Value { .decimal(self) }
  public static var leaves: [Leaf] { .number }
}
