import Synchronization

/// Remembers what was spent of every budget.
///
/// A request is counted from the moment in which it may be sent until it was answered, and from then on as of that answer: it cannot have
/// come to the service later. So no window of the service's own log holds more than a rate allows, however long a connection takes.
public protocol BudgetKeeper: Sendable {
  /// Takes the next free slot within all rates of `ticket`, unless it lies beyond `latest`; of a ticket that has one already, looks
  /// whether its turn has come, for those ahead of it may have taken longer than was to be expected.
  func reserve(_ ticket: BudgetTicket, at now: Moment, noLaterThan latest: Moment) async throws -> BudgetSlot

  /// Notes that the request was answered, or failed, at `moment`; nil gives back a slot that nothing was sent in.
  func settle(_ ticket: BudgetTicket, at moment: Moment?) async
}

/// Remembers what was asked of services lately: what was spent of their budgets, and which of them could not be reached.
public typealias RequestMemory = BudgetKeeper & HostMemory

/// One request, and all that it counts under.
public struct BudgetTicket: Sendable {
  /// Another one for each request.
  public let id: UInt64
  /// Each rate is counted under its own name.
  public let rates: [(name: String, rate: Budget.Rate)]

  /// A request that counts under each of these rates, by a number of its own.
  public init(_ rates: [(name: String, rate: Budget.Rate)], id: UInt64 = .random(in: .min ... .max)) {
    self.id = id
    self.rates = rates
  }
}

/// When a request may be sent.
public enum BudgetSlot: Sendable, Hashable {
  /// Taken: send it then, once the keeper says so again; at once where that is now.
  case taken(Moment)
  /// Not taken: the first free one is too far away.
  case tooLate(Moment)
}

/// What was spent, as slots in time: the rules, without a place to keep them.
public struct BudgetBook: Sendable {
  /// A request that waits, or is under way.
  public struct Slot: Part {
    /// The ticket that it was given to.
    public internal(set) var ticket: UInt64 = 0
    /// When it may be sent.
    public internal(set) var moment = Moment(secondsSinceEpoch: 0)
    /// The process that sends it, as a store names it that several share; nil where the book is this process's own.
    public internal(set) var sender: String?

    /// One of no request.
    public init() {}

    public static let fields: [Field<Slot>] = [
      Field("ticket", \.ticket.stored), Field("at", \.moment.stored), Field("sender", \.sender),
    ]
  }

  /// What was spent under one name: a store holds it as one JSON object.
  public struct Account: Part {
    /// The requests that wait or are under way, in the order in which they were asked for.
    public internal(set) var open: [Slot] = []
    /// When requests were answered.
    public internal(set) var answered: [Moment] = []

    /// One from which nothing was spent.
    public init() {}

    public static let fields: [Field<Account>] = [Field("open", \.open), Field("answered", \.answered.stored)]

    /// The account as a store holds it.
    package var body: [UInt8] { value.bytes }

    /// Reads ``body``. Where somebody has edited it into something else, nothing was spent.
    package init(stored body: [UInt8]) { self = (try? Account(JSON(body), as: .own)) ?? Account() }
  }

  /// What was spent under each name.
  public package(set) var accounts: [String: Account] = [:]

  /// A book in which nothing was spent.
  public init() {}

  /// The first slot that every rate leaves free, for `sender`; where that is later than `latest`, none is taken.
  public mutating func reserve(
    _ ticket: BudgetTicket, by sender: String? = nil, at now: Moment, noLaterThan latest: Moment
  ) -> BudgetSlot {
    for (name, rate) in ticket.rates { accounts[name]?.forget(rate, at: now, latest) }
    let moment = ticket.rates.reduce(now) { moment, rate in
      max(moment, accounts[rate.name]?.firstFree(for: ticket.id, rate.rate, at: now) ?? now)
    }
    guard moment <= latest else {
      settle(ticket, at: nil)
      return .tooLate(moment)
    }
    for (name, _) in ticket.rates {
      var account = accounts[name] ?? Account()
      let known = account.open.firstIndex { $0.ticket == ticket.id }
      if known == nil { account.open.append(changing(Slot()) { ($0.ticket, $0.sender) = (ticket.id, sender) }) }
      account.open[known ?? account.open.count - 1].moment = moment
      accounts[name] = account
    }
    return .taken(moment)
  }

  /// Settles the slot at the time of its answer; where `moment` is nil nothing was sent, and the slot is free again.
  public mutating func settle(_ ticket: BudgetTicket, at moment: Moment?) {
    for (name, _) in ticket.rates {
      guard let known = accounts[name]?.open.firstIndex(where: { $0.ticket == ticket.id }) else { continue }
      accounts[name]?.open.remove(at: known)
      if let moment { accounts[name]?.answered.append(moment) }
    }
  }

  /// Settles what processes left behind when they ended: a slot was used, unless it lies ahead.
  package mutating func settle(at now: Moment, leftBehind hasEnded: (_ sender: String) -> Bool) {
    for (name, account) in accounts {
      let left = account.open.filter { $0.sender.map(hasEnded) ?? false }
      guard !left.isEmpty else { continue }
      accounts[name]?.open.removeAll { left.contains($0) }
      accounts[name]?.answered += left.map(\.moment).filter { $0 <= now }
    }
  }
}

extension BudgetBook.Account {
  /// A window of the rate's period never holds more than its count: the slot that many back must have left it. First come, first served.
  fileprivate func firstFree(for ticket: UInt64, _ rate: Budget.Rate, at now: Moment) -> Moment {
    let ahead = (open.prefix { $0.ticket != ticket }.map { $0.spent(at: now) } + answered.map { min($0, now) }).sorted()
    guard let last = ahead.last else { return now }
    let afterLast = max(now, last)
    guard ahead.count >= rate.count else { return afterLast }
    return max(afterLast, ahead[ahead.count - rate.count] + rate.period)
  }

  /// Drops what can no longer matter to the rate, and what a clock noted that was ahead: no wait is that long.
  fileprivate mutating func forget(_ rate: Budget.Rate, at now: Moment, _ latest: Moment) {
    let horizon = max(latest, now + .seconds(45))
    open.removeAll { $0.moment > horizon }
    answered.removeAll { $0 > horizon }
    // By their number and not by their age, of which a clock that is ahead for a moment has the wrong idea.
    guard answered.count > rate.count else { return }
    let first = answered.sorted()[answered.count - rate.count]
    answered.removeAll { $0 < first }
  }
}

extension BudgetBook.Slot {
  /// The latest moment in which the service may have got it, or will.
  fileprivate func spent(at now: Moment) -> Moment {
    // No request takes that long: its sender is gone or stopped.
    now - moment > .seconds(45) ? moment : max(moment, now)
  }
}

/// What was asked of services, for the life of a process.
public final class RequestsInMemory: RequestMemory {
  private let book = Mutex(BudgetBook())
  private let failures = Mutex<[WebAddress.Origin: (at: Moment, error: SourceError)]>([:])

  /// With nothing spent, and no host remembered.
  public init() {}

  public func reserve(_ ticket: BudgetTicket, at now: Moment, noLaterThan latest: Moment) async -> BudgetSlot {
    book.withLock { $0.reserve(ticket, at: now, noLaterThan: latest) }
  }

  public func settle(_ ticket: BudgetTicket, at moment: Moment?) async { book.withLock { $0.settle(ticket, at: moment) } }

  public func failure(of host: WebAddress.Origin, within span: ClosedRange<Moment>) async -> (at: Moment, error: SourceError)? {
    failures.withLock { $0[host].flatMap { span.contains($0.at) ? $0 : nil } }
  }

  public func note(_ failure: SourceError?, of host: WebAddress.Origin, at now: Moment) async {
    failures.withLock { $0[host] = failure.map { (now, $0) } }
  }
}
