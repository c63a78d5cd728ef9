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

  /// Every law, each in a place of its own.
  public func report() async -> StoreReport {
    var report = StoreReport(store: name)
    for law in StoreLaw.allCases {
      if let seen = await breach(of: law) { report.breaches.append((law, seen)) }
    }
    return report
  }

  /// What is seen instead of what one law demands; nil where it is kept.
  public func breach(of law: StoreLaw) async -> String? {
    do {
      try await StoreTrial(in: place(), locking: lock).check(law)
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
  /// Each broken law, and what was seen.
  public internal(set) var breaches: [(law: StoreLaw, seen: String)] = []
}

extension StoreReport: CustomStringConvertible {
  /// A line for each failure: the store, the law, and what was seen.
  public var description: String {
    let kept = StoreLaw.allCases.count - breaches.count
    return (breaches.map { "\(store): \($0.law): \($0.seen)" } + ["\(store): \(kept) laws kept, \(breaches.count) broken"])
      .joined(separator: "\n")
  }
}

/// Something that every store keeps, whatever it keeps things in.
public enum StoreLaw: String, Sendable, Hashable, CaseIterable {
  case empty = "a place where nothing was kept reads as empty"
  case bytes = "a record comes back byte for byte"
  case identity = "ids are the same where all their bytes are"
  case firstStays = "where the first stays, a repeated record changes nothing"
  case lastStays = "where the last stays, it takes the place of the first"
  case absorbed = "what differed from the first is remembered as absorbed"
  case batches = "a batch lands whole or not at all"
  case order = "records are read in the order in which they came"
  case search = "a search misses no record"
  case snapshots = "a snapshot stays what it was"
  case census = "a census counts what is there"
  case settling = "settling changes nothing"
  case taking = "records are taken in their order"
  case givingBack = "what is given back comes first, and once"
  case landingAtOnce = "of batches that land at once, no record is passed over or taken twice"
  case advances = "a position moves with its batch, and once"
  case resets = "a reset begins again, and reads an ended list anew"
  case readings = "a reading of the list knows what it has met"
  case claims = "one sync at a time has the claim"
  case beginnings = "a sync begins where the last one left off"
  case progress = "how far a sync is, is noted with its batch"
  case overtaking = "only the last sync is noted"
  case syncs = "a sync knows what it has brought"
  case unmet = "a sync knows what it has not brought"
  case imports = "a later import takes the place of an earlier one, and of nothing else"
  case gone = "a complete sync of everything tells what is gone"
  case changes = "what a sync finds otherwise than the last one is remembered, field by field"
  case deletions = "what a person deleted stays away until it is restored"
  case restoring = "a restored record is taken where nobody was shown it"
  case histories = "the history of a record tells what brought it"
  case answers = "an answer comes back as it was"
  case steps = "an answer is made of the steps of one walk"
  case clearing = "clearing forgets the answers and nothing else"
  case forgetting = "forgetting leaves nothing but deletions, and of imports nothing else"
  case holdings = "what is kept is told by source and kind"
  case keepsakes = "a keepsake is made once"
  case kinds = "records of different names never mix"
  case promptness = "a locked store keeps the deadline, and caching waits for nobody"
  case sharing = "what one store has committed, every other sees"
}

extension StoreLaw: CustomStringConvertible {
  public var description: String { rawValue }
}
