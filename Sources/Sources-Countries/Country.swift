public import AggregatorCore

/// A country, in the fields that `aggregator countries` prints.
public struct Country: Record {
  /// Two letters, by ISO 3166-1 (and XK).
  public var code = ""
  /// In English.
  public var name = ""
  /// The service's own code of a part of the world, untouched.
  public var region: String?
  /// In English; nil where it has none.
  public var capital: String?
  /// What is paid with; nil where the service names nothing.
  public var currency: Currency?
  /// What is spoken most; nil where the service names nothing.
  public var language: Language?

  public var id: String { code }

  /// A code in any case is one country.
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
    Field("currency", \.currency, width: .hidden),
    Field("language", \.language, width: .hidden),
    Field("flag", width: .hidden) { $0.flag },
  ]

  /// Without a code: to be filled in.
  public init() {}

  /// Reads a country, which has two letters and a name, whether the service sent it or we wrote it.
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

  /// What is paid with.
  public struct Currency: Part {
    /// As ISO writes it: `EUR`, `fr`.
    public var code: String?
    /// In English.
    public var name: String?
    /// As it is written before an amount: `€`.
    public var symbol: String?

    public static let fields: [Field<Currency>] = [
      Field("code", \.code), Field("name", \.name), Field("symbol", \.symbol),
    ]
    public static let phrase: Phrase? = "{name} ({code}) {symbol}"

    /// Without a code: to be filled in.
    public init() {}
  }

  /// What is spoken.
  public struct Language: Part {
    /// As ISO writes it: `EUR`, `fr`.
    public var code: String?
    /// In English.
    public var name: String?

    public static let fields: [Field<Language>] = [Field("code", \.code), Field("name", \.name)]
    public static let phrase: Phrase? = "{name} ({code})"

    /// Without a code: to be filled in.
    public init() {}
  }
}
