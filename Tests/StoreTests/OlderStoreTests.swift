import AggregatorCore
import Platform
import ScratchFolders
import SourceTesting
import StoreTables
import TestServers
import Testing

@testable import Store

/// Stores that the versions before this one wrote. They can be read, and their contents never claim more than they may.
@Suite struct OlderStoreTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func store(_ version: Int) throws -> SQLiteStore {
    try OlderStore.make(version: version, at: scratch["store.db"])
    return SQLiteStore(at: scratch["store.db"])
  }

  @Test("an older store keeps the position of next, and reading continues there", arguments: 3...5)
  func positions(version: Int) async throws {
    let store = try store(version)
    let cursor = try #require(Cursor(text: "friends offset 3 row=9f3a total=9"))
    #expect(try await store.friends.position() == .ofOlderFriends(at: cursor))
    #expect(try await store.position(of: RecordKind("others")) == .ofOlderOthers)
    #expect(try await store.friends.waiting(upTo: 9) == 2)
    #expect(try await store.friends.take(9).items.map(\.id) == ["a", "d"])
    #expect(try await store.walk().items.map(\.id) == ["a", "b", "d"])
    #expect(try await store.met(["a", "b", "c"], of: store.friends.kind, reading: 3) == ["a", "b"])
  }

  @Test("an older store keeps the state of a sync, which continues and tells which records are gone", arguments: 3...5)
  func syncs(version: Int) async throws {
    let store = try store(version)
    let kind = store.friends.kind
    var state = SyncState.ofOlderFriends(endedEdits: version < 5 ? 0 : 6)
    #expect(try await store.sync(of: kind) == state)
    var other = SyncState(began: Moment(nanoseconds: 2_000_000_000_001), full: false)
    (other.number, other.ended, other.counts.skipped, other.counts.requests) = (1, Moment(nanoseconds: 2_000_000_000_002), 2, 1)
    other.verdict = .partial(.recorded("total: 2 fewer"))
    #expect(try await store.sync(of: RecordKind("others")) == other)
    #expect(try await store.unmet(of: kind) == 2)
    #expect(try await store.snapshot().census(of: kind).hasImports == false)
    var batch = Batch(kind, rule: .lastStays)
    batch.add([Friend(id: "b", name: "Bea")], from: .page(3))
    batch.sync = state
    _ = try await store.land(batch)
    (state.verdict, state.ended, state.mayHaveLost, state.counts.repeated) = (.complete, TestClock.start, false, 0)
    #expect(try await store.note(state, of: kind) == 2)
    #expect(try await store.walk().items.map(\.id) == ["b", "d"])
    #expect(try await store.sync(of: kind)?.counts.landed.duplicates == 4)
  }

  @Test("an older store keeps its answers, but one without a verdict is not complete any more", arguments: 3...5)
  func answers(version: Int) async throws {
    let store = try store(version)
    let key = AnswerKey(source: "friends here", query: "list")
    let isOld = version < 4
    let stamp = isOld ? ListStamp() : ListStamp(reading: "r", holder: "h")
    let first = CachedAnswer(
      rows: Array(#"[{"id":"a"}]"#.utf8), faults: [],
      saying: PageStatements(
        total: 2, next: .advance, more: true, paging: .offset(size: 1, end: .total), standing: isOld ? .unverifiable : nil),
      place: "", walk: "w", at: Moment(nanoseconds: 1_000_000_000_001), of: stamp)
    #expect(try await store.answer(key, step: 0) == first)
    let second = CachedAnswer(
      rows: Array("[]".utf8), faults: [RowFault(#"bad "row""#, digest: 255, row: 2)],
      saying: PageStatements(
        total: 2, next: .token("a'b"), more: false, paging: .numbered(from: 0, size: 30, end: .more, lookingBack: true),
        standing: isOld ? .unverifiable : .partial(.recorded("a part"))),
      place: "friends offset 1", walk: "w",
      at: Moment(nanoseconds: 1_000_000_000_002), of: stamp)
    #expect(try await store.answer(key, step: 1) == second)
    let tokens = try await store.answer(AnswerKey(source: "others there", query: "list"), step: 0)
    #expect(tokens?.said.standing == .partial(.recorded("an older version kept it without its verdict")))
    #expect(try await store.answer(AnswerKey(source: "others there", query: "search a"), step: 0)?.said.standing == .unverifiable)
    let held = try await store.holdings().filter { $0.kind == "answers" }
    #expect(held.map(\.source) == ["friends", "others"] && held.map(\.rows) == [2, 2] && held.map(\.bytes) == [52, 4])
    // A new page is stored after it, with its own verdict.
    var third = second
    third = CachedAnswer(
      rows: second.rows, faults: [], saying: PageStatements(total: 2, next: .end, paging: first.said.paging), place: "", walk: "w",
      at: TestClock.start, of: ListStamp(reading: "r"))
    #expect(try await store.keep(third, under: key, step: 2))
    #expect(try await store.answer(key, step: 2) == third)
  }

  @Test("a store of the version before edits takes edits")
  func beforeEdits() async throws {
    let store = try store(4)
    let file = Fetch(at: TestClock.start, request: Fetch.importing, place: "line 1")
    let landed = try await store.friends.land([Friend(id: "a", name: "Cid")], from: file, rule: .imported(since: file.at, replacing: true))
    #expect(landed.updated == 1)
    #expect(try await store.friends.takeBackEdits(of: "a").count == 1)
    #expect(try await store.walk().items.first?.name == "Ann")
  }

  @Test("edits in the bodies of older records and changes are moved into their table, and last")
  func edits() async throws {
    try OlderStore.make(version: 5, at: scratch["store.db"])
    try OlderStore.edit(at: scratch["store.db"])
    let store = SQLiteStore(at: scratch["store.db"])
    let name = Edit(of: "a", at: "name", given: .text("Cleo"), value: .text("Anna"))
    let note = Edit(of: "a", at: "note", given: .null, value: .text("mine"))
    let none = Edit(of: "b", at: "nicknames", given: .list([.text("Bo")]), value: .null)
    #expect(try await store.snapshot().edits(of: store.friends.kind) == [name, note, none])
    #expect(try await store.friends.history(of: "a")?.record?.body == Array(#"{"id":"a","name":"Cleo","nicknames":[]}"#.utf8))
    let changes = try await store.changes(of: store.friends.kind, since: Moment(nanoseconds: 0))
    #expect(changes.map(\.endedEdits) == [[], ["note"]])
    #expect(
      changes.map { String(decoding: $0.before ?? [], as: UTF8.self) } == [
        #"{"id":"b","name":"Bea"}"#, #"{"id":"a","name":"Anna","nicknames":[],"note":"my"}"#,
      ])
    #expect(try await store.walk().items.map(\.name) == ["Anna", "Bea", "Dan"])
    for (text, found) in [("anna", ["a"]), ("cleo", []), ("bea", ["b"]), ("bo", [])] {
      #expect(try await store.walk(.matching(text)).items.map(\.id) == found, "\(text)")
    }
    try await store.friends.land([], from: .page(1))
    #expect(
      try store.database.reading { try $0.all("SELECT name || note FROM friends_all WHERE id = 'a'") { $0.text(0) } } == ["Annamine"])
    #expect(try await store.friends.takeBackEdits(of: "a").map(\.text) == ["name", "note"])
    #expect(try await store.walk(.matching("cleo")).items.map(\.id) == ["a"])
    let landed = try await store.friends.land([Friend(id: "b", name: "Bea")], from: .page(2), rule: .lastStays)
    #expect(landed.endedEdits == 1)
  }

  @Test("a store of the version before is read as it is, and the first writer makes its index")
  func readAsItIs() async throws {
    let path = scratch["store.db"]
    do { try await SQLiteStore(at: path).friends.land((0..<2_000).map { Friend($0) }, from: .page(1)) }
    let older = "DROP TABLE friends_piece; DROP TABLE friends_letters; DROP INDEX fetch_of_import; PRAGMA user_version = 7"
    try Connection(path).run(older)
    let store = SQLiteStore(at: path)
    #expect(try await store.walk(.matching("friend 1777")).items == [Friend(1_777)])
    #expect(try await store.walk().items.count == 2_000)
    #expect(
      try await store.snapshot().census(of: store.friends.kind)
        == Census(
          count: 2_000, newest: Fetch.page(1).at, hasOthers: true))
    #expect(try Connection(path).number("PRAGMA user_version") == 7)
    try await store.friends.land([Friend(2_000)], from: .page(2))
    #expect(try store.indexed("friend 1777", of: store.friends.kind) == [1_778])
    #expect(try store.number("PRAGMA user_version") == 8)
  }

  @Test(
    "a store of the version before that may not be written is read", .enabled(if: geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0))
  func readOnly() async throws {
    let path = scratch["store.db"]
    let landing = try Probe("land", path)
    _ = landing.read(atLeast: 20)
    landing.kill()
    _ = landing.end()
    try Connection(path).run("DROP TABLE users_piece; DROP TABLE users_letters; DROP INDEX fetch_of_import; PRAGMA user_version = 7")
    for name in scratch.names() { chmod(scratch[name], 0o444) }
    chmod(scratch.path, 0o755)
    let (lines, status) = try Probe("search", path, "exa", as: "65534").end()
    #expect(status == 0 && lines.count > 1, "\(lines)")
  }

  @Test("an older store gets the same tables, views, columns and indexes as a new one", arguments: 3...5)
  func tables(version: Int) async throws {
    var found: [[String]] = []
    for store in [try store(version), SQLiteStore(at: scratch["new.db"])] {
      for name in ["friends", "others"] { try await Archive<Friend>(name, in: store).land([], from: .page(0)) }
      found.append(
        try store.database.reading {
          try $0.all(
            """
            SELECT json_array(name, type, wr) FROM pragma_table_list UNION ALL
            SELECT json_array(one.name, cid, col.name, col.type, "notnull", dflt_value, pk)
            FROM sqlite_schema AS one JOIN pragma_table_info(one.name) AS col UNION ALL
            SELECT json_array(one.name, list.name, "unique", partial, seqno, col.name)
            FROM sqlite_schema AS one JOIN pragma_index_list(one.name) AS list JOIN pragma_index_info(list.name) AS col ORDER BY 1
            """
          ) { $0.text(0) }
        })
    }
    #expect(found[0] == found[1] && found[0].count > 100)
  }

  @Test("spent requests in an older store still count, but not the reservation of a process that has ended")
  func budgets() async throws {
    try OlderStore.makeRequestLog(at: scratch["requests.db"], process: getpid())
    let (log, now) = (RequestLog(in: scratch.path), Moment(secondsSinceEpoch: 1_000))
    func slot(_ name: String, _ id: UInt64, of count: Int) async throws -> BudgetSlot {
      let ticket = BudgetTicket([(name, Budget.Rate(count, per: .seconds(100)))], id: id)
      return try await log.reserve(ticket, at: now, noLaterThan: now + .seconds(30))
    }
    // The second one's process has ended, and its slot was ahead; the third one waits for its own slot.
    #expect(try await slot("a", 4, of: 3) == .taken(now + .seconds(2)))
    #expect(try await slot("a", 3, of: 3) == .taken(now))
    #expect(try await slot("a", 5, of: 3) == .tooLate(now + .seconds(100)))
    #expect(try await slot("b", 6, of: 1) == .tooLate(now + .seconds(100)))
  }
}
