import AggregatorCore

/// The countries as the service has them, all in one file.
struct CountriesFileSource: DataSource {
  let profile = Profile("countries", paging: .whole, search: .native, lookup: .native)
  let client: Client

  func page(_ request: PageRequest) async throws -> Page<Country> {
    _ = try request.place(in: self)
    let rows = try await Page(of: self, rows: client.json().asArray())
    // The world has countries, so a file without any is broken.
    guard !rows.items.isEmpty else {
      let reason = rows.faults.first.map { "no row of \(rows.faults.count) is a country (\($0.text))" }
      throw SourceError(.malformed, reason ?? "the service returned no countries")
    }
    return try copy(of: RecordList(rows).page(of: self, request, origin: .live)) { $0.faults = rows.faults }
  }
}
