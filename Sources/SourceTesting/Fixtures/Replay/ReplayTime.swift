public import AggregatorCore
import Synchronization

/// The time of a recording: each answer that is given moves it to when that answer came, and a sleep is over at once.
///
/// It never goes back, so that two runs over the same recording see the same times. It is no clock to race against: a
/// deadline is looked at between requests.
public final class ReplayTime: Timekeeper {
  private let moment: Mutex<Moment>

  public init(from start: Moment) { moment = Mutex(start) }

  public var now: Moment { moment.withLock { $0 } }
  public var leaps: Bool { true }

  public func sleep(until moment: Moment) async throws {
    try Task.checkCancellation()
    move(to: moment)
  }

  func move(to later: Moment) { moment.withLock { $0 = max($0, later) } }
}
