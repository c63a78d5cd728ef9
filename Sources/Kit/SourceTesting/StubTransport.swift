public import AggregatorCore
import Synchronization

/// A transport that gives the answers of a test, and keeps the requests.
///
/// ```swift
/// let transport = StubTransport(playing: .status(429, ["Retry-After": "3"]), .json("[]"))
/// ```
public final class StubTransport: Transport {
  private let log = Mutex<[HTTPRequest]>([])
  private let answer: @Sendable (HTTPRequest, Int) async throws -> HTTPResponse

  /// Answers each request with `answer`, which also gets the number of requests before it.
  public init(_ answer: @escaping @Sendable (HTTPRequest, Int) async throws -> HTTPResponse) { self.answer = answer }

  /// Gives these answers in order. A request after the last one fails.
  public convenience init(playing answers: Answer...) {
    self.init { request, index in
      guard answers.indices.contains(index) else {
        throw SourceError(.badRequest, "\(request) is request \(index + 1), and the test has \(answers.count) answers")
      }
      return try answers[index].get()
    }
  }

  /// The requests so far, in order.
  public var requests: [HTTPRequest] { log.withLock { $0 } }

  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    try Task.checkCancellation()
    let index = log.withLock { log in
      log.append(request)
      return log.count - 1
    }
    return try await answer(request, index)
  }
}

extension StubTransport {
  /// The answer to a request: a response or an error.
  public typealias Answer = Result<HTTPResponse, SourceError>
}

extension StubTransport.Answer {
  /// Returns a response with this status.
  public static func status(_ status: Int, _ headers: KeyValuePairs<String, String> = [:], body: String = "") -> Self {
    .success(HTTPResponse(status: status, headers: headers.map { .init($0.key, $0.value) }, body: Array(body.utf8)))
  }

  /// Returns a successful response with this JSON document.
  public static func json(_ document: String) -> Self {
    status(200, ["Content-Type": "application/json"], body: document)
  }
}
