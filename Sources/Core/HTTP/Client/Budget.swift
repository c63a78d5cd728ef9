/// The number of requests that a service allows, for example `200/1h` for each resource and `1/1s` for the host.
public struct Budget: Sendable, Hashable {
  /// A number of requests in a length of time.
  public struct Rate: Sendable, Hashable {
    /// The number of requests.
    public let count: Int
    /// The length of time: any span of this length, not only one that begins on the hour.
    public let period: Duration
    /// The requests that count together: all to the host, or those for one resource.
    public let scope: Scope

    /// A rate, such as `Rate(200, per: .seconds(3600), for: .resource)`.
    public init(_ count: Int, per period: Duration, for scope: Scope = .host) {
      (self.count, self.period, self.scope) = (count, period, scope)
    }
  }

  /// The requests that a rate counts together.
  public enum Scope: String, Sendable, Hashable {
    /// All requests to a host together.
    case host
    /// The requests for one resource of the host (``HTTPRequest/resource``).
    case resource
  }

  /// The rates, which all hold at once. An empty list means no limit.
  public var rates: [Rate]

  /// A budget in which all these rates hold.
  public init(_ rates: [Rate]) { self.rates = rates }

  /// No limit, for example for one's own mirror.
  public static let unlimited = Budget([])

  /// Reads `200/1h`, several rates with commas between them, or `unlimited`. A rate such as `200/1h each` counts resources. The scope of
  /// another is that of the published rate with the same period. Without one, it is the resource if any published rate counts resources,
  /// otherwise the host.
  public init(_ text: String, like published: Budget = .unlimited) throws(SourceError) {
    var rates: [Rate] = []
    for part in text == "unlimited" ? [] : text.split(separator: ",", omittingEmptySubsequences: false) {
      let rate = part.trimmingSpaces
      let isForEach = rate.hasSuffix(" each")
      let sides = rate.dropLast(isForEach ? 5 : 0).filter { $0 != " " }.split(separator: "/", omittingEmptySubsequences: false)
      guard sides.count == 2, let count = Int(sides[0]), count > 0, let period = Duration(amount: String(sides[1])),
        period > .zero
      else {
        throw SourceError(.settings, "\"\(text)\" is not a valid budget", remedy: "write 200/1h, 200/1h,1/1s or unlimited")
      }
      let scope = published.rates.first { $0.period == period }?.scope ?? published.rates.first { $0.scope == .resource }?.scope
      rates.append(Rate(count, per: period, for: isForEach ? .resource : scope ?? .host))
    }
    self.init(rates)
  }
}

extension Budget: CustomStringConvertible {
  public var description: String {
    rates.isEmpty ? "unlimited" : rates.map { "\($0.count)/\($0.period.exactAmount)" }.joined(separator: ",")
  }
}

/// Keeps a service's published limits before it has to complain. Every attempt and every redirect counts.
public struct BudgetMiddleware: Middleware {
  private let budget: Budget
  private let scope: String
  private let keeper: any BudgetKeeper
  private let clock: any Timekeeper

  /// A middleware that counts requests under `scope`: the host, with a digest of the key if each key has its own budget.
  public init(_ budget: Budget, scope: String, keeper: any BudgetKeeper, clock: any Timekeeper = SystemTime()) {
    (self.budget, self.scope, self.keeper, self.clock) = (budget, scope, keeper, clock)
  }

  /// Sends the request at once or after a wait, or throws `budgetSpent` if that would be too long. The request is open until this returns.
  public func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    guard !budget.rates.isEmpty else { return try await next.send(request) }
    let ticket = BudgetTicket(
      budget.rates.map { rate in
        let name = rate.scope == .host ? scope : "\(scope) \(request.resource)"
        return ("\(name) \(rate.period.exactAmount)", rate)
      })
    try await wait(for: ticket, request.resource)
    let answered: @Sendable () async -> Void = { [keeper, clock] in await keeper.finish(ticket, at: clock.now) }
    return try await Deadline.ending(with: answered) { try await next.send(request) }
  }

  private func wait(for ticket: BudgetTicket, _ resource: String) async throws {
    while true {
      let now = clock.now
      switch try await keeper.reserve(ticket, at: now, noLaterThan: now + Patience.longestWait) {
      case .taken(let slot):
        guard slot > now else { return }
        Event.emit(.waiting(slot - now, because: "the budget of \(budget) for \(resource)"))
        do {
          try await clock.sleep(until: slot)
        } catch {
          try? await Deadline.disregarded(grace: .seconds(1)) { [keeper] in await keeper.finish(ticket, at: nil) }
          throw error
        }
      case .tooLate(let slot):
        let wait = slot - now
        throw SourceError(.budgetSpent, "the budget of \(budget) is spent; try again in \(wait.inWords)", retryAfter: wait)
      }
    }
  }
}
