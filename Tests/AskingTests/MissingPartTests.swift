import AggregatorCore
import Asking
import Services
import SourceTesting
import Store
import Synchronization
import Testing

/// The report of a source after its description, its key, its rows or the clock have changed.
final class MissingPartTests {
  private let store = StoreInMemory()
  private let clock = TestClock()
  private let requests = RequestsInMemory()
  /// The size of each row, as the service sends it.
  private let size = Mutex<Value>(.int(1))

  /// Returns a source of ten things whose fields have these members beside the usual ones.
  private func source(_ more: String = "", key: String = "id", size: String = "integer") throws -> SourceDescriptor {
    let text = """
      {"aggregator": 1, "address": {"setting": "SHOP_URL", "default": "https://shop.example/"}, "budget": "5/1h",
       "keys": [{"setting": "SHOP_KEY", "header": "X-Key"}],
       "sources": {"things": {"summary": "Things", "list": {"path": "things", "query": {"skip": "{offset}", "take": "{size}"}},
        "rows": "rows", "key": "\(key)", "fields": [{"name": "id", "type": "integer"}, {"name": "other", "type": "integer"},
         {"name": "size", "type": "\(size)"}\(more)],
        "paging": {"by": "offset", "size": 20, "total": "total", "end": "total"}}}}
      """
    return try Manifest(Array(text.utf8), file: "shop.json").source("things").descriptor
  }

  private func world(for source: SourceDescriptor, key: String = "A", clock: TestClock? = nil) -> World {
    let size = size.withLock(\.self)
    let transport = StubTransport { _, _ in
      let rows = (0..<10).map { ["id": .int($0), "other": .int($0 + 100), "size": size, "deep": ["size": .int($0)]] as Value }
      return HTTPResponse(status: 200, body: (["rows": .list(rows), "total": .int(10)] as Value).bytes)
    }
    var world = World(
      settings: Settings(declared: source.settings, flags: ["SHOP_KEY": key]), transport: transport, keepingIn: store)
    (world.clock, world.patience, world.budgets) = (clock ?? self.clock, .none, requests)
    return world
  }

  @discardableResult
  private func sync(_ source: SourceDescriptor, freezing isFreezing: Bool = false) async throws -> StoringOutcome {
    var ask = Ask(of: source.name)
    ask.terms.reach = .live
    return try await source.open(ask, in: world(for: source)).sync(ask, SyncWishes(full: true, freezing: isFreezing))
  }

  private func report(_ source: SourceDescriptor, key: String = "A") async throws -> SourceReport {
    try await source.report(in: world(for: source, key: key))
  }

  @Test("a sync that froze leaves the list as old as it was, and says how many rows it did not store")
  func frozen() async throws {
    let source = try source()
    try await sync(source)
    let first = clock.now
    clock.advance(by: .seconds(7_200))
    size.withLock { $0 = .text("large") }
    try await sync(source, freezing: true)
    let report = try await report(source)
    #expect(report.status?.asOf == first && report.age == .seconds(7_200))
    #expect(report.missing.map(\.kind) == [.frozen] && report.missing.first?.count == 10)
    #expect(report.shortfalls(of: [.age(below: .seconds(3_600))]).count == 1)
  }

  @Test("an audit counts only for the list that it compared")
  func otherList() async throws {
    let source = try source()
    try await sync(source)
    clock.advance(by: .seconds(7_200))
    var ask = Ask(of: source.name)
    ask.terms.reach = .live
    _ = try await source.open(ask, in: world(for: source)).audit(ask, AuditWishes(seed: 1))
    #expect(try await report(source).shortfalls(of: [.audited(within: .seconds(60))]).isEmpty)
    let other = try self.source(key: "other")
    #expect(try await report(other).missing.map(\.kind) == [.outdated])
    #expect(try await report(other).shortfalls(of: [.audited(within: .seconds(60))]).map(\.description) == ["the list was never audited"])
  }

  @Test("a field that a person adds has no values until the next full sync, before anything is read")
  func newField() async throws {
    try await sync(source())
    let more = try source(#", {"name": "deep", "path": "deep.size", "type": "integer"}"#)
    let report = try await report(more)
    #expect(report.status?.unknown == ["deep"] && report.missing.map(\.kind) == [.outdated])
    #expect(report.missing.first?.reason == "deep: no values yet")
  }

  @Test("an answer that looks at a field without values yet is not complete, and says why", arguments: [World.Reach.offline, .live])
  func newFieldInAnswers(reach: World.Reach) async throws {
    try await sync(source())
    let more = try source(#", {"name": "deep", "path": "deep.size", "type": "integer"}"#)
    let (verdict, reason): (Verdict, String?) = reach == .offline ? (.unverifiable, "deep gets values at the next sync") : (.complete, nil)
    for (condition, counts) in [("deep>5", (0, 4)), ("deep=null", (10, 0)), ("deep!=5", (10, 9))] {
      var ask = Ask(of: "things")
      (ask.terms.reach, ask.limit) = (reach, nil)
      ask.conditions = [try RecordCondition(condition, on: more.fields.leaves, at: clock.now)]
      var list = try more.open(ask, in: world(for: more)).records(for: ask)
      while try await list.nextRecords() != nil {}
      #expect(list.summary.given == (reach == .offline ? counts.0 : counts.1))
      #expect(list.summary.verdict == verdict && list.summary.reason == reason)
    }
    var ask = Ask(of: "things")
    (ask.terms.reach, ask.requirements) = (reach, [.complete])
    let sum = try await more.open(ask, in: world(for: more)).count(ask, CountWishes(sum: FieldPath(["deep"])))
    #expect(sum.summary.verdict == verdict && sum.summary.reason == reason)
    #expect(sum.outcome.unmet.map(\.requirement) == (reach == .offline ? [.complete] : []))
  }

  /// Runs a statement over what is stored of a source.
  private func run(_ text: String, over source: SourceDescriptor) async throws -> (rows: [[Value]], summary: Summary) {
    var answer = try await Catalogue([source]).answer(to: Statement(text), in: world(for: source), by: SQLiteQueries())
    var rows: [[Value]] = []
    while let more = try await answer.nextRows() { rows += more }
    return (rows, answer.summary)
  }

  @Test("a statement reads the records by the present description, and is not complete over a field without values yet")
  func statements() async throws {
    try await sync(source())
    let texts = try await run("SELECT DISTINCT typeof(size), count(*) FROM things", over: source(size: "text"))
    #expect(texts.rows == [[.text("text"), .int(10)]] && texts.summary.verdict == .complete)
    let more = try source(#", {"name": "deep", "path": "deep.size", "type": "integer"}"#, size: "text")
    for text in [
      "SELECT count(*) FROM things WHERE deep > 5", "SELECT count(deep) FROM things", "SELECT count(*) FROM things_all WHERE deep",
    ] {
      let unknown = try await run(text, over: more)
      #expect(unknown.rows == [[.int(0)]] && unknown.summary.verdict == .unverifiable)
      #expect(unknown.summary.reason == "deep gets values at the next sync")
    }
    #expect(try await run("SELECT count(id) FROM things", over: more).summary.verdict == .unverifiable)
    try await sync(more)
    let known = try await run("SELECT count(*) FROM things WHERE deep > 5", over: more)
    #expect(known.rows == [[.int(4)]] && known.summary.verdict == .complete)
  }

  @Test("of records that are no longer listed the report says what helps, since another sync does not")
  func unlisted() async throws {
    let shops = TwoShops()
    try await shops.sync("people", (0..<40).map { person($0, "Ann", "Oslo") })
    try await shops.sync("people", [person(0, "Ann", "Oslo")])
    let people = try #require(try shops.catalogue()["people"])
    let part = try await people.report(in: shops.world()).missing.first
    let cure = Remedy.ask(Remedy.Call("sync", with: ["accept-gone"]), "if the service really removed them")
    #expect(part?.count == 39 && part?.remedy == cure)
  }

  @Test("the list of another key is not complete, whatever it was for its owner")
  func otherKey() async throws {
    let source = try source()
    try await sync(source)
    #expect(try await report(source).shortfalls(of: [.complete]).isEmpty)
    let stranger = try await report(source, key: "B")
    #expect(stranger.state == .failing && stranger.status?.verdict == nil && stranger.missing.map(\.kind) == [.refused])
    #expect(
      stranger.shortfalls(of: [.complete]).map(\.description) == [
        "the stored list is another one: the stored things are those of another key"
      ])
  }

  @Test("the age of a list that is dated later than now is not known")
  func future() async throws {
    let source = try source()
    clock.advance(by: .seconds(86_400))
    try await sync(source)
    let report = try await source.report(in: world(for: source, clock: TestClock()))
    #expect(report.shortfalls(of: [.age(below: .seconds(3_600))]).map(\.description).first?.contains("dated later than now") == true)
  }

  @Test("the rest of the budget is told, and when it is whole again")
  func budget() async throws {
    let source = try source()
    #expect(try await report(source).budgetLeft?.count == 5)
    try await sync(source)
    let left = try #require(try await report(source).budgetLeft)
    #expect(left.count == 4 && left.whole == clock.now + .seconds(3_600))
    clock.advance(by: .seconds(3_601))
    #expect(try await report(source).budgetLeft?.count == 5)
  }
}
