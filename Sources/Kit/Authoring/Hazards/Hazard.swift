package import AggregatorCore
import Recordings

/// One way in which a service misbehaves, or behaves as recorded.
///
/// A new case is implemented in `ServerRows` (other rows, rows that change) or in `response`, whose `default` does nothing.
/// `SourceUnderTest.due(under:)` says what a source must do under it.
public enum Hazard: String, Sendable, Hashable, CaseIterable {
  /// The service behaves as recorded.
  case calm = "calm"

  // Lists that change, or that ignore the request.
  /// A page has half as many rows as requested.
  case clampedPageSize = "clamped page size"
  /// A page has one row, whatever size was requested.
  case clampedToOne = "one row a page"
  /// From the second page on, a page has half as many rows as requested.
  case pageSizeFalls = "page size falls"
  /// An offset inside a page counts as the beginning of that page, and an odd size of a numbered page as the even size below it.
  case roundedOffset = "rounded offset"
  /// An offset inside a page gets the status 400, and so does an odd size of a numbered page.
  case refusedOffset = "odd offset refused"
  /// The second page leads back to the first.
  case cyclingCursor = "cycling cursor"
  /// Every page is the first one.
  case ignoredOffset = "ignored offset"
  /// A place after the end gets the first page.
  case firstPageAfterEnd = "first page after the end"
  /// A place after the end gets the last page.
  case lastPageAfterEnd = "last page after the end"
  /// A row is inserted before all others after the first page.
  case rowInserted = "row inserted"
  /// The first row is removed after the first page.
  case rowDeleted = "row deleted"
  /// The last row of the first page is removed after that page.
  case rowDeletedAtBoundary = "row deleted, at the boundary"
  /// The first row of the second page is removed after the first page.
  case rowDeletedPastBoundary = "row deleted, past the boundary"
  /// The first row is removed and another one is added at the end, so that the total stays the same.
  case rowReplaced = "row deleted, another added"
  /// The first row is removed between two runs, each of which reads one page with a newly opened source.
  case totalFallsOverRuns = "total falls between runs"
  /// The order of the rows is reversed after each page.
  case rowsReordered = "rows reordered"
  /// A page in the middle has no rows but names the next one.
  case emptyPageBetween = "empty page between"
  /// The announced total is five rows too high.
  case totalTooHigh = "total too high"
  /// The announced total is less than the rows of one page.
  case totalTooLow = "total too low"
  /// Every page announces its own rows as the total.
  case totalOfPage = "total of the page"
  /// Every page is the first one, and announces its own rows as the total.
  case onePage = "one page for every place"
  /// The last page says that there is more.
  case moreWithheld = "more withheld"
  /// Every answer says that it is not everything: `"incomplete_results": true`.
  case incompleteAnswer = "answer not whole"
  /// The page size of the first request bounds the whole list, in pages of half that size.
  case sizeBoundsList = "size bounds the list"
  /// A row comes three times: twice on one page, and again at the start of the next page.
  case duplicateIds = "duplicate ids"
  /// Three rows are `null`, `{}` and a text.
  case badRows = "bad rows"
  /// A row that cannot be read ends the first page, and comes again in place of the first row of the second.
  case brokenTwice = "broken row twice"
  /// No row of the first page can be read.
  case brokenFirstPage = "broken first page"

  // Lists that mislead only a sync, which has stored an earlier answer.
  /// The date of a row's last change is in the year 2999, or cannot be read.
  case dateAhead = "date ahead"
  /// The list is empty after a whole sync.
  case emptyOnce = "empty once"

  // Services that ask for fewer calls.
  /// The first request gets the status 429 and `Retry-After: 2`.
  case throttledSeconds = "429, seconds"
  /// The first request gets the status 429 and a `Retry-After` with the time five seconds after `TestClock.start`.
  case throttledUntilDate = "429, date"
  /// The first request gets the status 429 and `Retry-After: 0`.
  case throttledZero = "429, zero"
  /// Every request gets the status 429 and `Retry-After: 86400`.
  case throttledForLong = "429, a day"

  // Services that fail.
  /// The first request gets the status 500.
  case failsOnce = "500, then 200"
  /// The connection of the first request is lost.
  case resetOnce = "reset, then 200"
  /// Every request gets the status 500.
  case failsForever = "500 always"
  /// Every request gets the status 404.
  case gone = "404"
  /// Every page but the first gets the status 500.
  case failsHalfWay = "500 half-way"
  /// The page that has a row in the middle of the list gets the status 500, each time.
  case onePageFails = "one page fails"
  /// No answer comes within the request's time limit.
  case timesOut = "timeout"
  /// The body stalls for longer than the request allows.
  case slowDrip = "slow drip"
  /// The connection is refused.
  case unreachable = "unreachable"

  // Answers that cannot be read.
  /// Half of each body is missing, and the status is 200.
  case bodyCutShort = "body cut short"
  /// Half of each body is missing, the status is 200, and the body ended with its connection, so that nothing else shows its end.
  case bodyWithoutEnd = "body without an end"
  /// The status is 206, and the answer says that it is half of the body.
  case partOfBody = "206, a part"
  /// Every request gets the status 200 and an HTML page.
  case html = "HTML with 200"
  /// An object comes in place of the array of rows.
  case wrongShape = "wrong JSON shape"
  /// Every request gets the status 200 and an object with an error message.
  case errorInside = "error inside a 200"
  /// Every request gets the status 200 and `{}`.
  case emptyObject = "empty object"
  /// Each body begins with a byte-order mark.
  case byteOrderMark = "byte-order mark"
  /// A text in each body is in Windows-1252, and the answer does not say so.
  case anotherEncoding = "another encoding"
  /// Each body is larger than the request allows.
  case enormousBody = "enormous body"

  /// Every request gets the status 304, although none has a condition.
  case nothingChanged = "304 unasked"

  // Refusals.
  /// Every request gets the status 401.
  case refusedKey = "401"
  /// Every request gets the status 400.
  case badRequest = "400"
  /// Every request is redirected to another host with its query.
  case redirectElsewhere = "redirect elsewhere"
}

extension Hazard: CustomStringConvertible {
  public var description: String { rawValue }

  /// True when each page of the list is read in a run of its own, by a newly opened source.
  var takesRuns: Bool { self == .totalFallsOverRuns }

  /// True when only a sync can notice the hazard, not a single walk.
  var befallsSyncs: Bool { self == .dateAhead || self == .emptyOnce }

  /// True when the hazard makes a walk by offset continue without looking back.
  var blinds: Bool { self == .clampedToOne || self == .roundedOffset || self == .refusedOffset }

  /// Returns the response to a list request, or throws. `turn` is the number of list requests
  /// before it; `respond` makes the correct response.
  func response(
    turn: Int, asked: ModelRequest, to request: HTTPRequest, clock: TestClock, by respond: () -> HTTPResponse
  ) throws -> HTTPResponse {
    switch self {
    case .throttledSeconds where turn == 0: return .throttled("2")
    case .throttledUntilDate where turn == 0: return .throttled("Tue, 14 Nov 2023 22:13:25 GMT")
    case .throttledZero where turn == 0: return .throttled("0")
    case .throttledForLong: return .throttled("86400")
    case .failsOnce where turn == 0: return .page(500)
    case .resetOnce where turn == 0: throw SourceError(.interrupted, "the connection was lost")
    case .failsForever: return .page(500)
    case .gone: return .page(404)
    case .failsHalfWay where asked.position > 0: return .page(500)
    case .onePageFails where asked.hasMiddle: return .page(500)
    case .refusedOffset where asked.isOdd: return .page(400)
    case .timesOut: throw silence(for: request.limits.total, clock)
    case .slowDrip: throw silence(for: request.limits.stall, clock)
    case .unreachable: throw SourceError(.unreachable, "the connection was refused")
    case .html: return .page(200)
    case .errorInside: return .json(#"{"error":"Something went wrong","message":"try again later"}"#)
    case .emptyObject: return .json("{}")
    case .enormousBody: throw SourceError(.malformed, "the response is larger than \(request.limits.bodyBytes >> 20) MB")
    case .nothingChanged: return HTTPResponse(status: 304)
    case .refusedKey: return .page(401)
    case .badRequest: return .page(400)
    case .redirectElsewhere where request.address.host != ModelServer.elsewhere: return .redirect(request)
    default: break
    }
    var response = respond()
    switch self {
    case .bodyCutShort, .bodyWithoutEnd:
      response.body.removeLast(response.body.count / 2 + 1)
      response.isEndShown = self == .bodyCutShort
    case .anotherEncoding:
      // The last text that is a value, not a name.
      let body = response.body
      let end = body.indices.dropLast().last { body[$0] == UInt8(ascii: "\"") && ",}]".utf8.contains(body[$0 + 1]) }
      if let end { response.body.insert(0xE9, at: end) }
    case .partOfBody:
      response.status = 206
      response.headers.removeAll { $0.name.lowercased() == "content-range" }
      response.headers.append(.init("Content-Range", "bytes 0-\(response.body.count - 1)/\(2 * response.body.count)"))
    case .byteOrderMark: response.body = [0xEF, 0xBB, 0xBF] + response.body
    default: break
    }
    return response
  }

  /// Advances the clock by `time` and returns the error for a service that did not answer.
  private func silence(for time: Duration, _ clock: TestClock) -> SourceError {
    clock.advance(by: time)
    return SourceError(.timedOut, "the service did not answer within \(time.inWords)")
  }
}

extension HTTPResponse {
  fileprivate static func page(_ status: Int) -> HTTPResponse {
    let text = "<!DOCTYPE html><html><head><title>Sorry</title></head><body>Something is wrong here</body></html>"
    return HTTPResponse(status: status, headers: [.init("Content-Type", "text/html")], body: Array(text.utf8))
  }

  fileprivate static func throttled(_ retryAfter: String) -> HTTPResponse {
    HTTPResponse(status: 429, headers: [.init("Retry-After", retryAfter)], body: Array("Too many requests".utf8))
  }

  /// Returns a redirect to the same path on another host with the query, which would carry a key along.
  fileprivate static func redirect(_ request: HTTPRequest) -> HTTPResponse {
    var target = request.wireAddress
    (target.scheme, target.host, target.port) = ("https", ModelServer.elsewhere, 443)
    return HTTPResponse(status: 307, headers: [.init("Location", target.shown)])
  }

  package static func json(_ text: String, status: Int = 200) -> HTTPResponse { json(Array(text.utf8), status: status) }

  package static func json(_ body: [UInt8], status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, headers: [.init("Content-Type", "application/json")], body: body)
  }
}
