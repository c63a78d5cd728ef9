import SourceTesting
import Synchronization
import Testing

@testable import AggregatorCore

@Suite("Reading ahead") struct ReadAheadTests {
  /// `count` rows in pages of 10, and a log of the offsets that were asked for. The page at `short` has one row less.
  private final class List: DataSource {
    let profile: Profile
    private let count: Int
    private let short: Int?
    private let hasTotal: Bool
    private let log = Mutex<[Int]>([])
    private let news = AsyncStream<Int>.makeStream()

    var asked: [Int] { log.withLock { $0 } }

    init(_ count: Int, short: Int? = nil, hasTotal: Bool = true, lookingBack looksBack: Bool = false) {
      profile = Profile("list", paging: .offset(size: 10, end: hasTotal ? .total : .emptyPage, lookingBack: looksBack).unchanging())
      (self.count, self.short, self.hasTotal) = (count, short, hasTotal)
    }

    /// Returns once the page at `offset` was asked for.
    func wait(for offset: Int) async {
      for await asked in news.stream where asked == offset { return }
    }

    func page(_ request: PageRequest) async throws -> Page<Row> {
      let place = try request.place(in: self)
      log.withLock { $0.append(place.number) }
      news.continuation.yield(place.number)
      let size = place.number == short ? 9 : 10
      return Page(of: self, (place.number..<min(count, place.number + size)).map { Row("\($0)") }, total: hasTotal ? count : nil)
    }
  }

  private func walk(_ list: List) async throws -> [String] {
    var walk = Walk(list.readAhead())
    var ids: [String] = []
    while let items = try await walk.nextPage() { ids += items.map(\.id) }
    return ids
  }

  @Test("a walk that reads ahead gets the same pages, each asked for once, and asks for nothing after the end")
  func same() async throws {
    let list = List(95)
    #expect(try await walk(list) == (0..<95).map(String.init))
    #expect(list.asked.sorted() == Array(stride(from: 0, to: 95, by: 10)))
  }

  @Test("a walk that looks back gets the same pages, each asked for once")
  func lookingBack() async throws {
    let list = List(95, lookingBack: true)
    #expect(try await walk(list) == (0..<95).map(String.init))
    #expect(list.asked.sorted() == Array(stride(from: 0, to: 94, by: 9)))
  }

  @Test(
    "a search by reading everything asks for each page once",
    arguments: [Paging.offset(size: 50, end: .total), .numbered(size: 50, end: .total)])
  func searching(paging: Paging) async throws {
    let source = ModelSource.list(500, paging: paging)
    try await Walked(source.readAhead(), .matching("Row")).expect(given: 500)
    #expect(Set(source.asked.map(\.place)).count == source.asked.count)
  }

  @Test("numbered pages of any size are asked for as the walk asks, each once")
  func sized() async throws {
    let source = ModelSource.list(1_000, paging: .numbered(size: 50, end: .total, lookingBack: true))
    try await Walked(source.readAhead()).expect(ids: 0..<1_000, .complete)
    #expect(source.asked.map { [$0.place.number, $0.place.size] }.count == 24)
    #expect(Set(source.asked.map(\.place)).count == 24)
  }

  @Test("once a walk no longer looks back, the next pages are guessed at their places", .timeLimit(.minutes(30)))
  func blind() async throws {
    let source = ModelSource(paging: .offset(size: 10, end: .total)) { asked in
      if asked.request.looksBack, asked.place.number % 10 != 0 { throw SourceError(.badRequest, "an odd offset") }
      return asked.page((0..<100).dropFirst(asked.place.number).prefix(10), total: 100)
    }
    try await Walked(source.readAhead()).expect(ids: 0..<100, .complete)
    #expect(source.offsets.filter { $0 % 10 != 0 }.count <= 2)
    #expect(Set(source.offsets).isSuperset(of: stride(from: 0, to: 100, by: 10)))
  }

  @Test("the next page is asked for before the walk wants it")
  func ahead() async throws {
    let list = List(95)
    var walk = Walk(list.readAhead())
    _ = try await walk.nextPage()
    await list.wait(for: 10)
  }

  @Test("a page shorter than guessed costs a request but loses no row")
  func short() async throws {
    let list = List(95, short: 40)
    #expect(try await walk(list) == (0..<95).map(String.init))
    #expect(list.asked.filter { $0 == 49 }.count == 1)
  }

  @Test("pages of a list without a total are not guessed")
  func totalless() async throws {
    let list = List(25, hasTotal: false)
    _ = try await walk(list)
    #expect(list.asked == [0, 10, 20, 25])
  }

  @Test("cancelling cancels the page that is waited for and the next one, whatever error they answer with", .timeLimit(.minutes(30)))
  func cancelled() async throws {
    for says in [nil, SourceError(.interrupted, "the connection was lost")] {
      let gate = Gate()
      let (stopped, stop) = AsyncStream<Int>.makeStream()
      let source = Self.list { asked in
        guard asked.place.number >= 30 else { return }
        do {
          try await gate.pass()
        } catch {
          stop.yield(asked.place.number)
          throw says ?? error
        }
      }
      let walking = Task { try await Walked(source.readAhead()) }
      try await gate.arrivals(atLeast: 2)
      walking.cancel()
      await #expect(throws: CancellationError.self) { try await walking.value }
      // Both pages have stopped: the one that was waited for and the next one.
      var numbers: Set<Int> = []
      for await number in stopped {
        numbers.insert(number)
        if numbers.count == 2 { break }
      }
      #expect(numbers == [30, 40])
    }
  }

  @Test("a task that is already cancelled asks for nothing")
  func cancelledBefore() async throws {
    let source = Self.list()
    let gate = Gate()
    let walking = Task {
      try? await gate.pass()
      return try await source.readAhead().page(PageRequest())
    }
    walking.cancel()
    await #expect(throws: CancellationError.self) { try await walking.value }
    #expect(source.asked.isEmpty)
  }

  @Test("a page that was asked for before its walk began is asked for once", .timeLimit(.minutes(30)))
  func primed() async throws {
    let gate = Gate()
    let source = Self.list { if $0.place.number >= 10 { try await gate.pass() } }
    let ahead = source.readAhead()
    try await ahead.askFirst(for: PageRequest())
    #expect(try await ahead.page(PageRequest()).received == 10)
    let executor = WatchedExecutor()
    let second = Task(executorPreference: executor) { try await ahead.page(.at(10)) }
    await executor.waits()
    gate.open()
    _ = try await second.value
    #expect(source.offsets.filter { $0 <= 10 } == [0, 10])
  }

  @Test("a guessed page that was refused is not asked for again until the walk gets there", .timeLimit(.minutes(30)))
  func refusedGuess() async throws {
    let (gate, ended) = (Gate(), Gate())
    ended.open()
    let source = Self.list { asked in
      if asked.place.number == 30 { try await gate.pass() }
      if asked.place.number == 40, asked.isFirst { throw SourceError(.throttled, "too many requests") }
    }
    let patient = source.retrying(clock: TestClock.leaping, dice: SeededDice(seed: 1))
    let ahead = EndOfPage(upstream: patient, offset: 40, ended: ended).readAhead()
    let walking = Task { try await Walked(ahead) }
    try await ended.arrivals(atLeast: 1)
    #expect(source.offsets.count { $0 == 40 } == 1)
    gate.open()
    let walked = try await walking.value
    #expect(walked.ids.count == 100)
    #expect(source.offsets.count { $0 == 40 } == 2)
  }

  @Test("when a service refuses, a page is asked for as often as patience allows, and the next one once", .timeLimit(.minutes(30)))
  func refused() async throws {
    let (next, ended) = (Gate(), Gate())
    for gate in [next, ended] { gate.open() }
    let source = Self.list { asked in
      guard asked.place.number >= 30 else { return }
      if asked.place.number == 40 { try await next.pass() }
      // The next page is asked for, and given up, before this one is asked for again.
      if asked.place.number == 30 { try await (asked.isFirst ? next : ended).arrivals(atLeast: 1) }
      throw SourceError(.throttled, "too many requests")
    }
    let patient = source.retrying(clock: TestClock.leaping, dice: SeededDice(seed: 1))
    let walked = try await Walked(EndOfPage(upstream: patient, offset: 40, ended: ended).readAhead())
    #expect(walked.ids.count == 30)
    #expect(source.offsets.count { $0 == 30 } == 3)
    #expect(source.offsets.count { $0 == 40 } == 1)
    #expect(source.offsets.max() ?? 0 <= 40)
  }

  @Test("after a page that had to be asked for twice, nothing is guessed until pages come full again", .timeLimit(.minutes(30)))
  func faltering() async throws {
    let (gate, later, last) = (Gate(), Gate(), Gate())
    last.open()
    let source = Self.list { asked in
      if asked.place.number == 20, asked.isFirst { throw SourceError(.unavailable, "HTTP 503") }
      if asked.place.number == 30 { try await gate.pass() }
      if asked.place.number == 50 { try await later.pass() }
      if asked.place.number == 60 { try await last.pass() }
    }
    let ahead = source.retrying(clock: TestClock.leaping, dice: SeededDice(seed: 1)).readAhead()
    for offset in [0, 10, 20] { _ = try await ahead.page(.at(offset)) }
    let executor = WatchedExecutor()
    let next = Task(executorPreference: executor) { try await ahead.page(.at(30)) }
    await executor.waits()
    #expect(ahead.requestedAhead.isEmpty)
    gate.open()
    _ = try await next.value
    _ = try await ahead.page(.at(40))
    let held = Task { try await ahead.page(.at(50)) }
    try await last.arrivals(atLeast: 1)
    later.open()
    _ = try await held.value
  }

  @Test(
    "one more page is guessed with every second full page, three at most", .timeLimit(.minutes(30)),
    arguments: [(1, 10), (2, 30), (3, 40), (4, 60), (5, 70), (6, 90), (9, 120)])
  func moreGuesses(fullPages: Int, last: Int) async throws {
    try await expect(last, after: fullPages)
  }

  @Test("a service that takes long for a page gets one guess", .timeLimit(.minutes(30)), arguments: [(4, 50), (9, 100)])
  func slow(fullPages: Int, last: Int) async throws {
    let clock = TestClock()
    try await expect(last, after: fullPages, clock) { clock.advance(by: .seconds(1)) }
  }

  /// Reads so many full pages, asks for the next one, and expects that the page at `last` is the last one that was asked for. Each of the
  /// full pages calls `act`.
  private func expect(
    _ last: Int, after fullPages: Int, _ clock: TestClock = TestClock(), _ act: @escaping @Sendable () -> Void = {}
  ) async throws {
    let gate = Gate()
    let source = Self.list(300) { asked in
      if asked.place.number >= fullPages * 10 { try await gate.pass() } else { act() }
    }
    let ahead = source.readAhead(clock: clock)
    for page in 0..<fullPages { _ = try await ahead.page(.at(page * 10)) }
    let executor = WatchedExecutor()
    let next = Task(executorPreference: executor) { try await ahead.page(.at(fullPages * 10)) }
    await executor.waits()
    let places = ahead.requestedAhead.compactMap { $0.cursor?.place.number }
    #expect(places.sorted() == Array(stride(from: (fullPages + 1) * 10, through: last, by: 10)))
    try await gate.arrivals(atLeast: places.count + 1)
    #expect(source.offsets.sorted() == Array(stride(from: 0, through: last, by: 10)))
    gate.open()
    _ = try await next.value
  }

  @Test("a wait that the service wants is waited once, not for each page that it refused", .timeLimit(.minutes(30)))
  func oneWait() async throws {
    let clock = TestClock.leaping
    // The times of the first six pages were noted twice each, those of the next four at the beginning, and those of three at the end.
    let (refused, watched) = (Gate(), CountingClock(clock))
    watched.after(6 * 2 + 4 + 3) { refused.open() }
    let source = Self.list(300) { asked in
      guard (60...90).contains(asked.place.number), asked.isFirst else { return }
      // The first page is refused after those that were asked for ahead of it.
      if asked.place.number == 60 { try await refused.pass() }
      throw SourceError(.throttled, "too many requests", retryAfter: .seconds(4))
    }
    let ahead = source.retrying(clock: clock, dice: SeededDice(seed: 1)).readAhead(clock: watched)
    #expect(try await Walked(ahead).ids.count == 300)
    #expect(clock.waits.reduce(.zero, +) == .seconds(4))
  }

  @Test("a walk that continues elsewhere first cancels what was asked for ahead", .timeLimit(.minutes(30)))
  func elsewhere() async throws {
    let (gate, cancelled) = (Gate(), Gate())
    cancelled.open()
    let source = Self.list(300) { asked in
      if asked.place.number == 5 {
        try await cancelled.arrivals(atLeast: 3)
      } else if asked.place.number > 60 {
        do { try await gate.pass() } catch {
          try? await cancelled.pass()
          throw error
        }
      }
    }
    let ahead = source.readAhead()
    for offset in stride(from: 0, through: 60, by: 10) { _ = try await ahead.page(.at(offset)) }
    try await gate.arrivals(atLeast: 3)
    _ = try await ahead.page(.at(5))
    #expect(cancelled.arrivals == 3)
  }

  @Test("a page that fails also cancels the next one", .timeLimit(.minutes(30)))
  func failed() async throws {
    let (gate, gone) = (Gate(), Gate())
    let source = Self.list { asked in
      if asked.place.number == 30 {
        try await gate.arrivals(atLeast: 1)
        throw SourceError(.refusedKey, "the key was refused")
      }
      guard asked.place.number == 40 else { return }
      do { try await gate.pass() } catch {
        try? await gone.pass()
        throw error
      }
    }
    let ahead = source.readAhead()
    for offset in [0, 10, 20] { _ = try await ahead.page(.at(offset)) }
    await #expect(throws: SourceError.self) { try await ahead.page(.at(30)) }
    try await gone.arrivals(atLeast: 1)
    _ = ahead
  }

  /// So many rows in pages of ten; `act` runs before each answer.
  private static func list(
    _ count: Int = 100, _ act: @escaping @Sendable (ModelSource.Asked) async throws -> Void = { _ in }
  ) -> ModelSource {
    ModelSource(paging: .offset(size: 10, end: .total, lookingBack: false).unchanging()) { asked in
      try await act(asked)
      return asked.page(asked.place.number..<min(count, asked.place.number + 10), total: count)
    }
  }
}

/// Passes an open gate when the page at `offset` has come or failed.
private struct EndOfPage: Wrapper {
  let upstream: any DataSource<Row>
  let offset: Int
  let ended: Gate

  func page(_ request: PageRequest) async throws -> Page<Row> {
    let isIt = request.cursor?.place.number == offset
    do {
      let page = try await upstream.page(request)
      if isIt { try await ended.pass() }
      return page
    } catch {
      if isIt { try? await ended.pass() }
      throw error
    }
  }
}

/// A clock that acts when it was read so many times.
private final class CountingClock: Timekeeper {
  private struct Reads {
    var count = 0
    var due: Int?
    var act: @Sendable () -> Void = {}
  }

  private let clock: TestClock
  private let reads = Mutex(Reads())

  init(_ clock: TestClock) { self.clock = clock }

  func after(_ count: Int, _ act: @escaping @Sendable () -> Void) {
    reads.withLock { ($0.due, $0.act) = (count, act) }
  }

  var now: Moment {
    let now = clock.now
    let act = reads.withLock { reads in
      reads.count += 1
      return reads.count == reads.due ? reads.act : nil
    }
    act?()
    return now
  }

  var leaps: Bool { clock.leaps }

  func sleep(until moment: Moment) async throws { try await clock.sleep(until: moment) }
}

extension PageRequest {
  fileprivate static func at(_ offset: Int) -> PageRequest {
    PageRequest(at: offset == 0 ? nil : Cursor(maker: "model", place: .offset(offset)))
  }
}

extension ModelSource {
  fileprivate var offsets: [Int] { asked.map(\.place.number) }
}

extension ModelSource.Asked {
  /// True when this page was not asked for before.
  fileprivate var isFirst: Bool { source.asked.count { $0.place.number == place.number } == 1 }
}
