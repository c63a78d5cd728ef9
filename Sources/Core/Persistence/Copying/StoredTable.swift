/// A table of a store that outlasts its process. All such stores have the same tables under these names, whatever database they use.
public struct StoredTable: Sendable, Hashable {
  /// A value in a row. Texts are compared and ordered by their bytes.
  public enum Value: Sendable, Hashable {
    /// An unknown value.
    case null
    /// A whole number.
    case number(Int64)
    /// The UTF-8 of a text.
    case text([UInt8])
  }

  /// A column of the table.
  public struct Column: Sendable, Hashable {
    /// The name of the column.
    public let name: String
    /// True for whole numbers, false for texts.
    public let isNumber: Bool
  }

  /// The name of the table; `record` for the records of one source.
  public let name: String
  /// The source whose records it holds; nil for a table about all sources.
  public let source: String?
  /// The columns, those of the key first.
  public let columns: [Column]
  /// The number of columns in the key, which identifies a row and orders the table.
  public let keyLength: Int

  /// Makes a table; names that end in `#` are those of columns with numbers.
  private init(_ name: String, of source: String? = nil, key: [String], _ others: String...) {
    (self.name, self.source, keyLength) = (name, source, key.count)
    columns = (key + others).map { name in
      Column(name: name.replacingEach("#", with: ""), isNumber: name.hasSuffix("#"))
    }
  }

  /// The sources whose records are stored.
  public static let sources = StoredTable("source_info", key: ["name"], "records#", "newest#", "after_fetch#")

  /// Returns the table with the records of one source.
  public static func records(of source: String) -> StoredTable {
    StoredTable("record", of: source, key: ["row#"], "id", "fetch#", "gone#", "met#", "body")
  }

  /// The texts that were made once for the store, except ``unfinishedCopy``.
  public static let keepsakes = StoredTable("store_keepsake", key: ["name"], "value")

  /// The keepsake that marks a store as an unfinished copy of another one; no table has it as a row.
  public static let unfinishedCopy = "unfinished copy"

  /// Returns the error for opening an unfinished copy for anything but going on with the copy.
  package static func unfinished(_ store: String, copyOf original: String) -> SourceError {
    SourceError(
      ofStore: "the store \(store) is an unfinished copy of \(original)",
      remedy: .ask(.init(ofProgram: "store copy", original, store), "to go on with it").or(.useAnotherStore))
  }

  /// Returns every table, in an order in which a copy that stops half-way says nothing wrong: deletions come before records, and how far
  /// the records were read and synced comes last.
  public static func all(of sources: [String]) -> [StoredTable] {
    [
      .sources,
      StoredTable("soft_deletion", key: ["source", "id"], "at#", "was_waiting#"),
      StoredTable("fetch_log", key: ["id#"], "source", "at#", "question", "place", "sync#"),
    ] + sources.map { records(of: $0) } + [
      StoredTable("absorbed_record", key: ["id#"], "source", "row#", "fetch#", "body"),
      StoredTable("record_change", key: ["id#"], "source", "record", "at#", "before", "after"),
      StoredTable(
        "cached_answer", key: ["id#"], "source", "question", "step#", "walk", "at#", "rows", "body", "size#", "reading",
        "holder"),
      .keepsakes,
      StoredTable("given_back", key: ["source", "row#"]),
      StoredTable("source_state", key: ["source", "name"], "revision#", "body"),
    ]
  }
}

/// A store whose whole contents can be copied into another one.
public protocol MovableStore: RecordStore {
  /// Returns the contents as they are at this moment, until they are released; nil if the store does not exist, which is then not created.
  func tables() async throws -> (any StoredTables)?

  /// Writes rows that are not in the table yet, all of them or none. The row of a source comes before its records, and replaces an earlier
  /// row.
  func write(_ rows: [[StoredTable.Value]], into table: StoredTable) async throws

  /// Removes every row of a table other than that of the sources.
  func clear(_ table: StoredTable) async throws

  /// Makes everything else that the store needs, including the search of these records, and removes the keepsake
  /// ``StoredTable/unfinishedCopy``.
  func endCopy(of kinds: [RecordKind]) async throws
}

/// The tables of a store as they were at one moment.
public protocol StoredTables: Sendable {
  /// Returns the next rows in the order of the table's key, at most `count`: those after the row with the key of `last`, or the first ones.
  func rows(of table: StoredTable, behind last: [StoredTable.Value]?, count: Int) async throws -> [[StoredTable.Value]]
}
