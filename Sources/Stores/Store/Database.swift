import AggregatorCore
import CSQLite
import Synchronization

/// A database file with a schema: made or opened on first use, and replaced if it is damaged.
///
/// The functions around a piece of work are compiled once, not once for each type of result: the copies were a quarter of the module.
final class Database: Sendable {
  /// The sort of a database.
  struct Format: Sendable {
    /// The word for it in messages.
    var name = "store"
    /// True when a person named the file; a file that is not a database may then be something else of theirs.
    var isNamed = false
    /// True when the database is opened to become a copy of another one.
    var isCopy = false
    /// The remedy that puts it somewhere else.
    var elsewhere = Remedy.useAnotherStore
    var applicationID = StoreSchema.applicationID
    var version = StoreSchema.version
    /// Returns the statements that make the tables.
    var tables: @Sendable () -> [String] = { StoreSchema.tables }
    /// The bytes of a page in a new file; an existing file keeps its own.
    var pageSize = 8_192
  }

  let path: String
  let format: Format
  let patience: Duration
  let clock: any Timekeeper
  var file: DatabaseFile { DatabaseFile(path: path, format: format) }
  /// Locked as long as something is being read or written on the one connection.
  private let state = Mutex(State())
  /// Locked only for a moment, so that readers need not wait for a writer.
  private let knowledge = Mutex(FileState())
  private let secondConnection = Mutex<Connection?>(nil)
  /// Connections for reading that wait for the next reader, with the files that they were opened on. To open one, SQLite reads the whole
  /// schema, which takes 10 ms in a store of a hundred lists.
  private let idleReaders = Mutex<[(connection: Connection, identity: [UInt64])]>([])
  private static let mostIdleReaders = 4
  let writeBack: WriteBack

  private struct State {
    var connection: Connection?
    /// The file that the connection was opened on.
    var identity: [UInt64]?
    /// True when something was committed to the file.
    var hasWritten = false
  }

  /// The facts about the file that are known without looking at it.
  private struct FileState {
    var isOpen = false
    /// True when the disk has no room for the tables; the file at the path holds nothing then.
    var isWithoutRoom = false
  }

  init(_ path: String, format: Format = Format(), patience: Duration, clock: any Timekeeper) {
    self.path = path
    self.format = format
    self.patience = patience
    self.clock = clock
    writeBack = WriteBack(of: DatabaseFile(path: path, format: format))
  }

  // The connection that writes is closed last: then it writes the log back into the file.
  deinit { idleReaders.withLock { $0 = [] } }

  /// True when a full disk left only the beginning of a file, in which nothing can be stored yet.
  var isWithoutRoom: Bool { knowledge.withLock { $0.isWithoutRoom } }

  /// Throws if the system reports a full disk.
  func checkRoom() throws {
    guard let room = file.room, room < 64 << 10 else { return }
    throw SQLiteFailure(code: SQLITE_FULL, "").error(at: path, of: format)
  }

  /// True when there is something to read.
  var isThere: Bool {
    let knowledge = knowledge.withLock { $0 }
    return knowledge.isOpen || !knowledge.isWithoutRoom && file.exists
  }

  /// Returns what `body` reads of the records of `kind`; `nothing` if none were ever stored, or without a file.
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

  /// Returns what `body` returns after writing; `nothing` if no records of `kind` were ever stored, or without a file.
  func writing<Result: Sendable>(_ kind: RecordKind? = nil, else nothing: Result, _ body: (Connection) throws -> Result) throws
    -> Result
  {
    guard isThere else { return nothing }
    return try writing { try $0.hasTables(of: kind) ? body($0) : nothing }
  }

  /// Makes the folder of the file, unless the file exists.
  func makeFolder() throws {
    if !file.exists { try file.makeFolder() }
  }

  /// Runs `body` on the one connection, alone.
  @_semantics("optimize.sil.specialize.generic.never")
  func reading<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try attempting(LockWait(patience), body)
  }

  /// Runs `body` in one transaction, after other writers. If another process has the lock, it runs again from its
  /// beginning. Throws if the file at the path was replaced, since what was written would not be found there.
  ///
  /// A `hurried` write waits up to a second for other writers of this program, and hardly at all for anyone else.
  @_semantics("optimize.sil.specialize.generic.never")
  func writing<Result: Sendable>(
    with memory: Connection.Memory = .little, hurried isHurried: Bool = false, _ body: (Connection) throws -> Result
  ) throws -> Result {
    var wait = LockWait(isHurried ? min(patience, .seconds(1)) : patience)
    // Checks the file first, so that no lock file is made beside a file of another program.
    try attempting(wait) { _ in }
    let turn = try WriteLock.take(beside: path, &wait)
    return try withExtendedLifetime(turn) {
      try attempting(isHurried ? LockWait(min(patience, .milliseconds(100))) : wait, checkingFile: true) { connection in
        try connection.spend(memory)
        return try connection.transaction { try body(connection) }
      }
    }
  }

  /// Writes the log back and empties it. Pages that somebody still reads stay in the log; the next writer writes them back.
  func emptyLog() throws {
    try writeBack.waiting { try reading(else: ()) { _ = try $0.number("PRAGMA wal_checkpoint(TRUNCATE)") } }
  }

  /// Returns a connection for reading, which ``giveBack(_:openedOn:)`` may take when the reader has ended.
  func reader() throws -> Connection {
    if let connection = idleReader() { return connection }
    if let connection = try? currentReader() { return connection }
    // The database has to be made or reported first; opening it for work does all of that.
    try attempting(LockWait(patience)) { _ in }
    let connection = try tellingFailures { try currentReader() }
    guard let connection else {
      throw SourceError(ofStore: "the \(format.name) at \(path) was replaced while it was opened", remedy: "try again")
    }
    return connection
  }

  /// Returns a connection that an earlier reader gave back; nil without one to the file that is now at the path.
  private func idleReader() -> Connection? {
    let identity = file.identityWithLog
    // Connections to a file that was replaced are closed after the lock is free.
    let (found, _) = idleReaders.withLock { readers -> (Connection?, [Connection]) in
      let others = readers.filter { $0.identity != identity }
      readers.removeAll { $0.identity != identity }
      return (readers.popLast()?.connection, others.map(\.connection))
    }
    guard let found else { return nil }
    found.wait(for: min(patience, Deadline.left ?? patience))
    return (try? found.number("PRAGMA user_version")).map { $0 == format.version } == true ? found : nil
  }

  /// Takes a connection for the next reader, if it can serve one.
  func giveBack(_ connection: Connection, openedOn identity: [UInt64]?) {
    guard let identity, identity == file.identityWithLog, connection.seesChanges, connection.forgetReading() else { return }
    idleReaders.withLock { readers in
      if readers.count < Self.mostIdleReaders { readers.append((connection, identity)) }
    }
  }

  /// Returns a connection to a database that has its tables; nil if it has none yet.
  private func currentReader() throws -> Connection? {
    // Opened for writing: a read-only connection could not recover the log of a killed process.
    let connection = try connect(.writing)
    // Readers wait only for a store that is being made or repaired.
    connection.wait(for: min(patience, Deadline.left ?? patience))
    guard try connection.number("PRAGMA user_version") == format.version else { return nil }
    // Rows are read once, so that a large cache of pages costs more than it saves.
    try connection.spend(.least)
    // Writers write the log back; closing a reader must not.
    connection.leaveUntouched()
    return connection
  }

  /// Returns a connection that leaves a foreign or newer file as it found it. If the file must not be written, the connection only reads.
  private func connect(_ access: Connection.Access) throws -> Connection {
    do {
      return try connection(access)
    } catch let failure as SQLiteFailure where failure.isUnwritable && file.exists {
      if let connection = try? connection(.reading) { return connection }
      // The contents of a log would be missing; and in a writable folder another process may be writing now.
      guard !file.hasLog, !file.isInWritableFolder, let connection = try? connection(.readingAlone) else { throw failure }
      return connection
    }
  }

  private func connection(_ access: Connection.Access) throws -> Connection {
    let hadLog = file.hasLog
    let connection = try Connection(path, access)
    do {
      try Preparation(format: format, path: path).admit(connection)
    } catch {
      // Closing would write the log back into the file. A log that was not there before is removed by closing.
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

  /// Sets aside a file that was found damaged by a reader, unless another file has taken its place.
  private func setAside(_ identity: [UInt64]?, because failure: SQLiteFailure) throws {
    try state.withLock { state in
      guard let identity, file.identity == identity else { return }
      state.identity = identity
      try replace(&state, because: failure)
    }
  }

  /// Turns SQLite's failures into errors for a person. A damaged file is set aside, so that the next call makes a new one.
  @_semantics("optimize.sil.specialize.generic.never")
  func tellingFailures<Result: Sendable>(_ identity: [UInt64]? = nil, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let failure as SQLiteFailure {
      do {
        if failure.isDamage(in: format) { try setAside(identity, because: failure) }
      } catch let second as SQLiteFailure {
        throw second.error(at: path, of: format)
      }
      throw failure.error(at: path, of: format)
    }
  }

  /// Runs `body`. If the file is damaged, the file is set aside and `body` runs again on a new one. While
  /// another process has the lock, `body` is tried again; between the tries others may use the connection.
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
            if checkingFile {
              writeBack.tend(try checkFile(&state), to: state.identity)
              state.hasWritten = true
            }
            return result
          } catch let failure as SQLiteFailure where failure.isDamage(in: format) {
            // What this process has committed would not be in a new file.
            guard !state.hasWritten else { throw failure }
            try replace(&state, because: failure)
            return try body(open(&state))
          }
        }
      } catch let failure as SQLiteFailure {
        guard failure.isBusy, try wait.goesOn() else {
          if failure.isOfTheDisk, file.isBlank { knowledge.withLock { $0.isWithoutRoom = true } }
          throw failure.error(at: path, of: format)
        }
      }
    }
  }

  /// Returns the connection. Throws if another file is at the path now; the next call opens that one. It costs one look at the file system.
  private func checkFile(_ state: inout State) throws -> Connection {
    if let connection = state.connection, let identity = state.identity, file.identity == identity { return connection }
    abandon(&state)
    throw SourceError(
      ofStore: "the \(format.name) at \(path) was replaced or removed while it was in use", remedy: "start again")
  }

  /// Closes the connection; the next call opens another one.
  private func abandon(_ state: inout State) {
    state.connection?.leaveUntouched()
    state.connection = nil
    knowledge.withLock { $0.isOpen = false }
  }

  /// Sets the file aside if a second look finds it damaged too. Throws if not, because SQLite takes some errors of a disk for damage.
  private func replace(_ state: inout State, because failure: SQLiteFailure) throws {
    abandon(&state)
    guard isDamaged else {
      throw SQLiteFailure(code: SQLITE_IOERR, "\(failure.message), but a second look found it sound; nothing was changed")
    }
    if let name = try file.setAside(state.identity, at: clock.now) {
      Event.emit(
        .noticed(
          source: format.name,
          "\(path) was damaged (\(failure.message)); it was renamed to \(name), and what is stored next is in a new one"))
    }
  }

  /// True when another connection finds the file damaged.
  private var isDamaged: Bool {
    do {
      let connection = try Connection(path, .writing)
      defer { connection.leaveUntouched() }
      let statement = try connection.statement("PRAGMA quick_check(1)")
      return try !statement.step() || statement.bytes(0) != Array("ok".utf8)
    } catch {
      return error.isDamage(in: format)
    }
  }

  private func open(_ state: inout State) throws -> Connection {
    if let connection = state.connection { return connection }
    try makeFolder()
    file.makePrivate()
    let former = state.identity
    state.identity = file.identity
    // Another file has nothing of what was committed.
    if state.identity != former { state.hasWritten = false }
    let connection = try connect(.creating)
    try connection.spend(.little)
    try Preparation(format: format, path: path).prepare(connection)
    state.identity = file.identity
    state.connection = connection
    knowledge.withLock { $0 = FileState(isOpen: true) }
    return connection
  }
}
