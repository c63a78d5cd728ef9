import AggregatorCore
import SourceTesting
import Testing

@Suite("A client")
struct ClientTests {
  private let clock = TestClock.leaping
  private let key = Secret("s3cr3t")

  private func client(_ base: String = "http://a/api/", over transport: StubTransport) throws -> Client {
    let address = try #require(WebAddress(base))
    return Client(
      address, over: transport, query: [.init("api_key", .secret(key)), .init("format", "json")], headers: [.init("Accept", "text/plain")],
      clock: clock)
  }

  @Test("a client asks below its base, with the items of every request first", arguments: ["http://a/api", "http://a/api/"])
  func request(base: String) async throws {
    let transport = StubTransport(playing: .json("[]"))
    _ = try await client(base, over: transport).json("characters/4005/", ["offset": "20", "filter": "name:a b"])
    let request = try #require(transport.requests.first)
    #expect(request.wireAddress.description == "http://a/api/characters/4005/?api_key=s3cr3t&format=json&offset=20&filter=name%3Aa%20b")
    #expect(request.description == "GET http://a/api/characters/4005/?api_key=•••&format=json&offset=20&filter=name%3Aa%20b")
    #expect(request.wireHeaders.map(\.name) == ["Accept"])
    #expect(request.resource == "characters")
  }

  @Test("a client asks the base itself when the path is empty")
  func base() async throws {
    let transport = StubTransport(playing: .json("[]"))
    _ = try await client("http://a/list.json", over: transport).json()
    #expect(transport.requests.first?.wireAddress.path == "/list.json")
  }

  @Test(
    "a client takes any status but success as the error that HTTP defines",
    arguments: [
      (300, SourceError.Kind.malformed), (304, .malformed), (400, .badRequest), (401, .refusedKey), (403, .refusedKey),
      (404, .noSuchAddress),
      (408, .timedOut), (410, .noSuchAddress), (418, .badRequest), (420, .throttled), (429, .throttled), (500, .unavailable),
      (503, .unavailable),
    ])
  func statuses(status: Int, kind: SourceError.Kind) async throws {
    let transport = StubTransport(playing: .status(status, body: "[]"))
    await #expect { try await client(over: transport).json() } throws: { ($0 as? SourceError)?.kind == kind }
  }

  @Test(
    "a client takes a body that is not JSON as malformed, never as empty",
    arguments: ["", "<html>", "{", "null null", "\u{FEFF}\u{FEFF}[]"])
  func malformed(body: String) async throws {
    let transport = StubTransport(playing: .status(200, body: body))
    await #expect { try await client(over: transport).json() } throws: {
      guard let error = $0 as? SourceError else { return false }
      return [.malformed, .truncated].contains(error.kind)
    }
  }

  @Test("headers are found whatever their case")
  func headers() {
    let response = HTTPResponse(status: 200, headers: [.init("content-TYPE", "a"), .init("Content-Type", "b")])
    #expect(response[header: "Content-Type"] == "a")
    #expect(response[header: "Missing"] == nil)
  }

  @Test("a client avoids an unreachable host in its world, without spending its budget")
  func world() async throws {
    let base = Setting("BASE_URL", .address, "where", default: "http://a/")
    let transport = StubTransport { _, index in
      if index == 0 { throw SourceError(.unreachable, "no such host") }
      return HTTPResponse(status: 200, body: Array("[]".utf8))
    }
    var world = World(settings: Settings(declared: [base]), transport: transport)
    let still = TestClock()
    world.clock = still
    let client = try world.client(base, budget: Budget([.init(2, per: .seconds(3600))]))
    for _ in 0..<5 { _ = try? await client.json() }
    #expect(transport.requests.count == 1)
    still.advance(by: .seconds(31))
    _ = try await client.json()
    #expect(transport.requests.count == 2)
  }

  @Test("a budget counts every attempt and every redirect")
  func budget() async throws {
    let transport = StubTransport { _, index in
      HTTPResponse(status: [503, 302, 200][index % 3], headers: [.init("Location", "/b"), .init("Retry-After", "0")])
    }
    let layers: [any Middleware] = [
      RedirectMiddleware(),
      BudgetMiddleware(Budget([.init(2, per: .seconds(9))]), scope: "a", keeper: RequestsInMemory(), clock: clock),
    ]
    let client = Client(try HTTPRequest.to("http://a/").address, over: transport.through(layers), clock: clock)
    let response = try await Patience.usual.trying(clock: clock, dice: SystemDice()) { try await client.answer(to: client.request()) }
    #expect(response.status == 200)
    #expect(clock.waits == [.zero, .seconds(9)])
  }

  @Test("a budget for each resource counts the resources apart, one for the host counts them together")
  func resources() async throws {
    let transport = StubTransport { _, _ in HTTPResponse(status: 200) }
    let budget = Budget([.init(1, per: .seconds(20), for: .resource), .init(2, per: .seconds(5))])
    let layered = transport.through([BudgetMiddleware(budget, scope: "a", keeper: RequestsInMemory(), clock: clock)])
    for resource in ["x", "y", "z", "x"] {
      var request = try HTTPRequest.to("http://a/")
      request.resource = resource
      _ = try await layered.send(request)
    }
    #expect(clock.waits == [.seconds(5), .seconds(15)])
  }

  @Test("requests, answers and failures are told, with the time they took")
  func events() async throws {
    let recorder = EventRecorder()
    let still = TestClock()
    let transport = StubTransport { _, index in
      still.advance(by: .seconds(2))
      if index == 1 { throw SourceError(.interrupted, "lost") }
      return HTTPResponse(status: 200)
    }.through([EventMiddleware(clock: still)])
    let request = try HTTPRequest.to("http://a/")
    await recorder.listen {
      _ = try? await transport.send(request)
      _ = try? await transport.send(request)
    }
    #expect(
      recorder.events == [
        .requestSent(request), .responseReceived(request, HTTPResponse(status: 200), took: .seconds(2)), .requestSent(request),
        .requestFailed(request, SourceError(.interrupted, "lost"), took: .seconds(2)),
      ])
  }

  @Test("a request beyond the limit is not told, and uses nothing of a budget")
  func capped() async throws {
    let (recorder, still, cap) = (EventRecorder(), TestClock(), RequestCap(1))
    let budget = BudgetMiddleware(Budget([.init(1, per: .seconds(9))]), scope: "a", keeper: RequestsInMemory(), clock: still)
    let transport = StubTransport { _, _ in HTTPResponse(status: 200) }
    let layered = transport.through([cap, budget, EventMiddleware(clock: still, counting: cap)])
    let request = try HTTPRequest.to("http://a/")
    await recorder.listen {
      _ = try? await layered.send(request)
      await #expect(throws: SourceError(.requestsSpent, "the request limit was reached")) { try await layered.send(request) }
    }
    #expect(transport.requests.count == 1 && cap.count == 1 && still.waits == [])
    #expect(recorder.events.count { if case .requestSent = $0 { true } else { false } } == 1)
  }

  @Test("the first middleware is the outermost")
  func order() async throws {
    struct Tag: Middleware {
      let name: String
      func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
        var request = request
        request.resource += name
        return try await next.send(request)
      }
    }
    let transport = StubTransport(playing: .json("[]"))
    _ = try await transport.through([Tag(name: "a"), Tag(name: "b")]).send(.to("http://a/"))
    #expect(transport.requests.first?.resource == "ab")
  }
}

@Suite("The address of a next page")
struct ClientNextTests {
  private let transport = StubTransport { _, _ in HTTPResponse(status: 200) }

  private func client() throws -> Client {
    Client(try #require(WebAddress("https://a.example/api/")), over: transport, query: [.init("key", .secret(Secret("k1")))])
  }

  @Test("the address of a next page is kept without the key that the service repeats in it")
  func scrubbed() throws {
    #expect(try client().next("https://a.example/api/ports?key=k1&after=3") == .token("https://a.example/api/ports?after=3"))
    #expect(try client().next("ports?key=k1") == .token("https://a.example/api/ports"))
    #expect(try client().next(nil) == .end)
  }

  @Test("a next page is asked for with the key, marked as one")
  func asked() throws {
    let request = try client().request(following: "https://a.example/api/ports?after=3")
    #expect(request.wireAddress.shown == "https://a.example/api/ports?after=3&key=k1")
    #expect(!request.description.contains("k1"))
  }

  @Test(
    "the address of a next page on another host is refused",
    arguments: ["https://b.example/", "//b.example/ports", "http://a.example/api/", "javascript:x"])
  func foreign(address: String) { #expect(throws: SourceError.self) { try client().next(address) } }
}

extension HTTPRequest {
  /// A request for the address `address`.
  static func to(_ address: String, _ method: Method = .get, query: [Item] = [], isRepeatable: Bool? = nil) throws -> HTTPRequest {
    guard let address = WebAddress(address) else { throw SourceError(.settings, "\(address) is no address") }
    return HTTPRequest(method, address, query: query, isRepeatable: isRepeatable)
  }
}
