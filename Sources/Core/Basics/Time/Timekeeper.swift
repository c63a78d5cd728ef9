import Platform

/// A clock, as a parameter so that a test can bring its own: no other code reads a clock of the system.
public protocol Timekeeper: Sendable {
  /// The moment that this clock shows.
  var now: Moment { get }

  /// Returns once `moment` has come; throws `CancellationError` when the task is cancelled first.
  func sleep(until moment: Moment) async throws

  /// True when a sleep moves the time and returns at once, as on a test's clock. Such a clock must not be raced: the sleep always wins.
  var leaps: Bool { get }
}

extension Timekeeper {
  public var leaps: Bool { false }
  /// Returns once `wait` has passed on this clock; throws `CancellationError` when the task is cancelled first.
  public func sleep(for wait: Duration) async throws { try await sleep(until: now + wait) }
}

/// The system's clock: reads the date once, then counts on the monotonic clock, so that a date set meanwhile moves no deadline.
public struct SystemTime: Timekeeper {
  private let start: Moment
  private let origin: ContinuousClock.Instant

  /// Reads the system's date and its monotonic clock together.
  public init() {
    var closest: (time: timespec, origin: ContinuousClock.Instant, distance: Duration)?
    // If other work ran between the two readings, this process would be ahead of the others with which it shares budgets. So the closest
    // pair of ten counts.
    for _ in 0..<10 {
      let origin = ContinuousClock.now
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      let distance = origin.duration(to: .now)
      if closest.map({ distance < $0.distance }) ?? true { closest = (time, origin, distance) }
      if distance < .microseconds(20) { break }
    }
    let (time, origin, _) = closest ?? (timespec(), .now, .zero)
    start = Moment(sinceEpoch: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
    self.origin = origin
  }

  /// The date at the start plus the time on the monotonic clock since then.
  public var now: Moment { start + origin.duration(to: .now) }

  public func sleep(until moment: Moment) async throws {
    try await ContinuousClock().sleep(until: origin + (moment - start))
  }
}
