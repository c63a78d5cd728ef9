import AggregatorCore
import CSQLite
import Platform

/// A process's turn to write, in a file beside the store.
///
/// SQLite's own waiting is a poll, so a process that writes one batch after the other would keep all others out for as long as it
/// goes on. Here a writer that waits holds the gate, and one that has just written must pass the gate again: none is overtaken
/// by the same one twice. The system takes both locks back from a process that dies.
final class Turn {
  private let file: CInt

  /// Waits for the turn. Nil when it does not come; SQLite then has the last word.
  static func take(beside path: String, _ wait: inout LockWait) throws -> Turn? {
    let file = open("\(path)-turn", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    // Where no such file can be made, nothing can be written either, and SQLite says why.
    guard file >= 0 else { return nil }
    let turn = Turn(file: file)
    guard try turn.lock(gate, &wait) else { return nil }
    defer { turn.unlock(gate) }
    return try turn.lock(desk, &wait) ? turn : nil
  }

  private init(file: CInt) { self.file = file }

  deinit { close(file) }

  private func unlock(_ place: Int64) { _ = csqlite_lock(file, place, false) }

  /// A byte of the file each.
  private static let (gate, desk): (Int64, Int64) = (0, 1)

  private func lock(_ place: Int64, _ wait: inout LockWait) throws -> Bool {
    while !csqlite_lock(file, place, true) {
      // Locks are not to be had on every disk; then it goes without.
      guard errno == EAGAIN || errno == EACCES || errno == EINTR, try wait.goesOn() else { return false }
    }
    return true
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
