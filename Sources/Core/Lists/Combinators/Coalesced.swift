import Synchronization

extension DataSource {
  /// Returns this source with shared work: equal requests at the same time are sent once, and cancelled when the last caller leaves.
  public func coalesced() -> Coalesced<Item> { Coalesced(upstream: self) }
}

/// A source whose equal requests share their work.
public struct Coalesced<Item: SourceItem>: Wrapper {
  public let upstream: any DataSource<Item>
  private let requests = SharedRequests<Asking, Page<Item>>()

  /// A request with its demand and its deadline, because one answer does not serve callers that insist on different things.
  private struct Asking: Hashable {
    let request: PageRequest
    let demand = OriginDemand.current
    let deadline = Deadline.current
  }

  public var description: String { "\(upstream).coalesced()" }

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    try await requests.value(for: Asking(request: request)) { [upstream] in try await upstream.page(request) }
  }
}

/// Work in progress, shared by all callers who want the same result.
public final class SharedRequests<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct SharedRequest {
    let number: Int
    let task: Task<Void, Never>
    var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
  }

  private let state = Mutex((requests: [Key: SharedRequest](), waiters: 0))

  /// An empty set of requests.
  public init() {}

  /// Returns the result of `work`, or of the same work if it is already in progress.
  public func value(for key: Key, _ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let waiter = state.withLock { state in
      state.waiters += 1
      return state.waiters
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        wait(for: key, waiter, continuation, work)
      }
    } onCancel: {
      leave(key, waiter)
    }
  }

  func waiters(for key: Key) -> Int { state.withLock { $0.requests[key]?.waiters.count ?? 0 } }

  private func wait(
    for key: Key, _ waiter: Int, _ continuation: CheckedContinuation<Value, any Error>,
    _ work: @escaping @Sendable () async throws -> Value
  ) {
    if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
    state.withLock { state in
      let request =
        state.requests[key]
        ?? SharedRequest(number: waiter, task: Task { land(key, waiter, await Result { try await work() }) })
      state.requests[key] = request
      state.requests[key]?.waiters[waiter] = continuation
    }
    // The cancellation may have come before the waiter was added, when it had nothing to wake.
    if Task.isCancelled { leave(key, waiter) }
  }

  private func land(_ key: Key, _ number: Int, _ result: Result<Value, any Error>) {
    let waiters = state.withLock { state in
      state.requests[key]?.number == number ? state.requests.removeValue(forKey: key)?.waiters : nil
    }
    for continuation in (waiters ?? [:]).values { continuation.resume(with: result) }
  }

  private func leave(_ key: Key, _ waiter: Int) {
    let (continuation, task) = state.withLock { state in
      let continuation = state.requests[key]?.waiters.removeValue(forKey: waiter)
      guard continuation != nil, state.requests[key]?.waiters.isEmpty == true else {
        return (continuation, Task<Void, Never>?.none)
      }
      return (continuation, state.requests.removeValue(forKey: key)?.task)
    }
    task?.cancel()
    continuation?.resume(throwing: CancellationError())
  }
}
