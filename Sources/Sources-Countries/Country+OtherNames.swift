import AggregatorCore
import CountriesBundle

extension Country {
  /// Common names of a country besides the service's own: abbreviations, former and formal names, and parts used for the whole. A search
  /// finds them, but they are not printed.
  static let searchOnly: [Field<Country>] = [Field("otherNames", .title) { usualNames(of: $0.code) }]

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

  /// The names that the bundled countries have, sorted by code for a binary search: to make a dictionary would take longer than all searches.
  private static let usualNames: [(code: String, names: [String])] = {
    let file = try? JSON(bytes(of: countries_file()))
    let named = file?.elements.compactMap { country -> (code: String, names: [String])? in
      guard let code = country["code"]?.value.text, let names = country["otherNames"] else { return nil }
      return (code, names.elements.compactMap { try? $0.asString() })
    }
    return (named ?? []).sorted { $0.code < $1.code }
  }()
}
