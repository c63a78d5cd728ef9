import AggregatorCore
import SourceTesting
import Testing

@Suite("Falling back")
struct FallbackTests {
  private let copy = ModelSource("copy") { $0.page(100..<103, total: 3, origin: .bundled) }

  @Test(
    "a fallback answers for an error that may pass or that lies with the service",
    arguments: [
      SourceError.Kind.unreachable, .interrupted, .timedOut, .unavailable, .noSuchAddress, .throttled, .budgetSpent, .malformed, .truncated,
      .missingKey, .notStored, .custom("odd", mayFallBack: true),
    ])
  func falls(kind: SourceError.Kind) async throws {
    let recorder = EventRecorder()
    let source = ModelSource.failing(SourceError(kind, "why"), named: "live").fallback(to: copy)
    let page = try await recorder.listen { try await source.page(PageRequest()) }
    let reason = SourceError(kind, "why").from("live")
    #expect(page.items.map(\.id) == ids(100..<103))
    #expect(page.origin == Origin(.bundled, reason: reason))
    #expect(recorder.events == [.fellBack(from: "live", to: "copy", reason)])
  }

  @Test(
    "no fallback answers for an error that the person has to correct",
    arguments: [
      SourceError.Kind.refusedKey, .badRequest, .notFound, .foreignCursor, .settings, .storage, .custom("odd"),
    ])
  func stands(kind: SourceError.Kind) async throws {
    let source = ModelSource.failing(SourceError(kind, "why")).fallback(to: copy)
    await #expect(throws: SourceError(kind, "why")) { try await source.page(PageRequest()) }
    #expect(copy.asked.isEmpty)
  }

  @Test("a cancellation of the first or the second source is thrown, and no fallback answers")
  func cancellation() async throws {
    let cancelled = ModelSource.failing(CancellationError())
    await #expect(throws: CancellationError.self) { try await cancelled.fallback(to: copy).page(PageRequest()) }
    #expect(copy.asked.isEmpty)
    let failing = ModelSource.failing(SourceError(.unreachable, "gone"), named: "live")
    await #expect(throws: CancellationError.self) { try await failing.fallback(to: cancelled).page(PageRequest()) }
  }

  @Test("when every source fails, the error is that of the first, with the errors of the others, except that an answer was not stored")
  func bothFail() async throws {
    let source = ModelSource.failing(SourceError(.unreachable, "no such host"), named: "live")
      .fallback(to: ModelSource.failing(SourceError(.notStored, "never kept"), named: "kept"))
      .fallback(to: ModelSource.failing(SourceError(.malformed, "no list"), named: "copy"))
    await #expect { try await source.page(PageRequest()) } throws: { error in
      guard let error = error as? SourceError else { return false }
      return error.kind == .unreachable && error.description == "live: no such host; fallback failed: copy: no list"
    }
  }

  @Test("a walk that began on the first source stays there, even after an error half-way")
  func staysOnPrimary() async throws {
    let failure = SourceError(.unreachable, "gone")
    let live = ModelSource("live") { asked in
      if asked.call == 2 { throw failure }
      return asked.page(asked.place.number..<asked.place.number + 5, total: 50)
    }
    try await Walked(live.fallback(to: copy)).expect(ids: 0..<9, .partial(.failed(failure)))
    #expect(copy.asked.isEmpty)
  }

  @Test("a walk that began on the second source stays there, even once the first is back")
  func staysOnSecondary() async throws {
    let live = ModelSource("live") { asked in
      if asked.call == 0 { throw SourceError(.unreachable, "gone") }
      return asked.page(0..<5, total: 50)
    }
    let walk = try await Walked(live.fallback(to: ModelSource.list(12, named: "copy"))).expect(ids: 0..<12, .complete)
    #expect(walk.summary.origin?.reason?.kind == .unreachable)
    #expect(live.asked.count == 1)
  }

  @Test("a walk stays on its branch through a fallback within a fallback")
  func nested() async throws {
    let down = ModelSource.failing(SourceError(.unreachable, "gone"), named: "live")
    let alsoDown = ModelSource.failing(SourceError(.notStored, "no"), named: "kept")
    try await Walked(down.fallback(to: alsoDown.fallback(to: ModelSource.list(12, named: "copy")))).expect(ids: 0..<12, .complete)
  }

  /// A service that answers after `wait`.
  private func slow(_ clock: TestClock, _ wait: Duration = .seconds(60)) -> ModelSource {
    ModelSource("live") { asked in
      try await clock.sleep(for: wait)
      return asked.page(0..<5, total: 5)
    }
  }

  @Test("a first page that comes too late is given up if another source has an answer")
  func late() async throws {
    let clock = TestClock()
    let source = Fallback(
      slow(clock), to: [ModelSource.failing(SourceError(.notStored, "no"), named: "kept"), copy], within: .seconds(8), clock: clock)
    async let page = source.page(PageRequest())
    try await clock.sleepers(atLeast: 2)
    clock.advance(by: .seconds(8))
    #expect(try await page.items.map(\.id) == ids(100..<103))
    #expect(try await page.origin.reason == SourceError(.timedOut, "no answer within 8 s").from("live"))
  }

  @Test("a first page that comes too late is waited for if no other source has an answer")
  func lateAlone() async throws {
    let clock = TestClock()
    let copy = ModelSource("copy") { _ in
      clock.advance(by: .seconds(52))
      throw SourceError(.notFound, "no such row")
    }
    let source = Fallback(slow(clock), to: [copy], within: .seconds(8), clock: clock)
    async let page = source.page(PageRequest())
    try await clock.sleepers(atLeast: 2)
    clock.advance(by: .seconds(8))
    #expect(try await page.items.map(\.id) == ids(0..<5))
    #expect(copy.asked.count == 1)
  }

  @Test("a page that a person insists on has all the time it takes")
  func unhurried() async throws {
    let clock = TestClock.leaping
    let live = slow(clock)
    let source = Fallback(live, to: [copy], within: .seconds(8), clock: clock)
    let insisted = try await OriginDemand.with(.service) { try await source.page(PageRequest()) }
    #expect(insisted.items.map(\.id) == ids(0..<5))
    #expect(copy.asked.isEmpty)
  }

  @Test("a request that does not want to wait gets the stand-in, and the stand-in's own fallback if that fails")
  func unawaited() async throws {
    let live = ModelSource.list(9, named: "live")
    let kept = ModelSource.failing(SourceError(.notStored, "no"), named: "kept")
    let source = live.fallback(to: kept.fallback(to: copy))
    let page = try await OriginDemand.with(.standIn) { try await source.page(PageRequest()) }
    #expect(page.items.map(\.id) == ids(100..<103) && live.asked.isEmpty && kept.asked.count == 1)
    #expect(page.origin.reason?.message == "the service was not waited for")
  }
}
