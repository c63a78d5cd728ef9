import AggregatorCore
import CSQLite
import Platform
import Synchronization

/// The parts of syncs that holders in this process have: a byte for each, locked in the file beside the store.
///
/// The system takes the lock back from a process that dies.
final class Claims: Sendable {
  private struct Part: Hashable {
    let kind: String
    let claim: Claim

    /// Behind the bytes that ``Turn`` locks.
    var place: Int64 {
      var print = Fingerprint()
      print.combine(claim.part == Claim.everything ? kind : "\(kind) \(claim.part)")
      return 16 + Int64(print.value >> 33)
    }
  }

  private let path: String
  /// The files that hold the locks.
  private let files = Mutex<[Part: CInt]>([:])

  init(beside path: String) { self.path = path }

  deinit { for file in files.withLock({ $0.values }) { close(file) } }

  /// False where somebody has it already.
  func take(_ claim: Claim, of kind: String) -> Bool {
    let part = Part(kind: kind, claim: claim)
    let file = open("\(path)-turn", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    // Where no such file can be made nothing can be written either, and SQLite says why; on some disks there are no locks.
    guard file >= 0 else { return true }
    guard csqlite_lock(file, part.place, true) || (errno != EAGAIN && errno != EACCES) else {
      close(file)
      return false
    }
    files.withLock { $0[part] = file }
    return true
  }

  func release(_ claim: Claim, of kind: String) {
    let part = Part(kind: kind, claim: claim)
    guard let file = files.withLock({ $0.removeValue(forKey: part) }) else { return }
    // Closing is not enough while a program that was just started has a copy of the descriptor.
    _ = csqlite_lock(file, part.place, false)
    close(file)
  }
}
