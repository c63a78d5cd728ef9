import AggregatorCore
import Asking
import SourceTesting
import Testing

/// Lists as of an earlier time, and the history of a record.
@Suite struct PastTests {
  private let shops = TwoShops()

  private func sync(_ people: Value...) async throws { try await shops.sync("people", people) }

  /// The names that were there at a moment.
  private func names(asOf moment: Moment) async throws -> [String] {
    var ask = Ask(of: "people")
    (ask.terms.reach, ask.terms.asOf, ask.limit) = (.offline, moment, nil)
    var answer = try shops.catalogue().open(ask, in: shops.world()).records(for: ask)
    var names: [String] = []
    while let page = try await answer.nextRecords() { names += page.compactMap(\.title) }
    return names
  }

  private func reason(asOf moment: Moment) async -> String? {
    do {
      return "given: \(try await names(asOf: moment))"
    } catch { return (error as? SourceError)?.message }
  }

  @Test("a list is known from the end of its first complete sync on")
  func beginning() async throws {
    let before = shops.clock.now
    #expect(await reason(asOf: before)?.contains("no sync has stored the whole list") == true)
    try await sync(person(1, "Ann", "Oslo"))
    let first = shops.clock.now
    try await sync(person(2, "Bea", "Rome"))
    #expect(try await names(asOf: first) == ["Ann"])
    #expect(try await names(asOf: shops.clock.now) == ["Bea"])
    #expect(await reason(asOf: before - .seconds(1))?.contains("the end of its first complete sync") == true)
    // Of two moments in one minute, the seconds tell which is the earlier one.
    let asked = before - .seconds(1)
    #expect(await reason(asOf: asked)?.contains("\(asked.iso.dropFirst(11).prefix(12)) UTC") == true)
    #expect(throws: SourceError.self) { try Moment(past: "2999", at: first) }
    #expect(throws: SourceError.self) { try Moment(past: "last", at: first) }
  }

  @Test("changes that were dropped are told, and a list before them is not known")
  func dropped() async throws {
    func all(_ city: String) -> [Value] { (0..<6_000).map { person($0, "P\($0)", city) } }
    try await shops.sync("people", all("Oslo"))
    let first = shops.clock.now
    try await shops.sync("people", all("Rome"))
    let second = shops.clock.now
    #expect(try await names(asOf: first).count == 6_000)
    try await shops.sync("people", all("Paris"))
    #expect(await reason(asOf: first)?.contains("the last 10000 changes") == true)
    #expect(try await names(asOf: second).count == 6_000)
    let history = try await shops.history("5999")
    #expect(history.isCut && history.knownSince.map { $0 > first } == true)
  }

  @Test("after a clock was put back the states are those in which they were stored")
  func clockPutBack() async throws {
    try await sync(person(1, "Ann", "Oslo"))
    let first = shops.clock.now
    shops.clock.advance(by: .seconds(7_200))
    try await sync(person(1, "Ann", "Oslo"), person(2, "Bea", "Rome"))
    shops.clock.advance(by: .seconds(-7_200))
    try await sync(person(2, "Bea", "Rome"))
    #expect(try await names(asOf: first) == ["Ann"])
    #expect(try await names(asOf: shops.clock.now) == ["Bea"])
  }

  @Test("records that came between two syncs are changes too, but not those of a person's file")
  func between() async throws {
    try await sync(person(1, "Ann", "Oslo"))
    let first = shops.clock.now
    shops.clock.advance(by: .seconds(60))
    let archive = try shops.archive()
    func land(_ id: Int, _ name: String, _ request: String, _ rule: Batch.Rule) async throws {
      let record = try archive.schema.read(JSON(Array(#"{"id":\#(id),"name":"\#(name)"}"#.utf8)))
      try await archive.land([record], from: Fetch(at: shops.clock.now, request: request, place: ""), rule: rule)
    }
    try await land(2, "Bea", "next", .firstStays)
    try await land(3, "Cid", Fetch.importing, .imported(since: shops.clock.now))
    #expect(try await names(asOf: shops.clock.now) == ["Ann", "Bea", "Cid"])
    #expect(try await names(asOf: first) == ["Ann"])
    let ask = Ask(of: "people")
    let changes = try await shops.catalogue().open(ask, in: shops.world()).changes(ask).changes
    #expect(changes.map(\.id) == ["2"] && changes.map(\.kind) == [.new])
    var past = ask
    (past.terms.reach, past.terms.asOf) = (.offline, first)
    #expect(try await shops.catalogue().open(past, in: shops.world()).count(past).summary.verdict?.kind == "partial")
    let imported = shops.clock.now
    shops.clock.advance(by: .seconds(60))
    // A sync that finds an imported record in the list notes it as new there.
    try await sync(person(1, "Ann", "Oslo"), person(2, "Bea", "Rome"), person(3, "Cid", "Oslo"))
    #expect(try await shops.catalogue().open(past, in: shops.world()).count(past).summary.verdict?.kind == "partial")
    #expect(try await names(asOf: first) == ["Ann"])
    #expect(try await shops.history("3").changes.map(\.kind) == [.new])
    // What was imported by then and found since is missing, and the answer says that.
    past.terms.asOf = imported
    #expect(try await names(asOf: imported) == ["Ann", "Bea"])
    #expect(try await shops.catalogue().open(past, in: shops.world()).count(past).summary.verdict?.kind == "partial")
  }

  @Test("the history of a record has every value, and says since when it is known")
  func history() async throws {
    try await sync(person(1, "Ann", "Oslo"), person(2, "Bea", "Rome"))
    try await sync(person(1, "Ann", "Paris"))
    try await sync(person(1, "Anna", "Paris"), person(2, "Bea", "Rome"))
    let ann = try await shops.history("1")
    #expect(ann.changes.map(\.kind) == [.changed, .changed, .known])
    #expect(ann.changes.map { $0.difference?.leaf.path.text } == ["name", "city", nil])
    #expect(ann.changes.last?.at == ann.knownSince)
    #expect(try await shops.history("2").changes.map(\.kind) == [.new, .gone, .known])
    let missing = await #expect(throws: SourceError.self) { try await shops.history("9") }
    #expect(missing?.kind == .notFound)
  }

  @Test("the history in SQL has what syncs found, and not a person's edits")
  func edits() async throws {
    try await sync(person(1, "Ann", "Oslo"), person(2, "Bea", "Rome"))
    try await sync(person(1, "Ann", "Oslo"), person(2, "Bea", "Paris"))
    let archive = try shops.archive()
    let mine = try [1, 2].map { try archive.schema.read(JSON(Array(#"{"id":\#($0),"name":"Mine"}"#.utf8))) }
    let file = Fetch(at: shops.clock.now, request: Fetch.importing, place: "line 1")
    try await archive.land(mine, from: file, rule: .imported(since: shops.clock.now, replacing: true))
    #expect(try await shops.rows("SELECT DISTINCT name FROM people") == [[.text("Mine")]])
    let states = try await shops.rows("SELECT id, name, city FROM people_history ORDER BY id, since")
    #expect(
      states == [
        [.int(1), .text("Ann"), .text("Oslo")], [.int(2), .text("Bea"), .text("Rome")], [.int(2), .text("Bea"), .text("Paris")],
      ])
  }

  @Test("a record that only a person imported is known from the import on, until a sync meets it")
  func imported() async throws {
    try await sync(person(1, "Ann", "Oslo"))
    shops.clock.advance(by: .seconds(60))
    let archive = try shops.archive()
    let record = try archive.schema.read(JSON(Array(#"{"id":2,"name":"Bea"}"#.utf8)))
    let fetch = Fetch(at: shops.clock.now, request: Fetch.importing, place: "")
    try await archive.land([record], from: fetch, rule: .imported(since: shops.clock.now))
    let bea = try await shops.history("2").changes
    #expect(bea.map(\.kind) == [.imported] && bea.map(\.at) == [fetch.at])
    let states = try await shops.rows(
      "SELECT change, since > (SELECT since FROM people_history WHERE id = 1) FROM people_history WHERE id = 2")
    #expect(states == [[.text("imported"), .int(1)]])
  }

  @Test("a record in full is the one of then, and a search finds what was there")
  func showing() async throws {
    try await sync(person(1, "Ann", "Oslo"))
    let first = shops.clock.now
    try await sync(person(1, "Bob", "Rome"))
    var ask = Ask(.matching("ann"), of: "people")
    (ask.terms.reach, ask.terms.asOf) = (.offline, first)
    let source = try shops.catalogue().open(ask, in: shops.world())
    #expect(try await source.show("1", ask).record.title == "Ann")
    var answer = source.records(for: ask)
    #expect(try await answer.nextRecords()?.compactMap(\.title) == ["Ann"])
    let origin = answer.summary.origin
    #expect(origin?.kind == .cache && origin?.reason?.message.contains("as it was stored on") == true)
  }
}

extension TwoShops {
  fileprivate func history(_ id: String) async throws -> RecordHistory {
    let ask = Ask(.record(id), of: "people")
    return try await catalogue().open(ask, in: world()).history(of: id, ask)
  }
}
