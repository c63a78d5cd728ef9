import AggregatorCore

/// randomuser.me: an endless list of invented people, the same for the same seed.
///
/// The page size and the fields asked for never change: either would change who comes.
struct RandomUserService: DataSource {
  static let pageSize = 50
  /// After this page the first comes again.
  static let lastPage = 10_000

  let profile = Profile("users", paging: .numbered(from: 1, size: pageSize, end: .never))
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
    let trouble = client.trouble(in: response)
    // An error may come at any status, 200 included.
    guard let body = try? response.json() else { throw try trouble ?? malformed(response) }
    if let text = try body.text("error") { throw error(text, response, trouble) }
    if let trouble { throw trouble }
    var page = try Page(
      of: self, rows: body.array("results"), next: place.number >= Self.lastPage ? .end : .advance
    ) { try User(randomUser: $0) }
    page.question = "seed=\(seed)"
    return page
  }

  private func malformed(_ response: HTTPResponse) throws -> SourceError {
    do {
      _ = try response.json()
      return SourceError(.malformed, "the answer is no list of people")
    } catch let error as SourceError { return error }
  }

  private func error(_ text: String, _ response: HTTPResponse, _ trouble: SourceError?) -> SourceError {
    let isThrottled = response.status == 429 || text.lowercased().hasPrefix("whoa")
    var error = SourceError(isThrottled ? .throttled : .unavailable, "the service says: \(text)")
    error.retryAfter = trouble?.retryAfter
    error.attempts = response.attempts
    return error
  }
}
