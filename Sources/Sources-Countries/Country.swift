public import AggregatorCore

/// A country, in the fields that `aggregator countries` prints.
public struct Country: Record {
  /// Two letters, by ISO 3166-1 (and XK).
  public let code: String
  public let name: String
  /// The service's own code of a part of the world, untouched.
  public let region: String?
  public let capital: String?
  public let currency: Currency?
  public let language: Language?

  public var id: String { code }

  /// A code in any case is one country.
  public static let schema = Schema<Country>(
    fields, searchOnly: searchOnly, translations: translations, identity: { $0.trimmingSpaces.uppercased() }
  ) { try Country($0) }

  /// The flag as an emoji: two regional indicator letters.
  public var flag: String {
    var flag = ""
    for letter in code.unicodeScalars {
      if let indicator = Unicode.Scalar(0x1F1E6 + letter.value - 0x41) { flag.unicodeScalars.append(indicator) }
    }
    return flag
  }

  public static let fields = [
    Field<Country>("code", .badge, width: .whole) { $0.code },
    Field<Country>("name", .title, searchable: true) { $0.name },
    Field<Country>("region", .qualifier, width: .whole) { $0.region }.explained(
      "AF Africa, AN Antarctica, AS Asia, EU Europe, NA North America, OC Oceania, SA South America"),
    Field<Country>("capital", .subtitle, searchable: true) { $0.capital },
    Field<Country>("currency", width: .hidden) { $0.currency },
    Field<Country>("language", width: .hidden) { $0.language },
    Field<Country>("flag", width: .hidden) { $0.flag },
  ]

  public struct Currency: Part {
    public let code: String?
    public let name: String?
    public let symbol: String?

    public static let fields = [
      Field<Currency>("code") { $0.code }, Field<Currency>("name") { $0.name }, Field<Currency>("symbol") { $0.symbol },
    ]
    public static let phrase: Phrase? = "{name} ({code}) {symbol}"
  }

  public struct Language: Part {
    public let code: String?
    public let name: String?

    public static let fields = [Field<Language>("code") { $0.code }, Field<Language>("name") { $0.name }]
    public static let phrase: Phrase? = "{name} ({code})"
  }
}
