import ScratchFolders
import SourceTesting
import Synchronization
import TestServers
import Testing

@testable import AggregatorCore
@testable import Store

@Suite("Syncing") final class SyncTests: StoreSuite {
  let start = Moment(secondsSinceEpoch: 1_000)

  /// A list in pages of 100, which fails at `fails`.
  struct List: DataSource {
    let profile = Profile("friends", paging: .offset(size: 100, end: .total))
    var rows: [Friend]
    var total: Int?
    var fails: Int?

    func page(_ request: PageRequest) async throws -> Page<Friend> {
      let place = try request.place(in: self)
      if let fails, place.number >= fails { throw SourceError(.interrupted, "the line broke") }
      return Page(of: self, Array(rows.dropFirst(place.number).prefix(100)), total: total ?? rows.count)
    }
  }

  @discardableResult
  func sync(_ list: List, at moment: Int = 1_000) async throws -> SyncOutcome {
    try await Syncing(list, into: friends, clock: TestClock(at: Moment(secondsSinceEpoch: moment))).run(.init(full: true))
  }

  func people(_ range: Range<Int>) -> [Friend] { range.map { Friend($0) } }

  @Test("a complete sync stores everything, and later readers may call it complete")
  func complete() async throws {
    let outcome = try await sync(List(rows: people(0..<950)))
    #expect(outcome.verdict == .complete)
    #expect(outcome.state.counts.landed.new == 950)
    #expect(outcome.state.counts.gone == 0)
    let (items, summary) = try await store.walk()
    #expect(items == people(0..<950))
    #expect(summary.verdict == .complete)
    #expect(summary.total == 950)
    #expect(summary.origin?.kind == .cache)
    #expect(try await friends.lastSync() == outcome.state)
  }

  @Test("an interrupted sync continues where it was, and until it has ended no answer is called complete")
  func resumed() async throws {
    let first = try await sync(List(rows: people(0..<950), fails: 350))
    #expect(first.state.verdict == nil)
    #expect(first.state.rowsBefore == 397)
    let (items, summary) = try await store.walk()
    #expect(items == people(0..<397))
    #expect(summary.verdict?.kind == "partial")
    let second = try await sync(List(rows: people(0..<950)), at: 2_000)
    #expect(second.state.verdict == .complete)
    #expect(second.state.began == start)
    #expect(second.state.counts.received == 950)
    #expect(second.state.counts.landed.new == 950)
    #expect(try await store.walk().summary.verdict == .complete)
  }

  @Test("a record that came before the interruption is recognized after it")
  func repeatsAcross() async throws {
    let rows = people(0..<400) + people(0..<50) + people(400..<900)
    try await sync(List(rows: rows, total: 900, fails: 350))
    let state = try await sync(List(rows: rows, total: 900), at: 2_000).state
    #expect(state.verdict == .complete)
    #expect(state.counts.repeated == 50)
    #expect(try await store.walk().items.count == 900)
  }

  /// A list in pages of 10 in any way. The service answers with `missing` at places after its end.
  private struct Paged: DataSource {
    let profile: Profile
    var rows: [Friend]
    var missing: SourceError.Kind?
    var failing: Int?

    init(_ paging: Paging, _ rows: [Friend], missing: SourceError.Kind? = nil, failing: Int? = nil) {
      (profile, self.rows, self.missing, self.failing) = (Profile("friends", paging: paging), rows, missing, failing)
    }

    func page(_ request: PageRequest) async throws -> Page<Friend> {
      let place = try request.place(in: self)
      let start: Int
      switch profile.paging.style {
      case .number(let first): start = (place.number - first) * place.size
      case .token: start = place.token.flatMap { Int($0) } ?? 0
      default: start = place.number
      }
      if let failing, start >= failing { throw SourceError(.interrupted, "the line broke") }
      if let missing, start > 0, start >= rows.count { throw SourceError(missing, "there is no such page") }
      let given = Array(rows.dropFirst(start).prefix(place.size))
      let end = start + given.count
      let isToken = profile.paging.style == .token
      return Page(
        of: self, given, total: isToken ? nil : rows.count, next: isToken ? .token(ifAny: end < rows.count ? "\(end)" : nil) : .advance)
    }
  }

  @Test(
    "a sync that is cut off when its last page is stored and its end is not noted ends well in the next run",
    arguments: [Paging.tokens(size: 10), .whole, .numbered(size: 10, end: .total), .offset(size: 10, end: .total)])
  func cutOffAtTheEnd(paging: Paging) async throws {
    let list = Paged(paging, people(0..<45), missing: .noSuchAddress)
    for repeats in 0..<3 {
      let whole = try await Syncing(list, into: friends).run()
      #expect(whole.verdict == .complete && whole.state.counts.repeated == 0, "\(repeats): \(whole)")
      _ = try await friends.note(copy(of: whole.state) { ($0.verdict, $0.ended) = (nil, nil) })
    }
    #expect(try await friends.lastSync()?.number == 1)
  }

  @Test(
    "a sync ends although the page at which it continues is missing by now",
    arguments: [Paging.numbered(size: 10, end: .total), .offset(size: 10, end: .total)], [SourceError.Kind.noSuchAddress, .badRequest])
  func missingPage(paging: Paging, kind: SourceError.Kind) async throws {
    let first = try await Syncing(Paged(paging, people(0..<95), failing: 60), into: friends).run()
    #expect(first.state.verdict == nil)
    let second = try await Syncing(Paged(paging, people(0..<42), missing: kind), into: friends).run()
    #expect(second.verdict == .complete && second.state.number == 1, "\(second)")
  }

  @Test("a sync that ended partial stays partial for later readers")
  func partial() async throws {
    let state = try await sync(List(rows: people(0..<250), total: 300)).state
    #expect(state.verdict?.kind == "partial")
    let summary = try await store.walk().summary
    #expect(summary.verdict == .partial(.recorded(try #require(state.verdict?.reason))))
  }

  @Test("a second sync tells which records changed and which are gone; a returning record is back")
  func second() async throws {
    try await sync(List(rows: people(0..<300)))
    var rows = people(10..<299)
    rows[0].name = "Changed"
    let second = try await sync(List(rows: rows), at: 5_000)
    #expect(second.state.counts.gone == 11)
    #expect(second.state.counts.landed.updated == 1)
    #expect(second.state.counts.landed.duplicates == 288)
    let (items, summary) = try await store.walk()
    #expect(items == rows)
    #expect(summary.verdict == .complete)
    #expect(summary.total == 289)
    #expect(try await store.walk(.matching("friend 3")).items.allSatisfy { Int($0.id) ?? 0 >= 10 })
    let third = try await sync(List(rows: people(0..<300)), at: 9_000)
    #expect(third.state.counts.gone == 0)
    #expect((third.state.counts.landed.returned, third.state.counts.new, third.state.counts.landed.updated) == (11, 11, 1))
    #expect(try await friends.lastSync()?.counts.landed.returned == 11)
    #expect(try await store.walk().items == people(0..<300))
  }

  /// A list that changes after its first page was read. If friend 5 is deleted, the friend at place 100 moves to place 99.
  final class Changing: DataSource {
    let profile: Profile
    private let rows: [Friend]
    private let later: [Friend]
    private let asked = Mutex(0)

    init(_ paging: Paging, _ rows: [Friend], later: [Friend]? = nil) {
      profile = Profile("friends", paging: paging)
      (self.rows, self.later) = (rows, later ?? rows.filter { $0.id != "5" })
    }

    func page(_ request: PageRequest) async throws -> Page<Friend> {
      let place = try request.place(in: self)
      let isFirst = asked.withLock { asked in
        defer { asked += 1 }
        return asked == 0
      }
      let rows = isFirst ? rows : later
      let start = profile.paging.style == .offset ? place.number : (place.number - 1) * place.size
      return Page(of: self, Array(rows.dropFirst(start).prefix(place.size)), total: rows.count)
    }
  }

  @Test(
    "if the list changed on the way, a walk that looked back still tells gone records, and so do equal readings of numbered pages",
    arguments: [
      Paging.offset(size: 100, end: .total), .numbered(size: 100, end: .total),
      .numbered(size: 100, end: .total, lookingBack: true),
    ])
  func moved(paging: Paging) async throws {
    try await sync(List(rows: people(0..<300)))
    let outcome = try await Syncing(Changing(paging, people(0..<299)), into: friends).run()
    #expect(outcome.verdict == .complete && !outcome.state.mayHaveLost)
    // That is friend 299. Friend 5 came before it was deleted, so the next sync tells that it is gone.
    #expect(outcome.state.counts.gone == 1)
    #expect(try await store.walk().items == people(0..<300 - outcome.state.counts.gone))
  }

  @Test("stored records tell that the list changed while a sync read it, until a sync without a change")
  func toldChange() async throws {
    let change = "the list changed while it was read: 1 fewer is announced now"
    let outcome = try await Syncing(
      Changing(.offset(size: 100, end: .total), people(0..<300), later: people(1..<300)), into: friends
    ).run()
    #expect((outcome.verdict, outcome.state.change) == (.complete, change))
    let stored = try await store.walk().summary
    #expect((stored.verdict, stored.reason) == (.complete, change))
    try await sync(List(rows: people(0..<299)))
    #expect(try await store.walk().summary.reason == nil)
  }

  /// A list of 35 friends in pages of ten that changes once, before the first request for which `hasChanged` returns true.
  private final class ChangingOnce: DataSource {
    let profile: Profile
    private let later: [Friend]
    private let hasChanged: @Sendable (_ answers: Int, _ place: Int) -> Bool
    private let state = Mutex((answers: 0, allowed: Int.max, hasChanged: false))

    init(endingBy end: Paging.End, into later: [Friend], once hasChanged: @escaping @Sendable (_ answers: Int, _ place: Int) -> Bool) {
      profile = Profile("friends", paging: .offset(size: 10, end: end))
      (self.later, self.hasChanged) = (later, hasChanged)
    }

    /// Lets it answer `count` more times.
    func allow(_ count: Int) { state.withLock { $0.allowed = count } }

    func page(_ request: PageRequest) async throws -> Page<Friend> {
      let place = try request.place(in: self)
      let isChanged = try state.withLock { state in
        guard state.allowed > 0 else { throw SourceError(.requestsSpent, "no more") }
        state.allowed -= 1
        state.hasChanged = state.hasChanged || hasChanged(state.answers, place.number)
        state.answers += 1
        return state.hasChanged
      }
      let friends = isChanged ? later : (0..<35).map { Friend($0) }
      let total = profile.paging.end == .total ? friends.count : nil
      return Page(of: self, Array(friends.dropFirst(place.number).prefix(place.size)), total: total)
    }
  }

  /// Expects that a sync of the list that is cut after so many requests ends as one that is not cut.
  private func expectWhole(_ list: ChangingOnce, cutAfter requests: Int) async throws {
    list.allow(requests)
    _ = try await Syncing(list, into: friends).run()
    list.allow(.max)
    let outcome = try await Syncing(list, into: friends).run()
    #expect(outcome.verdict == .complete && outcome.state.counts.repeated == 0, "\(outcome)")
    #expect(Set(try await store.walk().items.map(\.id)).isSuperset(of: (0..<35).map { Friend($0).id }))
  }

  @Test(
    "a sync that is cut before or while it reads the beginning of the list again ends as one that is not cut",
    arguments: 1...6, [true, false])
  func cutBeforeTheBeginning(requests: Int, isMoving: Bool) async throws {
    var later = (0..<35).map { Friend($0) }
    if isMoving { later.insert(later.remove(at: 30), at: 3) } else { later.insert(Friend(1_000), at: 12) }
    try await expectWhole(ChangingOnce(endingBy: .total, into: later) { answers, _ in answers > 2 }, cutAfter: requests)
  }

  @Test("a sync that is cut at the end of a list to which a row comes ends as one that is not cut", arguments: 1...6)
  func cutAtTheEnd(requests: Int) async throws {
    // Once its last friend has come alone, a new one is at its front.
    let later = [Friend(1_000)] + (0..<35).map { Friend($0) }
    try await expectWhole(ChangingOnce(endingBy: .emptyPage, into: later) { _, place in place > 34 }, cutAfter: requests)
  }

  @Test("an interrupted second sync leaves the records of the first readable, and says that it has not finished")
  func interruptedSecond() async throws {
    try await sync(List(rows: people(0..<600)))
    try await sync(List(rows: people(0..<600), fails: 100), at: 5_000)
    let source = StoredList(records: friends.records(), clock: SystemTime())
    var walk = Walk(source)
    var items: [Friend] = []
    while let more = try await walk.nextPage() { items += more }
    #expect(items.count == 600)
    #expect(walk.summary.verdict == .partial(.recorded("the sync has not finished")))
  }

  @Test("imported records answer as unverifiable, and a record that is not among them is asked for elsewhere")
  func imported() async throws {
    let source = StoredList(records: friends.records(), clock: SystemTime())
    func verdict() async throws -> Verdict? {
      var walk = Walk(source)
      while try await walk.nextPage() != nil {}
      return walk.summary.verdict
    }
    await #expect { try await source.page(PageRequest()) } throws: { ($0 as? SourceError)?.kind == .notStored }
    try await friends.land(people(0..<3), from: .page(1))
    #expect(try await source.page(PageRequest()).origin.isPart)
    #expect(try await verdict() == .partial(.recorded("the list was never synced completely")))
    let file = Fetch(at: start, request: Fetch.importing, place: "line 1")
    try await friends.land(people(3..<5), from: file)
    #expect(try await source.page(PageRequest()).items == people(0..<5))
    #expect(try await source.page(PageRequest()).origin.isImported)
    #expect(try await verdict() == .unverifiable)
    for query in [Query.matching("nobody"), .record("99")] {
      let error = await #expect(throws: SourceError.self) { try await source.page(PageRequest(query)) }
      #expect(error?.kind == .notStored && error?.message == "never synced completely" && error?.source == "friends")
    }
    // A complete sync proves it, until a further import.
    try await sync(List(rows: people(0..<5)))
    #expect(try await store.walk().summary.verdict == .complete)
    try await friends.land(people(7..<8), from: file)
    #expect(try await store.walk().summary.verdict == .unverifiable)
  }

  @Test("the note of a sync that is not the last one is refused, and nothing of it lands")
  func overtaken() async throws {
    // Once this sync has begun, another one begins in the store.
    let list = FriendList(.offset(size: 100, end: .total)) { [store, start] request, _ in
      if request.cursor != nil { _ = try await store.beginSync(of: store.friends.kind, at: start, full: true, mark: nil) }
      return try await List(rows: Array((0..<200).map { Friend($0) })).page(request)
    }
    await #expect { try await Syncing(list, into: friends).run() } throws: { ($0 as? SourceError)?.kind == .storage }
    #expect(try await friends.count == 0)
    let last = try #require(try await friends.lastSync())
    #expect(last.number > 1 && last.counts.received == 0)
  }

  @Test("the number of a removed request is not given to another, so that no record seems to come from it or before it")
  func numbers() async throws {
    func fetch(_ place: String) -> Fetch { Fetch(at: Moment(secondsSinceEpoch: 1), request: Fetch.importing, place: place) }
    let friends = store.friends
    try await friends.land([Friend(1)], from: .page(1))
    try await friends.land([Friend(1, "Other")], from: fetch("a.csv"))
    // More than once, and for another source too.
    for _ in 0..<2 {
      _ = try await friends.forget(importedOnly: true)
      try await friends.land([Friend(2)], from: .page(2))
      #expect(try await friends.history(of: "1")?.absorbed.map(\.fetch) == [nil])
      try await Archive<Friend>("others", in: store).land([Friend(3)], from: fetch("b.csv"))
      let state = try await store.beginSync(of: friends.kind, at: Moment(secondsSinceEpoch: 2), full: true, mark: nil)
      _ = try await Archive<Friend>("others", in: store).forget(importedOnly: false)
      var batch = Batch(friends.kind, rule: .lastStays)
      batch.add([Friend(1), Friend(2)], from: .page(3))
      batch.sync = state
      _ = try await store.land(batch)
      #expect(try await store.unmet(of: friends.kind) == 0)
    }
    if let file = store as? SQLiteStore {
      #expect(try file.number("SELECT count(*) FROM fetch_log WHERE source = ''") == 1)
    }
  }

  @Test(
    "a sync whose place cannot be read does not continue, and is not called complete", .enabled(if: !TestServer.isThere),
    arguments: ["offset by", "", "friends offset", "x"])
  func lostPlace(text: String) async throws {
    try await sync(List(rows: people(0..<950), fails: 400))
    let database = try Connection(scratch["store.db"])
    try database.run("UPDATE source_state SET body = json_set(body, '$.cursor', ?1) WHERE name = 'sync'", text)
    #expect(try await store.walk().summary.verdict == .partial(.recorded("the sync lost its position")))
    let outcome = try await Syncing(List(rows: people(0..<950)), into: friends, clock: TestClock(at: Moment(secondsSinceEpoch: 1_100)))
      .run()
    #expect(outcome.verdict == .complete)
    #expect(outcome.state.number == 2)
    #expect(try await friends.count == 950)
  }

  @Test("a source may have any name", arguments: ["bob's", "a\"b", "x.y", "select"])
  func names(name: String) async throws {
    let archive = Archive<Friend>(name, in: store)
    try await archive.land(people(0..<3), from: .page(1))
    try await archive.delete("1", at: start)
    #expect(try await archive.take(9).items.map(\.id) == ["0", "2"])
    for text in ["friend 2", "fr"] {
      var walk = Walk(archive.records(), .matching(text))
      #expect(try await walk.nextPage()?.last?.id == "2")
    }
    #expect(try await archive.companion("sample").count == 0)
  }

  @Test("a walk continues after a record that exists, over the records stored by then")
  func cursorAfter() async throws {
    try await friends.land(people(0..<3), from: .page(1))
    try await friends.delete("0", at: start)
    let records = friends.records(endless: true)
    let cursor = try #require(try await records.cursor(after: "1"))
    var walk = Walk(records, from: cursor)
    #expect(try await walk.nextPage()?.map(\.id) == ["2"])
    #expect(try await walk.nextPage() == nil && walk.summary.verdict == .unverifiable)
    for absent in ["0", "9"] { #expect(try await records.cursor(after: absent) == nil) }
  }
}
