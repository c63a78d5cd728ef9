import AggregatorCore
import Synchronization

/// The parts of syncs that holders in this process have claimed, each by a locked byte.
final class Claims: Sendable {
  private struct Part: Equatable {
    let kind: String
    let claim: Claim

    /// The byte to lock, which lies after those that ``WriteLock`` locks.
    var offset: Int64 {
      var print = Fingerprint()
      print.combine(claim.part == Claim.everything ? kind : "\(kind) \(claim.part)")
      return 16 + Int64(print.value >> 33)
    }
  }

  private let path: String
  private let held = Mutex<[(part: Part, locks: ByteLocks)]>([])

  init(beside path: String) { self.path = path }

  /// Claims a part. Returns false if another holder has it.
  func take(_ claim: Claim, of kind: String) -> Bool {
    let part = Part(kind: kind, claim: claim)
    guard let locks = ByteLocks(beside: path) else { return true }
    if locks.lock(part.offset) == false { return false }
    held.withLock { $0.append((part, locks)) }
    return true
  }

  /// True when a holder has the whole sync of these records, in this process or in another one.
  func isTaken(_ kind: String) -> Bool {
    ByteLocks(toReadBeside: path)?.isLocked(Part(kind: kind, claim: Claim()).offset) ?? false
  }

  func release(_ claim: Claim, of kind: String) {
    let part = Part(kind: kind, claim: claim)
    let locks = held.withLock { held in held.firstIndex { $0.part == part }.map { held.remove(at: $0).locks } }
    locks?.unlock(part.offset)
  }
}
