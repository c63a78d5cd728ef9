public import AggregatorCore

/// A country, with the fields that `aggregator countries` prints.
public struct Country: Record {
  /// The code of two letters in ISO 3166-1 (or XK).
  public var code = ""
  /// The name in English.
  public var name = ""
  /// The service's own code for a part of the world, unchanged.
  public var region: String?
  /// The name of the capital in English; nil for a country without one.
  public var capital: String?
  /// The main currency; nil if the service names none.
  public var currency: Currency?
  /// The main language; nil if the service names none.
  public var language: Language?

  public var id: String { code }

  /// Codes are the same in upper and lower case.
  public static let schema = Schema<Country>(
    fields, searchOnly: searchOnly, translations: translations, identity: { $0.trimmingSpaces.uppercased() }
  ) { try Country($0, as: $1) }

  /// The flag as an emoji: two regional indicator letters.
  public var flag: String {
    var flag = ""
    for letter in code.unicodeScalars {
      if let indicator = Unicode.Scalar(0x1F1E6 + letter.value - 0x41) { flag.unicodeScalars.append(indicator) }
    }
    return flag
  }

  public static let fields: [Field<Country>] = [
    Field("code", \.code, .badge, width: .whole),
    Field("name", \.name, .title, searchable: true),
    Field("region", \.region, .qualifier, width: .whole).explained(
      "AF Africa, AN Antarctica, AS Asia, EU Europe, NA North America, OC Oceania, SA South America"),
    Field("capital", \.capital, .subtitle, searchable: true),
    Field("currency", \.currency, width: .hidden).searchedLast,
    Field("language", \.language, width: .hidden).searchedLast,
    Field("flag", width: .hidden) { $0.flag },
  ]

  /// Makes a country without a code, to be filled in.
  public init() {}

  /// Reads a country from the service or from our own copy. Throws unless it has a code of two letters and a name.
  public init(_ row: JSON, as form: RowForm) throws {
    self.init()
    try read(row, as: form)
    code = code.uppercased()
    guard code.utf8.count == 2, code.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
      throw SourceError(.malformed, "\(row.path).code: \"\(code)\" is not a country code")
    }
    if name.isEmpty { throw SourceError(.malformed, "\(row.path).name: country without a name") }
    if currency?.code == nil, currency?.name == nil { currency = nil }
    if language?.code == nil, language?.name == nil { language = nil }
  }

  /// The currency of a country.
  public struct Currency: Part {
    /// The code in ISO 4217: `EUR`.
    public var code: String?
    /// The name in English.
    public var name: String?
    /// The symbol before an amount: `€`.
    public var symbol: String?

    public static let fields: [Field<Currency>] = [
      Field("code", \.code, searchable: true), Field("name", \.name, searchable: true), Field("symbol", \.symbol),
    ]
    public static let lineFormat: LineFormat? = "{name} ({code}) {symbol}"

    /// Makes a currency without a code, to be filled in.
    public init() {}
  }

  /// The language of a country.
  public struct Language: Part {
    /// The code in ISO 639-1: `fr`.
    public var code: String?
    /// The name in English.
    public var name: String?

    public static let fields: [Field<Language>] = [
      Field("code", \.code), Field("name", \.name, searchable: true),
    ]
    public static let lineFormat: LineFormat? = "{name} ({code})"

    /// Makes a language without a code, to be filled in.
    public init() {}
  }
}
