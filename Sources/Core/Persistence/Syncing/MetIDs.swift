/// The ids that a sync has met, in constant memory. It knows which ids are certainly new; the store knows the others.
struct MetIDs: Sendable {
  let number: Int
  /// True when an earlier run has stored a part of the sync, of which the filter knows nothing.
  private let isResumed: Bool
  /// A Bloom filter of 4 MB: with a million ids in it, it takes one new id in some thousands for a known one.
  private var filter = [UInt64](repeating: 0, count: 1 << 19)
  /// The ids that may not be stored yet: those of the batch being filled, and those of the batch being stored.
  private var (filling, storing): ([String], [String]) = ([], [])

  init(of state: SyncState) {
    number = state.number
    isResumed = state.counts.received > 0
  }

  /// Returns the ids of a page that the sync has certainly met, and those about which the store has to be asked. The others are new.
  func sorted(_ page: [String]) -> (met: Set<String>, unsure: [String]) {
    var (met, unsure): (Set<String>, [String]) = ([], [])
    for id in page {
      var mayBeKnown = true
      Self.eachBit(of: id) { word, bit in mayBeKnown = mayBeKnown && filter[word] & bit != 0 }
      if mayBeKnown, filling.contains(id) || storing.contains(id) {
        met.insert(id)
      } else if mayBeKnown || isResumed {
        unsure.append(id)
      }
    }
    return (met, unsure)
  }

  mutating func note(_ page: [String]) {
    for id in page { Self.eachBit(of: id) { word, bit in filter[word] |= bit } }
    filling += page
  }

  /// Notes that the batch is on its way, and that the one before it is stored.
  mutating func turn() {
    swap(&filling, &storing)
    filling.removeAll(keepingCapacity: true)
  }

  private static func eachBit(of id: String, _ body: (Int, UInt64) -> Void) {
    // The fingerprint's low bits alone are too regular for numbers.
    var bits = Fingerprint.of(id)
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    let step = bits >> 32 | 1
    for probe in 0..<4 as Range<UInt64> {
      let bit = (bits &+ probe &* step) & 0x1FF_FFFF
      body(Int(bit >> 6), 1 << (bit & 63))
    }
  }
}
