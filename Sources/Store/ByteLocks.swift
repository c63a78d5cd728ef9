import CSQLite
import Platform

/// Locks of single bytes in the file beside a store. The system takes them back from a process that dies.
final class ByteLocks: Sendable {
  private let file: CInt

  /// Nil where no such file can be made: nothing can be written either then, and SQLite says why.
  init?(beside path: String) {
    file = open("\(path)-turn", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { return nil }
  }

  deinit { close(file) }

  /// Whether the byte at `place` is this one's now; nil on a disk that has no locks.
  func lock(_ place: Int64) -> Bool? {
    if csqlite_lock(file, place, true) { return true }
    return errno == EAGAIN || errno == EACCES || errno == EINTR ? false : nil
  }

  /// Closing is not enough while a program that was just started has a copy of the descriptor.
  func unlock(_ place: Int64) { _ = csqlite_lock(file, place, false) }
}
