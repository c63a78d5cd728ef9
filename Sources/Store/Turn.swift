import AggregatorCore
import Platform

/// A process's turn to write, in a file beside the store.
///
/// SQLite's own waiting is a poll, so a process that writes one batch after the other would keep all others out for as long as it
/// goes on. Here a writer that waits holds the lock of the queue, and one that has just written must take that again: none is
/// overtaken by the same one twice.
struct Turn {
  private let locks: ByteLocks

  /// Waits for the turn. Nil when it does not come; SQLite then has the last word.
  static func take(beside path: String, _ wait: inout LockWait) throws -> Turn? {
    guard let locks = ByteLocks(beside: path), try locks.lock(queue, &wait) else { return nil }
    defer { locks.unlock(queue) }
    return try locks.lock(writing, &wait) ? Turn(locks: locks) : nil
  }

  /// A byte of the file each.
  private static let (queue, writing): (Int64, Int64) = (0, 1)
}

extension ByteLocks {
  fileprivate func lock(_ place: Int64, _ wait: inout LockWait) throws -> Bool {
    while let isLocked = lock(place) {
      if isLocked { return true }
      guard try wait.goesOn() else { return false }
    }
    // Locks are not to be had on every disk; then it goes without.
    return false
  }
}

/// A wait for what another process has locked: as long as there is patience, and time. It blocks a thread, so it asks for itself whether
/// its task still has to go on.
struct LockWait {
  private let end: ContinuousClock.Instant
  private var pause: UInt32 = 100

  init(_ patience: Duration) { end = .now + patience }

  /// Waits a little longer; false where it has waited long enough. Throws where its task was cancelled.
  mutating func goesOn() throws -> Bool {
    do { try Deadline.check() } catch is SourceError { return false }
    guard ContinuousClock.now < end else { return false }
    usleep(pause)
    pause = min(pause * 2, 5_000)
    return true
  }
}
