import SourceTesting
import Synchronization
import TestServers
import Testing

@testable import AggregatorCore
@testable import Store

/// Tests of what a sync takes for gone.
extension SyncTests {
  @Test("a record that moves before it is read is never taken for gone", arguments: [0, 40])
  func moves(to place: Int) async throws {
    try await sync(List(rows: people(0..<300)))
    let stay = people(0..<250) + people(251..<300)
    let later = stay.prefix(place) + [Friend(250)] + stay.dropFirst(place)
    let source = Changing(.offset(size: 100, end: .total), people(0..<300), later: Array(later))
    let outcome = try await Syncing(source, into: friends).run(.init(full: true))
    #expect(outcome.state.counts.gone == 0)
    #expect(outcome.verdict == .complete)
  }

  @Test("a few records that a numbered list lacks are gone once a second reading with the same total lacks them too")
  func readTwice() async throws {
    try await sync(List(rows: people(0..<225)))
    let list = ModelList(.numbered(size: 10, end: .total), people(0..<220))
    let recorder = EventRecorder()
    let outcome = try await recorder.listen { try await Syncing(list, into: friends).run() }
    #expect((outcome.verdict, outcome.state.counts.gone, outcome.state.mayHaveLost) == (.complete, 5, false))
    #expect((44...46).contains(list.requests.withLock { $0 }))
    let text = "5 stored records were not listed, so the list was read once more"
    #expect(recorder.events.contains { if case .noticed(_, let told) = $0 { told.hasPrefix(text) } else { false } })
    #expect(try await store.walk().items == people(0..<220))
    // A list that lost nothing is read once.
    let again = ModelList(.numbered(size: 10, end: .total), people(0..<220))
    #expect(try await Syncing(again, into: friends).run().verdict == .complete)
    #expect(again.requests.withLock { $0 } < 25)
  }

  @Test("where no two readings agree, the records stay, and the list is not complete until a person says that they are gone")
  func accepted() async throws {
    try await sync(List(rows: people(0..<225)))
    // Each reading lacks another friend, and the total never moves.
    let list = ModelList(.numbered(size: 10, end: .total), people(0..<220), restless: true)
    let outcome = try await Syncing(list, into: friends).run()
    let reason = try #require(outcome.verdict.reason)
    #expect(reason.hasPrefix("gone: ") && reason.hasSuffix(" not listed; page numbers alone cannot prove that they are gone"), "\(reason)")
    #expect((outcome.state.counts.gone, try await friends.count) == (0, 225))
    #expect(try await store.walk().summary.verdict != .complete)
    let still = ModelList(.numbered(size: 10, end: .total), people(0..<220))
    let accepted = try await Syncing(still, into: friends).run(.init(acceptingGone: true))
    #expect((accepted.verdict, accepted.state.counts.gone) == (.complete, 5))
    #expect(try await store.walk().items == people(0..<220))
  }

  @Test("most of a numbered list is not believed to be gone, however often it is read")
  func most() async throws {
    try await sync(List(rows: people(0..<225)))
    let list = ModelList(.numbered(size: 10, end: .total), people(0..<20))
    let outcome = try await Syncing(list, into: friends).run()
    #expect(outcome.verdict == .partial(.gone(205, of: 225)) && list.requests.withLock { $0 } < 5)
  }

  @Test("a numbered list that is read in several runs proves in the end what is gone")
  func readInRuns() async throws {
    try await sync(List(rows: people(0..<225)))
    let list = ModelList(.numbered(size: 10, end: .total), people(0..<220))
    var outcome: SyncOutcome?
    for _ in 0..<8 where outcome?.state.verdict == nil {
      let left = Mutex(9)
      let limited = LimitedList(upstream: list) {
        left.withLock { left in
          left -= 1; return left >= 0
        }
      }
      outcome = try await Syncing(limited, into: friends).run()
    }
    #expect(
      outcome?.verdict == .partial(.unlisted(5, because: "page numbers alone cannot prove that they are gone"))
        || outcome?.verdict == .complete)
  }

  /// A list that answers as long as `mayAnswer` is true.
  private struct LimitedList: Wrapper {
    let upstream: any DataSource<Friend>
    let mayAnswer: @Sendable () -> Bool

    func page(_ request: PageRequest) async throws -> Page<Friend> {
      guard mayAnswer() else { throw SourceError(.requestsSpent, "no more") }
      return try await upstream.page(request)
    }
  }

  @Test("a full sync reads numbered pages until two readings agree, and then knows which records are gone")
  func agreement() async throws {
    try await sync(List(rows: people(0..<225)))
    let outcome = try await Syncing(ModelList(.numbered(size: 10, end: .total), people(0..<220)), into: friends).run(.init(full: true))
    #expect((outcome.verdict, outcome.state.counts.gone, outcome.state.mayHaveLost) == (.complete, 5, false))
  }

  @Test("numbered pages of any size tell by themselves which records are gone")
  func sized() async throws {
    try await sync(List(rows: people(0..<225)))
    let list = ModelList(.numbered(size: 50, end: .total, lookingBack: true), people(0..<220))
    let outcome = try await Syncing(list, into: friends).run(.init(full: true))
    #expect((outcome.verdict, outcome.state.counts.gone) == (.complete, 5))
  }

  /// Numbered pages of a list that does not change. A `restless` one has another last friend in each reading.
  private final class ModelList: DataSource {
    let profile: Profile
    let rows: [Friend]
    let isRestless: Bool
    let requests = Mutex(0)

    init(_ paging: Paging, _ rows: [Friend], restless isRestless: Bool = false) {
      (profile, self.rows, self.isRestless) = (Profile("friends", paging: paging), rows, isRestless)
    }

    func page(_ request: PageRequest) async throws -> Page<Friend> {
      let count = requests.withLock { requests in
        requests += 1
        return requests
      }
      let rows = isRestless ? rows.dropLast() + [Friend(220 + count / 22 % 5)] : rows
      return try RecordList(rows).page(of: self, request, origin: .live)
    }
  }

  @Test("a list that is empty for a moment loses no record: the sync says so, is partial, and the next one is complete again")
  func emptyOnce() async throws {
    try await sync(List(rows: people(0..<230)))
    let empty = try await Syncing(List(rows: []), into: friends).run(.init(full: true))
    #expect(empty.verdict == .partial(.gone(230, of: 230)))
    #expect(empty.state.verdict == empty.verdict)
    #expect(empty.state.counts.gone == 0)
    #expect(try await friends.count == 230)
    let reason = "gone: 230 of 230 stored records are no longer listed; none was marked as gone"
    #expect(try await store.walk().summary.verdict == .partial(.recorded(reason)))
    #expect(try await Syncing(List(rows: people(0..<230)), into: friends).run().verdict == .complete)
    let accepted = try await Syncing(List(rows: []), into: friends).run(.init(full: true, acceptingGone: true))
    #expect((accepted.verdict, accepted.state.counts.gone) == (.complete, 230))
    #expect(try await friends.count == 0)
  }

  @Test("a loss that one sync refused is refused by the next ones too; the records that came meanwhile do not make it small")
  func refusedAgain() async throws {
    try await sync(List(rows: people(0..<100)))
    for turn in 1...3 {
      let outcome = try await sync(List(rows: people(100..<300)), at: 1_000 + turn * 100)
      #expect(outcome.verdict == .partial(.gone(100, of: 100)) && outcome.state.counts.gone == 0)
    }
    // The records of the wrong list were never part of the right one.
    let well = try await sync(List(rows: people(0..<100)), at: 2_000)
    #expect(well.verdict == .complete && well.state.counts.gone == 200)
    // Records that the refused sync has met are missed like the others.
    let most = try await sync(List(rows: people(0..<40) + people(300..<360)), at: 2_020)
    #expect(most.verdict == .partial(.gone(60, of: 100)))
    #expect(try await sync(List(rows: people(40..<70)), at: 2_040).verdict == .partial(.gone(70, of: 100)))
    #expect(try await sync(List(rows: people(0..<100)), at: 2_060).verdict == .complete)
    try await sync(List(rows: people(100..<200)), at: 2_100)
    let accepting = Syncing(List(rows: people(100..<200)), into: friends, clock: TestClock(at: Moment(secondsSinceEpoch: 2_200)))
    let accepted = try await accepting.run(.init(full: true, acceptingGone: true))
    #expect(accepted.verdict == .complete && accepted.state.counts.gone == 100)
  }

  @Test(
    "up to ten records, or half of the stored ones, may be gone at once; new records do not count",
    arguments: [(12, 2..<2, 2), (12, 2..<2, 1), (22, 11..<11, 11), (22, 12..<12, 10), (22, 10..<10, 12), (22, 22..<90, 10)])
  func greatLoss(stored: Int, new: Range<Int>, stay: Int) async throws {
    try await sync(List(rows: people(0..<stored)))
    let outcome = try await Syncing(List(rows: people(0..<stay) + people(new)), into: friends).run(.init(full: true))
    let (lost, isGreat) = (stored - stay, stored - stay > 10 && 2 * (stored - stay) > stored)
    #expect(outcome.verdict == (isGreat ? .partial(.gone(lost, of: stored)) : .complete))
    #expect(outcome.state.counts.gone == (isGreat ? 0 : lost))
  }

  @Test("what only a person imported is missed by no sync, and does not hide how many of the service's records are")
  func onlyImported() async throws {
    let file = Fetch(at: start, request: Fetch.importing, place: "line 1")
    try await friends.land(people(1_000..<1_300), from: file, rule: .imported(since: start))
    for rows in [people(0..<100), people(0..<99)] {
      let outcome = try await sync(List(rows: rows + people(1_000..<1_001)))
      #expect(outcome.verdict == .complete)
      #expect(outcome.state.counts.gone == 100 - rows.count)
    }
    #expect(try await friends.count == 399)
    let outcome = try await sync(List(rows: people(0..<40)))
    #expect(outcome.verdict == .partial(.gone(60, of: 100)))
    let accepted = try await Syncing(List(rows: people(0..<40)), into: friends).run(.init(full: true, acceptingGone: true))
    #expect(accepted.state.counts.gone == 60)
    #expect(try await friends.count == 339)
  }

  @Test("if a row came twice no record is taken for gone, because the repeat may have hidden it")
  func repeated() async throws {
    try await sync(List(rows: people(0..<300)))
    let outcome = try await Syncing(List(rows: people(0..<150) + people(3..<4) + people(150..<299), total: 299), into: friends).run(
      .init(full: true))
    #expect(outcome.verdict == .partial(.unlisted(1, because: "rows that came twice may stand for them")))
    #expect(outcome.state.counts.repeated == 1)
    #expect(outcome.state.counts.gone == 0)
    #expect(try await friends.count == 300)
  }
}
