/// A query for stored records.
public enum StoredQuery: Sendable, Hashable {
  /// All records that are neither deleted nor gone, in the order in which they came.
  case everything
  /// Records that may match `text` by the rule of ``SearchText``: all that do, and perhaps others: an index sees three letters at once.
  case maybeMatching(String)
  /// The record with exactly that id.
  case id(String)
  /// The records with exactly these ids, in any order, all at once; ids without a stored record are left out.
  case ids([String])
  /// The records in these rows, in any order, all at once; rows that never existed are left out, as deleted and gone ones are.
  case rows([Int64])

  /// True when the query names each record that it wants.
  package var isNamed: Bool {
    switch self {
    case .id, .ids, .rows: true
    case .everything, .maybeMatching: false
    }
  }
}

/// Stored records, and the row after which others follow.
public struct StoredRows: Sendable {
  /// The records in the order in which they came.
  public var rows: [StoredRow]
  /// The row after which to continue; nil at the end.
  public var next: Int64?

  /// Makes some rows; others follow after the row `next`.
  public init(rows: [StoredRow], next: Int64?) { (self.rows, self.next) = (rows, next) }
}

/// One stored record.
public struct StoredRow: Sendable, Hashable {
  /// The number in the order in which the records came.
  public let row: Int64
  /// The record's own fields as JSON.
  public let body: [UInt8]
  /// The record's id if it was at hand when the row was made, so that a search need not read the body for it; nil otherwise.
  public let id: String?

  /// Makes a stored record; `id` if the store has it apart from the body.
  public init(row: Int64, body: [UInt8], id: String? = nil) { (self.row, self.body, self.id) = (row, body, id) }
}

/// A stored record with what brought it and what became of it.
public struct TracedRow: Sendable, Hashable {
  /// The record.
  public let stored: StoredRow
  /// The id of the record.
  public let id: String
  /// The fetch that brought it last; nil if the store has lost it.
  public let fetch: Fetch?
  /// The moment at which a sync no longer found it; nil for a record that is there. The epoch for a record that an earlier description read.
  public let gone: Moment?
  /// The moment at which a person deleted it; nil if it is not deleted.
  public let deletedAt: Moment?

  /// Makes a record with what a store knows of it.
  public init(_ stored: StoredRow, id: String, fetch: Fetch?, gone: Moment?, deletedAt: Moment?) {
    (self.stored, self.id, self.fetch, self.gone, self.deletedAt) = (stored, id, fetch, gone, deletedAt)
  }

  /// True when the record is neither deleted nor gone.
  public var isThere: Bool { gone == nil && deletedAt == nil }
}

/// Traced records, and the row after which others follow.
public struct TracedRows: Sendable {
  /// The records in the order in which they came.
  public var rows: [TracedRow]
  /// The row after which to continue; nil at the end.
  public var next: Int64?

  /// Makes some rows; others follow after the row `next`.
  public init(rows: [TracedRow], next: Int64?) { (self.rows, self.next) = (rows, next) }

  /// Takes the first `count` of `rows`, of which one more shows that others follow.
  package init(_ rows: [TracedRow], of count: Int, after row: Int64) {
    let shown = Array(rows.prefix(count))
    self.init(rows: shown, next: rows.count > count ? shown.last?.stored.row ?? row : nil)
  }
}

/// One stored record whose bytes are still where its store has them. They stay there only until the closure that got them returns.
public struct BorrowedRow {
  /// The number in the order in which the records came.
  public let row: Int64
  /// The record's own fields as JSON.
  public let body: UnsafeBufferPointer<UInt8>
  /// The record's id in UTF-8 if the store has it apart from the body; nil otherwise.
  public let id: UnsafeBufferPointer<UInt8>?

  /// Makes a record of bytes that stay in place while it is looked at.
  public init(row: Int64, body: UnsafeBufferPointer<UInt8>, id: UnsafeBufferPointer<UInt8>? = nil) {
    (self.row, self.body, self.id) = (row, body, id)
  }
}

extension StoredRow {
  /// Copies a record.
  public init(_ row: BorrowedRow) {
    self.init(row: row.row, body: Array(row.body), id: row.id.map { String(decoding: $0, as: UTF8.self) })
  }

  package func lend<Result>(to look: (BorrowedRow) throws -> Result) rethrows -> Result {
    try body.withUnsafeBufferPointer { body in
      guard var id else { return try look(BorrowedRow(row: row, body: body)) }
      return try id.withUTF8 { try look(BorrowedRow(row: row, body: body, id: $0)) }
    }
  }
}

/// The number of stored records of one kind, and where they came from.
public struct Census: Sendable, Hashable {
  /// The number of records that are neither deleted nor gone.
  public let count: Int
  /// The moment at which the last record came; nil if none ever came.
  public let newest: Moment?
  /// True when a person, who knows what they are, has imported some since the last sync began.
  public let hasImports: Bool
  /// True when some came from a service.
  public let hasOthers: Bool

  /// Makes a census from a store's counts.
  public init(count: Int, newest: Moment?, hasImports: Bool = false, hasOthers: Bool = false) {
    (self.count, self.newest, self.hasImports, self.hasOthers) = (count, newest, hasImports, hasOthers)
  }
}

extension RecordSnapshot {
  /// The census of a list, in which records count as imported until a sync has met them.
  func listCensus(of kind: RecordKind) async throws -> Census {
    let census = try await census(of: kind)
    guard !census.hasImports, try await storedText(kind.name(of: .imports))?.isEmpty == false else { return census }
    return Census(count: census.count, newest: census.newest, hasImports: true, hasOthers: census.hasOthers)
  }
}

/// The records of one kind that a census does not count.
public struct Removals: Sendable, Hashable {
  /// The number of records that a person deleted, stored or not.
  public let deleted: Int
  /// The number of stored records that a sync found to be gone, deleted ones included.
  public let gone: Int

  /// Makes the numbers from a store's counts.
  public init(deleted: Int = 0, gone: Int = 0) { (self.deleted, self.gone) = (deleted, gone) }
}
