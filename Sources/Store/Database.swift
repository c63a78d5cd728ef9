import AggregatorCore
import CSQLite
import Synchronization

/// A database file with a schema: opened on first use, brought up to date, and replaced when it turns out to be damaged.
///
/// What it does around a piece of work is compiled once, and not for each type that some work gives: the copies were a quarter of the module.
final class Database: Sendable {
  /// What sort of database it is.
  struct Format: Sendable {
    /// What a person calls it.
    var name = "store"
    /// Whether a person named the file: what is no database there may be something else of theirs.
    var isNamed = false
    /// Whether it is opened to be made a copy of another one.
    var isCopy = false
    /// How a person has it kept somewhere else.
    var elsewhere = Remedy.useAnotherStore
    var applicationID = StoreSchema.applicationID
    var steps = StoreSchema.steps

    var version: Int { steps.count }
  }

  let path: String
  let format: Format
  let patience: Duration
  let clock: any Timekeeper
  var file: DatabaseFile { DatabaseFile(path: path, format: format) }
  private let state = Mutex(State())
  private let secondConnection = Mutex<Connection?>(nil)

  private struct State {
    var connection: Connection?
    /// The file that the connection was opened on.
    var identity: [UInt64]?
    /// Whether there is no room to make the tables: what stands at the path holds nothing.
    var isWithoutRoom = false
  }

  init(_ path: String, format: Format = Format(), patience: Duration, clock: any Timekeeper) {
    self.path = path
    self.format = format
    self.patience = patience
    self.clock = clock
  }

  /// Whether a full disk has left no more of it than the beginning of a file, in which nothing can be stored yet.
  var isWithoutRoom: Bool { state.withLock { $0.isWithoutRoom } }

  /// Throws where its disk is full, as far as the system says so.
  func checkRoom() throws {
    guard let room = file.room, room < 64 << 10 else { return }
    throw SQLiteFailure(code: SQLITE_FULL, "").error(at: path, of: format)
  }

  /// Whether there is anything to read.
  var isThere: Bool {
    let isKnown = state.withLock { $0.connection != nil ? true : $0.isWithoutRoom ? false : nil }
    return isKnown ?? file.exists
  }

  /// What `body` reads of the records of `kind`; `nothing` where none were ever stored, or there is no file.
  func reading<Result: Sendable>(_ kind: RecordKind? = nil, else nothing: Result, _ body: (Connection) throws -> Result) throws
    -> Result
  {
    guard isThere else { return nothing }
    do {
      return try reading { try $0.hasTables(of: kind) ? body($0) : nothing }
    } catch  where isWithoutRoom {
      return nothing
    }
  }

  /// The same of what is written.
  func writing<Result: Sendable>(_ kind: RecordKind? = nil, else nothing: Result, _ body: (Connection) throws -> Result) throws
    -> Result
  {
    guard isThere else { return nothing }
    return try writing { try $0.hasTables(of: kind) ? body($0) : nothing }
  }

  /// Makes the folder that the file will lie in.
  func makeFolder() throws {
    if !file.exists { try file.makeFolder() }
  }

  /// Runs `body` on the one connection, alone.
  @_semantics("optimize.sil.specialize.generic.never")
  func reading<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try attempting(LockWait(patience), body)
  }

  /// Runs `body` in one transaction, once other writers are done; one that gets stuck behind them runs again from its beginning. An error
  /// where the file is not the one at its path any more, since nobody would find there what was written.
  ///
  /// What is `hurried` lets others of ours end what takes a moment, and waits for nobody else.
  @_semantics("optimize.sil.specialize.generic.never")
  func writing<Result: Sendable>(
    with memory: Connection.Memory = .little, hurried isHurried: Bool = false, _ body: (Connection) throws -> Result
  ) throws -> Result {
    var wait = LockWait(isHurried ? min(patience, .seconds(1)) : patience)
    // Nothing is put beside a file that turns out to be somebody else's.
    try attempting(wait) { _ in }
    let turn = try Turn.take(beside: path, &wait)
    return try withExtendedLifetime(turn) {
      try attempting(isHurried ? LockWait(min(patience, .milliseconds(100))) : wait, checkingFile: true) { connection in
        try connection.spend(memory)
        return try connection.transaction { try body(connection) }
      }
    }
  }

  /// A connection of its own for reading.
  func reader() throws -> Connection {
    if let connection = try? currentReader() { return connection }
    // Something has to be done or reported first: the next writer does both.
    try attempting(LockWait(patience)) { _ in }
    let connection = try tellingFailures { try currentReader() }
    guard let connection else {
      throw SourceError(ofStore: "the \(format.name) at \(path) was replaced while it was opened", remedy: "try again")
    }
    return connection
  }

  /// A connection to a database of this very version; nil where there is none.
  private func currentReader() throws -> Connection? {
    // Not for reading alone: then it could not look after a log that a process left behind when it was killed.
    let connection = try connect(.writing)
    // Only a store that is being made, or mended, keeps readers waiting.
    connection.wait(for: min(patience, Deadline.left ?? patience))
    guard try connection.number("PRAGMA user_version") == format.version else { return nil }
    // Rows are read once: pages that are kept cost more than they save.
    try connection.spend(.least)
    // The log is checkpointed by writers.
    connection.leaveUntouched()
    return connection
  }

  /// A connection that leaves a stranger's file, or a newer one's, as it found it; one for reading alone where the file may not be
  /// written.
  private func connect(_ access: Connection.Access) throws -> Connection {
    do {
      return try connection(access)
    } catch let failure as SQLiteFailure where failure.isUnwritable && file.exists {
      if let connection = try? connection(.reading) { return connection }
      // What is in a log would be missing; and where others may write, they may do so now.
      guard !file.hasLog, !file.isInWritableFolder, let connection = try? connection(.readingAlone) else { throw failure }
      return connection
    }
  }

  private func connection(_ access: Connection.Access) throws -> Connection {
    let hadLog = file.hasLog
    let connection = try Connection(path, access)
    do {
      try Migrator(format: format, path: path).admit(connection)
    } catch {
      // Closing would write back what is in the log; a log that was not there before, it takes away.
      if hadLog { connection.leaveUntouched() }
      throw error
    }
    return connection
  }

  /// Runs `body` on a second connection, which does not wait while something is being written on the first.
  @_semantics("optimize.sil.specialize.generic.never")
  func readingBesideWriter<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try secondConnection.withLock { connection in
      let open = try connection ?? reader()
      connection = open
      return try tellingFailures { try body(open) }
    }
  }

  /// Sets a file aside that turned out to be damaged while somebody read from it, unless another has taken its place since.
  private func setAside(_ identity: [UInt64]?, because failure: SQLiteFailure) throws {
    try state.withLock { state in
      guard let identity, file.identity == identity else { return }
      state.identity = identity
      try replace(&state, because: failure)
    }
  }

  /// SQLite's failures as errors for a person; a damaged file is set aside, so that the next one to come finds a new one.
  @_semantics("optimize.sil.specialize.generic.never")
  func tellingFailures<Result: Sendable>(_ identity: [UInt64]? = nil, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let failure as SQLiteFailure {
      if failure.isDamage(in: format) { try setAside(identity, because: failure) }
      throw failure.error(at: path, of: format)
    }
  }

  /// When the file is damaged it is set aside, and `body` runs again on a new one; so it does while another process has the lock. In the
  /// meantime others may have the connection.
  @_semantics("optimize.sil.specialize.generic.never")
  private func attempting<Result: Sendable>(
    _ wait: LockWait, checkingFile: Bool = false, _ body: (Connection) throws -> Result
  ) throws -> Result {
    var wait = wait
    while true {
      do {
        return try state.withLock { state in
          do {
            let result = try body(open(&state))
            if checkingFile { try checkFile(&state) }
            return result
          } catch let failure as SQLiteFailure where failure.isDamage(in: format) {
            try replace(&state, because: failure)
            return try body(open(&state))
          }
        }
      } catch let failure as SQLiteFailure {
        guard failure.isBusy, try wait.goesOn() else {
          if failure.isOfTheDisk, file.isBlank {
            state.withLock { $0.isWithoutRoom = true }
          }
          throw failure.error(at: path, of: format)
        }
      }
    }
  }

  /// One look at the file system; the next one to come opens what is there then.
  private func checkFile(_ state: inout State) throws {
    if let identity = state.identity, file.identity == identity { return }
    state.connection?.leaveUntouched()
    state.connection = nil
    throw SourceError(
      ofStore: "the \(format.name) at \(path) was replaced or removed while it was in use", remedy: "start again")
  }

  private func replace(_ state: inout State, because failure: SQLiteFailure) throws {
    state.connection?.leaveUntouched()
    state.connection = nil
    if let name = try file.setAside(state.identity, at: clock.now) {
      Event.emit(
        .noticed(
          source: format.name, "\(path) was damaged (\(failure.message)); it was renamed to \(name) and a new one created"))
    }
  }

  private func open(_ state: inout State) throws -> Connection {
    if let connection = state.connection { return connection }
    try makeFolder()
    file.makePrivate()
    state.identity = file.identity
    let connection = try connect(.creating)
    try connection.spend(.little)
    try Migrator(format: format, path: path).migrate(connection)
    state.identity = file.identity
    (state.connection, state.isWithoutRoom) = (connection, false)
    return connection
  }
}
