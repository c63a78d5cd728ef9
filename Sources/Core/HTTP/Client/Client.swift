/// A service: its address, and the query and headers of every request. In all that it returns, a mask replaces each key that it sends.
public struct Client: Sendable {
  /// The address at which the service's own paths begin.
  public let base: WebAddress
  private let transport: any Transport
  let credentials: [HTTPRequest.Item]
  let headers: [HTTPRequest.Item]
  private let clock: any Timekeeper
  /// True when each request gets a token on its way.
  var isLoggedIn = false
  /// The remedy if the service refuses such a token; nil if the one of the source will do.
  package var remedyOfLogin: Remedy?

  /// A service at `base`, asked over `transport` through `layers`. Each request carries `query` and `headers`. In responses and errors
  /// their secrets, and `others`, are masked.
  public init(
    _ base: WebAddress, over transport: any Transport, through layers: [any Middleware] = [],
    query: [HTTPRequest.Item] = [], headers: [HTTPRequest.Item] = [], hiding others: [Secret] = [],
    clock: any Timekeeper = SystemTime()
  ) {
    let base = base.hiding { SecretName.isUsual($0) }
    var sample = HTTPRequest(.get, base)
    (sample.query, sample.headers) = (query, headers)
    self.base = base
    self.transport = transport.through(layers + [Redaction(known: KnownSecrets(sample.hidden + others))])
    (self.credentials, self.headers, self.clock) = (query, headers, clock)
  }

  /// Returns a request for `path` below the base, or for the base itself.
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

  /// Returns the response, whatever its status.
  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    if !request.isRepeatable { Attempts.current?.allowNoMore() }
    return try await transport.send(request)
  }

  /// Returns the error that the response's status stands for; nil for success. A refusal has the service's own words in it.
  public func trouble(in response: HTTPResponse) -> SourceError? {
    guard var error = response.trouble(at: clock.now) else { return nil }
    guard [.refusedKey, .badRequest].contains(error.kind) else { return error }
    if error.kind == .refusedKey, let remedyOfLogin { error.remedy = remedyOfLogin }
    if response.status == 401, !sendsSecrets { (error.message, error.remedy) = ("the service wants a key (HTTP 401)", .setKey) }
    if let words = response.words { error.message += ": \"\(words)\"" }
    return error
  }

  private var sendsSecrets: Bool {
    isLoggedIn || !base.hidden.isEmpty || (credentials + headers).contains { $0.value.secret != nil }
  }
}

extension HTTPResponse {
  /// The service's words about an error: the message in a JSON body. They are bounded in length. Nil for any other body.
  fileprivate var words: String? {
    guard body.count <= 64 << 10, let value = try? JSON(body).value, case .object = value else { return nil }
    return value.message.map { String($0.trimmingSpaces.prefix(200)) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Reads the body as JSON. Throws if it is not JSON, or if the time is up.
  public func json() throws -> JSON {
    // Reading takes time, and after the deadline the result is not wanted any more.
    try Deadline.check()
    do {
      return try JSON(body)
    } catch let error as SourceError {
      throw strangersPage ?? error
    }
  }
}

extension Client {
  /// Returns a successful response; throws the error that any other status stands for.
  public func answer(to request: HTTPRequest) async throws -> HTTPResponse {
    let response = try await send(request)
    if let trouble = trouble(in: response) { throw trouble }
    return response
  }

  /// Returns the JSON of a successful response.
  public func json(_ request: HTTPRequest) async throws -> JSON { try await answer(to: request).json() }

  /// Returns the JSON of a successful response to a `GET`; throws the error that any other status stands for.
  public func json(_ path: String = "", _ query: KeyValuePairs<String, HTTPRequest.Part?> = [:]) async throws -> JSON {
    try await json(request(.get, path, query))
  }

  /// Returns the JSON of a successful response to a `POST` of a JSON body, which is sent once unless it may be repeated.
  public func json(_ path: String = "", posting body: Value, isRepeatable: Bool = false) async throws -> JSON {
    try await json(request(path, posting: body, isRepeatable: isRepeatable))
  }

  /// Returns a `POST` of a JSON body, which is sent once unless it may be repeated.
  public func request(
    _ path: String = "", _ query: KeyValuePairs<String, HTTPRequest.Part?> = [:], posting body: Value,
    isRepeatable: Bool = false
  ) -> HTTPRequest {
    var request = request(.post, path, query, isRepeatable: isRepeatable)
    request.body = body.bytes
    request.headers.append(HTTPRequest.Item("Content-Type", "application/json"))
    return request
  }

  /// Returns the continuation for a page that names the address of the next one; the end if it names none.
  ///
  /// Items that this client sends anyway are removed, and so is every item with a key, because a place in a list is stored and shown. If
  /// the client sends keys, an address on another host is refused. A relative address is resolved against `request`, or against the base.
  public func next(_ address: String?, after request: HTTPRequest? = nil) throws -> Continuation {
    guard let address else { return .end }
    return .token(try following(address, from: request?.address).shown)
  }

  /// Returns the request for the next page, from a token of `next(_:)`.
  public func request(following token: String) throws -> HTTPRequest {
    var request = request()
    request.address = try following(token)
    if request.address.origin == base.origin { request.address.hidden = base.hidden }
    return request
  }

  private func following(_ text: String, from current: WebAddress? = nil) throws -> WebAddress {
    let keys = request().hidden.map { $0.reveal() }
    guard var address = (current ?? base).resolving(text)?.withoutSession,
      address.origin == base.origin || keys.isEmpty && !isLoggedIn
    else {
      throw SourceError(.malformed, "the next page is on another host")
    }
    guard !PercentEncoding.decode(address.path).contains(Secret.mask) else {
      throw SourceError(.malformed, "the next page's address holds a key")
    }
    // The hidden items of a relative address are those of the base, which are added again when it is followed.
    address.hidden = []
    let own = Set(credentials.map(\.name) + base.hiddenNames)
    address.items = address.items.filter { item in
      let (name, value) = item.decoded
      // A text is not searched for a short key, but here the whole value of an item is compared.
      return !item.text.isEmpty && !own.contains(name) && !value.contains(Secret.mask) && !keys.contains(value)
    }
    return address
  }
}

extension Value {
  /// The message in what a service says of an error, by the names that services use; the most telling one comes first.
  fileprivate var message: String? {
    switch self {
    case .text(let text): text
    case .list(let values): values.first?.message
    case .object(let members):
      ["message", "detail", "error_description", "error", "errors", "title"].lazy
        .compactMap { name in members.first { $0.name == name }?.value.message }.first
    default: nil
    }
  }
}

extension JSON {
  /// The error that this object tells of in place of rows: its member `error` or `errors` has something in it. Nil for any other value.
  package var toldError: SourceError? {
    let told = ["error", "errors", "Error"].lazy.compactMap { self[$0]?.value }.first {
      ![.null, .bool(false), .int(0), .text(""), .list([]), .object([])].contains($0)
    }
    return told.map { told in
      let said = value.message ?? String(decoding: told.bytes, as: UTF8.self)
      return SourceError(.malformed, "the service says: \(Printable.clean(String(said.trimmingSpaces.prefix(300))))")
    }
  }
}
