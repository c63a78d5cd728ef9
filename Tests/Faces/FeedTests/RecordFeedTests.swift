import AggregatorCore
import Asking
import Platform
import SourceTesting
import Synchronization
import Testing

@testable import Feed

/// Nine rows, three a page. It answers as a test says, and remembers what it was asked.
private final class Service: DataSource {
  let profile: Profile
  private let log = Mutex<[PageRequest]>([])
  private let hold: @Sendable (_ request: PageRequest, _ number: Int) async throws -> Void

  init(
    lookup: Profile.Answerer = .native,
    _ hold: @escaping @Sendable (_ request: PageRequest, _ number: Int) async throws -> Void = { _, _ in }
  ) {
    profile = Profile("rows", paging: .offset(size: 3, end: .total, lookingBack: false), search: .native, lookup: lookup)
    self.hold = hold
  }

  var asked: [PageRequest] { log.withLock { $0 } }

  func page(_ request: PageRequest) async throws -> Page<Row> {
    let place = try request.place(in: self)
    let number = log.withLock { log in
      log.append(request)
      return log.count
    }
    try await hold(request, number)
    if case .record(let id) = request.query { return Page(of: self, [Row(id)], next: .end) }
    let rows = request.query.text.map { [Row($0)] } ?? (place.number..<min(9, place.number + 3)).map { Row("\($0)") }
    return Page(of: self, rows, total: request.query.text == nil ? 9 : 1)
  }
}

@Suite("A feed of a source") struct RecordFeedTests {
  @Test("four letters typed quickly make one request, 0.3 s after the last by the injected clock")
  func typing() async throws {
    let (service, clock) = (Service(), TestClock())
    let feed = RecordFeed(over: service, clock: clock)
    await feed.settled(after: .appear)
    for text in ["s", "sp", "spi", "spid"] { feed.send(.typed(text)) }
    #expect(feed.state.head == .loading)
    let advancing = Task {
      // The last pause may begin at any time.
      while !Task.isCancelled {
        try await clock.sleepers(atLeast: 1)
        clock.advance(by: .milliseconds(100))
        await Task.yield()
      }
    }
    let state = await feed.reached { $0.head == .loaded }
    advancing.cancel()
    #expect(service.asked.map(\.query) == [.everything, .matching("spid")])
    #expect(clock.waits.allSatisfy { $0 == .milliseconds(300) })
    #expect(state.ids == ["spid"] && state.asked == "spid")
  }

  @Test("a feed that is scrolled to its end has every row, and is complete")
  func scrolling() async throws {
    let feed = RecordFeed(over: Service())
    #expect(await feed.settled(after: .appear).ids == ["0", "1", "2"])
    #expect(await feed.settled(after: .nearEnd).ids.count == 6)
    let state = await feed.settled(after: .nearEnd)
    #expect(state.tail == .ended(.complete) && state.summary.verdict == .complete)
    #expect(state.origin == .live && state.summary.total == 9 && state.summary.given == 9)
  }

  @Test("a search that is not wanted any more is cancelled")
  func cancelling() async throws {
    let gate = Gate()
    let (cancellations, cancelled) = AsyncStream<Void>.makeStream()
    let service = Service { request, _ in
      guard request.query == .matching("a") else { return }
      do { try await gate.pass() } catch {
        cancelled.yield()
        throw error
      }
    }
    let feed = RecordFeed(over: service, clock: TestClock.leaping)
    await feed.settled(after: .appear)
    feed.send(.typed("a"))
    try await gate.arrivals(atLeast: 1)
    feed.send(.typed(""))
    #expect(feed.state.head == .loaded)
    for await _ in cancellations { break }
    #expect(feed.state.ids == ["0", "1", "2"] && feed.state.asked == "")
    #expect(service.asked.count == 2)
  }

  @Test("a page that fails half-way is asked for again where it failed, and no row comes twice")
  func retrying() async throws {
    let service = Service { _, number in if number == 2 { throw SourceError(.unavailable, "the service is down") } }
    let feed = RecordFeed(over: service)
    await feed.settled(after: .appear)
    let failed = await feed.settled(after: .nearEnd)
    #expect(failed.tail == .failed(SourceError(.unavailable, "the service is down").from("rows")))
    #expect(failed.ids == ["0", "1", "2"] && failed.summary.verdict?.kind == "partial")
    await feed.settled(after: .nearEnd)
    #expect(service.asked.count == 2)
    #expect(await feed.settled(after: .retry).ids.count == 6)
    #expect(await feed.settled(after: .nearEnd).tail == .ended(.complete))
  }

  @Test("a retry and a refresh ask the service in spite of remembered failures, and no other request does")
  func insisting() async throws {
    let asked = Mutex<[Bool]>([])
    let service = Service { _, number in
      asked.withLock { $0.append(OriginDemand.isForService) }
      if [1, 3, 5].contains(number) { throw SourceError(.unreachable, "cannot reach the service") }
    }
    let feed = RecordFeed(over: service)
    for event in [FeedEvent.appear, .retry, .nearEnd, .retry, .show("7"), .show("7"), .refresh, .nearEnd] {
      await feed.settled(after: event)
    }
    #expect(asked.withLock { $0 } == [false, true, false, true, false, true, true, false])
  }

  @Test("a first page that a person does not wait for comes from a stand-in, and is not asked for again")
  func unawaited() async throws {
    let gate = Gate()
    let service = Service { _, _ in try await gate.pass() }
    let feed = RecordFeed(over: service.fallback(to: BundledRecords("rows") { [Row("0")] }).coalesced())
    feed.send(.appear)
    try await gate.arrivals(atLeast: 1)
    let state = await feed.settled(after: .standIn)
    #expect(state.ids == ["0"] && state.origin?.kind == .bundled && service.asked.count == 1)
    #expect(state.origin?.reason?.message == "the service was not waited for")
    #expect(await feed.settled(after: .standIn).ids == ["0"])
  }

  @Test("a feed's state tells what a first page waits for and since when, until it comes, and listeners are told too")
  func waiting() async throws {
    let (clock, gate) = (TestClock(), Gate())
    let heard = Mutex(0)
    let (start, request) = (clock.now, HTTPRequest(.get, try #require(WebAddress("http://rows.example:81/"))))
    let service = Service { _, _ in
      for event in [Event.requestSent(request), .waiting(.seconds(9), because: "too fast")] {
        clock.advance(by: .seconds(1))
        Event.emit(event)
      }
      try await gate.pass()
    }
    let feed = RecordFeed(over: service, clock: clock)
    await Event.listening({ _ in heard.withLock { $0 += 1 } }) { feed.send(.appear) }
    let wait = try #require(await feed.reached { $0.wait?.until != nil }.wait)
    #expect(wait.since == start && wait.host == "rows.example:81" && wait.reason == "too fast" && wait.until == start + .seconds(11))
    gate.open()
    #expect(await feed.reached { $0.head == .loaded }.wait == nil && heard.withLock { $0 } == 3)
  }

  @Test("a failed search leaves the rows, and returning to them continues where they ended")
  func failingSearch() async throws {
    let gate = Gate()
    let service = Service { request, number in
      if number == 2 { try await gate.pass() }
      if request.query == .matching("a") { throw SourceError(.unavailable, "the service is down") }
    }
    let feed = RecordFeed(over: service, clock: TestClock.leaping)
    await feed.settled(after: .appear)
    feed.send(.nearEnd)
    try await gate.arrivals(atLeast: 1)
    feed.send(.typed("a"))
    let failed = await feed.reached { $0.head.error != nil }
    #expect(failed.ids == ["0", "1", "2"] && failed.asked == "" && failed.tail == .more)
    feed.send(.typed(""))
    #expect(await feed.settled(after: .nearEnd).ids.count == 6)
  }

  @Test("a record that could not be asked for is not called missing, even if the stand-in does not have it")
  func failingRecord() async throws {
    let down = SourceError(.unavailable, "the service failed (HTTP 500)")
    let service = Service { request, _ in if case .record = request.query { throw down } }
    let feed = RecordFeed(over: service.fallback(to: BundledRecords("rows") { [Row("0")] }))
    await feed.settled(after: .appear)
    let state = await feed.settled(after: .show("nobody"))
    #expect(state.detail?.phase.error?.message == down.message)
  }

  @Test("closing or releasing a feed ends every task and every sequence of states", arguments: [true, false])
  func closing(closes: Bool) async throws {
    let gate = Gate()
    let (cancellations, cancelled) = AsyncStream<Void>.makeStream()
    let service = Service { _, _ in
      do { try await gate.pass() } catch {
        cancelled.yield()
        throw error
      }
    }
    var feed: RecordFeed<Row>? = RecordFeed(over: service)
    let states = try #require(feed?.states)
    feed?.send(.appear)
    try await gate.arrivals(atLeast: 1)
    if closes { await feed?.close() }
    // The last reference to the feed is released.
    if !closes { feed = nil }
    for await _ in cancellations { break }
    for await state in states { #expect(state.head == .loading) }
    feed?.send(.refresh)
    #expect(service.asked.count == 1)
  }

  @Test("an error of an unknown type, or an unexpected cancellation, ends the wait", arguments: [true, false])
  func strangeErrors(isCancellation: Bool) async throws {
    struct Strange: Error {}
    let service = Service { _, _ in throw isCancellation ? CancellationError() : Strange() as any Error }
    let state = await RecordFeed(over: service).settled(after: .appear)
    #expect(state.head.error?.kind == (isCancellation ? .interrupted : .custom("unforeseen")))
  }

  @Test("a row is shown in full unchanged if looking it up would read the list again")
  func listedInFull() async throws {
    let service = Service(lookup: .walk)
    let feed = RecordFeed(over: service)
    await feed.settled(after: .appear)
    for id in ["1", "2"] {
      feed.send(.show(id))
      #expect(feed.state.detail?.phase == .loaded && feed.state.detail?.origin == .live)
    }
    #expect(service.asked.count == 1)
  }

  @Test("deletions and undos happen one after the other, and closing waits for them")
  func order() async throws {
    let gate = Gate()
    let log = Mutex<[String]>([])
    var source = FeedSource<Row>(Service().opened(clock: TestClock())) { try $0.item() }
    source.change = { id, deletes in
      if deletes { try await gate.pass() }
      log.withLock { $0.append("\(deletes ? "delete" : "restore") \(id)") }
    }
    let feed = RecordFeed(source)
    for event in [FeedEvent.delete("0"), .undo, .delete("1")] { feed.send(event) }
    try await gate.arrivals(atLeast: 1)
    // Leaves time in which a change could begin too early. The feed starts its tasks itself, and a task that waits for the one before it
    // gives no sign, so no gate can show that.
    for _ in 0..<1_000 { await Task.yield() }
    gate.open()
    await feed.close()
    #expect(log.withLock { $0 } == ["delete 0", "restore 0", "delete 1"])
  }

  @Test("a refused deletion brings the row back, with the reason")
  func refusal() async throws {
    var source = FeedSource<Row>(Service().opened(clock: TestClock())) { try $0.item() }
    source.change = { _, _ in throw SourceError(.storage, "the store cannot be written") }
    let feed = RecordFeed(source)
    await feed.settled(after: .appear)
    feed.send(.delete("1"))
    #expect(feed.state.ids == ["0", "2"])
    let state = await feed.settled()
    #expect(state.ids == ["0", "1", "2"] && state.refusal?.kind == .storage && state.deleted.isEmpty)
  }

  @Test("no code is called under a feed's lock: a listener may ask for the state at once")
  func askingWhenTold() async throws {
    let feed = RecordFeed(over: Service())
    let states = feed.states
    let task = Task(executorPreference: Asking { _ = feed.state }) {
      for await state in states where state.typed == "x" { return true }
      return false
    }
    feed.send(.appear)
    feed.send(.typed("x"))
    #expect(await task.value)
  }

  @Test("tasks over the states of a feed can be cancelled while the states change")
  func cancellingWhileItHappens() async throws {
    let feed = RecordFeed(over: Service(), clock: TestClock.leaping)
    for round in 0..<200 {
      let gate = Gate()
      gate.open()
      let tasks = (0..<4).map { _ in
        let states = feed.states
        return Task { for await _ in states { try await gate.pass() } }
      }
      try await gate.arrivals(atLeast: tasks.count)
      let typing = Task { for key in 0..<100 { feed.send(.typed("\(round) \(key)")) } }
      for task in tasks { task.cancel() }
      await typing.value
      for task in tasks { _ = await task.result }
    }
  }
}

/// Calls `ask` in the very call that resumes a task.
private final class Asking: TaskExecutor {
  private let ask: @Sendable () -> Void

  init(_ ask: @escaping @Sendable () -> Void) { self.ask = ask }

  func enqueue(_ job: consuming ExecutorJob) {
    ask()
    let job = UnownedJob(job)
    SystemThread.start { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
