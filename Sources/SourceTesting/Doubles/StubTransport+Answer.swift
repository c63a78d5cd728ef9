public import AggregatorCore

extension StubTransport {
  /// What comes back for a request: a response, or what went wrong instead.
  public enum Answer: Sendable {
    case response(HTTPResponse)
    case failure(SourceError)

    /// A response of that status.
    public static func status(_ status: Int, _ headers: KeyValuePairs<String, String> = [:], body: String = "") -> Answer {
      .response(HTTPResponse(status: status, headers: headers.map { .init($0.key, $0.value) }, body: Array(body.utf8)))
    }

    /// A success with this document.
    public static func json(_ document: String) -> Answer {
      status(200, ["Content-Type": "application/json"], body: document)
    }

    func response() throws -> HTTPResponse {
      switch self {
      case .response(let response): return response
      case .failure(let error): throw error
      }
    }
  }
}
