internal import AggregatorCore
internal import CSQLite

/// Brings a database up to date: each step once, in a transaction of its own, so that an interrupted one never was.
struct Migrator {
  let format: Database.Format
  let path: String

  /// Refuses a database that is not ours, or not yet.
  func admit(_ connection: Connection) throws {
    // One look: between two another process may have made a store of an empty file.
    let (isOurs, isEmpty, version) = try connection.glance {
      let application = try connection.number("PRAGMA application_id")
      return (
        application == Int(format.applicationID),
        application == 0 ? try connection.number("SELECT count(*) FROM sqlite_schema") == 0 : false,
        try connection.number("PRAGMA user_version")
      )
    }
    guard isOurs || isEmpty else {
      throw SourceError(.storage, "\(path) is a database of another program", remedy: format.elsewhere)
    }
    guard version <= format.version else { throw newer }
  }

  func migrate(_ connection: Connection) throws {
    var version = try connection.number("PRAGMA user_version")
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
      guard version <= format.version else { throw newer }
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

  private var newer: SourceError {
    SourceError(
      .storage, "the \(format.name) \(path) was written by a newer version of this program; left unchanged",
      remedy: "update this program, or \(format.elsewhere)")
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
