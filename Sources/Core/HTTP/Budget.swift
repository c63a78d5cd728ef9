/// How often a service lets itself be asked: `200/1h` for each resource and `1/1s` for the host, say.
public struct Budget: Sendable, Hashable {
  /// So many requests in so long a time.
  public struct Rate: Sendable, Hashable {
    /// How many requests.
    public let count: Int
    /// In any span of this length, not only in one that begins on the hour.
    public let period: Duration
    /// Whether all requests to the host count, or each resource for itself.
    public let scope: Scope

    /// `Rate(200, per: .seconds(3600), for: .resource)`.
    public init(_ count: Int, per period: Duration, for scope: Scope = .host) {
      (self.count, self.period, self.scope) = (count, period, scope)
    }
  }

  /// What a rate counts.
  public enum Scope: String, Sendable, Hashable {
    /// All requests to a host together.
    case host
    /// The requests for one resource of it (``HTTPRequest/resource``).
    case resource
  }

  /// Each of them holds; none at all is no limit.
  public var rates: [Rate]

  /// A budget in which each of these rates holds.
  public init(_ rates: [Rate]) { self.rates = rates }

  /// No limit, as for a mirror of one's own.
  public static let unlimited = Budget([])

  /// Reads `200/1h`, several of them after commas, or `unlimited`; the scope of each is that of the published rate with
  /// the same period, else the host.
  public init(_ text: String, like published: Budget = .unlimited) throws(SourceError) {
    var rates: [Rate] = []
    for part in text == "unlimited" ? [] : text.split(separator: ",", omittingEmptySubsequences: false) {
      let sides = part.filter { $0 != " " }.split(separator: "/", omittingEmptySubsequences: false)
      guard sides.count == 2, let count = Int(sides[0]), count > 0, let period = Duration(amount: String(sides[1])),
        period > .zero
      else {
        throw SourceError(.settings, "\"\(text)\" is not a valid budget", remedy: "write 200/1h, 200/1h,1/1s or unlimited")
      }
      let scope = published.rates.first { $0.period == period }?.scope ?? published.rates.first { $0.scope == .resource }?.scope
      rates.append(Rate(count, per: period, for: scope ?? .host))
    }
    self.init(rates)
  }
}

extension Budget: CustomStringConvertible {
  public var description: String {
    rates.isEmpty ? "unlimited" : rates.map { "\($0.count)/\($0.period.exactAmount)" }.joined(separator: ",")
  }
}

/// Keeps a service's published limits before it has to complain: every attempt and every redirect counts.
public struct BudgetMiddleware: Middleware {
  private let budget: Budget
  private let scope: String
  private let keeper: any BudgetKeeper
  private let clock: any Timekeeper
  private let patience = Patience.longestWait

  /// What is spent is counted under `scope`: the host, and a digest of the key where each key has its own budget.
  public init(_ budget: Budget, scope: String, keeper: any BudgetKeeper, clock: any Timekeeper = SystemTime()) {
    (self.budget, self.scope, self.keeper, self.clock) = (budget, scope, keeper, clock)
  }

  /// At once, after a wait that is not too long, or not at all; it counts until it returns.
  public func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    guard !budget.rates.isEmpty else { return try await next.send(request) }
    let ticket = BudgetTicket(
      budget.rates.map { rate in
        let name = rate.scope == .host ? scope : "\(scope) \(request.resource)"
        return ("\(name) \(rate.period.exactAmount)", rate)
      })
    try await wait(for: ticket, request.resource)
    let answered: @Sendable () async -> Void = { [keeper, clock] in await keeper.settle(ticket, at: clock.now) }
    return try await Deadline.ending(with: answered) { try await next.send(request) }
  }

  private func wait(for ticket: BudgetTicket, _ resource: String) async throws {
    while true {
      let now = clock.now
      switch try await keeper.reserve(ticket, at: now, noLaterThan: now + patience) {
      case .taken(let slot):
        guard slot > now else { return }
        Event.emit(.waiting(slot - now, because: "the budget of \(budget) for \(resource)"))
        do {
          try await clock.sleep(until: slot)
        } catch {
          try? await Deadline.disregarded { [keeper] in await keeper.settle(ticket, at: nil) }
          throw error
        }
      case .tooLate(let slot):
        let wait = slot - now
        throw SourceError(.budgetSpent, "the budget of \(budget) is spent; try again in \(wait.inWords)", retryAfter: wait)
      }
    }
  }
}
