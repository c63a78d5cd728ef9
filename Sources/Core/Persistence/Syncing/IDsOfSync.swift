import Synchronization

/// The ids that a sync has met, in constant memory: a filter says which are certainly new, and the store knows the others.
public final class IDsOfSync: Seen {
  private let kind: RecordKind
  private let keeper: any SyncKeeper
  private let number: Int
  /// Whether an earlier run has stored a part of it, of which the filter knows nothing.
  private let isResumed: Bool
  private let ids = Mutex(Ids())

  private struct Ids {
    var filter = IDFilter()
    /// Those that may not be stored yet: of the batch that is filled, and of the one that is being stored.
    var filling: [String] = []
    var storing: [String] = []
  }

  init(_ kind: RecordKind, in keeper: any SyncKeeper, of state: SyncState) {
    self.kind = kind
    self.keeper = keeper
    number = state.number
    isResumed = state.received > 0
  }

  public func met(_ page: [String]) async throws -> Set<String> {
    var (met, stored): (Set<String>, [String]) = ([], [])
    ids.withLock { ids in
      for id in page {
        let mayBeKnown = ids.filter.mayContain(id)
        if mayBeKnown, ids.filling.contains(id) || ids.storing.contains(id) {
          met.insert(id)
        } else if mayBeKnown || isResumed {
          stored.append(id)
        }
      }
    }
    return stored.isEmpty ? met : met.union(try await keeper.met(stored, of: kind, sync: number))
  }

  public func note(_ page: [String]) {
    ids.withLock { ids in
      for id in page { ids.filter.insert(id) }
      ids.filling += page
    }
  }

  /// The batch is on its way, and the one before it is stored.
  func turn() {
    ids.withLock {
      swap(&$0.filling, &$0.storing)
      $0.filling.removeAll(keepingCapacity: true)
    }
  }
}

/// A Bloom filter of 4 MB: of a million ids it takes one in some thousands for known.
struct IDFilter: Sendable {
  private var words = [UInt64](repeating: 0, count: 1 << 19)

  mutating func insert(_ id: String) {
    Self.eachPlace(of: id) { word, bit in words[word] |= bit }
  }

  /// False when `id` was certainly never noted.
  func mayContain(_ id: String) -> Bool {
    var isKnown = true
    Self.eachPlace(of: id) { word, bit in isKnown = isKnown && words[word] & bit != 0 }
    return isKnown
  }

  private static func eachPlace(of id: String, _ body: (Int, UInt64) -> Void) {
    var print = Fingerprint()
    print.combine(id)
    // The fingerprint's low bits alone are too regular for numbers.
    var bits = print.value
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    let step = bits >> 32 | 1
    for probe in 0..<4 as Range<UInt64> {
      let place = (bits &+ probe &* step) & 0x1FF_FFFF
      body(Int(place >> 6), 1 << (place & 63))
    }
  }
}
