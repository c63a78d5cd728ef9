public import AggregatorCore

/// One recorded request and what came of it.
public struct Exchange: Sendable, Hashable {
  public var request: RecordedRequest
  public var response: HTTPResponse
  /// What went wrong instead of an answer; the response is then empty, of status 0.
  public var failure: SourceError?
  /// When it was sent: a replay runs at this time.
  public var startedAt: Moment
  public var took: Duration

  public init(_ request: RecordedRequest, _ response: HTTPResponse, startedAt: Moment, took: Duration = .zero) {
    self.request = request
    self.response = response
    self.startedAt = startedAt
    self.took = took
  }

  /// A request that was never answered.
  public init(_ request: RecordedRequest, failing failure: SourceError, startedAt: Moment, took: Duration = .zero) {
    self.init(request, HTTPResponse(status: 0), startedAt: startedAt, took: took)
    self.failure = failure
  }
}

/// A request as a recording has it: what went on the wire, its secrets scrubbed.
public struct RecordedRequest: Sendable, Hashable {
  public var method: String
  /// With its query.
  public var address: WebAddress
  public var headers: [HTTPResponse.Header]
  public var body: [UInt8]?

  public init(_ method: String, _ address: WebAddress, headers: [HTTPResponse.Header] = [], body: [UInt8]? = nil) {
    self.method = method
    self.address = address
    self.headers = headers
    self.body = body
  }

  /// The first header of that name, whatever its case.
  public subscript(header name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}
