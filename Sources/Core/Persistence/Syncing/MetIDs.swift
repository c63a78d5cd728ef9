/// The ids that a sync has met, in constant memory: it says which are certainly new, and the store knows the others.
struct MetIDs: Sendable {
  let number: Int
  /// Whether an earlier run has stored a part of it, of which the filter knows nothing.
  private let isResumed: Bool
  /// A Bloom filter of 4 MB: of a million ids it takes one in some thousands for known.
  private var filter = [UInt64](repeating: 0, count: 1 << 19)
  /// Those that may not be stored yet: of the batch that is filled, and of the one that is being stored.
  private var (filling, storing): ([String], [String]) = ([], [])

  init(of state: SyncState) {
    number = state.number
    isResumed = state.received > 0
  }

  /// Those of a page that it has certainly met, and those for which the store has to be asked.
  func sorted(_ page: [String]) -> (met: Set<String>, unsure: [String]) {
    var (met, unsure): (Set<String>, [String]) = ([], [])
    for id in page {
      var mayBeKnown = true
      Self.eachPlace(of: id) { word, bit in mayBeKnown = mayBeKnown && filter[word] & bit != 0 }
      if mayBeKnown, filling.contains(id) || storing.contains(id) {
        met.insert(id)
      } else if mayBeKnown || isResumed {
        unsure.append(id)
      }
    }
    return (met, unsure)
  }

  mutating func note(_ page: [String]) {
    for id in page { Self.eachPlace(of: id) { word, bit in filter[word] |= bit } }
    filling += page
  }

  /// The batch is on its way, and the one before it is stored.
  mutating func turn() {
    swap(&filling, &storing)
    filling.removeAll(keepingCapacity: true)
  }

  private static func eachPlace(of id: String, _ body: (Int, UInt64) -> Void) {
    // The fingerprint's low bits alone are too regular for numbers.
    var bits = Fingerprint.of(id)
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    let step = bits >> 32 | 1
    for probe in 0..<4 as Range<UInt64> {
      let place = (bits &+ probe &* step) & 0x1FF_FFFF
      body(Int(place >> 6), 1 << (place & 63))
    }
  }
}
