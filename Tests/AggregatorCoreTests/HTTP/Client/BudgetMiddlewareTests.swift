import AggregatorCore
import SourceTesting
import Testing

@Suite("A service within a budget")
struct BudgetMiddlewareTests {
  private let clock = TestClock.leaping
  private let transport = StubTransport { _, _ in HTTPResponse(status: 200) }

  /// The service with a budget around it. Its requests are counted under `name`.
  private func limited(
    to budget: Budget.Rate, _ name: String = "a", keeper: any BudgetKeeper = RequestsInMemory(), clock: TestClock? = nil
  ) -> any Transport {
    transport.through([BudgetMiddleware(Budget([budget]), scope: name, keeper: keeper, clock: clock ?? self.clock)])
  }

  @discardableResult
  private func send(over transport: any Transport) async throws -> HTTPResponse { try await transport.send(.to("http://a/")) }

  @Test("a service is asked as often as its budget allows, and the next request waits")
  func waits() async throws {
    let recorder = EventRecorder()
    let service = limited(to: .init(2, per: .seconds(9)))
    try await recorder.listen { for _ in 0..<4 { try await send(over: service) } }
    #expect(clock.waits == [.seconds(9)])
    #expect(recorder.events.first == .waiting(.seconds(9), because: "the budget of 2/9s for "))
  }

  @Test("a service is not asked where the budget's wait would be too long; the error says how long")
  func spent() async throws {
    let service = limited(to: .init(1, per: .seconds(3600)))
    try await send(over: service)
    await #expect { try await send(over: service) } throws: {
      guard let error = $0 as? SourceError else { return false }
      return error.kind == .budgetSpent && error.retryAfter == .seconds(3600)
        && error.message == "the budget of 1/1h is spent; try again in 1 h"
    }
    #expect(transport.requests.count == 1)
  }

  @Test("a budget that is spent half-way ends the walk with what came")
  func halfWay() async throws {
    let service = limited(to: .init(3, per: .seconds(3600)))
    let list = ModelSource.list(100)
    let source = ModelSource { asked in
      try await send(over: service)
      return try await list.page(asked.request)
    }
    let walk = try await Walked(source).expect(ids: 0..<13)
    guard case .partial(.budget) = walk.verdict else { return #expect(Bool(false), "\(String(describing: walk.verdict))") }
  }

  @Test("a service shares its budget with everything that has the same keeper and name")
  func shared() async throws {
    let keeper = RequestsInMemory()
    for name in ["a", "a", "b"] { try await send(over: limited(to: .init(1, per: .seconds(9)), name, keeper: keeper)) }
    #expect(clock.waits == [.seconds(9)])
  }

  @Test("a request that is cancelled while it waits for the budget leaves at once")
  func cancelled() async throws {
    let still = TestClock()
    let service = limited(to: .init(1, per: .seconds(9)), clock: still)
    try await send(over: service)
    let task = Task { try await send(over: service) }
    try await still.sleepers(atLeast: 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// A keeper that does nothing for a cancelled task.
  private struct Distant: BudgetKeeper {
    let book = RequestsInMemory()

    func reserve(_ ticket: BudgetTicket, at now: Moment, noLaterThan latest: Moment) async throws -> BudgetSlot {
      try Task.checkCancellation()
      return await book.reserve(ticket, at: now, noLaterThan: latest)
    }

    func finish(_ ticket: BudgetTicket, at moment: Moment?) async {
      if !Task.isCancelled { await book.finish(ticket, at: moment) }
    }
  }

  @Test("a budget gets its slots back from a request that was cancelled, sent or not", .timeLimit(.minutes(30)))
  func settled() async throws {
    let (still, gate, keeper) = (TestClock(), Gate(), Distant())
    let stuck = StubTransport { _, _ in
      try await gate.pass()
      return HTTPResponse(status: 200)
    }
    let service = stuck.through([
      BudgetMiddleware(Budget([.init(1, per: .seconds(9))]), scope: "a", keeper: keeper, clock: still)
    ])
    let sent = Task { try await send(over: service) }
    try await gate.arrivals(atLeast: 1)
    let waiting = Task { try await send(over: service) }
    try await still.sleepers(atLeast: 1)
    for task in [waiting, sent] {
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    // Only the request that was sent counts, from the moment it ended.
    still.advance(by: .seconds(9))
    let ticket = BudgetTicket([("a 9s", .init(1, per: .seconds(9)))])
    #expect(try await keeper.reserve(ticket, at: still.now, noLaterThan: still.now) == .taken(still.now))
  }

  @Test("a service is asked again a full period after its last answer, however long that answer took")
  func slow() async throws {
    let clock = TestClock.leaping
    let transport = SlowTransport(clock: clock).through([
      BudgetMiddleware(Budget([.init(1, per: .seconds(1))]), scope: "a", keeper: RequestsInMemory(), clock: clock)
    ])
    for _ in 0..<2 { _ = try await transport.send(.to("http://a/")) }
    #expect(clock.waits == [.milliseconds(400), .seconds(1), .milliseconds(400)])
  }

  private struct SlowTransport: Transport {
    let clock: TestClock

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
      try await clock.sleep(for: .milliseconds(400))
      return HTTPResponse(status: 200)
    }
  }
}
