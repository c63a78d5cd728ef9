import AggregatorCore

/// The gauges of api.gauges.example, page by page; each page has a Link header to the next one.
struct GaugesService: DataSource {
  let profile = Profile("gauges", paging: .tokens(size: 2))
  let client: Client

  func page(_ request: PageRequest) async throws -> Page<Gauge> {
    let place = try request.place(in: self)
    var get = client.request(.get, "gauges", ["limit": "\(place.size)"])
    if let token = place.token { get = try client.request(following: token) }
    let answer = try await client.answer(to: get)
    let body = try answer.json()
    return try Page(of: self, rows: body.asArray(), next: client.next(answer.link("next"), after: get))
  }
}
