import AggregatorCore
import SourceTesting
import Testing

@Suite("A deadline")
struct DeadlineTests {
  private let clock = TestClock()

  @Test("is heard of by work that never waits")
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

  @Test("is none where nobody set one, and a cancellation is heard of too")
  func cancelled() async throws {
    try Deadline.check()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try Deadline.check()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("that has come keeps a body from being read")
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
}
