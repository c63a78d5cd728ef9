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
  func ask(
    _ path: String, fields: [String], _ query: KeyValuePairs<String, HTTPRequest.Part?> = [:]
  ) async throws -> ComicVineAnswer? {
    var request = client.request(.get, path, query)
    // A detail of a popular character without it is megabytes.
    request.query += [.init("format", "json"), .init("field_list", .plain(fields.joined(separator: ",")))]
    let response = try await client.send(request)
    return try ComicVineAnswer(response, trouble: client.trouble(in: response))
  }

  /// A page of characters.
  func page(of source: some DataSource<Hero>, _ answer: ComicVineAnswer?) throws -> Page<Hero> {
    // There is always a list: an empty one is no error, and a missing one no empty list.
    guard let answer else { throw SourceError(.noSuchAddress, "the service reports its own list as not found") }
    return try Page(of: source, rows: answer.results.asArray(), total: answer.total)
  }
}
