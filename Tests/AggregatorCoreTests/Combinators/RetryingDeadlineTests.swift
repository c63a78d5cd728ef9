import AggregatorCore
import SourceTesting
import Testing

@Suite("A deadline", .timeLimit(.minutes(30)))
struct RetryingDeadlineTests {
  private let clock = TestClock()
  private var soon: PageRequest { PageRequest(deadline: clock.now + .seconds(5)) }

  @Test("gives up a source that is still at work, and cancels it")
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
    let task = Task { [clock] in try await source.retrying(clock: clock).page(soon) }
    try await gate.arrivals(atLeast: 1)
    try await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(5))
    await #expect { try await task.value } throws: { ($0 as? SourceError)?.kind == .timedOut }
    try await cancelled.pass()
  }

  @Test("is not waited for once the page has come")
  func inTime() async throws {
    let page = try await ModelSource.list(3).retrying(clock: clock).page(soon)
    #expect(page.items.count == 3)
    #expect(clock.now == TestClock.start)
  }

  @Test("that has passed asks nothing")
  func passed() async throws {
    let source = ModelSource.list(3)
    let request = PageRequest(deadline: clock.now)
    await #expect { try await source.retrying(clock: clock).page(request) } throws: { ($0 as? SourceError)?.kind == .timedOut }
    #expect(source.asked.isEmpty)
  }

  @Test("that nobody set limits nothing")
  func none() async throws {
    #expect(try await ModelSource.list(3).retrying(clock: clock).page(PageRequest()).items.count == 3)
    #expect(clock.waits.isEmpty)
  }

  @Test("is made of the time that a source has anyway, for requests without one")
  func allowance() async throws {
    let source = ModelSource { asked in
      #expect(asked.request.deadline == TestClock.start + .seconds(asked.call == 0 ? 9 : 5))
      return asked.page(0..<1)
    }
    for request in [PageRequest(), soon] { _ = try await source.retrying(clock: clock, allowance: .seconds(9)).page(request) }
    #expect(source.asked.count == 2)
  }

  @Test("keeps the source's own error")
  func error() async throws {
    let source = ModelSource.failing(SourceError(.refusedKey, "no"))
    await #expect(throws: SourceError(.refusedKey, "no").from("model")) { try await source.retrying(clock: clock).page(soon) }
  }

  @Test("does not turn a cancellation into lateness")
  func cancellation() async throws {
    let gate = Gate()
    let source = ModelSource { asked in
      try await gate.pass()
      return asked.page(0..<1)
    }
    let task = Task { [clock] in try await source.retrying(clock: clock).page(soon) }
    try await gate.arrivals(atLeast: 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("lets another stand in, and half-way ends the walk with what came")
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
