import AggregatorCore

/// The envelope of every answer of Comic Vine. Errors in its body are thrown.
struct ComicVineAnswer {
  /// An array for a list, or an object for a detail.
  let results: JSON
  let total: Int?

  /// Reads an answer; nil if the service says that the object does not exist.
  ///
  /// The body counts before the status, because the service sends errors with the status 200. In all of these `results` is `[]`.
  init?(_ response: HTTPResponse, trouble: SourceError?) throws {
    let body: JSON
    do {
      body = try response.json()
    } catch let error as SourceError {
      // A ban is an HTML page with any status.
      if Self.isBan(response.body) { throw Self.ban }
      throw trouble ?? error
    }
    guard let code = try body.intIfPresent("status_code") else {
      throw trouble ?? SourceError(.malformed, "the response has no status_code")
    }
    if code == 101 { return nil }
    if let error = Self.error(code, try body.stringIfPresent("error"), trouble) { throw error }
    results = try body.member("results")
    total = try body.intIfPresent("number_of_total_results")
  }

  private static func error(_ code: Int, _ text: String?, _ trouble: SourceError?) -> SourceError? {
    let said = text.map { " (\($0))" } ?? ""
    switch code {
    case 1: return trouble
    case 100:
      return SourceError(
        .refusedKey, "the service refused the key\(said)",
        remedy: .set(["COMIC_VINE_API_KEY"], "to set another; get a key at https://comicvine.gamespot.com/api/"))
    case 102...105: return SourceError(.badRequest, "the service rejected the request: status \(code)\(said)")
    case 107:
      return .throttled("rate-limited\(said)", for: trouble?.retryAfter)
    default: return SourceError(.unavailable, "the service answered with status \(code)\(said)")
    }
  }

  /// The ban lasts for days, and asking again does not shorten it.
  private static let ban = SourceError(
    .throttled, "the service has blocked this address for abnormal traffic", remedy: "wait a few days, or use another network",
    retryAfter: .seconds(86_400))

  private static func isBan(_ body: [UInt8]) -> Bool {
    String(decoding: body.prefix(64 << 10), as: UTF8.self).lowercased().replacingEach("abnormal traffic", with: "\u{0}")
      .contains("\u{0}")
  }
}
