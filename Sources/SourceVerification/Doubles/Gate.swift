import Synchronization

/// Holds tasks at a point until a test lets them go on: hold, act, release.
///
/// ```swift
/// let gate = Gate()
/// let work = Task { try await source.page(request) }   // calls gate.pass() inside
/// try await gate.arrivals(atLeast: 1)
/// work.cancel()
/// gate.open()
/// ```
public final class Gate: Sendable {
  private struct Post: Sendable {
    var isOpen = false
    var arrivals = 0
  }

  private let post = Watched(Post())

  public init() {}

  /// How many tasks have come so far, those that went on included.
  public var arrivals: Int { post.state.arrivals }

  /// Whether everyone is let through.
  var isOpen: Bool { post.state.isOpen }

  /// Waits for the gate to open; throws `CancellationError` when the task is cancelled first.
  public func pass() async throws {
    post.change { $0.arrivals += 1 }
    try await post.wait { $0.isOpen }
  }

  /// Returns once so many tasks have come; throws `CancellationError` when the task is cancelled first.
  public func arrivals(atLeast count: Int) async throws {
    try await post.wait { $0.arrivals >= count }
  }

  /// Lets everyone through, now and from now on.
  public func open() {
    post.change { $0.isOpen = true }
  }
}

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

  func change(_ act: @Sendable (inout State) -> Void) {
    let woken = watch.withLock { watch in
      act(&watch.state)
      let due = watch.watchers.filter { $0.value.holds(watch.state) }
      for number in due.keys { watch.watchers[number] = nil }
      return due.values.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
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
