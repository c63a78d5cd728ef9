import SourceTesting
import Testing

@testable import AggregatorCore

@Suite("Equal requests under way together", .timeLimit(.minutes(30)))
struct CoalescedTests {
  private let gate = Gate()

  /// A source that answers once the gate is open.
  private func held() -> ModelSource {
    ModelSource { [gate] asked in
      try await gate.pass()
      return asked.page([asked.call], total: 100)
    }
  }

  @Test("equal requests under way together are asked once and all get the answer")
  func shared() async throws {
    let flights = SharedRequests<String, Int>()
    let tasks = (0..<5).map { _ in
      Task { [gate] in
        try await flights.value(for: "a") {
          try await gate.pass()
          return 7
        }
      }
    }
    await flights.waiters(for: "a", atLeast: 5)
    gate.open()
    for task in tasks { #expect(try await task.value == 7) }
    #expect(gate.arrivals == 1)
  }

  @Test("an equal request is asked again once the first ones have their answer")
  func later() async throws {
    gate.open()
    let upstream = held()
    let source = upstream.coalesced()
    for call in 0..<3 { #expect(try await source.page(PageRequest()).items.map(\.id) == ["\(call)"]) }
  }

  @Test("requests that differ are asked separately", arguments: [PageRequest(.matching("a")), PageRequest(wanted: 3)])
  func different(other: PageRequest) async throws {
    let upstream = held()
    let source = upstream.coalesced()
    async let first = source.page(PageRequest())
    async let second = source.page(other)
    try await gate.arrivals(atLeast: 2)
    gate.open()
    #expect(try await Set([first, second].map { $0.items[0].id }) == ["0", "1"])
  }

  @Test("requests are not equal when one of them insists on something else", arguments: [OriginDemand.service, .standIn])
  func insisting(on insistence: OriginDemand) async throws {
    let source = held().coalesced()
    async let first = source.page(PageRequest())
    try await gate.arrivals(atLeast: 1)
    async let second = OriginDemand.with(insistence) { try await source.page(PageRequest()) }
    try await gate.arrivals(atLeast: 2)
    gate.open()
    #expect(try await Set([first, second].map { $0.items[0].id }) == ["0", "1"])
  }

  @Test("equal requests under way together share an error too")
  func sharedError() async throws {
    let flights = SharedRequests<Int, Int>()
    let tasks = (0..<3).map { _ in
      Task { [gate] in
        try await flights.value(for: 1) { () async throws -> Int in
          try await gate.pass()
          throw SourceError(.unavailable, "down")
        }
      }
    }
    await flights.waiters(for: 1, atLeast: 3)
    gate.open()
    for task in tasks { await #expect(throws: SourceError(.unavailable, "down")) { try await task.value } }
    #expect(gate.arrivals == 1)
  }

  @Test("a shared request continues for the remaining tasks when one is cancelled, even the first", arguments: [0, 1])
  func oneLeaves(leaver: Int) async throws {
    let flights = SharedRequests<Int, Int>()
    let tasks = (0..<2).map { _ in
      Task { [gate] in
        try await flights.value(for: 1) {
          try await gate.pass()
          return 7
        }
      }
    }
    await flights.waiters(for: 1, atLeast: 2)
    tasks[leaver].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[leaver].value }
    gate.open()
    #expect(try await tasks[1 - leaver].value == 7)
    #expect(gate.arrivals == 1)
  }

  @Test("a shared request is cancelled when the last task leaves, and a later request starts anew")
  func lastLeaves() async throws {
    let cancelled = Gate()
    let flights = SharedRequests<Int, Int>()
    let tasks = (0..<3).map { _ in
      Task { [gate] in
        try await flights.value(for: 1) {
          do { try await gate.pass() } catch {
            cancelled.open()
            throw error
          }
          return 7
        }
      }
    }
    await flights.waiters(for: 1, atLeast: 3)
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    try await cancelled.pass()
    #expect(try await flights.value(for: 1) { 8 } == 8)
  }

  @Test("a shared request never begins for a task that is already cancelled")
  func cancelledBefore() async throws {
    let upstream = held()
    let source = upstream.coalesced()
    let start = Gate()
    let task = Task {
      try? await start.pass()
      return try await source.page(PageRequest())
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(upstream.asked.isEmpty)
  }

  @Test("shared requests give each task its answer while tasks come and go at random", arguments: 0..<8)
  func stress(seed: UInt64) async throws {
    let dice = SeededDice(seed: seed)
    let flights = SharedRequests<Int, Int>()
    let tasks = (0..<300).map { _ in
      let key = dice.index(below: 4)
      let task = Task {
        try await flights.value(for: key) {
          for _ in 0..<key { await Task.yield() }
          try Task.checkCancellation()
          return key
        }
      }
      return (key, task, leaves: dice.index(below: 3) == 0)
    }
    for (_, task, leaves) in tasks where leaves { task.cancel() }
    for (key, task, leaves) in tasks {
      switch await task.result {
      case .success(let value): #expect(value == key)
      case .failure(let error): #expect(leaves && error is CancellationError)
      }
    }
    for key in 0..<4 { #expect(try await flights.value(for: key) { -key } == -key, "nothing is left behind") }
  }
}

extension SharedRequests {
  /// Returns once at least `count` tasks wait for `key`.
  func waiters(for key: Key, atLeast count: Int) async {
    while waiters(for: key) < count { await Task.yield() }
  }
}
