import AggregatorCore
import StoreTables

/// Makes the tables of a new database, and refuses one that this version of the program cannot use.
struct Preparation {
  let format: Database.Format
  let path: String

  /// Throws if the database belongs to another program, has another version, or is an unfinished copy.
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
    guard version == 0 || version == format.version else {
      throw SourceError(
        ofStore:
          "the \(format.name) \(path) has version \(version), and this program uses version \(format.version); left unchanged",
        remedy: version > format.version ? .advice("update this program").or(format.elsewhere) : format.elsewhere)
    }
    if let original, !format.isCopy { throw StoredTable.unfinished(path, copyOf: original) }
  }

  /// Makes the tables of a database that has none.
  func prepare(_ connection: Connection) throws {
    try connection.run("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF")
    guard try connection.number("PRAGMA user_version") == 0 else { return }
    try connection.run("PRAGMA page_size = \(format.pageSize)")
    // With a log beside the file, writers and readers do not wait for each other. The file remembers this mode.
    try connection.run("PRAGMA journal_mode = WAL")
    try connection.transaction {
      // Another process may have been quicker.
      guard try connection.number("PRAGMA user_version") == 0 else { return }
      try connection.run(format.tables())
      try connection.run("PRAGMA application_id = \(format.applicationID); PRAGMA user_version = \(format.version)")
    }
  }
}
