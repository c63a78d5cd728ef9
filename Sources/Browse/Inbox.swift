import Synchronization

/// What waits for the one task that takes it: all of it at once, so that a burst makes one frame.
final class Inbox<Event: Sendable>: Sendable {
  private let waiting = Mutex<[Event]>([])
  private let wakes: AsyncStream<Void>
  private let waker: AsyncStream<Void>.Continuation

  init() { (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

  func post(_ events: [Event]) {
    waiting.withLock { $0 += events }
    waker.yield()
  }

  /// What waits, or what comes next; nothing where the task is cancelled.
  func next() async -> [Event] {
    for await _ in wakes {
      let events = waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
      if !events.isEmpty { return events }
    }
    return []
  }
}
