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
