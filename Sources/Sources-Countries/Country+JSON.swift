public import AggregatorCore

// The service's rows and our own have the same names; only its flag is another: an address that no longer answers.
extension Country {
  public init(_ row: JSON) throws {
    code = try row.string("code").uppercased()
    guard code.utf8.count == 2, code.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
      throw SourceError(.malformed, "\(row.path).code: \"\(code)\" is not a country code")
    }
    guard let name = try row.text("name") else { throw SourceError(.malformed, "\(row.path).name: country without a name") }
    self.name = name
    region = try row.text("region")
    capital = try row.text("capital")
    currency = try row.objectIfPresent("currency").flatMap(Currency.init)
    language = try row.objectIfPresent("language").flatMap(Language.init)
  }
}

extension Country.Currency {
  fileprivate init?(_ row: JSON) throws {
    (code, name, symbol) = try (row.text("code"), row.text("name"), row.text("symbol"))
    if code == nil, name == nil { return nil }
  }
}

extension Country.Language {
  fileprivate init?(_ row: JSON) throws {
    (code, name) = try (row.text("code"), row.text("name"))
    if code == nil, name == nil { return nil }
  }
}
