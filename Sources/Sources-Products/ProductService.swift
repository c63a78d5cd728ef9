import AggregatorCore

/// A shop's products, listed by offset and looked up by ID. The walk searches, because the
/// service's search depends on upper and lower case.
struct ProductService: DataSource {
  let profile = Profile("products", paging: .offset(size: 100, end: .emptyPage), lookup: .native)
  let client: Client

  func page(_ request: PageRequest) async throws -> Page<Product> {
    let place = try request.place(in: self)
    if case .record(let id) = request.query { return try await Page(of: self, lookup(id), next: .end) }
    // The request may be repeated although it is a POST, because it only reads rows.
    let answer = try await client.json(
      "products/offset", posting: ["skip": .int(place.number), "take": .int(place.size)], isRepeatable: true)
    var cleaned = 0
    let page = try Page(of: self, rows: rows(in: answer)) { row in
      let product = try Product(row, as: .service)
      if product.isCleaner(than: row) { cleaned += 1 }
      return product
    }
    if cleaned > 0 { Event.emit(.rowsCleaned(source: profile.name, cleaned)) }
    return page
  }

  /// Finds the product with this ID. The service answers an unknown ID with an empty object.
  private func lookup(_ id: String) async throws -> [Product] {
    guard let segment = PercentEncoding.segment(id) else { return [] }
    let body: JSON
    do {
      body = try await client.json("product/\(segment)")
    } catch let error as SourceError where error.kind == .noSuchAddress {
      return []
    }
    let row = try (body["product"] ?? body["post"] ?? body).asObject()
    return row.members.isEmpty ? [] : [try Product.schema.readAlone(row, of: profile.name)]
  }

  /// Returns the rows of an answer: under the key of the current service, under that of older ones, or as the whole body.
  private func rows(in body: JSON) throws -> JSON.Elements {
    if let rows = body["products"] ?? body["posts"] { return try rows.asArray() }
    guard body.kind == .array else { throw SourceError(.malformed, "the response has neither products nor posts") }
    return try body.asArray()
  }
}
