import AggregatorCore
import SourceTesting
import Testing

@Suite("Budgets")
struct BudgetTests {
  @Test("budgets are written as they are read", arguments: ["200/1h", "1/1s", "200/1h,1/1s", "unlimited", "5/1h30m", "3/500ms", "3/1.5s"])
  func roundTrip(text: String) throws { #expect(try Budget(try Budget(text).description) == Budget(text)) }

  @Test(
    "budgets that make no sense are refused",
    arguments: ["", "200", "/1h", "200/", "0/1h", "-1/1h", "1/0s", "1/h", "1/1h,", "a/1h", "1/1h/1h", "1/1heach", "each"])
  func refused(text: String) { #expect { try Budget(text) } throws: { ($0 as? SourceError)?.kind == .settings } }

  @Test("budgets take each rate's scope from the published rate that has its period")
  func scopes() throws {
    let published = Budget([.init(200, per: .seconds(3600), for: .resource), .init(1, per: .seconds(1))])
    #expect(try Budget("100/1h, 2/1s", like: published).rates.map(\.scope) == [.resource, .host])
    #expect(try Budget("10/1m", like: published).rates.map(\.scope) == [.resource])
    #expect(try Budget("10/1m").rates.map(\.scope) == [.host])
  }

  @Test("a budget may say itself that a rate counts each resource, as a manifest does")
  func each() throws {
    let published = Budget([.init(200, per: .seconds(3600)), .init(1, per: .seconds(1))])
    #expect(try Budget("100/1h each, 2/1s", like: published).rates.map(\.scope) == [.resource, .host])
    #expect(try Budget("200/1h each").rates == [.init(200, per: .seconds(3600), for: .resource)])
  }
}

@Suite("What was spent")
struct BudgetBookTests {
  private let now = Moment(secondsSinceEpoch: 1000)

  /// Requests that are answered as soon as they are sent.
  private struct Traffic {
    private var book = BudgetBook()
    private var waiting: [(ticket: BudgetTicket, slot: Moment)] = []
    private var count: UInt64 = 0

    /// The slot of a request that comes at `time`, after all earlier ones were sent in theirs; nil if it is too far away.
    mutating func slot(_ rates: [(name: String, rate: Budget.Rate)], at time: Moment) -> Moment? {
      while let (ticket, slot) = waiting.first, slot <= time {
        #expect(book.reserve(ticket, at: slot, noLaterThan: .distant) == .taken(slot))
        book.finish(ticket, at: slot)
        waiting.removeFirst()
      }
      count += 1
      let ticket = BudgetTicket(rates, id: count)
      guard case .taken(let slot) = book.reserve(ticket, at: time, noLaterThan: .distant) else { return nil }
      waiting.append((ticket, slot))
      return slot
    }
  }

  /// The slots of requests that come at these times.
  private func slots(_ rates: [Budget.Rate], at times: [Moment]) -> [Moment] {
    var traffic = Traffic()
    let named = rates.enumerated().map { (name: "\($0.offset)", rate: $0.element) }
    return times.compactMap { traffic.slot(named, at: $0) }
  }

  @Test("no window of any rate's period holds more than its count, and no request waits longer than it has to", arguments: 0..<100)
  func window(seed: UInt64) {
    let dice = SeededDice(seed: seed)
    let rates = (0...dice.index(below: 3)).map { _ in
      Budget.Rate(1 + dice.index(below: 5), per: .seconds(1 + dice.index(below: 20)))
    }
    var time = now
    let times = (0..<120).map { _ in
      time = time + .milliseconds(dice.index(below: 8000) * dice.index(below: 2))
      return time
    }
    let slots = slots(rates, at: times)
    #expect(slots.count == times.count)
    for (index, slot) in slots.enumerated() {
      #expect(slot >= times[index])
      for rate in rates where index >= rate.count { #expect(slot - slots[index - rate.count] >= rate.period) }
      // The earliest moment that the rates, the order and the request itself allow.
      let earliest = rates.filter { index >= $0.count }.map { slots[index - $0.count] + $0.period }
      #expect(slot == (earliest + [times[index]] + slots[..<index].suffix(1)).max())
    }
  }

  @Test("no window holds more than its rate's count when requests share only some of the rates", arguments: 0..<100)
  func mixed(seed: UInt64) {
    let dice = SeededDice(seed: seed)
    let rates = (0..<4).map { _ in Budget.Rate(1 + dice.index(below: 3), per: .seconds(1 + dice.index(below: 20))) }
    var traffic = Traffic()
    var time = now
    var slots: [String: [Moment]] = [:]
    for _ in 0..<120 {
      time = time + .milliseconds(dice.index(below: 8000) * dice.index(below: 2))
      // The first rate is that of the host, which all requests share; the others are those of three resources.
      let names = [0, 1 + dice.index(below: 3)]
      let named = names.map { (name: "\($0)", rate: rates[$0]) }
      guard let slot = traffic.slot(named, at: time) else { continue }
      for (name, _) in named { slots[name, default: []].append(slot) }
    }
    for (index, rate) in rates.enumerated() {
      let taken = slots["\(index)", default: []]
      #expect(taken == taken.sorted(), "requests are served in the order in which they come")
      for (earlier, later) in zip(taken, taken.dropFirst(rate.count)) { #expect(later - earlier >= rate.period) }
    }
  }

  @Test("several rates of a budget hold at once")
  func several() {
    let slots = slots([.init(1, per: .seconds(1)), .init(3, per: .seconds(10))], at: Array(repeating: now, count: 5))
    #expect(slots.map { ($0 - now).inSeconds } == [0, 1, 2, 10, 11])
  }

  private func ticket(_ id: UInt64, _ rates: (String, Budget.Rate)...) -> BudgetTicket { BudgetTicket(rates, id: id) }

  @Test("a slot that would be too late is not taken, and costs other requests nothing")
  func tooLate() {
    var book = BudgetBook()
    let rates = [(name: "a", rate: Budget.Rate(1, per: .seconds(10))), (name: "b", rate: Budget.Rate(5, per: .seconds(10)))]
    let first = BudgetTicket(rates, id: 1)
    #expect(book.reserve(first, at: now, noLaterThan: now) == .taken(now))
    book.finish(first, at: now)
    let before = book.accounts
    #expect(book.reserve(BudgetTicket(rates, id: 2), at: now, noLaterThan: now + .seconds(9)) == .tooLate(now + .seconds(10)))
    #expect(book.accounts == before)
    #expect(book.reserve(BudgetTicket(rates, id: 3), at: now, noLaterThan: now + .seconds(10)) == .taken(now + .seconds(10)))
  }

  @Test("requests under different names are counted apart")
  func names() {
    var book = BudgetBook()
    let rate = Budget.Rate(1, per: .seconds(10))
    #expect(book.reserve(ticket(1, ("a", rate)), at: now, noLaterThan: now) == .taken(now))
    #expect(book.reserve(ticket(2, ("b", rate)), at: now, noLaterThan: now) == .taken(now))
    #expect(book.reserve(ticket(3, ("a", rate)), at: now, noLaterThan: now) == .tooLate(now + .seconds(10)))
  }

  @Test("a request counts until its answer, and then from the moment of its answer")
  func underWay() {
    var book = BudgetBook()
    let rate = ("a", Budget.Rate(1, per: .seconds(1)))
    let (slow, next) = (ticket(1, rate), ticket(2, rate))
    func slot(at time: Duration) -> BudgetSlot { book.reserve(next, at: now + time, noLaterThan: now + .seconds(30)) }
    #expect(book.reserve(slow, at: now, noLaterThan: now) == .taken(now))
    #expect(slot(at: .zero) == .taken(now + .seconds(1)))
    #expect(slot(at: .seconds(1)) == .taken(now + .seconds(2)))
    book.finish(slow, at: now + .milliseconds(1_500))
    #expect(slot(at: .seconds(2)) == .taken(now + .milliseconds(2_500)))
    #expect(slot(at: .milliseconds(2_500)) == .taken(now + .milliseconds(2_500)))
  }

  @Test("a request that gives up leaves its slot to the next, and one that never ends does not block others")
  func gone() {
    var book = BudgetBook()
    let rate = ("a", Budget.Rate(1, per: .seconds(1)))
    #expect(book.reserve(ticket(1, rate), at: now, noLaterThan: now) == .taken(now))
    #expect(book.reserve(ticket(2, rate), at: now, noLaterThan: .distant) == .taken(now + .seconds(1)))
    book.finish(ticket(2, rate), at: nil)
    #expect(book.reserve(ticket(3, rate), at: now, noLaterThan: .distant) == .taken(now + .seconds(1)))
    #expect(book.reserve(ticket(4, rate), at: now + .seconds(60), noLaterThan: now + .seconds(60)) == .taken(now + .seconds(60)))
  }

  @Test("a note from a clock that was ahead counts for nothing")
  func ahead() {
    var book = BudgetBook()
    let rate = ("a", Budget.Rate(1, per: .seconds(3600)))
    #expect(book.reserve(ticket(1, rate), at: now + .seconds(7200), noLaterThan: .distant) == .taken(now + .seconds(7200)))
    book.finish(ticket(1, rate), at: now + .seconds(7200))
    #expect(book.reserve(ticket(2, rate), at: now, noLaterThan: now) == .taken(now))
  }

  @Test("spent requests still count after a clock that was ahead for a moment is right again")
  func aheadMeanwhile() {
    var book = BudgetBook()
    let rate = ("a", Budget.Rate(1, per: .seconds(3600)))
    #expect(book.reserve(ticket(1, rate), at: now, noLaterThan: now) == .taken(now))
    book.finish(ticket(1, rate), at: now)
    let ahead = now + .seconds(7200)
    #expect(book.reserve(ticket(2, rate), at: ahead, noLaterThan: ahead) == .taken(ahead))
    book.finish(ticket(2, rate), at: ahead)
    #expect(book.reserve(ticket(3, rate), at: now, noLaterThan: now) == .tooLate(now + .seconds(3600)))
  }

  @Test("the book of spent requests does not grow with their number")
  func bounded() {
    var book = BudgetBook()
    for second in 0..<1000 {
      let ticket = ticket(UInt64(second), ("a", .init(3, per: .seconds(1))))
      _ = book.reserve(ticket, at: now + .seconds(second), noLaterThan: .distant)
      book.finish(ticket, at: now + .seconds(second))
    }
    #expect(book.accounts["a"]?.answered.count ?? 0 <= 4)
  }
}

extension Moment {
  fileprivate static let distant = Moment(secondsSinceEpoch: 1_000_000_000)
}
