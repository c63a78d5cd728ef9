import AggregatorCore
import ScratchFolders
import TestServers
import Testing

@testable import Store

@Suite("Syncing, after a place that the service does not know any more") final class ForgottenPlaceTests: StoreSuite {
  private let rows = (0..<95).map { Friend($0) }

  /// A list by tokens, of a service that knows only the tokens of its present session, and fails at a place.
  private func list(in session: String, failingAt fails: Int = .max) -> FriendList {
    FriendList(.tokens(size: 10)) { [rows] request, list in
      let token = try request.place(in: list).token
      let start = token.flatMap { $0.hasPrefix(session) ? Int($0.dropFirst(session.count)) : nil }
      guard token == nil || start != nil else { throw SourceError(.badRequest, "cursor expired") }
      let place = start ?? 0
      if place >= fails { throw SourceError(.interrupted, "the line broke") }
      return Page(
        of: list, Array(rows.dropFirst(place).prefix(10)),
        next: place + 10 < rows.count ? .token("\(session)\(place + 10)") : .end)
    }
  }

  @Test("a sync begins anew if the service does not know the place any more where the last one stopped")
  func beginsAnew() async throws {
    let first = try await Syncing(list(in: "a", failingAt: 30), into: friends).run()
    #expect(first.state.verdict == nil && first.state.rowsBefore == 30)
    let second = try await Syncing(list(in: "b"), into: friends).run()
    #expect(second.state.verdict != nil && second.state.counts.received == 95)
    #expect(try await store.walk().items == rows)
  }
}
