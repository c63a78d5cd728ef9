/// An answer, whole: its body is bounded by the request's limits.
public struct HTTPResponse: Sendable, Hashable {
  /// The status code.
  public var status: Int
  /// In the order in which they came, repeated names included.
  public var headers: [Header]
  /// Unpacked and whole.
  public var body: [UInt8]
  /// Where a redirect leads, word for word, where that holds a secret: the header tells it masked.
  var target: Secret?
  /// Who sent the request on to the other host that this came from, and to whom; nil where it came from the host that was asked.
  package internal(set) var detour: Detour?

  package struct Detour: Sendable, Hashable {
    package let from: WebAddress.Origin
    /// Nil where its name may hold a secret.
    package let to: WebAddress.Origin?
  }

  /// One line of the head.
  public struct Header: Sendable, Hashable {
    /// As it came, in whatever case.
    public var name: String
    /// Without the blanks around it.
    public var value: String

    /// One line of a head.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// An answer as a service would send it, for tests and stand-ins.
  public init(status: Int, headers: [Header] = [], body: [UInt8] = []) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }

  /// The first header of that name, whatever its case.
  public subscript(header name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The error that this status means by HTTP's own rules; nil when it is a success. Where it means something else, look at the body first.
  public func trouble(at now: Moment) -> SourceError? {
    let retryAfter = RetryAfter.wait(self[header: "Retry-After"], at: now)
    func error(_ kind: SourceError.Kind, _ what: String, remedy: Remedy? = nil) -> SourceError {
      SourceError(kind, "\(what) (HTTP \(status))", remedy: remedy, retryAfter: retryAfter)
    }
    return switch status {
    // Nobody asked for a part.
    case 206 where self[header: "Content-Range"] != nil: error(.truncated, "the service sent only a part of the response")
    case 200..<300: nil
    case 511: error(.unreachable, "this network asks for a login", remedy: SourceError.howToGetThrough)
    case 400..<500 where strangersPage != nil: strangersPage
    case 401, 403: error(.refusedKey, "the service refused the request")
    case 408: error(.timedOut, "the service timed out")
    // 420 is what one of the services really sends for "too fast".
    case 420, 429: .throttled("rate-limited (HTTP \(status))", for: retryAfter)
    case 404, 410: error(.noSuchAddress, "the service cannot find this address")
    case 500...: error(.unavailable, "the service failed")
    case 300..<400: error(.malformed, "the service redirects without an address")
    default: error(.badRequest, "the service rejected the request")
    }
  }

  /// The error where a redirect led to another host, which sent a web page: mostly a network that asks for a login. Nil otherwise.
  var strangersPage: SourceError? {
    guard let detour, body.first(where: { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) }) == UInt8(ascii: "<")
    else { return nil }
    return SourceError(
      .unreachable,
      "\(detour.from) redirects to \(detour.to?.description ?? "another host"), which sent an HTML page; this network may ask for a login",
      remedy: SourceError.howToGetThrough)
  }
}

extension SourceError {
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

extension HTTPResponse {
  /// The target of the `Link` header with this relation (RFC 8288), as it stands there: `<…?page=2>; rel="next"`.
  public func link(_ relation: String) -> String? {
    headers.lazy.filter { $0.name.lowercased() == "link" }
      .compactMap { Self.target(of: relation.lowercased(), in: $0.value) }.first
  }

  /// Commas within `<…>` and quotes are part of them.
  private static func target(of relation: String, in header: String) -> String? {
    var rest = header[...]
    while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
      let target = rest[open..<close].dropFirst()
      var isQuoted = false
      let parameters = rest[close...].prefix {
        if $0 == "\"" { isQuoted.toggle() }
        return isQuoted || $0 != ","
      }
      rest = rest[parameters.endIndex...]
      let relations = parameters.split(separator: ";").lazy.compactMap { parameter -> String? in
        let sides = parameter.split(separator: "=", maxSplits: 1).map(\.trimmingSpaces)
        return sides.count == 2 && sides[0].lowercased() == "rel" ? sides[1].lowercased() : nil
      }
      // Of several only the first counts.
      let names = relations.first?.split { $0 == " " || $0 == "\"" } ?? []
      if names.contains(relation[...]) { return String(target) }
    }
    return nil
  }
}
