package import AggregatorCore
import Platform
package import Recordings
package import Services

/// A request that a person named, by an address or by a line for curl: what the service wants to know them by stands apart.
package struct NamedRequest: Sendable, Hashable {
  /// GET or POST.
  package var method = HTTPRequest.Method.get
  /// With its query, without the keys in it.
  package var address: WebAddress
  /// Those that choose what is answered; not the dozens that browsers send.
  package var headers: [HTTPResponse.Header] = []
  /// The JSON that is posted, without the keys in it.
  package var body: Value?
  /// In the order of the request.
  package var keys: [NamedKey] = []
  /// What a person should know about it, a clause each.
  package var notices: [String] = []

  package init(_ address: WebAddress) { self.address = address }
}

extension NamedRequest {
  /// Has the parameter of its query or its body say `value`.
  mutating func set(_ parameter: Parameter, to value: Value) {
    if parameter.place == .body {
      body = (body ?? .object([])).setting(parameter.path, to: value)
    } else {
      let others = address.queryItems.filter { $0.name != parameter.name }
      address.query = WebAddress.query(of: others + [.init(parameter.name, value.plainText)])
    }
  }
}

/// A key of a person, and where the service expects it.
package struct NamedKey: Sendable, Hashable {
  /// Where it travels; of HTTP's Basic with the user's name itself.
  package var carrier: ManifestKey.Carrier
  /// Nil where only its place is known.
  package var value: Secret?
  /// Of HTTP's Basic the user's name where the password is still to be typed: it may be a key, so it goes with the password.
  package private(set) var user: Secret?

  package init(_ carrier: ManifestKey.Carrier, _ value: Secret? = nil) { (self.carrier, self.value) = (carrier, value) }

  /// The key of HTTP's Basic whose password is asked for.
  init(askingForPasswordOf user: String) {
    self.init(.header("Authorization", scheme: nil))
    self.user = Secret(user)
  }

  /// The same key with what a person typed for it.
  package func typed(_ text: String) -> NamedKey {
    NamedKey(carrier, Secret(user.map { NamedRequest.authorization("\($0.reveal()):\(text)").value } ?? text))
  }
}

// MARK: - Out of what was typed or recorded

extension NamedRequest {
  /// The request for an address as a person types it. No error repeats it: it may hold a key.
  package init(address text: String) throws(SourceError) {
    let (address, user) = try Self.address(text)
    try self.init(RecordedRequest("GET", address, headers: user.map { [Self.authorization($0)] } ?? []))
  }

  /// The request as a source can send it: keys apart, and without the headers that browsers add, nor what a typed address has against caches;
  /// a recorded one is sent again as it was. Those of a browser's session, its cookies, are keys
  /// as well where `isTyped`; a recording is full of cookies that nobody needs.
  package init(_ request: RecordedRequest, by finder: SecretFinder = SecretFinder(), isTyped: Bool = true) throws(SourceError) {
    guard let method = HTTPRequest.Method(rawValue: request.method), method != .head else {
      throw SourceError(
        .settings, "a list is asked for by GET or POST, and not by \(Printable.clean(String(request.method.prefix(20))))")
    }
    guard request.address.isSafe || request.address.isPrivate else {
      throw SourceError(.settings, "an address on another machine begins with https://")
    }
    self.init(request.address.withoutSession)
    self.method = method
    address.query = request.address.query.map { query in
      SecretName.hidden(inQuery: query, leaving: nil) { name, value in
        HTTPResponse.Header(name, value).isCacheBuster || !value.isEmpty && finder.isSecret(name, holding: value)
      }
    }
    if address.query?.isEmpty == true { address.query = nil }
    keys = finder.keys(in: request, ofSession: isTyped)
    headers = request.headers.filter { header in
      !Noise.isNoise(header: header) && !SecretName.isUsual(header: header.name, holding: header.value)
        && !SecretName.isOfPage(header: header.name)
    }
    body = try Self.body(request, finder)
    notices = Self.notices(request, isTyped)
    if let name = templateName {
      throw SourceError(
        .settings, "the request has {\(name)}, and a source fills in what stands in braces", remedy: "put a value in its place")
    }
  }

  /// What a manifest would fill in of this request.
  private var templateName: String? {
    let texts = [address.path] + (address.queryItems + headers).map(\.value)
    return texts.lazy.flatMap { Template($0).names }.first ?? body?.templateNames.first
  }

  private static func body(_ request: RecordedRequest, _ finder: SecretFinder) throws(SourceError) -> Value? {
    guard let bytes = request.body, !bytes.isEmpty else { return nil }
    guard request.method == "POST" else { throw SourceError(.settings, "a source sends no body with a GET request") }
    guard let value = try? JSON(bytes).value, value.members != nil || value.list != nil else {
      throw SourceError(.settings, "a source posts JSON, and the body of this request is something else, such as a form")
    }
    if let name = finder.secrets(in: value).first?.name {
      throw SourceError(
        .settings,
        "the body has a key, \(Printable.clean(String(name.prefix(40)))); a source sends keys in a header or in the query",
        remedy: "leave it out of the body, and send it in a header if the service takes it there")
    }
    return value
  }

  private static func notices(_ request: RecordedRequest, _ isTyped: Bool) -> [String] {
    var notices: [String] = []
    if !(request[header: "Cookie"] ?? "").isEmpty {
      notices.append(
        isTyped
          ? "the cookies are sent as a key; those of a browser stop working when its session ends"
          : "the recording was made with cookies, which are left out; a service that wants them needs the key header Cookie")
    }
    for (name, _) in SecretName.parameters(inPath: request.address.path) {
      notices.append("the path holds \(Printable.clean(String(name.prefix(40)))), a key or a session, which is left out")
    }
    for name in request.headers.map(\.name) where SecretName.isOfPage(header: name) {
      let name = Printable.clean(String(name.prefix(40)))
      notices.append(
        "the header \(name) belongs to a page that is open in a browser; "
          + (isTyped ? "as a key it stops working when that page is closed" : "it is left out"))
    }
    return notices
  }

  /// An address, and the user's name and key in it, `ada:lovelace`. Behind a name alone the key is empty, as curl sends it: `ada:`.
  static func address(_ text: String) throws(SourceError) -> (address: WebAddress, user: String?) {
    if let address = WebAddress(text) { return (address, nil) }
    let authority: Substring.UTF8View = text.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2).prefix {
      !"/?#".utf8.contains($0)
    }
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else {
      throw SourceError(.settings, "expected an address such as https://api.example.com/boats")
    }
    let rest = Substring(text.utf8[..<authority.startIndex]) + Substring(text.utf8[at...].dropFirst())
    let user = Substring(authority[..<at])
    // Once, since what is left has no such sign.
    return (try Self.address(String(rest)).address, PercentEncoding.decode(user) + (user.contains(":") ? "" : ":"))
  }

  static func authorization(_ pair: String) -> HTTPResponse.Header {
    HTTPResponse.Header("Authorization", "Basic \(Base64.encode(pair.utf8))")
  }
}

extension Fixture {
  /// A recorded request as a source can send it: with the keys that the recording has, and those that the browser left out of it, without a
  /// value. The request for permission that browsers send ahead names them. `places` are the parameters that lead from page to page.
  package func namedRequest(_ request: RecordedRequest, sparing places: [String] = []) throws(SourceError) -> NamedRequest {
    let finder = SecretFinder(sparing: places)
    var named = try NamedRequest(request, by: finder, isTyped: false)
    let known = Set(request.headers.map { $0.name.lowercased() })
    let asked = exchanges.filter { exchange in
      exchange.request.method == "OPTIONS" && Call(exchange.request).address == Call(request).address
        && exchange.request[header: "Access-Control-Request-Method"].map { $0.uppercased() == request.method } ?? true
    }
    let names = asked.flatMap {
      ($0.request[header: "Access-Control-Request-Headers"] ?? "").split(separator: ",").map(\.trimmingSpaces)
    }
    for (name, _) in names.inGroups(by: { $0.lowercased() }) where !known.contains(name) {
      let shown = Printable.clean(String(name.prefix(40)))
      if SecretName.isOfPage(header: name) {
        named.notices.append("the header \(shown) belongs to a page that is open in a browser; it is left out")
      } else if SecretName.isUsual(header: name) {
        let isBearer = name == "authorization"
        named.keys.append(NamedKey(.header(name, scheme: isBearer ? "Bearer" : nil)))
        named.notices.append(
          "the browser left the key \(shown) out of the recording" + (isBearer ? "; it is taken for a Bearer token" : ""))
      }
    }
    return named
  }
}

// MARK: - Names

extension ManifestKey.Carrier: CustomStringConvertible {
  package static func basic(user: String) -> Self { .basic(header: "Authorization", user: user) }

  package var description: String {
    switch self {
    case .header(let name, _): "header \(name)"
    case .query(let name): "query \(name)"
    case .basic(_, let user): "password of \(user)"
    }
  }
}

extension NamedRequest {
  private static let commonWords: Set<String> = [
    "api", "rest", "search", "query", "list", "all", "index", "graphql", "json", "data", "public", "v",
  ]

  /// What a source may be called that asks so, the best first: `boats` of `https://api.example.com/v1/boats.json`, then `example-boats`.
  package var names: [String] {
    let operation = body?["operationName"]?.text ?? body?["query"]?.text.flatMap(Self.firstField)
    let parts =
      [operation].compactMap(\.self) + address.path.split(separator: "/").reversed().map { PercentEncoding.decode($0) }
    let words = parts.map { Self.word(String($0.prefix { $0 != "." })) }.filter { word in
      let letters = word.filter(\.isLetter)
      return letters.count > 1 && !Self.commonWords.contains(String(letters)) && word.first?.isLetter == true
    }
    let host = address.host.split(separator: ".").map { Self.word(String($0)) }.filter { !["www", "api", ""].contains($0) }
    let site = host.first { $0.first?.isLetter ?? false } ?? "source"
    guard let name = words.first else { return [site, "\(site)-list"] }
    return [name, "\(site)-\(name)"]
  }

  /// Of GraphQL: `teams` of `query($first: Int!) { teams(first: $first) { … } }`.
  private static func firstField(_ text: String) -> String? {
    guard text.contains("{") else { return nil }
    let field = text.drop { $0 != "{" }.dropFirst().drop { $0.isWhitespace }.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    return field.isEmpty ? nil : String(field)
  }

  private static func word(_ text: String) -> String { NameWords.words(in: text).joined(separator: "-").lowercased() }
}

/// Headers that browsers and tools add to a request, which choose nothing of the answer.
enum Noise {
  private static let headers: Set<Substring> = Set(
    """
    accept-charset accept-encoding accept-language authority baggage cache-control connection content-length cookie date
    device-memory dnt downlink dpr ect expect forwarded host keep-alive method newrelic origin path postman-token pragma priority
    referer rtt save-data scheme sentry-trace te traceparent tracestate transfer-encoding upgrade upgrade-insecure-requests
    user-agent via viewport-width width x-amzn-trace-id x-client-data x-correlation-id x-request-id
    """.split { $0.isWhitespace })
  private static let beginnings = [":", "access-control-", "if-", "proxy-", "sec-", "x-b3-", "x-datadog-", "x-forwarded-"]

  /// Whether a header of this name and value says nothing that the service needs, or nothing that is not said anyway.
  static func isNoise(header: HTTPResponse.Header) -> Bool {
    let name = header.name.lowercased()
    // What is posted is JSON anyway; a service may answer with XML unless told.
    if name == "range" { return header.value.hasPrefix("bytes") }
    if name == "accept" || name == "content-type" { return !Self.chooses(header.value, isPosted: name == "content-type") }
    return headers.contains(name[...]) || beginnings.contains(where: name.hasPrefix)
  }

  private static func chooses(_ type: String, isPosted: Bool) -> Bool {
    type.contains("vnd.") || type.contains("+json") || !isPosted && type.contains("json")
  }
}
