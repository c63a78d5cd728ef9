public import AggregatorCore
import Platform
import Synchronization

/// What this user's processes have asked of services lately, in a small file that they all share, whatever store they use.
///
/// It keeps budgets across processes and remembers hosts that could not be reached. Where it cannot be written, it says so once and goes
/// on in memory: a request is not refused because of it.
public final class RequestLog: BudgetKeeper, HostMemory {
  private let database: Database?
  private let memory = RequestsInMemory()
  private let hasFailed = Mutex(false)

  /// The log in `folder`, which is made when it is first needed; nil keeps it in memory.
  public init(in folder: String?, patience: Duration = .seconds(30), clock: some Timekeeper = SystemTime()) {
    database = folder.map {
      Database(Paths.join($0, "requests.db"), format: .requests, patience: patience, clock: clock)
    }
  }

  public func reserve(_ ticket: BudgetTicket, at now: Moment, noLaterThan latest: Moment) async throws -> BudgetSlot {
    if let slot = shared({ try $0.writing { try $0.reserve(ticket, at: now, noLaterThan: latest) } }) { return slot }
    return await memory.reserve(ticket, at: now, noLaterThan: latest)
  }

  public func settle(_ ticket: BudgetTicket, at moment: Moment?) async {
    if shared({ try $0.writing { try $0.settle(ticket, at: moment) } }) == nil { await memory.settle(ticket, at: moment) }
  }

  public func failure(of host: WebAddress.Origin, within span: ClosedRange<Moment>) async -> (at: Moment, error: SourceError)? {
    let found = shared { database in
      try database.reading(else: nil) { try $0.failure(of: host.description, within: span) }
    }
    if let found { return found }
    return await memory.failure(of: host, within: span)
  }

  public func note(_ failure: SourceError?, of host: WebAddress.Origin, at now: Moment) async {
    let isNoted: Void? = shared { database in
      if let failure {
        try database.writing { try $0.note(failure.message, of: host.description, at: now) }
      } else if try database.reading(else: false, { try $0.knows(host.description) }) {
        // Nearly always there is nothing to take back, and then nothing is written.
        try database.writing { try $0.run("DELETE FROM unreachable_host WHERE host = ?1", host.description) }
      }
    }
    if isNoted == nil { await memory.note(failure, of: host, at: now) }
  }

  /// What `body` makes of the file; nil where it does not work.
  private func shared<Result>(_ body: (Database) throws -> Result) -> Result? {
    guard let database, !hasFailed.withLock({ $0 }) else { return nil }
    do {
      return try body(database)
    } catch is CancellationError {
      return nil
    } catch {
      let isFirst = hasFailed.withLock { hasFailed in
        defer { hasFailed = true }
        return !hasFailed
      }
      if isFirst {
        Event.emit(
          .noticed(source: "requests", "\(error); request budgets are counted for this process only"))
      }
      return nil
    }
  }
}

extension Database.Format {
  static let requests = Database.Format(
    name: "request log", elsewhere: "set XDG_STATE_HOME to another folder", applicationID: 0x6167_7271,
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
      ],
      [
        // Which request it is: a number of its own.
        "ALTER TABLE budget_slot ADD COLUMN ticket INTEGER NOT NULL DEFAULT 0",
        "UPDATE budget_slot SET ticket = rowid",
        // The process that waits to send it, or for its answer; null once that has come: then `at` is when it came.
        "ALTER TABLE budget_slot ADD COLUMN sender INTEGER",
      ],
    ])
}

extension Connection {
  /// The rules are `BudgetBook`'s; here is only where it is kept.
  fileprivate func reserve(_ ticket: BudgetTicket, at now: Moment, noLaterThan latest: Moment) throws -> BudgetSlot {
    let stored = try Set(ticket.rates.map(\.name)).flatMap { name in
      try all("SELECT ticket, at, sender FROM budget_slot WHERE name = ?1 ORDER BY rowid", name) { row in
        let (id, sender) = (UInt64(bitPattern: row.int64(0)), row.intIfPresent(2))
        let slot = BudgetBook.Slot(ticket: id, moment: row.moment(1), isOpen: sender != nil)
        return (name: name, slot: slot, hasEnded: sender.map { !Self.isAlive($0) } ?? false)
      }
    }
    var book = BudgetBook(stored: stored, at: now)
    let slot = book.reserve(ticket, at: now, noLaterThan: latest)
    for change in book.changes(since: stored) {
      let (name, id) = (change.name, Int64(bitPattern: change.ticket))
      switch (change.slot, change.isNew) {
      case (nil, _): try run("DELETE FROM budget_slot WHERE name = ?1 AND ticket = ?2", name, id)
      case (let slot?, true):
        try run(
          "INSERT INTO budget_slot(name, at, ticket, sender) VALUES(?1, ?2, ?3, ?4)", name, slot.moment.nanoseconds, id,
          Int(getpid()))
      case (let slot?, false):
        try run(
          "UPDATE budget_slot SET at = ?3, sender = CASE WHEN ?4 THEN sender END WHERE name = ?1 AND ticket = ?2", name,
          id, slot.moment.nanoseconds, slot.isOpen ? 1 : 0)
      }
    }
    return slot
  }

  fileprivate func settle(_ ticket: BudgetTicket, at moment: Moment?) throws {
    for (name, _) in ticket.rates {
      let id = Int64(bitPattern: ticket.id)
      if let moment {
        try run("UPDATE budget_slot SET at = ?3, sender = NULL WHERE name = ?1 AND ticket = ?2", name, id, moment.nanoseconds)
      } else {
        try run("DELETE FROM budget_slot WHERE name = ?1 AND ticket = ?2", name, id)
      }
    }
  }

  private static func isAlive(_ process: Int) -> Bool {
    pid_t(exactly: process).map { kill($0, 0) == 0 || errno == EPERM } ?? false
  }

  /// What went wrong with a host within `span`: what a clock has noted that was ahead says nothing.
  fileprivate func failure(of host: String, within span: ClosedRange<Moment>) throws -> (at: Moment, error: SourceError)? {
    try first(
      "SELECT at, message FROM unreachable_host WHERE host = ?1 AND at BETWEEN ?2 AND ?3", host,
      span.lowerBound.nanoseconds, span.upperBound.nanoseconds
    ) { ($0.moment(0), SourceError(.unreachable, $0.text(1))) }
  }

  fileprivate func knows(_ host: String) throws -> Bool {
    try number("SELECT EXISTS(SELECT 1 FROM unreachable_host WHERE host = ?1)", host) == 1
  }

  fileprivate func note(_ message: String, of host: String, at now: Moment) throws {
    try run("INSERT OR REPLACE INTO unreachable_host(host, at, message) VALUES(?1, ?2, ?3)", host, now.nanoseconds, message)
  }
}
