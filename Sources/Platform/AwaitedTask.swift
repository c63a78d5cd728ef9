/// A task whose result a thread waits for. The thread must not be one of the pool that runs tasks.
///
/// Unchecked, because the compiler cannot see that `mutex` guards `result`.
package final class AwaitedTask<Value: Sendable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var result: Result<Value, any Error>?
  private var task: Task<Void, Never>?

  /// Starts a task with this work.
  package init(_ work: @escaping @Sendable () async throws -> Value) {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
    // The task holds this object until it has told its result.
    task = Task { [self] in
      do { finish(.success(try await work())) } catch { finish(.failure(error)) }
    }
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  private func finish(_ result: Result<Value, any Error>) {
    pthread_mutex_lock(mutex)
    self.result = result
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Waits for the result.
  package func wait() throws -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result { return try result.get() }
      pthread_cond_wait(condition, mutex)
    }
  }

  /// Asks the task to end.
  package func cancel() { task?.cancel() }
}
