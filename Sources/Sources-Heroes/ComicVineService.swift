import AggregatorCore

/// Sends requests to Comic Vine, with the key and the fields, and reads the envelope.
struct ComicVineService: Sendable {
  static let listed = [
    "id", "name", "real_name", "aliases", "publisher", "deck", "image", "gender", "first_appeared_in_issue",
    "count_of_issue_appearances", "site_detail_url",
  ]
  static let detailed = listed + ["description", "powers", "teams", "origin", "birth"]

  /// The base address of relative links in a description.
  static let site = WebAddress("https://comicvine.gamespot.com/")
  let client: Client

  /// Returns one answer; nil if the object does not exist.
  func ask(_ path: String, fields: [String], _ query: [HTTPRequest.Item] = []) async throws -> ComicVineAnswer? {
    var request = client.request(.get, path)
    // Without a list of fields, the detail of a popular character has megabytes.
    request.query += query + [.init("format", "json"), .init("field_list", .plain(fields.joined(separator: ",")))]
    let response = try await client.send(request)
    return try ComicVineAnswer(response, trouble: client.trouble(in: response))
  }

  /// Returns the answer to `request` from the list of characters at `path`, and its page for `source`.
  func answer(
    to request: PageRequest, of source: some DataSource<Hero>, at path: String = "characters/", size: Int? = nil,
    fields: [String] = listed, _ query: [HTTPRequest.Item]
  ) async throws -> (ComicVineAnswer, page: Page<Hero>) {
    let place = try request.place(in: source)
    let isNumbered = if case .number = source.profile.paging.style { true } else { false }
    let items: [HTTPRequest.Item] = [
      .init(isNumbered ? "page" : "offset", "\(place.number)"), .init("limit", "\(size ?? place.size)"),
    ]
    // The service always sends a list. An empty list is an answer; a missing one is an error.
    guard let answer = try await ask(path, fields: fields, query + items) else {
      throw SourceError(.noSuchAddress, "the service reports its own list as not found")
    }
    return (answer, try Page(of: source, rows: answer.results.asArray(), total: answer.total))
  }
}
