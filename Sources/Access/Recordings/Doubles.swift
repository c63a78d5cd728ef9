public import AggregatorCore
import Synchronization

/// A clock that stands still until a test or a recording moves it.
///
/// ```swift
/// let clock = TestClock()
/// async let page = source.retrying(clock: clock).page(PageRequest())
/// try await clock.sleepers(atLeast: 1)
/// clock.advance(by: .seconds(1))
/// ```
///
/// A ``leaping`` clock moves itself: each sleep moves the time to its end and returns at once. It suits code that sleeps in one place at a
/// time. A race against a deadline needs a clock that stands still.
public final class TestClock: Timekeeper {
  private struct ClockState: Sendable {
    var now: Moment
    /// The moments at which the present sleeps end.
    var sleepers: [Moment] = []
    var waits: [Duration] = []
  }

  /// The default start of a clock: a Tuesday in November 2023.
  public static let start = Moment(secondsSinceEpoch: 1_700_000_000)

  private let watched: AwaitedState<ClockState>
  public let leaps: Bool

  /// Makes a clock that begins at `start`, and moves itself if it `leaps`.
  public init(at start: Moment = TestClock.start, leaps: Bool = false) {
    watched = AwaitedState(ClockState(now: start))
    self.leaps = leaps
  }

  /// A clock that never waits: a sleep moves the time and returns at once.
  public static var leaping: TestClock { TestClock(leaps: true) }

  /// The current time of the clock. Only a test, a recording or a sleep on a leaping clock changes it.
  public var now: Moment { watched.state.now }

  /// The length of each sleep, in the order in which they began.
  public var waits: [Duration] { watched.state.waits }

  public func sleep(until moment: Moment) async throws {
    try Task.checkCancellation()
    let leaps = leaps
    watched.change { state in
      state.waits.append(moment - state.now)
      state.sleepers.append(moment)
      if leaps { state.now = max(state.now, moment) }
    }
    defer { watched.change { state in state.sleepers.firstIndex(of: moment).map { _ = state.sleepers.remove(at: $0) } } }
    try await watched.wait { $0.now >= moment }
  }

  /// Moves the time forward and wakes the sleepers whose time has come.
  public func advance(by span: Duration) {
    watched.change { $0.now = $0.now + span }
  }

  /// The moment at which the first of the present sleeps ends; nil if nothing sleeps.
  package var firstEnd: Moment? { watched.state.sleepers.min() }

  /// Moves the time forward to `moment`. It never goes back, so that two replays of one recording see the same times.
  package func move(to moment: Moment) {
    watched.change { $0.now = max($0.now, moment) }
  }

  /// Returns when at least `count` tasks sleep on this clock. Throws `CancellationError` if the task is cancelled first.
  public func sleepers(atLeast count: Int) async throws {
    try await watched.wait { $0.sleepers.count >= count }
  }
}

/// Holds tasks at a point until a test lets them continue: hold, act, release.
///
/// ```swift
/// let gate = Gate()
/// let work = Task { try await source.page(request) }   // calls gate.pass() inside
/// try await gate.arrivals(atLeast: 1)
/// work.cancel()
/// gate.open()
/// ```
public final class Gate: Sendable {
  private struct GateState: Sendable {
    var isOpen = false
    var arrivals = 0
  }

  private let watched = AwaitedState(GateState())

  /// Makes a closed gate, where every task waits.
  public init() {}

  /// The number of tasks that have come so far, including those that passed.
  public var arrivals: Int { watched.state.arrivals }

  /// True when tasks pass without waiting.
  package var isOpen: Bool { watched.state.isOpen }

  /// Waits until the gate opens. Throws `CancellationError` if the task is cancelled first.
  public func pass() async throws {
    watched.change { $0.arrivals += 1 }
    try await watched.wait { $0.isOpen }
  }

  /// Returns when at least `count` tasks have come. Throws `CancellationError` if the task is cancelled first.
  public func arrivals(atLeast count: Int) async throws {
    try await watched.wait { $0.arrivals >= count }
  }

  /// Lets every task through, now and later.
  public func open() {
    watched.change { $0.isOpen = true }
  }
}

/// A state that tasks can wait for. A change wakes the tasks whose condition has become true.
final class AwaitedState<State: Sendable>: Sendable {
  private struct Watcher {
    let holds: @Sendable (State) -> Bool
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Watch {
    var state: State
    var watchers: [Int: Watcher] = [:]
    var numbers = 0
  }

  private let watch: Mutex<Watch>

  init(_ state: State) { watch = Mutex(Watch(state: state)) }

  var state: State { watch.withLock { $0.state } }

  func change(_ act: @Sendable (inout State) -> Void) {
    let woken = watch.withLock { watch in
      act(&watch.state)
      let due = watch.watchers.filter { $0.value.holds(watch.state) }
      for number in due.keys { watch.watchers[number] = nil }
      return due.values.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  /// Returns when the condition is true. Throws `CancellationError` if the task is cancelled first.
  func wait(until holds: @escaping @Sendable (State) -> Bool) async throws {
    let number = watch.withLock { watch in
      watch.numbers += 1
      return watch.numbers
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome: Result<Void, any Error>? = watch.withLock { watch in
          // A cancellation is flagged before its handler runs, and the handler takes this lock, so one of the two sees the other.
          if Task.isCancelled { return .failure(CancellationError()) }
          if holds(watch.state) { return .success(()) }
          watch.watchers[number] = Watcher(holds: holds, continuation: continuation)
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      watch.withLock { $0.watchers.removeValue(forKey: number) }?.continuation.resume(throwing: CancellationError())
    }
  }
}

/// Collects the events during a piece of work.
///
/// ```swift
/// let recorder = EventRecorder()
/// let page = try await recorder.listen { try await source.page(PageRequest()) }
/// ```
public final class EventRecorder: Sendable {
  private let log = Mutex<[Event]>([])

  /// Makes a recorder without events.
  public init() {}

  /// The events so far, in order.
  public var events: [Event] { log.withLock { $0 } }

  /// Runs `work`, and collects the events of its task and the tasks below it.
  public func listen<Answer>(to work: () async throws -> Answer) async rethrows -> Answer {
    try await Event.listening({ event in self.log.withLock { $0.append(event) } }, during: work)
  }
}
