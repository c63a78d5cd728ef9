import Platform

/// Where the time comes from, so that a test can bring its own: nothing else reads a clock of the system.
public protocol Timekeeper: Sendable {
  /// The moment that this clock shows.
  var now: Moment { get }

  /// Returns once `moment` has come; throws `CancellationError` when the task is cancelled first.
  func sleep(until moment: Moment) async throws

  /// Whether a sleep moves the time and returns at once, as a test's clock may: a race against it would be lost before it began.
  var leaps: Bool { get }
}

extension Timekeeper {
  public var leaps: Bool { false }
  /// Returns once that much time has passed on this clock.
  public func sleep(for wait: Duration) async throws { try await sleep(until: now + wait) }
}

/// The system's clock: reads the date once, then counts on the monotonic clock, so that a date set meanwhile moves no deadline.
public struct SystemTime: Timekeeper {
  private let start: Moment
  private let origin: ContinuousClock.Instant

  /// The system's clocks, read once against each other now.
  public init() {
    var closest: (time: timespec, origin: ContinuousClock.Instant, distance: Duration)?
    // Where something else ran between the two clocks, this process would be ahead of all others, whose budgets it shares.
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

  /// The date, moved on by the monotonic clock.
  public var now: Moment { start + origin.duration(to: .now) }

  public func sleep(until moment: Moment) async throws {
    try await ContinuousClock().sleep(until: origin + (moment - start))
  }
}
