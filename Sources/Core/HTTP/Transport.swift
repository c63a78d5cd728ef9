/// Sends one request and gives its answer, whatever its status.
///
/// A transport performs and nothing else: it follows no redirect, repeats nothing and remembers nothing. It throws
/// `SourceError` of kind `unreachable` (no connection), `interrupted` (the connection was lost), `timedOut`,
/// `truncated` (the body is shorter than announced) or `malformed` (the body is over the limit), and
/// `CancellationError` when the task is cancelled, at once.
public protocol Transport: Sendable {
  func send(_ request: HTTPRequest) async throws -> HTTPResponse
}

/// A step around a transport: it may change the request, send it again, answer by itself or refuse.
public protocol Middleware: Sendable {
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
