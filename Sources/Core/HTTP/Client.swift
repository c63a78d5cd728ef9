/// A service: where its paths begin and what every request to it carries.
public struct Client: Sendable {
  public let base: WebAddress
  private let transport: any Transport
  /// What every request carries in its query.
  let credentials: [HTTPRequest.Item]
  let headers: [HTTPRequest.Item]
  private let clock: any Timekeeper

  public init(
    _ base: WebAddress, over transport: any Transport, query: [HTTPRequest.Item] = [], headers: [HTTPRequest.Item] = [],
    clock: any Timekeeper = SystemTime()
  ) {
    self.base = base
    self.transport = transport
    self.credentials = query
    self.headers = headers
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
    return request
  }

  /// The answer, whatever its status.
  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    try await transport.send(request)
  }

  /// The error that the answer's status means; nil when it is a success.
  public func trouble(in response: HTTPResponse) -> SourceError? { response.trouble(at: clock.now) }
}

extension HTTPResponse {
  /// The body as JSON.
  public func json() throws -> JSON {
    // Reading takes its time, and nobody waits for it any more.
    try Deadline.check()
    do {
      return try JSON(body)
    } catch var error as SourceError {
      error.attempts = attempts
      error.mayRepeat = mayRepeat
      throw error
    }
  }
}
