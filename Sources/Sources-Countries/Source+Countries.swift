public import AggregatorCore
import CountriesBundle

extension Source<Country> {
  /// All countries, from one public file, searched by name or capital.
  public static var countries: Source {
    Source(
      "countries", "Countries with capital, region, currency and language",
      settings: [.countriesURL], searches: "name, capital, currency or language",
      pick: SourceDescriptor.Pick(verb: "deal", title: "Deal of the Day", summary: "a random country"),
      sample: SourceDescriptor.Sample(text: "fra", id: "FR", other: "IT"),
      live: { CountriesFileSource(client: try $0.client(.countriesURL)) },
      bundled: { try RecordList(rows: JSON(bytes(of: countries_file())).elements, of: Country.schema) },
      recording: { bytes(of: countries_recording()) })
  }
}

extension SourceDescriptor {
  /// The same source for the list of a command.
  public static let countries = SourceDescriptor(Source<Country>.countries)
}

extension Setting {
  /// The address of the file with all countries.
  public static let countriesURL = Setting(
    "COUNTRIES_URL", .address, "address of the countries file",
    default: "https://gist.githubusercontent.com/peymano-wmt/32dcb892b06648910ddd40406e37fdab/raw/"
      + "db25946fd77c5873b0303b858e861ce724e0dcd0/countries.json")
}

func bytes(of file: CountriesFile) -> [UInt8] {
  Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
}
