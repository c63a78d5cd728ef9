public import AggregatorCore
import Synchronization

extension SQLiteStore {
  // Reading never waits, so it stays on the caller's thread: another thread would cost a tenth of a short search.

  public func snapshot() async throws -> any RecordSnapshot {
    // Reading does not create the file of a store.
    guard database.isThere else { return try await StoreInMemory().snapshot() }
    let connection: Connection
    let before = database.file.identity
    do {
      connection = try database.reader()
    } catch  where database.isWithoutRoom {
      return try await StoreInMemory().snapshot()
    }
    let identity = database.file.identity
    return try database.tellingFailures(identity) {
      try SQLiteSnapshot(connection, identity, of: self, isReusable: identity == before)
    }
  }
}

/// A snapshot: a connection of its own, in one transaction that lasts as long as the snapshot.
final class SQLiteSnapshot: RecordSnapshot {
  private let connection: Mutex<Connection>
  private let identity: [UInt64]?
  /// The identities of the files that it reads; nil if another file may have taken the place of the one that was opened.
  private let files: [UInt64]?
  private let database: Database
  private let claims: Claims

  init(_ connection: Connection, _ identity: [UInt64]?, of store: SQLiteStore, isReusable: Bool) throws {
    try connection.run("BEGIN")
    // SQLite fixes the state that the snapshot sees at its first read, not at BEGIN.
    _ = try connection.number("SELECT count(*) FROM source_info")
    (self.identity, files) = (identity, isReusable ? store.database.file.identityWithLog : nil)
    (database, claims) = (store.database, store.claims)
    self.connection = Mutex(connection)
  }

  deinit { connection.withLock { database.giveBack($0, openedOn: files) } }

  func reading<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try database.tellingFailures(identity) {
      try connection.withLock { connection in try connection.untilCancelled { try body(connection) } }
    }
  }

  func rows(of kind: RecordKind, _ question: StoredQuery, after row: Int64, count: Int) async throws -> StoredRows {
    try reading { try $0.rows(of: kind, question, after: row, count: count) }
  }
  func look(
    through kind: RecordKind, _ question: StoredQuery, after row: Int64, count: Int,
    _ look: (BorrowedRow) throws -> Bool
  ) async throws -> Int64? {
    try reading { try $0.look(through: kind, question, after: row, count: count, look) }
  }
  func traces(of kind: RecordKind, _ query: StoredQuery, after row: Int64, count: Int) async throws -> TracedRows {
    try reading { try $0.traces(of: kind, query, after: row, count: count) }
  }
  func census(of kind: RecordKind) async throws -> Census { try reading { try $0.census(of: kind) } }
  func removals(of kind: RecordKind) async throws -> Removals { try reading { try $0.removals(of: kind) } }
  func sync(of kind: RecordKind) async throws -> SyncState? {
    try reading { try $0.sync(of: kind) }?.running(if: claims.isTaken(kind.name))
  }
  func position(of kind: RecordKind) async throws -> Position { try reading { try $0.storedPosition(of: kind).position } }
  func edits(of kind: RecordKind) async throws -> [Edit] { try reading { try $0.edits(of: kind) } }
  func storedText(_ name: String) async throws -> String? { try reading { try $0.storedText(name) } }
}
