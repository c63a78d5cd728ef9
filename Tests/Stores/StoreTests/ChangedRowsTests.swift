import AggregatorCore
import SourceTesting
import Synchronization
import TestServers
import Testing

@testable import Store

@Suite("Syncing changes while rows change") final class ChangedRowsTests: StoreSuite {
  /// A service that lists its friends by the time of their last change, the earliest first. Its clock is 30 days behind.
  private final class Service: DataSource {
    struct State: Sendable {
      /// The number of each friend's changes, and the second of the last one.
      var friends: [Int: (version: Int, changed: Int)] = [:]
      /// The number of answers that it still gives.
      var answersLeft = Int.max
      /// True while friends change between answers.
      var isRestless = false
    }

    let profile: Profile
    private let clock: TestClock
    private let dice: SeededDice
    private let state = Mutex(State())

    init(_ paging: Paging, _ clock: TestClock, by dice: SeededDice = SeededDice(seed: 1), tellingTimes tellsTimes: Bool = true) {
      var profile = Profile("friends", paging: paging, tellsChanges: true)
      if tellsTimes { profile.changeField = "note" }
      (self.profile, self.clock, self.dice) = (profile, clock, dice)
    }

    /// The names of the friends by their ids.
    var names: [String: String] {
      state.withLock { state in
        var names: [String: String] = [:]
        for (number, friend) in state.friends { names["\(number)"] = "Version \(friend.version)" }
        return names
      }
    }

    /// Lets it answer `count` more times.
    func allow(_ count: Int) { state.withLock { $0.answersLeft = count } }

    func setRestless(_ isRestless: Bool) { state.withLock { $0.isRestless = isRestless } }

    /// Changes friends in this order, each in a second of its own; the ones that do not exist are added.
    func change(_ numbers: [Int]) { state.withLock { state in for number in numbers { change(number, in: &state) } } }

    /// Changes a friend once more in the second in which it changed last.
    func changeAtOnce(_ number: Int) { state.withLock { $0.friends[number]?.version += 1 } }

    private func change(_ number: Int, in state: inout State) {
      clock.advance(by: .seconds(1))
      let version = state.friends[number].map { $0.version + 1 } ?? 0
      state.friends[number] = (version, clock.now.seconds - 30 * 86_400)
    }

    func page(_ request: PageRequest) async throws -> Page<Friend> {
      let place = try request.place(in: self)
      return try state.withLock { state in
        guard state.answersLeft > 0 else { throw SourceError(.requestsSpent, "no more") }
        state.answersLeft -= 1
        if state.isRestless, dice.index(below: 3) == 0 {
          for _ in 0...dice.index(below: 2) { change(dice.index(below: state.friends.count + 1), in: &state) }
        }
        return page(of: state, at: place, for: request.query)
      }
    }

    private func page(of state: State, at place: PagePlace, for query: Query) -> Page<Friend> {
      var since = Int.min
      if case .changed(let mark) = query { since = mark.seconds }
      var rows: [(order: Int, number: Int, version: Int, changed: Int)] = []
      for (number, friend) in state.friends where friend.changed >= since {
        rows.append((query == .everything ? number : friend.changed, number, friend.version, friend.changed))
      }
      rows.sort { $0.order < $1.order }
      let total = rows.count
      switch profile.paging.style {
      case _ where query == .latest: rows = Array(rows.suffix(1))
      case .number(let first): rows = Array(rows.dropFirst((place.number - first) * place.size))
      case .token: if let last = place.token.flatMap({ Int($0) }) { rows.removeAll { $0.order <= last } }
      default: rows = Array(rows.dropFirst(place.number))
      }
      let given = rows.prefix(place.size)
      let friends = given.map { row in
        Friend(id: "\(row.number)", name: "Version \(row.version)", note: Moment(secondsSinceEpoch: row.changed).iso)
      }
      let isToken = profile.paging.style == .token
      let token = rows.count > given.count ? given.last.map { "\($0.order)" } : nil
      var page = Page(
        of: self, friends, total: isToken || profile.paging.end == .emptyPage ? nil : total,
        next: isToken ? .token(ifAny: token) : .advance)
      if isToken, token == nil { page.more = false }
      if query != .everything { page.mark = given.map(\.changed).max().map { Moment(secondsSinceEpoch: $0) } }
      return page
    }
  }

  private let clock = TestClock()

  private func sync(_ service: Service, into store: any RecordStore, requests: Int = .max) async throws -> SyncOutcome {
    service.allow(requests)
    return try await Syncing(service, into: store.friends, clock: clock).run()
  }

  private func names(in store: any RecordStore) async throws -> [String: String] {
    var names: [String: String] = [:]
    for friend in try await store.walk().items { names[friend.id] = friend.name }
    return names
  }

  /// A service with 14 friends that were stored and have changed since, and of which a sync has read all but the last.
  private func serviceOfCutSync(tellingTimes tellsTimes: Bool) async throws -> Service {
    let service = Service(.offset(size: 5, end: .total), clock, tellingTimes: tellsTimes)
    service.change(Array(1...14))
    #expect(try await sync(service, into: store).verdict == .complete)
    clock.advance(by: .seconds(3_600))
    service.change(Array(1...14))
    clock.advance(by: .seconds(3_600))
    #expect(try await sync(service, into: store, requests: 3).state.verdict == nil)
    clock.advance(by: .seconds(1_800))
    return service
  }

  @Test(
    "rows that change again while a sync of changes waits are stored by it, and hide no row that changed before",
    arguments: [[2, 3], [2, 3, 4, 5]], [true, false])
  func changedAgain(numbers: [Int], isAdding: Bool) async throws {
    let service = try await serviceOfCutSync(tellingTimes: true)
    service.change(numbers + (isAdding ? [15] : []))
    let outcome = try await sync(service, into: store)
    #expect(outcome.verdict == .complete && outcome.state.counts.repeated == 0, "\(outcome)")
    #expect(try await names(in: store) == service.names)
  }

  @Test("a row that changes twice within one second is stored as it came last")
  func changedAtOnce() async throws {
    let service = try await serviceOfCutSync(tellingTimes: true)
    service.changeAtOnce(12)
    service.change([2, 3, 15])
    #expect(try await sync(service, into: store).verdict == .complete)
    #expect(try await names(in: store) == service.names)
  }

  @Test("where no field tells when a row changed, a sync of changes that may have missed a row leaves its mark where it was")
  func withoutTimes() async throws {
    let service = try await serviceOfCutSync(tellingTimes: false)
    service.change([2, 3, 15])
    #expect(try await sync(service, into: store).verdict == .unverifiable)
    #expect(try await sync(service, into: store).verdict == .complete)
    #expect(try await names(in: store) == service.names)
  }

  @Test(
    "once a service has come to rest, two syncs of changes store all that it has",
    arguments: [
      Paging.offset(size: 5, end: .total), .offset(size: 5, end: .emptyPage), .numbered(size: 20, end: .total, lookingBack: true),
      .numbered(size: 5, end: .total), .tokens(size: 5),
    ])
  func atRest(paging: Paging) async throws {
    for seed in 0..<40 {
      let (store, dice) = (StoreInMemory(), SeededDice(seed: UInt64(seed)))
      let service = Service(paging, clock, by: dice)
      service.change(Array(0..<70))
      _ = try await sync(service, into: store)
      for _ in 0..<2 {
        service.change((0..<45).map { _ in dice.index(below: 70) })
        clock.advance(by: .seconds(3_600))
        service.setRestless(true)
        for _ in 0...dice.index(below: 6) {
          // Some of these syncs are cut.
          _ = try await sync(service, into: store, requests: 2 + dice.index(below: 12))
          clock.advance(by: .seconds(1_800))
          service.change((0..<dice.index(below: 4)).map { _ in dice.index(below: 75) })
        }
        service.setRestless(false)
      }
      _ = try await sync(service, into: store)
      clock.advance(by: .seconds(60))
      #expect(try await sync(service, into: store).verdict == .complete, "seed \(seed)")
      #expect(try await names(in: store) == service.names, "seed \(seed)")
    }
  }
}
