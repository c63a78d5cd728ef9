import AggregatorCore
import RecordFormats
import SourceTesting
import Synchronization
import TestServices
import Testing

@testable import Serve

/// Counts what runs, and in which order it began.
private final class Tally: Sendable {
  private let state = Mutex((running: 0, order: [Int]()))

  var running: Int { state.withLock { $0.running } }
  var order: [Int] { state.withLock { $0.order } }

  func begin(_ number: Int) -> Int {
    state.withLock { state in
      state.running += 1
      state.order.append(number)
      return state.running
    }
  }

  func end() { state.withLock { $0.running -= 1 } }
}

/// Answers that wait for their turn, and bytes that wait for their reader.
@Suite("Traffic", .timeLimit(.minutes(30))) struct TrafficTests {
  @Test("no more answers are worked on at once than may be, those who wait come in turn, and those who leave let the next one in")
  func takesTurns() async throws {
    let (traffic, gate, tally) = (Traffic(), Gate(), Tally())
    func answer(_ number: Int) -> Task<Void, any Error> {
      Task { [traffic, gate, tally] in
        try await traffic.inTurn(of: number.isMultiple(of: 2) ? "ports" : "piers") {
          #expect(tally.begin(number) <= 24)
          defer { tally.end() }
          try await gate.pass()
        }
      }
    }
    let first = (0..<24).map { answer($0) }
    try await gate.arrivals(atLeast: 24)
    let (left, next) = (answer(100), answer(101))
    left.cancel()
    await #expect(throws: CancellationError.self) { try await left.value }
    first[3].cancel()
    await #expect(throws: CancellationError.self) { try await first[3].value }
    gate.open()
    try await next.value
    for (index, task) in first.enumerated() where index != 3 { try await task.value }
    #expect(tally.order.last == 101 && !tally.order.contains(100) && tally.running == 0)
    try await answer(102).value
  }

  @Test("a service that is silent holds up only the answers about its source")
  func sharesTurns() async throws {
    let (traffic, gate) = (Traffic(), Gate())
    let silent = (0..<40).map { _ in Task { try await traffic.inTurn(of: "ports") { try await gate.pass() } } }
    try await gate.arrivals(atLeast: 12)
    #expect(try await traffic.inTurn(of: "piers") { 7 } == 7)
    gate.open()
    for task in silent { try await task.value }
  }

  @Test("a writer waits while its reader is slow, and ends when the reader has left")
  func waitsForReaders() async throws {
    let outlet = Outlet()
    let tally = Tally()
    let writer = Task { [outlet, tally] in
      try outlet.write([UInt8](repeating: 1, count: 200 << 10))
      try await outlet.drained()
      _ = tally.begin(1)
      for _ in 0..<1_000 {
        try outlet.write([UInt8](repeating: 2, count: 200 << 10))
        try await outlet.drained()
      }
    }
    var taken = 0
    var buffer = [UInt8](repeating: 0, count: 32 << 10)
    while taken < 200 << 10 {
      taken += buffer.withUnsafeMutableBytes { outlet.take(into: $0) {} }.0 ?? 0
      if taken < 64 << 10 { #expect(tally.running == 0) }
      await Task.yield()
    }
    outlet.close()
    await #expect(throws: Outlet.Closed.self) { try await writer.value }
    #expect(outlet.count <= 400 << 10)
  }

  @Test("a stream tells every fifteen seconds that it lives, by the clock that it is given")
  func pings() async throws {
    let (clock, gate) = (TestClock(), Gate())
    let reply = try await Writing.reply("text/event-stream", isStream: true, pingingBy: clock) { writing in
      try writing.outlet.write("a")
      try await writing.flush()
      try await gate.pass()
      return Writing.Conclusion()
    }
    guard case .stream(let outlet) = reply.body else {
      Issue.record("no stream")
      return
    }
    for length in [5, 9] {
      try await clock.sleepers(atLeast: 1)
      clock.advance(by: .seconds(14))
      #expect(outlet.count == length - 4)
      clock.advance(by: .seconds(1))
      while outlet.count < length { await Task.yield() }
    }
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = bytes.withUnsafeMutableBytes { outlet.take(into: $0) {} }.0 ?? 0
    #expect(String(decoding: bytes.prefix(count), as: UTF8.self) == "a: \n\n: \n\n")
    gate.open()
  }

  @Test("what ended broken is never taken for whole")
  func breaks() {
    let outlet = Outlet()
    try? outlet.write("abc")
    outlet.end(.broken)
    outlet.end(.whole)
    #expect(outlet.takeWhole() == nil)
    var buffer = [UInt8](repeating: 0, count: 10)
    #expect(buffer.withUnsafeMutableBytes { outlet.take(into: $0) {} }.0 == 3)
    let (count, ending) = buffer.withUnsafeMutableBytes { outlet.take(into: $0) {} }
    #expect(count == nil && ending == .broken)
  }

  @Test(
    "texts in headers are those of RFC 9651, and never begin another header",
    arguments: [
      ("plain", "\"plain\""), ("a \"b\" \\", #""a \"b\" \\""#), ("ü%\"", "%\"%c3%bc%25%22\""), ("a\r\nX: y", "%\"a%0d%0aX: y\""),
      (String(repeating: "a", count: 301), "%\"\(String(repeating: "a", count: 300))%e2%80%a6\""),
    ])
  func quotes(text: String, header: String) { #expect(FieldText.quoted(text) == header) }
}
