import AggregatorCore
import SourceTesting
import Testing

@Suite("Asking again")
struct RetryingTests {
  private let clock = TestClock.leaping
  private let trouble = SourceError(.unavailable, "the service failed")

  /// A source that fails so many times, and then answers.
  private func faltering(_ times: Int, _ error: SourceError) -> ModelSource {
    ModelSource { asked in
      if asked.call < times { throw error }
      return asked.page(0..<1, total: 1)
    }
  }

  @Test("a source that recovers in time has answered", arguments: 0...2)
  func recovers(times: Int) async throws {
    let source = faltering(times, trouble)
    let page = try await source.retrying(clock: clock, dice: SeededDice(seed: 1)).page(PageRequest())
    #expect(page.items.map(\.id) == ["0"])
    #expect(source.asked.count == times + 1)
  }

  @Test("a source that does not is given up, and the error says how often it was asked", arguments: 0...4)
  func givesUp(retries: Int) async throws {
    let source = faltering(.max, trouble)
    await #expect { try await source.retrying(Patience(retries: retries), clock: clock).page(PageRequest()) } throws: {
      ($0 as? SourceError)?.attempts == retries + 1
    }
    #expect(source.asked.count == retries + 1)
  }

  /// A source over a service that answers as `answers` says, and then with an error inside a 200.
  private func reading(_ answers: [HTTPResponse], retries: Int) -> (source: some DataSource<Row>, sent: () -> Int) {
    let transport = StubTransport { _, call in call < answers.count ? answers[call] : HTTPResponse(status: 200) }
    let source = ModelSource { asked in
      let client = Client(try HTTPRequest.to("http://a/").address, over: transport, clock: clock)
      _ = try await client.answer(to: client.request())
      throw SourceError(.unavailable, "the service is busy")
    }
    return (source.retrying(Patience(retries: retries), clock: clock), { transport.requests.count })
  }

  @Test(
    "what the service says by its status and what the source reads in it are one count",
    arguments: [[], [503], [503, 503], [503, 503, 503], [200, 503, 503]] as [[Int]], 0...3)
  func oneCount(statuses: [Int], retries: Int) async throws {
    let (source, sent) = reading(statuses.map { HTTPResponse(status: $0) }, retries: retries)
    await #expect { try await source.page(PageRequest()) } throws: { ($0 as? SourceError)?.attempts == retries + 1 }
    #expect(sent() == retries + 1)
  }

  @Test("a page whose request must not be sent twice is not asked for twice")
  func unrepeatable() async throws {
    let transport = StubTransport { _, _ in HTTPResponse(status: 200) }
    let source = ModelSource { _ in
      let client = Client(try HTTPRequest.to("http://a/").address, over: transport, clock: clock)
      _ = try await client.send(client.request(.post))
      throw SourceError(.unavailable, "the service is busy")
    }
    await #expect(throws: SourceError.self) { try await source.retrying(clock: clock).page(PageRequest()) }
    #expect(transport.requests.count == 1)
  }

  @Test(
    "what cannot pass is not asked again",
    arguments: [
      SourceError.Kind.unreachable, .malformed, .noSuchAddress, .refusedKey, .badRequest, .missingKey, .budgetSpent, .foreignCursor,
      .notFound,
    ])
  func hopeless(kind: SourceError.Kind) async throws {
    let source = faltering(.max, SourceError(kind, "no"))
    await #expect(throws: SourceError(kind, "no").from("model")) { try await source.retrying(clock: clock).page(PageRequest()) }
    #expect(source.asked.count == 1)
  }

  @Test("what may pass is", arguments: [SourceError.Kind.interrupted, .timedOut, .unavailable, .throttled, .truncated])
  func hopeful(kind: SourceError.Kind) async throws {
    let source = faltering(1, SourceError(kind, "no"))
    _ = try await source.retrying(clock: clock).page(PageRequest())
    #expect(source.asked.count == 2)
  }

  @Test("the wait a service asks for is kept, and told")
  func retryAfter() async throws {
    let recorder = EventRecorder()
    let source = faltering(1, SourceError(.throttled, "too fast", retryAfter: .seconds(7))).retrying(clock: clock)
    _ = try await recorder.listen { try await source.page(PageRequest()) }
    #expect(clock.waits == [.seconds(7)])
    #expect(recorder.events == [.waiting(.seconds(7), because: "too fast")])
  }

  @Test("a wait beyond patience is an error at once that keeps how long it would be")
  func beyondPatience() async throws {
    let source = faltering(1, SourceError(.throttled, "too fast", retryAfter: .seconds(31)))
    await #expect { try await source.retrying(clock: clock).page(PageRequest()) } throws: {
      ($0 as? SourceError)?.retryAfter == .seconds(31)
    }
    #expect(clock.waits.isEmpty)
  }

  @Test("a wait that would not end before the deadline is not begun", arguments: [(6, 1), (7, 1), (8, 2)])
  func deadline(seconds: Int, calls: Int) async throws {
    let source = faltering(1, SourceError(.throttled, "too fast", retryAfter: .seconds(7)))
    _ = try? await source.retrying(clock: clock).page(PageRequest(deadline: clock.now + .seconds(seconds)))
    #expect(source.asked.count == calls)
  }

  @Test("a cancellation is not asked again, and ends a wait")
  func cancellation() async throws {
    let source = ModelSource.failing(CancellationError())
    await #expect(throws: CancellationError.self) { try await source.retrying(clock: clock).page(PageRequest()) }
    #expect(source.asked.count == 1)

    let still = TestClock()
    let waiting = Task { try await faltering(.max, trouble).retrying(clock: still).page(PageRequest()) }
    try await still.sleepers(atLeast: 1)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  @Test("describes how often")
  func description() { #expect("\(ModelSource.list(1).retrying(Patience(retries: 4)))" == "model.retrying(4)") }
}
