import AggregatorCore
import SourceTesting
import Testing

@Suite("A source within a budget")
struct RateLimitedTests {
  private let clock = TestClock.leaping

  @Test("is asked as often as the budget allows, and then waits")
  func waits() async throws {
    let recorder = EventRecorder()
    let source = ModelSource.list(100).rateLimited(Budget([.init(2, per: .seconds(9))]), keeper: BudgetsInMemory(), clock: clock)
    try await recorder.listen { for _ in 0..<4 { _ = try await source.page(PageRequest()) } }
    #expect(clock.waits == [.seconds(9)])
    #expect(recorder.events.first == .waiting(.seconds(9), because: "the budget of 2/9s for page"))
  }

  @Test("is not asked where the wait would be too long; the error says how long")
  func spent() async throws {
    let upstream = ModelSource.list(100)
    let source = upstream.rateLimited(Budget([.init(1, per: .seconds(3600))]), keeper: BudgetsInMemory(), clock: clock)
    _ = try await source.page(PageRequest())
    await #expect { try await source.page(PageRequest()) } throws: {
      guard let error = $0 as? SourceError else { return false }
      return error.kind == .budgetSpent && error.retryAfter == .seconds(3600)
        && error.message == "the budget of 1/1h is spent; try again in 1 h"
    }
    #expect(upstream.asked.count == 1)
  }

  @Test("half-way, a spent budget ends the walk with what came")
  func halfWay() async throws {
    let source = ModelSource.list(100).rateLimited(Budget([.init(3, per: .seconds(3600))]), keeper: BudgetsInMemory(), clock: clock)
    let walk = try await Walked(source)
    #expect(walk.ids == ids(0..<13))
    guard case .partial(.budget) = walk.verdict else { return #expect(Bool(false), "\(String(describing: walk.verdict))") }
  }

  @Test("shares it with whoever shares the keeper and the name")
  func shared() async throws {
    let keeper = BudgetsInMemory()
    let budget = Budget([.init(1, per: .seconds(9))])
    for name in ["a", "a", "b"] {
      _ = try await ModelSource.list(1, named: name).rateLimited(budget, keeper: keeper, clock: clock).page(PageRequest())
    }
    #expect(clock.waits == [.seconds(9)])
  }

  @Test("leaves at once when it is cancelled while it waits")
  func cancelled() async throws {
    let still = TestClock()
    let source = ModelSource.list(1).rateLimited(Budget([.init(1, per: .seconds(9))]), keeper: BudgetsInMemory(), clock: still)
    _ = try await source.page(PageRequest())
    let task = Task { try await source.page(PageRequest()) }
    try await still.sleepers(atLeast: 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("describes its budget")
  func description() {
    let budget = Budget([.init(200, per: .seconds(3600), for: .resource), .init(1, per: .seconds(1))])
    #expect("\(ModelSource.list(1).rateLimited(budget, keeper: BudgetsInMemory()))" == "model.rateLimited(200/1h,1/1s)")
  }
}
