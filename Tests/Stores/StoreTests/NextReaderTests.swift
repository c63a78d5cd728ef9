import AggregatorCore
import ScratchFolders
import SourceTesting
import Synchronization
import TestServers
import Testing

@testable import Store

@Suite("Reading on") final class ReadingOnTests: StoreSuite {
  /// A service that answers as a test says.
  private final class Service: DataSource {
    typealias Answer = @Sendable (_ place: PagePlace, _ service: Service) throws -> Page<Friend>

    let profile: Profile
    private let answer: Mutex<Answer>
    private let log = Mutex<[Int]>([])

    init(_ paging: Paging, _ answer: @escaping Answer) {
      profile = Profile("friends", paging: paging)
      self.answer = Mutex(answer)
    }

    /// The offsets that were asked for.
    var asked: [Int] { log.withLock { $0 } }

    func become(_ other: @escaping Answer) { answer.withLock { $0 = other } }

    func page(_ request: PageRequest) async throws -> Page<Friend> {
      let place = try request.place(in: self)
      log.withLock { $0.append(place.number) }
      return try answer.withLock { $0 }(place, self)
    }

    /// An honest list of `count` records, ten a page.
    static func list(_ count: Int) -> Answer { list(count, announcing: count) }

    static func list(_ count: Int, announcing total: Int) -> Answer {
      { place, service in
        Page(of: service, (place.number..<max(place.number, min(count, place.number + 10))).map { Friend($0) }, total: total)
      }
    }
  }

  private func next(_ count: Int, _ service: Service) async throws -> (ids: [String], verdict: Verdict?) {
    let (items, summary) = try await NextReader(service, keeping: store.friends).next(count)
    return (items.map(\.id), summary.verdict)
  }

  /// The same with insistence on the service.
  private func insisting(_ count: Int, _ service: Service) async throws -> (items: [Friend], summary: Summary) {
    try await OriginDemand.with(.service) { try await NextReader(service, keeping: store.friends).next(count) }
  }

  private static let offsets = Paging.offset(size: 10, end: .total)

  @Test("runs of any length read to the end of the list, every record once")
  func whole() async throws {
    let service = Service(Self.offsets, Service.list(35))
    var ids: [String] = []
    for count in [1, 7, 12, 3] { ids += try await next(count, service).ids }
    let last = try await next(50, service)
    #expect(ids + last.ids == (0..<35).map(String.init))
    #expect(last.verdict == .complete)
    #expect(service.asked == [0, 9, 18, 27])
    #expect(try await next(5, service) == ([], .complete))
    #expect(service.asked.count == 4)
  }

  @Test("a list that is read while another run reads on to its end is not whole: its end belongs to records that came later")
  func readBeside() async throws {
    let service = Service(.offset(size: 600, end: .total)) { place, service in
      Page(of: service, (place.number..<min(1_200, place.number + 600)).map { Friend($0) }, total: 1_200)
    }
    _ = try await next(600, service)
    let snapshot = try await store.snapshot()
    var walk = Walk(store.friends.records())
    #expect(try await walk.nextPage()?.count == 500)
    while try await next(600, service).verdict != .complete {}
    while try await walk.nextPage() != nil {}
    #expect(walk.summary.given == 600)
    #expect(walk.summary.verdict == .partial(.recorded("the list was never synced completely")))
    let (before, after) = (try await store.friends.status(at: snapshot), try await store.friends.status(at: store.snapshot()))
    #expect(before.census.count == 600 && before.ended == nil)
    #expect(after.census.count == 1_200 && after.ended == .complete && after.verdict == .complete)
  }

  @Test("an empty page before the total is not the end: it is asked for again, and the missing rows are told")
  func truncated() async throws {
    let service = Service(Self.offsets, Service.list(20, announcing: 35))
    let first = try await next(50, service)
    #expect(first.ids.count == 20)
    #expect(first.verdict == .partial(.total(missing: 15)))
    #expect(try await next(50, service) == ([], .partial(.total(missing: 15))))
    service.become(Service.list(35))
    let mended = try await next(50, service)
    #expect(mended.ids == (20..<35).map(String.init))
    #expect(mended.verdict == .complete)
  }

  @Test("if a service rounds or refuses odd offsets, no run claims more than one walk would", arguments: [true, false], [true, false])
  func blind(refuses: Bool, isOldPosition: Bool) async throws {
    // Three of the shown rows are deleted before the last run, so that others move past its place unread.
    func list(without gone: Int) -> Service.Answer {
      { place, service in
        if refuses, place.number % 10 != 0 { throw SourceError(.badRequest, "an odd offset") }
        let rows = (gone..<33).dropFirst(place.number / 10 * 10).prefix(10)
        return Page(of: service, rows.map { Friend($0) }, total: 33 - gone)
      }
    }
    let service = Service(Self.offsets, list(without: 0))
    #expect(try await next(10, service).ids.count == 10)
    #expect(try await next(10, service).ids.count == 10)
    // The position as it was stored before positions had a total.
    if isOldPosition, let file = store as? SQLiteStore {
      try file.run("UPDATE source_state SET body = replace(body, ' total=33', '') WHERE name = 'next'")
    }
    service.become(list(without: 3))
    let last = try await next(50, service)
    #expect(last.ids == (23..<33).map(String.init))
    #expect(last.verdict == .unverifiable)
  }

  @Test("a list without a known row is read on to its end, which is drift until it is read anew")
  func lost() async throws {
    let service = Service(Self.offsets, Service.list(1_000))
    #expect(try await next(400, service).verdict == .bounded)
    service.become { place, service in
      Page(of: service, (place.number..<max(place.number, min(1_000, place.number + 10))).map { Friend($0 + 5_000) }, total: 1_000)
    }
    let rest = try await next(1_000, service)
    #expect(rest.ids == (Array(400..<406) + Array(5_406..<6_000)).map(String.init))
    #expect(rest.verdict == .partial(.drift(missing: nil)))
    let requests = service.asked.count
    let reason = "drift: the list changed while it was read; rows may be missing"
    #expect(try await next(5, service) == ([], .partial(.recorded(reason))))
    #expect(service.asked.count == requests)
    try await store.friends.reset()
    let anew = try await next(2_000, service)
    #expect(Set(anew.ids).isSuperset(of: (5_000..<6_000).map(String.init)))
    #expect(anew.verdict == .complete)
  }

  @Test("a server that ignores the offset is a loop, not an end")
  func ignored() async throws {
    let service = Service(Self.offsets) { _, service in Page(of: service, (0..<10).map { Friend($0) }, total: 30) }
    let first = try await next(50, service)
    #expect(first.ids.count == 10)
    #expect(first.verdict == .partial(.loop))
    #expect(try await next(50, service) == ([], .partial(.loop)))
    // One row early, and at the place itself, because the service may round offsets.
    #expect(service.asked == [0, 9, 10, 9, 10])
  }

  @Test("a loop is found although each of its pages has a broken row, now and in the next run", arguments: [9, 2])
  func brokenLoop(good: Int) async throws {
    let service = Service(Self.offsets) { _, service in
      Page(of: service, (0..<good).map { Friend($0) }, faults: [RowFault("broken", digest: 7, row: good)], total: 30)
    }
    #expect(try await next(50, service).verdict == .partial(.loop))
    #expect(service.asked.count == 3)
    #expect(try await next(50, service) == ([], .partial(.loop)))
    #expect(service.asked.count == 5)
  }

  @Test("a first page with only broken rows is an error, and the next run asks again")
  func allBroken() async throws {
    let service = Service(Self.offsets) { _, service in Page(of: service, [], faults: [RowFault("broken", digest: 7, row: 0)], total: 30) }
    for _ in 0..<2 {
      await #expect { try await NextReader(service.retrying(), keeping: store.friends).next(5) } throws: {
        ($0 as? SourceError)?.kind == .malformed
      }
    }
    #expect(service.asked == [0, 0])
    #expect(try await store.friends.position().cursor == nil)
  }

  @Test("a run that was overtaken does not take the other's records for a loop")
  func overtaken() async throws {
    let other = Service(Self.offsets, Service.list(20))
    let mine = Service(Self.offsets, Service.list(20))
    let hasRaced = Atomic(false)
    let racing = FriendList(Self.offsets) { [store] request, _ in
      // The other shell fetches and stores the same page while this one waits for it.
      if !hasRaced.exchange(true, ordering: .relaxed) { try await NextReader(other, keeping: store.friends).fetchOne() }
      return try await mine.page(request)
    }
    let (items, summary) = try await NextReader(racing, keeping: store.friends).next(20)
    #expect(items.map(\.id) == (0..<20).map(String.init))
    #expect(summary.verdict == .bounded)
  }

  @Test("broken rows count toward the total")
  func broken() async throws {
    let service = Service(Self.offsets) { place, service in
      // Every second row is broken, and at most three come at once.
      let rows = place.number..<max(place.number, min(6, place.number + 3))
      return Page(
        of: service, rows.filter { $0.isMultiple(of: 2) }.map { Friend($0) },
        faults: rows.filter { !$0.isMultiple(of: 2) }.map { RowFault("broken", digest: UInt64($0), row: $0 - place.number) }, total: 6)
    }
    let (items, summary) = try await NextReader(service, keeping: store.friends).next(9)
    #expect(items.map(\.id) == ["0", "2", "4"])
    #expect(summary.skipped == 3)
    #expect(summary.verdict == .complete)
  }

  @Test("records of an earlier import or sync are counted, but are not new")
  func known() async throws {
    try await store.friends.land((0..<15).map { Friend($0) }, from: .page(1))
    let service = Service(Self.offsets, Service.list(20))
    let read = try await next(50, service)
    #expect(read.ids == (0..<20).map(String.init))
    #expect(read.verdict == .complete)
  }

  @Test(
    "a record of an earlier sync is not a repeat; one that the list has twice is, in one run and over several",
    arguments: [50, 6, 1])
  func repeated(count: Int) async throws {
    let rows = Array(0..<18) + [3] + Array(18..<24) + [20]
    let service = Service(.offset(size: 10, end: .emptyPage, lookingBack: false)) { place, service in
      Page(of: service, rows.dropFirst(place.number).prefix(10).map { Friend($0) })
    }
    let older = Service(Self.offsets) { place, service in
      Page(of: service, (12..<24).dropFirst(place.number).prefix(10).map { Friend($0) }, total: 12)
    }
    #expect(try await Syncing(older, into: store.friends).run().verdict == .complete)
    var (ids, repeats) = (Set<String>(), 0)
    while try await store.friends.position().ended == nil {
      let (items, summary) = try await NextReader(service, keeping: store.friends).next(count)
      for item in items { #expect(ids.insert(item.id).inserted) }
      repeats += summary.duplicates
    }
    #expect(ids == Set((0..<24).map(String.init)))
    #expect(repeats == 2)
  }

  @Test("in an endless list a record that was stored before is a repeat")
  func repeatedWithoutEnd() async throws {
    try await store.friends.land([Friend(2)], from: .page(1))
    let endless = Service(.numbered(size: 2, end: .never)) { place, service in
      Page(of: service, [Friend(place.number), Friend(place.number + 1)])
    }
    let summary = try await NextReader(endless, keeping: store.friends).next(4).summary
    #expect(summary.duplicates == 3)
  }

  @Test("after reset an ended list is asked again, since it may have grown")
  func grown() async throws {
    let service = Service(Self.offsets, Service.list(20))
    #expect(try await next(50, service).verdict == .complete)
    service.become(Service.list(23))
    try await store.friends.reset()
    let again = try await next(50, service)
    #expect(again.ids == (0..<23).map(String.init))
    #expect(again.verdict == .complete)
  }

  @Test("a person who insists has an ended list asked again, and sees the new records")
  func insistent() async throws {
    let service = Service(Self.offsets, Service.list(20))
    #expect(try await next(50, service).verdict == .complete)
    service.become(Service.list(23))
    #expect(try await next(50, service).ids == [])
    let again = try await insisting(50, service)
    #expect(again.items.map(\.id) == ["20", "21", "22"])
    #expect(again.summary.verdict == .complete)
    // A service that does not answer leaves the end where it was.
    service.become { _, _ in throw SourceError(.unreachable, "gone") }
    await #expect(throws: SourceError.self) { try await insisting(5, service) }
    #expect(try await next(5, service) == ([], .complete))
  }

  @Test("while the service makes one wait no record is taken", .enabled(if: !TestServer.isThere))
  func waiting() async throws {
    try await store.friends.land((0..<5).map { Friend($0) }, from: .page(1))
    let waiting = Mutex(0)
    let file = try #require(store as? SQLiteStore)
    let service = Service(Self.offsets) { place, service in
      waiting.withLock {
        $0 = (try? file.number("SELECT coalesce(max(body ->> '$.shown'), 0) FROM source_state WHERE name = 'next'")) ?? -1
      }
      return try Service.list(30)(place, service)
    }
    #expect(try await next(8, service).ids.count == 8)
    #expect(waiting.withLock { $0 } == 0)
  }

  @Test(
    "runs of one request each come to the end, also where a page is only looked at: the list moved, or odd offsets are refused",
    arguments: [true, false])
  func oneRequestARun(isMoving: Bool) async throws {
    let left = Mutex(0)
    let service = Service(Self.offsets) { place, service in
      try left.withLock {
        guard $0 > 0 else { throw SourceError(.budgetSpent, "the budget of 1/1h is spent") }
        $0 -= 1
      }
      if !isMoving, place.number % 10 != 0 { throw SourceError(.badRequest, "an odd offset") }
      // One of the shown records is deleted once the first page has come.
      let friends = (0..<35).filter { !isMoving || $0 != 5 || service.asked.count == 1 }
      return Page(of: service, friends.dropFirst(place.number).prefix(10).map { Friend($0) }, total: friends.count)
    }
    var (ids, verdict, runs): ([String], Verdict?, Int) = ([], nil, 0)
    while verdict != .complete, runs < 9 {
      left.withLock { $0 = 1 }
      do {
        let run = try await next(50, service)
        (ids, verdict) = (ids + run.ids, run.verdict)
      } catch let error as SourceError where error.kind == .budgetSpent {}
      runs += 1
    }
    #expect(ids == (0..<35).map(String.init))
    #expect(verdict == .complete && runs < 9)
  }

  @Test("a page that is only looked at moves no position that another run has moved meanwhile")
  func overtakenLook() async throws {
    let service = Service(Self.offsets, Service.list(35))
    _ = try await next(10, service)
    let other = Service(Self.offsets, Service.list(35))
    let mine = FriendList(Self.offsets) { [store] request, list in
      let place = try request.place(in: list).number
      // The early place is refused. Before the next request fails, another shell stores the next page.
      guard place % 10 == 0 else { throw SourceError(.badRequest, "an odd offset") }
      try await NextReader(other, keeping: store.friends).fetchOne()
      throw SourceError(.budgetSpent, "the budget of 1/1h is spent")
    }
    await #expect { try await NextReader(mine, keeping: store.friends).fetchOne() } throws: { error in
      (error as? SourceError)?.kind == .budgetSpent
    }
    #expect(try await store.friends.position().rowsBefore == 19)
    #expect(try await next(50, service) == ((10..<35).map(String.init), .complete))
  }

  @Test("a list whose last page is proven only by another request ends for good", arguments: [Paging.End.total, .emptyPage])
  func proven(end: Paging.End) async throws {
    let service = Service(.numbered(size: 50, end: end, lookingBack: true)) { place, service in
      let rows = (0..<60).map { Friend($0) }.dropFirst((place.number - 1) * place.size).prefix(place.size)
      return Page(of: service, Array(rows), total: end == .total ? 60 : nil)
    }
    #expect(try await next(1_000, service).ids.count == 60)
    #expect(try await store.friends.position().ended == .complete)
    #expect(try await next(1_000, service) == ([], .complete))
  }

  @Test("in an endless list an empty page is an error, and the next run asks again")
  func empty() async throws {
    let endless = Service(.numbered(size: 10, end: .never)) { _, service in Page(of: service, []) }
    for _ in 0..<2 {
      await #expect { try await next(5, endless) } throws: { ($0 as? SourceError)?.kind == .malformed }
    }
    #expect(endless.asked == [1, 1])
    #expect(try await store.friends.position().ended == nil)
  }

  @Test("an endless list may still have a last page")
  func lastPage() async throws {
    let endless = Service(.numbered(size: 2, end: .never)) { place, service in
      Page(of: service, [Friend(place.number)], next: place.number == 3 ? .end : .advance)
    }
    #expect(try await next(9, endless) == (["1", "2", "3"], .unverifiable))
    #expect(try await next(9, endless) == ([], .unverifiable))
    #expect(endless.asked == [1, 2, 3])
  }

  @Test("in an endless list up to five pages without a new record are skipped")
  func barren() async throws {
    let endless = Service(.numbered(size: 10, end: .never)) { place, service in
      Page(of: service, [Friend(place.number == 5 ? 2 : 1)])
    }
    #expect(try await next(2, endless) == (["1", "2"], .bounded))
    #expect(try await next(2, endless) == ([], .partial(.loop)))
    #expect(endless.asked == Array(1...10))
  }

  @Test("an error after some records keeps them, and a cancellation gives them back")
  func stopped() async throws {
    let service = Service(Self.offsets) { place, service in
      guard place.number == 0 else { throw SourceError(.unreachable, "gone") }
      return try Service.list(30)(place, service)
    }
    let first = try await next(5, service)
    #expect(first.verdict == .bounded)
    let second = try await next(10, service)
    #expect(second.ids == ["5", "6", "7", "8", "9"])
    #expect(second.verdict == .partial(.failed(SourceError(.unreachable, "gone"))))

    try await store.friends.reset()
    service.become { _, _ in throw CancellationError() }
    await #expect(throws: CancellationError.self) { try await next(50, service) }
    service.become(Service.list(30))
    #expect(try await next(50, service).ids == (0..<30).map(String.init))
  }

  @Test(
    "a stored row that can no longer be read is skipped and counted", .enabled(if: !TestServer.isThere),
    arguments: [#"{"id":"2"}"#, #"{"id":"2","name":"Fri"#, "", "[2]", "2"])
  func unreadable(body: String) async throws {
    try await store.friends.land((1...3).map { Friend($0) }, from: .page(1))
    try #require(store as? SQLiteStore).run("UPDATE friends_record SET body = '\(body)' WHERE id = '2'")
    let (items, summary) = try await NextReader(nil, keeping: store.friends).next(2)
    #expect(items.map(\.id) == ["1", "3"])
    #expect(summary.skipped == 1)
    for query in [Query.everything, .matching("friend")] where body != #"{"id":"2"}"# || query == .everything {
      let walk = try await store.walk(query)
      #expect(walk.items.map(\.id) == ["1", "3"] && walk.summary.skipped == 1)
    }
  }
}

@Suite("The position of next") final class PositionTests: FileSuite {
  @Test("a store is empty until a record came, and counts as used when all are deleted")
  func emptiness() async throws {
    #expect(try await friends.isEmpty)
    try await friends.land([Friend(1)], from: .page(1))
    try await friends.delete("1", at: Moment(secondsSinceEpoch: 1))
    #expect(try await friends.count == 0)
    #expect(try await !friends.isEmpty)
  }

  @Test("ten processes that take at once share the records: none twice, all exactly once")
  func together() async throws {
    let path = scratch["store.db"]
    do {
      let land = try Probe("land", path)
      while !land.read(atLeast: 1).contains("\n") {}
      land.kill()
      land.end()
    }
    let probes = try (0..<10).map { _ in try Probe("next", path) }
    let ends = probes.map { $0.end() }
    #expect(ends.allSatisfy { $0.status == 0 })
    let shown = ends.flatMap(\.lines)
    #expect(shown.count == Set(shown).count)
    let store = try Connection(path)
    #expect(try store.number("SELECT count(*) FROM users_record") == shown.count)
  }

  @Test(
    "a cursor that was read from a text gives the same text",
    arguments: ["users page 3", "users.cached offset 200", "users token a b%20c", "users token "])
  func cursors(text: String) throws {
    #expect(try #require(Cursor(text: text)).text == text)
  }

  @Test(
    "a text that lacks a source, a way of paging or a place is not a cursor",
    arguments: ["", "users", "users page", "users page x", " page 3", "users line 3"])
  func noCursors(text: String) { #expect(Cursor(text: text) == nil) }
}
