/// A whole response; its body is bounded by the request's limits.
public struct HTTPResponse: Sendable, Hashable {
  /// The status code.
  public var status: Int
  /// The headers in the order in which they came, repeated names included.
  public var headers: [Header]
  /// The body, unpacked and whole.
  public var body: [UInt8]
  /// False when the body ended with its connection, and neither a length nor a last chunk showed that it was whole. A format that does not
  /// show its own end, such as csv, may then be cut after any row.
  public var isEndShown = true
  /// The unmasked target of a redirect whose address holds a secret; the header `Location` has it masked. Nil if there was nothing to mask.
  var target: Secret?
  /// The redirect by which the response came from another host than the one that was asked; nil if that one answered itself.
  package internal(set) var detour: Detour?

  package struct Detour: Sendable, Hashable {
    package let from: WebAddress.Origin
    /// The origin that answered; nil if its name may hold a secret.
    package let to: WebAddress.Origin?
  }

  /// One line of the response's head.
  public struct Header: Sendable, Hashable {
    /// The name as it came, in any case.
    public var name: String
    /// The value without the spaces around it.
    public var value: String

    /// Makes one line of a head.
    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  /// Makes a response as a service would send it, for tests and stand-ins.
  public init(status: Int, headers: [Header] = [], body: [UInt8] = []) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }

  /// The value of the first header with that name in any case; nil if the response has none.
  public subscript(header name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// Returns the error that this status means by HTTP's own rules; nil for a success. Where a service gives a status another meaning, check
  /// the body first.
  public func trouble(at now: Moment) -> SourceError? {
    let retryAfter = RetryAfter.wait(self[header: "Retry-After"], at: now)
    func error(_ kind: SourceError.Kind, _ what: String, remedy: Remedy? = nil) -> SourceError {
      SourceError(kind, "\(what) (HTTP \(status))", remedy: remedy, retryAfter: retryAfter)
    }
    return switch status {
    // No request asks for a part.
    case 206 where self[header: "Content-Range"] != nil: error(.truncated, "the service sent only a part of the response")
    case 200..<300: nil
    // Only a proxy sends this, in place of the service. For an https address the transport throws the error, since no service answered.
    case 407: error(.unreachable, SourceError.proxyWantsLogin, remedy: SourceError.howToLogIn(proxy: "http_proxy"))
    case 511: error(.unreachable, "this network asks for a login", remedy: SourceError.howToGetThrough)
    case 400..<500 where strangersPage != nil: strangersPage
    case 401: error(.refusedKey, "the service refused the request")
    case 403: error(.forbidden, "the service refused the request")
    case 408: error(.timedOut, "the service timed out")
    // 420 is what one of the services really sends for "too fast".
    case 420, 429: .throttled("rate-limited (HTTP \(status))", for: retryAfter)
    case 404, 410: error(.noSuchAddress, "the service cannot find this address")
    case 500...: .pausing(.unavailable, "the service failed (HTTP \(status))", for: retryAfter)
    case 304: error(.malformed, "the service says that nothing has changed, and was not asked that")
    case 300..<400: error(.malformed, "the service redirects without an address")
    default: error(.badRequest, "the service rejected the request")
    }
  }

  /// The error for a web page from another host that a redirect led to: mostly a network that asks for a login. Nil for any other response.
  package var strangersPage: SourceError? {
    guard let detour, body.first(where: { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) }) == UInt8(ascii: "<")
    else { return nil }
    return SourceError(
      .unreachable,
      "\(detour.from) redirects to \(detour.to?.description ?? "another host"), which sent an HTML page; this network may ask for a login",
      remedy: SourceError.howToGetThrough)
  }
}

extension SourceError {
  /// The meaning of a proxy's 407, in the words of every transport.
  package static let proxyWantsLogin = "the proxy asks for a name and a password"

  /// Returns how to give a name and a password to the proxy that the environment names in `variable`.
  package static func howToLogIn(proxy variable: String) -> Remedy { "set \(variable) to http://NAME:PASSWORD@HOST:PORT" }

  static let howToGetThrough: Remedy = "log in to this network, or set the new base URL if the service has moved"
}

extension HTTPResponse {
  /// Returns the target of the `Link` header with this relation (RFC 8288), exactly as written but for the spaces around it:
  /// `<…?page=2>; rel="next"`.
  public func link(_ relation: String) -> String? {
    headers.lazy.filter { $0.name.lowercased() == "link" }
      .compactMap { Self.target(of: relation.lowercased(), in: $0.value) }.first
  }

  private static func target(of relation: String, in header: String) -> String? {
    var rest = header[...]
    while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
      let target = rest[open..<close].dropFirst()
      var parameters: [Substring]
      (parameters, rest) = Self.parameters(of: rest[close...].dropFirst())
      let relations = parameters.lazy.compactMap { parameter -> String? in
        let sides = parameter.split(separator: "=", maxSplits: 1).map(\.trimmingSpaces)
        return sides.count == 2 && sides[0].lowercased() == "rel" ? sides[1].lowercased() : nil
      }
      // Of several `rel` parameters only the first counts.
      let names = relations.first?.split { $0 == " " || $0 == "\"" } ?? []
      if names.contains(relation[...]) { return target.trimmingSpaces }
    }
    return nil
  }

  /// Returns the parameters of a link and the links after it. Commas and semicolons within quotes are part of a value.
  private static func parameters(of text: Substring) -> (found: [Substring], rest: Substring) {
    var (found, start, end) = ([Substring](), text.startIndex, text.startIndex)
    var (isQuoted, isEscaped) = (false, false)
    while end < text.endIndex, isQuoted || text[end] != "," {
      if isQuoted, !isEscaped, text[end] == "\\" {
        isEscaped = true
      } else {
        if text[end] == "\"", !isEscaped { isQuoted.toggle() }
        if text[end] == ";", !isQuoted {
          found.append(text[start..<end])
          start = text.index(after: end)
        }
        isEscaped = false
      }
      end = text.index(after: end)
    }
    return (found + [text[start..<end]], text[end...])
  }
}
