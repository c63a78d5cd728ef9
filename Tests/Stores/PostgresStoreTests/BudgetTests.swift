import AggregatorCore
import TestServers
import Testing

@testable import PostgresStore

@Suite(.enabled(if: TestServer.isThere, "needs Scripts/with-postgres")) struct BudgetTests {
  let server: DatabaseServer

  init() throws { server = DatabaseServer(try #require(TestServer.address), patience: .seconds(60)) }

  @Test("budgets on a server give the same slots as the book in memory, whatever the server's clock")
  func sameAsInMemory() async throws {
    let (budgets, book) = (PostgresBudgets(server: server, orIn: RequestsInMemory()), RequestsInMemory())
    let rates = (1...2).map { (name: "rules \(UInt64.random(in: .min ... .max))", rate: Budget.Rate($0 * $0, per: .seconds($0 * 600))) }
    let now = SystemTime().now
    var tickets: [BudgetTicket] = []
    for step in 0..<12 {
      // Every third waiting ticket asks again, and the first one with a slot is answered, or gives the slot back.
      let ticket = step % 3 == 2 ? tickets[step / 3] : BudgetTicket(rates)
      let latest = now + .seconds(step.isMultiple(of: 4) ? 9_000 : 1)
      let due = await book.reserve(ticket, at: now, noLaterThan: latest)
      let slot = try await budgets.reserve(ticket, at: now, noLaterThan: latest)
      // The server's time passes meanwhile.
      switch (slot, due) {
      case (.taken(let seen), .taken(let due)), (.tooLate(let seen), .tooLate(let due)): #expect(abs((seen - due) / .seconds(1)) < 300)
      default: Issue.record("step \(step): \(slot) instead of \(due)")
      }
      tickets.append(ticket)
      guard step % 5 == 1 else { continue }
      await book.finish(ticket, at: step == 1 ? now : nil)
      await budgets.finish(ticket, at: step == 1 ? now : nil)
    }
  }

  /// Spends the only slot: the first ticket takes it and leaves it to a second one, which keeps it. Returns the first ticket.
  private func spend(
    _ budgets: PostgresBudgets, _ rates: [(name: String, rate: Budget.Rate)], at now: Moment
  ) async throws -> BudgetTicket {
    let (first, second) = (BudgetTicket(rates), BudgetTicket(rates))
    #expect(try await budgets.reserve(first, at: now, noLaterThan: now) == .taken(now))
    #expect(try await budgets.reserve(second, at: now, noLaterThan: now) != .taken(now))
    await budgets.finish(first, at: nil)
    #expect(try await budgets.reserve(second, at: now, noLaterThan: now) == .taken(now))
    await budgets.finish(second, at: now)
    return first
  }

  @Test("if the server cannot be used, this machine counts the requests")
  func ownBudgets() async throws {
    let nowhere = DatabaseServer(try #require(ServerAddress("postgresql://127.0.0.1:1/x")), patience: .seconds(60))
    let budgets = PostgresBudgets(server: nowhere, orIn: RequestsInMemory())
    let (now, rates) = (SystemTime().now, [(name: "nowhere", rate: Budget.Rate(1, per: .seconds(3_600)))])
    let first = try await spend(budgets, rates, at: now)
    #expect(try await budgets.reserve(first, at: now, noLaterThan: now) == .tooLate(now + .seconds(3_600)))
  }

  @Test("while another connection has a budget locked, no other book counts: nothing is sent, and a fallback may answer")
  func locked() async throws {
    let name = "locked \(UInt64.random(in: .min ... .max))"
    let other = DatabaseServer(server.address, patience: .seconds(60))
    // The connection is made before the time begins, because making it takes a time of its own.
    _ = try await other.read("SELECT 1")
    let budgets = PostgresBudgets(server: other, orIn: RequestsInMemory())
    let ticket = BudgetTicket([(name, Budget.Rate(1, per: .seconds(1)))])
    let error = try await server.write { transaction in
      _ = try await transaction.run("SELECT pg_advisory_xact_lock(hashtextextended($1, 2))", name)
      let now = SystemTime().now
      return await Deadline.keep(until: now + .seconds(1), by: SystemTime()) {
        await #expect(throws: SourceError.self) { try await budgets.reserve(ticket, at: now, noLaterThan: now) }
      }
    }
    #expect(error?.kind == .storage && error?.kind.mayFallBack == true)
  }

  @Test("a settled request leaves its slot to the next one after the period; a process that ended holds up no other")
  func settling() async throws {
    let budgets = PostgresBudgets(server: server, orIn: RequestsInMemory())
    let rates = [(name: "settling \(UInt64.random(in: .min ... .max))", rate: Budget.Rate(1, per: .seconds(3_600)))]
    let now = SystemTime().now
    let first = try await spend(budgets, rates, at: now)
    guard case .tooLate(let moment) = try await budgets.reserve(first, at: now, noLaterThan: now) else {
      Issue.record("taken")
      return
    }
    #expect(moment > now + .seconds(3_590) && moment <= now + .seconds(3_600))
  }
}
