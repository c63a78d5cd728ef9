public import AggregatorCore

/// Checks a store against all laws of stores.
///
/// ```swift
/// let laws = StoreLaws("sqlite") {
///   let path = scratch.newPath()
///   return { SQLiteStore(at: path) }
/// }
/// let report = await laws.report()
/// #expect(report.breaches.isEmpty, "\(report)")
/// ```
public struct StoreLaws: Sendable {
  /// Opens a store. All stores that it opens see what any of them stores, as processes do that share a file or a server.
  public typealias StoreOpener = @Sendable () async throws -> any RecordStore

  /// Locks the file or server of a store against other writers, and returns what unlocks it; only the first call of that has an effect.
  public typealias Lock = @Sendable (any RecordStore) async throws -> @Sendable () -> Void

  /// The name of the store in the report.
  public let name: String
  private let lock: Lock?
  private let makeOpener: @Sendable () async throws -> StoreOpener

  /// Makes the laws for stores: each call of `makeOpener` makes an opener of another store, which is empty. `lock` is for
  /// stores that another process can lock.
  public init(
    _ name: String, locking lock: Lock? = nil, opening makeOpener: @escaping @Sendable () async throws -> StoreOpener
  ) {
    self.name = name
    self.lock = lock
    self.makeOpener = makeOpener
  }

  /// Checks every law of these parts of a store, each in a store of its own. Of a law about several parts, only what it says of these is
  /// checked.
  public func report(of parts: Set<StorePart> = StorePart.all) async -> StoreReport {
    var report = StoreReport(store: name, laws: StoreLaw.allCases.filter { $0.parts.isSubset(of: parts) })
    for law in report.laws {
      if let seen = await breach(of: law, having: parts) { report.breaches.append((law, seen)) }
    }
    return report
  }

  /// Returns what was seen instead of what the law demands of a store with these parts; nil if the store keeps it.
  public func breach(of law: StoreLaw, having parts: Set<StorePart> = StorePart.all) async -> String? {
    do {
      try await StoreTrial(opening: makeOpener(), having: parts, locking: lock).check(law)
      return nil
    } catch let breach as StoreTrial.Breach {
      return breach.seen
    } catch {
      return "it failed: \(error)"
    }
  }
}

/// The laws that a store breaks.
public struct StoreReport: Sendable {
  /// The name of the store.
  public let store: String
  /// The laws that were tried.
  public let laws: [StoreLaw]
  /// Each broken law, and what was seen.
  public internal(set) var breaches: [(law: StoreLaw, seen: String)] = []
}

extension StoreReport: CustomStringConvertible {
  /// A line for each failure: the store, the law, and what was seen.
  public var description: String {
    let kept = laws.count - breaches.count
    return (breaches.map { "\(store): \($0.law): \($0.seen)" } + ["\(store): \(kept) laws kept, \(breaches.count) broken"])
      .joined(separator: "\n")
  }
}

/// A law: something that every store does, whatever it stores things in.
public enum StoreLaw: String, Sendable, Hashable, CaseIterable {
  /// Questions about positions, searches, histories and syncs do not fail, although no record was ever stored.
  case empty = "a place where nothing was kept reads as empty"
  /// A store may change a NUL, a quote, an accent in either normal form, or a very long text.
  case bytes = "a record comes back byte for byte"
  /// `é` and `e` followed by an accent are two ids; so are `ab7` and `AB7`, although Swift or SQL may treat them as one.
  case identity = "ids are the same where all their bytes are"
  /// The record stays, with the fetch that brought it; the repeated one counts as a duplicate.
  case firstStays = "where the first stays, a repeated record changes nothing"
  /// The record counts as updated, or as a duplicate if nothing differs. The fetch that brought it last is known.
  case lastStays = "where the last stays, it takes the place of the first"
  /// Each with the fetch that brought it, in the order in which they came. A record that does not differ is not remembered.
  case absorbed = "what differed from the first is remembered as absorbed"
  /// If the store refuses a part of a batch, no record, no searched text and no step of a sync is left.
  case batches = "a batch lands whole or not at all"
  /// A record that is replaced keeps its number, however many rows are read at once.
  case order = "records are read in the order in which they came"
  /// In whatever order they are named, each row is found once; never a record that is deleted, gone or was never stored.
  case rowNumbers = "rows are found by their places"
  /// Whatever the letters. The search may find too much, since the caller compares again.
  case search = "a search misses no record"
  /// Records that land, deletions and syncs that begin later are not in it.
  case snapshots = "a snapshot stays what it was"
  /// Deleted and gone records do not count. A clock that was put back does not make the newest record older.
  case census = "a census counts what is there"
  /// The fetch that brought it last, and when a sync missed it or a person deleted it. Deleted and gone records are told too.
  case traces = "the store says of each record what became of it"
  /// A store may reorganize its files then; records and position are the same.
  case settling = "settling changes nothing"
  /// Each once. A record that is replaced or repeated later does not wait again.
  case taking = "records are taken in their order"
  /// A record that is given back twice waits once. An id that is not stored does not wait at all.
  case givingBack = "what is given back comes first, and once"
  /// Broken by a store that numbers rows before they are visible, and takes those after the last number.
  case landingAtOnce = "of batches that land at once, no record is passed over or taken twice"
  /// A batch lands nothing if another process has moved its position.
  case advances = "a position moves with its batch, and once"
  /// Records stay and wait again. A batch that was fetched before the reset lands nothing.
  case resets = "after a reset all records wait again, and an ended list is read anew"
  /// Only in batches that moved the position, and nothing of the reading before.
  case readings = "a reading of the list knows what it has met"
  /// Parts of a list and kinds of records are claimed separately. A cancelled task can still release its claim.
  case claims = "one sync at a time has the claim"
  /// The number, the watermark and whether everything was stored come from the sync before.
  case beginnings = "a sync begins where the last one left off"
  /// The store counts what has landed, whatever else is noted.
  case progress = "how far a sync is, is noted with its batch"
  /// A sync is refused, with its records, once another sync has begun.
  case overtaking = "only the last sync is noted"
  /// Only in its own batches; the next sync begins with nothing.
  case syncs = "a sync knows what it has brought"
  /// Deleted records do not count.
  case unmet = "a sync knows what it has not brought"
  /// Neither counted nor marked as gone. A row that a service has given too, in a sync or a page of `next`, is missed like any other.
  case onlyImported = "what only a person's file brought is missed by no sync"
  /// A row that a service has given since the import stays. Of rows with one id in a file, the first counts.
  case imports = "a later import takes the place of an earlier one, and of nothing else"
  /// Values are compared, not bytes. Fields that a file lacks and computed fields never differ.
  case differing = "what a file says otherwise than the service is left, remembered and counted"
  /// A change of another field leaves the edit, and so does another list. The stored records stay as the service gave them.
  case edits = "a person's edit stays until the service's own value of that field changes"
  /// Not after a sync of changes alone, a sync that skipped a row, or one without a sure end. A record that comes again is there again.
  case gone = "a complete sync of everything tells what is gone"
  /// Only after a complete sync, and also of records that came otherwise than by a sync. One that a person imported is new when a sync finds
  /// it. The latest change comes first.
  case changes = "the store remembers each field that a sync finds changed"
  /// One note for each reader of changes, and one for the shape of the rows. They go with the records.
  case notes = "each note about the records stands by itself"
  /// No list, search or id finds it. What a service sends meanwhile is stored all the same, so that a restored record is as the service has
  /// it; what a file says of it is left out.
  case deletions = "what a person deleted stays away until it is restored"
  /// A record that `next` has shown before does not wait again.
  case restoring = "a restored record waits to be taken if it was never shown"
  /// Also the history of a deleted record, and of an id that was deleted before it ever came.
  case histories = "the history of a record tells what brought it"
  /// With faults, totals, the way of paging and every byte of its rows.
  case answers = "an answer comes back as it was"
  /// A step is stored only after the step before it. The first step of another walk removes the other steps.
  case steps = "an answer is made of the steps of one walk"
  /// It returns the number of those answers.
  case clearing = "clearing forgets the answers and nothing else"
  /// Positions, syncs and answers go with the records. What a person deleted stays deleted.
  case forgetting = "forgetting leaves nothing but deletions, and of imports nothing else"
  /// With the number, the size, and the times of the oldest and the newest.
  case holdings = "what is kept is told by source and kind"
  /// The store returns the stamp that was noted, and throws the errors of the caller's function.
  case stamps = "which list the records are of is noted with them"
  /// They are not found, taken or counted either. A record that comes takes their place, whatever
  /// the rule. Records that were deleted or shown stay so, and what a person imported stays.
  case outdating = "a record of another list is not there until it comes again, and is compared then"
  /// Records and answers, once a person says that the account is the same.
  case holders = "what is stored follows its holder to another key"
  /// Callers that make one at the same time all get the same text.
  case keepsakes = "a keepsake is made once"
  /// Whatever is in a name: a dot, a quote, a word of SQL.
  case kinds = "records of different names never mix"
  /// Checked if the kit was given a way to lock the store.
  case promptness = "a locked store keeps the deadline, and caching never waits"
  /// Records, positions, deletions, answers, keepsakes and claims, through another store of the same file or server.
  case sharing = "what one store has committed, every other sees"
}

extension StoreLaw: CustomStringConvertible {
  public var description: String { rawValue }
}
