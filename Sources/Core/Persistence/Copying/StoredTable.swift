/// A table as every store has it that outlasts its process: whatever a store is made of, it holds the same under these names.
public struct StoredTable: Sendable, Hashable {
  /// A value in it. Texts are compared and ordered by their bytes.
  public enum Value: Sendable, Hashable {
    /// Nothing is known.
    case null
    /// A whole number.
    case number(Int64)
    /// The UTF-8 of a text.
    case text([UInt8])
  }

  /// A column.
  public struct Column: Sendable, Hashable {
    /// What it is called.
    public let name: String
    /// Whether it holds whole numbers; else it holds texts.
    public let isNumber: Bool
  }

  /// What it is called, `record` where it holds the records of one source.
  public let name: String
  /// Whose records it holds; nil where it is about all sources.
  public let source: String?
  /// Its columns, those of its key first.
  public let columns: [Column]
  /// How many columns make a row itself, and order the table.
  public let keyLength: Int

  /// The names of numbers end in `#`.
  private init(_ name: String, of source: String? = nil, key: [String], _ others: String...) {
    (self.name, self.source, keyLength) = (name, source, key.count)
    columns = (key + others).map { name in
      Column(name: name.replacingEach("#", with: ""), isNumber: name.hasSuffix("#"))
    }
  }

  /// The sources whose records are stored.
  public static let sources = StoredTable("source_info", key: ["name"], "records#", "newest#", "after_fetch#")

  /// The records of one source.
  public static func records(of source: String) -> StoredTable {
    StoredTable("record", of: source, key: ["row#"], "id", "fetch#", "gone#", "met#", "body")
  }

  /// What was made once for the store, but for ``unfinishedCopy``.
  public static let keepsakes = StoredTable("store_keepsake", key: ["name"], "value")

  /// The keepsake of a store that is being made as a copy of another: no table has it as a row.
  public static let unfinishedCopy = "unfinished copy"

  /// Why the store at a place is opened by nothing but a copy into it.
  package static func unfinished(_ place: String, copyOf original: String) -> SourceError {
    SourceError(
      ofStore: "the store \(place) is an unfinished copy of \(original)",
      remedy: .ask(.init(ofProgram: "store copy", original, place), "to go on with it").or(.useAnotherStore))
  }

  /// Every table, in an order in which a copy that ends half-way says nothing wrong: deletions come before records, and how far these were
  /// read and synced comes last.
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
  /// What is stored at this moment, until it is let go; nil where there is no store, and none is made.
  func tables() async throws -> (any StoredTables)?

  /// Writes rows that are not there yet, all of them or none. The row of a source comes before its records, and in place of one that is there.
  func write(_ rows: [[StoredTable.Value]], into table: StoredTable) async throws

  /// Takes every row out of a table, which is not that of the sources.
  func clear(_ table: StoredTable) async throws

  /// Makes everything else that the store has, for a search of these records as well, and forgets the keepsake ``StoredTable/unfinishedCopy``.
  func endCopy(of kinds: [RecordKind]) async throws
}

/// The tables of a store as they were at one moment.
public protocol StoredTables: Sendable {
  /// The next rows in the order of the table's key, at most `count`: those behind the row with the key of `last`, or the first ones.
  func rows(of table: StoredTable, behind last: [StoredTable.Value]?, count: Int) async throws -> [[StoredTable.Value]]
}
