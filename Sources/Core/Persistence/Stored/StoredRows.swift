/// What is looked for among stored records.
public enum StoredQuery: Sendable, Hashable {
  /// All that are neither deleted nor gone, in the order in which they came.
  case everything
  /// Records that may match `text` by the rule of ``SearchText``: all that do, and others perhaps, since an index sees three letters at once.
  case maybeMatching(String)
  /// The one of exactly that id.
  case id(String)
  /// Those of exactly these ids, in any order, all at once; ids that nothing is stored under are left out.
  case ids([String])
  /// Those in these rows, in any order, all at once; rows that were never there are left out as deleted and gone ones are.
  case rows([Int64])
}

/// Kept records, and where the next ones are.
public struct StoredRows: Sendable {
  /// In the order in which they came.
  public var rows: [StoredRow]
  /// Behind which row to go on; nil at the end.
  public var next: Int64?

  /// Some rows, and behind which of them others follow.
  public init(rows: [StoredRow], next: Int64?) {
    self.rows = rows
    self.next = next
  }
}

/// One stored record.
public struct StoredRow: Sendable, Hashable {
  /// Its place in the order in which the records came.
  public let row: Int64
  /// Its own fields, as JSON.
  public let body: [UInt8]
  /// What makes the record itself, where whoever gives the row has it at hand: a search need not read the record to learn it.
  public let id: String?

  /// A record as it is stored; `id` where the store has it apart from the body.
  public init(row: Int64, body: [UInt8], id: String? = nil) { (self.row, self.body, self.id) = (row, body, id) }
}

/// How many records of a kind are stored.
public struct Census: Sendable, Hashable {
  /// Those that are neither deleted nor gone.
  public let count: Int
  /// When the last one came; nil where none ever did.
  public let newest: Moment?
  /// Whether some were imported since the last sync began, by a person who knows what they are.
  public let hasImports: Bool
  /// Whether some came otherwise, from a service.
  public let hasOthers: Bool

  /// As a store counts them.
  public init(count: Int, newest: Moment?, hasImports: Bool = false, hasOthers: Bool = false) {
    (self.count, self.newest, self.hasImports, self.hasOthers) = (count, newest, hasImports, hasOthers)
  }
}
