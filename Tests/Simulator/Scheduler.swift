import AggregatorCore
import CScheduler
import Recordings
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
    _ dice: SeededDice, _ clock: TestClock, _ work: @escaping @Sendable () async throws -> Answer
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
      guard let moment = clock.firstEnd else { throw Wrong("every task waits, and nothing can wake one") }
      clock.move(to: moment)
    }
  }
}

/// The clock of one process, which may be wrong.
struct ProcessClock: Timekeeper {
  let clock: TestClock
  let error: Duration

  var now: Moment { clock.now + error }
  func sleep(until moment: Moment) async throws { try await clock.sleep(until: moment - error) }
}

/// A law that was broken.
struct Wrong: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
