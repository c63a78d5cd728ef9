import Platform
import Synchronization

/// Runs the jobs of a task on threads of its own, and tells when the task waits for another one.
///
/// ```swift
/// let executor = WatchedExecutor()
/// let work = Task(executorPreference: executor) { … }
/// await executor.waits()   // everything that the task does by itself is done
/// ```
final class WatchedExecutor: TaskExecutor {
  private let jobs = Mutex(0)
  private let pauses = AsyncStream<Void>.makeStream()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0 += 1 }
    SystemThread.start { [self] in
      job.runSynchronously(on: asUnownedTaskExecutor())
      // A task that was resumed meanwhile has its next job here already.
      if jobs.withLock({
        $0 -= 1
        return $0 == 0
      }) {
        pauses.continuation.yield()
      }
    }
  }

  /// Returns once the task waits for another one, or has ended.
  func waits() async {
    for await _ in pauses.stream { return }
  }
}
