import AggregatorCore
private import CountriesBundle

extension Country {
  /// What people call a country beside the name that the service gives it: abbreviations, former and formal names, parts that stand for
  /// the whole. A search finds them; nothing prints them.
  ///
  /// Of the currency and the language, which are parts, each text is here by itself: so it is read without the others.
  static let searchOnly: [Field<Country>] = [
    Field("otherNames", .title) { usualNames(of: $0.code) },
    Field("currencyCode") { $0.currency?.code }.searchedLast,
    Field("currencyName") { $0.currency?.name }.searchedLast,
    Field("languageName") { $0.language?.name }.searchedLast,
  ]

  /// What the countries are called in the thirty most used languages and in their own, and other names of their capitals.
  static let translations = NameTable {
    let file = countries_names()
    return UnsafeBufferPointer(start: file.bytes, count: file.count)
  }

  /// The other names; empty where none are usual.
  public var otherNames: [String] { Self.usualNames(of: code) ?? [] }

  private static func usualNames(of code: String) -> [String]? {
    var (low, high) = (0, usualNames.count)
    while low < high {
      let middle = (low + high) / 2
      if usualNames[middle].code < code { low = middle + 1 } else { high = middle }
    }
    return low < usualNames.count && usualNames[low].code == code ? usualNames[low].names : nil
  }

  /// By codes, which are sorted: a dictionary would take longer to make than all the searching.
  private static let usualNames: [(code: String, names: [String])] = [
    ("AE", ["UAE", "Emirates"]),
    ("AU", ["Commonwealth of Australia", "Oz"]),
    ("AX", ["Aland"]),
    ("BA", ["Bosnia", "Herzegovina", "BiH"]),
    ("BD", ["East Pakistan"]),
    ("BF", ["Upper Volta"]),
    ("BJ", ["Dahomey"]),
    ("BN", ["Brunei Darussalam"]),
    ("BO", ["Plurinational State of Bolivia"]),
    ("BQ", ["Bonaire", "Sint Eustatius", "Saba"]),
    ("BY", ["Belorussia", "White Russia"]),
    ("BZ", ["British Honduras"]),
    ("CC", ["Keeling Islands"]),
    ("CD", ["DR Congo", "DRC", "Congo-Kinshasa", "Zaire", "Belgian Congo"]),
    ("CF", ["CAR", "Central Africa"]),
    ("CG", ["Congo", "Congo-Brazzaville"]),
    ("CH", ["Swiss Confederation", "Helvetia", "Schweiz", "Suisse", "Svizzera"]),
    ("CI", ["Ivory Coast"]),
    ("CN", ["PRC", "People's Republic of China", "Mainland China"]),
    ("CV", ["Cape Verde"]),
    ("CZ", ["Czech Republic", "Bohemia"]),
    ("DE", ["Deutschland", "Federal Republic of Germany", "FRG"]),
    ("DK", ["Danmark"]),
    ("ES", ["España"]),
    ("ET", ["Abyssinia"]),
    ("FI", ["Suomi"]),
    ("FK", ["Malvinas"]),
    ("FM", ["Federated States of Micronesia", "FSM"]),
    ("FO", ["Faeroes"]),
    ("GB", ["UK", "Great Britain", "Britain", "England", "Scotland", "Wales", "Northern Ireland"]),
    ("GF", ["Guyane"]),
    ("GH", ["Gold Coast"]),
    ("GM", ["The Gambia"]),
    ("GR", ["Hellas", "Hellenic Republic"]),
    ("GS", ["South Sandwich Islands"]),
    ("GY", ["British Guiana"]),
    ("HK", ["HKSAR"]),
    ("HR", ["Hrvatska"]),
    ("HU", ["Magyarország"]),
    ("IE", ["Republic of Ireland", "Eire", "Éire"]),
    ("IN", ["Bharat"]),
    ("IR", ["Persia", "Islamic Republic of Iran"]),
    ("IS", ["Ísland"]),
    ("IT", ["Italia"]),
    ("JP", ["Nippon", "Nihon"]),
    ("KG", ["Kirghizia"]),
    ("KH", ["Kampuchea"]),
    ("KI", ["Gilbert Islands"]),
    ("KN", ["St Kitts", "St. Kitts and Nevis"]),
    ("KP", ["DPRK", "Democratic People's Republic of Korea", "Korea"]),
    ("KR", ["ROK", "Republic of Korea", "Korea"]),
    ("LA", ["Lao People's Democratic Republic", "Lao PDR"]),
    ("LC", ["St Lucia"]),
    ("LK", ["Ceylon"]),
    ("LS", ["Basutoland"]),
    ("MD", ["Moldavia"]),
    ("MF", ["St Martin"]),
    ("MK", ["Macedonia", "FYROM"]),
    ("MM", ["Burma"]),
    ("MO", ["Macao"]),
    ("MW", ["Nyasaland"]),
    ("MY", ["Malaya"]),
    ("NL", ["Holland", "Nederland"]),
    ("NO", ["Norge"]),
    ("NZ", ["Aotearoa"]),
    ("PF", ["Tahiti"]),
    ("PH", ["The Philippines"]),
    ("PL", ["Polska"]),
    ("PM", ["St Pierre and Miquelon"]),
    ("PN", ["Pitcairn"]),
    ("PS", ["Palestinian Territories", "West Bank", "Gaza"]),
    ("RU", ["Russian Federation"]),
    ("SA", ["KSA"]),
    ("SB", ["Solomons"]),
    ("SE", ["Sverige"]),
    ("SH", ["St Helena"]),
    ("SK", ["Slovak Republic"]),
    ("SR", ["Dutch Guiana"]),
    ("ST", ["Sao Tome"]),
    ("SY", ["Syrian Arab Republic"]),
    ("SZ", ["Swaziland"]),
    ("TG", ["Togoland"]),
    ("TH", ["Siam"]),
    ("TL", ["East Timor"]),
    ("TR", ["Turkey"]),
    ("TW", ["Republic of China", "ROC", "Formosa", "Chinese Taipei"]),
    ("TZ", ["Tanganyika", "Zanzibar"]),
    ("US", ["USA", "United States of America", "America"]),
    ("VA", ["Holy See", "Vatican"]),
    ("VC", ["St Vincent"]),
    ("VG", ["BVI"]),
    ("VI", ["US Virgin Islands", "USVI"]),
    ("VN", ["Viet Nam"]),
    ("VU", ["New Hebrides"]),
    ("WS", ["Western Samoa"]),
    ("ZA", ["RSA"]),
    ("ZM", ["Northern Rhodesia"]),
    ("ZW", ["Rhodesia"]),
  ]
}
