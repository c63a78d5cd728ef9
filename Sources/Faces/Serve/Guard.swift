import AggregatorCore

/// The checks that every request has to pass before anything else is done, in this order: its form, the host that it names, the token or its
/// cookie, and for one that changes something the page that it comes from.
struct Guard: Sendable {
  /// The names by which this server may be called, with the port where one is said.
  let hosts: Set<String>
  /// The secret that a request has to bring, itself or as a cookie; nil if none is needed.
  let token: Secret?
  let cookie: TokenCookie?
  /// The origins whose pages may read the answers.
  let origins: Set<String>
  /// Finds the token in texts, in every spelling.
  let scrubber: Scrubber?
  let wrongTokens = WrongTokens()

  init(hosts: Set<String>, token: Secret?, origins: Set<String>, calledAt port: Int?) {
    (self.hosts, self.token, self.origins) = (hosts, token, origins)
    cookie = token.map { TokenCookie(for: $0, calledAt: port) }
    scrubber = token.map { Scrubber([$0]) }
  }

  /// Returns the reason why the request is refused; nil if it may pass.
  func refusal(of request: Request) -> Problem? {
    if request.hasBrokenHeader { return Self.broken("a header holds a byte that no header may hold") }
    let named = request.values(of: "host")
    guard named.count == 1 else { return Self.broken("the request names \(named.isEmpty ? "no host" : "several hosts")") }
    if request.values(of: "content-length").count > 1 || request["content-length"] != nil && request["transfer-encoding"] != nil
    {
      return Self.broken("the request gives two lengths for its body")
    }
    if request.isTooLarge { return Problem(413, "too-large", "the body has more than 64 kB") }
    if request.target.utf8.count > 8 << 10 { return Problem(414, "target-too-long", "the address has more than 8 kB") }
    if !request.body.isEmpty {
      let isForm = request.path == LoginPage.address
      guard request.method == "POST", isForm || request.path == "/\(Route.messagesName)" else {
        return .malformed("nothing is read from the body; give parameters in the address")
      }
      if isForm, request.body.count > LoginPage.bodyBytes { return Problem(413, "too-large", "the form has more than 4 kB") }
    }
    let host = request.hostInTarget ?? named[0]
    // A page of a stranger whose name leads here would be of one origin with this server. Only its name gives it away.
    guard hosts.contains(host.lowercased()) else {
      return Problem(
        421, "wrong-host", "this server is not called \"\(Printable.clean(host))\"",
        remedy: "its owner can give it that name")
    }
    // A browser asks what it may send before it sends the token.
    let isPreflight = request.method == "OPTIONS" && request["origin"].map(origins.contains) ?? false
    if let token, !isPreflight, !Self.isOpen(request), !isAllowed(request, by: token) { return missingToken(of: request) }
    // Addresses are kept in logs and histories.
    if scrubber?.finds(in: request.target) ?? false { return .malformed("the token belongs in the header Authorization") }
    guard isCrossOrigin(request, host) else { return nil }
    guard Self.safe.contains(request.method) else {
      return Problem(403, "cross-origin", "a page of another origin may change nothing here")
    }
    // A link leads here as ever. But a picture or a script of a stranger's page would ask services, at its owner's expense.
    let isNamed = request["origin"].map(origins.contains) ?? false
    guard !isNamed, let mode = request["sec-fetch-mode"], mode != "navigate", !Self.isOpen(request) else { return nil }
    return Problem(
      403, "cross-origin", "a page of another origin may ask nothing here", remedy: "its owner can allow that origin")
  }

  /// The problem of a request whose end may not be where it seems to be: what follows on its connection is not read.
  private static func broken(_ detail: String) -> Problem {
    copy(of: .malformed(detail)) { $0.headers = [("Connection", "close")] }
  }

  static let safe: Set<String> = ["GET", "HEAD", "OPTIONS"]

  private func isAllowed(_ request: Request, by token: Secret) -> Bool {
    if cookie?.isIn(request) ?? false { return true }
    guard let given = request["authorization"], given.prefix(7).lowercased() == "bearer " else { return false }
    return token.equals(String(given.dropFirst(7)))
  }

  /// True for the page that asks for the token, and for the files that it loads. They tell nothing of the sources.
  static func isOpen(_ request: Request) -> Bool { request.path == LoginPage.address || request.path.hasPrefix("/-/files/") }

  /// A browser that wants a page is led to the form for the token. A program is told what to send.
  private func missingToken(of request: Request) -> Problem {
    let remedy = "send the header Authorization: Bearer TOKEN"
    guard Self.safe.contains(request.method), request.wantsPage else {
      return Problem(
        401, "no-token", "this server wants its token", remedy: remedy, headers: [("WWW-Authenticate", "Bearer")])
    }
    let form = LoginPage.address(leadingTo: request.target, scrubber: scrubber)
    return Problem(303, "no-token", "this server wants its token", remedy: remedy, headers: [("Location", form)])
  }

  /// True when a browser sent the request for a page of another origin. What is not a browser sends neither header.
  private func isCrossOrigin(_ request: Request, _ host: String) -> Bool {
    if let site = request["sec-fetch-site"] { return site != "same-origin" && site != "none" }
    guard let origin = request["origin"] else { return !request.values(of: "origin").isEmpty }
    return origin.lowercased() != "http://\(host.lowercased())" && origin.lowercased() != "https://\(host.lowercased())"
  }

  /// Returns the headers by which a browser lets a page of an allowed origin read the answer.
  func sharing(with request: Request) -> [Request.Header] {
    guard !origins.isEmpty else { return [] }
    let vary = ("Vary", "Origin")
    guard let origin = request["origin"], origins.contains(origin) else { return [vary] }
    return [
      vary, ("Access-Control-Allow-Origin", origin),
      (
        "Access-Control-Expose-Headers",
        "ETag, Link, Location, Retry-After, Aggregator-Origin, Aggregator-Verdict, Aggregator-Notice"
      ),
    ]
  }

  /// The headers of every answer.
  static let headers: [Request.Header] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
        + "base-uri 'none'; frame-ancestors 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
  ]
}
