import AggregatorCore
import Asking
import Synchronization

/// Tells a client how many rows have come, as long as its request has no answer. The number rises each time.
final class ProgressTeller: Sendable {
  private let token: Value
  private let clock: any Timekeeper
  private let notify: @Sendable (Value) -> Void
  private let state: Mutex<State>

  private struct State {
    var progress: AskProgress
    var told = 0
    var isOver = false
  }

  init(_ token: Value, by clock: any Timekeeper, _ notify: @escaping @Sendable (Value) -> Void) {
    (self.token, self.clock, self.notify) = (token, clock, notify)
    state = Mutex(State(progress: AskProgress(at: clock.now)))
  }

  func note(_ event: Event) {
    let now = clock.now
    tell { progress in progress.note(event, at: now) }
  }

  func note(_ progress: AskProgress) { tell { $0 = progress } }

  /// Nothing is told afterwards.
  func end() { state.withLock { $0.isOver = true } }

  private func tell(_ change: (inout AskProgress) -> Void) {
    state.withLock { state in
      change(&state.progress)
      let progress = state.progress
      guard !state.isOver, progress.rows > state.told else { return }
      state.told = progress.rows
      let requests = progress.requests > 0 ? ", \(plural(progress.requests, "request"))" : ""
      // Sent under the lock, so that no smaller number overtakes it.
      notify([
        "jsonrpc": "2.0", "method": "notifications/progress",
        "params": .object(leavingOutNil: [
          "progressToken": token, "progress": .int(progress.rows), "total": progress.total.map { .int($0) },
          "message": .text(plural(progress.rows, "row") + requests),
        ]),
      ])
    }
  }
}
