import AggregatorCore
import CSQLite
import StoreTables

/// A connection to an empty database in memory, with the tables that one statement may read.
///
/// Unchecked, because the compiler cannot see that one thread at a time uses it. ``stop()`` is for any thread, as SQLite allows.
final class QueryConnection: @unchecked Sendable {
  let run = QueryRun()
  private let handle: OpaquePointer
  private let tables: [QueryTable]
  private let modules: [QueryModule]
  private var guardian = Guardian()

  init(_ tables: [QueryTable], within limits: SQLiteQueries.Limits) throws {
    Connection.prepare()
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
    guard let handle = opened, code == SQLITE_OK else {
      sqlite3_close_v2(opened)
      throw QueryMistake("out of memory")
    }
    (self.handle, self.tables) = (handle, tables)
    modules = tables.map { [run] in QueryModule($0, for: run) }
    sqlite3_extended_result_codes(handle, 1)
    csqlite_harden(handle)
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, CInt(clamping: limits.value))
    sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, CInt(clamping: limits.statement))
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
    sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, 0)
    // An interruption that comes before the first step would be lost, so that SQLite asks as well.
    sqlite3_progress_handler(
      handle, 1_000, { run in run.map { Unmanaged<QueryRun>.fromOpaque($0).takeUnretainedValue().isStopped } ?? false ? 1 : 0 },
      Unmanaged.passUnretained(run).toOpaque())
    do {
      try QueryTimes.add(to: handle)
      for module in modules { try module.add(to: handle) }
      for table in tables {
        if table.takesText { try connect(table.name) } else { try show(table, table.columns.map(\.name)) }
      }
      for table in ["json_each", "json_tree"] { try? connect(table) }
      try QueryFunctions.add(to: handle, counting: run)
    } catch {
      throw QueryMistake("SQLite failed: \(error.message)")
    }
  }

  // Modules outlive the connection, because they are properties of this object.
  deinit { sqlite3_close_v2(handle) }

  /// Ends the statement that runs. Any thread may call it.
  func stop() {
    run.stop()
    sqlite3_interrupt(handle)
  }

  /// Makes the view of a table with these of its columns.
  ///
  /// The second part of the view has no rows. With it SQLite does not merge the view into the statement: a view that is joined becomes a
  /// table with an index for as long as the statement runs, and not a list that is read again for each row of the other.
  private func show(_ table: QueryTable, _ columns: [String]) throws(SQLiteFailure) {
    let (name, rows) = (SQLText.name(table.name), SQLText.name(QueryModule.name(of: table)))
    try execute("DROP VIEW IF EXISTS temp.\(name)")
    try execute(
      """
      CREATE TEMP VIEW \(name) AS SELECT \(columns.map(SQLText.name).joined(separator: ", ")) FROM \(rows)
      UNION ALL SELECT \(columns.map { _ in "NULL" }.joined(separator: ", ")) WHERE 0
      """)
  }

  /// Connects a table that has no view. SQLite writes its schema for that, which no statement may.
  private func connect(_ table: String) throws(SQLiteFailure) {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(handle, "SELECT 1 FROM \(SQLText.name(table))('')", -1, &statement, nil)
    sqlite3_finalize(statement)
    guard code == SQLITE_OK else { throw SQLiteFailure(handle) }
  }

  private func execute(_ sql: String) throws(SQLiteFailure) {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw SQLiteFailure(handle) }
  }

  /// Prepares the one statement in a text. Returns it with the names of the tables that it reads.
  func prepare(_ text: String) throws -> (OpaquePointer, Set<String>) {
    if text.utf8.contains(0) { throw QueryMistake("a statement cannot hold a NUL") }
    run.tables = []
    let first = try prepareOnce(text)
    let (read, names) = (guardian.columns, run.tables)
    // Such joins depend on columns of which SQLite does not say that it reads them.
    let folded = Fold.fold(text)
    guard !folded.contains("natural"), !folded.contains("using") else { return (first, names) }
    sqlite3_finalize(first)
    // Views that are joined are copied. With only the columns that the statement reads that is quick.
    for table in tables where !table.takesText {
      guard let names = read[table.name] else { continue }
      let columns = table.columns.map(\.name).filter(names.contains)
      if columns.count < table.columns.count { try? show(table, columns.isEmpty ? [table.columns[0].name] : columns) }
    }
    return (try prepareOnce(text), names)
  }

  private func prepareOnce(_ text: String) throws -> OpaquePointer {
    guardian = Guardian()
    return try withExtendedLifetime(guardian) {
      sqlite3_set_authorizer(handle, Guardian.judge, Unmanaged.passUnretained(guardian).toOpaque())
      defer { sqlite3_set_authorizer(handle, nil, nil) }
      let (statement, rest) = try compile(text[...])
      guard let statement else { throw QueryMistake("the statement is empty") }
      do {
        if try compile(rest).statement.map({ sqlite3_finalize($0) }) != nil {
          throw QueryMistake("sql takes one statement; this is more than one")
        }
        guard sqlite3_stmt_readonly(statement) != 0, sqlite3_column_count(statement) > 0 else { throw refusal(of: text[...]) }
        if sqlite3_bind_parameter_count(statement) > 0 {
          throw QueryMistake("a statement has no parameters here; write the value in place of the ?")
        }
      } catch {
        sqlite3_finalize(statement)
        throw error
      }
      return statement
    }
  }

  /// Compiles the first statement in a text. Returns nil for a text without one, and what follows it.
  private func compile(_ text: Substring) throws -> (statement: OpaquePointer?, rest: Substring) {
    var text = text
    let copy = text
    return try text.withUTF8 { bytes in
      var (statement, rest): (OpaquePointer?, UnsafePointer<CChar>?) = (nil, nil)
      let code = bytes.withMemoryRebound(to: CChar.self) { bytes in
        sqlite3_prepare_v2(handle, bytes.baseAddress, CInt(clamping: bytes.count), &statement, &rest)
      }
      guard code == SQLITE_OK else { throw mistake(in: copy) }
      guard let rest, let start = bytes.baseAddress else { return (statement, "") }
      let used = UnsafeRawPointer(rest) - UnsafeRawPointer(start)
      return (statement, Substring(String(decoding: bytes[max(0, min(used, bytes.count))...], as: UTF8.self)))
    }
  }

  // MARK: Errors

  /// The mistake that SQLite found in the statement.
  private func mistake(in text: Substring) -> QueryMistake {
    let failure = SQLiteFailure(handle)
    if guardian.refused != nil || failure.message.hasPrefix("cannot modify") { return refusal(of: text) }
    let offset = sqlite3_error_offset(handle)
    let unknown = QueryNames(tables, read: Set(guardian.columns.keys)).unknown(in: failure.message)
    return QueryMistake(unknown?.message ?? failure.message, at: offset < 0 ? nil : Int(offset), nearest: unknown?.nearest)
  }

  /// Returns the error for a statement that would do more than read, by its first word if that says it.
  private func refusal(of text: Substring) -> QueryMistake {
    let word = String(text).trimmingSpaces.prefix { $0.isLetter }.uppercased()
    let isPlain = !["", "WITH", "SELECT", "EXPLAIN"].contains(word)
    return QueryMistake("sql only reads; \(isPlain ? word : guardian.refused ?? "the statement") is refused")
  }

  /// The error that ended a statement while it ran.
  func failure(running statement: OpaquePointer) -> any Error {
    if let failure = run.failure { return failure }
    let failure = SQLiteFailure(handle)
    if failure.isInterruption { return CancellationError() }
    let what: String =
      switch failure.code & 0xFF {
      case SQLITE_NOMEM: "the statement needs more memory than it may have"
      case SQLITE_TOOBIG: "a value of the statement is too long"
      case SQLITE_FULL, SQLITE_IOERR: "no space left for the files in which SQL sorts: \(failure.message)"
      default: failure.message
      }
    return QueryMistake(what, running: true)
  }
}

/// Decides what a statement may do, and notes what it reads.
private final class Guardian {
  /// The columns that the statement reads, by their tables.
  var columns: [String: Set<String>] = [:]
  /// The first thing that it may not do.
  var refused: String?

  /// The function that SQLite asks for each part of a statement.
  static let judge:
    @convention(c) (
      UnsafeMutableRawPointer?, CInt, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?
    ) -> CInt = { context, action, first, second, _, _ in
      guard let context else { return SQLITE_DENY }
      let guardian = Unmanaged<Guardian>.fromOpaque(context).takeUnretainedValue()
      switch action {
      case SQLITE_SELECT, SQLITE_RECURSIVE: return SQLITE_OK
      case SQLITE_READ:
        if let first, let second { guardian.columns[String(cString: first), default: []].insert(String(cString: second)) }
        return SQLITE_OK
      case SQLITE_FUNCTION:
        let name = second.map { String(cString: $0) } ?? ""
        guard ["load_extension", "fts3_tokenizer"].contains(name.lowercased()) else { return SQLITE_OK }
        guardian.refused = guardian.refused ?? "\(name)()"
        return SQLITE_DENY
      default:
        guardian.refused = guardian.refused ?? names[action] ?? "the statement"
        return SQLITE_DENY
      }
    }

  private static let names: [CInt: String] = [
    SQLITE_INSERT: "INSERT", SQLITE_UPDATE: "UPDATE", SQLITE_DELETE: "DELETE", SQLITE_PRAGMA: "PRAGMA", SQLITE_ATTACH: "ATTACH",
    SQLITE_DETACH: "DETACH", SQLITE_TRANSACTION: "a transaction", SQLITE_SAVEPOINT: "SAVEPOINT", SQLITE_ANALYZE: "ANALYZE",
    SQLITE_REINDEX: "REINDEX", SQLITE_ALTER_TABLE: "ALTER TABLE",
    SQLITE_CREATE_TABLE: "CREATE TABLE", SQLITE_CREATE_TEMP_TABLE: "CREATE TABLE", SQLITE_CREATE_VTABLE: "CREATE VIRTUAL TABLE",
    SQLITE_CREATE_VIEW: "CREATE VIEW", SQLITE_CREATE_TEMP_VIEW: "CREATE VIEW", SQLITE_CREATE_INDEX: "CREATE INDEX",
    SQLITE_CREATE_TEMP_INDEX: "CREATE INDEX", SQLITE_CREATE_TRIGGER: "CREATE TRIGGER",
    SQLITE_CREATE_TEMP_TRIGGER: "CREATE TRIGGER",
    SQLITE_DROP_TABLE: "DROP TABLE", SQLITE_DROP_VIEW: "DROP VIEW", SQLITE_DROP_TEMP_VIEW: "DROP VIEW",
    SQLITE_DROP_TEMP_TABLE: "DROP TABLE", SQLITE_DROP_VTABLE: "DROP TABLE",
  ]
}
