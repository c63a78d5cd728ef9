import AggregatorCore
import CountriesBundle

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
  private static let usualNames: [(code: String, names: [String])] = {
    let file = try? JSON(bytes(of: countries_usual_names()))
    return file?.members.map { (code: $0.key, names: $0.value.elements.compactMap { try? $0.asString() }) } ?? []
  }()
}
