import Synchronization

/// Counts the requests that go out, and lets no more than so many.
public final class RequestCap: Middleware {
  private let limit: Int?
  private let sent = Mutex(0)

  public init(_ limit: Int? = nil) { self.limit = limit }

  /// How many went out.
  public var count: Int { sent.withLock { $0 } }

  public func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    let isFree = sent.withLock { sent in
      if let limit, sent >= limit { return false }
      sent += 1
      return true
    }
    guard isFree else { throw SourceError(.requestsSpent, "the request limit was reached") }
    return try await next.send(request)
  }
}

extension SourceError.Kind {
  /// The caller allowed no more requests.
  public static let requestsSpent = Self("requests-spent", isTransient: false, mayFallBack: false)
}
