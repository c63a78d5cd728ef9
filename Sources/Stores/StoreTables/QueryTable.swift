public import AggregatorCore

/// A table that a statement of a person may read: stored records of one source, or something else that is stored.
///
/// The rows are JSON objects, with notes beside them. A row is read only as far as a statement needs it.
public struct QueryTable: Sendable {
  /// A column of a table.
  public struct Column: Sendable, Hashable {
    /// The place of the value in a row.
    public enum Place: Sendable, Hashable {
      /// The value at a path in the object.
      case path(FieldPath)
      /// The note with that index.
      case note(Int)
    }

    /// The values that a column shows; the others are null in it.
    public enum Part: Sendable, Hashable {
      /// Every value.
      case all
      /// The values of the column's type.
      case fitting(Leaf.Kind)
      /// The values that are not of that type.
      case others(than: Leaf.Kind)
    }

    /// The name in statements.
    public internal(set) var name: String
    /// The place of the value in a row.
    public let place: Place
    /// The values that it shows.
    public var part = Part.all
    /// True when only a record in full has a value, and a list has none.
    public var isDetail = false
    /// True when the values come with the next sync, because the description of the field is newer than the records.
    public var isUnknown = false
    /// The type of its values; `any` for values of several types, and for lists and objects, which a statement sees as JSON.
    public let kind: Leaf.Kind

    /// Makes a column.
    public init(_ name: String, at place: Place, _ kind: Leaf.Kind) { (self.name, self.place, self.kind) = (name, place, kind) }
  }

  /// A row of a table.
  public struct Row: Sendable {
    /// The record, a JSON object.
    public let body: [UInt8]
    /// The facts about the record that it does not have itself. Empty if ``Wish/wantsNotes`` is false.
    public let notes: [Value]
    /// The number of the row, which no other row of the table has, however it is found.
    public let number: Int64

    /// Makes a row.
    public init(_ body: [UInt8], notes: [Value] = [], number: Int64) {
      (self.body, self.notes, self.number) = (body, notes, number)
    }
  }

  /// Some rows, and the place after which others follow.
  public struct Rows: Sendable {
    /// The rows in their order.
    public let rows: [Row]
    /// The place after which to continue; nil at the end.
    public let next: Int64?

    /// Makes some rows; others follow after the place `next`.
    public init(_ rows: [Row], next: Int64?) { (self.rows, self.next) = (rows, next) }
  }

  /// The rows that are wanted.
  public struct Wish: Sendable {
    /// The rows of a table.
    public enum Selection: Sendable, Hashable {
      /// All rows.
      case all
      /// The row of the record with that id.
      case id(String)
      /// The rows that a search for that text finds.
      case text(String)
    }

    /// The rows to choose from.
    public var selection = Selection.all
    /// False if no note is read.
    public var wantsNotes = true
    /// The place after which to begin; 0 for the beginning.
    public var after: Int64 = 0
    /// The most rows to return.
    public var count = 1

    /// A wish for the first row.
    public init() {}
  }

  /// The name in statements.
  public let name: String
  /// The names of the sources whose lists it shows.
  public let sources: [String]
  /// The columns, in the order of `SELECT *`. No two have the same name, whatever its case.
  public let columns: [Column]
  /// The name of the column with the ids of the records; nil if rows cannot be found by an id.
  public let id: String?
  /// True when the table is written with a text to search for, such as `heroes_search('spider')`.
  public let takesText: Bool
  /// The number of rows, as far as it is known without reading them.
  public let count: Int
  /// Reads rows.
  public let read: @Sendable (Wish) async throws -> Rows

  /// Makes a table. A column whose name another one has gets a number.
  public init(
    _ name: String, of sources: [String], _ columns: [Column], id: String? = nil, takesText: Bool = false, count: Int,
    read: @escaping @Sendable (Wish) async throws -> Rows
  ) {
    (self.name, self.sources, self.id, self.takesText) = (name, sources, id, takesText)
    (self.count, self.read) = (count, read)
    let names = Self.different(columns.map(\.name))
    self.columns = zip(columns, names).map { column, name in copy(of: column) { $0.name = name } }
  }

  /// Says that the table of a search is written without a text, and how it is written.
  package static func missingText(in name: String) -> String { "a search needs a text, such as \(name)('some words')" }

  /// Returns the names, of which a later one gets a number if an earlier one is the same to SQL.
  public static func different(_ names: [String]) -> [String] {
    var used: Set<String> = []
    return names.map { text in
      var (name, number) = (text, 0)
      while !used.insert(name.lowercased()).inserted {
        number += 1
        name = "\(text):\(number)"
      }
      return name
    }
  }
}

/// Runs statements of a person over tables. It reads them, and can change nothing.
public protocol QueryEngine: Sendable {
  /// Prepares one statement. Throws ``QueryMistake`` for a statement that makes no sense, and for one that would do more than read.
  func prepare(_ statement: String, over tables: [QueryTable]) async throws -> any PreparedQuery
}

/// A statement that is ready to run.
public protocol PreparedQuery: Sendable {
  /// The names of the columns of the result, which are different.
  var columns: [String] { get }
  /// The names of the tables that it reads.
  var tables: Set<String> { get }
  /// Returns the next rows, which may be a single one; nil at the end.
  func next() async throws -> [[Value]]?
  /// The number of rows so far that could not be read, because they are not JSON objects.
  var skipped: Int { get }
  /// The columns that were read and have no values, by their sources: those that only records in full have, if no row so far had one, and
  /// those whose values come with the next sync.
  var absent: [String: [String]] { get }
  /// A number that SQL rounded, because it has more digits than SQL can hold; nil if there was none so far.
  var rounded: String? { get }
}

/// A mistake in a statement.
public struct QueryMistake: Error, Sendable {
  /// The mistake in words.
  public let message: String
  /// The place in the statement, in bytes; nil if it is in no one place.
  public let offset: Int?
  /// The name that was probably meant; nil if none is near.
  public package(set) var nearest: String?
  /// The reasons why tables are missing that were perhaps meant: files of sources that cannot be read.
  public package(set) var omissions: [String] = []
  /// True when the statement makes sense, and a value that it met while it ran does not.
  public let isOfValues: Bool

  /// Makes a mistake.
  public init(_ message: String, at offset: Int? = nil, nearest: String? = nil, running isOfValues: Bool = false) {
    (self.message, self.offset, self.nearest, self.isOfValues) = (message, offset, nearest, isOfValues)
  }
}
