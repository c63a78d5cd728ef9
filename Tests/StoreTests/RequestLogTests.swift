import AggregatorCore
import Glibc
import Synchronization
import Testing

@testable import Store

@Suite("What all processes have asked") struct RequestLogTests {
  let scratch: Scratch
  private let now = Moment(secondsSinceEpoch: 1_000)
  private let host = WebAddress("https://example.org/")?.origin

  init() throws { scratch = try Scratch() }

  @Test("ten processes never exceed a rate")
  func together() throws {
    let probes = try (0..<10).map { _ in try Probe("reserve", scratch.path, "30") }
    let ends = probes.map { $0.end() }
    #expect(ends.allSatisfy { $0.status == 0 })
    let slots = ends.flatMap(\.lines).compactMap { Int($0) }.sorted()
    #expect(slots.count == 300)
    for index in slots.indices.dropFirst(5) { #expect(slots[index] - slots[index - 5] >= 10_000_000_000) }
  }

  @Test("it takes the slots that the book in memory takes")
  func sameAsInMemory() throws {
    let log = RequestLog(in: scratch.path)
    let book = BudgetsInMemory()
    let rates = [("a", Budget.Rate(3, per: .seconds(10))), ("b", Budget.Rate(1, per: .seconds(1)))]
    let dice = SeededDice(seed: 3)
    var moment = now
    for _ in 0..<200 {
      moment = moment + .milliseconds(dice.index(below: 4_000))
      let latest = moment + .seconds(dice.index(below: 30))
      #expect(try log.reserve(rates, at: moment, noLaterThan: latest) == book.reserve(rates, at: moment, noLaterThan: latest))
    }
  }

  @Test("a host that could not be reached is remembered by all, until it answers")
  func hosts() throws {
    let host = try #require(host)
    let (one, other) = (RequestLog(in: scratch.path), RequestLog(in: scratch.path))
    #expect(one.failure(of: host, since: now) == nil)
    one.note(nil, of: host, at: now)
    #expect(scratch.names.isEmpty)
    one.note(SourceError(.unreachable, "no answer"), of: host, at: now)
    #expect(other.failure(of: host, since: now)?.message == "no answer")
    #expect(other.failure(of: host, since: now)?.kind == .unreachable)
    #expect(other.failure(of: host, since: now + .nanoseconds(1)) == nil)
    other.note(nil, of: host, at: now)
    #expect(one.failure(of: host, since: now) == nil)
  }

  @Test("where nothing can be written it counts in memory, and says so once")
  func unwritable() async throws {
    scratch.write([], to: "file")
    let notices = Mutex<[String]>([])
    let log = RequestLog(in: scratch["file"])
    let rate = [("a", Budget.Rate(1, per: .seconds(10)))]
    try await Event.listening(
      { event in if case .noticed(_, let text) = event { notices.withLock { $0.append(text) } } }
    ) {
      #expect(try log.reserve(rate, at: now, noLaterThan: now) == .taken(now))
      #expect(try log.reserve(rate, at: now, noLaterThan: now) == .tooLate(now + .seconds(10)))
      log.note(SourceError(.unreachable, "no answer"), of: try #require(host), at: now)
      #expect(log.failure(of: try #require(host), since: now) != nil)
    }
    #expect(notices.withLock { $0.count } == 1)
  }
}
