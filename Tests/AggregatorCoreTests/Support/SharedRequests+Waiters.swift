@testable import AggregatorCore

extension SharedRequests {
  /// Returns once so many tasks wait for `key`.
  func waiters(for key: Key, atLeast count: Int) async {
    while waiters(for: key) < count { await Task.yield() }
  }
}
