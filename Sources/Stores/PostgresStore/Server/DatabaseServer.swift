import AggregatorCore
import StoreTables
import Synchronization

/// The server that has a store: its connections, its schema, and the recovery of lost connections.
///
/// Nothing of ours lives in a session: no named statement, no lock and no setting
/// outlasts a transaction, so that a pooler of connections may stand between.
///
/// The functions around a piece of work are compiled once, not once for each type of result: the copies were a third of the module.
final class DatabaseServer: Sendable {
  let address: ServerAddress
  /// True when the store is opened to become a copy of another one.
  private let isCopy: Bool
  /// The longest wait for a lock, or for a server that does not answer, without a deadline.
  let patience: Duration
  private let state = Mutex(State())

  private struct State {
    var idle: [DatabaseConnection] = []
    var hasSchema = false
    /// The last failure to reach the server, and how long it counts: a caller who has waited once does not wait again at once.
    var failure: (failure: ServerFailure, until: ContinuousClock.Instant)?
  }

  init(_ address: ServerAddress, copying isCopy: Bool = false, patience: Duration) {
    (self.address, self.isCopy, self.patience) = (address, isCopy, patience)
  }

  // MARK: Reading and writing

  /// Returns the results of `queries`; each sees what was committed before it began.
  func read(_ queries: ServerQuery...) async throws -> [Rows] { try await read { try await $0.run(queries) } }

  /// Returns the result of one statement.
  func read(_ text: String, _ values: (any SQLConvertible)?...) async throws -> Rows {
    try await read(ServerQuery(text, values: values))[0]
  }

  /// Returns what `body` reads of these records; `nothing` if none were ever stored.
  func reading<Result: Sendable>(
    _ kind: RecordKind, else nothing: Result, _ body: (Transaction, StoredSource) async throws -> Result
  ) async throws -> Result {
    try await read { transaction in
      guard let source = try await transaction.source(kind) else { return nothing }
      return try await body(transaction, source)
    }
  }

  /// Returns what `body` returns after writing, under the lock of these records; `nothing` if none were ever stored.
  func writing<Result: Sendable>(
    _ kind: RecordKind, else nothing: Result, _ body: (Transaction, StoredSource) async throws -> Result
  ) async throws -> Result {
    try await write { transaction in
      let source = try await transaction.lock(kind)
      return source.fields == nil ? nothing : try await body(transaction, source)
    }
  }

  /// Returns what `body` reads; all of it has the state of one moment.
  @_semantics("optimize.sil.specialize.generic.never")
  func readingAtOneMoment<Result: Sendable>(_ body: @Sendable (Transaction) async throws -> Result) async throws -> Result {
    try await attempting(nil) { connection, end in
      let transaction = Transaction(connection, until: end)
      transaction.queue(ServerQuery("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"), Self.settings)
      return try await rollingBack(connection, until: end) {
        let result = try await body(transaction)
        _ = try await transaction.run("COMMIT")
        return result
      }
    }
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private func read<Result: Sendable>(_ body: (Transaction) async throws -> Result) async throws -> Result {
    try await attempting(nil) { connection, end in
      try await body(Transaction(connection, until: end, opening: Self.settings))
    }
  }

  /// The settings of each transaction. JIT is off, since compiling a statement with long lists
  /// takes ten times as long as running it. The server checks every second whether its client
  /// is still there. Backslashes have their usual meaning, since a role may have set another.
  static let settings = ServerQuery(
    """
    SELECT set_config('jit', 'off', true), set_config('client_connection_check_interval', '1000', true),
      set_config('standard_conforming_strings', 'on', true)
    """)

  /// Returns what `body` returns. Its writes are committed before this returns, once and whole.
  ///
  /// `body` may run more than once: after a conflict with another transaction, or if its connection was lost before the
  /// commit. If the answer to a COMMIT was lost, the transaction's own number tells whether it was committed. A `hurried`
  /// write waits at most a second for other transactions, and at most five for a server that was reached before.
  @_semantics("optimize.sil.specialize.generic.never")
  func write<Result: Sendable>(
    patience: Duration? = nil, hurried isHurried: Bool = false, _ body: (Transaction) async throws -> Result
  ) async throws -> Result {
    try await attempting(patience ?? (isHurried && isKnown ? .seconds(5) : nil)) { connection, end in
      let number = Int64.random(in: .min ... .max)
      let transaction = Transaction(connection, until: end)
      let left = max(1, Int((end - .now) / .milliseconds(1)))
      let wait = isHurried ? min(left, 1_000) : left
      // A process that is stopped halfway must not keep its locks, and the server must not work on for a client that has given up.
      transaction.queue(
        // Everything that was committed before a lock was taken has to be visible after it.
        ServerQuery("BEGIN ISOLATION LEVEL READ COMMITTED"), Self.settings,
        ServerQuery(
          """
          SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true),
            set_config('idle_in_transaction_session_timeout', '30000', true)
          """, String(wait), String(left.adding(1_000))),
        ServerQuery("INSERT INTO aggregator.write_log(id) VALUES($1)", number))
      if number & 127 == 0 {
        transaction.queue("DELETE FROM aggregator.write_log WHERE at < now() - interval '1 day'")
      }
      return try await rollingBack(connection, until: end) {
        let result = try await body(transaction)
        do {
          try await transaction.commit()
        } catch let failure as ServerFailure where failure.isLoss {
          guard let hasCommitted = try? await hasCommitted(number) else { throw ServerFailure.unknown(failure.message) }
          guard hasCommitted else { throw failure }
        }
        return result
      }
    }
  }

  /// Returns what `body` returns; if it fails, rolls its transaction back.
  @_semantics("optimize.sil.specialize.generic.never")
  private func rollingBack<Result>(
    _ connection: DatabaseConnection, until end: ContinuousClock.Instant, _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch {
      if connection.isUsable { _ = try? await connection.run([ServerQuery("ROLLBACK")], until: end) }
      throw error
    }
  }

  /// True when the transaction of that number was committed. If its connection is lost
  /// and the server has not noticed yet, this waits until it has.
  private func hasCommitted(_ number: Int64) async throws -> Bool {
    try await attempting(nil) { connection, end in
      try await rollingBack(connection, until: end) {
        try await connection.run(
          [
            ServerQuery("BEGIN ISOLATION LEVEL READ COMMITTED"),
            ServerQuery("INSERT INTO aggregator.write_log(id) VALUES($1) ON CONFLICT DO NOTHING", number),
            ServerQuery("ROLLBACK"),
          ], until: end)[1].changes == 0
      }
    }
  }

  // MARK: Attempts

  /// Returns what `body` returns. While patience and time last, it runs again if a failed attempt cannot have had an effect.
  @_semantics("optimize.sil.specialize.generic.never")
  private func attempting<Result: Sendable>(
    _ patience: Duration?, _ body: (DatabaseConnection, ContinuousClock.Instant) async throws -> Result
  ) async throws -> Result {
    let start = ContinuousClock.now
    if let last = state.withLock({ $0.failure }), last.until > start { throw last.failure.error(at: address) }
    let end = start + self.time(patience)
    var (pause, hasMissedTables) = (Duration.milliseconds(20), false)
    while true {
      var isReached = false
      do {
        let connection = try await take(until: end)
        defer { giveBack(connection) }
        isReached = true
        return try await body(connection, end)
      } catch let failure as ServerFailure {
        let isMissingTable = failure.isMissingTable && !hasMissedTables
        if isMissingTable {
          hasMissedTables = true
          state.withLock { $0.hasSchema = false }
        }
        guard failure.isConflict || failure.isLoss || isMissingTable || failure.isPassing && isKnown,
          ContinuousClock.now + pause < end, pause < .seconds(5)
        else {
          // A caller without time has not found out anything about the server.
          if !isReached, !failure.isLate {
            let span = isKnown ? Duration.zero : (.now - start) * 8
            state.withLock { $0.failure = (failure, .now + max(.seconds(5), span)) }
          }
          throw failure.error(at: address)
        }
        // Real time, not a clock that a test may stop or let leap: the server itself needs the time.
        try await Task.sleep(for: pause)
        pause *= 2
      }
    }
  }

  /// True when the server was ever reached; only then does a caller wait for it while it is away.
  private var isKnown: Bool { state.withLock { $0.hasSchema } }

  /// Returns a little less than the time left, so that the error about the store comes before the one which says that time is over.
  func time(_ patience: Duration?) -> Duration {
    let patience = patience ?? self.patience
    guard let left = Deadline.left else { return patience }
    return min(patience, max(left / 2, left - max(.milliseconds(100), min(left / 4, .seconds(1)))))
  }

  private func take(until end: ContinuousClock.Instant) async throws -> DatabaseConnection {
    var idle: DatabaseConnection?
    repeat { idle = state.withLock { $0.idle.popLast() } } while idle.map { !$0.isUsable } ?? false
    let connection = if let idle { idle } else { try await connect(until: end) }
    if !isKnown {
      try await prepare(connection, until: end)
      state.withLock { $0.hasSchema = true }
    }
    return connection
  }

  /// The least time after which a server without an answer counts as away.
  private static let leastTime = Duration.milliseconds(200)

  /// Connects. A server that was never reached gets a few seconds, and at most half of the time left: a service may be asked without it.
  private func connect(until end: ContinuousClock.Instant) async throws -> DatabaseConnection {
    let usual = address.connectingTime ?? .seconds(4)
    let most = Deadline.left.map { max(.zero, min(usual, $0 / 2)) } ?? usual
    let now = ContinuousClock.now
    let limit = isKnown ? end : min(end, now + most)
    do {
      return try await DatabaseConnection.open(address, until: limit)
    } catch let failure as ServerFailure where failure.isLate && limit - now >= Self.leastTime {
      throw ServerFailure.unreachable("no answer within \((limit - now).inWords)")
    }
  }

  /// Brings the schema up to date, and throws if the store is an unfinished copy.
  func prepare(_ connection: DatabaseConnection, until end: ContinuousClock.Instant) async throws {
    try await ServerSchema.prepare(on: connection, of: address, until: end)
    guard !isCopy else { return }
    let query = ServerQuery("SELECT value FROM aggregator.store_keepsake WHERE name = $1", StoredTable.unfinishedCopy)
    guard let original = try await connection.run([query], until: end)[0].first({ $0.text(0) }) else { return }
    throw StoredTable.unfinished("\(address)", copyOf: original)
  }

  private func giveBack(_ connection: DatabaseConnection) {
    guard connection.isUsable else { return }
    state.withLock { if $0.idle.count < 4 { $0.idle.append(connection) } }
  }
}

/// The statements of one piece of work. It lives no longer than that, in one task.
final class Transaction {
  let connection: DatabaseConnection
  private let end: ContinuousClock.Instant
  /// The query that precedes each run outside of a transaction.
  private let opening: ServerQuery?
  private var queued: [ServerQuery] = []

  init(_ connection: DatabaseConnection, until end: ContinuousClock.Instant, opening: ServerQuery? = nil) {
    (self.connection, self.end, self.opening) = (connection, end, opening)
  }

  /// Sends these with the next statements that are run; their results are dropped.
  func queue(_ queries: ServerQuery...) { queued += queries }
  func queue(_ text: String, _ values: (any SQLConvertible)?...) { queue(text, values: values) }
  func queue(_ text: String, values: [(any SQLConvertible)?]) { queued.append(ServerQuery(text, values: values)) }

  /// Returns the result of one statement.
  func run(_ text: String, _ values: (any SQLConvertible)?...) async throws -> Rows {
    try await run([ServerQuery(text, values: values)])[0]
  }

  /// Returns the results of `queries`, which take one way to the server and back.
  func run(_ queries: ServerQuery...) async throws -> [Rows] { try await run(queries) }

  /// Commits. Without an answer in time, the server is asked to stop, and has a moment left to say whether it did.
  func commit() async throws {
    let last = Deadline.left.map { ContinuousClock.now + $0 - .milliseconds(50) } ?? end + .seconds(1)
    do {
      _ = try await connection.run(queued + [ServerQuery("COMMIT")], until: end, stoppingUntil: max(end, last))
    } catch let failure as ServerFailure where failure.isLate && !connection.isUsable {
      throw ServerFailure.unknown("no answer in time")
    }
  }

  func run(_ queries: [ServerQuery]) async throws -> [Rows] {
    defer { queued = [] }
    let all = (opening.map { [$0] } ?? []) + queued + queries
    return try await Array(connection.run(all, until: end).suffix(queries.count))
  }
}
