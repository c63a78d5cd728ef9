import SourceTesting
import Testing

@testable import AggregatorCore

@Suite("Redirects")
struct RedirectMiddlewareTests {
  private let key = Secret("k3y/+é")

  private func send(_ request: HTTPRequest, over transport: StubTransport) async throws -> HTTPResponse {
    try await transport.through([RedirectMiddleware()]).send(request)
  }

  private func keyed(_ address: String) throws -> HTTPRequest {
    try .to(address, query: [.init("api_key", .secret(key)), .init("q", "x y")])
  }

  @Test("five redirects are followed, six are not")
  func most() async throws {
    let five = StubTransport { _, index in
      index < 5 ? HTTPResponse(status: 302, headers: [.init("Location", "/\(index)")]) : HTTPResponse(status: 200)
    }
    #expect(try await send(.to("http://a/"), over: five).status == 200)
    #expect(five.requests.count == 6)
    let six = StubTransport { _, index in HTTPResponse(status: 302, headers: [.init("Location", "/\(index)")]) }
    await #expect { try await send(.to("http://a/"), over: six) } throws: { ($0 as? SourceError)?.kind == .malformed }
    #expect(six.requests.count == 6)
  }

  @Test(
    "a redirect leads where it says",
    arguments: [
      ("http://a/c", "http://a/c"), ("/c?x=1", "http://a/c?x=1"), ("c", "http://a/b/c"), ("?flag", "http://a/b/f?flag"),
      ("//z/", "http://z/"), ("?a=b+c&d", "http://a/b/f?a=b+c&d"),
    ])
  func target(location: String, address: String) async throws {
    let transport = StubTransport(playing: .status(301, ["location": location]), .json("[]"))
    _ = try await send(.to("http://a/b/f?old"), over: transport)
    #expect(transport.requests.last?.wireAddress.description == address)
  }

  @Test("a redirect without a Location, or a Location with another status, is an ordinary answer", arguments: [301, 300, 304, 306])
  func noRedirect(status: Int) async throws {
    let transport = StubTransport(playing: .status(status, status == 301 ? [:] : ["Location": "/c"]))
    #expect(try await send(.to("http://a/"), over: transport).status == status)
  }

  @Test("a redirect to an address that the transport cannot ask is the service's fault; such a first address is the caller's")
  func unknown() async throws {
    let odd = SourceError(.badRequest, "invalid address")
    let transport = StubTransport(playing: .status(302, ["Location": "http://b/"]), .failure(odd))
    await #expect { try await send(.to("http://a/"), over: transport) } throws: { ($0 as? SourceError)?.kind == .malformed }
    await #expect(throws: odd) { try await send(.to("http://a/"), over: StubTransport(playing: .failure(odd))) }
  }

  @Test(
    "a redirect that leaves the web is not followed",
    arguments: ["file:///etc/passwd", #"http://a\b/"#, "http://[v1.x]/", "http://\u{FFFD}/", "http://a:1:2/"])
  func nowhere(location: String) async throws {
    let transport = StubTransport(playing: .status(302, ["Location": location]))
    await #expect { try await send(.to("http://a/"), over: transport) } throws: { ($0 as? SourceError)?.kind == .malformed }
  }

  @Test(
    "a redirect turns a POST into a GET where HTTP says so",
    arguments: [(301, true), (302, true), (303, true), (307, false), (308, false)])
  func method(status: Int, becomesGet: Bool) async throws {
    let transport = StubTransport(playing: .status(status, ["Location": "/c"]), .json("[]"))
    var request = try HTTPRequest.to("http://a/", .post)
    request.body = [1, 2, 3]
    _ = try await send(request, over: transport)
    #expect(transport.requests.last?.method == (becomesGet ? .get : .post))
    #expect(transport.requests.last?.body == (becomesGet ? nil : [1, 2, 3]))
  }

  @Test("a redirect carries no secret to another scheme, host or port", arguments: ["https://a/", "http://b/", "http://a:81/", "//b/"])
  func secretStays(location: String) async throws {
    for request in [try keyed("http://a/"), try withHeader("http://a/")] {
      let transport = StubTransport(playing: .status(302, ["Location": location]))
      await #expect { try await send(request, over: transport) } throws: { error in
        (error as? SourceError)?.kind == .unsafeRedirect && !"\(error)".contains(key.reveal())
      }
      #expect(transport.requests.count == 1)
    }
  }

  private func withHeader(_ address: String) throws -> HTTPRequest {
    var request = try HTTPRequest.to(address)
    request.headers = [.init("X-Key", .secret(key))]
    return request
  }

  @Test("a redirect without a secret may lead to another scheme and host")
  func elsewhere() async throws {
    let transport = StubTransport(playing: .status(302, ["Location": "https://b/"]), .json("[]"))
    #expect(try await send(.to("http://a/"), over: transport).status == 200)
  }

  @Test(
    "a redirect to a web page of another host is told where JSON is expected, and only there",
    arguments: [
      ("http://b/", "<!DOCTYPE html>", true), ("https://a/", "<html>", false), ("http://b/", "{", false), ("/c", " <html>", false),
    ])
  func page(location: String, body: String, isStrange: Bool) async throws {
    let page = HTTPResponse(status: 200, body: Array(body.utf8))
    let transport = StubTransport { _, index in
      index == 0 ? HTTPResponse(status: 302, headers: [.init("Location", location)]) : page
    }
    let response = try await send(.to("http://a/"), over: transport)
    #expect(response.body == page.body)
    #expect { try response.json() } throws: { error in
      let error = error as? SourceError
      return isStrange
        ? error?.kind == .unreachable && error?.message.contains("http://a redirects to http://b") == true
        : error?.kind != .unreachable
    }
  }

  @Test("a redirect to a web page of a host that is named after the key does not show the host's name")
  func strangeName() async throws {
    let transport = StubTransport(
      playing: .status(302, ["Location": "/c"]), .status(302, ["Location": "http://s3cretkey.example/"]),
      .status(200, body: "<html>"))
    let client = Client(
      try #require(WebAddress("http://a/")), over: transport, through: [RedirectMiddleware()],
      query: [.init("api_key", .secret(Secret("s3cretkey")))], headers: [], hiding: [], clock: TestClock())
    await #expect { _ = try await client.json("b") } throws: { error in
      (error as? SourceError)?.kind == .unreachable && !"\(error)".contains("s3cretkey")
    }
  }

  @Test("a redirect within the origin keeps a secret header")
  func headerStays() async throws {
    let transport = StubTransport(playing: .status(302, ["Location": "http://A:80/c"]), .json("[]"))
    _ = try await send(withHeader("http://a/"), over: transport)
    #expect(transport.requests.last?.wireHeaders.map(\.value) == [key.reveal()])
  }

  static let echoes = [
    "/c?api_key=k3y%2F%2B%C3%A9&q=x%20y", "/c?api_key=k3y%2f%2b%c3%a9", "/c/k3y%2F%2B%C3%A9/d", "/c?next=%2Fd%3Fapi_key%3Dk3y%2F%2B%C3%A9",
    "/c?k3y%2F%2B%C3%A9",
  ]

  @Test("a redirect that echoes a secret keeps it marked: sent unchanged, shown as a mask", arguments: echoes)
  func echo(location: String) async throws {
    let transport = StubTransport(playing: .status(302, ["Location": location]), .json("[]"))
    _ = try await send(keyed("http://a/"), over: transport)
    let request = try #require(transport.requests.last)
    #expect(PercentEncoding.decode(request.wireAddress.description) == PercentEncoding.decode("http://a\(location)"))
    #expect(request.secrets.contains(key))
    #expect(request.carriesSecret)
    let shown = PercentEncoding.decode(request.description)
    #expect(shown.contains(Secret.mask))
    #expect(!shown.contains(key.reveal()))
  }

  @Test("a secret that a redirect echoes is not carried to another origin by the next one", arguments: echoes)
  func echoElsewhere(location: String) async throws {
    let transport = StubTransport(playing: .status(302, ["Location": location]), .status(302, ["Location": "http://b/"]))
    await #expect { try await send(keyed("http://a/"), over: transport) } throws: { ($0 as? SourceError)?.kind == .unsafeRedirect }
    #expect(transport.requests.count == 2)
  }

  @Test("the next redirect may lead anywhere after one that dropped the secret")
  func dropped() async throws {
    let transport = StubTransport(playing: .status(302, ["Location": "/c"]), .status(302, ["Location": "http://b/"]), .json("[]"))
    #expect(try await send(keyed("http://a/"), over: transport).status == 200)
  }
}
