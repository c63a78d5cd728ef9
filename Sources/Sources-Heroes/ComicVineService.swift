import AggregatorCore

/// Requests to Comic Vine: the key, the fields, the envelope.
struct ComicVineService: Sendable {
  static let listed = [
    "id", "name", "real_name", "aliases", "publisher", "deck", "image", "gender", "first_appeared_in_issue",
    "count_of_issue_appearances", "site_detail_url",
  ]
  static let detailed = listed + ["description", "powers", "teams", "origin", "birth"]

  /// What relative links in a description begin with.
  static let site = WebAddress("https://comicvine.gamespot.com/")
  let client: Client

  /// One answer; nil when there is no such object.
  func ask(_ path: String, fields: [String], _ query: [HTTPRequest.Item] = []) async throws -> ComicVineAnswer? {
    var request = client.request(.get, path)
    // A detail of a popular character without it is megabytes.
    request.query += query + [.init("format", "json"), .init("field_list", .plain(fields.joined(separator: ",")))]
    let response = try await client.send(request)
    return try ComicVineAnswer(response, trouble: client.trouble(in: response))
  }

  /// An answer to `request` with characters, those at `path`, and the page that it makes of `source`.
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
