import AggregatorCore
import Synchronization

/// Keeps the progress of some work on the terminal's last line while the work goes on.
final class ProgressLine: Sendable {
  private struct State {
    var progress: Progress
    var isOver = false
  }

  private let state: Mutex<State>
  private let clock: any Timekeeper
  private let show: @Sendable (String) -> Void

  init(_ progress: Progress, clock: any Timekeeper, show: @escaping @Sendable (String) -> Void) {
    state = Mutex(State(progress: progress))
    self.clock = clock
    self.show = show
  }

  func note(_ event: Event) { state.withLock { $0.progress.note(event) } }

  /// Runs `work`, showing how far it is from half a second on; when it returns, the line is gone.
  func during<Result>(_ work: () async throws -> Result) async throws -> Result {
    let ticks = Task { try await tick() }
    defer {
      ticks.cancel()
      state.withLock {
        $0.isOver = true
        show("")
      }
    }
    return try await work()
  }

  private func tick() async throws {
    var next = state.withLock { $0.progress.start } + Progress.patience
    while true {
      try await clock.sleep(until: next)
      state.withLock { state in
        if !state.isOver, let line = state.progress.line(at: clock.now) { show(Printable.clean(line)) }
      }
      next = clock.now + .milliseconds(250)
    }
  }
}
