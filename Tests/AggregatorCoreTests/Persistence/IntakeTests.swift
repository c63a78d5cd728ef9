import SourceTesting
import Synchronization
import Testing

@testable import AggregatorCore

@Suite("Records on their way into a store")
struct IntakeTests {
  /// Lets each batch land when a test says so.
  private final class Slow: RecordKeeper {
    let gate = Gate()
    private let rows = Mutex(0)
    var kept: Int { rows.withLock { $0 } }

    func land(_ batch: Batch) async throws -> LandingResult {
      try await gate.pass()
      rows.withLock { $0 += batch.rows.count }
      return LandingResult()
    }

    func settle(_ kind: RecordKind, bulk isBulk: Bool) {}
    func snapshot() throws -> any RecordSnapshot { throw SourceError(.storage, "it shows nothing") }
  }

  @Test("are one batch at most, what is stored and what is filled together")
  func oneBatch() async throws {
    let slow = Slow()
    let given = Mutex(0)
    let filling = Task { [slow] in
      var intake = Intake<Row>(RecordKind("rows", Row.self), of: Row.schema, rule: .lastStays, into: slow, pace: .steady)
      for page in 0..<100 {
        given.withLock { $0 += 100 }
        try await intake.add([Row]((0..<100).map { page * 100 + $0 }), from: Fetch(at: TestClock.start, request: "", place: ""))
      }
      _ = try await intake.finish()
    }
    try await slow.gate.arrivals(atLeast: 1)
    // It is held up now, or will be once it has filled the other half.
    for _ in 0..<10_000 { await Task.yield() }
    #expect(given.withLock { $0 } <= IntakePace.steady.rows)
    slow.gate.open()
    try await filling.value
    #expect(slow.kept == 10_000)
  }
}
