import AggregatorCore
import Platform

/// The lock of a process that writes, in a file beside the store.
///
/// SQLite waits by polling, so a process that writes one batch after another would keep all
/// others out until it ends. Here a waiting writer holds the lock of the queue, and a writer
/// that has just written must take that lock again: no writer overtakes another one twice.
struct WriteLock {
  private let locks: ByteLocks

  /// Waits for the turn. Returns nil if it does not come; then SQLite's own lock decides.
  static func take(beside path: String, _ wait: inout LockWait) throws -> WriteLock? {
    guard let locks = ByteLocks(beside: path), try locks.lock(queue, &wait) else { return nil }
    defer { locks.unlock(queue) }
    return try locks.lock(writing, &wait) ? WriteLock(locks: locks) : nil
  }

  /// Bytes of the file, one for each lock.
  private static let (queue, writing): (Int64, Int64) = (0, 1)
}

extension ByteLocks {
  fileprivate func lock(_ offset: Int64, _ wait: inout LockWait) throws -> Bool {
    while let isLocked = lock(offset) {
      if isLocked { return true }
      guard try wait.goesOn() else { return false }
    }
    // Some disks have no locks; then writers take no turns.
    return false
  }
}

/// A wait for a lock of another process, while patience and time last. It blocks a
/// thread, so it checks by itself whether its task is cancelled.
struct LockWait {
  private let end: ContinuousClock.Instant
  private var pause: UInt32 = 100

  init(_ patience: Duration) { end = .now + patience }

  /// Waits a little longer. Returns false when it has waited long enough. Throws if its task was cancelled.
  mutating func goesOn() throws -> Bool {
    do { try Deadline.check() } catch is SourceError { return false }
    guard ContinuousClock.now < end else { return false }
    usleep(pause)
    pause = min(pause * 2, 5_000)
    return true
  }
}
