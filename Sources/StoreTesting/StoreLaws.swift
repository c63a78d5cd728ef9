public import AggregatorCore

/// Holds a store against everything that a store has to do.
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
  /// Opens a store of one place. What several of them keep, all of them see, as processes do that share a file or a server.
  public typealias StorePlace = @Sendable () async throws -> any RecordStore

  /// Locks the place of a store against whoever writes there, and gives what unlocks it: once, however often it is called.
  public typealias Lock = @Sendable (any RecordStore) async throws -> @Sendable () -> Void

  /// What the report calls the store.
  public let name: String
  private let lock: Lock?
  private let place: @Sendable () async throws -> StorePlace

  /// The laws for stores that are made by `place`: each call makes another place, in which nothing is kept yet; `lock` is for those that
  /// somebody else can lock.
  public init(_ name: String, locking lock: Lock? = nil, in place: @escaping @Sendable () async throws -> StorePlace) {
    self.name = name
    self.lock = lock
    self.place = place
  }

  /// Every law of these parts of a store, each in a place of its own; of a law that is about others too, what it says of these.
  public func report(of parts: Set<StorePart> = StorePart.all) async -> StoreReport {
    var report = StoreReport(store: name, laws: StoreLaw.allCases.filter { $0.parts.isSubset(of: parts) })
    for law in report.laws {
      if let seen = await breach(of: law, having: parts) { report.breaches.append((law, seen)) }
    }
    return report
  }

  /// What is seen instead of what one law demands of a store with these parts; nil where it is kept.
  public func breach(of law: StoreLaw, having parts: Set<StorePart> = StorePart.all) async -> String? {
    do {
      try await StoreTrial(in: place(), having: parts, locking: lock).check(law)
      return nil
    } catch let breach as StoreTrial.Breach {
      return breach.seen
    } catch {
      return "it failed: \(error)"
    }
  }
}

/// Which laws a store breaks.
public struct StoreReport: Sendable {
  /// What the store is called.
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

/// Something that every store keeps, whatever it keeps things in.
public enum StoreLaw: String, Sendable, Hashable, CaseIterable {
  /// No question fails there: positions, searches, histories and syncs of records that nobody has brought.
  case empty = "a place where nothing was kept reads as empty"
  /// A NUL, a quote, an accent in either normal form and a very long text are what a store may change.
  case bytes = "a record comes back byte for byte"
  /// `é` and `e` with an accent behind it are two ids, `ab7` and `AB7` too, although Swift and SQL may take them for one.
  case identity = "ids are the same where all their bytes are"
  /// It and what brought it stay; the repeated one counts as a duplicate.
  case firstStays = "where the first stays, a repeated record changes nothing"
  /// It counts as updated, or as a duplicate where nothing differs; what brought it last is known.
  case lastStays = "where the last stays, it takes the place of the first"
  /// Each with what brought it, in the order in which they came; what is the same is not remembered.
  case absorbed = "what differed from the first is remembered as absorbed"
  /// Where the store refuses a part of it, no record, no searched text and no step of a sync is left.
  case batches = "a batch lands whole or not at all"
  /// A record that is replaced keeps its place, however many rows are read at once.
  case order = "records are read in the order in which they came"
  /// In whichever order they are named, as often as they are there, and none that is deleted, gone or was never there.
  case places = "rows are found by their places"
  /// Whatever the letters; it may find too much, since whoever asks compares again.
  case search = "a search misses no record"
  /// What lands, is deleted or begins later is not in it.
  case snapshots = "a snapshot stays what it was"
  /// Deleted and gone records do not count, and a clock that was put back does not make the last one older.
  case census = "a census counts what is there"
  /// A store may put its files in order then; records and position are the same.
  case settling = "settling changes nothing"
  /// Each once; what is replaced or repeated later does not wait again.
  case taking = "records are taken in their order"
  /// Given back twice it waits once, and what nobody knows does not wait at all.
  case givingBack = "what is given back comes first, and once"
  /// Broken where rows are numbered before they can be seen, and those behind the last number are taken.
  case landingAtOnce = "of batches that land at once, no record is passed over or taken twice"
  /// A batch whose position another process has moved lands nothing.
  case advances = "a position moves with its batch, and once"
  /// Records stay and wait again; a batch that was fetched before the reset lands nothing.
  case resets = "a reset begins again, and reads an ended list anew"
  /// Only of batches that moved the position, and nothing of the reading before.
  case readings = "a reading of the list knows what it has met"
  /// Parts and kinds of records are claimed apart, and a cancelled task can still release its claim.
  case claims = "one sync at a time has the claim"
  /// Number, watermark and whether everything was stored come from the one before.
  case beginnings = "a sync begins where the last one left off"
  /// What landed is counted by the store, whatever else is noted.
  case progress = "how far a sync is, is noted with its batch"
  /// What another sync began meanwhile is refused, records and all.
  case overtaking = "only the last sync is noted"
  /// Only by its own batches; the next sync begins with nothing.
  case syncs = "a sync knows what it has brought"
  /// Deleted records do not count.
  case unmet = "a sync knows what it has not brought"
  /// A row that a service gave since stays, and of one file the first row with an id.
  case imports = "a later import takes the place of an earlier one, and of nothing else"
  /// Values are compared and not their bytes; what a file has nothing for and what a record works out never differ.
  case differing = "what a file says otherwise than the service is left, remembered and counted"
  /// A change of another field leaves it, and taking it back gives what the service has.
  case edits = "a person's edit stays until the service's own value of that field changes"
  /// Not after a sync of changes alone, one that skipped a row or one without a sure end; what comes again is there again.
  case gone = "a complete sync of everything tells what is gone"
  /// Only once a complete sync came before; the latest stands first.
  case changes = "what a sync finds otherwise than the last one is remembered, field by field"
  /// One for each reader of changes, and one for the shape of the rows; they are forgotten with the records.
  case notes = "each note about the records stands by itself"
  /// No batch brings it back, and neither a list nor a search nor an id finds it.
  case deletions = "what a person deleted stays away until it is restored"
  /// A record that was shown before does not wait again.
  case restoring = "a restored record is taken where nobody was shown it"
  /// Also of a record that is deleted, and of an id that was deleted before it ever came.
  case histories = "the history of a record tells what brought it"
  /// Faults, totals, ways of paging and every byte of its rows.
  case answers = "an answer comes back as it was"
  /// A step is kept behind the one before it alone, and the first step of another walk drops the rest.
  case steps = "an answer is made of the steps of one walk"
  /// It says how many answers those were.
  case clearing = "clearing forgets the answers and nothing else"
  /// Positions, syncs and answers go with the records; what a person deleted stays deleted.
  case forgetting = "forgetting leaves nothing but deletions, and of imports nothing else"
  /// With how many there are, what they take, and when the oldest and the newest came.
  case holdings = "what is kept is told by source and kind"
  /// What was noted comes back, and an error of whoever notes is an error.
  case stamps = "which list the records are of is noted with them"
  /// Their sync and their position too.
  case adoption = "records that no description was noted of belong to the first that is"
  /// Nor found, taken or counted; what comes takes their place, whatever the rule. What was deleted and shown stays so, and what a
  /// person brought stays.
  case outdating = "what was read by an earlier description is not there until it comes again"
  /// Records and answers, once a person says that the account is the same.
  case holders = "what is stored follows its holder to another key"
  /// Of several that make one at the same time, all get the same.
  case keepsakes = "a keepsake is made once"
  /// Whatever stands in a name: a dot, a quote, a word of SQL.
  case kinds = "records of different names never mix"
  /// Tried where the kit is told how to lock the place.
  case promptness = "a locked store keeps the deadline, and caching waits for nobody"
  /// Records, positions, deletions, answers, keepsakes and claims, through another store in the same place.
  case sharing = "what one store has committed, every other sees"
}

extension StoreLaw: CustomStringConvertible {
  public var description: String { rawValue }
}
