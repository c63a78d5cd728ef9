import AggregatorCore
import CScheduler
import Synchronization

/// Runs all tasks of a history on one thread, and draws the next one from a seed.
///
/// Swift's pool of threads gets no job: each one comes here. So a history is the same for the same seed, whatever the machine does. Nothing
/// may wait on another thread, and nothing may yield, because the pool alone knows how.
enum Scheduler {
  private struct Queue {
    var jobs: [UInt] = []
    var paused: [UnsafeContinuation<Void, Never>] = []
    var dice = SeededDice(seed: 0)
  }

  private static let queue = Mutex(Queue())

  /// Takes the place of the pool. Call it once, before the first task.
  static func begin() {
    cscheduler_take_jobs { job in Scheduler.queue.withLock { $0.jobs.append(job) } }
  }

  /// Lets other tasks run first, as many as the seed says.
  static func pause() async {
    await withUnsafeContinuation { task in queue.withLock { $0.paused.append(task) } }
  }

  /// Runs one of the jobs that can run; false if none can.
  private static func runOne() -> Bool {
    let (job, task): (UInt?, UnsafeContinuation<Void, Never>?) = queue.withLock { queue in
      let count = queue.jobs.count + queue.paused.count
      guard count > 0 else { return (nil, nil) }
      let index = count == 1 ? 0 : queue.dice.index(below: count)
      if index < queue.jobs.count {
        queue.jobs.swapAt(index, queue.jobs.count - 1)
        return (queue.jobs.removeLast(), nil)
      }
      queue.paused.swapAt(index - queue.jobs.count, queue.paused.count - 1)
      return (nil, queue.paused.removeLast())
    }
    if let job { cscheduler_run(job) }
    task?.resume()
    return job != nil || task != nil
  }

  /// Runs `work` and every task below it to its end. While no task can run, the clock leaps to the next moment for which one waits.
  static func run<Answer: Sendable>(
    _ dice: SeededDice, _ clock: SimulatedClock, _ work: @escaping @Sendable () async throws -> Answer
  ) throws -> Answer {
    queue.withLock { $0.dice = dice }
    let result = Mutex<Result<Answer, any Error>?>(nil)
    Task.detached {
      let answer = await Result { try await work() }
      result.withLock { $0 = answer }
    }
    while true {
      while runOne() {}
      if let result = result.withLock({ $0 }) { return try result.get() }
      guard clock.wakeNext() else { throw Wrong("every task waits, and nothing can wake one") }
    }
  }
}

/// The time of a history. It passes only while every task waits.
final class SimulatedClock: Timekeeper {
  private struct Sleeper {
    let number: Int
    let moment: Moment
    let continuation: UnsafeContinuation<Void, any Error>
  }

  private struct Content {
    var now = Moment(secondsSinceEpoch: 1_790_000_000)
    var sleepers: [Sleeper] = []
    var numbers = 0
  }

  private let content = Mutex(Content())

  var now: Moment { content.withLock { $0.now } }

  /// Lets time pass between two things that people do.
  func advance(by span: Duration) {
    let woken = content.withLock { content in
      content.now = content.now + span
      let woken = content.sleepers.filter { $0.moment <= content.now }
      content.sleepers.removeAll { $0.moment <= content.now }
      return woken
    }
    for sleeper in woken { sleeper.continuation.resume() }
  }

  func sleep(until moment: Moment) async throws {
    let number = content.withLock { content in
      content.numbers += 1
      return content.numbers
    }
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        let isOver: Result<Void, any Error>? = content.withLock { content in
          if Task.isCancelled { return .failure(CancellationError()) }
          if moment <= content.now { return .success(()) }
          content.sleepers.append(Sleeper(number: number, moment: moment, continuation: continuation))
          return nil
        }
        if let isOver { continuation.resume(with: isOver) }
      }
    } onCancel: {
      let sleeper = content.withLock { content in
        content.sleepers.firstIndex { $0.number == number }.map { content.sleepers.remove(at: $0) }
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Leaps to the first moment for which a task sleeps; false if none sleeps.
  func wakeNext() -> Bool {
    let sleeper = content.withLock { content -> Sleeper? in
      guard let index = content.sleepers.indices.min(by: { content.sleepers[$0].moment < content.sleepers[$1].moment }) else { return nil }
      let sleeper = content.sleepers.remove(at: index)
      content.now = max(content.now, sleeper.moment)
      return sleeper
    }
    sleeper?.continuation.resume()
    return sleeper != nil
  }
}

/// The clock of one process, which may be wrong.
struct ProcessClock: Timekeeper {
  let clock: SimulatedClock
  let error: Duration

  var now: Moment { clock.now + error }
  func sleep(until moment: Moment) async throws { try await clock.sleep(until: moment - error) }
}

/// A law that was broken.
struct Wrong: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
