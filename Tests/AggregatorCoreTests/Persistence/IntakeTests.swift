import SourceTesting
import Synchronization
import Testing

@testable import AggregatorCore

@Suite("Records on their way into a store")
struct IntakeTests {
  @Test("are one batch at most, what is stored and what is filled together")
  func oneBatch() async throws {
    let gate = Gate()
    let given = Mutex(0)
    let stored = Mutex(0)
    let filling = Task {
      // Each batch lands when this test says so.
      var intake = Intake<Row>(
        RecordKind("rows", of: Row.schema), of: Row.schema, rule: .lastStays, pace: .steady,
        landing: { batch in
          try await gate.pass()
          stored.withLock { $0 += batch.rows.count }
          return LandingResult()
        })
      for page in 0..<400 {
        given.withLock { $0 += 100 }
        try await intake.add([Row]((0..<100).map { page * 100 + $0 }), from: Fetch(at: TestClock.start, request: "", place: ""))
      }
      _ = try await intake.finish()
    }
    try await gate.arrivals(atLeast: 1)
    // It is held up now, or will be once it has filled the other half.
    for _ in 0..<10_000 { await Task.yield() }
    #expect(given.withLock { $0 } <= IntakePace.steady.rows)
    gate.open()
    try await filling.value
    #expect(stored.withLock { $0 } == 40_000)
  }
}
