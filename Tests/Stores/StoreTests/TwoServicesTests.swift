import AggregatorCore
import Synchronization
import TestServers
import Testing

@testable import Store

@Suite("A service and its mirror") final class TwoServicesTests: StoreSuite {
  /// A list in pages of ten that a test switches on and off.
  private final class Service: DataSource {
    let profile: Profile
    private let state: Mutex<(friends: [Friend], left: Int, error: SourceError.Kind)>
    /// True when every page but the first fails.
    let failsLater = Mutex(false)

    init(_ name: String, _ paging: Paging, _ friends: [Friend]) {
      profile = Profile(name, paging: paging)
      state = Mutex((friends, .max, .unavailable))
    }

    /// From now on it has these friends, and answers so many times before it fails.
    func become(_ friends: [Friend]? = nil, answering left: Int = .max, then error: SourceError.Kind = .unavailable) {
      state.withLock { $0 = (friends ?? $0.friends, left, error) }
    }

    func page(_ request: PageRequest) async throws -> Page<Friend> {
      let place = try request.place(in: self)
      let friends = try state.withLock { state in
        guard state.left > 0 else { throw SourceError(state.error, "the service failed (HTTP 503)") }
        state.left -= 1
        return state.friends
      }
      if request.cursor != nil, failsLater.withLock({ $0 }) { throw SourceError(.unavailable, "the service failed (HTTP 503)") }
      let start = if case .number(let first) = profile.paging.style { (place.number - first) * 10 } else { place.number }
      return Page(of: self, Array(friends.dropFirst(start).prefix(10)), total: friends.count)
    }
  }

  private let primary = Service(
    "friends", .offset(size: 10, end: .total), (0..<35).map { Friend(id: "\($0)", name: "Friend \($0)", note: "note \($0)") })
  private let mirror = Service("friends.mirror", .numbered(size: 10, end: .total), (0..<35).map { Friend($0) })

  private func sync(full isFull: Bool = false) async throws -> SyncOutcome {
    try await Syncing(primary.fallback(to: mirror), into: store.friends).run(.init(full: isFull))
  }

  private func next(_ count: Int) async throws -> [String] {
    try await NextReader(primary.fallback(to: mirror), keeping: store.friends).next(count).items.map(\.id)
  }

  private func stored(_ id: String) async throws -> Friend? { try await store.walk(.record(id)).items.first }

  @Test("the records of a mirror keep the stored values that it does not have, and say where they came from")
  func thinner() async throws {
    #expect(try await sync().state.maker == nil)
    primary.become(answering: 0)
    mirror.become((0..<35).map { Friend($0, $0 == 7 ? "Renamed" : nil) })
    let outcome = try await sync(full: true)
    #expect(outcome.verdict == .complete && outcome.state.counts.landed.updated == 1)
    #expect(outcome.kept == ["note"] && outcome.origin?.maker == "friends.mirror")
    #expect(outcome.origin?.reason?.message == "the service failed (HTTP 503)")
    #expect(try await stored("7") == Friend(id: "7", name: "Renamed", note: "note 7"))
    #expect(try await store.friends.lastSync()?.maker == "friends.mirror")
    #expect(try await store.friends.history(of: "7")?.fetch?.request == "sync from friends.mirror")
    primary.become()
    let back = try await sync(full: true)
    #expect(back.state.counts.landed.updated == 1 && back.state.maker == nil && back.kept.isEmpty)
    #expect(try await stored("7")?.name == "Friend 7")
  }

  @Test("a record that a mirror lacks is not gone")
  func lacking() async throws {
    _ = try await sync()
    primary.become(answering: 0)
    mirror.become((0..<33).map { Friend($0) })
    let outcome = try await sync(full: true)
    #expect(outcome.state.counts.gone == 0)
    #expect(outcome.verdict == .partial(.unlisted(2, because: "friends.mirror answered, which may lack them")))
    #expect(try await store.friends.count == 35)
  }

  @Test("a sync that began on one service begins anew on the other if the first does not answer now", arguments: [true, false])
  func bound(beginsOnMirror: Bool) async throws {
    let (first, other) = beginsOnMirror ? (mirror, primary) : (primary, mirror)
    other.become(answering: 0)
    first.become(answering: 2, then: .requestsSpent)
    #expect(try await sync().state.cursor?.maker == first.profile.name)
    first.become(answering: 0)
    other.become()
    let outcome = try await sync()
    #expect(outcome.verdict == .complete && outcome.state.counts.received == 35)
    #expect(outcome.origin?.maker == (beginsOnMirror ? nil : "friends.mirror"))
  }

  @Test("the place of a sync stays if no service answers, and the error names the service")
  func staying() async throws {
    primary.become(answering: 0)
    mirror.become(answering: 2, then: .requestsSpent)
    let place = try await sync().state.cursor
    mirror.become(answering: 0)
    let error = await #expect(throws: SourceError.self) { try await self.sync() }
    #expect(error?.source == "friends.mirror" && error?.message == "the service failed (HTTP 503)")
    #expect(try await store.friends.lastSync()?.cursor == place)
    mirror.become()
    mirror.failsLater.withLock { $0 = true }
    await #expect(throws: SourceError.self) { try await self.sync() }
    #expect(try await store.friends.lastSync()?.cursor == place, "the same service begins anew")
    mirror.failsLater.withLock { $0 = false }
    #expect(try await sync().verdict == .complete)
  }

  @Test("a service that asks for a pause keeps its place")
  func pause() async throws {
    mirror.become(answering: 2, then: .throttled)
    primary.become(answering: 0)
    let place = try await sync().state.cursor
    primary.become()
    await #expect(throws: SourceError.self) { try await self.sync() }
    #expect(try await store.friends.lastSync()?.cursor == place)
  }

  @Test("reading on begins anew at the service that answers, and gives no record twice", arguments: [true, false])
  func next(beginsOnMirror: Bool) async throws {
    let (first, other) = beginsOnMirror ? (mirror, primary) : (primary, mirror)
    other.become(answering: 0)
    var ids = try await next(12)
    first.become(answering: 0)
    other.become()
    while case let more = try await next(12), !more.isEmpty { ids += more }
    #expect(ids == (0..<35).map(String.init))
  }

  @Test("the place of reading on stays if no service answers")
  func nextStaying() async throws {
    primary.become(answering: 0)
    _ = try await next(20)
    let position = try await store.friends.position()
    mirror.become(answering: 0)
    await #expect { try await self.next(1) } throws: { ($0 as? SourceError)?.source == "friends.mirror" }
    #expect(try await store.friends.position() == position)
    mirror.become()
    #expect(try await next(1) == ["20"])
  }
}
