import AggregatorCore

/// CoffeeBars of api.coffee-bars.example.
struct CoffeeBarsService: DataSource {
  let profile = Profile("coffee-bars", paging: .offset(size: 4, end: .total), search: .native)
  let client: Client

  func page(_ request: PageRequest) async throws -> Page<CoffeeBar> {
    let place = try request.place(in: self)
    let body = try await client.json(
      "coffee-bars", ["offset": "\(place.number)", "limit": "\(place.size)", "q": request.query.text.map { .plain($0) }])
    return try Page(of: self, rows: body.array("items"), total: body.int("total"))
  }
}
