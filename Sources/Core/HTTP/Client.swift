/// A service: where its paths begin and what every request to it carries. What it hands on has a mask in place of each key that it sends.
public struct Client: Sendable {
  /// Where the service's own paths begin.
  public let base: WebAddress
  private let transport: any Transport
  let credentials: [HTTPRequest.Item]
  let headers: [HTTPRequest.Item]
  private let clock: any Timekeeper

  /// A service at `base`, asked over `transport` through `layers`; each request carries `query` and `headers`. In what comes back their
  /// secrets, and `others`, are masked.
  public init(
    _ base: WebAddress, over transport: any Transport, through layers: [any Middleware] = [],
    query: [HTTPRequest.Item] = [], headers: [HTTPRequest.Item] = [], hiding others: [Secret] = [],
    clock: any Timekeeper = SystemTime()
  ) {
    let base = base.hiding { SecretName.isUsual($0) }
    var sample = HTTPRequest(.get, base)
    (sample.query, sample.headers) = (query, headers)
    self.base = base
    self.transport = transport.through(layers + [Redaction(of: sample.hidden + others)])
    (self.credentials, self.headers, self.clock) = (query, headers, clock)
  }

  /// A request for `path` below the base, or for the base itself.
  public func request(
    _ method: HTTPRequest.Method = .get, _ path: String = "", _ query: KeyValuePairs<String, HTTPRequest.Part?> = [:],
    isRepeatable: Bool? = nil
  ) -> HTTPRequest {
    var request = HTTPRequest(method, path.isEmpty ? base : base.appending(path), isRepeatable: isRepeatable)
    request.query = credentials + query.compactMap { name, value in value.map { HTTPRequest.Item(name, $0) } }
    request.headers = headers
    request.resource = String(path.prefix { $0 != "/" })
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
  public func json(_ path: String = "", _ query: KeyValuePairs<String, HTTPRequest.Part?> = [:]) async throws -> JSON {
    try await json(request(.get, path, query))
  }

  /// The JSON of a successful answer to a `POST` of a JSON body, which is sent once unless it may be repeated.
  public func json(_ path: String = "", posting body: Value, isRepeatable: Bool = false) async throws -> JSON {
    try await json(request(path, posting: body, isRepeatable: isRepeatable))
  }

  /// A `POST` of a JSON body, which is sent once unless it may be repeated.
  public func request(
    _ path: String = "", _ query: KeyValuePairs<String, HTTPRequest.Part?> = [:], posting body: Value,
    isRepeatable: Bool = false
  ) -> HTTPRequest {
    var request = request(.post, path, query, isRepeatable: isRepeatable)
    request.body = body.bytes
    request.headers.append(HTTPRequest.Item("Content-Type", "application/json"))
    return request
  }

  /// What follows a page that names the address of the next one; the end when it names none.
  ///
  /// What this client sends anyway is taken out, and so is every item with a key, since a place in a list is kept and shown. With a key an
  /// address on another host is not followed. One that is not whole is seen from `request`, or from the base.
  public func next(_ address: String?, after request: HTTPRequest? = nil) throws -> Continuation {
    guard let address else { return .end }
    return .token(try following(address, from: request?.address).shown)
  }

  /// A request for the next page that `next(_:)` gave.
  public func request(following token: String) throws -> HTTPRequest {
    var request = request()
    request.address = try following(token)
    if request.address.origin == base.origin { request.address.hidden = base.hidden }
    return request
  }

  private func following(_ text: String, from place: WebAddress? = nil) throws -> WebAddress {
    let keys = request().hidden.map { $0.reveal() }
    guard var address = (place ?? base).resolving(text)?.withoutSession, address.origin == base.origin || keys.isEmpty else {
      throw SourceError(.malformed, "the next page is on another host")
    }
    guard !PercentEncoding.decode(address.path).contains(Secret.mask) else {
      throw SourceError(.malformed, "the next page's address holds a key")
    }
    // Those of an address that was not whole are the base's, which come along when it is followed.
    address.hidden = []
    let own = Set(credentials.map(\.name) + base.hiddenNames)
    address.items = address.items.filter { item in
      let (name, value) = item.decoded
      // A short key is looked for in no text, but this is the value of an item and nothing else.
      return !item.text.isEmpty && !own.contains(name) && !value.contains(Secret.mask) && !keys.contains(value)
    }
    return address
  }
}
