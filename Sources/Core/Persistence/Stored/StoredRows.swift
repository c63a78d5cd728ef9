/// Keeps the records of sources, and finds them again.
///
/// The store's module keeps them on disk. An ``Archive`` of it is for one source's records, and knows their type.
public protocol RecordKeeper: Sendable {
  /// Keeps a batch, all of it or nothing: each record by its ``Batch/Fate``, its position by ``Position/advanced(by:)``, its sync as
  /// ``SyncKeeper/note(_:of:)`` does, and what landed is added to what had landed of that sync.
  ///
  /// Ids are the same where all their bytes are, and bodies come back byte for byte.
  func land(_ batch: Batch) async throws -> LandingResult

  /// Brings what has landed where it is read fastest; worth its time after much has. `bulk` takes more time for it.
  func settle(_ kind: RecordKind, bulk isBulk: Bool) async throws

  /// All that is kept at this moment. Whatever is stored meanwhile, it stays what it was.
  func snapshot() async throws -> any RecordSnapshot
}

/// The kept records as they were at one moment.
public protocol RecordSnapshot: Sendable {
  /// Up to `count` records behind the row `after`, in the order in which they came; none that is deleted or gone. Where fewer are given
  /// although others follow, `next` leads to these.
  func rows(of kind: RecordKind, _ question: StoredQuery, after row: Int64, count: Int) async throws -> StoredRows

  /// How many records there are that are neither deleted nor gone, and since when.
  func census(of kind: RecordKind) async throws -> Census

  /// The last sync, finished or not; nil when there never was one.
  func sync(of kind: RecordKind) async throws -> SyncState?

  /// A text that was made once for the store, by ``StoreUpkeep/storedText(_:made:)``; nil where none was.
  func storedText(_ name: String) async throws -> String?
}

/// What is looked for among kept records.
public enum StoredQuery: Sendable, Hashable {
  case everything
  /// Records that may match `text` by the rule of ``SearchText``: all that do, and others perhaps. The reader checks them, since an index
  /// sees no more than three letters at once.
  case maybeMatching(String)
  case id(String)
}

/// Kept records, and where the next ones are.
public struct StoredRows: Sendable {
  public var rows: [StoredRow]
  /// Behind which row to go on; nil at the end.
  public var next: Int64?

  public init(rows: [StoredRow], next: Int64?) {
    self.rows = rows
    self.next = next
  }
}

/// One kept record.
public struct StoredRow: Sendable, Hashable {
  /// Its place in the order in which the records came.
  public let row: Int64
  /// Its own fields, as JSON.
  public let body: [UInt8]
  /// What makes the record itself, where whoever gives the row has it at hand: a search need not read the record to learn it.
  public let id: String?

  public init(row: Int64, body: [UInt8], id: String? = nil) {
    self.row = row
    self.body = body
    self.id = id
  }
}

/// How many records of a kind are kept.
public struct Census: Sendable, Hashable {
  public let count: Int
  /// When the last one came; nil where none ever did.
  public let newest: Moment?
  /// Whether some were imported since the last sync began, by a person who knows what they are.
  public let hasImports: Bool

  public init(count: Int, newest: Moment?, hasImports: Bool = false) {
    self.count = count
    self.newest = newest
    self.hasImports = hasImports
  }
}
