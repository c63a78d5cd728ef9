import Platform
import Synchronization

/// The one thread that waits for the sockets of all connections, so that no task blocks a thread of the pool.
final class PollLoop: Sendable {
  static let shared = PollLoop()

  enum Outcome: Sendable {
    case ready, late, cancelled
  }

  private struct Waiter {
    let file: CInt
    let events: CInt
    let end: ContinuousClock.Instant
    let continuation: CheckedContinuation<Outcome, Never>
  }

  private struct State {
    var waiters: [Int: Waiter] = [:]
    var numbers = 0
    var bell: Pipe?
  }

  private let state = Mutex(State())

  /// Waits until `file` is ready for one of `events`, until `end`, or until the task is cancelled.
  func wait(for file: CInt, _ events: CInt, until end: ContinuousClock.Instant) async -> Outcome {
    let number = state.withLock { state in
      state.numbers += 1
      return state.numbers
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard start() else { return continuation.resume(returning: .cancelled) }
        let bell = state.withLock { state in
          state.waiters[number] = Waiter(file: file, events: events, end: end, continuation: continuation)
          return state.bell
        }
        // A cancellation before this point found no waiter to end.
        if Task.isCancelled { finish(number, .cancelled) }
        if let bell { _ = Pipe.send(to: bell.writing) }
      }
    } onCancel: {
      finish(number, .cancelled)
    }
  }

  private func finish(_ number: Int, _ outcome: Outcome) {
    state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume(returning: outcome)
  }

  /// Starts the thread, once. Returns false if the system gives no thread or pipe.
  private func start() -> Bool {
    state.withLock { state in
      if state.bell != nil { return true }
      guard let bell = Pipe() else { return false }
      _ = fcntl(bell.reading, F_SETFL, O_NONBLOCK)
      _ = fcntl(bell.writing, F_SETFL, O_NONBLOCK)
      guard SystemThread.start({ self.run(bell) }) else { return false }
      state.bell = bell
      return true
    }
  }

  private func run(_ bell: Pipe) {
    while true {
      let waiters = Array(state.withLock { $0.waiters })
      let now = ContinuousClock.now
      let pause =
        waiters.map { ($0.value.end - now) / .milliseconds(1) }.min().map { CInt(max(0, min($0.rounded(.up), 60_000))) } ?? -1
      let files = [(file: bell.reading, event: CInt(POLLIN))] + waiters.map { (file: $0.value.file, event: $0.value.events) }
      guard let ready = Descriptor.ready(files, within: pause) else { continue }
      if ready[0] { drain(bell) }
      let later = ContinuousClock.now
      for (index, waiter) in waiters.enumerated() {
        if ready[index + 1] {
          finish(waiter.key, .ready)
        } else if waiter.value.end <= later {
          finish(waiter.key, .late)
        }
      }
    }
  }

  private func drain(_ bell: Pipe) {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      while read(bell.reading, buffer.baseAddress, 64) > 0 {}
    }
  }
}
