public import AggregatorCore

// The service's rows and our own have the same names; only its flag is another: an address that no longer answers.
extension Country {
  public init(_ row: JSON) throws {
    code = try row.string("code").uppercased()
    guard code.utf8.count == 2, code.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
      throw SourceError(.malformed, "\(row.path).code: \"\(code)\" is not a country code")
    }
    guard let name = try row.stringIfPresent("name") else {
      throw SourceError(.malformed, "\(row.path).name: country without a name")
    }
    self.name = name
    region = try row.stringIfPresent("region")
    capital = try row.stringIfPresent("capital")
    currency = try row.objectIfPresent("currency").flatMap(Currency.init)
    language = try row.objectIfPresent("language").flatMap(Language.init)
  }
}

extension Country.Currency {
  fileprivate init?(_ row: JSON) throws {
    (code, name, symbol) = try (row.stringIfPresent("code"), row.stringIfPresent("name"), row.stringIfPresent("symbol"))
    if code == nil, name == nil { return nil }
  }
}

extension Country.Language {
  fileprivate init?(_ row: JSON) throws {
    (code, name) = try (row.stringIfPresent("code"), row.stringIfPresent("name"))
    if code == nil, name == nil { return nil }
  }
}
