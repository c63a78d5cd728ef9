public import AggregatorCore

/// What came of reading a file of records.
public struct Imported: Sendable, Hashable {
  public internal(set) var received = 0
  public internal(set) var skipped = 0
  /// What was wrong with the first of the skipped rows.
  public internal(set) var faults: [RowFault] = []
  /// How much of the file has been read.
  public internal(set) var bytes = 0
  /// What became of those that are stored by now.
  public internal(set) var landed = LandingResult()
  /// How many of them are stored by now, or were before.
  public var stored: Int { landed.new + landed.updated + landed.duplicates + landed.deleted }
  /// Unknown fields: columns of a table, or members of the first line.
  public internal(set) var unknown: [String] = []
  /// Names that were taken for a field an edit away: `frist name as name.first`.
  public internal(set) var guesses: [String] = []

  /// What is missing of the file, for a person; nil where nothing shows that anything is.
  public internal(set) var shortfall: String?
  /// What the file says that its rows lack, being an incomplete answer; nil where it says nothing of the kind.
  public internal(set) var shortage: String?

  package init() {}
}

extension SourceError.Kind {
  /// A file that was named cannot be read.
  package static let unreadableFile = custom("unreadable-file")
  /// A file has no name for a field that every record needs.
  package static let missingField = custom("missing-field")
}
