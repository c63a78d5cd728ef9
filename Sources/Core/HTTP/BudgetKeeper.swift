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
  /// One request under one name.
  public struct Slot: Sendable, Hashable {
    /// The ticket that it was given to.
    public var ticket: UInt64
    /// When it may be sent; once it was answered, when that was.
    public var moment: Moment
    /// Whether it waits, or is under way.
    public var isOpen: Bool

    /// The slot of a ticket, waiting or settled.
    public init(ticket: UInt64, moment: Moment, isOpen: Bool) {
      (self.ticket, self.moment, self.isOpen) = (ticket, moment, isOpen)
    }
  }

  /// The slots under each name, in the order in which they were asked for.
  public var slots: [String: [Slot]]

  /// A book with what was spent before.
  public init(slots: [String: [Slot]] = [:]) { self.slots = slots }

  /// The first slot that every rate leaves free; where that is later than `latest`, none is taken.
  public mutating func reserve(_ ticket: BudgetTicket, at now: Moment, noLaterThan latest: Moment) -> BudgetSlot {
    for (name, rate) in ticket.rates { forget(under: name, rate, at: now, latest) }
    let moment = ticket.rates.reduce(now) { max($0, firstFree(for: ticket.id, under: $1.name, $1.rate, at: now)) }
    guard moment <= latest else {
      settle(ticket, at: nil)
      return .tooLate(moment)
    }
    for (name, _) in ticket.rates {
      if let known = slots[name]?.firstIndex(where: { $0.ticket == ticket.id }) {
        slots[name]?[known].moment = moment
      } else {
        slots[name, default: []].append(Slot(ticket: ticket.id, moment: moment, isOpen: true))
      }
    }
    return .taken(moment)
  }

  /// Settles the slot at the time of its answer; where `moment` is nil nothing was sent, and the slot is free again.
  public mutating func settle(_ ticket: BudgetTicket, at moment: Moment?) {
    for (name, _) in ticket.rates {
      guard let known = slots[name]?.firstIndex(where: { $0.ticket == ticket.id }) else { continue }
      if let moment {
        slots[name]?[known] = Slot(ticket: ticket.id, moment: moment, isOpen: false)
      } else {
        slots[name]?.remove(at: known)
      }
    }
  }

  /// A window of the rate's period never holds more than its count: the slot that many back must have left it. First come, first served.
  private func firstFree(for ticket: UInt64, under name: String, _ rate: Budget.Rate, at now: Moment) -> Moment {
    let slots = slots[name] ?? []
    let place = slots.firstIndex { $0.ticket == ticket } ?? slots.endIndex
    let ahead = slots.enumerated().filter { $0.offset != place && ($0.offset < place || !$0.element.isOpen) }
      .map { $0.element.spent(at: now) }.sorted()
    guard let last = ahead.last else { return now }
    let afterLast = max(now, last)
    guard ahead.count >= rate.count else { return afterLast }
    return max(afterLast, ahead[ahead.count - rate.count] + rate.period)
  }

  /// Drops what can no longer matter to the rate, and what a clock noted that was ahead: no wait is that long.
  private mutating func forget(under name: String, _ rate: Budget.Rate, at now: Moment, _ latest: Moment) {
    let horizon = max(latest, now + .seconds(45))
    slots[name]?.removeAll { $0.moment > horizon }
    // By their number and not by their age, of which a clock that is ahead for a moment has the wrong idea.
    let settled = slots[name]?.filter { !$0.isOpen }.map(\.moment).sorted() ?? []
    guard settled.count > rate.count else { return }
    slots[name]?.removeAll { !$0.isOpen && $0.moment < settled[settled.count - rate.count] }
  }
}

// What a keeper does that outlasts its process.
extension BudgetBook {
  /// A slot as it is stored, and whether the process has ended that it was given to.
  package typealias StoredSlot = (name: String, slot: Slot, hasEnded: Bool)
  /// A slot to be stored; nil where none is left under that name for the ticket.
  package typealias Change = (name: String, ticket: UInt64, slot: Slot?, isNew: Bool)

  /// What is stored. A slot that a process left behind when it ended was used, unless it lies ahead.
  package init(stored: [StoredSlot], at now: Moment) {
    self.init()
    for (name, slot, hasEnded) in stored {
      let isLeftBehind = slot.isOpen && hasEnded
      if isLeftBehind, slot.moment > now { continue }
      slots[name, default: []].append(
        Slot(ticket: slot.ticket, moment: slot.moment, isOpen: slot.isOpen && !isLeftBehind))
    }
  }

  /// What is not as it is stored: nearly always one slot.
  package func changes(since stored: [StoredSlot]) -> [Change] {
    var old: [String: [UInt64: Slot]] = [:]
    for (name, slot, _) in stored { old[name, default: [:]][slot.ticket] = slot }
    var changes: [Change] = []
    for (name, slots) in slots {
      for slot in slots {
        let before = old[name]?.removeValue(forKey: slot.ticket)
        if before != slot { changes.append((name, slot.ticket, slot, isNew: before == nil)) }
      }
    }
    return changes + old.flatMap { name, slots in slots.keys.map { (name, $0, nil, isNew: false) } }
  }
}

extension BudgetBook.Slot {
  /// The latest moment in which the service may have got it, or will.
  fileprivate func spent(at now: Moment) -> Moment {
    guard isOpen else { return min(moment, now) }
    // No request takes that long: its sender is gone or stopped.
    return now - moment > .seconds(45) ? moment : max(moment, now)
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
