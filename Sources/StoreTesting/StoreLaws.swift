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
      try await law.check(StoreTrial(in: place(), locking: lock))
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
public struct StoreLaw: Sendable, CaseIterable {
  /// The law in a sentence.
  public let rawValue: String
  let check: @Sendable (StoreTrial) async throws -> Void

  private init(_ sentence: String, _ check: @escaping @Sendable (StoreTrial) -> () async throws -> Void) {
    rawValue = sentence
    self.check = { try await check($0)() }
  }

  public static let empty = StoreLaw("a place where nothing was kept reads as empty", StoreTrial.empty)
  public static let bytes = StoreLaw("a record comes back byte for byte", StoreTrial.bytes)
  public static let identity = StoreLaw("ids are the same where all their bytes are", StoreTrial.identity)
  public static let firstStays = StoreLaw("where the first stays, a repeated record changes nothing", StoreTrial.firstStays)
  public static let lastStays = StoreLaw("where the last stays, it takes the place of the first", StoreTrial.lastStays)
  public static let absorbed = StoreLaw("what differed from the first is remembered as absorbed", StoreTrial.absorbed)
  public static let batches = StoreLaw("a batch lands whole or not at all", StoreTrial.batches)
  public static let order = StoreLaw("records are read in the order in which they came", StoreTrial.order)
  public static let search = StoreLaw("a search misses no record", StoreTrial.search)
  public static let snapshots = StoreLaw("a snapshot stays what it was", StoreTrial.snapshots)
  public static let census = StoreLaw("a census counts what is there", StoreTrial.census)
  public static let settling = StoreLaw("settling changes nothing", StoreTrial.settling)
  public static let taking = StoreLaw("records are taken in their order", StoreTrial.taking)
  public static let givingBack = StoreLaw("what is given back comes first, and once", StoreTrial.givingBack)
  public static let landingAtOnce = StoreLaw(
    "of batches that land at once, no record is passed over or taken twice", StoreTrial.landingAtOnce)
  public static let advances = StoreLaw("a position moves with its batch, and once", StoreTrial.advances)
  public static let resets = StoreLaw("a reset begins again, and reads an ended list anew", StoreTrial.resets)
  public static let readings = StoreLaw("a reading of the list knows what it has met", StoreTrial.readings)
  public static let claims = StoreLaw("one sync at a time has the claim", StoreTrial.claims)
  public static let beginnings = StoreLaw("a sync begins where the last one left off", StoreTrial.beginnings)
  public static let progress = StoreLaw("how far a sync is, is noted with its batch", StoreTrial.progress)
  public static let overtaking = StoreLaw("only the last sync is noted", StoreTrial.overtaking)
  public static let syncs = StoreLaw("a sync knows what it has brought", StoreTrial.syncs)
  public static let unmet = StoreLaw("a sync knows what it has not brought", StoreTrial.unmet)
  public static let imports = StoreLaw(
    "a later import takes the place of an earlier one, and of nothing else", StoreTrial.imports)
  public static let gone = StoreLaw("a complete sync of everything tells what is gone", StoreTrial.gone)
  public static let changes = StoreLaw(
    "what a sync finds otherwise than the last one is remembered, field by field", StoreTrial.changes)
  public static let deletions = StoreLaw("what a person deleted stays away until it is restored", StoreTrial.deletions)
  public static let restoring = StoreLaw("a restored record is taken where nobody was shown it", StoreTrial.restoring)
  public static let histories = StoreLaw("the history of a record tells what brought it", StoreTrial.histories)
  public static let answers = StoreLaw("an answer comes back as it was", StoreTrial.answers)
  public static let steps = StoreLaw("an answer is made of the steps of one walk", StoreTrial.steps)
  public static let clearing = StoreLaw("clearing forgets the answers and nothing else", StoreTrial.clearing)
  public static let forgetting = StoreLaw(
    "forgetting leaves nothing but deletions, and of imports nothing else", StoreTrial.forgetting)
  public static let holdings = StoreLaw("what is kept is told by source and kind", StoreTrial.holdings)
  public static let keepsakes = StoreLaw("a keepsake is made once", StoreTrial.keepsakes)
  public static let kinds = StoreLaw("records of different names never mix", StoreTrial.kinds)
  public static let promptness = StoreLaw(
    "a locked store keeps the deadline, and caching waits for nobody", StoreTrial.promptness)
  public static let sharing = StoreLaw("what one store has committed, every other sees", StoreTrial.sharing)

  public static let allCases: [StoreLaw] = [
    .empty, .bytes, .identity, .firstStays, .lastStays, .absorbed, .batches, .order, .search, .snapshots, .census,
    .settling, .taking, .givingBack, .landingAtOnce, .advances, .resets, .readings, .claims, .beginnings, .progress,
    .overtaking, .syncs, .unmet, .imports, .gone, .changes, .deletions, .restoring, .histories, .answers, .steps,
    .clearing, .forgetting, .holdings, .keepsakes, .kinds, .promptness, .sharing,
  ]
}

extension StoreLaw: Hashable, CustomStringConvertible {
  public var description: String { rawValue }

  public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
