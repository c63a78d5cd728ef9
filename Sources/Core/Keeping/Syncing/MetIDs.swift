import Synchronization

/// The ids that a sync has met, for its walk. The store is asked for those that a filter is unsure of.
final class IDsOfSync<Item: SourceItem>: Seen {
  private let archive: Archive<Item>
  private let ids: Mutex<MetIDs>
  private let sync: Int
  /// Returns the digest of a record's state; nil if its content tells it apart.
  private let digest: (@Sendable (Item) -> UInt64)?

  init(_ state: SyncState, in archive: Archive<Item>, by digest: (@Sendable (Item) -> UInt64)?) {
    (self.archive, sync, self.digest) = (archive, state.number, digest)
    ids = Mutex(MetIDs(of: state))
  }

  func met(_ page: [String]) async throws -> Set<String> {
    let ids = ids.withLock { $0.sorted(page) }
    return ids.unsure.isEmpty ? ids.met : ids.met.union(try await archive.store.met(ids.unsure, of: archive.kind, sync: sync))
  }

  func note(_ page: [String]) { ids.withLock { $0.note(page) } }

  func contents(of ids: Set<String>) async throws -> [String: UInt64] { try await archive.contents(of: ids, by: digest) }

  /// Notes that the batch is on its way, and that the one before it is stored.
  func turn() { ids.withLock { $0.turn() } }
}

/// The ids that a sync has met, in limited memory. It knows which ids are certainly new; the store knows the others.
struct MetIDs: Sendable {
  /// True when an earlier run has stored a part of the sync, of which the filter knows nothing.
  private let isResumed: Bool
  /// A filter of 512 kB, and one of 4 MB for the ids after the first 131,072. With a million ids in the second, they take one new id in some
  /// ten thousands for a known one.
  private var filters = [BloomFilter(bits: 1 << 22)]
  /// The ids that may not be stored yet: those of the batch being filled, and those of the batch being stored.
  private var (filling, storing): ([String], [String]) = ([], [])

  init(of state: SyncState) {
    isResumed = state.counts.received > 0
  }

  /// Returns the ids of a page that the sync has certainly met, and those about which the store has to be asked. The others are new.
  func sorted(_ page: [String]) -> (met: Set<String>, unsure: [String]) {
    var (met, unsure): (Set<String>, [String]) = ([], [])
    for id in page {
      let mark = BloomFilter.Mark(id)
      let mayBeKnown = filters.contains { $0.mayHave(mark) }
      if mayBeKnown, filling.contains(id) || storing.contains(id) {
        met.insert(id)
      } else if mayBeKnown || isResumed {
        unsure.append(id)
      }
    }
    return (met, unsure)
  }

  mutating func note(_ page: [String]) {
    if filters.count == 1, filters[0].isFull { filters.append(BloomFilter(bits: 1 << 25)) }
    for id in page { filters[filters.count - 1].add(BloomFilter.Mark(id)) }
    filling += page
  }

  /// Notes that the batch is on its way, and that the one before it is stored.
  mutating func turn() {
    swap(&filling, &storing)
    filling.removeAll(keepingCapacity: true)
  }
}

/// A set of ids that never misses one that is in it, and seldom takes another for one of them.
private struct BloomFilter: Sendable {
  private var words: [UInt64]
  private var count = 0

  /// An empty filter; the number of bits is a power of two.
  init(bits: Int) { words = Array(repeating: 0, count: bits / 64) }

  /// True when it has one id for 32 of its bits; further ones make it wrong more often.
  var isFull: Bool { count >= words.count * 2 }

  /// The bits of an id, in a filter of any size.
  struct Mark {
    fileprivate let block, bits: UInt64

    init(_ id: String) {
      // The fingerprint's low bits alone are too regular for numbers.
      var bits = Fingerprint.of(id)
      bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
      bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
      (block, self.bits) = (bits ^ (bits >> 31), bits &* 0x9E37_79B9_7F4A_7C15)
    }
  }

  /// The bits of one id lie in one block, which is a line of the processor's cache.
  private static let wordsInBlock = 8
  private static let probes = 0..<6

  private func block(of mark: Mark) -> Int {
    Int(mark.block & UInt64(words.count / Self.wordsInBlock - 1)) * Self.wordsInBlock
  }

  func mayHave(_ mark: Mark) -> Bool {
    let block = block(of: mark)
    var rest = mark.bits
    for _ in Self.probes {
      if words[block + Int(rest >> 6 & 7)] & (1 << (rest & 63)) == 0 { return false }
      rest >>= 9
    }
    return true
  }

  mutating func add(_ mark: Mark) {
    count += 1
    let block = block(of: mark)
    var rest = mark.bits
    for _ in Self.probes {
      words[block + Int(rest >> 6 & 7)] |= 1 << (rest & 63)
      rest >>= 9
    }
  }
}
