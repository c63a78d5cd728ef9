public import AggregatorCore

/// HTTP on the system's libcurl.
///
/// ```swift
/// let transport = LibCurl(userAgent: "aggregator/1.0 (+https://example.org)")
/// let response = try await transport.send(HTTPRequest(.get, address))
/// ```
///
/// The library is opened, and one thread started, by the first request; that thread drives all requests of this
/// transport, however many are under way, and reuses their connections. Proxies are taken from the usual variables
/// (`https_proxy`, `no_proxy`, …). A body arrives decoded, under the headers as they were sent. When the transport
/// goes, its thread ends and what is still under way is cancelled.
///
/// Beyond what `Transport` promises, `send` throws `badRequest` for a request that cannot be put on the wire
/// faithfully, such as one with a line break in a header.
public final class LibCurl: Transport {
  let engine: Engine

  /// - Parameter userAgent: What `User-Agent` says in requests that set none.
  public convenience init(userAgent: String) { self.init(userAgent: userAgent, library: .shared) }

  init(userAgent: String, library: Library) { engine = Engine(userAgent: userAgent, library: library) }

  deinit { engine.stop() }

  public func send(_ request: HTTPRequest) async throws -> HTTPResponse { try await engine.send(request) }
}
