import Platform
import Synchronization

/// The findings of one run of a statement so far, and the tasks that it waits for.
///
/// Unchecked, because the compiler cannot see that only the thread that runs the statement uses the variables. The tasks have a lock.
final class QueryRun: @unchecked Sendable {
  /// The number of rows that are no JSON objects.
  var skipped = 0
  /// The columns of details and of unknown values that were read, by their sources; true for those of which some row had a value.
  var details: [String: [String: Bool]] = [:]
  /// The first number that SQL rounded.
  var rounded: String?
  /// The numbers that medians and percentiles hold.
  var numbers = 0
  /// The names of the tables that the statement reads.
  var tables: Set<String> = []
  /// The error that ended the run, if it came from a table.
  var failure: (any Error)?
  private let tasks = Mutex(Tasks())
  private let stopped = Atomic(false)

  /// True when the run has to end. Any thread may ask.
  var isStopped: Bool { stopped.load(ordering: .relaxed) }

  private struct Tasks {
    var count = 0
    /// Ends each task that has not ended, by its number.
    var running: [Int: Ending] = [:]
  }

  /// A closure in a struct, because a closure by itself would be wrapped anew at each access.
  private struct Ending: Sendable {
    let end: @Sendable () -> Void
  }

  /// Starts a task that the run will wait for.
  func awaiting<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) -> AwaitedTask<Value> {
    let number = tasks.withLock { tasks in
      tasks.count += 1
      return tasks.count
    }
    let task = AwaitedTask { [weak self] in
      defer { self?.tasks.withLock { $0.running[number] = nil } }
      return try await work()
    }
    tasks.withLock { $0.running[number] = Ending { [weak task] in task?.cancel() } }
    if isStopped { task.cancel() }
    return task
  }

  /// Ends all tasks, and any later one.
  func stop() {
    stopped.store(true, ordering: .sequentiallyConsistent)
    for task in tasks.withLock({ Array($0.running.values) }) { task.end() }
  }
}
