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
  let cap: RequestCap?

  /// A middleware with the clock that measures how long a response took. The `cap` counts the request, and may refuse it.
  public init(clock: any Timekeeper = SystemTime(), counting cap: RequestCap? = nil) { (self.clock, self.cap) = (clock, cap) }

  public func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    try cap?.take()
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

/// Counts the requests that go out, and limits their number. As a middleware it refuses a request as soon as the limit is reached, before the
/// steps inside it wait or note anything.
public final class RequestCap: Middleware {
  private let limit: Int?
  private let sent = Mutex(0)

  /// A cap of `limit` requests; nil only counts them.
  public init(_ limit: Int? = nil) { self.limit = limit }

  /// The number of requests that went out.
  public var count: Int { sent.withLock { $0 } }

  public func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    if let limit, count >= limit { throw Self.isReached }
    return try await next.send(request)
  }

  /// Counts one more request; throws if the limit is reached.
  func take() throws {
    try sent.withLock { sent in
      if let limit, sent >= limit { throw Self.isReached }
      sent += 1
    }
  }

  private static var isReached: SourceError { SourceError(.requestsSpent, "the request limit was reached") }
}
