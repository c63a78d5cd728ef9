/// Stores the answers of sources, to give them again when a source cannot answer: whole walks, each page a step.
public protocol AnswerStore: Sendable {
  /// Returns one step of the last answer to a query; nil if it is not cached.
  func answer(_ key: AnswerKey, step: Int) async throws -> CachedAnswer?
  /// Stores a step. The first step replaces the whole answer before it; a later one follows the step before it of the same walk. Returns
  /// false if ``CachedAnswer/mayBeCached(as:after:)`` says that it may not be stored.
  @discardableResult func keep(_ answer: CachedAnswer, under key: AnswerKey, step: Int) async throws -> Bool
}

/// Stores the records of sources, and gives them as they were at one moment.
public protocol ListStore: Sendable {
  /// Notes which list the records are of. `stamp` makes the new note from the old one, which is nil the first time. If both are equal,
  /// nothing is written.
  ///
  /// If the new stamp outdates the old one, no stored record is shown until it lands again, whatever the ``Batch/Rule``; only records from
  /// a person's file stay visible. The row of each record, its history and its deletion stay. The position becomes ``Position/outdated``,
  /// the sync ``SyncState/outdated``. Answers of the old holder become those of the new one. Answers without a stamp get the first stamp
  /// that has a reading.
  func stamp(_ kind: RecordKind, _ stamp: @Sendable (ListStamp?) throws -> ListStamp) async throws

  /// Stores a batch, all of it or nothing. Each record lands as a ``LandingPlan`` says, the position moves by ``Position/advanced(by:)``, and
  /// the sync is noted as by ``SyncStore/note(_:of:)``, with what landed added to what had landed of that sync.
  ///
  /// The plan begins with the edits of all records of the kind, and the store writes their ``Edits/changes``.
  ///
  /// Two ids are the same only if all their bytes are. Bodies come back byte for byte.
  func land(_ batch: Batch) async throws -> LandingResult

  /// Moves what has landed to where it is read fastest; worth its time after much has landed. `bulk` spends more time on it.
  func optimize(_ kind: RecordKind, bulk isBulk: Bool) async throws

  /// Returns all that is stored at this moment. The snapshot stays the same, whatever is stored later.
  func snapshot() async throws -> any RecordSnapshot
}

/// Stores how far a person has read. Each record is shown once, whichever process asks. Of two processes that fetched the same page one
/// lands it, and the other is overtaken.
public protocol PositionStore: Sendable {
  /// Returns the position as the last ``Advance`` or reset left it.
  func position(of kind: RecordKind) async throws -> Position

  /// Returns how many stored records were not shown yet, counted up to `most`.
  func waiting(of kind: RecordKind, upTo most: Int) async throws -> Int

  /// Takes the next records not yet shown, at most `count`: those given back first, then the others in their order. No record is skipped,
  /// even if it becomes visible only after a later one was taken.
  func take(_ count: Int, of kind: RecordKind) async throws -> [StoredRow]

  /// Gives back records that were not shown after all. They come first next time. After a reset they come only once.
  func giveBack(_ ids: [String], to kind: RecordKind) async throws

  /// Starts again with the first record, at ``Position/begunAgain``. All records stay.
  func reset(_ kind: RecordKind) async throws

  /// Returns those of `ids` that a reading of the list has met: stored records, new or not, of a batch with an advance to that reading.
  func met(_ ids: [String], of kind: RecordKind, reading: Int) async throws -> Set<String>
}

/// Stores how far syncs are, and what they found.
///
/// Of two syncs of the same records at the same time only one has the ``Claim``. A note about a sync that is not the last one is refused.
public protocol SyncStore: Sendable {
  /// Gives a part of a sync to one holder until it is released or its process has ended; throws ``Claim/isTaken`` if another holds it.
  func claim(_ claim: Claim, of kind: RecordKind) async throws

  /// Takes a part back from its holder, and from no other; works in a cancelled task too.
  func release(_ claim: Claim, of kind: RecordKind) async

  /// Returns the last sync, finished or not; nil before the first sync.
  func sync(of kind: RecordKind) async throws -> SyncState?

  /// Begins a sync in place of the last one, with the state of ``SyncState/init(after:at:full:mark:)``.
  func beginSync(of kind: RecordKind, at moment: Moment, full isFull: Bool, mark: Moment?) async throws -> SyncState

  /// Notes how far a sync is, except what landed, which the store counts by itself. Throws if the sync is not the last one.
  ///
  /// If the state ``SyncState/tellsGone``, every record that was last brought before the sync began is gone from then on, until it lands
  /// again. Returns the number of these records. A record that only a person's file ever brought was never in the list, and cannot be gone:
  /// it was brought by an import, and no reading by `next` has met it. The records of another list, which have not landed again, are removed
  /// then; their histories, deletions and edits stay.
  func note(_ state: SyncState, of kind: RecordKind) async throws -> Int

  /// Returns those of `ids` that the sync with this number has brought: stored records that were last brought by a batch of it.
  func met(_ ids: [String], of kind: RecordKind, sync number: Int) async throws -> Set<String>

  /// Returns the last `most` changes since `moment`, the latest first: what syncs found new, changed or gone. New and gone records
  /// are noted once a sync has stored everything, and changed values always.
  func changes(of kind: RecordKind, since moment: Moment, upTo most: Int) async throws -> [RecordChange]

  /// Notes a text about the records, in place of the one before it. A snapshot has it under the name from ``RecordKind/name(of:)`` until
  /// the records are removed.
  func note(_ text: String, as note: RecordNote, of kind: RecordKind) async throws

  /// Returns how many stored records, neither deleted nor gone, would be gone at the end of the last sync, with what it has brought so far.
  func unmet(of kind: RecordKind) async throws -> Int
}

/// Stores what a person deleted and edited, and where each record came from. A deleted record is never shown and never fetched back in
/// until it is restored.
public protocol DeletionStore: Sendable {
  /// Deletes a record, stored or not, and returns the moment. A record that was deleted before keeps its first moment.
  @discardableResult func delete(_ id: String, of kind: RecordKind, at moment: Moment) async throws -> Moment

  /// Undoes a deletion; false if the record was not deleted. A record not shown yet waits to be taken again; one already shown does not.
  @discardableResult func restore(_ id: String, of kind: RecordKind) async throws -> Bool

  /// Removes a person's edits of a record, and returns the edited fields in the order in which they were edited; empty without edits.
  @discardableResult func takeBackEdits(of id: String, in kind: RecordKind) async throws -> [FieldPath]

  /// Returns the ids of deleted records, the latest deletion first.
  func deletions(of kind: RecordKind) async throws -> [String]

  /// Returns where a record came from and what became of it; nil if it is neither stored nor deleted.
  func history(of id: String, of kind: RecordKind) async throws -> History?
}

/// A store: the records of sources, how far they were read and synced, the deletions, and the last answers. Each of its parts is a
/// protocol, so that an author can write one after the other.
///
/// `StoreInMemory` is a store for the life of a process; the module Store keeps everything in a file. An ``Archive`` of a store is for one
/// source's records, and knows their type. Every call is committed before it returns.
public protocol RecordStore: AnswerStore, ListStore, PositionStore, SyncStore, DeletionStore {
  /// Returns the memory of the recent requests to services by all users of the store. `own` has the requests that the store does not
  /// record, and all of them while the store cannot be reached. Nil if neither records requests.
  func requests(orIn own: (any RequestMemory)?) -> (any RequestMemory)?

  /// Returns how fit the store's disk or server is; throws if nothing can be stored there.
  func condition() async throws -> StoreCondition

  /// Reads every record of a kind, and returns what is wrong with the index by which a search finds them; nil if nothing is. A wrong index is
  /// not used any more: a search reads every record until what is stored next makes the index again. If that cannot be noted, the error
  /// says why.
  func searchTrouble(of kind: RecordKind) async throws -> SourceError?

  /// Returns what is stored, by source and kind: records, answers, deletions.
  func holdings() async throws -> [Holding]

  /// Removes the answers, and returns how many there were. Records, positions and deletions stay.
  @discardableResult func clearAnswers() async throws -> Int

  /// Removes the records of this kind, or only the imported ones, and returns how many there were. With all records go how far they were
  /// read and synced, their changes, a person's edits, and the answers of their source. Deletions stay in any case.
  @discardableResult func forget(_ kind: RecordKind, importedOnly: Bool) async throws -> Int

  /// Returns a text that is made once for each store, such as the seed of an endless list; the first caller's text stays.
  func storedText(_ name: String, made make: @Sendable () -> String) async throws -> String
}

extension RecordStore {
  /// Returns all changes since `moment`, the latest first.
  public func changes(of kind: RecordKind, since moment: Moment) async throws -> [RecordChange] {
    try await changes(of: kind, since: moment, upTo: .max)
  }

  public func requests(orIn own: (any RequestMemory)?) -> (any RequestMemory)? { own }

  public func condition() async throws -> StoreCondition { StoreCondition() }

  public func searchTrouble(of kind: RecordKind) async throws -> SourceError? { nil }
}

/// The condition of the disk or server that a store is on.
public struct StoreCondition: Sendable {
  /// The system that runs there, such as `PostgreSQL 15.18`; nil if it is not worth telling.
  public var system: String?
  /// The problem that makes it slow, with what to do about it; nil for a fit one. Everything works all the same.
  public var trouble: SourceError?

  /// Makes the condition of a fit one, with nothing else known.
  public init() {}
}

/// The stored records as they were at one moment.
public protocol RecordSnapshot: Sendable {
  /// Returns up to `count` records after the row `after`, in the order in which they came, without deleted and gone ones.
  func rows(of kind: RecordKind, _ query: StoredQuery, after row: Int64, count: Int) async throws -> StoredRows

  /// Shows the same records to `look`, one after the other, until it returns false; that record counts as not taken. Returns the row after
  /// which to continue; nil at the end. The default shows what ``rows(of:_:after:count:)`` returns; a store that need not copy its records
  /// for this has its own. A store may hold a lock meanwhile, so `look` must not ask the snapshot.
  func look(
    through kind: RecordKind, _ query: StoredQuery, after row: Int64, count: Int, _ look: (BorrowedRow) throws -> Bool
  ) async throws -> Int64?

  /// Returns the records of a query with what became of each. Deleted and gone records are among them, and so are those that an earlier
  /// description read. Every record may match a text.
  func traces(of kind: RecordKind, _ query: StoredQuery, after row: Int64, count: Int) async throws -> TracedRows

  /// Counts the records that are neither deleted nor gone, and tells when the last record came.
  func census(of kind: RecordKind) async throws -> Census

  /// Counts the deleted and the gone records. Those that an earlier description read, and that have not landed again, are not gone.
  func removals(of kind: RecordKind) async throws -> Removals

  /// Returns the last sync, finished or not; nil before the first sync.
  func sync(of kind: RecordKind) async throws -> SyncState?

  /// Returns how far a person has read, as ``PositionStore/position(of:)`` does.
  func position(of kind: RecordKind) async throws -> Position

  /// Returns a person's edits in the order in which they were made. The bodies of ``rows(of:_:after:count:)`` are without them.
  func edits(of kind: RecordKind) async throws -> [Edit]

  /// Returns a text that was made once for the store by ``RecordStore/storedText(_:made:)``; nil if it was never made.
  func storedText(_ name: String) async throws -> String?
}

extension RecordSnapshot {
  public func look(
    through kind: RecordKind, _ query: StoredQuery, after row: Int64, count: Int, _ look: (BorrowedRow) throws -> Bool
  ) async throws -> Int64? {
    let found = try await rows(of: kind, query, after: row, count: count)
    var last = row
    for row in found.rows {
      guard try row.lend(to: look) else { return last }
      last = row.row
    }
    return found.next
  }
}
