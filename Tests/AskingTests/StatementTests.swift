import AggregatorCore
import Asking
import SourceTesting
import Store
import StoreTables
import Synchronization
import Testing

func person(_ id: Int, _ name: String, _ city: String) -> Value {
  ["id": .int(id), "name": .text(name), "city": .text(city)]
}

@Suite struct StatementTests {
  private let shops = TwoShops()

  private func syncPeople() async throws {
    try await shops.sync("people", [person(1, "Ann", "Oslo"), person(2, "Bea", "Rome"), person(3, "Cid", "Oslo")])
  }

  @Test("the verdict is the weakest of the lists that were read, each told with its age")
  func verdicts() async throws {
    try await syncPeople()
    shops.extra.withLock { $0 = 7 }
    try await shops.sync("orders", [["id": .int(1), "person": .int(1)], ["id": .int(2), "person": .int(3)]])
    let one = try await shops.answer("SELECT name FROM people ORDER BY id")
    #expect(one.rows == [[.text("Ann")], [.text("Bea")], [.text("Cid")]])
    #expect(one.answer.lists.map(\.source) == ["people"])
    #expect(one.answer.summary.verdict == .complete)
    #expect(one.answer.summary.origin?.age == .seconds(7_201))
    #expect(one.answer.notices.map { $0.text(of: "", at: shops.clock.now) } == ["people, 2 h ago: complete"])
    let both = try await shops.answer("SELECT count(*) FROM people p JOIN orders o ON o.person = p.id") {
      $0.requirements = [.complete, .age(below: .seconds(3_700))]
    }
    #expect(both.rows == [[.int(2)]])
    #expect(both.answer.summary.verdict?.kind == "partial")
    #expect(both.answer.lists.map(\.source) == ["people", "orders"])
    #expect(both.answer.unmet.map(\.requirement) == [.complete, .age(below: .seconds(3_700))])
    for join in ["JOIN (SELECT person AS id FROM orders) USING(id)", "NATURAL JOIN (SELECT person AS id FROM orders)", ", orders"] {
      let joined = try await shops.answer("SELECT count(*) FROM people \(join)").answer
      #expect(joined.lists.map(\.source) == ["people", "orders"] && joined.summary.verdict?.kind == "partial", "\(join)")
    }
    let mistake = await #expect(throws: QueryMistake.self) { try await shops.answer("SELECT * FROM odrers") }
    #expect(mistake?.nearest == "orders")
    // A source that is only mentioned in a text was not read.
    #expect(try await shops.answer("SELECT 'orders' FROM people").answer.lists.map(\.source) == ["people"])
    #expect(try await shops.answer("SELECT 1").answer.summary.verdict == .complete)
  }

  @Test("a list of which nothing is stored has no rows, and is not complete")
  func nothing() async throws {
    let empty = try await shops.answer("SELECT * FROM people")
    #expect(empty.rows.isEmpty && empty.answer.summary.verdict?.kind == "partial")
  }

  @Test("a list of another key is an error, unless the statement does not read it")
  func otherKey() async throws {
    try await syncPeople()
    try await shops.sync("orders", [["id": .int(1)]])
    #expect(try await shops.answer("SELECT count(*), 'people' FROM orders", key: "B").rows == [[.int(1), .text("people")]])
    let error = await #expect(throws: SourceError.self) { try await shops.answer("SELECT * FROM people", key: "B") }
    #expect(error?.source == "people" && error?.message.contains("another key") == true)
    // The changes of all sources lack those of that list.
    let changes = try await shops.answer("SELECT * FROM changes", key: "B").answer
    #expect(changes.lists.map(\.source) == ["people", "orders"] && changes.summary.verdict?.kind == "partial")
  }

  @Test("deleted and gone records are in NAME_all alone, with their times")
  func fates() async throws {
    try await syncPeople()
    try await shops.sync("people", [person(1, "Ann", "Oslo"), person(3, "Cid", "Oslo")])
    let archive = try shops.archive()
    try await archive.delete("3", at: shops.clock.now)
    #expect(try await shops.rows("SELECT id FROM people") == [[.int(1)]])
    #expect(try await shops.rows("SELECT id FROM people WHERE id = 2 OR id = 3").isEmpty)
    let all = try await shops.rows(
      "SELECT id, deleted_at IS NOT NULL, gone_at < deleted_at, fetched_at IS NOT NULL FROM people_all ORDER BY id")
    #expect(
      all == [
        [.int(1), .int(0), .null, .int(1)], [.int(2), .int(0), .null, .int(1)], [.int(3), .int(1), .null, .int(1)],
      ])
    #expect(try await shops.rows("SELECT id FROM people_all WHERE gone_at IS NOT NULL") == [[.int(2)]])
  }

  @Test("the history has each state of a record, from when and until when it was so")
  func history() async throws {
    try await syncPeople()
    try await shops.sync("people", [person(1, "Ann", "Paris"), person(3, "Cid", "Oslo")])
    try await shops.sync("people", [person(1, "Ann", "Paris"), person(2, "Bea", "Rome"), person(3, "Cid", "Oslo")])
    let ann = try await shops.rows("SELECT city, change, until IS NULL FROM people_history WHERE id = 1 ORDER BY since")
    #expect(ann == [[.text("Oslo"), .text("known"), .int(0)], [.text("Paris"), .text("changed"), .int(1)]])
    let bea = try await shops.rows("SELECT change, since < until, until IS NULL FROM people_history WHERE id = 2 ORDER BY since")
    #expect(bea == [[.text("known"), .int(1), .int(0)], [.text("new"), .null, .int(1)]])
    #expect(try await shops.rows("SELECT count(*) FROM people_history") == [[.int(5)]])
    let changes = try await shops.rows("SELECT change, id, field, before, after FROM changes ORDER BY at, id")
    #expect(
      changes == [
        [.text("changed"), .text("1"), .text("city"), .text("Oslo"), .text("Paris")], [.text("gone"), .text("2"), .null, .null, .null],
        [.text("new"), .text("2"), .null, .null, .null],
      ])
    #expect(try await shops.answer("SELECT * FROM changes").answer.lists.map(\.source) == ["people"])
  }

  @Test("the rows that a sync could not read count as skipped")
  func skipped() async throws {
    try await shops.sync("people", [person(1, "Ann", "Oslo"), ["name": "Bea"]])
    #expect(try await shops.answer("SELECT * FROM people").answer.summary.skipped == 1)
  }

  @Test("an empty list in place of null is a change")
  func emptyList() async throws {
    try await shops.sync("people", [["id": 1, "name": "Ann", "person": []]])
    try await shops.sync("people", [["id": 1, "name": "Ann", "person": .null]])
    #expect(try await shops.rows("SELECT change, field FROM changes") == [[.text("changed"), .text("person")]])
  }

  @Test("times compare as moments, however they are written")
  func times() async throws {
    let times = ["2024-01-01T10:00:00Z", "2024-01-01T10:00:00.5Z", "2024-01-01T10:00:01Z", "2024-01-01T12:00:00", "2024-01-02T00:00:00Z"]
    try await shops.sync("people", times.enumerated().map { ["id": .int($0), "name": "Ann", "born": .text($1)] })
    func ids(_ condition: String) async throws -> [Value] {
      try await shops.rows("SELECT id FROM people WHERE \(condition)").flatMap(\.self)
    }
    #expect(try await ids("true ORDER BY born") == [.int(0), .int(1), .int(2), .int(3), .int(4)])
    #expect(try await ids("born > '2024-01-01T10:00:00Z'") == [.int(1), .int(2), .int(3), .int(4)])
    #expect(try await ids("born <= '2024-01-01T10:00:00Z'") == [.int(0)])
    #expect(try await ids("born = '2024-01-01T12:00:00Z'") == [.int(3)])
    #expect(try await ids("born = '2024-01-01T13:00:00+01:00'") == [.int(3)])
    #expect(try await ids("born >= '2024-01-02'") == [.int(4)])
    #expect(try await ids("born < '2024'").isEmpty)
    #expect(try await ids("born < 'x'").count == 5)
    #expect(try await ids("born LIKE '2024-01-01T10%'").count == 3)
  }

  @Test("values that do not fit have a column of their own, and take no part in sums and comparisons")
  func misfits() async throws {
    let values: [Value] = [1, 2, "1,5", "3 items", true]
    try await shops.sync("people", values.enumerated().map { ["id": .int($0), "name": "Ann", "person": $1] })
    #expect(try await shops.rows("SELECT sum(person) FROM people") == [[.int(3)]])
    #expect(try await shops.rows("SELECT id FROM people WHERE person > 100").isEmpty)
    let others = try await shops.answer(#"SELECT "person (other)" FROM people WHERE person IS NULL ORDER BY id"#)
    #expect(others.rows == [[.text("1,5")], [.text("3 items")], [.int(1)]])
    #expect(others.answer.notices.contains { "\($0)".contains("person (other)") })
  }

  @Test("numbers and times that do not fit are in a column of their own too, as they came")
  func misfitsOfOneKind() async throws {
    let huge: Value = .decimal(try DecimalNumber(JSON(Array("1e400".utf8)), as: .own))
    let times = ["2024-03-31T24:00:00Z", "2024-03-31", "2024-03-31T10:00:00Z"]
    let weights: [Value] = [huge, .double(0.5), 2]
    try await shops.sync("people", (0..<3).map { ["id": .int($0), "name": "Ann", "born": .text(times[$0]), "weight": weights[$0]] })
    #expect(try await shops.rows("SELECT sum(weight), max(born) FROM people") == [[.double(2.5), .text(times[2])]])
    let others = #"SELECT "weight (other)", "born (other)" FROM people ORDER BY id"#
    #expect(try await shops.rows(others) == [[.text("1e400"), .text(times[0])], [.null, .null], [.null, .null]])
  }

  @Test("a statement that reads what only records in full have says that lists have none of it")
  func details() async throws {
    try await syncPeople()
    let answer = try await shops.answer("SELECT count(*) FROM people WHERE life IS NULL").answer
    #expect(answer.notices.contains { "\($0)".contains("people: lists have no life, a record in full has") })
    #expect(try await shops.answer("SELECT name FROM people").answer.notices.allSatisfy { !"\($0)".contains("life") })
    var ask = Ask(of: "people")
    (ask.terms.reach, ask.limit) = (.offline, nil)
    for (text, given) in [("life=null", 3), ("life~a", 0), ("life!=a", 3)] {
      let leaves = try shops.catalogue().sources[0].fields.leaves
      ask.conditions = [try RecordCondition(text, on: leaves, at: shops.clock.now)]
      var list = try shops.catalogue().open(ask, in: shops.world()).records(for: ask)
      while try await list.nextRecords() != nil {}
      #expect(list.summary.verdict == .unverifiable && list.summary.given == given)
      #expect(list.summary.reason == "lists have no life, a record in full has")
    }
  }

  @Test("as of an earlier time a statement reads the lists as they were then, with the verdict of then")
  func past() async throws {
    try await syncPeople()
    let first = shops.clock.now
    shops.extra.withLock { $0 = 5 }
    try await shops.sync("people", [person(1, "Ann", "Paris"), person(4, "Dan", "Rome")])
    let statement = "SELECT name, city FROM people ORDER BY id"
    let past = try await shops.answer(statement) { $0.asOf = first }
    #expect(past.rows == [[.text("Ann"), .text("Oslo")], [.text("Bea"), .text("Rome")], [.text("Cid"), .text("Oslo")]])
    #expect(past.answer.summary.verdict == .complete)
    #expect(try await shops.answer(statement) { $0.asOf = shops.clock.now }.answer.summary.verdict?.kind == "partial")
    #expect(try await shops.answer("SELECT * FROM changes") { $0.asOf = first }.rows.isEmpty)
    #expect(try await shops.answer("SELECT DISTINCT city FROM people_history WHERE id = 1") { $0.asOf = first }.rows == [[.text("Oslo")]])
    let early = await #expect(throws: SourceError.self) {
      try await shops.answer(statement) { $0.asOf = Moment(secondsSinceEpoch: 0) }
    }
    #expect(early?.message.contains("is not known") == true)
  }

  @Test("NAME_search finds what search finds, the best first")
  func search() async throws {
    try await shops.sync("people", [person(1, "Annabel", "Oslo"), person(2, "Ann", "Rome"), person(3, "Cid", "Annecy")])
    let blank = await #expect(throws: SourceError.self) { try await shops.rows("SELECT name FROM people_search('  ')") }
    #expect(blank?.message == "a search needs a text, such as people_search('some words')")
    let found = try await shops.rows("SELECT name FROM people_search('ann') ORDER BY place")
    #expect(found == [[.text("Ann")], [.text("Annabel")]])
  }

  @Test("an edit is in the answer, and a row that no description can read is counted")
  func edits() async throws {
    try await syncPeople()
    let archive = try shops.archive()
    let record = try archive.schema.read(JSON(Array(#"{"id":1,"name":"Anna"}"#.utf8)))
    let fetch = Fetch(at: shops.clock.now, request: Fetch.importing, place: "line 1")
    try await archive.land([record], from: fetch, rule: .imported(since: shops.clock.now, replacing: true))
    let edited = try await shops.answer("SELECT name FROM people WHERE id = 1")
    #expect(edited.rows == [[.text("Anna")]])
    let told = edited.answer.notices.map { $0.text(of: "", at: shops.clock.now) }
    #expect(told.contains("people: 1 record has edits, which are shown"), "\(told)")
    #expect(try await shops.rows("SELECT name FROM people_all WHERE name = 'Anna'") == [[.text("Anna")]])
  }
}
