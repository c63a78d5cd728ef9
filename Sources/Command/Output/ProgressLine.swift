import AggregatorCore
import Synchronization

/// How far some work is, for the one line that says it.
protocol Gauge: Sendable {
  var start: Moment { get }
  /// What is said at `now`; nil while it is too early to say anything.
  func line(at now: Moment) -> String?
}

/// Keeps the progress of some work on the terminal's last line while the work goes on.
final class ProgressLine<Work: Gauge>: Sendable {
  private struct State {
    var progress: Work
    var isOver = false
  }

  private let state: Mutex<State>
  private let clock: any Timekeeper
  private let show: @Sendable (String) -> Void

  init(_ progress: Work, clock: any Timekeeper, show: @escaping @Sendable (String) -> Void) {
    state = Mutex(State(progress: progress))
    self.clock = clock
    self.show = show
  }

  /// Takes note of what happened.
  func change(_ body: @Sendable (inout Work) -> Void) { state.withLock { body(&$0.progress) } }

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
    var next = state.withLock { $0.progress.start } + progressPatience
    while true {
      try await clock.sleep(until: next)
      state.withLock { state in
        if !state.isOver, let line = state.progress.line(at: clock.now) { show(Printable.clean(line)) }
      }
      next = clock.now + .milliseconds(250)
    }
  }
}

extension ProgressLine<Progress> {
  func note(_ event: Event) { change { [clock] in $0.note(event, at: clock.now) } }
}
