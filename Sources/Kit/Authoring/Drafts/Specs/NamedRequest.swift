package import AggregatorCore
package import Logins
import Platform
package import Recordings
package import Services

/// A request that a person gave as an address or as a curl command line. Its keys are kept apart.
package struct NamedRequest: Sendable, Hashable {
  /// GET or POST.
  package var method = HTTPRequest.Method.get
  /// The address with its query, without keys.
  package var address: WebAddress
  /// The headers that affect the answer, without the dozens that browsers send.
  package var headers: [HTTPResponse.Header] = []
  /// The JSON to post, without keys.
  package var body: Value?
  /// The keys, in the order of the request.
  package var keys: [NamedKey] = []
  /// Notices for a person, a clause each.
  package var notices: [String] = []
  /// The way from page to page, if a person named it.
  package var way: PagingWay?
  /// The parts of the list that a person named.
  package var hints = DraftHints()

  package init(_ address: WebAddress) { self.address = address }

  mutating func set(_ parameter: Parameter, to value: Value) {
    if parameter.location == .header {
      headers = headers.filter { $0.name != parameter.name } + [.init(parameter.name, value.plainText)]
    } else if parameter.location == .body {
      body = (body ?? .object([])).setting(parameter.path, to: value)
    } else {
      let others = address.queryItems.filter { $0.name != parameter.name }
      address.query = WebAddress.query(of: others + [.init(parameter.name, value.plainText)])
    }
  }
}

extension NamedRequest {
  /// Returns the request with these values of parameters.
  func setting(_ changes: [(Parameter, Value)]) -> NamedRequest {
    changes.reduce(into: self) { $0.set($1.0, to: $1.1) }
  }
}

/// A person's key, and the part of a request where the service expects it.
package struct NamedKey: Sendable, Hashable {
  /// The part of a request in which the key is sent. For HTTP Basic it has the user's name itself.
  package var carrier: ManifestKey.Carrier
  /// The value; nil if only the carrier of the key is known.
  package var value: Secret?
  /// The login that brings the value, which is a token then; nil for a key that a person has.
  package var login: NamedLogin?
  /// The user's name for HTTP Basic while the password is still to be typed. It may itself be a key, so it is a secret too.
  package private(set) var user: Secret?

  package init(_ carrier: ManifestKey.Carrier, _ value: Secret? = nil) { (self.carrier, self.value) = (carrier, value) }

  /// The key of HTTP Basic, with the password still to be typed.
  init(askingForPasswordOf user: String) {
    self.init(.header("Authorization", scheme: nil))
    self.user = Secret(user)
  }

  /// Returns the same key with the value a person typed.
  package func typed(_ text: String) -> NamedKey {
    NamedKey(carrier, Secret(user.map { NamedRequest.authorization("\($0.reveal()):\(text)").value } ?? text))
  }
}

/// A login by OAuth 2 as a person names it: the address of the tokens, and what the person has of the rest.
package struct NamedLogin: Sendable, Hashable {
  /// The address that gives tokens.
  package let tokens: WebAddress
  /// The rights to ask for, separated by spaces; nil for the usual ones.
  package let scope: String?
  /// The id by which the service knows this program.
  package var client = ""
  /// The program's secret; nil if it has none.
  package var secret: Secret?
  /// A person's refresh token. Without one the program itself logs in.
  package var refresh: Secret?
  /// True when id and secret are sent as HTTP's Basic authentication.
  package var usesBasic = false

  /// A login whose other parts are still to be typed.
  package init(tokens: WebAddress, scope: String?) { (self.tokens, self.scope) = (tokens, scope) }

  /// Returns the login as a manifest describes it, with settings that begin with `stem`.
  package func oauth(_ stem: String) -> OAuth {
    var oauth = OAuth(
      refresh == nil ? .client : .refresh, tokens: tokens,
      client: Setting("\(stem)_CLIENT_ID", .text, "the program's id for the login"))
    (oauth.scope, oauth.usesBasic) = (scope, usesBasic)
    if secret != nil { oauth.secret = Setting("\(stem)_CLIENT_SECRET", .secret, "the program's secret for the login") }
    if refresh != nil {
      oauth.refresh = copy(of: Setting("\(stem)_REFRESH_TOKEN", .secret, "your refresh token")) {
        ($0.isOptional, $0.rotates) = (true, true)
      }
    }
    return oauth
  }

  /// Returns what a person typed, by the names of the settings that `oauth` reads.
  package func values(for oauth: OAuth) -> [(setting: String, value: Secret)] {
    [(oauth.client.name, Secret(client))]
      + [(oauth.secret, secret), (oauth.refresh, refresh)].compactMap { setting, value in
        if let setting, let value { (setting.name, value) } else { nil }
      }
  }
}

// MARK: - From typed or recorded text

extension NamedRequest {
  /// The same request, for a list whose answer has at `path` what the parameter `name` of the next request takes.
  package func paged(by path: ValuePath, to name: String) -> NamedRequest {
    copy(of: self) { $0.way = .token(path, Parameter(method == .post ? .body : .query, name)) }
  }

  /// Reads an address as a person types it. Errors do not repeat it, because it may hold a key.
  package init(address text: String) throws(SourceError) {
    let (address, user) = try Self.address(text)
    try self.init(TapedRequest("GET", address, headers: user.map { [Self.authorization($0)] } ?? []))
  }

  /// The request as a source can send it: keys apart, without the headers that browsers add and without cache busters. Cookies and other
  /// keys of a browser's session are keys if `isTyped`; in a recording they are left out, because most of them are not needed.
  package init(_ request: TapedRequest, by finder: SecretFinder = SecretFinder(), isTyped: Bool = true) throws(SourceError) {
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
        .settings, "the request has {\(name)}, and a source fills in each name in braces",
        remedy: .either([
          "put a value in its place",
          .advice("write a list below each record of another source into the file of that source, with \"parent\""),
        ]))
    }
  }

  /// The first name in braces in the request, which a manifest would take for a template; nil if it has no such name.
  private var templateName: String? {
    let texts = [address.path] + (address.queryItems + headers).map(\.value)
    return texts.lazy.flatMap { Template($0).names }.first ?? body?.templateNames.first
  }

  private static func body(_ request: TapedRequest, _ finder: SecretFinder) throws(SourceError) -> Value? {
    guard let bytes = request.body, !bytes.isEmpty else { return nil }
    guard request.method == "POST" else { throw SourceError(.settings, "a GET request cannot have a body", remedy: "use POST") }
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

  private static func notices(_ request: TapedRequest, _ isTyped: Bool) -> [String] {
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

  /// Returns an address, and the user's name and key in it, `ada:lovelace`. A name alone gets an empty key, as curl sends it: `ada:`.
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
    // This calls itself only once, because the rest has no @.
    return (try Self.address(String(rest)).address, PercentEncoding.decode(user) + (user.contains(":") ? "" : ":"))
  }

  static func authorization(_ pair: String) -> HTTPResponse.Header {
    HTTPResponse.Header("Authorization", "Basic \(Base64.encode(pair.utf8))")
  }
}

extension Fixture {
  /// Returns a recorded request as a source can send it. Its keys include those that the browser left out of the
  /// recording, without a value; they are named in the preflight request (OPTIONS) that browsers send first. `spared`
  /// are the parameters that lead from page to page.
  package func namedRequest(_ request: TapedRequest, sparing spared: [String] = []) throws(SourceError) -> NamedRequest {
    let finder = SecretFinder(sparing: spared)
    var named = try NamedRequest(request, by: finder, isTyped: false)
    let known = Set(request.headers.map { $0.name.lowercased() })
    let asked = exchanges.filter { exchange in
      exchange.request.method == "OPTIONS" && RecordedCall(exchange.request).address == RecordedCall(request).address
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
          "the browser left the header \(shown) out of the recording" + (isBearer ? "; a Bearer token is assumed" : ""))
      }
    }
    return named
  }
}

// MARK: - Names

extension ManifestKey.Carrier {
  package static func basic(user: String) -> Self { .basic(header: "Authorization", user: user) }
}

extension NamedRequest {
  private static let commonWords = Set(words: "api rest search query list all index graphql json data public v")

  /// Possible names of a source for this request, the best first: `boats` for
  /// `https://api.example.com/v1/boats.json`, then `example-boats`.
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

  /// Returns the first field of a GraphQL query: `teams` for `query($first: Int!) { teams(first: $first) { … } }`.
  private static func firstField(_ text: String) -> String? {
    guard text.contains("{") else { return nil }
    let field = text.drop { $0 != "{" }.dropFirst().drop { $0.isWhitespace }.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    return field.isEmpty ? nil : String(field)
  }

  private static func word(_ text: String) -> String { NameWords.words(in: text).joined(separator: "-").lowercased() }
}

/// Headers that browsers and tools add to a request, and that do not affect the answer.
enum Noise {
  private static let headers = Set(
    words: """
      accept-charset accept-encoding accept-language authority baggage cache-control connection content-length cookie date
      device-memory dnt downlink dpr ect expect forwarded host keep-alive method newrelic origin path postman-token pragma priority
      referer rtt save-data scheme sentry-trace te traceparent tracestate transfer-encoding upgrade upgrade-insecure-requests
      user-agent via viewport-width width x-amzn-trace-id x-client-data x-correlation-id x-request-id
      """)
  private static let beginnings = [":", "access-control-", "if-", "proxy-", "sec-", "x-b3-", "x-datadog-", "x-forwarded-"]

  /// True when the service can do without the header, or when every request says the same by default.
  static func isNoise(header: HTTPResponse.Header) -> Bool {
    let name = header.name.lowercased()
    // Posted bodies are JSON by default. An Accept header that asks for JSON stays, because a service may answer with XML without it.
    if name == "range" { return header.value.hasPrefix("bytes") }
    if name == "accept" || name == "content-type" { return !Self.chooses(header.value, isPosted: name == "content-type") }
    return headers.contains(name) || beginnings.contains(where: name.hasPrefix)
  }

  private static func chooses(_ type: String, isPosted: Bool) -> Bool {
    type.contains("vnd.") || type.contains("+json") || !isPosted && type.contains("json")
  }
}
