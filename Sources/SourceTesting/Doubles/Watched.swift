import Synchronization

/// A state that tasks can wait for: a change wakes those whose condition has come true.
final class Watched<State: Sendable>: Sendable {
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

  @discardableResult
  func change<Answer: Sendable>(_ act: @Sendable (inout State) -> Answer) -> Answer {
    let (answer, woken) = watch.withLock { watch in
      let answer = act(&watch.state)
      let due = watch.watchers.filter { $0.value.holds(watch.state) }
      for number in due.keys { watch.watchers[number] = nil }
      return (answer, due.values.map(\.continuation))
    }
    for continuation in woken { continuation.resume() }
    return answer
  }

  /// Returns once the condition holds; throws `CancellationError` when the task is cancelled first.
  func wait(until holds: @escaping @Sendable (State) -> Bool) async throws {
    let number = watch.withLock { watch in
      watch.numbers += 1
      return watch.numbers
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome: Result<Void, any Error>? = watch.withLock { watch in
          // A cancellation is flagged before its handler runs, and the handler takes this lock: one of the two sees the other.
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
