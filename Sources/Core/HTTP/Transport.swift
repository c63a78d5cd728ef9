import Synchronization

/// Sends one request and gives its answer, whatever its status; it follows no redirect, repeats nothing and remembers nothing.
///
/// It throws `SourceError` of kind `unreachable` (no connection), `interrupted` (the connection was lost), `timedOut`, `truncated` (the body
/// is shorter than announced) or `malformed` (the body is over the limit), and `CancellationError` when the task is cancelled, at once.
public protocol Transport: Sendable {
  /// The answer to one request, its body read to the end.
  func send(_ request: HTTPRequest) async throws -> HTTPResponse
}

/// A step around a transport: it may change the request, send it again, answer by itself or refuse.
public protocol Middleware: Sendable {
  /// The answer to a request; `next` is what this step stands around.
  func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse
}

extension Transport {
  /// This transport with `middlewares` around it, the first outermost.
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

/// Tells of every request that really goes out, and of what came back.
public struct EventMiddleware: Middleware {
  let clock: any Timekeeper

  /// With the clock by which events tell how long an answer took.
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

/// Counts the requests that go out, and lets no more than so many.
public final class RequestCap: Middleware {
  private let limit: Int?
  private let sent = Mutex(0)

  /// At most `limit` requests; nil only counts.
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
