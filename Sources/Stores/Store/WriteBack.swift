import Platform
import Synchronization

/// Writes a long log back into the file of its database, on a thread of its own.
///
/// SQLite would do that in the commit that makes the log too long, and the batch would wait until some tens of megabytes are written. Here
/// the next batches are stored meanwhile. The writer then writes back what these added, which is little, and begins the log anew.
final class WriteBack: Sendable {
  private enum State { case idle, running, finished }

  private let file: DatabaseFile
  private let state = Mutex(State.idle)
  /// Locked while the log is written back: SQLite refuses to do it twice at a time.
  private let turn = Mutex(())

  init(of file: DatabaseFile) { self.file = file }

  /// True from the beginning of writing back until the other thread has ended it.
  var isRunning: Bool { state.withLock { $0 == .running } }

  /// Begins to write back a log that has become long, or ends what was begun. The writer calls it after each commit, with the identity of
  /// its file.
  func tend(_ connection: Connection, to identity: [UInt64]?) {
    let isLong = connection.hasLongLog
    let last = state.withLock { state in
      let last = state
      switch state {
      case .idle: if isLong { state = .running }
      case .running: break
      case .finished: state = .idle
      }
      return last
    }
    switch last {
    case .idle:
      guard isLong, !begin(identity) else { return }
      state.withLock { $0 = .idle }
      connection.writeLogBack()
    case .running: break
    case .finished: connection.writeLogBack()
    }
  }

  /// Runs `body` while nothing is written back on the other thread.
  func waiting<Result>(_ body: () throws -> Result) rethrows -> Result { try turn.withLock { _ in try body() } }

  private func begin(_ identity: [UInt64]?) -> Bool {
    SystemThread.start { [self] in
      turn.withLock { _ in
        // Another file that took the place of this one must not get its log.
        guard file.identity == identity, let connection = try? Connection(file.path, .writing) else { return }
        connection.leaveUntouched()
        if file.identity == identity { connection.writeLogBack() }
      }
      state.withLock { $0 = .finished }
    }
  }
}
