import AggregatorCore
import SourceTesting
import Testing

@Suite("Asking again")
struct RetryingTests {
  private let clock = TestClock.leaping
  private let trouble = SourceError(.unavailable, "the service failed")

  /// A source that fails `times` times, and then answers.
  private func faltering(_ times: Int, _ error: SourceError) -> ModelSource {
    ModelSource { asked in
      if asked.call < times { throw error }
      return asked.page(0..<1, total: 1)
    }
  }

  @Test("a source that recovers within its retries gives its answer", arguments: 0...2)
  func recovers(times: Int) async throws {
    let source = faltering(times, trouble)
    let page = try await source.retrying(clock: clock, dice: SeededDice(seed: 1)).page(PageRequest())
    #expect(page.items.map(\.id) == ["0"])
    #expect(source.asked.count == times + 1)
  }

  @Test("a source that does not recover is given up, and the error says how often it was asked", arguments: 0...4)
  func givesUp(retries: Int) async throws {
    let source = faltering(.max, trouble)
    await #expect { try await source.retrying(Patience(retries: retries), clock: clock).page(PageRequest()) } throws: {
      ($0 as? SourceError)?.attempts == retries + 1
    }
    #expect(source.asked.count == retries + 1)
  }

  /// A source over a service that sends `answers` in order, and then a 200 whose body is an error to the source.
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
    "failures by the HTTP status and failures found by the source share one count",
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
    "an error that cannot pass is not asked again",
    arguments: [
      SourceError.Kind.unreachable, .malformed, .noSuchAddress, .refusedKey, .badRequest, .missingKey, .budgetSpent, .foreignCursor,
      .notFound,
    ])
  func hopeless(kind: SourceError.Kind) async throws {
    let source = faltering(.max, SourceError(kind, "no"))
    await #expect(throws: SourceError(kind, "no").from("model")) { try await source.retrying(clock: clock).page(PageRequest()) }
    #expect(source.asked.count == 1)
  }

  @Test(
    "an error that may pass is asked again", arguments: [SourceError.Kind.interrupted, .timedOut, .unavailable, .throttled, .truncated])
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

  @Test("a wait beyond patience is an error at once, which says how long the wait would be")
  func beyondPatience() async throws {
    let source = faltering(1, SourceError(.throttled, "too fast", retryAfter: .seconds(31)))
    await #expect { try await source.retrying(clock: clock).page(PageRequest()) } throws: {
      ($0 as? SourceError)?.retryAfter == .seconds(31)
    }
    #expect(clock.waits.isEmpty)
  }

  @Test("a wait that would not end before the deadline does not start", arguments: [(6, 1), (7, 1), (8, 2)])
  func deadline(seconds: Int, calls: Int) async throws {
    let source = faltering(1, SourceError(.throttled, "too fast", retryAfter: .seconds(7)))
    _ = try? await Deadline.keep(until: clock.now + .seconds(seconds), by: clock) {
      try await source.retrying(clock: clock).page(PageRequest())
    }
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

  @Test("a retrying source describes how often it asks again")
  func description() { #expect("\(ModelSource.list(1).retrying(Patience(retries: 4)))" == "model.retrying(4)") }
}

@Suite("What is said of an error, whatever stands around a source")
struct RetryingErrorTests {
  private struct Row: Record {
    var id = ""
    static let fields: [Field<Row>] = [Field("id", \.id, .title)]
  }

  private struct Posted: DataSource {
    let profile = Profile("posted", paging: .whole)
    let client: Client
    let isRepeatable: Bool

    func page(_ request: PageRequest) async throws -> Page<Row> {
      let response = try await client.send(client.request(.post, "rows", isRepeatable: isRepeatable))
      if let trouble = client.trouble(in: response) { throw trouble }
      return try Page(of: self, rows: response.json().asArray())
    }
  }

  private func failure(_ transport: StubTransport, _ reach: World.Reach, isRepeatable: Bool = true) async throws -> SourceError? {
    let url = Setting("URL", .address, "where", default: "https://a.example/")
    let descriptor = Source(
      "posted", "Rows", settings: [url], live: { Posted(client: try $0.client(url), isRepeatable: isRepeatable) }
    ).descriptor
    var world = World(settings: Settings(declared: [url]), transport: transport)
    world.terms.reach = reach
    world.clock = TestClock.leaping
    func page(of source: some DataSource) async throws { _ = try await source.page(PageRequest()) }
    let source = try descriptor.source(in: world)
    return await #expect(throws: SourceError.self) { try await page(of: source) }
  }

  @Test("an error names its source, whatever stands around the source", arguments: [World.Reach.live, .anywhere])
  func name(reach: World.Reach) async throws {
    let error = try await failure(StubTransport { _, _ in HTTPResponse(status: 400) }, reach)
    #expect(error?.source == "posted")
  }

  @Test("a request that is not safe to repeat is sent once, even when its page is asked for again", arguments: [(true, 3), (false, 1)])
  func once(isRepeatable: Bool, count: Int) async throws {
    let failing = StubTransport { _, _ in HTTPResponse(status: 500) }
    _ = try await failure(failing, .live, isRepeatable: isRepeatable)
    #expect(failing.requests.count == count)
    let cut = StubTransport { _, _ in HTTPResponse(status: 200, body: Array("[{".utf8)) }
    _ = try await failure(cut, .live, isRepeatable: isRepeatable)
    #expect(cut.requests.count == count)
  }
}

@Suite("A deadline", .timeLimit(.minutes(30)))
struct RetryingDeadlineTests {
  private let clock = TestClock()

  /// The first page, which has to come within that time.
  private func page(of source: ModelSource, within seconds: Int = 5) async throws -> Page<Row> {
    try await Deadline.keep(until: clock.now + .seconds(seconds), by: clock) {
      try await source.retrying(clock: clock, allowance: .seconds(9)).page(PageRequest())
    }
  }

  @Test("a deadline gives up a source that is still at work, and cancels it")
  func late() async throws {
    let gate = Gate()
    let cancelled = Gate()
    let source = ModelSource { asked in
      do { try await gate.pass() } catch {
        cancelled.open()
        throw error
      }
      return asked.page(0..<1)
    }
    let task = Task { try await page(of: source) }
    try await gate.arrivals(atLeast: 1)
    try await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(5))
    await #expect { try await task.value } throws: { ($0 as? SourceError)?.kind == .timedOut }
    try await cancelled.pass()
  }

  @Test("a deadline is not waited for once the page has come")
  func inTime() async throws {
    let page = try await page(of: ModelSource.list(3))
    #expect(page.items.count == 3)
    #expect(clock.now == TestClock.start)
  }

  @Test("a source is not asked once the deadline has passed")
  func passed() async throws {
    let source = ModelSource.list(3)
    await #expect { try await page(of: source, within: 0) } throws: { ($0 as? SourceError)?.kind == .timedOut }
    #expect(source.asked.isEmpty)
  }

  @Test("a request without a deadline is not limited")
  func none() async throws {
    #expect(try await ModelSource.list(3).retrying(clock: clock).page(PageRequest()).items.count == 3)
    #expect(clock.waits.isEmpty)
  }

  @Test("a request without a deadline gets one from the source's own allowance")
  func allowance() async throws {
    let source = ModelSource { asked in
      #expect(Deadline.current == TestClock.start + .seconds(asked.call == 0 ? 9 : 5))
      return asked.page(0..<1)
    }
    _ = try await source.retrying(clock: clock, allowance: .seconds(9)).page(PageRequest())
    _ = try await page(of: source)
    #expect(source.asked.count == 2)
  }

  @Test("a source's own error before the deadline is kept")
  func error() async throws {
    let source = ModelSource.failing(SourceError(.refusedKey, "no"))
    await #expect(throws: SourceError(.refusedKey, "no").from("model")) { try await page(of: source) }
  }

  @Test("a cancellation before the deadline is not taken for lateness")
  func cancellation() async throws {
    let gate = Gate()
    let source = ModelSource { asked in
      try await gate.pass()
      return asked.page(0..<1)
    }
    let task = Task { try await page(of: source) }
    try await gate.arrivals(atLeast: 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("a missed deadline lets the fallback answer, and half-way ends the walk with what came")
  func around() async throws {
    let gate = Gate()
    let source = ModelSource { asked in
      if asked.call > 0 { try await gate.pass() }
      return asked.page(0..<5, total: 50)
    }
    let bounds = Bounds(deadline: clock.now + .seconds(5))
    let task = Task { [clock] in try await Walked(source.retrying(clock: clock), bounds: bounds, clock: clock) }
    try await gate.arrivals(atLeast: 1)
    clock.advance(by: .seconds(5))
    let walk = try await task.value
    #expect(walk.ids == ids(0..<5))
    #expect(walk.verdict == .partial(.deadline))
  }
}
