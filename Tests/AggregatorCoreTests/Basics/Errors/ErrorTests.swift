import AggregatorCore
import SourceTesting
import Synchronization
import Testing

@Suite("A deadline")
struct DeadlineTests {
  private let clock = TestClock()

  @Test("a deadline stops work that never waits")
  func heard() async throws {
    let clock = clock
    await #expect {
      try await clock.limit(until: clock.now + .seconds(3)) {
        try Deadline.check()
        clock.advance(by: .seconds(3))
        try Deadline.check()
      }
    } throws: {
      ($0 as? SourceError)?.kind == .timedOut
    }
  }

  @Test("work without a deadline is not stopped, and a cancellation is noticed too")
  func cancelled() async throws {
    try Deadline.check()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try Deadline.check()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("a body is not read once the deadline has passed")
  func body() async throws {
    let clock = clock
    await #expect {
      try await clock.limit(until: clock.now + .seconds(3)) {
        clock.advance(by: .seconds(3))
        _ = try HTTPResponse(status: 200, body: Array("[]".utf8)).json()
      }
    } throws: {
      ($0 as? SourceError)?.kind == .timedOut
    }
  }

  @Test("the last work has a second after a deadline, and any time without one", arguments: [-5, 0, 10, nil])
  func lastWork(secondsToDeadline seconds: Int?) async throws {
    let left = Mutex<Duration?>(.zero)
    try await Deadline.keep(until: seconds.map { clock.now + .seconds($0) }, by: clock) {
      try await Deadline.ending(with: { left.withLock { $0 = Deadline.left } }) {}
    }
    #expect(left.withLock { $0 } == seconds.map { .seconds(max(0, $0) + 1) })
  }
}

@Suite("What an error says")
struct SourceErrorTests {
  @Test("an error says the source, what happened, how often, what the others said, and what to do")
  func description() {
    var error = SourceError(.unavailable, "the service failed (HTTP 500)", remedy: "try later").from("live")
    error.attempts = 3
    error.others = [SourceError(.malformed, "no list").from("copy")]
    #expect(error.description == "live: the service failed (HTTP 500), tried 3 times; fallback failed: copy: no list; try later")
  }

  @Test("an error gives its source's name once")
  func from() { #expect(SourceError(.unavailable, "x").from("inner").from("outer").source == "inner") }

  @Test("kinds of errors differ by their names")
  func kinds() {
    #expect(SourceError.Kind.custom("a") == .custom("a", isTransient: true))
    #expect(SourceError.Kind.custom("a") != .custom("b"))
  }
}
