import AggregatorCore
import CountriesBundle

extension Country {
  /// Common names of a country besides the service's own: abbreviations, former and formal names, and parts used for the whole. A search
  /// finds them, but they are not printed.
  ///
  /// The currency and the language are records in parts. Each of their texts is a field here, so that it is read without the others.
  static let searchOnly: [Field<Country>] = [
    Field("otherNames", .title) { usualNames(of: $0.code) },
    Field("currencyCode") { $0.currency?.code }.searchedLast,
    Field("currencyName") { $0.currency?.name }.searchedLast,
    Field("languageName") { $0.language?.name }.searchedLast,
  ]

  /// The names of the countries in the thirty most used languages and in their own, and other names of their capitals.
  static let translations = NameTable {
    let file = countries_names()
    return UnsafeBufferPointer(start: file.bytes, count: file.count)
  }

  /// The common other names; may be empty.
  public var otherNames: [String] { Self.usualNames(of: code) ?? [] }

  private static func usualNames(of code: String) -> [String]? {
    var (low, high) = (0, usualNames.count)
    while low < high {
      let middle = (low + high) / 2
      if usualNames[middle].code < code { low = middle + 1 } else { high = middle }
    }
    return low < usualNames.count && usualNames[low].code == code ? usualNames[low].names : nil
  }

  /// Sorted by code for a binary search, because making a dictionary would take longer than all searches.
  private static let usualNames: [(code: String, names: [String])] = {
    let file = try? JSON(bytes(of: countries_usual_names()))
    return file?.members.map { (code: $0.key, names: $0.value.elements.compactMap { try? $0.asString() }) } ?? []
  }()
}
