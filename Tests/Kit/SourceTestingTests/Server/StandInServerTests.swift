import AggregatorCore
import CurlTransport
import SourceTesting
import Testing

@Suite(.timeLimit(.minutes(30))) struct StandInServerTests {
  private let transport = LibCurl(userAgent: "aggregator")
  private let body = Array("hello".utf8)

  @Test("a stand-in server answers whole and in chunks over one connection, and logs the requests and their times")
  func answers() async throws {
    let clock = TestClock()
    let server = try StandInServer(clock: clock) { [body] in
      while let request = $0.request() { request.target == "/chunks" ? $0.answer(chunks: [body, body]) : $0.answer(request.line) }
    }
    #expect(try await transport.send(HTTPRequest(.get, server.address("/a?b=c"))).text == "GET /a?b=c HTTP/1.1")
    clock.advance(by: .seconds(7))
    #expect(try await transport.send(HTTPRequest(.get, server.address("/chunks"))).text == "hellohello")
    #expect(server.connections == 1)
    #expect(server.requests.map(\.target) == ["/a?b=c", "/chunks"])
    #expect(server.requests.map { $0.at - TestClock.start } == [.zero, .seconds(7)])
    #expect(server.requests.first?["user-agent"] == "aggregator")
  }

  @Test("an answer waits for the turnstile, chunk by chunk and byte by byte", arguments: [false, true])
  func waits(isDripping: Bool) async throws {
    let turnstile = Turnstile()
    let server = try StandInServer { [body] in
      while $0.request() != nil {
        isDripping ? $0.answer(dripping: body, through: turnstile) : $0.answer(chunks: body.map { [$0] }, through: turnstile)
      }
    }
    var request = HTTPRequest(.get, try server.address())
    request.limits.stall = .milliseconds(50)
    let late = request
    let error = try await transport.failure(late)
    #expect(error?.message == "127.0.0.1 sent nothing for 50 ms")
    turnstile.open()
    #expect(try await transport.send(HTTPRequest(.get, server.address())).text == "hello")
  }

  @Test("a turnstile lets as many bytes of an answer pass as were admitted")
  func admits() async throws {
    let turnstile = Turnstile()
    let server = try StandInServer { [body] in
      while $0.request() != nil { $0.answer(dripping: body, through: turnstile) }
    }
    turnstile.admit(5)
    #expect(try await transport.send(HTTPRequest(.get, server.address())).text == "hello")
  }

  @Test("a stand-in server cuts an answer short, and resets a connection")
  func breaks() async throws {
    let server = try StandInServer { [body] in
      if $0.request()?.target == "/cut" { $0.answer(cutting: body, after: 3) } else { $0.reset() }
    }
    let cut = try await transport.failure(HTTPRequest(.get, server.address("/cut")))
    #expect(cut?.kind == .truncated)
    let reset = try await transport.failure(HTTPRequest(.get, server.address()))
    #expect(reset?.kind == .interrupted)
  }

  @Test("a stand-in server closes its port and every connection when it ends")
  func stops() async throws {
    var server: StandInServer? = try StandInServer {
      while $0.request() != nil { $0.untilClosed() }
    }
    let address = try #require(try server?.address())
    let asked = Task { [transport] in try await transport.send(HTTPRequest(.get, address)) }
    while server?.requests.isEmpty == true { await Task.yield() }
    server = nil
    let error = await #expect(throws: SourceError.self) { try await asked.value }
    #expect(error?.kind == .interrupted)
    let next = try await transport.failure(HTTPRequest(.get, address))
    #expect(next?.kind == .unreachable)
  }
}

@Suite(.timeLimit(.minutes(30))) struct FixtureServerTests {
  private let transport = LibCurl(userAgent: "aggregator")

  @Test("a stand-in server serves a recording of any host, in the recorded order, to any key")
  func serves() async throws {
    var failed = try Exchange("https://ports.example/api/gone", HTTPResponse(status: 0))
    failed.failure = SourceError(.interrupted, "the connection was lost")
    let server = try StandInServer(
      serving: Fixture(
        "ports.har",
        exchanges: [
          Exchange(
            "https://ports.example/api/ports?key=KEY&offset=0", HTTPResponse("slow down", status: 429, headers: ["Retry-After": "3"])),
          Exchange("https://ports.example/api/ports?offset=0&key=KEY", HTTPResponse("[1]")), failed,
          Exchange("https://ports.example/api/in", HTTPResponse("taken"), method: "POST", body: Array(#"{"a":1,"b":2}"#.utf8)),
        ]))
    let key = [HTTPRequest.Item("key", .secret(Secret("s3cret")))]
    let request = HTTPRequest(.get, try server.address("/api/ports?offset=0"), query: key)
    let first = try await transport.send(request)
    #expect(first.status == 429)
    #expect(first[header: "retry-after"] == "3")
    #expect(try await transport.send(request).text == "[1]")
    var post = HTTPRequest(.post, try server.address("/api/in"))
    post.body = Array(#"{"b":2,"a":1}"#.utf8)
    #expect(try await transport.send(post).text == "taken")
    let lost = try await transport.failure(HTTPRequest(.get, server.address("/api/gone")))
    #expect(lost?.kind == .interrupted)

    let unmatched = try await transport.send(request)
    #expect(unmatched.status == 501)
    #expect(unmatched.text.contains("was recorded 2 times but requested again"))
    #expect(!unmatched.text.contains("s3cret"))
  }
}
