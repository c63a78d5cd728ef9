import AggregatorCore
import StoreTables
import Synchronization

/// The use of every budget, kept on the server for all processes on all machines that use this store.
///
/// The rules are those of `BudgetBook`. Times are those of the server's clock, read after the lock: it is the
/// only clock that all machines share. While the server cannot be used at all, this machine counts by itself.
final class PostgresBudgets: RequestMemory {
  private let server: DatabaseServer
  private let own: any RequestMemory
  /// The tickets that have a slot on this machine, until they are settled.
  private let ownTickets = Mutex<Set<UInt64>>([])

  init(server: DatabaseServer, orIn own: any RequestMemory) { (self.server, self.own) = (server, own) }

  func reserve(_ ticket: BudgetTicket, at now: Moment, noLaterThan latest: Moment) async throws -> BudgetSlot {
    var isBusy = false
    do {
      return try await server.write { transaction in
        do {
          return try await transaction.change(ticket) { book, time in
            // A process of this machine that was killed is known to have ended.
            book.finish(at: time) { ProcessName($0)?.hasEnded == true }
            return switch book.reserve(ticket, by: ProcessName.own.text, at: time, noLaterThan: time + (latest - now)) {
            case .taken(let moment): .taken(now + (moment - time))
            case .tooLate(let moment): .tooLate(now + (moment - time))
            }
          }
        } catch let failure as ServerFailure {
          isBusy = failure.isLate || failure.isConflict
          throw failure
        }
      }
    } catch var error as SourceError where error.kind == .storage {
      guard isBusy else {
        Event.emit(.storeFailed(error))
        return try await reserveHere(ticket, at: now, noLaterThan: latest)
      }
      // The server still counts for others, so this machine must not count by itself.
      error.kind = .uncountedBudget
      throw error
    }
  }

  private func reserveHere(_ ticket: BudgetTicket, at now: Moment, noLaterThan latest: Moment) async throws -> BudgetSlot {
    let slot = try await own.reserve(ticket, at: now, noLaterThan: latest)
    if case .taken = slot { _ = ownTickets.withLock { $0.insert(ticket.id) } }
    return slot
  }

  func finish(_ ticket: BudgetTicket, at moment: Moment?) async {
    if ownTickets.withLock({ $0.remove(ticket.id) }) != nil { return await own.finish(ticket, at: moment) }
    try? await server.write(patience: .seconds(5)) { transaction in
      try await transaction.change(ticket) { book, time in book.finish(ticket, at: moment.map { _ in time }) }
    }
  }

  func accounts(under scope: String, at now: Moment) async -> [String: BudgetBook.Account] {
    let found = try? await server.read(
      "SELECT name, body, \(Self.time) FROM aggregator.budget WHERE starts_with(name, $1)", scope)
    guard let found else { return await own.accounts(under: scope, at: now) }
    let accounts = found.map { row in
      (row.text(0), BudgetBook.Account(stored: row.bytes(1)).shifted(by: now - row.moment(2)))
    }
    return Dictionary(accounts) { $1 }
  }

  // A host that one machine cannot reach may be reachable from another.
  func failure(of host: WebAddress.Origin, within span: ClosedRange<Moment>) async -> (at: Moment, error: SourceError)? {
    await own.failure(of: host, within: span)
  }

  func note(_ failure: SourceError?, of host: WebAddress.Origin, at now: Moment) async {
    await own.note(failure, of: host, at: now)
  }

  fileprivate static let time = "(extract(epoch FROM clock_timestamp()) * 1000000000)::bigint"
}

extension Transaction {
  /// Returns what `change` makes of the accounts of a ticket's budgets, at the server's time.
  fileprivate func change<Result>(
    _ ticket: BudgetTicket, _ change: (inout BudgetBook, _ time: Moment) -> Result
  ) async throws -> Result {
    let names = SQLList(ticket.rates.map(\.name))
    // In one order, so that two transactions never wait for each other.
    queue(
      """
      SELECT pg_advisory_xact_lock(hashtextextended(name, 2))
      FROM (SELECT DISTINCT unnest($1::text[]) AS name ORDER BY 1) AS sorted
      """, names)
    let rows = try await run(
      ServerQuery("SELECT \(PostgresBudgets.time)"),
      ServerQuery("SELECT name, body FROM aggregator.budget WHERE name = ANY($1)", names))
    guard let time = rows[0].first({ $0.moment(0) }) else { throw ServerFailure.lost("no time") }
    var book = BudgetBook()
    for (name, account) in rows[1].map({ ($0.text(0), BudgetBook.Account(stored: $0.bytes(1))) }) {
      book.accounts[name] = account
    }
    let before = book.accounts
    let result = change(&book, time)
    for (name, account) in book.accounts where account != before[name] {
      queue(
        "INSERT INTO aggregator.budget(name, body) VALUES($1, $2) ON CONFLICT (name) DO UPDATE SET body = excluded.body", name,
        account.body)
    }
    return result
  }
}
