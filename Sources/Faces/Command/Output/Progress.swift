import AggregatorCore
import Asking
import Synchronization

/// Keeps the progress of some work on the terminal's last line while the work runs.
package final class ProgressLine: Sendable {
  /// The text of the line after some time; nil for no line.
  package typealias Words = @Sendable (_ elapsed: Duration) -> String?

  private struct State {
    var words: Words
    var isOver = false
  }

  private let state: Mutex<State>
  private let clock: any Timekeeper
  private let print: (@Sendable (String) -> Void)?

  /// Without `print` the line is never shown.
  init(clock: any Timekeeper, print: (@Sendable (String) -> Void)?, _ words: @escaping Words) {
    state = Mutex(State(words: words))
    (self.clock, self.print) = (clock, print)
  }

  package convenience init(_ invocation: Invocation, _ words: @escaping Words) {
    let console = invocation.program.console
    let print: @Sendable (String) -> Void = { console.show(status: $0) }
    self.init(clock: invocation.program.clock, print: invocation.isProgressSeen ? print : nil, words)
  }

  func show(_ words: @escaping Words) { state.withLock { $0.words = words } }

  /// Runs `work` and shows its progress from half a second on. When it returns, the line is gone.
  package func during<Result>(_ work: () async throws -> Result) async throws -> Result {
    guard let print else { return try await work() }
    let ticks = Task { [start = clock.now] in try await tick(since: start, print) }
    defer {
      ticks.cancel()
      state.withLock {
        $0.isOver = true
        print("")
      }
    }
    return try await work()
  }

  private func tick(since start: Moment, _ print: @Sendable (String) -> Void) async throws {
    var next = start + .milliseconds(500)
    while true {
      try await clock.sleep(until: next)
      state.withLock { state in
        if !state.isOver, let line = state.words(clock.now - start) { print(Printable.clean(line)) }
      }
      next = clock.now + .milliseconds(250)
    }
  }
}

/// Returns how long `rest` will take at the pace so far, such as `3 min 1 s left`; nil if no pace is known or nothing is left.
func timeLeft(for rest: Int, after elapsed: Duration, for done: Int) -> String? {
  guard rest > 0, done > 0 else { return nil }
  return "\(Duration.seconds(clamping: elapsed.inSeconds * Double(rest) / Double(done)).inWords) left"
}

/// The progress of a walk as one line.
struct Progress: Sendable {
  let source: String
  /// The number of records that are enough; nil if that is not known beforehand.
  let limit: Int?
  private var counted: AskProgress

  /// The beginning of the walk.
  var start: Moment { counted.waiting.since }

  init(source: String, limit: Int?, already: Int = 0, start: Moment) {
    (self.source, self.limit, counted) = (source, limit, AskProgress(after: already, at: start))
  }

  mutating func note(_ event: Event, at now: Moment) { counted.note(event, at: now) }

  /// The line: `heroes: 3400 of 151969, 820/s, 3 min 1 s left`.
  func line(at now: Moment) -> String {
    let (elapsed, wait, rows, already) = (now - start, counted.waiting, counted.rows, counted.earlier)
    // A line has one time: what is left of a wait, else the time taken.
    if let end = wait.until, let reason = wait.reason {
      let count = rows > already ? "\(rows)\(goal.map { " of \($0)" } ?? ""), " : ""
      return "\(source): \(count)waiting \(max(.zero, end - now).inWords): \(reason)"
    }
    guard rows > already else {
      return "\(source): \(wait.host.map { "asking \($0)" } ?? "working"), \(elapsed.inWords)"
    }
    var parts = [goal.map { "\(rows) of \($0)" } ?? "\(rows)"]
    let rate = Double(rows - already) / elapsed.inSeconds
    parts.append(rate < 10 ? "\(Double(Int(rate * 10)) / 10)/s" : "\(Int(rate))/s")
    if let goal, let left = timeLeft(for: goal - rows, after: elapsed, for: rows - already) { parts.append(left) }
    return "\(source): " + parts.joined(separator: ", ")
  }

  /// The expected number of rows. If more was read than was asked for, the walk chooses from it, and only the total counts.
  private var goal: Int? { [limit.flatMap { $0 >= counted.rows ? $0 : nil }, counted.total].compactMap { $0 }.min() }
}
