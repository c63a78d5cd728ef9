package import AggregatorCore

/// One way in which a service misbehaves, or does not.
public enum Hazard: String, Sendable, Hashable, CaseIterable {
  case calm = "calm"

  // Lists that do not keep still or do not do as asked.
  case clampedPageSize = "clamped page size"
  case clampedToOne = "one row a page"
  case roundedOffset = "rounded offset"
  case refusedOffset = "odd offset refused"
  case cyclingCursor = "cycling cursor"
  case ignoredOffset = "ignored offset"
  case rowInserted = "row inserted"
  case rowDeleted = "row deleted"
  case rowDeletedAtBoundary = "row deleted, at the boundary"
  case rowDeletedBehind = "row deleted, past the boundary"
  case rowReplaced = "row deleted, another added"
  case totalFallsOverRuns = "total falls between runs"
  case rowsReordered = "rows reordered"
  case emptyPageBetween = "empty page between"
  case totalTooHigh = "total too high"
  case totalTooLow = "total too low"
  case moreWithheld = "more withheld"
  case duplicateIds = "duplicate ids"
  case badRows = "bad rows"
  case brokenFirstPage = "broken first page"

  // Lists that only a sync, which has stored an earlier answer, can be misled by.
  case dateAhead = "date ahead"
  case emptyOnce = "empty once"

  // Services that ask to be left alone.
  case throttledSeconds = "429, seconds"
  case throttledUntilDate = "429, date"
  case throttledZero = "429, zero"
  case throttledForLong = "429, a day"

  // Services that falter.
  case failsOnce = "500, then 200"
  case resetOnce = "reset, then 200"
  case failsForever = "500 always"
  case gone = "404"
  case failsHalfWay = "500 half-way"
  case timesOut = "timeout"
  case slowDrip = "slow drip"
  case unreachable = "unreachable"

  // Answers that cannot be understood.
  case bodyCutShort = "body cut short"
  case partOfBody = "206, a part"
  case html = "HTML with 200"
  case wrongShape = "wrong JSON shape"
  case errorInside = "error inside a 200"
  case emptyObject = "empty object"
  case byteOrderMark = "byte-order mark"
  case enormousBody = "enormous body"

  // Refusals.
  case refusedKey = "401"
  case badRequest = "400"
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

/// What befalls one request under a hazard, beside what happens to the list itself.
enum HazardResponse: Sendable {
  case answer(HTTPResponse)
  case failure(SourceError)
  /// The time passes, and then nothing came.
  case silence(Duration)
  /// The right answer, spoilt on the way.
  case spoilt(@Sendable (inout HTTPResponse) -> Void)
}

extension Hazard {
  /// What befalls the list request that `turn` others came before.
  func mishap(turn: Int, asked: ModelRequest, request: HTTPRequest, at now: Moment) -> HazardResponse? {
    switch self {
    case .throttledSeconds: turn == 0 ? .throttled("2") : nil
    case .throttledUntilDate: turn == 0 ? .throttled(HTTPDate.text(now + .seconds(5))) : nil
    case .throttledZero: turn == 0 ? .throttled("0") : nil
    case .throttledForLong: .throttled("86400")
    case .failsOnce: turn == 0 ? .status(500) : nil
    case .resetOnce: turn == 0 ? .failure(SourceError(.interrupted, "the connection was lost")) : nil
    case .failsForever: .status(500)
    case .gone: .status(404)
    case .failsHalfWay: asked.position > 0 ? .status(500) : nil
    case .refusedOffset: asked.isOdd ? .status(400) : nil
    case .timesOut: .silence(request.limits.total)
    case .slowDrip: .silence(request.limits.stall)
    case .unreachable: .failure(SourceError(.unreachable, "the connection was refused"))
    case .bodyCutShort: .spoilt { $0.body.removeLast($0.body.count / 2 + 1) }
    case .partOfBody:
      .spoilt { response in
        let count = response.body.count
        response.status = 206
        response.headers.append(.init("Content-Range", "bytes 0-\(count - 1)/\(2 * count)"))
      }
    case .html: .status(200)
    case .errorInside: .answer(.json(#"{"error":"Something went wrong","message":"try again later"}"#))
    case .emptyObject: .answer(.json("{}"))
    case .byteOrderMark: .spoilt { $0.body = [0xEF, 0xBB, 0xBF] + $0.body }
    case .enormousBody: .failure(SourceError(.malformed, "the response is larger than \(request.limits.bodyBytes >> 20) MB"))
    case .refusedKey: .status(401)
    case .badRequest: .status(400)
    case .redirectElsewhere: request.address.host == ModelServer.elsewhere ? nil : .redirect(request)
    default: nil
    }
  }
}

extension HazardResponse {
  fileprivate static func status(_ status: Int) -> HazardResponse {
    .answer(HTTPResponse(status: status, headers: [.init("Content-Type", "text/html")], body: page))
  }

  fileprivate static func throttled(_ retryAfter: String) -> HazardResponse {
    .answer(HTTPResponse(status: 429, headers: [.init("Retry-After", retryAfter)], body: Array("Too many requests".utf8)))
  }

  /// To the same path on another host, query and all: an echo that would carry a key along.
  fileprivate static func redirect(_ request: HTTPRequest) -> HazardResponse {
    var target = request.wireAddress
    (target.scheme, target.host, target.port) = ("https", ModelServer.elsewhere, 443)
    return .answer(HTTPResponse(status: 307, headers: [.init("Location", target.shown)]))
  }

  private static let page = Array(
    "<!DOCTYPE html><html><head><title>Sorry</title></head><body>Something is wrong here</body></html>".utf8)
}

extension HTTPResponse {
  package static func json(_ text: String, status: Int = 200) -> HTTPResponse { json(Array(text.utf8), status: status) }

  package static func json(_ body: [UInt8], status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, headers: [.init("Content-Type", "application/json")], body: body)
  }
}

extension HTTPDate {
  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// `Sun, 06 Nov 1994 08:49:37 GMT`, of a moment after 1970.
  static func text(_ moment: Moment) -> String {
    let (day, iso) = (CalendarDay(moment), moment.iso)
    let date = "\(iso.dropFirst(8).prefix(2)) \(names[day.month - 1]) \(day.year)"
    return "\(weekdays[moment.seconds / 86_400 % 7]), \(date) \(iso.dropFirst(11).prefix(8)) GMT"
  }
}
