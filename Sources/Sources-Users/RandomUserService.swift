import AggregatorCore

/// randomuser.me: an endless list of invented people. The same seed gives the same list.
///
/// The page size and the requested fields never change, because each of them changes which people come.
struct RandomUserService: DataSource {
  static let pageSize = 50
  /// The number of the last page; the page after it is the first one again.
  static let lastPage = 10_000

  static let paging = Paging.numbered(from: 1, size: pageSize, end: .never)

  let profile = Profile("users", paging: paging, parameters: ["seed"])
  let client: Client
  let seed: Seed

  func page(_ request: PageRequest) async throws -> Page<User> {
    let place = try request.place(in: self)
    let seed = try await seed.text
    let response = try await client.send(
      client.request(
        .get, "",
        [
          "results": "\(place.size)", "page": "\(place.number)", "seed": .plain(seed),
          "inc": "gender,name,location,email,login,dob,registered,phone,cell,picture,nat",
        ]))
    let rows = try rows(in: response)
    // The list has no end, and at least one person was requested.
    guard !rows.isEmpty else { throw SourceError(.malformed, "the response has no users") }
    var page = try Page(of: self, rows: rows, next: place.number >= Self.lastPage ? .end : .advance)
    page.parameters = ["seed": seed]
    return page
  }

  private func rows(in response: HTTPResponse) throws -> JSON.Elements {
    let trouble = client.trouble(in: response)
    let body: JSON
    do { body = try response.json() } catch { throw trouble ?? error }
    // An error may come with any status, even 200.
    if let said = body["error"], !said.isNull, (try? said.asString()) != "" { throw error(saying: said, response, trouble) }
    if let trouble { throw trouble }
    return try body.array("results")
  }

  private func error(saying said: JSON, _ response: HTTPResponse, _ trouble: SourceError?) -> SourceError {
    guard let text = try? said.asString() else { return trouble ?? SourceError(.unavailable, "the service reports an error") }
    let isThrottled = response.status == 429 || text.lowercased().hasPrefix("whoa")
    let said = "the service says: \(text)"
    var error = isThrottled ? .throttled(said, for: trouble?.retryAfter) : SourceError(.unavailable, said)
    error.retryAfter = trouble?.retryAfter
    return error
  }
}
