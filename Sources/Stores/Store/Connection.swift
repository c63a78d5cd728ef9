import AggregatorCore
import CSQLite
import StoreTables
import Synchronization

/// One connection to a database, with the statements it has prepared.
///
/// Unchecked, because the compiler cannot see that two threads never use a connection at once. One `Mutex` owns each connection
/// (in `Database`, or in a snapshot), and no function lets it out of that lock. SQLite accepts any thread, as long as it is alone.
final class Connection: @unchecked Sendable {
  let path: String
  private let handle: OpaquePointer
  private var statements: [String: PreparedStatement] = [:]
  private var isUntouched = false
  /// False when SQLite assumes that the file never changes.
  let seesChanges: Bool
  private var memory: Memory?
  /// The number of pages in the log after the last commit; 0 if SQLite itself keeps the log short.
  private(set) var pagesInLog = 0
  /// A log with this many pages is long; 0 if SQLite itself keeps it short.
  private var longLog = 0
  /// True when the database is known to be of the current version.

  /// The sources whose tables are known to be up to date.
  var ready: Set<RecordKind> = []
  /// The rows that this transaction is about to add to a search index.
  var indexedRows = IndexedRows()

  /// The most bytes that SQLite may use in this process; 0 for no limit, which saves a lock for each piece of memory.
  private static let mostMemory = Atomic(0)
  /// SQLite must be configured once, before its first use.
  private static let prepared: Void = csqlite_prepare(mostMemory.load(ordering: .relaxed) > 0)

  /// Configures SQLite, unless that is done.
  static func prepare() { prepared }

  /// Makes SQLite count its memory in this process, and use no more than so many bytes. It has no effect once SQLite is in use.
  static func countMemory(upTo bytes: Int) {
    mostMemory.store(bytes, ordering: .relaxed)
    prepare()
    sqlite3_hard_heap_limit64(sqlite3_int64(bytes))
  }

  struct Access: Equatable {
    let flags: CInt

    static let writing = Access(flags: SQLITE_OPEN_READWRITE)
    static let creating = Access(flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    /// Access to a file that must not be written.
    static let reading = Access(flags: SQLITE_OPEN_READONLY)
    /// Access to such a file in a folder that must not be written either. SQLite cannot make
    /// the files beside it that tell of changes, so it assumes that the file never changes.
    static let readingAlone = Access(flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)

    /// Returns the name that SQLite opens for a path.
    func name(of path: String) -> String {
      guard self == .readingAlone else { return path }
      let escaped = path.replacingEach("%", with: "%25").replacingEach("?", with: "%3f").replacingEach("#", with: "%23")
      return "file:\(escaped)?immutable=1"
    }
  }

  init(_ path: String, _ access: Access = .creating) throws(SQLiteFailure) {
    Self.prepared
    self.path = path
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(access.name(of: path), &handle, access.flags | SQLITE_OPEN_NOMUTEX, nil)
    guard let handle else { throw SQLiteFailure(code: SQLITE_NOMEM, "out of memory") }
    guard code == SQLITE_OK else {
      let failure = SQLiteFailure(handle)
      sqlite3_close_v2(handle)
      throw failure
    }
    self.handle = handle
    seesChanges = access != .readingAlone
    sqlite3_extended_result_codes(handle, 1)
  }

  deinit {
    statements.removeAll()
    if isUntouched { csqlite_close_untouched(handle) } else { sqlite3_close_v2(handle) }
  }

  /// Ends what was being read, and forgets what was known of the tables. Returns false if the connection cannot serve another reader.
  func forgetReading() -> Bool {
    for statement in statements.values { statement.reset() }
    ready = []
    return (try? run("ROLLBACK")) != nil
  }

  /// Makes closing leave all files as they are.
  func leaveUntouched() { isUntouched = true }

  /// Sets how long to wait for a lock of another process.
  func wait(for patience: Duration) { sqlite3_busy_timeout(handle, CInt(clamping: Int(patience.inSeconds * 1000))) }

  /// Sets how much memory the connection may use for pages, and how long the log may grow before it is written back.
  func spend(_ memory: Memory) throws(SQLiteFailure) {
    guard memory != self.memory else { return }
    self.memory = memory
    try run("PRAGMA cache_size = -\(memory.kilobytes)")
    guard memory.kilobytesInLog > 0 else { return }
    let pages = try memory.kilobytesInLog * 1_024 / number("PRAGMA page_size")
    try run("PRAGMA wal_autocheckpoint = \(memory.isForBatches ? 0 : pages)")
    (pagesInLog, longLog) = (0, 0)
    guard memory.isForBatches else { return }
    longLog = pages
    // Unretained: the hook runs only in calls on `handle`, which this object closes.
    let connection = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_wal_hook(
      handle,
      { connection, _, _, pages in
        if let connection { Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue().pagesInLog = Int(pages) }
        return SQLITE_OK
      }, connection)
  }

  /// True when the log should be written back.
  var hasLongLog: Bool { longLog > 0 && pagesInLog >= longLog }

  /// Writes the log back, except for pages that are being read. If that fails, the log stays, and a later call writes it back.
  func writeLogBack() { _ = try? number("PRAGMA wal_checkpoint(PASSIVE)") }

  struct Memory: Equatable {
    var kilobytes: Int
    /// The size of the log, 0 for a reader. The next process that opens the store reads the log that this one leaves behind, at 3 ms for
    /// 4 MB.
    var kilobytesInLog: Int
    /// True when one batch follows the other, so that a long log is written back beside them (`WriteBack`).
    var isForBatches = false

    /// For reading. Most pages are read once, and a small part of memory stays in the processor's cache.
    static let least = Memory(kilobytes: 256, kilobytesInLog: 0)
    /// For work that a person waits for.
    static let little = Memory(kilobytes: 4_096, kilobytesInLog: 2_000)
    /// For a sync: no more memory, but fewer waits for the disk.
    static let steady = Memory(kilobytes: 4_096, kilobytesInLog: 32_000, isForBatches: true)
    /// For an import, which uses the whole index of ids again and again.
    static let much = Memory(kilobytes: 65_536, kilobytesInLog: 80_000, isForBatches: true)
  }

  /// Runs SQL without a result.
  func run(_ sql: String) throws(SQLiteFailure) {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw SQLiteFailure(handle) }
  }

  /// Returns a statement, prepared once and kept. It is reset and has no values.
  func statement(_ sql: String) throws(SQLiteFailure) -> PreparedStatement {
    if let statement = statements[sql] {
      statement.reset()
      return statement
    }
    var prepared: OpaquePointer?
    guard sqlite3_prepare_v3(handle, sql, -1, CUnsignedInt(SQLITE_PREPARE_PERSISTENT), &prepared, nil) == SQLITE_OK,
      let prepared
    else {
      throw SQLiteFailure(handle)
    }
    let statement = PreparedStatement(prepared, of: handle)
    statements[sql] = statement
    return statement
  }

  /// Runs a statement with these values to its end.
  func run(_ sql: String, _ values: (any Bindable)?...) throws(SQLiteFailure) {
    let statement = try statement(sql)
    statement.bind(values)
    while try statement.step() {}
    statement.reset()
  }

  /// Returns what `read` makes of the first row; nil without rows.
  func first<Result>(_ sql: String, _ values: (any Bindable)?..., read: (PreparedStatement) throws -> Result) throws -> Result?
  {
    let statement = try statement(sql)
    statement.bind(values)
    defer { statement.reset() }
    return try statement.step() ? read(statement) : nil
  }

  /// Returns what `read` makes of every row.
  func all<Result>(_ sql: String, _ values: (any Bindable)?..., read: (PreparedStatement) throws -> Result) throws -> [Result] {
    let statement = try statement(sql)
    statement.bind(values)
    defer { statement.reset() }
    var results: [Result] = []
    while try statement.step() { results.append(try read(statement)) }
    return results
  }

  /// Returns the first number of the first row; 0 without rows.
  func number(_ sql: String, _ values: (any Bindable)?...) throws(SQLiteFailure) -> Int {
    let statement = try statement(sql)
    statement.bind(values)
    defer { statement.reset() }
    return try statement.step() ? statement.int(0) : 0
  }

  /// The number of rows that the last statement changed.
  var changes: Int { Int(sqlite3_changes(handle)) }
  var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Runs `body` in one transaction: all of it or nothing.
  ///
  /// It takes the writer's lock at once, so that it waits for other processes only here.
  func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try run("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // This fails if SQLite has rolled back by itself, as on a full disk.
      try? run("ROLLBACK")
      ready.removeAll()
      throw error
    }
  }

  /// Runs `body`, which only reads, and stops it when its task is cancelled.
  func untilCancelled<Result>(_ body: () throws -> Result) throws -> Result {
    try Task.checkCancellation()
    sqlite3_progress_handler(handle, Self.stepsBetweenLooks, { _ in Task.isCancelled ? 1 : 0 }, nil)
    defer { sqlite3_progress_handler(handle, 0, nil, nil) }
    do {
      return try body()
    } catch let failure as SQLiteFailure where failure.isInterruption {
      throw CancellationError()
    }
  }

  /// The number of SQLite's steps between two checks for cancellation. So many steps take some microseconds.
  private static let stepsBetweenLooks: CInt = 1_000

  /// Runs `body`, which only reads, on one state of the database.
  func atOneMoment<Result>(_ body: () throws -> Result) throws -> Result {
    try run("BEGIN")
    defer { try? run("COMMIT") }
    return try body()
  }
}
