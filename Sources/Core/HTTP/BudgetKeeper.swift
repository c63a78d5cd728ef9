import Synchronization

/// Remembers what was spent of every budget.
///
/// In memory here; the store's module keeps it in a file that all processes share.
public protocol BudgetKeeper: Sendable {
  /// Takes the next free slot within all of `rates`, each counted under its own name, unless it lies beyond `latest`.
  func reserve(_ rates: [(name: String, rate: Budget.Rate)], at now: Moment, noLaterThan latest: Moment) throws -> BudgetSlot
}

/// When a request may be sent.
public enum BudgetSlot: Sendable, Hashable {
  /// Taken: send it then.
  case taken(Moment)
  /// Not taken: the first free one is too far away.
  case tooLate(Moment)
}

/// What was spent, as slots in time: the rules, without a place to keep them.
public struct BudgetBook: Sendable {
  /// The slots taken under each name, the latest last.
  public var slots: [String: [Moment]]

  public init(slots: [String: [Moment]] = [:]) { self.slots = slots }

  public mutating func reserve(
    _ rates: [(name: String, rate: Budget.Rate)], at now: Moment, noLaterThan latest: Moment
  ) -> BudgetSlot {
    let slot = rates.reduce(now) { max($0, firstFree(under: $1.name, $1.rate, from: now)) }
    guard slot <= latest else { return .tooLate(slot) }
    for (name, rate) in rates {
      slots[name, default: []].append(slot)
      // Older ones can no longer matter to this rate.
      let surplus = slots[name, default: []].count - rate.count
      if surplus > 0 { slots[name]?.removeFirst(surplus) }
    }
    return .taken(slot)
  }

  /// A window of the rate's period never holds more than its count: the slot that many back must have left it.
  private func firstFree(under name: String, _ rate: Budget.Rate, from now: Moment) -> Moment {
    let taken = slots[name] ?? []
    guard let last = taken.last else { return now }
    let afterLast = max(now, last)
    guard taken.count >= rate.count else { return afterLast }
    return max(afterLast, taken[taken.count - rate.count] + rate.period)
  }
}

/// Budgets for the life of a process.
public final class BudgetsInMemory: BudgetKeeper {
  private let book = Mutex(BudgetBook())

  public init() {}

  public func reserve(_ rates: [(name: String, rate: Budget.Rate)], at now: Moment, noLaterThan latest: Moment) -> BudgetSlot {
    book.withLock { $0.reserve(rates, at: now, noLaterThan: latest) }
  }
}

/// Lets requests through as a budget allows: at once, after a wait that patience bears, or not at all.
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

  func pass(resource: String) async throws {
    guard !budget.rates.isEmpty else { return }
    let now = clock.now
    let rates = budget.rates.map { rate in
      let name = rate.scope == .host ? scope : "\(scope) \(resource)"
      return ("\(name) \(rate.period.exactAmount)", rate)
    }
    switch try keeper.reserve(rates, at: now, noLaterThan: now + patience) {
    case .taken(let slot):
      guard slot > now else { return }
      Event.emit(.waiting(slot - now, because: "the budget of \(budget) for \(resource)"))
      try await clock.sleep(until: slot)
    case .tooLate(let slot):
      let wait = slot - now
      throw SourceError(.budgetSpent, "the budget of \(budget) is spent; it frees up in \(wait.amount)", retryAfter: wait)
    }
  }
}
