public import AggregatorCore

/// A table of a store that outlasts its process, described once: stores make it from this description, and copies read and write it.
///
/// A store that can be copied lists its tables. Texts are compared and ordered by their bytes.
public struct StoredTable: Sendable, Hashable {
  /// A value in a row.
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
    /// The type of the values in a column.
    public enum Kind: Sendable, Hashable {
      /// Whole numbers.
      case number
      /// 1 for true, 0 for false.
      case flag
      /// Texts that queries compare.
      case text
      /// Texts that queries compare, and that may be too long for an index that keeps them in order.
      case longText
      /// Texts that no query compares, such as JSON.
      case content
    }

    /// The name of the column.
    public let name: String
    /// The type of its values.
    public let kind: Kind
    /// True when rows may have no value in it.
    public let isOptional: Bool
    /// The number in rows that are written without one; nil if every row is written with a value.
    public let initial: Int?
    /// A remark for a person who reads the tables; empty where the name is enough.
    public let remark: String

    /// Makes a column.
    public init(_ name: String, _ kind: Kind, isOptional: Bool = false, initially initial: Int? = nil, _ remark: String = "") {
      (self.name, self.kind, self.isOptional, self.initial, self.remark) = (name, kind, isOptional, initial, remark)
    }

    /// True when the values are whole numbers, false when they are texts.
    public var isNumber: Bool { kind == .number || kind == .flag }
  }

  /// An index of the table, besides that of the key.
  public struct Index: Sendable, Hashable {
    /// The name of the index; nil if the columns are a second key, so that no two rows have the same values in them.
    public let name: String?
    /// The names of its columns, in order.
    public let columns: [String]
    /// Further columns that a database may put into the index, so that a query over it reads no row.
    public let further: [String]

    /// Makes an index.
    public init(_ name: String?, of columns: String..., beside further: [String] = []) {
      (self.name, self.columns, self.further) = (name, columns, further)
    }
  }

  /// The name of the table; `record` for the records of one source.
  public let name: String
  /// The source whose records it holds; nil for a table about all sources.
  public let source: String?
  /// The contents of the table, in lines for a person who reads the tables.
  public let about: String
  /// The columns, those of the key first.
  public let columns: [Column]
  /// The number of columns in the key, which identifies a row and orders the table.
  public let keyLength: Int
  /// The indexes that stores keep.
  public let indexes: [Index]

  /// Makes a table.
  public init(
    _ name: String, of source: String? = nil, about: String, key: [Column], _ others: [Column] = [], indexes: [Index] = []
  ) {
    (self.name, self.source, self.about, self.indexes) = (name, source, about, indexes)
    (columns, keyLength) = (key + others, key.count)
  }

  /// The columns of the key.
  public var key: ArraySlice<Column> { columns[..<keyLength] }

  /// The keepsake that marks a store as an unfinished copy of another one. No table has it as a row.
  public static let unfinishedCopy = "unfinished copy"
}

/// A store whose whole contents can be copied into another one.
public protocol MovableStore: RecordStore {
  /// Returns the contents as they are at this moment, until they are released; nil if the store does not exist, which is then not created.
  func tables() async throws -> (any StoredTables)?

  /// Writes rows that are not in the table yet, all of them or none. The rows of the first table come before all others, and replace
  /// those with their keys.
  func write(_ rows: [[StoredTable.Value]], into table: StoredTable) async throws

  /// Removes every row of a table other than the first one.
  func clear(_ table: StoredTable) async throws

  /// Makes everything else that the store needs, including the search of these records, and removes the keepsake
  /// ``StoredTable/unfinishedCopy``.
  func endCopy(of kinds: [RecordKind]) async throws
}

/// The tables of a store as they were at one moment.
public protocol StoredTables: Sendable {
  /// Returns every table, in an order in which a copy that stops half-way says nothing wrong. The first one has a row for each source.
  func all() async throws -> [StoredTable]

  /// Returns the next rows in the order of the table's key, at most `count`: those after the row with the key of `last`, or the first ones.
  func rows(of table: StoredTable, after last: [StoredTable.Value]?, count: Int) async throws -> [[StoredTable.Value]]
}
