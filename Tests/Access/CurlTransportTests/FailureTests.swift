import AggregatorCore
import SourceTesting
import Testing

/// Failures on the way, and their messages. Every request here carries secrets, and no error may show one.
@Suite(.timeLimit(.minutes(30))) struct FailureTests {
  init() { World.prepare() }

  /// The error of a request with secrets to `address`.
  private func failure(
    _ way: Way, at address: WebAddress, _ change: (inout HTTPRequest) -> Void = { _ in }
  ) async throws -> SourceError { try await failure(of: way.transport(), at: address, change) }

  private func failure(
    of transport: any Transport, at address: WebAddress, _ change: (inout HTTPRequest) -> Void = { _ in }
  ) async throws -> SourceError {
    var request = HTTPRequest(.get, address, query: [.init("api_key", .secret(Secret("s3cret")))])
    request.headers = [.init("X-Key", .secret(Secret("s3cret")))]
    change(&request)
    let sent = request
    let error = try #require(await #expect(throws: SourceError.self) { try await transport.send(sent) })
    #expect(!"\(error)\(String(reflecting: error))\(error.message)".contains("s3cret"))
    #expect(!"\(error)".contains("api_key"))
    return error
  }

  /// The error of a request that `server` never answers, and the total time limit of that request in milliseconds.
  ///
  /// If the machine is so busy that the time was over before the connection was made, a longer limit is tried.
  private func unanswered(
    by server: StandInServer, to transport: any Transport, _ change: (inout HTTPRequest) -> Void = { _ in }
  ) async throws -> (SourceError, milliseconds: Int) {
    var milliseconds = 300
    while true {
      let error = try await failure(of: transport, at: server.address()) {
        change(&$0)
        $0.limits.total = .milliseconds(milliseconds)
      }
      if error.kind != .unreachable || milliseconds > 60_000 { return (error, milliseconds) }
      milliseconds *= 4
    }
  }

  private func address(_ text: String) throws -> WebAddress { try #require(WebAddress(text)) }

  @Test(
    "a body over the limit is malformed, with or without an announced length", arguments: Way.allCases,
    ["Content-Length: 3000000", "Connection: close"])
  func overLimit(_ way: Way, header: String) async throws {
    let server = try StandInServer {
      _ = $0.request()
      $0.send("HTTP/1.1 200 OK\r\n\(header)\r\n\r\n")
      $0.send([UInt8](repeating: 65, count: 3_000_000))
    }
    let error = try await failure(way, at: server.address()) { $0.limits.bodyBytes = 2 << 20 }
    #expect(error.kind == .malformed)
    #expect(error.message == "the response is larger than 2 MB")
  }

  @Test("a body of exactly the limit is accepted", arguments: Way.allCases)
  func atLimit(_ way: Way) async throws {
    let transport = way.transport()
    let server = try StandInServer { while $0.request() != nil { $0.answer(bytes: [UInt8](repeating: 65, count: 1000)) } }
    var request = HTTPRequest(.get, try server.address())
    request.limits.bodyBytes = 1000
    #expect(try await transport.send(request).body.count == 1000)
    let error = try await failure(way, at: server.address()) { $0.limits.bodyBytes = 999 }
    #expect(error.message == "the response is larger than 999 bytes")
  }

  @Test("the limit holds for the decoded body", arguments: Way.allCases)
  func bomb(_ way: Way) async throws {
    let transport = way.transport()
    let server = try StandInServer { while $0.request() != nil { $0.answer(headers: "Content-Encoding: gzip\r\n", bytes: Gzip.bomb) } }
    #expect(try await transport.send(HTTPRequest(.get, server.address())).body.count == 1 << 20)
    let error = try await failure(way, at: server.address()) { $0.limits.bodyBytes = 100 << 10 }
    #expect(error.kind == .malformed)
    #expect(error.message == "the response is larger than 100 kB")
  }

  @Test(
    "an endless head is malformed, with many headers or a single one", arguments: Way.allCases,
    [(1_000, 280), (1_000, 1_000), (1_000_000, 1)])
  func endlessHead(_ way: Way, headers: (length: Int, count: Int)) async throws {
    let (length, count) = headers
    let server = try StandInServer {
      _ = $0.request()
      let header = "X-Filler: \(String(repeating: "x", count: length))\r\n"
      $0.send("HTTP/1.1 200 OK\r\n" + String(repeating: header, count: count) + "\r\n")
    }
    let error = try await failure(way, at: server.address())
    #expect(error.kind == .malformed)
    // Of a longer head Foundation only says that it cannot be read.
    if way == .libcurl || count == 280 { #expect(error.message == "the response headers are too long") }
  }

  @Test(
    "a body that is cut short is truncated, even with sizes beyond 32 bits",
    arguments: Way.allCases, ["Content-Length: 10", "Transfer-Encoding: chunked", "Content-Length: 5000000000"])
  func cut(_ way: Way, header: String) async throws {
    let server = try StandInServer {
      _ = $0.request()
      $0.send("HTTP/1.1 200 OK\r\n\(header)\r\n\r\n5\r\nhel")
    }
    let error = try await failure(way, at: server.address()) { $0.limits.bodyBytes = 6_000_000_000 }
    #expect(error.kind == .truncated)
    #expect(error.message == "the response from 127.0.0.1 was cut short")
  }

  @Test("sizes beyond 32 bits are over the limit from the start", arguments: Way.allCases)
  func hugeAnnounced(_ way: Way) async throws {
    let server = try StandInServer {
      _ = $0.request()
      $0.send("HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\n\r\n")
      $0.untilClosed()
    }
    #expect(try await failure(way, at: server.address()).message == "the response is larger than 64 MB")
  }

  @Test("a connection closed or reset without an answer is interrupted", arguments: Way.allCases, [false, true])
  func nothing(_ way: Way, isReset: Bool) async throws {
    let server = try StandInServer {
      _ = $0.request()
      if isReset { $0.reset() }
    }
    let error = try await failure(way, at: server.address())
    #expect(error.kind == .interrupted)
    #expect(error.message.contains("127.0.0.1"))
  }

  @Test("an answer that is not HTTP is malformed", arguments: Way.allCases)
  func notHTTP(_ way: Way) async throws {
    let server = try StandInServer {
      _ = $0.request()
      $0.send("SSH-2.0-OpenSSH_9.2\r\n")
    }
    #expect(try await failure(way, at: server.address()).kind == .malformed)
  }

  @Test("a refused port is unreachable, and the error says so", arguments: Way.allCases)
  func refused(_ way: Way) async throws {
    // No server listens at port 1. The port of a server that has ended may be another test's by now.
    let error = try await failure(way, at: address("http://127.0.0.1:1/"))
    #expect(error.kind == .unreachable)
    #expect(error.message == "cannot reach 127.0.0.1:1: \(way == .libcurl ? "connection refused" : "no connection")")
  }

  @Test("a host that does not resolve is unreachable", arguments: Way.allCases)
  func unresolved(_ way: Way) async throws {
    // If no name server answers, the limit for connecting gives the same error.
    let error = try await failure(way, at: address("http://nowhere.invalid/")) { $0.limits.connect = .milliseconds(500) }
    #expect(error.kind == .unreachable)
    #expect(error.message.contains("nowhere.invalid"))
  }

  @Test("a connection that is not accepted in time is unreachable, not timed out")
  func deaf() async throws {
    let server = try StandInServer(deafTo: 3)
    let error = try await failure(.libcurl, at: server.address()) { $0.limits.connect = .milliseconds(50) }
    #expect(error.kind == .unreachable)
    #expect(error.message == "cannot reach 127.0.0.1:\(server.port): no connection within 50 ms")
    // URLSession does not tell whether a connection was made.
    guard Way.hasURLSession else { return }
    let other = try await failure(.urlSession, at: server.address()) { $0.limits.total = .milliseconds(50) }
    #expect(other.kind == .timedOut)
  }

  @Test(
    "no answer in time is timed out, over a new connection and over a reused one",
    arguments: [(Way.libcurl, false), (.libcurl, true)] + (Way.hasURLSession ? [(.urlSession, false)] : []))
  func noAnswer(_ way: Way, isKept: Bool) async throws {
    let transport = way.transport()
    let server = try StandInServer {
      if isKept, $0.request() != nil { $0.answer() }
      $0.untilClosed()
    }
    if isKept { _ = try await transport.send(HTTPRequest(.get, server.address())) }
    let (error, limit) = try await unanswered(by: server, to: transport)
    #expect(error.kind == .timedOut)
    #expect(error.message == "127.0.0.1 did not answer within \(limit) ms")
    if isKept { #expect(server.connections == 1) }
  }

  @Test("a body that stops coming is timed out, long before the total limit", arguments: Way.allCases)
  func stall(_ way: Way) async throws {
    let server = try StandInServer {
      _ = $0.request()
      $0.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
      $0.untilClosed()
    }
    let error = try await failure(way, at: server.address()) { $0.limits.stall = .milliseconds(50) }
    #expect(error.kind == .timedOut)
    #expect(error.message == "127.0.0.1 sent nothing for 50 ms")
  }

  @Test("the time before the first byte is not a stall, with or without interim answers", arguments: Way.allCases)
  func slowToAnswer(_ way: Way) async throws {
    let transport = way.transport()
    let server = try StandInServer {
      _ = $0.request()
      $0.send("HTTP/1.1 103 Early Hints\r\n\r\n")
      $0.untilClosed()
    }
    let (error, limit) = try await unanswered(by: server, to: transport) { $0.limits.stall = .milliseconds(20) }
    #expect(error.message == "127.0.0.1 did not answer within \(limit) ms")
  }

  @Test(
    "a body that cannot be decoded, or has an encoding that was not asked for, is malformed",
    arguments: Way.allCases, [("gzip", Array("no gzip at all".utf8)), ("br", Gzip.names), ("gzip, br", Gzip.names), ("zstd", Gzip.names)])
  func badEncoding(_ way: Way, encoding: (name: String, body: [UInt8])) async throws {
    let (name, body) = encoding
    let server = try StandInServer { while $0.request() != nil { $0.answer(headers: "Content-Encoding: \(name)\r\n", bytes: body) } }
    #expect(try await failure(way, at: server.address()).kind == .malformed)
  }

  @Test("gzip that is cut at any byte is cut short", arguments: 1..<Gzip.names.count)
  func cutGzip(count: Int) async throws {
    let server = try StandInServer {
      while $0.request() != nil { $0.answer(headers: "Content-Encoding: gzip\r\n", bytes: Array(Gzip.names.prefix(count))) }
    }
    let error = try await failure(.libcurl, at: server.address())
    #expect(error.kind == .truncated)
    #expect(error.message == "the response from 127.0.0.1 was cut short")
  }

  @Test(
    "bytes after the last member of gzip are an error",
    arguments: [
      (Array("more".utf8), .malformed), (Array(Gzip.names.dropLast()), .truncated), ([UInt8](repeating: 7, count: 100_000), .malformed),
      ([0x1F], .truncated), ([0x1F, 0x8B], .truncated), ([0, 7], .malformed), ([UInt8](repeating: 0, count: 100_000) + [7], .malformed),
      ([0] + Gzip.names, .malformed),
    ] as [([UInt8], SourceError.Kind)])
  func afterGzip(rest: [UInt8], kind: SourceError.Kind) async throws {
    // In one piece, and in two.
    let server = try StandInServer { connection in
      while let request = connection.request() {
        guard request.target.hasPrefix("/pieces") else {
          connection.answer(headers: "Content-Encoding: gzip\r\n", bytes: Gzip.names + rest)
          continue
        }
        connection.answer(headers: "Content-Encoding: gzip\r\n", chunks: [Gzip.names, rest])
      }
    }
    for path in ["/", "/pieces"] {
      #expect(try await failure(.libcurl, at: server.address(path)).kind == kind, "\(path)")
    }
  }

  @Test("the limit holds for all members of gzip together")
  func bombs() async throws {
    let server = try StandInServer {
      while $0.request() != nil { $0.answer(headers: "Content-Encoding: gzip\r\n", bytes: Gzip.bomb + Gzip.bomb) }
    }
    let error = try await failure(.libcurl, at: server.address()) { $0.limits.bodyBytes = 3 << 19 }
    #expect(error.kind == .malformed)
    #expect(error.message.hasPrefix("the response is larger than"))
  }

  static let injections: [(what: String, texts: [String], put: @Sendable (String, inout HTTPRequest) -> Void)] = [
    (
      "value", ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\0b", "a\u{7F}"],
      { $1.headers.append(.init("X-Name", .secret(Secret("s3cret" + $0)))) }
    ),
    ("name", ["", "a b", "a:b", "a\r\nb", "é"], { $1.headers.append(.init($0, "1")) }),
    ("path", ["/a b", "/a\0b", "/a\r\nHost: evil", "/a HTTP/1.1\r\n\r\nGET /b"], { $1.address.path = $0 }),
  ]

  @Test("a text that is not a valid header value, header name or path is refused", arguments: Way.allCases, injections.map(\.what))
  func injection(_ way: Way, what: String) async throws {
    let server = try StandInServer { while $0.request() != nil { $0.answer() } }
    for (_, texts, put) in Self.injections.filter({ $0.what == what }) {
      for text in texts { #expect(try await failure(way, at: server.address()) { put(text, &$0) }.kind == .badRequest, "\(text)") }
    }
    #expect(server.connections == 0)
  }
}
