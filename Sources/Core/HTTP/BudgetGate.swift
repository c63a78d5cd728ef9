/// Lets requests through as a budget allows: at once, after a wait that is not too long, or not at all.
struct BudgetGate: Sendable {
  let budget: Budget
  private let scope: String
  private let keeper: any BudgetKeeper
  private let clock: any Timekeeper
  private let patience: Duration

  init(_ budget: Budget, scope: String, keeper: any BudgetKeeper, clock: any Timekeeper, patience: Duration = Patience.usual.longestWait) {
    self.budget = budget
    self.scope = scope
    self.keeper = keeper
    self.clock = clock
    self.patience = patience
  }

  /// What `send` gives, once it may send; it counts until it returns.
  func pass<Answer: Sendable>(resource: String, _ send: () async throws -> Answer) async throws -> Answer {
    guard !budget.rates.isEmpty else { return try await send() }
    let ticket = BudgetTicket(
      budget.rates.map { rate in
        let name = rate.scope == .host ? scope : "\(scope) \(resource)"
        return ("\(name) \(rate.period.exactAmount)", rate)
      })
    try await wait(for: ticket, resource)
    defer { keeper.settle(ticket, at: clock.now) }
    return try await send()
  }

  private func wait(for ticket: BudgetTicket, _ resource: String) async throws {
    while true {
      let now = clock.now
      switch try keeper.reserve(ticket, at: now, noLaterThan: now + patience) {
      case .taken(let slot):
        guard slot > now else { return }
        Event.emit(.waiting(slot - now, because: "the budget of \(budget) for \(resource)"))
        do {
          try await clock.sleep(until: slot)
        } catch {
          keeper.settle(ticket, at: nil)
          throw error
        }
      case .tooLate(let slot):
        let wait = slot - now
        throw SourceError(.budgetSpent, "the budget of \(budget) is spent; try again in \(wait.inWords)", retryAfter: wait)
      }
    }
  }
}
