import AggregatorCore
import SourceTesting
import Synchronization
import TestServers
import Testing

@testable import Store

@Suite("A sync past pages that fail") final class FailingPageSyncTests: StoreSuite {
  private let clock = TestClock()

  /// A hundred friends, of which those in `poisoned` make their page fail.
  private final class List: DataSource {
    let profile: Profile
    let poisoned = Mutex<Set<Int>>([])
    let asked = Mutex<[Int]>([])

    init(_ paging: Paging) { profile = Profile("friends", paging: paging) }

    func page(_ request: PageRequest) async throws -> Page<Friend> {
      let place = try request.place(in: self)
      asked.withLock { $0.append(place.number) }
      let start = profile.paging.style == .offset ? place.number : (place.number - 1) * place.size
      let rows = (0..<100).dropFirst(start).prefix(place.size)
      if let row = rows.first(where: { row in poisoned.withLock { $0.contains(row) } }) {
        throw SourceError(.unavailable, "the service failed at \(row)")
      }
      return Page(of: self, rows.map { Friend($0) }, total: 100)
    }

    /// Forgets what was asked, and returns it.
    func takeAsked() -> [Int] {
      asked.withLock { asked in
        defer { asked = [] }
        return asked
      }
    }
  }

  private func sync(_ list: List, after hours: Int = 0) async throws -> SyncOutcome {
    clock.advance(by: .seconds(hours * 3_600))
    return try await Syncing(list, into: store.friends, clock: clock).run()
  }

  private static let pagings: [Paging] = [
    .offset(size: 10, end: .total), .offset(size: 10, end: .total, lookingBack: false), .numbered(size: 10, end: .total),
    .numbered(size: 20, end: .total, lookingBack: true),
  ]

  @Test("the others are stored, the list says which place is missing, and the next sync asks for that place alone", arguments: pagings)
  func filled(paging: Paging) async throws {
    let list = List(paging)
    list.poisoned.withLock { $0 = [42, 81] }
    let first = try await sync(list)
    let reason = try #require(first.verdict.reason)
    #expect(reason.hasPrefix("missing: up to ") && first.state.ended != nil && first.state.counts.gone == 0, "\(reason)")
    let stored = try await store.walk()
    #expect(stored.items.count >= 100 - 2 * paging.size && stored.summary.reason == reason)
    list.poisoned.withLock { $0 = [] }
    _ = list.takeAsked()
    let second = try await sync(list, after: 1)
    #expect(second.verdict == .complete || !paging.looksBack && second.verdict == .unverifiable)
    #expect(list.takeAsked().count <= 7 || paging.isNumbered)
    #expect(try await store.walk().items.map(\.id).sorted() == (0..<100).map { "\($0)" }.sorted())
    #expect(try await store.walk().summary.verdict == second.verdict)
    // Nothing is missing any more, so the next sync reads the whole list.
    #expect(try await sync(list, after: 1).verdict == .complete && list.takeAsked().count > 5)
  }

  @Test("a list whose last page was missing is read anew once that has come", arguments: pagings)
  func lastPage(paging: Paging) async throws {
    let list = List(paging)
    list.poisoned.withLock { $0 = [99] }
    #expect(try await sync(list).verdict.reason?.hasPrefix("missing: ") ?? false)
    list.poisoned.withLock { $0 = [] }
    _ = try await sync(list, after: 1)
    _ = list.takeAsked()
    let third = try await sync(list, after: 1)
    #expect(third.verdict == .complete && list.takeAsked().count > 5 && third.state.number > 1)
  }

  @Test("where the place fails again, the whole list is read anew in the same run", arguments: pagings)
  func failsAgain(paging: Paging) async throws {
    let list = List(paging)
    list.poisoned.withLock { $0 = [42] }
    _ = try await sync(list)
    let asked = list.takeAsked().count
    let second = try await sync(list, after: 1)
    #expect(second.verdict.reason?.hasPrefix("missing: ") ?? false && second.state.number == 2)
    #expect(list.takeAsked().count > asked)
  }

  @Test("after half a day the whole list is read anew")
  func nextNight() async throws {
    let list = List(Self.pagings[0])
    list.poisoned.withLock { $0 = [42] }
    _ = try await sync(list)
    list.poisoned.withLock { $0 = [] }
    _ = list.takeAsked()
    let second = try await sync(list, after: 13)
    #expect(second.verdict == .complete && second.state.number == 2 && list.takeAsked().count > 8)
  }

  @Test("a record that is gone is told once no page is missing any more")
  func gone() async throws {
    let list = List(Self.pagings[0])
    let stranger = List(Self.pagings[0])
    _ = try await sync(stranger)
    try await store.friends.land([Friend(500)], from: Fetch(at: clock.now, request: "sync", place: "start"))
    list.poisoned.withLock { $0 = [42] }
    #expect(try await sync(list, after: 30).state.counts.gone == 0)
    list.poisoned.withLock { $0 = [] }
    #expect(try await sync(list, after: 1).state.counts.gone == 1)
  }
}
