public import AggregatorCore
import Platform
import StoreTables
import Synchronization

/// The requests that this user's processes have sent to services lately, in a small file that they share, whatever store they use.
///
/// It keeps budgets across processes and remembers hosts that could not be reached. If the file cannot
/// be written, the log says so once and continues in memory: no request is refused because of it.
public final class RequestLog: RequestMemory {
  private let database: Database?
  private let memory = RequestsInMemory()
  private let hasFailed = Mutex(false)

  /// Makes the log in `folder`, which is created when it is first needed; nil keeps the log in memory.
  public init(in folder: String?, patience: Duration = .seconds(30), clock: some Timekeeper = SystemTime()) {
    database = folder.map {
      Database(Paths.join($0, "requests.db"), format: .requests, patience: patience, clock: clock)
    }
  }

  public func reserve(_ ticket: BudgetTicket, at now: Moment, noLaterThan latest: Moment) async throws -> BudgetSlot {
    let slot = change(ticket) { book in
      book.finish(at: now) { !Self.isAlive($0) }
      return book.reserve(ticket, by: String(getpid()), at: now, noLaterThan: latest)
    }
    if let slot { return slot }
    return await memory.reserve(ticket, at: now, noLaterThan: latest)
  }

  public func finish(_ ticket: BudgetTicket, at moment: Moment?) async {
    if change(ticket, { $0.finish(ticket, at: moment) }) == nil { await memory.finish(ticket, at: moment) }
  }

  public func accounts(under scope: String, at now: Moment) async -> [String: BudgetBook.Account] {
    let found = shared { database in
      try database.reading(else: []) { connection in
        try connection.all("SELECT name, body FROM budget WHERE substr(name, 1, length(?1)) = ?1", scope) {
          ($0.text(0), BudgetBook.Account(stored: $0.bytes(1)))
        }
      }
    }
    if let found { return Dictionary(found) { $1 } }
    return await memory.accounts(under: scope, at: now)
  }

  private func change<Result: Sendable>(_ ticket: BudgetTicket, _ change: (inout BudgetBook) -> Result) -> Result? {
    shared { try $0.writing { try $0.change(ticket, change) } }
  }

  private static func isAlive(_ process: String) -> Bool { pid_t(process).map { kill($0, 0) == 0 || errno == EPERM } ?? false }

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
        // In nearly every case the host is not listed, and nothing is written.
        try database.writing { try $0.run("DELETE FROM unreachable_host WHERE host = ?1", host.description) }
      }
    }
    if isNoted == nil { await memory.note(failure, of: host, at: now) }
  }

  /// Returns what `body` makes of the file; nil if the file cannot be used.
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
    version: 3, tables: { tablesOfRequests }, pageSize: 4_096)

  private static var tablesOfRequests: [String] {
    StoredTable.budgets.statements() + [
      """
      CREATE TABLE unreachable_host(
        -- Hosts that could not be reached a moment ago; a request to one of them fails at once.
        host TEXT PRIMARY KEY,
        at INTEGER NOT NULL,
        message TEXT NOT NULL
      ) WITHOUT ROWID
      """
    ]
  }
}

extension Connection {
  /// Reads the accounts, changes them by the rules of `BudgetBook`, and stores those that changed.
  fileprivate func change<Result>(_ ticket: BudgetTicket, _ change: (inout BudgetBook) -> Result) throws -> Result {
    var book = BudgetBook()
    for (name, _) in ticket.rates {
      book.accounts[name] = try first("SELECT body FROM budget WHERE name = ?1", name) {
        BudgetBook.Account(stored: $0.bytes(0))
      }
    }
    let before = book.accounts
    let result = change(&book)
    for (name, account) in book.accounts where account != before[name] {
      try run("INSERT OR REPLACE INTO budget(name, body) VALUES(?1, ?2)", name, account.body)
    }
    return result
  }

  /// Returns the failure of a host that was noted within `span`. Times outside it, such as those of a clock that was ahead, are ignored.
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
