public import AggregatorCore
import Synchronization

/// Collects what happens while a piece of work runs.
///
/// ```swift
/// let recorder = EventRecorder()
/// let page = try await recorder.listen { try await source.page(PageRequest()) }
/// ```
public final class EventRecorder: Sendable {
  private let log = Mutex<[Event]>([])

  public init() {}

  /// What happened so far, in order.
  public var events: [Event] { log.withLock { $0 } }

  /// Runs `work`, and hears what it and the tasks below it tell.
  public func listen<Answer>(to work: () async throws -> Answer) async rethrows -> Answer {
    try await Event.listening({ event in self.log.withLock { $0.append(event) } }, during: work)
  }
}
