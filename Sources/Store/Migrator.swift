internal import AggregatorCore
internal import CSQLite

/// Brings a database up to date: each step once, in a transaction of its own, so that an interrupted one never was.
struct Migrator {
  let format: Database.Format
  let path: String

  func migrate(_ connection: Connection) throws {
    var version = try connection.number("PRAGMA user_version")
    guard version <= format.version else { throw Self.newer(path, format) }
    if version == 0 { try refuseStrangers(connection) }
    if version < format.version { try setUp(connection) }
    try connection.run("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF")
    while version < format.version {
      version = try connection.transaction {
        // Another process may have been quicker.
        let current = try connection.number("PRAGMA user_version")
        guard current < format.version else { return current }
        for statement in format.steps[current] {
          try format.willRun(statement)
          try connection.run(statement)
        }
        try connection.run("PRAGMA application_id = \(format.applicationID); PRAGMA user_version = \(current + 1)")
        return current + 1
      }
      guard version <= format.version else { throw Self.newer(path, format) }
    }
  }

  /// The log beside the file, in which writing and reading do not keep each other waiting. The file remembers it.
  private func setUp(_ connection: Connection) throws {
    // Two processes that begin at once: the mode cannot be changed under the other, and SQLite does not wait for that.
    var tries = 0
    while try !connection.changeToLog() {
      tries += 1
      guard tries < 1_000 else { throw SQLiteFailure(code: SQLITE_BUSY, "the journal mode cannot be changed") }
      sqlite3_sleep(10)
    }
  }

  /// A database with tables and without our mark is somebody else's.
  private func refuseStrangers(_ connection: Connection) throws {
    guard try connection.number("PRAGMA application_id") == 0, try connection.number("SELECT count(*) FROM sqlite_schema") > 0,
      try connection.number("PRAGMA user_version") == 0
    else { return }
    connection.leaveUntouched()
    throw SourceError(.storage, "\(path) is the database of another program", remedy: "name another place with --store PATH")
  }

  static func newer(_ path: String, _ format: Database.Format) -> SourceError {
    SourceError(
      .storage, "the \(format.name) \(path) was written by a newer version of this program; it was left as it is",
      remedy: "update this program, or name another place with --store PATH")
  }
}

extension Connection {
  /// False while another process is about to do the same.
  fileprivate func changeToLog() throws -> Bool {
    do {
      try run("PRAGMA journal_mode = WAL")
      return true
    } catch {
      guard error.isBusy else { throw error }
      return false
    }
  }
}
