internal import AggregatorCore
internal import CSQLite
internal import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Who may do what only one may do: a byte for each name, locked in the file beside the store, or a name in memory.
///
/// The system takes the lock back from a process that dies.
final class Claims: Sendable {
  private let held = Mutex<Set<String>>([])

  /// Nil where somebody has the claim already.
  func claim(_ name: String, beside path: String?) -> Claim? {
    guard let path else { return claim(name) }
    let file = open("\(path)-turn", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    // Where no such file can be made nothing can be written either, and SQLite says why; on some disks there are no locks.
    guard file >= 0 else { return Claim {} }
    guard csqlite_lock(file, Self.place(of: name), true) || (errno != EAGAIN && errno != EACCES) else {
      close(file)
      return nil
    }
    return Claim { close(file) }
  }

  private func claim(_ name: String) -> Claim? {
    guard held.withLock({ $0.insert(name).inserted }) else { return nil }
    return Claim { [self] in _ = held.withLock { $0.remove(name) } }
  }

  /// Behind the bytes that ``Turn`` locks.
  private static func place(of name: String) -> Int64 {
    var print = Fingerprint()
    print.combine(name)
    return 16 + Int64(print.value >> 33)
  }
}
