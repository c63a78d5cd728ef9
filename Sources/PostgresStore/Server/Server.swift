import AggregatorCore
import Synchronization

/// The server that keeps a store: its connections, its schema, and what is done when one of them is lost.
///
/// Nothing of ours lives in a session: no named statement, no lock and no setting outlasts a transaction, so that a pooler of connections may
/// stand between.
///
/// What it does around a piece of work is compiled once, and not for each type that some work gives: the copies were a third of the module.
final class Server: Sendable {
  let address: ServerAddress
  /// Whether the store is opened to be made a copy of another one.
  private let isCopy: Bool
  /// How long a lock, or a server that does not answer, is waited for where nobody has set a deadline.
  let patience: Duration
  private let state = Mutex(State())

  private struct State {
    var idle: [Connection] = []
    var hasSchema = false
    /// Why it could not be reached, and until when that is believed: who was kept waiting once is not kept waiting again at once.
    var failure: (failure: ServerFailure, until: ContinuousClock.Instant)?
  }

  init(_ address: ServerAddress, copying isCopy: Bool = false, patience: Duration) {
    (self.address, self.isCopy, self.patience) = (address, isCopy, patience)
  }

  // MARK: Reading and writing

  /// What each of `queries` gives; each sees what was committed before it began.
  func read(_ queries: Query...) async throws -> [Rows] { try await read { try await $0.run(queries) } }

  /// What one statement gives.
  func read(_ text: String, _ values: (any SQLConvertible)?...) async throws -> Rows {
    try await read(Query(text, values: values))[0]
  }

  /// What `body` reads of these records; `nothing` where none were ever stored.
  func reading<Result: Sendable>(
    _ kind: RecordKind, else nothing: Result, _ body: (Transaction, StoredSource) async throws -> Result
  ) async throws -> Result {
    try await read { transaction in
      guard let source = try await transaction.source(kind) else { return nothing }
      return try await body(transaction, source)
    }
  }

  /// The same of what is written, under the lock of these records.
  func writing<Result: Sendable>(
    _ kind: RecordKind, else nothing: Result, _ body: (Transaction, StoredSource) async throws -> Result
  ) async throws -> Result {
    try await write { transaction in
      let source = try await transaction.lock(kind)
      return source.fields == nil ? nothing : try await body(transaction, source)
    }
  }

  /// What `body` reads, all of it at one moment.
  @_semantics("optimize.sil.specialize.generic.never")
  func readingAtOneMoment<Result: Sendable>(_ body: @Sendable (Transaction) async throws -> Result) async throws -> Result {
    try await attempting(nil) { connection, end in
      let transaction = Transaction(connection, until: end)
      transaction.queue(Query("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"), Self.settings)
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

  /// PostgreSQL compiles a statement whose lists are long; that takes ten times as long as to run it. And it looks only now and then whether
  /// somebody still waits for the answer. What it takes a backslash for, a role may have set.
  static let settings = Query(
    """
    SELECT set_config('jit', 'off', true), set_config('client_connection_check_interval', '1000', true),
      set_config('standard_conforming_strings', 'on', true)
    """)

  /// What `body` gives, whose writing is committed before this returns, once and whole.
  ///
  /// It may run more than once: where it got in another's way, or its connection was lost before it was committed. Where the answer to a
  /// COMMIT was lost, the transaction's own number tells whether it came through. What is `hurried` waits a second at most for others, and
  /// five for a server that was reached before.
  @_semantics("optimize.sil.specialize.generic.never")
  func write<Result: Sendable>(
    patience: Duration? = nil, hurried isHurried: Bool = false, _ body: (Transaction) async throws -> Result
  ) async throws -> Result {
    try await attempting(patience ?? (isHurried && isKnown ? .seconds(5) : nil)) { connection, end in
      let number = Int64.random(in: .min ... .max)
      let transaction = Transaction(connection, until: end)
      let left = max(1, Int((end - .now) / .milliseconds(1)))
      let wait = isHurried ? min(left, 1_000) : left
      // A process that is stopped in the middle must not keep its locks; nor must the server go on for one that has given up.
      transaction.queue(
        // What was committed before a lock was had has to be seen behind it.
        Query("BEGIN ISOLATION LEVEL READ COMMITTED"), Self.settings,
        Query(
          """
          SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true),
            set_config('idle_in_transaction_session_timeout', '30000', true)
          """, String(wait), String(left.adding(1_000))),
        Query("INSERT INTO aggregator.write_log(id) VALUES($1)", number))
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

  /// What `body` gives; where it fails, its transaction is rolled back.
  @_semantics("optimize.sil.specialize.generic.never")
  private func rollingBack<Result>(
    _ connection: Connection, until end: ContinuousClock.Instant, _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch {
      if connection.isUsable { _ = try? await connection.run([Query("ROLLBACK")], until: end) }
      throw error
    }
  }

  /// Whether the transaction of that number has come through: it is waited for where the server has not noticed yet that it was lost.
  private func hasCommitted(_ number: Int64) async throws -> Bool {
    try await attempting(nil) { connection, end in
      try await rollingBack(connection, until: end) {
        try await connection.run(
          [
            Query("BEGIN ISOLATION LEVEL READ COMMITTED"),
            Query("INSERT INTO aggregator.write_log(id) VALUES($1) ON CONFLICT DO NOTHING", number), Query("ROLLBACK"),
          ], until: end)[1].changes == 0
      }
    }
  }

  // MARK: Attempts

  /// What `body` gives. It runs again, for as long as there is patience and time, where nothing can have come of it.
  @_semantics("optimize.sil.specialize.generic.never")
  private func attempting<Result: Sendable>(
    _ patience: Duration?, _ body: (Connection, ContinuousClock.Instant) async throws -> Result
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
          if !isReached {
            let span = isKnown ? Duration.zero : (.now - start) * 8
            state.withLock { $0.failure = (failure, .now + max(.seconds(5), span)) }
          }
          throw failure.error(at: address)
        }
        // Not by a clock that a test may stop or let leap: the server needs the time itself.
        try await Task.sleep(for: pause)
        pause *= 2
      }
    }
  }

  /// Whether the server was ever reached: only then is it waited for while it is away.
  private var isKnown: Bool { state.withLock { $0.hasSchema } }

  /// A little less than there is, so that the error which says what happened comes before the one which says that time is over.
  func time(_ patience: Duration?) -> Duration {
    let patience = patience ?? self.patience
    return Deadline.left.map { min(patience, $0 - max(.milliseconds(100), min($0 / 4, .seconds(1)))) } ?? patience
  }

  private func take(until end: ContinuousClock.Instant) async throws -> Connection {
    var idle: Connection?
    repeat { idle = state.withLock { $0.idle.popLast() } } while idle.map { !$0.isUsable } ?? false
    let connection = if let idle { idle } else { try await connect(until: end) }
    if !isKnown {
      try await prepare(connection, until: end)
      state.withLock { $0.hasSchema = true }
    }
    return connection
  }

  /// A server that was never reached has a few seconds, and no more than half of what is left: a service may be asked without it.
  private func connect(until end: ContinuousClock.Instant) async throws -> Connection {
    let usual = address.connectingTime ?? .seconds(4)
    let most = Deadline.left.map { max(.zero, min(usual, $0 / 2)) } ?? usual
    let now = ContinuousClock.now
    let limit = isKnown ? end : min(end, now + most)
    do {
      return try await Connection.open(address, until: limit)
    } catch let failure as ServerFailure where failure.isLate {
      throw ServerFailure.unreachable("no answer within \((limit - now).inWords)")
    }
  }

  /// Makes the schema what it has to be, and refuses a store that is an unfinished copy.
  func prepare(_ connection: Connection, until end: ContinuousClock.Instant) async throws {
    try await Schema.prepare(on: connection, of: address, until: end)
    guard !isCopy else { return }
    let query = Query("SELECT value FROM aggregator.store_keepsake WHERE name = $1", StoredTable.unfinishedCopy)
    guard let original = try await connection.run([query], until: end)[0].first({ $0.text(0) }) else { return }
    throw StoredTable.unfinished("\(address)", copyOf: original)
  }

  private func giveBack(_ connection: Connection) {
    guard connection.isUsable else { return }
    state.withLock { if $0.idle.count < 4 { $0.idle.append(connection) } }
  }
}

/// The statements of one piece of work. It lives no longer than that, in one task.
final class Transaction {
  let connection: Connection
  private let end: ContinuousClock.Instant
  /// What comes before the statements each time, where nothing holds them together.
  private let opening: Query?
  private var queued: [Query] = []

  init(_ connection: Connection, until end: ContinuousClock.Instant, opening: Query? = nil) {
    (self.connection, self.end, self.opening) = (connection, end, opening)
  }

  /// Sends these with whatever is sent next; what they give nobody reads.
  func queue(_ queries: Query...) { queued += queries }
  func queue(_ text: String, _ values: (any SQLConvertible)?...) { queue(text, values: values) }
  func queue(_ text: String, values: [(any SQLConvertible)?]) { queued.append(Query(text, values: values)) }

  /// What one statement gives.
  func run(_ text: String, _ values: (any SQLConvertible)?...) async throws -> Rows {
    try await run([Query(text, values: values)])[0]
  }

  /// What each of `queries` gives: one way to the server and back.
  func run(_ queries: Query...) async throws -> [Rows] { try await run(queries) }

  /// Commits. Where there is no answer in time, the server is asked to stop, and has a moment left to say whether it did.
  func commit() async throws {
    let last = Deadline.left.map { ContinuousClock.now + $0 - .milliseconds(50) } ?? end + .seconds(1)
    do {
      _ = try await connection.run(queued + [Query("COMMIT")], until: end, stoppingUntil: max(end, last))
    } catch let failure as ServerFailure where failure.isLate && !connection.isUsable {
      throw ServerFailure.unknown("no answer in time")
    }
  }

  func run(_ queries: [Query]) async throws -> [Rows] {
    defer { queued = [] }
    let all = (opening.map { [$0] } ?? []) + queued + queries
    return try await Array(connection.run(all, until: end).suffix(queries.count))
  }
}
