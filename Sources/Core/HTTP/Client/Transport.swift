import Synchronization

/// Sends one request and returns its response, whatever its status. It follows no redirects, repeats nothing and remembers nothing.
///
/// Throws `SourceError` of kind `unreachable` (no connection), `interrupted` (the connection was lost), `timedOut`, `truncated` (the body
/// is shorter than announced) or `malformed` (the body is over the limit). Throws `CancellationError` at once when the task is cancelled.
public protocol Transport: Sendable {
  /// Returns the response to one request, with its body read to the end.
  func send(_ request: HTTPRequest) async throws -> HTTPResponse
}

/// A step around a transport: it may change the request, send it again, answer it or refuse it.
public protocol Middleware: Sendable {
  /// Returns the response to a request; `next` is the transport that this step is around.
  func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse
}

extension Transport {
  /// Returns this transport with `middlewares` around it, the first outermost.
  public func through(_ middlewares: [any Middleware]) -> any Transport {
    middlewares.reversed().reduce(self as any Transport) { Layered(middleware: $1, inner: $0) }
  }
}

private struct Layered: Transport {
  let middleware: any Middleware
  let inner: any Transport

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    try await middleware.send(request, through: inner)
  }
}

/// Emits an event for every request that really goes out, and for its response or error.
public struct EventMiddleware: Middleware {
  let clock: any Timekeeper

  /// A middleware with the clock that measures how long a response took.
  public init(clock: any Timekeeper = SystemTime()) { self.clock = clock }

  public func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    Event.emit(.requestSent(request))
    let start = clock.now
    do {
      let response = try await next.send(request)
      Event.emit(.responseReceived(request, response, took: clock.now - start))
      return response
    } catch let error as SourceError {
      Event.emit(.requestFailed(request, error, took: clock.now - start))
      throw error
    }
  }
}

/// Counts the requests that go out, and limits their number.
public final class RequestCap: Middleware {
  private let limit: Int?
  private let sent = Mutex(0)

  /// A cap of `limit` requests; nil only counts them.
  public init(_ limit: Int? = nil) { self.limit = limit }

  /// The number of requests that went out.
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
  /// The limit on the number of requests was reached.
  public static let requestsSpent = Self("requests-spent", isTransient: false, mayFallBack: false)
}
