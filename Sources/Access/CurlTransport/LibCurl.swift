public import AggregatorCore
import CCurl

/// HTTP on the system's libcurl.
///
/// ```swift
/// let transport = LibCurl(userAgent: "aggregator/1.0 (+https://example.org)")
/// let response = try await transport.send(HTTPRequest(.get, address))
/// ```
///
/// The first request opens the library and starts one thread. That thread drives all requests of this transport, however many are
/// under way, and reuses their connections. Proxies come from the usual variables (`https_proxy`, `no_proxy`, …). A body arrives
/// decoded, with the headers as they were sent. When the transport is freed, its thread ends and requests under way are cancelled.
///
/// In addition to the errors of `Transport`, `send` throws `badRequest` for a request
/// that cannot be sent exactly as it is, such as one with a line break in a header.
public final class LibCurl: Transport {
  let engine: Engine

  /// - Parameter userAgent: The value of `User-Agent` in requests that set none.
  public convenience init(userAgent: String) { self.init(userAgent: userAgent, opening: Self.open) }

  init(userAgent: String, opening: @escaping @Sendable () throws(SourceError) -> Void) {
    engine = Engine(userAgent: userAgent, opening: opening)
  }

  deinit { engine.stop() }

  public func send(_ request: HTTPRequest) async throws -> HTTPResponse { try await engine.send(request) }

  private static func open() throws(SourceError) {
    // The text is a literal in the C target, and never freed.
    if let problem = ccurl_open() { throw missing(String(cString: problem)) }
  }

  static func missing(_ problem: String) -> SourceError {
    #if os(Linux)
      SourceError(.noTransport, problem, remedy: problem.hasSuffix("not installed") ? "type apt-get install libcurl4" : nil)
    #else
      SourceError(.noTransport, problem)
    #endif
  }

  /// Throws if the system gives no more threads.
  ///
  /// A request takes a thread of its own, and waiting for it takes threads of Swift's pool. The pool
  /// never reports that it gets none: it tries for ever. So a caller checks before it asks a service.
  public static func checkThreads() throws {
    guard ccurl_can_start_threads(6) else {
      throw SourceError(
        .noTransport, "cannot start another thread",
        remedy: .advice("allow more processes with 'ulimit -u'").or(.give(["offline"], "to ask no service")))
    }
  }
}
