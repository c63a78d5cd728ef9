import AggregatorCore
import SourceTesting
import Testing

@Suite("A walk that is interrupted", .timeLimit(.minutes(30)))
struct WalkErrorTests {
  private let refused = SourceError(.unavailable, "the service failed (HTTP 500)")

  /// A list of a hundred rows that fails at `count` calls, the first of which has the number `call`.
  private func failing(at call: Int, with error: any Error & Sendable, times count: Int = .max) -> ModelSource {
    ModelSource { asked in
      if asked.call >= call, asked.call - call < count { throw error }
      return asked.page((0..<100).dropFirst(asked.place.number).prefix(asked.place.size), total: 100)
    }
  }

  @Test("an error on the first page is thrown")
  func first() async throws { await #expect(throws: refused) { try await Walked(failing(at: 0, with: refused)) } }

  @Test("an error half-way keeps the rows that came", arguments: 1...3)
  func halfWay(call: Int) async throws {
    let walk = try await Walked(failing(at: call, with: refused))
    walk.expect(ids: 0..<1 + 4 * call, .partial(.failed(refused)), total: 100)
    #expect(walk.verdict?.reason == "error: the service failed (HTTP 500)")
  }

  @Test("after an error half-way a later walk continues at the page that failed")
  func resumed() async throws {
    let source = failing(at: 2, with: refused, times: 3)
    let first = try await Walked(source)
    try await Walked(source, from: first.cursor).expect(ids: 9..<100)
  }

  @Test(
    "the reason why a walk stopped half-way is told",
    arguments: [
      (SourceError.Kind.notStored, Shortfall.notStored),
      (.budgetSpent, .budget(SourceError(.budgetSpent, "no"))),
      (.throttled, .failed(SourceError(.throttled, "no"))),
      // The deadline has not passed, so the service was slow.
      (.timedOut, .failed(SourceError(.timedOut, "no"))),
    ])
  func reasons(kind: SourceError.Kind, shortfall: Shortfall) async throws {
    let clock = TestClock()
    let bounds = Bounds(deadline: clock.now + .seconds(9))
    let source = ModelSource { asked in
      if asked.call > 0 { throw SourceError(kind, "no") }
      return asked.page(0..<5, total: 100)
    }
    try await Walked(source, bounds: bounds, clock: clock).expect(.partial(shortfall))
  }

  @Test("a deadline that has passed before the first page is an error, and nothing is asked")
  func lateFromTheStart() async throws {
    let clock = TestClock()
    let source = ModelSource.list(12)
    await #expect { try await Walked(source, bounds: Bounds(deadline: clock.now), clock: clock) } throws: {
      ($0 as? SourceError)?.kind == .timedOut
    }
    #expect(source.asked.isEmpty)
  }

  @Test("a deadline half-way keeps the rows that came, whether the walk or the source notices it", arguments: [true, false])
  func lateHalfWay(sourceNotices: Bool) async throws {
    let clock = TestClock()
    let source = ModelSource { asked in
      if asked.call == 2 {
        clock.advance(by: .seconds(5))
        if sourceNotices { throw SourceError(.timedOut, "too slow") }
      }
      return asked.page((0..<100).dropFirst(asked.place.number).prefix(asked.place.size), total: 100)
    }
    try await Walked(source, bounds: Bounds(deadline: clock.now + .seconds(5)), clock: clock).expect(
      ids: 0..<(sourceNotices ? 9 : 13), .partial(.deadline))
    #expect(source.asked.count == 3)
  }

  @Test("a source is told the deadline of the walk")
  func deadlineTold() async throws {
    let clock = TestClock()
    let source = ModelSource { asked in
      #expect(Deadline.current == clock.now + .seconds(5))
      return asked.page(0..<1, total: 1)
    }
    _ = try await Walked(source, bounds: Bounds(deadline: clock.now + .seconds(5)), clock: clock)
    #expect(source.asked.count == 1)
  }

  @Test("a walk that is resumed with a later deadline uses that one")
  func deadlineResumed() async throws {
    let clock = TestClock()
    let source = ModelSource { asked in
      if (1...3).contains(asked.call) { throw SourceError(.unavailable, "no") }
      #expect(Deadline.current == clock.now + .seconds(asked.call == 0 ? 5 : 60))
      return asked.page((0..<100).dropFirst(asked.place.number).prefix(asked.place.size), total: 100)
    }
    var walk = Walk(source, .everything, bounds: Bounds(deadline: clock.now + .seconds(5)), clock: clock)
    while try await walk.nextPage() != nil {}
    walk.resume(until: clock.now + .seconds(60))
    _ = try await walk.nextPage()
    #expect(source.asked.count == 5)
  }

  @Test("a cancellation stays a cancellation, at the start and half-way", arguments: [0, 1])
  func cancelledBySource(call: Int) async throws {
    await #expect(throws: CancellationError.self) { try await Walked(failing(at: call, with: CancellationError())) }
  }

  @Test("a walk whose task is cancelled asks for no further page")
  func cancelledTask() async throws {
    let gate = Gate()
    let source = ModelSource { asked in
      // The source itself ignores the cancellation.
      try? await gate.pass()
      return asked.page(asked.place.number..<asked.place.number + 5, total: 100)
    }
    let task = Task { try await Walked(source) }
    try await gate.arrivals(atLeast: 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(source.asked.count == 1)
  }

  @Test("an error of another type than SourceError is thrown unchanged")
  func stranger() async throws {
    struct Odd: Error {}
    await #expect(throws: Odd.self) { try await Walked(failing(at: 1, with: Odd())) }
  }

  @Test("each page and each skipped row is told")
  func events() async throws {
    let recorder = EventRecorder()
    let source = ModelSource { $0.page([0], broken: [1], total: 2) }
    try await recorder.listen { _ = try await Walked(source) }
    #expect(
      recorder.events == [
        .rowSkipped(source: "model", .broken(1, row: 1)), .pageRead(source: "model", rows: 2, total: 2, origin: .live),
      ])
  }
}
