import AggregatorCore
import Platform
import ScratchFolders
import Synchronization
import Testing

@testable import Store

@Suite("The requests of all processes") struct RequestLogTests {
  let scratch: ScratchFolder
  private let now = Moment(secondsSinceEpoch: 1_000)
  private let host = WebAddress("https://example.org/")?.origin

  init() throws { scratch = try ScratchFolder() }

  @Test("ten processes never exceed a rate, by the time at which each request was answered")
  func together() throws {
    let probes = try (0..<10).map { _ in try Probe("reserve", scratch.path, "30") }
    let ends = probes.map { $0.end() }
    try #require(ends.allSatisfy { $0.status == 0 }, "\(ends.flatMap(\.lines).prefix(20))")
    let requests = ends.flatMap(\.lines).map { $0.split(separator: " ").compactMap { Int($0) } }.sorted { $0[0] < $1[0] }
    #expect(requests.count == 300)
    for (index, request) in requests.enumerated() {
      // The clocks of two processes differ by some microseconds.
      #expect(requests[..<index].count { $0[1] > request[0] - 9_000_000 } < 5)
    }
  }

  @Test("the request log gives the same slots as the book in memory")
  func sameAsInMemory() async throws {
    let log = RequestLog(in: scratch.path)
    let book = RequestsInMemory()
    let rates = [("a", Budget.Rate(3, per: .seconds(10))), ("b", Budget.Rate(1, per: .seconds(1)))]
    let dice = SeededDice(seed: 3)
    var moment = now
    var open: [BudgetTicket] = []
    for _ in 0..<200 {
      moment = moment + .milliseconds(dice.index(below: 4_000))
      let latest = moment + .seconds(dice.index(below: 30))
      let ticket = open.isEmpty || dice.index(below: 3) > 0 ? BudgetTicket(rates) : open[dice.index(below: open.count)]
      let slot = try await log.reserve(ticket, at: moment, noLaterThan: latest)
      #expect(await book.reserve(ticket, at: moment, noLaterThan: latest) == slot)
      open.removeAll { $0.id == ticket.id }
      if case .taken = slot { open.append(ticket) }
      if dice.index(below: 2) == 0, let done = open.popLast() {
        let end = dice.index(below: 4) == 0 ? nil : moment
        await log.finish(done, at: end)
        await book.finish(done, at: end)
      }
    }
  }

  @Test("a note from a clock that was ahead counts for nothing", arguments: [Duration.seconds(7_200), .seconds(315_360_000)])
  func ahead(by span: Duration) async throws {
    let host = try #require(host)
    let log = RequestLog(in: scratch.path)
    let rates = [("a", Budget.Rate(1, per: .seconds(3_600)))]
    let early = BudgetTicket(rates)
    #expect(try await log.reserve(early, at: now + span, noLaterThan: now + span) == .taken(now + span))
    await log.finish(early, at: now + span)
    await log.note(SourceError(.unreachable, "no answer"), of: host, at: now + span)
    #expect(try await log.reserve(BudgetTicket(rates), at: now, noLaterThan: now) == .taken(now))
    #expect(await log.failure(of: host, within: (now - .seconds(30))...now) == nil)
  }

  @Test("moments that no file can store do not stop the request log")
  func farAway() async throws {
    let host = try #require(host)
    let log = RequestLog(in: scratch.path)
    let far = Moment(secondsSinceEpoch: 10_413_792_000)
    #expect(try await log.reserve(BudgetTicket([("a", Budget.Rate(1, per: .seconds(1)))]), at: far, noLaterThan: far) == .taken(far))
    await log.note(SourceError(.unreachable, "no answer"), of: host, at: far)
    #expect(await log.failure(of: host, within: (far - .seconds(30))...far) != nil)
  }

  @Test("a host that could not be reached is remembered by all, until it answers")
  func hosts() async throws {
    let host = try #require(host)
    let (one, other) = (RequestLog(in: scratch.path), RequestLog(in: scratch.path))
    #expect(await one.failure(of: host, within: now...now) == nil)
    await one.note(nil, of: host, at: now)
    #expect(scratch.names().isEmpty)
    await one.note(SourceError(.unreachable, "no answer"), of: host, at: now)
    #expect(await other.failure(of: host, within: now...now)?.error.message == "no answer")
    #expect(await other.failure(of: host, within: now...now)?.error.kind == .unreachable)
    #expect(await other.failure(of: host, within: (now + .nanoseconds(1))...(now + .seconds(1))) == nil)
    await other.note(nil, of: host, at: now)
    #expect(await one.failure(of: host, within: now...now) == nil)
  }

  @Test("without a writable file the request log counts in memory, and says so once")
  func unwritable() async throws {
    try scratch.write("file", [UInt8]())
    let notices = Mutex<[String]>([])
    let log = RequestLog(in: scratch["file"])
    let rate = [("a", Budget.Rate(1, per: .seconds(10)))]
    try await Event.listening({ event in
      if case .noticed(_, let text) = event { notices.withLock { $0.append(text) } }
    }) {
      #expect(try await log.reserve(BudgetTicket(rate), at: now, noLaterThan: now) == .taken(now))
      #expect(try await log.reserve(BudgetTicket(rate), at: now, noLaterThan: now) == .tooLate(now + .seconds(10)))
      await log.note(SourceError(.unreachable, "no answer"), of: try #require(host), at: now)
      #expect(await log.failure(of: try #require(host), within: now...now) != nil)
    }
    #expect(notices.withLock { $0.count } == 1)
  }
}
