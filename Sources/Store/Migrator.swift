import AggregatorCore

/// Brings a database up to date: each step once, in a transaction of its own, so that an interrupted one never was.
struct Migrator {
  let format: Database.Format
  let path: String

  /// Refuses a database that is not ours, or not yet, or is an unfinished copy.
  func admit(_ connection: Connection) throws {
    // One look: between two another process may have made a store of an empty file.
    let (isOurs, isEmpty, version, original) = try connection.atOneMoment {
      let application = try connection.number("PRAGMA application_id")
      let isOurs = application == Int(format.applicationID)
      let hasKeepsakes =
        try isOurs && connection.number("SELECT count(*) FROM sqlite_schema WHERE name = 'store_keepsake'") == 1
      return (
        isOurs,
        application == 0 ? try connection.number("SELECT count(*) FROM sqlite_schema") == 0 : false,
        try connection.number("PRAGMA user_version"),
        hasKeepsakes ? try connection.storedText(StoredTable.unfinishedCopy) : nil
      )
    }
    guard isOurs || isEmpty else {
      throw SourceError(ofStore: "\(path) is a database of another program", remedy: format.elsewhere)
    }
    guard version <= format.version else { throw newer }
    if let original, !format.isCopy { throw StoredTable.unfinished(path, copyOf: original) }
  }

  func migrate(_ connection: Connection) throws {
    var version = try connection.number("PRAGMA user_version")
    // The log beside the file, in which writing and reading do not keep each other waiting. The file remembers it.
    if version < format.version { try connection.run("PRAGMA journal_mode = WAL") }
    try connection.run("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF")
    while version < format.version {
      version = try connection.transaction {
        // Another process may have been quicker.
        let current = try connection.number("PRAGMA user_version")
        guard current < format.version else { return current }
        for statement in format.steps[current] { try connection.run(statement) }
        // What is new is made as it is now.
        let next = current == 0 ? format.version : current + 1
        try connection.run("PRAGMA application_id = \(format.applicationID); PRAGMA user_version = \(next)")
        return next
      }
      guard version <= format.version else { throw newer }
    }
  }

  private var newer: SourceError {
    SourceError(
      ofStore: "the \(format.name) \(path) was written by a newer version of this program; left unchanged",
      remedy: .advice("update this program").or(format.elsewhere))
  }
}
