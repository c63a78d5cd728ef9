import AggregatorCore
import SourceTesting
import Testing

@Suite("A host that could not be reached")
struct ReachabilityMiddlewareTests {
  private let clock = TestClock()
  private let hosts = RequestsInMemory()
  private let down = SourceError(.unreachable, "no such host")

  private func send(_ address: String, over transport: StubTransport) async throws {
    _ = try await transport.through([ReachabilityMiddleware(hosts, clock: clock)]).send(.to(address))
  }

  private func fail() async throws { try? await send("http://a/x", over: StubTransport(playing: .failure(down))) }

  @Test(
    "an unreachable host is left alone for 30 seconds, and the error says why", arguments: [(0, "just now"), (30, "30 s ago"), (31, nil)])
  func window(seconds: Int, when: String?) async throws {
    try await fail()
    clock.advance(by: .seconds(seconds))
    let transport = StubTransport(playing: .json("[]"))
    if let when {
      await #expect { try await send("http://a/y", over: transport) } throws: {
        ($0 as? SourceError)?.kind == .unreachable && ($0 as? SourceError)?.message == "cannot reach a (checked \(when)): no such host"
      }
    } else {
      try await send("http://a/y", over: transport)
    }
    #expect(transport.requests.count == (when == nil ? 1 : 0))
  }

  @Test("tries in between do not prolong the time in which an unreachable host is left alone")
  func notProlonged() async throws {
    try await fail()
    clock.advance(by: .seconds(20))
    try? await send("http://a/", over: StubTransport())
    clock.advance(by: .seconds(11))
    try await send("http://a/", over: StubTransport(playing: .json("[]")))
  }

  @Test("an unreachable host does not block another scheme, host or port", arguments: ["https://a/", "http://b/", "http://a:81/"])
  func origins(address: String) async throws {
    try await fail()
    try await send(address, over: StubTransport(playing: .json("[]")))
  }

  @Test("an unreachable host is asked when a person insists, and an answer makes it reachable again")
  func insistent() async throws {
    try await fail()
    await #expect(throws: SourceError.self) { try await send("http://a/", over: StubTransport(playing: .json("[]"))) }
    try await OriginDemand.with(.service) { try await send("http://a/", over: StubTransport(playing: .json("[]"))) }
    try await send("http://a/", over: StubTransport(playing: .json("[]")))
  }

  @Test(
    "a host gets a little less time for its connection than the deadline leaves, so that its silence is noticed",
    arguments: [(Duration.seconds(3), Duration.milliseconds(2_700)), (.seconds(60), .seconds(10)), (.milliseconds(900), .seconds(10))])
  func deadline(left: Duration, connect: Duration) async throws {
    let transport = StubTransport(playing: .json("[]"))
    let waiting = transport.through([ReachabilityMiddleware(hosts, clock: clock)])
    _ = try await clock.limit(until: clock.now + left) { try await waiting.send(.to("http://a/x")) }
    #expect(transport.requests.map(\.limits.connect) == [connect])
  }

  @Test("an unreachable host is asked if the note about it is from a clock that was ahead")
  func ahead() async throws {
    await hosts.note(down, of: try #require(WebAddress("http://a/")).origin, at: clock.now + .seconds(7_200))
    try await send("http://a/", over: StubTransport(playing: .json("[]")))
  }

  /// Sends a request that is given up after `wait`, by the caller or by the transport.
  private func giveUp(after wait: Duration, byCaller: Bool) async throws {
    let clock = clock
    let silent = StubTransport { _, _ in
      clock.advance(by: wait)
      if byCaller { throw CancellationError() }
      throw SourceError(.timedOut, "timed out")
    }
    try? await send("http://a/x", over: silent)
  }

  @Test("a host that gave no answer for more than seven seconds counts as unreachable", arguments: [true, false])
  func silent(byCaller: Bool) async throws {
    try await giveUp(after: .seconds(8), byCaller: byCaller)
    clock.advance(by: .seconds(5))
    await #expect { try await send("http://a/y", over: StubTransport(playing: .json("[]"))) } throws: {
      let error = $0 as? SourceError
      return error?.kind == .unreachable && error?.message == "cannot reach a (checked 5 s ago): no answer within 8 s"
    }
  }

  @Test("a host is asked again if the request was given up before seven seconds", arguments: [true, false])
  func hasty(byCaller: Bool) async throws {
    try await giveUp(after: .seconds(6), byCaller: byCaller)
    try await send("http://a/y", over: StubTransport(playing: .json("[]")))
  }

  @Test(
    "a host counts as unreachable only when no connection was made, not after other errors",
    arguments: [SourceError.Kind.timedOut, .interrupted, .truncated, .malformed])
  func otherErrors(kind: SourceError.Kind) async throws {
    try? await send("http://a/", over: StubTransport(playing: .failure(SourceError(kind, "no"))))
    try await send("http://a/", over: StubTransport(playing: .status(500)))
    try await send("http://a/", over: StubTransport(playing: .json("[]")))
  }
}
