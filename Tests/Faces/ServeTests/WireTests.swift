import AggregatorCore
import Platform
import ScratchFolders
import SourceTesting
import TestServices
import Testing

@testable import Serve

/// The bytes that come over the wire before anything is asked: malformed requests, slow clients, and many of them.
@Suite("The wire", .timeLimit(.minutes(30))) struct WireTests {
  /// A request and the status of the reply; 0 if the connection is closed without one.
  struct Malformed: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    let statuses: Set<Int>
    var testDescription: String { name }

    init(_ name: String, _ text: String, _ statuses: Int...) { (self.name, self.text, self.statuses) = (name, text, Set(statuses)) }
  }

  private static let head = "GET /healthz HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n"

  static let malformed: [Malformed] = [
    Malformed("a sound one", head + "\r\n", 200),
    Malformed("no Host", "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", 400),
    Malformed("no Host in HTTP/1.0", "GET /healthz HTTP/1.0\r\n\r\n", 400),
    Malformed("two Hosts", head + "Host: HOST\r\n\r\n", 400),
    Malformed("another Host", "GET /healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", 421),
    Malformed("a Host with another port", "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:1\r\nConnection: close\r\n\r\n", 421),
    Malformed("a space before the colon", head + "X-A : b\r\n\r\n", 400),
    // The library reads a header up to that byte.
    Malformed("a byte of zero in a header", head + "X-A: b\0c\r\n\r\n", 200, 400),
    Malformed("a control sequence in a header", head + "X-A: b\u{1}c\r\n\r\n", 400),
    Malformed("two lengths", head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 0, 400),
    Malformed("a length and chunks", head + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 0, 400),
    Malformed("a negative length", head + "Content-Length: -1\r\n\r\n", 0, 400),
    Malformed("an unknown encoding of the transfer", head + "Transfer-Encoding: xyz\r\n\r\n", 0, 400, 501),
    Malformed("a length that is no number", head + "Content-Length: 1x\r\n\r\n", 0, 400),
    Malformed("a length beyond every number", head + "Content-Length: 99999999999999999999\r\n\r\n", 0, 400, 413),
    Malformed("a length above the limit", head + "Content-Length: 70000\r\n\r\n", 413),
    Malformed(
      "five hundred headers",
      head + String(repeating: "X-A: 0123456789012345678901234567890123456789012345678901234567890\r\n", count: 500) + "\r\n", 0, 431),
    Malformed("a header of 40 kB", head + "X-A: \(String(repeating: "a", count: 40_000))\r\n\r\n", 0, 431),
    Malformed(
      "an address of 10 kB", "GET /\(String(repeating: "a", count: 10_000)) HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", 414),
    Malformed(
      "an address of 20 kB", "GET /\(String(repeating: "a", count: 20_000)) HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", 0, 414),
    Malformed("a % without digits", "GET /api/ports?text=%zz HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", 400),
    Malformed("a % with one digit", "GET /api/%4 HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", 400),
    Malformed("an encoded zero", "GET /api/ports/records/%00 HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", 400),
    Malformed("bytes that are no text", "GET /api/ports?text=%ff HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", 400),
    Malformed("an address with the host", "GET http://HOST/healthz HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", 200),
    Malformed("an address with the host alone", "GET http://HOST HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", 200),
    Malformed("an address with another host", "GET http://evil.example/healthz HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", 421),
    Malformed("an address of another protocol", "GET ftp://HOST/healthz HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", 404),
    Malformed(
      "five hundred parameters",
      "GET /healthz?\(String(repeating: "where=depth>0", count: 1))\(String(repeating: "&where=depth", count: 500)) HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
      400),
    Malformed(
      "as many parameters as an address has room for",
      "GET /healthz?\(String(repeating: "&a", count: 4_000)) HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", 400),
    Malformed("dots in the path", "GET /../../etc/passwd HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", 404),
    Malformed("an encoded slash", "GET /api%2Fports HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", 404),
    Malformed("a method of its own", "FETCH /healthz HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", 405),
    Malformed("no version", "GET /healthz\r\n\r\n", 0, 400, 505),
    Malformed("no HTTP at all", "\u{16}\u{3}\u{1}\r\n\r\n", 0, 400),
  ]

  @Test("malformed requests are refused or closed", arguments: malformed)
  func refuses(malformed: Malformed) async throws {
    let server = try await TestServer { $0.limits.head = .seconds(2) }
    let text = malformed.text.replacingEach("HOST", with: "127.0.0.1:\(server.port)")
    let bytes = try await server.raw(text)
    let status = RawReply(bytes).status
    #expect(malformed.statuses.contains(status), "\(status): \(String(decoding: bytes.prefix(200), as: UTF8.self))")
    #expect(try await server.ask("/healthz").status == 200)
  }

  @Test(
    "the rest of a refused request is not read as another one",
    arguments: ["Content-Length: 3\r\nTransfer-Encoding: chunked", "Transfer-Encoding: xyz", "Content-Length: 1\r\nContent-Length: 90"])
  func smuggles(headers: String) async throws {
    let server = try await TestServer { $0.limits.head = .seconds(2) }
    let host = "Host: 127.0.0.1:\(server.port)\r\n"
    let text = "GET /healthz HTTP/1.1\r\n\(host)\(headers)\r\n\r\n0\r\n\r\nGET /metrics HTTP/1.1\r\n\(host)Connection: close\r\n\r\n"
    let bytes = try await server.raw(text)
    #expect(!String(decoding: bytes, as: UTF8.self).contains("# EOF"))
  }

  @Test("a client that sends a byte now and then is cut off after the time for a head")
  func cutsDrips() async throws {
    let server = try await TestServer { $0.limits.head = .seconds(2) }
    let client = try server.client()
    client.send("GET /healthz HT")
    #expect(await client.read().isEmpty)
    let slow = try server.client()
    slow.send("POST /api/ports/sync HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nContent-Length: 100\r\n\r\nab")
    #expect(RawReply(await slow.read()).status != 202)
    #expect(try await server.ask("/healthz").status == 200)
  }

  @Test("several requests go over one connection, also those sent before the replies came")
  func keepsConnections() async throws {
    let server = try await TestServer()
    let client = try server.client()
    let host = "Host: 127.0.0.1:\(server.port)\r\n"
    client.send(
      String(repeating: "GET /healthz HTTP/1.1\r\n\(host)\r\n", count: 9) + "GET /healthz HTTP/1.1\r\n\(host)Connection: close\r\n\r\n")
    let text = String(decoding: await client.read(), as: UTF8.self)
    #expect(text.split(separator: "\n").count { $0.hasPrefix("HTTP/1.1 200") } == 10)
  }

  @Test("HEAD gets the head of a walk and nothing after it", arguments: ["", "?format=events", "?format=json"])
  func headOfWalk(words: String) async throws {
    let server = try await TestServer()
    let request = "HEAD /api/ports/walk\(words) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nConnection: keep-alive\r\n\r\n"
    let parts = String(decoding: try await server.raw(request), as: UTF8.self).replacingEach("\r\n\r\n", with: "|").split(
      separator: "|", omittingEmptySubsequences: false)
    #expect(parts.count == 2 && parts[0].hasPrefix("HTTP/1.1 200") && parts[1].isEmpty, "\(parts)")
  }

  @Test("four hundred connections at once are all answered")
  func servesMany() async throws {
    let server = try await TestServer()
    let clients = try (0..<400).map { _ in try server.client() }
    for client in clients {
      client.send("GET /api/ports?limit=2 HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nConnection: close\r\n\r\n")
    }
    for client in clients { #expect(RawReply(await client.read()).status == 200) }
  }

  @Test("a client who leaves ends the work for it")
  func cancelsForThoseWhoLeave() async throws {
    let server = try await TestServer()
    let held = server.services.hold("ports", after: 1)
    let client = try server.client()
    client.send("GET /api/ports/walk HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
    try await held.gate.arrivals(atLeast: 1)
    client.leave()
    await held.cancellations.reach(1)
    server.services.mend("ports")
    #expect(try await server.ask("/api/ports/count").value("count") == .int(10))
  }

  @Test("a server that is told to end lets what runs end, and accepts no more")
  func drains() async throws {
    let server = try await TestServer { $0.limits.drain = .seconds(600) }
    let held = server.services.hold("ports", after: 0)
    let client = try server.client()
    client.send("GET /api/ports?limit=2 HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
    try await held.gate.arrivals(atLeast: 1)
    async let ended: Void = server.end()
    held.gate.open()
    #expect(RawReply(await client.read()).status == 200)
    try await ended
    #expect(throws: RawClient.Refused.self) { try server.client() }
  }

  @Test("a connection that waits for room is accepted once another has closed")
  func acceptsAfterLimit() async throws {
    let server = try await TestServer { $0.limits.connections = 1 }
    let clients = try (0..<3).map { _ in try server.client() }
    for client in clients {
      client.send("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
      #expect(Descriptor.ready([(client.descriptor, POLLIN)], within: 20_000) == [true])
      client.leave()
    }
  }

  @Test("a request that comes while the server ends is refused")
  func refusesAtTheEnd() async throws {
    let (listener, port) = try Listener.socket(at: "127.0.0.1", port: 0)
    let server = try MicroHTTPServer(listeningAt: listener) { _ in }
    let clients = try (0..<2).map { _ in try RawClient(port: port) }
    async let failure = withCheckedContinuation { continuation in
      SystemThread.start {
        continuation.resume(
          returning: server.run { request in
            guard request.target == "/first" else { return .later { Reply(200) } }
            clients[1].send("GET /second HTTP/1.1\r\nHost: a\r\n\r\n")
            server.stop()
            return .now(Reply(200))
          })
      }
    }
    clients[0].send("GET /first HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    #expect(RawReply(await clients[0].read()).status == 200)
    #expect(await failure == nil)
    #expect(RawReply(await clients[1].read()).status == 503)
  }

  @Test("a socket in a file can be used by its owner alone; one that a process left is replaced, and one in use is not")
  func listensAtFiles() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/a.sock"
    let first = try Listener.socket(atFile: path)
    var status = stat()
    stat(path, &status)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(throws: SourceError.self) { try Listener.socket(atFile: path) }
    close(first)
    close(try Listener.socket(atFile: path))
    #expect(throws: SourceError.self) { try Listener.socket(atFile: String(repeating: "a", count: 200)) }
    let file = folder.path + "/own"
    close(open(file, O_CREAT | O_WRONLY, 0o600))
    #expect(throws: SourceError.self) { try Listener.socket(atFile: file) }
    #expect(access(file, F_OK) == 0)
  }
}
