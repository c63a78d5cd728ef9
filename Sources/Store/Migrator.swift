import AggregatorCore
import StoreTables

/// Brings a database up to date. Each step runs once, in a transaction of its own, so that an interrupted step leaves nothing.
struct Migrator {
  let format: Database.Format
  let path: String

  /// Throws if the database belongs to another program, has a newer version, or is an unfinished copy.
  func admit(_ connection: Connection) throws {
    // One read: between two reads another process may make a store of an empty file.
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
    guard version >= 0 else {
      throw SourceError(
        ofStore: "the \(format.name) \(path) has version \(version), which does not exist", remedy: format.elsewhere)
    }
    if let original, !format.isCopy { throw StoredTable.unfinished(path, copyOf: original) }
  }

  /// Prepares a connection for work. A database that is read as it is stays as it is until ``update(_:)``.
  func prepare(_ connection: Connection) throws {
    try connection.run("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF")
    if try !format.canRead(version: connection.number("PRAGMA user_version")) { try update(connection) }
  }

  /// Brings the database up to date.
  func update(_ connection: Connection) throws {
    guard !connection.isUpToDate else { return }
    var version = try connection.number("PRAGMA user_version")
    if version == 0 { try connection.run("PRAGMA page_size = \(format.pageSize)") }
    // With a log beside the file, writers and readers do not wait for each other. The file remembers this mode.
    if version < format.version { try connection.run("PRAGMA journal_mode = WAL") }
    while version < format.version {
      version = try connection.transaction {
        // Another process may have been quicker.
        let current = try connection.number("PRAGMA user_version")
        guard current < format.version else { return current }
        try format.steps[current](connection)
        // A new file gets the current tables at once.
        let next = current == 0 ? format.version : current + 1
        try connection.run("PRAGMA application_id = \(format.applicationID); PRAGMA user_version = \(next)")
        return next
      }
      guard version <= format.version else { throw newer }
    }
    connection.isUpToDate = true
  }

  private var newer: SourceError {
    SourceError(
      ofStore: "the \(format.name) \(path) was written by a newer version of this program; left unchanged",
      remedy: .advice("update this program").or(format.elsewhere))
  }
}
