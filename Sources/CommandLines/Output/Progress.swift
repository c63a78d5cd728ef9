import AggregatorCore
import Synchronization

/// Keeps the progress of some work on the terminal's last line while the work goes on.
package final class ProgressLine: Sendable {
  /// What is said some time after the beginning; nil where there is nothing to say.
  package typealias Words = @Sendable (_ elapsed: Duration) -> String?

  private struct State {
    var words: Words
    var isOver = false
  }

  private let state: Mutex<State>
  private let clock: any Timekeeper
  private let print: (@Sendable (String) -> Void)?

  /// Without `print` nobody sees it.
  init(clock: any Timekeeper, print: (@Sendable (String) -> Void)?, _ words: @escaping Words) {
    state = Mutex(State(words: words))
    (self.clock, self.print) = (clock, print)
  }

  package convenience init(_ invocation: Invocation, _ words: @escaping Words) {
    let console = invocation.program.console
    let print: @Sendable (String) -> Void = { console.show(status: $0) }
    self.init(clock: invocation.program.clock, print: invocation.isProgressSeen ? print : nil, words)
  }

  package func show(_ words: @escaping Words) { state.withLock { $0.words = words } }

  /// Runs `work`, showing how far it is from half a second on; when it returns, the line is gone.
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

/// How long `rest` will take at the pace of `done` after so much time: `3 min 1 s left`; nil where nobody knows, or nothing is left.
package func timeLeft(for rest: Int, after elapsed: Duration, for done: Int) -> String? {
  guard rest > 0, done > 0 else { return nil }
  return "\(Duration.seconds(clamping: elapsed.inSeconds * Double(rest) / Double(done)).inWords) left"
}

/// How far a walk is: counted from what happens, and said in one line.
struct Progress: Sendable {
  let source: String
  /// How many records are enough, when that is known beforehand.
  let limit: Int?
  private let already: Int
  private var rows: Int
  private var total: Int?
  private var wait: Waiting

  /// When it began.
  var start: Moment { wait.since }

  init(source: String, limit: Int?, already: Int = 0, start: Moment) {
    self.source = source
    self.limit = limit
    wait = Waiting(since: start)
    self.already = already
    rows = already
  }

  mutating func note(_ event: Event, at now: Moment) {
    wait = wait.hearing(event, at: now)
    guard case .pageRead(_, let rows, let total, _) = event else { return }
    self.rows += rows
    // What is announced may be anything: less than nothing is nothing that was announced.
    self.total = total.flatMap { $0 >= 0 ? $0 : nil } ?? self.total
  }

  /// `heroes: 3400 of 151969, 820/s, 3 min 1 s left`.
  func line(at now: Moment) -> String {
    let elapsed = now - start
    // One time in one line: how long is left of a wait, else how long it has taken.
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

  /// How many there will be. Where more is read than was asked for, the walk picks from it, and only the total counts.
  private var goal: Int? { [limit.flatMap { $0 >= rows ? $0 : nil }, total].compactMap { $0 }.min() }
}
