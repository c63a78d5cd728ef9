import AggregatorCore
import SourceTesting
import Synchronization
import Testing

@Suite("Cached answers")
struct AnswerCacheTests {
  /// A list that a test can change, and a service that it can take down.
  private final class Service: Sendable {
    let rows: Mutex<[Int]>
    let failure = Mutex<SourceError?>(nil)

    init(_ rows: some Sequence<Int>) { self.rows = Mutex(Array(rows)) }

    func source() -> ModelSource {
      ModelSource { [self] asked in
        if let failure = failure.withLock({ $0 }) { throw failure }
        let rows = rows.withLock { $0 }
        return asked.page(rows.dropFirst(asked.place.number).prefix(asked.place.size), total: rows.count)
      }
    }

    func fail(_ kind: SourceError.Kind) { failure.withLock { $0 = SourceError(kind, "down") } }
    func recover() { failure.withLock { $0 = nil } }
    func change(to rows: some Sequence<Int>) { self.rows.withLock { $0 = Array(rows) } }
  }

  private let clock = TestClock()
  private let store = StoreInMemory()
  private let service = Service(0..<12)

  private func cached(_ source: ModelSource, maxAge: Duration = .zero) -> Fallback<ModelSource.Item> {
    source.cached(in: store, scope: "here", maxAge: maxAge, clock: clock)
  }

  @Test("records whose ids differ in case are cached apart")
  func cases() async throws {
    let isDown = Mutex(false)
    let source = cached(
      ModelSource(Profile("model", paging: .whole, lookup: .native)) { asked in
        if isDown.withLock({ $0 }) { throw SourceError(.unreachable, "down") }
        guard case .record(let id) = asked.request.query else { return asked.page([], total: 0) }
        return Page(of: asked.source, [Row(id)], next: .end)
      })
    for id in ["aB", "Ab"] { #expect(try await source.page(PageRequest(.record(id))).items.map(\.id) == [id]) }
    isDown.withLock { $0 = true }
    for id in ["aB", "Ab"] { #expect(try await source.page(PageRequest(.record(id))).items.map(\.id) == [id]) }
    await #expect(throws: SourceError.self) { try await source.page(PageRequest(.record("ab"))) }
  }

  /// A store that fails at everything.
  private struct Broken: AnswerStore {
    func answer(_ key: AnswerKey, step: Int) throws -> CachedAnswer? { throw SourceError(.storage, "broken") }
    func keep(_ answer: CachedAnswer, under key: AnswerKey, step: Int) throws -> Bool { throw SourceError(.storage, "broken") }
  }

  @Test("without a working store a live answer is given all the same, and the failure is told once")
  func brokenKeeper() async throws {
    let source = service.source().cached(in: Broken(), clock: clock)
    let recorder = EventRecorder()
    let walk = try await recorder.listen { try await Walked(source) }
    #expect(walk.ids == ids(0..<12))
    #expect(walk.summary.origin == .live)
    #expect(
      recorder.events.filter { if case .storeFailed = $0 { true } else { false } } == [
        .storeFailed(SourceError(.storage, "broken").from("model"))
      ])
    service.fail(.unreachable)
    let second = EventRecorder()
    await #expect { try await second.listen { try await Walked(source) } } throws: { error in
      let error = error as? SourceError
      return error?.kind == .unreachable && error?.others.isEmpty == true
    }
    #expect(second.events.contains(.storeFailed(SourceError(.storage, "broken"))))
  }

  @Test(
    "an empty answer that replaces one with records is told, once",
    arguments: [(Duration.seconds(360), "6 min ago"), (.milliseconds(500), "a moment ago")])
  func emptied(pause: Duration, age: String) async throws {
    let source = cached(service.source())
    let recorder = EventRecorder()
    for rows in [0..<0, 0..<12, 0..<0, 0..<0] {
      service.change(to: rows)
      _ = try await recorder.listen { try await Walked(source) }
      clock.advance(by: pause)
    }
    #expect(
      recorder.events.filter { if case .noticed = $0 { true } else { false } } == [
        .noticed(source: "model", "the service has no records now; it had 12 \(age)")
      ])
  }

  @Test("a live answer stays live, whatever is cached")
  func live() async throws {
    let source = cached(service.source())
    for _ in 0..<2 { #expect(try await Walked(source).summary.origin == .live) }
  }

  @Test("the last answer is the stand-in, with its age, the reason and its verdict")
  func standsIn() async throws {
    let source = cached(service.source())
    _ = try await Walked(source)
    clock.advance(by: .seconds(90))
    service.fail(.unreachable)
    let recorder = EventRecorder()
    let walk = try await recorder.listen { try await Walked(source) }
    let reason = SourceError(.unreachable, "down").from("model")
    #expect(walk.ids == ids(0..<12))
    #expect(walk.summary.origin == Origin(.cache, age: .seconds(90), reason: reason))
    #expect(walk.verdict == .complete)
    #expect(recorder.events.first == .fellBack(from: "model", to: "model.cached", reason))
  }

  @Test("a partial verdict is cached as well")
  func partialReappears() async throws {
    let short = ModelSource { asked in
      if asked.call > 2 { throw SourceError(.unreachable, "down") }
      return asked.page((0..<12).dropFirst(asked.place.number).prefix(5), total: 15)
    }
    // The service gives twelve rows and an empty page with more after it, and then fails.
    let source = cached(short)
    let first = try await Walked(source, bounds: Bounds(pages: 3)).expect(.bounded)
    let again = try await Walked(source, bounds: Bounds(pages: 3))
    #expect(again.ids == first.ids && again.verdict == .bounded && again.summary.origin?.kind == .cache)
    #expect(try await Walked(source).verdict == .partial(.notStored))
  }

  @Test("the numbers of rows that were counted and skipped are cached")
  func faultsReappear() async throws {
    let service = ModelSource { asked in
      if asked.call > 0 { throw SourceError(.unreachable, "down") }
      return asked.page([0, 1, 1], broken: [7], total: 3)
    }
    let source = cached(service)
    let first = try await Walked(source)
    try await Walked(source).expect(ids: first.ids, .complete, skipped: 1, duplicates: 1)
  }

  @Test(
    "an error that the person has to correct is not hidden by a cached answer",
    arguments: [SourceError.Kind.refusedKey, .badRequest, .storage])
  func noFallback(kind: SourceError.Kind) async throws {
    let source = cached(service.source())
    _ = try await Walked(source)
    service.fail(kind)
    await #expect(throws: SourceError(kind, "down")) { try await Walked(source) }
  }

  @Test("a cancellation is not hidden by a cached answer")
  func cancellation() async throws {
    let service = ModelSource { asked in
      if asked.call > 0 { throw CancellationError() }
      return asked.page(0..<1, total: 1)
    }
    let source = cached(service)
    _ = try await Walked(source)
    await #expect(throws: CancellationError.self) { try await Walked(source) }
  }

  @Test(
    "another question has no cached answer, but another spelling of the same question has",
    arguments: [("lynx", true), ("LÝNX", true), ("lyn", false)])
  func questions(text: String, isKept: Bool) async throws {
    let profile = Profile("model", paging: .offset(size: 5, end: .total), search: .native, lookup: .native)
    let source = ModelSource(profile) { asked in
      if asked.call > 0 { throw SourceError(.unreachable, "down") }
      return asked.page(0..<1, total: 1)
    }.cached(in: store, clock: clock)
    _ = try await Walked(source, .matching("lynx"))
    for other in [Query.everything, .record("lynx")] {
      await #expect { try await Walked(source, other) } throws: { ($0 as? SourceError)?.kind == .unreachable }
    }
    #expect((try? await Walked(source, .matching(text)))?.ids == (isKept ? ["0"] : nil))
  }

  @Test("answers of another service are not used")
  func scopes() async throws {
    _ = try await Walked(cached(service.source()))
    service.fail(.unreachable)
    let elsewhere = service.source().cached(in: store, scope: "there", clock: clock)
    await #expect { try await Walked(elsewhere) } throws: { ($0 as? SourceError)?.kind == .unreachable }
  }

  @Test("a cached answer that is young enough is given without asking", arguments: [(59, true), (60, true), (61, false)])
  func maxAge(age: Int, serves: Bool) async throws {
    let upstream = service.source()
    let source = cached(upstream, maxAge: .seconds(60))
    _ = try await Walked(source)
    clock.advance(by: .seconds(age))
    let walk = try await Walked(source).expect(ids: 0..<12)
    #expect(walk.summary.origin == (serves ? .cache(age: .seconds(age)) : .live))
    #expect(upstream.asked.count == (serves ? 3 : 6))
  }

  @Test(
    "a cached answer that is young enough is given only as far as it goes",
    arguments: [(4, 3, true), (4, 4, true), (4, 5, false), (8, 7, true), (8, 9, false)])
  func reach(kept: Int, wanted: Int, serves: Bool) async throws {
    let source = cached(service.source(), maxAge: .seconds(60))
    _ = try await Walked(source, bounds: Bounds(limit: kept))
    let walk = try await Walked(source, bounds: Bounds(limit: wanted))
    #expect(walk.ids == ids(0..<wanted) && walk.summary.verdict == .bounded)
    #expect(walk.summary.origin?.kind == (serves ? .cache : .live))
    #expect(try await Walked(source).summary.verdict == .complete)
  }

  @Test("an answer that ended at an empty page with more after it is given only as far as it goes")
  func hollow() async throws {
    let upstream = ModelSource(paging: .numbered(size: 2, end: .more)) { asked in
      var page = asked.page([[0, 1], [], [2, 3]][asked.place.number - 1])
      page.more = asked.place.number < 3
      return page
    }
    let source = cached(upstream, maxAge: .seconds(60))
    _ = try await Walked(source, bounds: Bounds(pages: 2))
    let walk = try await Walked(source)
    #expect(walk.ids == ids(0..<4) && walk.summary.origin == .live)
  }

  @Test("an answer that is young enough is not given when a person insists on the service")
  func again() async throws {
    let source = cached(service.source(), maxAge: .seconds(60))
    _ = try await Walked(source)
    #expect(try await OriginDemand.with(.service) { try await Walked(source) }.summary.origin == .live)
  }

  @Test("an answer that is too old to be given at once is still the stand-in")
  func oldStandsIn() async throws {
    let source = cached(service.source(), maxAge: .seconds(60))
    _ = try await Walked(source)
    clock.advance(by: .seconds(3600))
    service.fail(.unavailable)
    #expect(try await Walked(source).summary.origin?.age == .seconds(3600))
  }

  @Test("pages of two walks never mix, and a walk that stopped does not replace one that reached the end")
  func generations() async throws {
    let source = cached(service.source())
    _ = try await Walked(source)
    clock.advance(by: .seconds(1))
    service.change(to: 100..<112)
    _ = try await Walked(source, bounds: Bounds(pages: 1))
    service.fail(.unreachable)
    try await Walked(source).expect(ids: 0..<12, .complete)
    try await Walked(source, bounds: Bounds(limit: 3)).expect(ids: 100..<103, .bounded)
    service.recover()
    _ = try await Walked(source)
    service.fail(.unreachable)
    try await Walked(source).expect(ids: 100..<112, .complete)
  }

  @Test("a walk that fell back continues in the cache although the service is back")
  func staysKept() async throws {
    let source = cached(service.source())
    _ = try await Walked(source)
    service.fail(.unreachable)
    var walk = Walk(source, clock: clock)
    var rows = try await walk.nextPage() ?? []
    service.recover()
    service.change(to: 100..<112)
    while let more = try await walk.nextPage() { rows += more }
    #expect(rows.map(\.id) == ids(0..<12))
    #expect(walk.summary.verdict == .complete)
  }

  @Test("a walk that began live does not continue in the cache")
  func staysLive() async throws {
    let source = cached(service.source())
    _ = try await Walked(source)
    clock.advance(by: .seconds(1))
    var walk = Walk(source, clock: clock)
    _ = try await walk.nextPage()
    service.fail(.unreachable)
    #expect(try await walk.nextPage() == nil)
    #expect(walk.summary.verdict == .partial(.failed(SourceError(.unreachable, "down"))))
  }

  @Test("an answer that did not come live is not cached as a live one")
  func onlyLive() async throws {
    let copy = ModelSource { $0.page(0..<3, total: 3, origin: .bundled) }
    _ = try await Walked(cached(copy))
    await #expect { try await Walked(LastAnswers(of: copy, in: store, scope: "here", clock: clock)) } throws: {
      ($0 as? SourceError)?.kind == .notStored
    }
  }

  @Test("cached answers alone never ask the service, and carry no reason")
  func kept() async throws {
    let upstream = service.source()
    _ = try await Walked(cached(upstream))
    let walk = try await Walked(LastAnswers(of: upstream, in: store, scope: "here", clock: clock)).expect(ids: 0..<12, .complete)
    #expect(walk.summary.origin == .cache(age: .zero))
    #expect(upstream.asked.count == 3)
  }

  @Test("a cached answer that can no longer be read counts as missing")
  func unreadable() async throws {
    let upstream = service.source()
    let source = cached(upstream, maxAge: .seconds(60))
    _ = try await Walked(source)
    let garbled = Garbled(store: store)
    let reader = upstream.cached(in: garbled, scope: "here", maxAge: .seconds(60), clock: clock)
    #expect(try await Walked(reader).summary.origin == .live, "the service is asked although a young answer is cached")
    service.fail(.unreachable)
    await #expect { try await Walked(reader) } throws: { ($0 as? SourceError)?.kind == .unreachable }
    let kept = LastAnswers(of: upstream, in: garbled, scope: "here", clock: clock)
    await #expect { try await Walked(kept) } throws: { ($0 as? SourceError)?.kind == .notStored }
  }

  /// A store that returns the answers of another store in a form that an older version may have written.
  private struct Garbled: AnswerStore {
    let store: StoreInMemory

    func answer(_ key: AnswerKey, step: Int) async throws -> CachedAnswer? {
      try await store.answer(key, step: step).map {
        CachedAnswer(
          rows: Array(#"[{"title":"old"}]"#.utf8), faults: [],
          saying: PageStatements(total: $0.said.total, next: $0.said.next, paging: .whole), place: $0.place,
          walk: $0.walk, at: $0.at)
      }
    }

    func keep(_ answer: CachedAnswer, under key: AnswerKey, step: Int) async throws -> Bool {
      try await store.keep(answer, under: key, step: step)
    }
  }
}
