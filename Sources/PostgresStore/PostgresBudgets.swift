import AggregatorCore
import Synchronization

/// What was spent of every budget, kept on the server: for every process of every machine that uses this store.
///
/// The rules are those of `BudgetBook`, in the time of the server's clock, which is read behind the lock: the only one that all machines share.
/// While the server cannot be used at all, this machine counts for itself.
final class PostgresBudgets: BudgetKeeper {
  private let server: Server
  private let own: any BudgetKeeper
  /// The tickets that have a slot on this machine, until they are settled.
  private let ownTickets = Mutex<Set<UInt64>>([])

  init(server: Server, orIn own: any BudgetKeeper) { (self.server, self.own) = (server, own) }

  func reserve(_ ticket: BudgetTicket, at now: Moment, noLaterThan latest: Moment) async throws -> BudgetSlot {
    var isBusy = false
    do {
      return try await server.write { transaction in
        do {
          let (slot, time) = try await transaction.reserve(ticket, within: latest - now)
          return switch slot {
          case .taken(let moment): .taken(now + (moment - time))
          case .tooLate(let moment): .tooLate(now + (moment - time))
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
      // Others count there meanwhile.
      error.kind = .uncountedBudget
      throw error
    }
  }

  private func reserveHere(_ ticket: BudgetTicket, at now: Moment, noLaterThan latest: Moment) async throws -> BudgetSlot {
    let slot = try await own.reserve(ticket, at: now, noLaterThan: latest)
    if case .taken = slot { _ = ownTickets.withLock { $0.insert(ticket.id) } }
    return slot
  }

  func settle(_ ticket: BudgetTicket, at moment: Moment?) async {
    if ownTickets.withLock({ $0.remove(ticket.id) }) != nil { return await own.settle(ticket, at: moment) }
    let statement =
      moment == nil
      ? "DELETE FROM aggregator.budget_slot WHERE ticket = $1"
      : "UPDATE aggregator.budget_slot SET at = \(Self.time), is_open = false WHERE ticket = $1"
    try? await server.write(patience: .seconds(5)) { $0.queue(statement, Int64(bitPattern: ticket.id)) }
  }

  fileprivate static let time = "(extract(epoch FROM clock_timestamp()) * 1000000000)::bigint"
}

extension Transaction {
  /// The slot, and the server's time.
  fileprivate func reserve(
    _ ticket: BudgetTicket, within patience: Duration
  ) async throws -> (slot: BudgetSlot, time: Moment) {
    let names = SQLList(ticket.rates.map(\.name))
    // In one order, so that no two wait for each other.
    queue(
      """
      SELECT pg_advisory_xact_lock(hashtextextended(name, 2))
      FROM (SELECT DISTINCT unnest($1::text[]) AS name ORDER BY 1) AS sorted
      """, names)
    let rows = try await run(
      Query("SELECT \(PostgresBudgets.time)"),
      Query(
        "SELECT name, ticket, at, is_open, process FROM aggregator.budget_slot WHERE name = ANY($1) ORDER BY place", names))
    guard let time = rows[0].first({ $0.moment(0) }) else { throw ServerFailure.lost("no time") }
    let stored = rows[1].map { row in
      let slot = BudgetBook.Slot(ticket: UInt64(bitPattern: row.int64(1)), moment: row.moment(2), isOpen: row.bool(3))
      // Who was killed on this machine is known to be gone.
      return (name: row.text(0), slot: slot, hasEnded: slot.isOpen && ProcessName(row.text(4))?.hasEnded == true)
    }
    var book = BudgetBook(stored: stored, at: time)
    let slot = book.reserve(ticket, at: time, noLaterThan: time + patience)
    for change in book.changes(since: stored) {
      let (name, id) = (change.name, Int64(bitPattern: change.ticket))
      switch (change.slot, change.isNew) {
      case (nil, _): queue("DELETE FROM aggregator.budget_slot WHERE name = $1 AND ticket = $2", name, id)
      case (let slot?, true):
        queue(
          "INSERT INTO aggregator.budget_slot(name, ticket, at, is_open, process) VALUES($1, $2, $3, true, $4)", name,
          id, slot.moment.nanoseconds, ProcessName.own.text)
      case (let slot?, false):
        queue(
          "UPDATE aggregator.budget_slot SET at = $3, is_open = $4 WHERE name = $1 AND ticket = $2", name, id,
          slot.moment.nanoseconds, slot.isOpen)
      }
    }
    return (slot, time)
  }
}

extension Schema {
  /// Times are nanoseconds since 1970 by the server's clock.
  static let budgets = [
    """
    CREATE TABLE aggregator.budget_slot(
      place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text COLLATE "C" NOT NULL,
      ticket bigint NOT NULL,
      at bigint NOT NULL,
      is_open boolean NOT NULL,
      process text NOT NULL
    )
    """,
    "COMMENT ON TABLE aggregator.budget_slot IS 'When requests may be sent, or were answered, under the name of each rate.'",
    "CREATE INDEX ON aggregator.budget_slot(name, place)",
    "CREATE INDEX ON aggregator.budget_slot(ticket)",
  ]
}
