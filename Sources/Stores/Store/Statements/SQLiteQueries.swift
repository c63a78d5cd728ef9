import AggregatorCore
import CSQLite
import Platform
public import StoreTables
import Synchronization

/// Runs statements in SQLite's language over tables of any store.
///
/// Each statement has a connection of its own to an empty database in memory, whose only tables are those that it is given. So the file of a
/// store, whatever somebody has put into it, is never a schema here, and the same statement has the same answer over every store.
public struct SQLiteQueries: QueryEngine {
  /// The limits of a statement.
  public struct Limits: Sendable {
    /// The bytes of the statement.
    public var statement = 1_000_000
    /// The bytes of a value.
    public var value = 16 << 20
    /// The bytes of memory of all statements together. Sorts and joins use files beyond a few megabytes.
    public var memory = 512 << 20

    /// The usual limits.
    public init() {}
  }

  private let limits: Limits

  /// Makes the runner. SQLite counts its memory from then on, if it was not in use before.
  public init(within limits: Limits = Limits()) {
    self.limits = limits
    Connection.countMemory(upTo: limits.memory)
  }

  @concurrent public func prepare(_ statement: String, over tables: [QueryTable]) async throws -> any PreparedQuery {
    try SQLiteQuery(statement, over: tables, within: limits)
  }
}

/// A statement on its connection.
///
/// Unchecked, because the compiler cannot see that only one call of ``next()`` runs at a time; the caller waits for each.
private final class SQLiteQuery: PreparedQuery, @unchecked Sendable {
  let columns: [String]
  let tables: Set<String>
  private let connection: QueryConnection
  private let statement: OpaquePointer
  /// True after the last row. SQLite would begin again.
  private var hasEnded = false

  init(_ text: String, over tables: [QueryTable], within limits: SQLiteQueries.Limits) throws {
    connection = try QueryConnection(tables, within: limits)
    (statement, self.tables) = try connection.prepare(text)
    columns = QueryTable.different(
      (0..<sqlite3_column_count(statement)).map { [statement] in
        sqlite3_column_name(statement, $0).map { String(cString: $0) } ?? ""
      })
  }

  deinit { sqlite3_finalize(statement) }

  var skipped: Int { connection.run.skipped }
  var rounded: String? { connection.run.rounded }
  var absent: [String: [String]] {
    connection.run.details.mapValues { $0.filter { !$0.value }.keys.sorted() }.filter { !$0.value.isEmpty }
  }

  func next() async throws -> [[Value]]? {
    try Task.checkCancellation()
    let (connection, reply) = (connection, Reply())
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        reply.wait(continuation)
        // A thread of its own, because it waits for the store.
        let isStarted = SystemThread.start { [self] in reply.give(Result { try rows() }) }
        if !isStarted { reply.give(.failure(SourceError(.noTransport, "the system gives no thread"))) }
      }
    } onCancel: {
      connection.stop()
      // A single step of SQLite may take long. The thread ends after it.
      reply.give(.failure(CancellationError()))
    }
  }

  /// The first result of a call, for the task that waits for it.
  private final class Reply: Sendable {
    private enum State {
      case empty
      case waiting(CheckedContinuation<[[Value]]?, any Error>)
      case given(Result<[[Value]]?, any Error>)
      case over
    }

    private let state = Mutex(State.empty)

    func wait(_ continuation: CheckedContinuation<[[Value]]?, any Error>) {
      let early: Result<[[Value]]?, any Error>? = state.withLock { state in
        if case .given(let result) = state {
          state = .over
          return result
        }
        state = .waiting(continuation)
        return nil
      }
      if let early { continuation.resume(with: early) }
    }

    func give(_ result: Result<[[Value]]?, any Error>) {
      let waiting: CheckedContinuation<[[Value]]?, any Error>? = state.withLock { state in
        switch state {
        case .empty: state = .given(result)
        case .waiting(let continuation):
          state = .over
          return continuation
        case .given, .over: break
        }
        return nil
      }
      waiting?.resume(with: result)
    }
  }

  /// The most rows, and about the most bytes, that are handed over at once.
  private static let (mostRows, mostBytes) = (500, 1 << 20)

  private func rows() throws -> [[Value]]? {
    if hasEnded { return nil }
    var (rows, bytes) = ([[Value]](), 0)
    while rows.count < Self.mostRows, bytes < Self.mostBytes {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        let count = sqlite3_column_count(statement)
        rows.append((0..<count).map(value))
        bytes += (0..<count).reduce(0) { $0 + Int(sqlite3_column_bytes(statement, $1)) }
      case SQLITE_DONE:
        hasEnded = true
        return rows.isEmpty ? nil : rows
      default: throw connection.failure(running: statement)
      }
    }
    return rows
  }

  private func value(_ column: CInt) -> Value {
    func bytes() -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, column), count: Int(sqlite3_column_bytes(statement, column)))
    }
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .int(Int(sqlite3_column_int64(statement, column)))
    case SQLITE_FLOAT:
      let double = sqlite3_column_double(statement, column)
      // JSON has no word for it.
      return double.isFinite ? .double(double) : .text("\(double)")
    case SQLITE_TEXT: return .text(String(decoding: bytes(), as: UTF8.self))
    case SQLITE_BLOB:
      let digits = Array("0123456789abcdef".utf8)
      return .text(String(decoding: bytes().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self))
    default: return .null
    }
  }
}
