import Synchronization

/// Remembers the requests that count against each budget.
///
/// A request counts as open from the moment at which it may be sent until it is answered. Then it counts at the moment of the answer,
/// because the service cannot have received it later. So no window of the service's own log ever holds more requests than a rate allows,
/// however long a connection takes.
public protocol BudgetKeeper: Sendable {
  /// Takes the next free slot within all rates of `ticket`, unless it is after `latest`. For a ticket that already has a slot, checks
  /// whether its turn has come: the requests before it may have taken longer than expected.
  func reserve(_ ticket: BudgetTicket, at now: Moment, noLaterThan latest: Moment) async throws -> BudgetSlot

  /// Notes that the request was answered, or failed, at `moment`; nil gives back a slot that was not used.
  func finish(_ ticket: BudgetTicket, at moment: Moment?) async

  /// Returns the accounts whose names begin with `scope`, by the clock of `now`. The default knows none.
  func accounts(under scope: String, at now: Moment) async -> [String: BudgetBook.Account]
}

extension BudgetKeeper {
  public func accounts(under scope: String, at now: Moment) async -> [String: BudgetBook.Account] { [:] }
}

/// Remembers recent requests to services: those that count against budgets, and the hosts that could not be reached.
public typealias RequestMemory = BudgetKeeper & HostMemory

/// One request, and the rates that it counts against.
public struct BudgetTicket: Sendable {
  /// The number of the request, different for each one.
  public let id: UInt64
  /// The rates, each counted under its own name.
  public let rates: [(name: String, rate: Budget.Rate)]

  /// A request that counts against each of these rates, with its own number.
  public init(_ rates: [(name: String, rate: Budget.Rate)], id: UInt64 = .random(in: .min ... .max)) {
    (self.id, self.rates) = (id, rates)
  }
}

/// The moment at which a request may be sent.
public enum BudgetSlot: Sendable, Hashable {
  /// The slot is taken. Send the request at that moment, after the keeper has confirmed it; at once if that is now.
  case taken(Moment)
  /// No slot is taken, because the first free one is too far away.
  case tooLate(Moment)
}

/// The rules of budgets: requests as slots in time, without anything that stores them.
public struct BudgetBook: Sendable {
  /// A request that waits or is open.
  public struct Slot: Sendable, Hashable {
    /// The ticket that has the slot.
    public internal(set) var ticket: UInt64 = 0
    /// The moment at which the request may be sent.
    public internal(set) var moment = Moment(secondsSinceEpoch: 0)
    /// The process that sends it, as named by a store that several processes share; nil if only this process uses the book.
    public internal(set) var sender: String?

    /// A slot without a request.
    public init() {}
  }

  /// The requests under one name.
  public struct Account: Sendable, Hashable {
    /// The requests that wait or are open, in the order in which they were made.
    public internal(set) var open: [Slot] = []
    /// The moments at which requests were answered.
    public internal(set) var answered: [Moment] = []

    /// An account without requests.
    public init() {}
  }

  /// The accounts by their names.
  public package(set) var accounts: [String: Account] = [:]

  /// A book without requests.
  public init() {}

  /// Takes the first slot that every rate leaves free, for `sender`. Takes none if that slot is after `latest`.
  public mutating func reserve(
    _ ticket: BudgetTicket, by sender: String? = nil, at now: Moment, noLaterThan latest: Moment
  ) -> BudgetSlot {
    for (name, rate) in ticket.rates { accounts[name]?.forget(rate, at: now, latest) }
    let moment = ticket.rates.reduce(now) { moment, rate in
      max(moment, accounts[rate.name]?.firstFree(for: ticket.id, rate.rate, at: now) ?? now)
    }
    guard moment <= latest else {
      finish(ticket, at: nil)
      return .tooLate(moment)
    }
    for (name, _) in ticket.rates {
      var account = accounts[name] ?? Account()
      let known = account.open.firstIndex { $0.ticket == ticket.id }
      if known == nil { account.open.append(copy(of: Slot()) { ($0.ticket, $0.sender) = (ticket.id, sender) }) }
      account.open[known ?? account.open.count - 1].moment = moment
      accounts[name] = account
    }
    return .taken(moment)
  }

  /// Settles the slot at the time of the answer. If `moment` is nil no request was sent, and the slot is free again.
  public mutating func finish(_ ticket: BudgetTicket, at moment: Moment?) {
    for (name, _) in ticket.rates {
      guard let known = accounts[name]?.open.firstIndex(where: { $0.ticket == ticket.id }) else { continue }
      accounts[name]?.open.remove(at: known)
      if let moment { accounts[name]?.answered.append(moment) }
    }
  }

  /// Settles the slots of processes that have ended. A slot counts as used unless it is still in the future.
  package mutating func finish(at now: Moment, leftBehind hasEnded: (_ sender: String) -> Bool) {
    for (name, account) in accounts {
      let left = account.open.filter { $0.sender.map(hasEnded) ?? false }
      guard !left.isEmpty else { continue }
      accounts[name]?.open.removeAll { left.contains($0) }
      accounts[name]?.answered += left.map(\.moment).filter { $0 <= now }
    }
  }
}

extension BudgetBook.Account {
  /// Returns the account with all times moved by `shift`, for a reader with another clock.
  package func shifted(by shift: Duration) -> Self {
    copy(of: self) { account in
      account.answered = answered.map { $0 + shift }
      for index in open.indices { account.open[index].moment = open[index].moment + shift }
    }
  }

  /// The moments at which its requests count, as far as a window of this length that ends now has them.
  fileprivate func moments(within period: Duration, at now: Moment) -> [Moment] {
    (open.map { $0.spent(at: now) } + answered.map { min($0, now) }).filter { $0 > now - period }
  }

  /// The first moment at which a window of the rate's period has room for the ticket, after all requests that came before it.
  fileprivate func firstFree(for ticket: UInt64, _ rate: Budget.Rate, at now: Moment) -> Moment {
    let ahead = (open.prefix { $0.ticket != ticket }.map { $0.spent(at: now) } + answered.map { min($0, now) }).sorted()
    guard let last = ahead.last else { return now }
    let afterLast = max(now, last)
    guard ahead.count >= rate.count else { return afterLast }
    return max(afterLast, ahead[ahead.count - rate.count] + rate.period)
  }

  /// Drops entries that no longer matter to the rate, and those from a clock that was ahead: no wait is that long.
  fileprivate mutating func forget(_ rate: Budget.Rate, at now: Moment, _ latest: Moment) {
    let horizon = max(latest, now + .seconds(45))
    open.removeAll { $0.moment > horizon }
    answered.removeAll { $0 > horizon }
    // Chosen by their number, because a clock that is ahead for a moment makes their ages wrong.
    guard answered.count > rate.count else { return }
    let first = answered.sorted()[answered.count - rate.count]
    answered.removeAll { $0 < first }
  }
}

extension Budget {
  /// Returns how many requests may be sent at once, and when all of them may be sent again, nil if that is now. Of resources that are
  /// counted apart, the one that was asked most counts. Nil for an unlimited budget.
  package func left(under scope: String, in accounts: [String: BudgetBook.Account], at now: Moment) -> (
    count: Int, whole: Moment?
  )? {
    guard !rates.isEmpty else { return nil }
    var (left, whole): (Int, Moment?) = (.max, nil)
    for rate in rates {
      let suffix = " \(rate.period.exactAmount)"
      let spent = accounts.filter { name, _ in
        name.hasSuffix(suffix) && (rate.scope == .resource ? name.hasPrefix(scope + " ") : name == scope + suffix)
      }.map { $0.value.moments(within: rate.period, at: now) }
      left = min(left, max(0, rate.count - (spent.map(\.count).max() ?? 0)))
      if let last = spent.joined().max() { whole = max(whole ?? last + rate.period, last + rate.period) }
    }
    return (left, whole)
  }
}

extension BudgetBook.Slot {
  /// The latest moment at which the service may have received the request, or may receive it.
  fileprivate func spent(at now: Moment) -> Moment {
    // No request takes that long, so its sender has ended or stopped.
    now - moment > .seconds(45) ? moment : max(moment, now)
  }
}

/// The recent requests to services, for the life of a process.
public final class RequestsInMemory: RequestMemory {
  private let book = Mutex(BudgetBook())
  private let failures = Mutex<[String: (at: Moment, error: SourceError)]>([:])

  /// A memory without requests and hosts.
  public init() {}

  public func reserve(_ ticket: BudgetTicket, at now: Moment, noLaterThan latest: Moment) async -> BudgetSlot {
    book.withLock { $0.reserve(ticket, at: now, noLaterThan: latest) }
  }

  public func finish(_ ticket: BudgetTicket, at moment: Moment?) async { book.withLock { $0.finish(ticket, at: moment) } }

  public func accounts(under scope: String, at now: Moment) async -> [String: BudgetBook.Account] {
    book.withLock { $0.accounts.filter { $0.key.hasPrefix(scope) } }
  }

  public func failure(of host: WebAddress.Origin, within span: ClosedRange<Moment>) async -> (at: Moment, error: SourceError)? {
    failures.withLock { $0[host.description].flatMap { span.contains($0.at) ? $0 : nil } }
  }

  public func note(_ failure: SourceError?, of host: WebAddress.Origin, at now: Moment) async {
    failures.withLock { $0[host.description] = failure.map { (now, $0) } }
  }
}
