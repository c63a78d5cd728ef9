/// A service: where its paths begin and what every request to it carries.
///
/// Whatever it hands on, answers and errors, holds none of the keys that it sends: a service that repeats one is told with a mask in
/// its place.
public struct Client: Sendable {
  public let base: WebAddress
  private let transport: any Transport
  /// What every request carries in its query.
  let credentials: [HTTPRequest.Item]
  let headers: [HTTPRequest.Item]
  /// The one key it sends; nil where it sends none, or several.
  let onlyKey: Secret?
  private let clock: any Timekeeper

  public init(
    _ base: WebAddress, over transport: any Transport, query: [HTTPRequest.Item] = [], headers: [HTTPRequest.Item] = [],
    clock: any Timekeeper = SystemTime()
  ) {
    self.init(base, over: transport, through: [], query: query, headers: headers, hiding: [], clock: clock)
  }

  /// A client whose answers come through `layers`, with nothing left in them of its own keys and `others`.
  init(
    _ base: WebAddress, over transport: any Transport, through layers: [any Middleware], query: [HTTPRequest.Item],
    headers: [HTTPRequest.Item], hiding others: [Secret], clock: any Timekeeper
  ) {
    let base = base.hiding(SecretName.isUsualInSetting)
    var sample = HTTPRequest(.get, base)
    (sample.query, sample.headers) = (query, headers)
    let keys = Set(sample.secrets.map { $0.withoutScheme ?? $0 })
    self.base = base
    self.transport = transport.through(layers + [Redaction(of: sample.hidden + others)])
    self.credentials = query
    self.headers = headers
    self.onlyKey = keys.count == 1 ? keys.first : nil
    self.clock = clock
  }

  /// A request for `path` below the base, or for the base itself.
  public func request(
    _ method: HTTPRequest.Method = .get, _ path: String = "", _ query: KeyValuePairs<String, HTTPRequest.Part> = [:],
    isRepeatable: Bool? = nil
  ) -> HTTPRequest {
    var request = HTTPRequest(method, path.isEmpty ? base : base.appending(path), isRepeatable: isRepeatable)
    request.query = credentials + query.map { HTTPRequest.Item($0.key, $0.value) }
    request.headers = headers
    request.resource = String(path.prefix { $0 != "/" })
    request.masked = onlyKey.map { MaskedSecret(secret: $0, origin: base.origin) }
    return request
  }

  /// The answer, whatever its status.
  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    if !request.isRepeatable { Attempts.current?.allowNoMore() }
    return try await transport.send(request)
  }

  /// The error that the answer's status means; nil when it is a success.
  public func trouble(in response: HTTPResponse) -> SourceError? { response.trouble(at: clock.now) }
}

extension HTTPResponse {
  /// The body as JSON.
  public func json() throws -> JSON {
    // Reading takes time, and the result is no longer wanted.
    try Deadline.check()
    do {
      return try JSON(body)
    } catch let error as SourceError {
      throw strangersPage ?? error
    }
  }
}

extension Client {
  /// A successful answer; any other status is the error that HTTP means by it.
  public func answer(to request: HTTPRequest) async throws -> HTTPResponse {
    let response = try await send(request)
    if let trouble = trouble(in: response) { throw trouble }
    return response
  }

  /// The JSON of a successful answer.
  public func json(_ request: HTTPRequest) async throws -> JSON { try await answer(to: request).json() }

  /// The JSON of a successful answer to a `GET`; any other status is the error that HTTP means by it.
  public func json(_ path: String = "", _ query: KeyValuePairs<String, HTTPRequest.Part> = [:]) async throws -> JSON {
    try await json(request(.get, path, query))
  }

  /// The JSON of a successful answer to a `POST` of a JSON body, which is sent once unless it may be repeated.
  public func json(_ path: String = "", posting body: Value, isRepeatable: Bool = false) async throws -> JSON {
    var (request, writer) = (request(.post, path, isRepeatable: isRepeatable), JSONWriter())
    writer.write(body)
    request.body = writer.bytes
    request.headers.append(HTTPRequest.Item("Content-Type", "application/json"))
    return try await json(request)
  }
}

extension Client {
  /// What follows a page that names the address of the next one; the end when it names none.
  ///
  /// Many services repeat the whole request there, key and all. What this client sends anyway is taken out, since a place
  /// in a list is kept and shown; a key that stands elsewhere in it is masked, and put back when it is followed. With a key an
  /// address on another host is not followed. One that is not whole is seen from `request`, or from the base.
  public func next(_ address: String?, after request: HTTPRequest? = nil) throws -> Continuation {
    guard let address else { return .end }
    let next = try following(address, from: request?.address)
    if onlyKey == nil, carriesSecret, MaskedSecret.stands(in: next) {
      throw SourceError(.malformed, "the next page's address repeats one of several keys")
    }
    return .token(next.shown)
  }

  /// A request for the next page that `next(_:)` gave.
  public func request(following token: String) throws -> HTTPRequest {
    var request = request()
    request.address = try following(token)
    if request.address.origin == base.origin { request.address.hidden = base.hidden }
    return request
  }

  private var carriesSecret: Bool { request().carriesSecret }

  private func following(_ text: String, from place: WebAddress? = nil) throws -> WebAddress {
    guard var address = (place ?? base).resolving(text), address.origin == base.origin || !carriesSecret else {
      throw SourceError(.malformed, "the next page is on another host")
    }
    // Those of an address that was not whole are the base's, which come along when it is followed.
    address.hidden = []
    let own = Set(credentials.map(\.name) + base.hiddenNames)
    let pairs = (address.query ?? "").split(separator: "&").compactMap { pair -> String? in
      let name = pair.prefix { $0 != "=" }
      if own.contains(PercentEncoding.decode(name)) { return nil }
      let value = PercentEncoding.decode(pair.dropFirst(name.count + 1))
      // A short key is looked for in no text, but this is the value of an item and nothing else.
      return value == onlyKey?.reveal() ? "\(name)=\(MaskedSecret.encodedMask)" : String(pair)
    }
    address.query = pairs.isEmpty ? nil : pairs.joined(separator: "&")
    return address
  }
}
