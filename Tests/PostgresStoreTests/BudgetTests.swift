import AggregatorCore
import TestServers
import Testing

@testable import PostgresStore

@Suite(.enabled(if: TestServer.isThere, "needs Scripts/with-postgres")) struct BudgetTests {
  let server: Server

  init() throws { server = Server(try #require(TestServer.address), patience: .seconds(60)) }

  @Test("the server's rules are those of the book", arguments: 0..<12)
  func rules(seed: Int) async throws {
    var dice = SeededDice(seed)
    let rates = (0..<(seed % 2 + 1)).map { index in
      (name: "rules \(seed) \(index)", rate: Budget.Rate(1 + dice.next(4), per: .milliseconds(100 * (1 + dice.next(20)))))
    }
    var (book, tickets, now) = (BudgetBook(), [BudgetTicket](), Moment(secondsSinceEpoch: 1_700_000_000))
    for step in 0..<60 {
      // Sometimes so long that nobody can still be waiting for an answer.
      now = now + .milliseconds(dice.next(10) == 0 ? 46_000 : dice.next(400))
      if let ticket = tickets.randomElement(using: &dice), dice.next(3) > 0 {
        if dice.next(2) == 0 {
          let moment = dice.next(4) == 0 ? nil : now
          book.settle(ticket, at: moment)
          try await settle(ticket, at: moment)
          tickets.removeAll { $0.id == ticket.id }
          continue
        }
        try await compare(ticket, &book, at: now, step)
      } else {
        let ticket = BudgetTicket(rates, id: UInt64(seed * 1_000 + step))
        if case .taken = try await compare(ticket, &book, at: now, step, patience: dice.next(3)) { tickets.append(ticket) }
      }
    }
  }

  @discardableResult
  private func compare(
    _ ticket: BudgetTicket, _ book: inout BudgetBook, at now: Moment, _ step: Int, patience: Int = 60
  ) async throws -> BudgetSlot {
    let expected = book.reserve(ticket, at: now, noLaterThan: now + .seconds(patience))
    let rows = try await server.write { transaction in
      try await transaction.run(
        Query(
          "SELECT is_taken, wait FROM aggregator.reserve_budget_at($1, $2, $3, $4, $5, $6, 'test')", now.nanoseconds,
          Int64(bitPattern: ticket.id), SQLList(ticket.rates.map(\.name)), SQLList(ticket.rates.map { Int64($0.rate.count) }),
          SQLList(ticket.rates.map { Int64($0.rate.period / .nanoseconds(1)) }), Int64(patience) * 1_000_000_000))
    }
    let slot = try #require(
      rows[0].first { $0.bool(0) ? BudgetSlot.taken(now + .nanoseconds($0.int64(1))) : .tooLate(now + .nanoseconds($0.int64(1))) })
    #expect(slot == expected, "step \(step)")
    return expected
  }

  private func settle(_ ticket: BudgetTicket, at moment: Moment?) async throws {
    let id = Int64(bitPattern: ticket.id)
    _ = try await server.read(
      moment.map { Query("UPDATE aggregator.budget_slot SET at = $2, is_open = false WHERE ticket = $1", id, $0.nanoseconds) }
        ?? Query("DELETE FROM aggregator.budget_slot WHERE ticket = $1", id))
  }

  @Test("where nobody counts, nothing is sent, and something else may stand in")
  func uncounted() async throws {
    let nowhere = Server(try #require(ServerAddress("postgresql://127.0.0.1:1/x")), patience: .seconds(60))
    let ticket = BudgetTicket([("nowhere", Budget.Rate(1, per: .seconds(1)))])
    let error = await #expect(throws: SourceError.self) {
      try await PostgresBudgets(server: nowhere).reserve(ticket, at: SystemTime().now, noLaterThan: SystemTime().now)
    }
    #expect(error?.kind == .storage && error?.kind.mayFallBack == true)
  }

  @Test("a request that was settled leaves its slot to the next one after the period; a process that ended waits for nobody")
  func settling() async throws {
    let budgets = PostgresBudgets(server: server)
    let rates = [(name: "settling \(UInt64.random(in: .min ... .max))", rate: Budget.Rate(1, per: .seconds(3_600)))]
    let now = SystemTime().now
    let (first, second) = (BudgetTicket(rates), BudgetTicket(rates))
    #expect(try await budgets.reserve(first, at: now, noLaterThan: now) == .taken(now))
    #expect(try await budgets.reserve(second, at: now, noLaterThan: now) != .taken(now))
    await budgets.settle(first, at: nil)
    #expect(try await budgets.reserve(second, at: now, noLaterThan: now) == .taken(now))
    await budgets.settle(second, at: now)
    guard case .tooLate(let moment) = try await budgets.reserve(first, at: now, noLaterThan: now) else {
      Issue.record("taken")
      return
    }
    #expect(moment > now + .seconds(3_590) && moment <= now + .seconds(3_600))
  }
}

/// The same numbers for the same seed.
private struct SeededDice: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: Int) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  mutating func next(_ count: Int) -> Int { Int(next() >> 33) % count }
}
