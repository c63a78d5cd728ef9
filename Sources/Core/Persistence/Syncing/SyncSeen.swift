import Synchronization

/// The ids that a sync has met, in constant memory: a filter says which are certainly new, and the store knows the others.
public final class SyncSeen: Seen {
  private let kind: RecordKind
  private let keeper: any SyncKeeper
  private let ids = Mutex(Ids())

  private struct Ids {
    var filter = IDFilter()
    /// Those that may not be stored yet: of the batch that is filled, and of the one that is being stored.
    var filling: [String] = []
    var storing: [String] = []
  }

  init(_ kind: RecordKind, in keeper: any SyncKeeper) throws {
    self.kind = kind
    self.keeper = keeper
    try keeper.eachSeen(of: kind) { id in ids.withLock { _ = $0.filter.insert(id) } }
  }

  public func insert(_ id: String) throws -> Bool {
    try ids.withLock { ids in
      if !ids.filter.insert(id) {
        if ids.filling.contains(id) || ids.storing.contains(id) { return false }
        if try keeper.hasSeen(id, of: kind) { return false }
      }
      ids.filling.append(id)
      return true
    }
  }

  public func contains(_ id: String) throws -> Bool {
    try ids.withLock { ids in
      guard ids.filter.mayContain(id) else { return false }
      return try ids.filling.contains(id) || ids.storing.contains(id) || keeper.hasSeen(id, of: kind)
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

  /// Notes `id`; false when it may have been noted before.
  mutating func insert(_ id: String) -> Bool {
    var isNew = false
    Self.eachPlace(of: id) { word, bit in
      if words[word] & bit == 0 {
        words[word] |= bit
        isNew = true
      }
    }
    return isNew
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
