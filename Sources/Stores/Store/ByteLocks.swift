import CSQLite
import Platform

/// Locks of single bytes in a file beside a store. The system releases the locks of a process that dies.
final class ByteLocks: Sendable {
  private let file: CInt

  /// Opens the file. Nil if it cannot be made; then nothing can be written either, and SQLite says why.
  init?(beside path: String) {
    file = open("\(path)-turn", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { return nil }
  }

  /// Opens the file only to look at the locks. Nil if it is not there; then nothing was ever locked.
  init?(toReadBeside path: String) {
    file = open("\(path)-turn", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
  }

  deinit { close(file) }

  /// Locks the byte at `offset`. Returns false if another process has it, and nil on a disk without locks.
  func lock(_ offset: Int64) -> Bool? {
    if csqlite_lock(file, offset, true) { return true }
    return errno == EAGAIN || errno == EACCES || errno == EINTR ? false : nil
  }

  /// True when somebody has locked the byte at `offset`.
  func isLocked(_ offset: Int64) -> Bool { csqlite_is_locked(file, offset) }

  /// Unlocks the byte. Closing the file is not enough while a program that was just started has a copy of the descriptor.
  func unlock(_ offset: Int64) { _ = csqlite_lock(file, offset, false) }
}
