package import AggregatorCore
import Recordings

/// One way in which a service misbehaves, or does not.
///
/// A new case is made in `ServerRows` (other rows, rows that change) or in `response`, whose `default` does nothing; what is due under it is a row of
/// `SourceUnderTest.due(under:)`.
public enum Hazard: String, Sendable, Hashable, CaseIterable {
  /// The service does as it was recorded.
  case calm = "calm"

  // Lists that do not keep still or do not do as asked.
  /// A page has half as many rows as were asked for.
  case clampedPageSize = "clamped page size"
  /// A page has one row, however many were asked for.
  case clampedToOne = "one row a page"
  /// An offset inside a page counts as the page's beginning, and an odd size of a numbered page as the even one below it.
  case roundedOffset = "rounded offset"
  /// An offset inside a page is answered with 400, as is an odd size of a numbered page.
  case refusedOffset = "odd offset refused"
  /// The second page leads back to the first.
  case cyclingCursor = "cycling cursor"
  /// Every page is the first one.
  case ignoredOffset = "ignored offset"
  /// A row is put in before all others once the first page was given.
  case rowInserted = "row inserted"
  /// The first row is taken out once the first page was given.
  case rowDeleted = "row deleted"
  /// The last row of the first page is taken out once that page was given.
  case rowDeletedAtBoundary = "row deleted, at the boundary"
  /// The first row of the second page is taken out once the first page was given.
  case rowDeletedBehind = "row deleted, past the boundary"
  /// The first row is taken out and another put in at the end, so that the total stays.
  case rowReplaced = "row deleted, another added"
  /// The first row is taken out between two runs, each of which reads a page with a source opened anew.
  case totalFallsOverRuns = "total falls between runs"
  /// The rows are turned round after each page.
  case rowsReordered = "rows reordered"
  /// A page in the middle has no rows and still names the next one.
  case emptyPageBetween = "empty page between"
  /// Five more rows are announced than there are.
  case totalTooHigh = "total too high"
  /// Fewer rows are announced than one page holds.
  case totalTooLow = "total too low"
  /// The last page says that there is more.
  case moreWithheld = "more withheld"
  /// A row comes three times: twice on one page, and where the next page begins.
  case duplicateIds = "duplicate ids"
  /// Three rows are `null`, `{}` and a text.
  case badRows = "bad rows"
  /// No row of the first page can be read.
  case brokenFirstPage = "broken first page"

  // Lists that only a sync, which has stored an earlier answer, can be misled by.
  /// A row says that it was changed in the year 2999, or at no time that can be read.
  case dateAhead = "date ahead"
  /// After a whole sync the list is empty.
  case emptyOnce = "empty once"

  // Services that ask to be left alone.
  /// The first request is answered with 429 and `Retry-After: 2`.
  case throttledSeconds = "429, seconds"
  /// The first request is answered with 429 and a `Retry-After` that names the moment five seconds after `TestClock.start`.
  case throttledUntilDate = "429, date"
  /// The first request is answered with 429 and `Retry-After: 0`.
  case throttledZero = "429, zero"
  /// Every request is answered with 429 and `Retry-After: 86400`.
  case throttledForLong = "429, a day"

  // Services that falter.
  /// The first request is answered with 500.
  case failsOnce = "500, then 200"
  /// The connection of the first request is lost.
  case resetOnce = "reset, then 200"
  /// Every request is answered with 500.
  case failsForever = "500 always"
  /// Every request is answered with 404.
  case gone = "404"
  /// Every page but the first is answered with 500.
  case failsHalfWay = "500 half-way"
  /// No answer comes within the time that the request allows.
  case timesOut = "timeout"
  /// The body stands still for longer than the request allows.
  case slowDrip = "slow drip"
  /// The connection is refused.
  case unreachable = "unreachable"

  // Answers that cannot be understood.
  /// Half of each body is missing, and the status says 200.
  case bodyCutShort = "body cut short"
  /// The answer is 206 and says that it is half of the body.
  case partOfBody = "206, a part"
  /// Every request is answered with 200 and a page for people.
  case html = "HTML with 200"
  /// An object stands where the rows should be.
  case wrongShape = "wrong JSON shape"
  /// Every request is answered with 200 and an object that tells of an error.
  case errorInside = "error inside a 200"
  /// Every request is answered with 200 and `{}`.
  case emptyObject = "empty object"
  /// A byte-order mark stands before each body.
  case byteOrderMark = "byte-order mark"
  /// Each body is larger than the request allows.
  case enormousBody = "enormous body"

  // Refusals.
  /// Every request is answered with 401.
  case refusedKey = "401"
  /// Every request is answered with 400.
  case badRequest = "400"
  /// Every request is redirected to another host, its query included.
  case redirectElsewhere = "redirect elsewhere"
}

extension Hazard {
  /// Whether the list is walked a page a run, each by a source that was opened anew.
  var takesRuns: Bool { self == .totalFallsOverRuns }

  /// Whether a single walk notices nothing of it.
  var befallsSyncs: Bool { self == .dateAhead || self == .emptyOnce }

  /// Whether a service so moved makes a walk by offset go on without looking back.
  var blinds: Bool { self == .clampedToOne || self == .roundedOffset || self == .refusedOffset }
}

extension Hazard: CustomStringConvertible {
  public var description: String { rawValue }
}

extension Hazard {
  /// What comes of the list request that `turn` others came before, where `respond` gives the right response.
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
    case .refusedOffset where asked.isOdd: return .page(400)
    case .timesOut: throw silence(for: request.limits.total, clock)
    case .slowDrip: throw silence(for: request.limits.stall, clock)
    case .unreachable: throw SourceError(.unreachable, "the connection was refused")
    case .html: return .page(200)
    case .errorInside: return .json(#"{"error":"Something went wrong","message":"try again later"}"#)
    case .emptyObject: return .json("{}")
    case .enormousBody: throw SourceError(.malformed, "the response is larger than \(request.limits.bodyBytes >> 20) MB")
    case .refusedKey: return .page(401)
    case .badRequest: return .page(400)
    case .redirectElsewhere where request.address.host != ModelServer.elsewhere: return .redirect(request)
    default: break
    }
    var response = respond()
    switch self {
    case .bodyCutShort: response.body.removeLast(response.body.count / 2 + 1)
    case .partOfBody:
      response.status = 206
      response.headers.removeAll { $0.name.lowercased() == "content-range" }
      response.headers.append(.init("Content-Range", "bytes 0-\(response.body.count - 1)/\(2 * response.body.count)"))
    case .byteOrderMark: response.body = [0xEF, 0xBB, 0xBF] + response.body
    default: break
    }
    return response
  }

  /// Lets the time pass, and then nothing came.
  private func silence(for time: Duration, _ clock: TestClock) -> SourceError {
    clock.advance(by: time)
    return SourceError(.timedOut, "the service did not answer within \(time.inWords)")
  }
}

extension HTTPResponse {
  /// A page for people.
  fileprivate static func page(_ status: Int) -> HTTPResponse {
    let text = "<!DOCTYPE html><html><head><title>Sorry</title></head><body>Something is wrong here</body></html>"
    return HTTPResponse(status: status, headers: [.init("Content-Type", "text/html")], body: Array(text.utf8))
  }

  fileprivate static func throttled(_ retryAfter: String) -> HTTPResponse {
    HTTPResponse(status: 429, headers: [.init("Retry-After", retryAfter)], body: Array("Too many requests".utf8))
  }

  /// To the same path on another host, query and all: an echo that would carry a key along.
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
