extension HTTPResponse {
  /// The error that this status means by HTTP's own rules; nil when it is a success.
  ///
  /// A service whose errors mean something else looks at the body first.
  public func trouble(at now: Moment) -> SourceError? {
    let retryAfter = RetryAfter.wait(self[header: "Retry-After"], at: now)
    var error: SourceError
    switch status {
    // Nobody asked for a part.
    case 206 where self[header: "Content-Range"] != nil:
      error = SourceError(.truncated, "the service sent only a part of the response (HTTP 206)")
    case 200..<300: return nil
    case 511: error = SourceError(.unreachable, "this network asks for a login (HTTP 511)", remedy: SourceError.howToGetThrough)
    case 400..<500 where strangersPage != nil: return strangersPage
    case 401, 403: error = SourceError(.refusedKey, "the service refused the request (HTTP \(status))")
    case 408: error = SourceError(.timedOut, "the service timed out (HTTP 408)")
    // 420 is what one of the services really sends for "too fast".
    case 420, 429: error = .throttled("rate-limited (HTTP \(status))", for: retryAfter)
    case 404, 410: error = SourceError(.noSuchAddress, "the service cannot find this address (HTTP \(status))")
    case 500...: error = SourceError(.unavailable, "the service failed (HTTP \(status))")
    case 300..<400: error = SourceError(.malformed, "the service redirects without an address (HTTP \(status))")
    default: error = SourceError(.badRequest, "the service rejected the request (HTTP \(status))")
    }
    error.retryAfter = retryAfter
    return error
  }
}

extension HTTPResponse {
  /// The error where a redirect led to another host, which sent a web page: mostly a network that asks for a login. Nil otherwise.
  var strangersPage: SourceError? {
    guard let detour, body.first(where: { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) }) == UInt8(ascii: "<") else { return nil }
    return SourceError(
      .unreachable,
      "\(detour.from) redirects to \(detour.to?.description ?? "another host"), which sent an HTML page; this network may ask for a login",
      remedy: SourceError.howToGetThrough)
  }
}

extension SourceError {
  /// What to do about a redirect to another host.
  static let howToGetThrough: Remedy = "log in to this network, or set the new base URL if the service has moved"

  /// The service wants to be left alone, for `wait` where it says how long; the message tells.
  public static func throttled(_ message: String, for wait: Duration?) -> SourceError {
    SourceError(.throttled, message + (wait.map(advice(toWait:)) ?? ""), retryAfter: wait)
  }

  private static func advice(toWait wait: Duration) -> String { wait > .zero ? "; try again in \(wait.inWords)" : "" }

  /// The message without how long to wait, for who says that himself.
  public var reasonToWait: String {
    guard let advice = retryAfter.map(Self.advice(toWait:)), message.hasSuffix(advice) else { return message }
    return String(message.dropLast(advice.count))
  }
}
