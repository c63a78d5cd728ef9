package import AggregatorCore
import Synchronization

/// The requests of this process that renew a login and have no answer yet.
///
/// A process that ends before the answer is stored loses the login, because many services take a refresh token once. So a command whose time
/// is up waits for them before it ends.
package enum UnfinishedRenewals {
  private static let number = Mutex(0)

  /// True when an answer is awaited.
  package static var areThere: Bool { number.withLock { $0 > 0 } }

  /// Waits until every answer has come and is stored, or until the time is up.
  package static func end(within time: Duration, by clock: some Timekeeper) async {
    let deadline = clock.now + time
    while areThere, clock.now < deadline { try? await clock.sleep(for: .milliseconds(50)) }
  }

  /// Counts `work`, which sends such a request and stores its answer, until it ends.
  static func counting<Answer>(_ work: () async throws -> Answer) async rethrows -> Answer {
    number.withLock { $0 += 1 }
    defer { number.withLock { $0 -= 1 } }
    return try await work()
  }
}
