internal import AggregatorCore
internal import CSQLite

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Who may do what only one may do: a byte for each name, locked in the file beside the store.
///
/// The system takes the lock back from a process that dies.
enum Claims {
  /// Nil where somebody has the claim already.
  static func claim(_ name: String, beside path: String) -> Claim? {
    let file = open("\(path)-turn", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    // Where no such file can be made nothing can be written either, and SQLite says why; on some disks there are no locks.
    guard file >= 0 else { return Claim {} }
    guard csqlite_lock(file, place(of: name), true) || (errno != EAGAIN && errno != EACCES) else {
      close(file)
      return nil
    }
    return Claim {
      // Closing is not enough while a program that was just started has a copy of the descriptor.
      _ = csqlite_lock(file, place(of: name), false)
      close(file)
    }
  }

  /// Behind the bytes that ``Turn`` locks.
  private static func place(of name: String) -> Int64 {
    var print = Fingerprint()
    print.combine(name)
    return 16 + Int64(print.value >> 33)
  }
}
