import AggregatorCore
import SourceTesting
import Testing

@Suite("Sending again")
struct SendingAgainTests {
  private let clock = TestClock.leaping

  private func send(
    _ request: HTTPRequest, over transport: StubTransport, _ patience: Patience = .usual, clock: TestClock? = nil
  ) async throws -> HTTPResponse {
    let clock = clock ?? self.clock
    let client = Client(request.address, over: transport, clock: clock)
    return try await patience.trying(clock: clock, dice: SystemDice()) { try await client.answer(to: request) }
  }

  @Test("a status that may pass is asked again", arguments: [408, 420, 429, 500, 502, 503, 504, 599])
  func passing(status: Int) async throws {
    let transport = StubTransport(playing: .status(status), .status(status), .json("[]"))
    let response = try await send(.to("http://a/"), over: transport)
    #expect(response.status == 200)
    #expect(transport.requests.count == 3)
  }

  @Test("a lasting status is not asked again", arguments: [200, 204, 301, 304, 400, 401, 403, 404, 410, 418, 422])
  func lasting(status: Int) async throws {
    let transport = StubTransport(playing: .status(status))
    _ = try? await send(.to("http://a/"), over: transport)
    #expect(transport.requests.count == 1)
  }

  @Test("a connection that broke is tried again", arguments: [SourceError.Kind.interrupted, .timedOut, .truncated])
  func broken(kind: SourceError.Kind) async throws {
    let transport = StubTransport(playing: .failure(SourceError(kind, "lost")), .json("[]"))
    #expect(try await send(.to("http://a/"), over: transport).status == 200)
    #expect(transport.requests.count == 2)
  }

  @Test(
    "a connection that was never made, or an answer over the limit, is not tried again",
    arguments: [SourceError.Kind.unreachable, .malformed])
  func hopeless(kind: SourceError.Kind) async throws {
    let transport = StubTransport(playing: .failure(SourceError(kind, "no")))
    await #expect(throws: SourceError(kind, "no")) { try await send(.to("http://a/"), over: transport) }
  }

  @Test("patience ends, and the error tells how often the request was sent", arguments: 0...3)
  func attempts(retries: Int) async throws {
    let transports = [
      StubTransport { _, _ in HTTPResponse(status: 503) }, StubTransport { _, _ in throw SourceError(.interrupted, "lost") },
    ]
    for transport in transports {
      await #expect { try await send(.to("http://a/"), over: transport, Patience(retries: retries)) } throws: {
        ($0 as? SourceError)?.attempts == retries + 1
      }
      #expect(transport.requests.count == retries + 1)
    }
  }

  @Test(
    "a request that is not safe to repeat is sent once, unless its author says it is safe",
    arguments: [(nil, 1), (false, 1), (true, 3)] as [(Bool?, Int)])
  func post(isRepeatable: Bool?, count: Int) async throws {
    let transport = StubTransport { _, _ in HTTPResponse(status: 503) }
    _ = try? await send(.to("http://a/", .post, isRepeatable: isRepeatable), over: transport)
    #expect(transport.requests.count == count)
  }

  @Test(
    "Retry-After is honoured as seconds and as a date",
    arguments: [
      ("7", 7), ("0", 0), ("30", 30), (" 3 ", 3),
      // The test's clock shows 22:13:20.
      ("Tue, 14 Nov 2023 22:13:25 GMT", 5), ("Tue, 14 Nov 2023 22:13:20 GMT", 0), ("Tue, 14 Nov 2020 22:13:25 GMT", 0),
    ])
  func retryAfter(header: String, seconds: Int) async throws {
    let transport = StubTransport(playing: .status(429, ["retry-after": header]), .json("[]"))
    #expect(try await send(.to("http://a/"), over: transport).status == 200)
    #expect(clock.waits == [.seconds(seconds)])
  }

  @Test(
    "a wait beyond patience is an error at once, which says how long the wait would be",
    arguments: [
      ("31", "31 s"), ("7200", "2 h"), ("99999999999999999999999", "5214 weeks 2 days"), ("Tue, 14 Nov 2023 23:13:20 GMT", "1 h"),
    ])
  func beyondPatience(header: String, amount: String) async throws {
    let transport = StubTransport(playing: .status(429, ["Retry-After": header]))
    let error = try #require(await #expect(throws: SourceError.self) { try await send(.to("http://a/"), over: transport) })
    #expect(clock.waits.isEmpty)
    #expect(error.kind == .throttled)
    #expect(error.message.hasSuffix("(HTTP 429); try again in \(amount)"))
  }

  @Test(
    "a Retry-After that makes no sense is ignored", arguments: ["-5", "soon", "", "1.5", "+3", "0x10", "Tue, 99 Nov 2023 22:13:25 GMT"])
  func nonsense(header: String) async throws {
    let transport = StubTransport(playing: .status(503, ["Retry-After": header]), .json("[]"))
    _ = try await send(.to("http://a/"), over: transport)
    #expect(clock.waits.count == 1)
    #expect(clock.waits.allSatisfy { $0 >= .milliseconds(150) && $0 <= .milliseconds(300) })
  }

  @Test("a cancellation ends the wait and stays a cancellation")
  func cancellation() async throws {
    let still = TestClock()
    let transport = StubTransport(playing: .status(503))
    let task = Task { try await send(.to("http://a/"), over: transport, clock: still) }
    try await still.sleepers(atLeast: 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let cancelled = StubTransport { _, _ in throw CancellationError() }
    await #expect(throws: CancellationError.self) { try await send(.to("http://a/"), over: cancelled) }
    #expect(cancelled.requests.count == 1)
  }

  @Test("each wait is told, with its length", arguments: [503: "the service failed (HTTP 503)", 429: "rate-limited (HTTP 429)"])
  func events(status: Int, reason: String) async throws {
    let recorder = EventRecorder()
    let transport = StubTransport(playing: .status(status, ["Retry-After": "2"]), .json("[]"))
    _ = try await recorder.listen { try await send(.to("http://a/"), over: transport) }
    #expect(recorder.events == [.waiting(.seconds(2), because: reason)])
  }
}

@Suite("Patience")
struct PatienceTests {
  /// Dice that always show the same face.
  private struct Loaded: Dice {
    let face: UInt64
    func roll() -> UInt64 { face }
  }

  @Test(
    "waits between requests double, and chance takes up to half of each away",
    arguments: [(1, 150, 300), (2, 300, 600), (3, 600, 1200), (4, 1200, 2400)])
  func backoff(attempt: Int, least: Int, most: Int) throws {
    let patience = Patience(retries: 9)
    let low = try #require(patience.wait(after: attempt, retryAfter: nil, dice: Loaded(face: .min)))
    let high = try #require(patience.wait(after: attempt, retryAfter: nil, dice: Loaded(face: .max)))
    #expect(low == .milliseconds(least))
    #expect(high <= .milliseconds(most) && high > .milliseconds(most) - .microseconds(1))
  }

  @Test("no wait is longer than the longest, however many attempts came before", arguments: [8, 64, 10_000])
  func longest(attempt: Int) {
    let wait = Patience(retries: .max).wait(after: attempt, retryAfter: nil, dice: Loaded(face: .max))
    #expect(wait == .seconds(30))
  }

  @Test("no attempt follows the last one", arguments: [(0, 1), (2, 3)])
  func last(retries: Int, attempt: Int) {
    let patience = Patience(retries: retries)
    #expect(patience.wait(after: attempt, retryAfter: .zero, dice: SystemDice()) == nil)
    #expect(patience.wait(after: attempt - 1, retryAfter: .zero, dice: SystemDice()) == .zero)
  }

  @Test("a wait that the service asks for is kept up to the longest wait", arguments: [(0, true), (1, true), (30, true), (31, false)])
  func retryAfter(seconds: Int, isBorne: Bool) {
    let wait = Patience.usual.wait(after: 1, retryAfter: .seconds(seconds), dice: SystemDice())
    #expect(wait == (isBorne ? .seconds(seconds) : nil))
  }
}
