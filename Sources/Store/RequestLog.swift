public import AggregatorCore
internal import Synchronization

/// What this user's processes have asked of services lately, in a small file that they all share, whatever store they use.
///
/// It keeps budgets across processes and remembers hosts that could not be reached. Where it cannot be written, it says so once and goes
/// on in memory: a request is not refused because of it.
public final class RequestLog: BudgetKeeper, HostMemory {
  private let database: Database?
  private let budgets = BudgetsInMemory()
  private let hosts = HostsInMemory()
  private let hasFailed = Mutex(false)

  /// The log in `folder`, which is made when it is first needed; nil keeps it in memory.
  public init(in folder: String?, patience: Duration = .seconds(30), clock: some Timekeeper = SystemTime()) {
    database = folder.map {
      Database(Paths.join($0, "requests.db"), format: .requests, patience: patience, clock: clock)
    }
  }

  public func reserve(
    _ rates: [(name: String, rate: Budget.Rate)], at now: Moment, noLaterThan latest: Moment
  ) throws -> BudgetSlot {
    let wanted = rates.map { Wanted(name: $0.name, rate: $0.rate) }
    return shared { try $0.writing { try $0.reserve(wanted, at: now, noLaterThan: latest) } }
      ?? budgets.reserve(rates, at: now, noLaterThan: latest)
  }

  public func failure(of host: WebAddress.Origin, since: Moment) -> SourceError? {
    let found: SourceError?? = shared { database in
      guard database.isThere else { return nil }
      return try database.reading { try $0.failure(of: host.description, since: since) }
    }
    return found ?? hosts.failure(of: host, since: since)
  }

  public func note(_ failure: SourceError?, of host: WebAddress.Origin, at now: Moment) {
    let isNoted: Void? = shared { database in
      if let failure {
        try database.writing { try $0.note(failure.message, of: host.description, at: now) }
      } else if database.isThere, try database.reading({ try $0.failure(of: host.description, since: nil) }) != nil {
        // Nearly always there is nothing to take back, and then nothing is written.
        try database.writing { try $0.run("DELETE FROM unreachable_host WHERE host = ?1", host.description) }
      }
    }
    if isNoted == nil { hosts.note(failure, of: host, at: now) }
  }

  /// What `body` makes of the file; nil where it does not work.
  private func shared<Result>(_ body: (Database) throws -> Result) -> Result? {
    guard let database, !hasFailed.withLock({ $0 }) else { return nil }
    do {
      return try body(database)
    } catch {
      let isFirst = hasFailed.withLock { hasFailed in
        defer { hasFailed = true }
        return !hasFailed
      }
      if isFirst {
        Event.emit(
          .noticed(source: "requests", "\(error); what is asked of services is counted for this process alone"))
      }
      return nil
    }
  }
}

extension Database.Format {
  static let requests = Database.Format(
    name: "record of requests", elsewhere: "set XDG_STATE_HOME to another folder", applicationID: 0x6167_7271,
    steps: [
      [
        """
        CREATE TABLE budget_slot(
          -- When requests were sent, or may be sent: what keeps every process within the published limits of a service.
          name TEXT NOT NULL, -- the host, a digest of the key, the resource and the period that are counted together
          at INTEGER NOT NULL -- nanoseconds since 1970, UTC
        )
        """,
        "CREATE INDEX budget_slot_by_name ON budget_slot(name, at)",
        """
        CREATE TABLE unreachable_host(
          -- Hosts that could not be reached, so that nobody waits for them again a moment later.
          host TEXT PRIMARY KEY,
          at INTEGER NOT NULL,
          message TEXT NOT NULL
        ) WITHOUT ROWID
        """,
      ]
    ])
}

private struct Wanted: Sendable {
  let name: String
  let rate: Budget.Rate
}

extension Connection {
  /// The rules are `BudgetBook`'s; here is only where it is kept.
  fileprivate func reserve(_ wanted: [Wanted], at now: Moment, noLaterThan latest: Moment) throws -> BudgetSlot {
    var book = BudgetBook()
    for wanted in wanted {
      book.slots[wanted.name] = try all(
        "SELECT at FROM budget_slot WHERE name = ?1 ORDER BY at DESC LIMIT ?2", wanted.name, wanted.rate.count
      ) { $0.moment(0) }.reversed()
    }
    let slot = book.reserve(wanted.map { ($0.name, $0.rate) }, at: now, noLaterThan: latest)
    guard case .taken(let moment) = slot else { return slot }
    for wanted in wanted {
      try run("INSERT INTO budget_slot(name, at) VALUES(?1, ?2)", wanted.name, moment.nanoseconds)
      // As many as the rate looks back on, and no more.
      try run(
        """
        DELETE FROM budget_slot WHERE rowid IN (
          SELECT rowid FROM budget_slot WHERE name = ?1 ORDER BY at DESC LIMIT -1 OFFSET ?2)
        """, wanted.name, wanted.rate.count)
    }
    return slot
  }

  fileprivate func failure(of host: String, since: Moment?) throws -> SourceError? {
    try first("SELECT message FROM unreachable_host WHERE host = ?1 AND at >= ?2", host, since?.nanoseconds ?? .min) {
      SourceError(.unreachable, $0.text(0))
    }
  }

  fileprivate func note(_ message: String, of host: String, at now: Moment) throws {
    try run("INSERT OR REPLACE INTO unreachable_host(host, at, message) VALUES(?1, ?2, ?3)", host, now.nanoseconds, message)
  }
}
