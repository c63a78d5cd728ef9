public import AggregatorCore

/// A clock that stands still until a test, or a recording, moves it.
///
/// ```swift
/// let clock = TestClock()
/// async let page = source.retrying(clock: clock).page(PageRequest())
/// try await clock.sleepers(atLeast: 1)
/// clock.advance(by: .seconds(1))
/// ```
///
/// A ``leaping`` clock moves itself: each sleep returns at once, having moved the time to its end. It suits whatever
/// sleeps in one place at a time; a race against a deadline wants a clock that stands still.
public final class TestClock: Timekeeper {
  private struct ClockState: Sendable {
    var now: Moment
    var sleepers = 0
    var waits: [Duration] = []
  }

  /// When clocks start unless told: a Tuesday in November 2023.
  public static let start = Moment(secondsSinceEpoch: 1_700_000_000)

  private let hands: Watched<ClockState>
  public let leaps: Bool

  /// A clock that stands at `start`, and moves itself if it `leaps`.
  public init(at start: Moment = TestClock.start, leaps: Bool = false) {
    hands = Watched(ClockState(now: start))
    self.leaps = leaps
  }

  /// A clock that never waits: a sleep moves the time and returns at once.
  public static var leaping: TestClock { TestClock(leaps: true) }

  public var now: Moment { hands.state.now }

  /// How long each sleep was to last, in the order in which they began.
  public var waits: [Duration] { hands.state.waits }

  public func sleep(until moment: Moment) async throws {
    try Task.checkCancellation()
    let leaps = leaps
    hands.change { hands in
      hands.waits.append(moment - hands.now)
      hands.sleepers += 1
      if leaps { hands.now = max(hands.now, moment) }
    }
    defer { hands.change { $0.sleepers -= 1 } }
    try await hands.wait { $0.now >= moment }
  }

  /// Moves the time and wakes the sleepers that are due.
  public func advance(by span: Duration) {
    hands.change { $0.now = $0.now + span }
  }

  /// Moves the time on to `moment`; it never goes back, so that two replays of one recording see the same times.
  func move(to moment: Moment) {
    hands.change { $0.now = max($0.now, moment) }
  }

  /// Returns once so many tasks sleep on this clock; throws `CancellationError` when the task is cancelled first.
  public func sleepers(atLeast count: Int) async throws {
    try await hands.wait { $0.sleepers >= count }
  }
}
