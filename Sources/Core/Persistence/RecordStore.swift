/// Stores what sources answered, to give it again when they cannot: whole walks, each page a step.
public protocol AnswerStore: Sendable {
  /// One step of the last answer to a query; nil where there is none.
  func answer(_ key: AnswerKey, step: Int) async throws -> CachedAnswer?
  /// Stores a step: the first in place of the whole answer before it, a later one behind the step before it of the same walk. False where
  /// ``CachedAnswer/mayBeKept(as:behind:)`` says that it may not be.
  @discardableResult func keep(_ answer: CachedAnswer, under key: AnswerKey, step: Int) async throws -> Bool
}

/// Stores the records of sources, and gives them as they were at one moment.
public protocol ListStore: Sendable {
  /// Notes which list the records are of: what `stamp` makes of what was noted before, which is nil where nothing was. Where it makes the same,
  /// nothing is written.
  ///
  /// Where the new stamp outdates the old one, no stored record is shown until it lands again, whatever the ``Batch/Rule``, but for what a person
  /// brought in a file; its row, its history and its deletion stay. The position becomes ``Position/outdated``, the sync ``SyncState/outdated``. Answers of
  /// the old holder become those of the new one; those of which nothing was noted get the first stamp that has a reading.
  func stamp(_ kind: RecordKind, _ stamp: @Sendable (ListStamp?) throws -> ListStamp) async throws

  /// Stores a batch, all of it or nothing: each record as a ``LandingPlan`` says, its position by ``Position/advanced(by:)``, its sync as
  /// ``SyncStore/note(_:of:)`` does, and what landed is added to what had landed of that sync.
  ///
  /// Ids are the same where all their bytes are, and bodies come back byte for byte.
  func land(_ batch: Batch) async throws -> LandingResult

  /// Brings what has landed where it is read fastest; worth its time after much has. `bulk` takes more time for it.
  func optimize(_ kind: RecordKind, bulk isBulk: Bool) async throws

  /// All that is stored at this moment. Whatever is stored meanwhile, it stays what it was.
  func snapshot() async throws -> any RecordSnapshot
}

/// Remembers how far a person has read: each record is shown once, whichever process asks; of two that fetched the same page one lands it, and the
/// other is overtaken.
public protocol PositionStore: Sendable {
  /// The position as the last ``Advance`` or reset left it.
  func position(of kind: RecordKind) async throws -> Position

  /// How many stored records were not shown yet, counted up to `most`.
  func waiting(of kind: RecordKind, upTo most: Int) async throws -> Int

  /// The next records not yet shown, at most `count`: those given back first, then the others in their order. No record is passed over, also
  /// where one that came earlier can be seen only after a later one was taken.
  func take(_ count: Int, of kind: RecordKind) async throws -> [StoredRow]

  /// Takes back records that were not shown after all; they come first next time, and once where somebody has begun again.
  func giveBack(_ ids: [String], to kind: RecordKind) async throws

  /// Begins again with the first record, at ``Position/begunAgain``. No record is forgotten.
  func reset(_ kind: RecordKind) async throws

  /// Those of `ids` that a reading of the list has met: stored records, new or not, of a batch that landed with an advance to that reading.
  func met(_ ids: [String], of kind: RecordKind, reading: Int) async throws -> Set<String>
}

/// Remembers how far syncs are, and what they found.
///
/// Of two syncs of the same records at once one has the ``Claim``; what is noted of a sync that is no longer the last one is refused.
public protocol SyncStore: Sendable {
  /// Gives a part of a sync to one holder alone until it is released or its process has ended; throws ``Claim/isTaken`` where it is taken.
  func claim(_ claim: Claim, of kind: RecordKind) async throws

  /// Takes a part back from its holder, and from nobody else; also in a task that was cancelled.
  func release(_ claim: Claim, of kind: RecordKind) async

  /// The last sync, finished or not; nil when there never was one.
  func sync(of kind: RecordKind) async throws -> SyncState?

  /// Begins a sync in place of the last one, as ``SyncState/init(after:at:full:mark:)`` has it.
  func beginSync(of kind: RecordKind, at moment: Moment, full isFull: Bool, mark: Moment?) async throws -> SyncState

  /// Notes how far a sync is, all but what landed, which the store counts by itself; throws where it is not the last one.
  ///
  /// Of one that ``SyncState/tellsGone``, every record that was last brought before it began is gone from then on, until it lands
  /// again; returned is how many that were.
  func note(_ state: SyncState, of kind: RecordKind) async throws -> Int

  /// Those of `ids` that the sync of this number has brought: stored records that were last brought by a batch of it.
  func met(_ ids: [String], of kind: RecordKind, sync number: Int) async throws -> Set<String>

  /// What syncs found new, changed or gone since `moment`, the latest first, once one of them had stored everything.
  func changes(of kind: RecordKind, since moment: Moment) async throws -> [RecordChange]

  /// Notes a text about the records, in place of the one before it. A snapshot has it under the name that ``RecordKind/name(of:)`` gives,
  /// until the records are forgotten.
  func note(_ text: String, as note: RecordNote, of kind: RecordKind) async throws

  /// How many stored records, neither deleted nor gone, were last brought before the last sync began: what would be gone at its end.
  func unmet(of kind: RecordKind) async throws -> Int
}

/// Remembers what a person deleted and edited, and where each record came from. What was deleted is never shown and never fetched back in, until it is
/// restored.
public protocol DeletionStore: Sendable {
  /// Deletes a record, stored or not, and says when: of one that was deleted before, the first moment stays.
  @discardableResult func delete(_ id: String, of kind: RecordKind, at moment: Moment) async throws -> Moment

  /// Undoes it; false when it was not deleted. A record that nobody was shown waits to be taken again; one that was shown does not.
  @discardableResult func restore(_ id: String, of kind: RecordKind) async throws -> Bool

  /// Makes a record again what the service gave, and says which fields a person had edited: none where it has no edits.
  @discardableResult func takeBackEdits(of id: String, in kind: RecordKind) async throws -> [FieldPath]

  /// The ids of what was deleted, the latest first.
  func deletions(of kind: RecordKind) async throws -> [String]

  /// Where a record came from and what became of it; nil when it is neither stored nor deleted.
  func history(of id: String, of kind: RecordKind) async throws -> History?
}

/// A store: the records of sources, how far they were read, synced and deleted, and the last answers. Each of its parts is a protocol, which can be
/// written one after the other.
///
/// `StoreInMemory` is one for the life of a process; the module Store keeps all of it in a file. An ``Archive`` of it is for one source's
/// records, and knows their type. Every call is committed before it returns.
public protocol RecordStore: AnswerStore, ListStore, PositionStore, SyncStore, DeletionStore {
  /// What was asked of services lately, by all who use the store. `own` has what the store does not keep, and all of it while the store cannot be
  /// reached; nil where neither keeps anything.
  func requests(orIn own: (any RequestMemory)?) -> (any RequestMemory)?

  /// How its place is fit for it; throws where nothing can be stored there.
  func condition() async throws -> StoreCondition

  /// What is stored, by source and kind: records, answers, deletions.
  func holdings() async throws -> [Holding]

  /// Forgets the answers, and says how many there were. Records, positions and deletions stay.
  @discardableResult func clearAnswers() async throws -> Int

  /// Forgets the records of this kind, or only those that were imported, and says how many there were. Without a record nothing is left of
  /// how far they were read and synced, of what changed, or of the answers of their source; deletions stay in any case.
  @discardableResult func forget(_ kind: RecordKind, importedOnly: Bool) async throws -> Int

  /// A text made once for each store, such as the seed of an endless list: the first caller's stays.
  func storedText(_ name: String, made make: @Sendable () -> String) async throws -> String
}

extension RecordStore {
  public func requests(orIn own: (any RequestMemory)?) -> (any RequestMemory)? { own }

  public func condition() async throws -> StoreCondition { StoreCondition() }
}

/// How the place of a store is fit for it.
public struct StoreCondition: Sendable {
  /// What runs there, such as `PostgreSQL 15.18`; nil where there is nothing to say.
  public var system: String?
  /// What makes it slow, with what to do about it; nil of a place that is fit. Everything works all the same.
  public var trouble: SourceError?

  /// A place that is fit, of which nothing else is known.
  public init() {}
}

/// The stored records as they were at one moment.
public protocol RecordSnapshot: Sendable {
  /// Up to `count` records behind the row `after`, in the order in which they came; none that is deleted or gone.
  func rows(of kind: RecordKind, _ query: StoredQuery, after row: Int64, count: Int) async throws -> StoredRows

  /// How many records there are that are neither deleted nor gone, and since when.
  func census(of kind: RecordKind) async throws -> Census

  /// The last sync, finished or not; nil when there never was one.
  func sync(of kind: RecordKind) async throws -> SyncState?

  /// A text that was made once for the store, by ``RecordStore/storedText(_:made:)``; nil where none was.
  func storedText(_ name: String) async throws -> String?
}
