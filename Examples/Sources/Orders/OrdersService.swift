import AggregatorCore

/// The orders of shop.example, over GraphQL: every question is posted to one address, and pages lead on by cursors.
struct OrdersService: DataSource {
  let profile = Profile("orders", paging: .tokens(size: 2), search: .native, lookup: .native)
  let client: Client

  func page(_ request: PageRequest) async throws -> Page<Order> {
    let place = try request.place(in: self)
    if case .record(let id) = request.query {
      let order = try await answer(to: Self.one, ["id": .text(id)]).objectIfPresent("order")
      return try Page(of: self, rows: [order].compactMap(\.self), next: .end)
    }
    // The service's language has the name of what is searched before each word.
    let query = request.query.text.map { $0.split(separator: " ").map { "text:\($0)" }.joined(separator: " ") }
    let answer = try await answer(
      to: Self.list, ["first": .int(place.size), "after": place.token.fieldValue, "query": query.fieldValue])
    let orders = try answer.object("orders")
    let info = try orders.object("pageInfo")
    var page = try Page(
      of: self, rows: orders.array("nodes"), total: orders.intIfPresent("totalCount"),
      next: .token(ifAny: info.stringIfPresent("endCursor")))
    page.more = try info.bool("hasNextPage")
    return page
  }

  /// Returns `data` of the service's answer. The service reports errors in answers with status 200.
  private func answer(to query: String, _ variables: Value) async throws -> JSON {
    // A question changes nothing, so it may be asked again.
    let answer = try await client.json(
      "graphql", posting: ["query": .text(query), "variables": variables], isRepeatable: true)
    if let error = try answer.arrayIfPresent("errors")?.first {
      throw try SourceError(.malformed, "the service said: \(error.string("message"))")
    }
    return try answer.object("data")
  }

  private static let order =
    "{ id name state placedAt total { amount currency } customer lines { nodes { title quantity price { amount currency } } } replaces { id } }"
  private static let list =
    "query Orders($first: Int!, $after: String, $query: String) { orders(first: $first, after: $after, query: $query) "
    + "{ nodes \(order) totalCount pageInfo { hasNextPage endCursor } } }"
  private static let one = "query Order($id: ID!) { order(id: $id) \(order) }"
}
