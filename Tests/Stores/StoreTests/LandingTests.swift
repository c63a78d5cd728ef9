import AggregatorCore
import Platform
import ScratchFolders
import StoreTables
import StoreTesting
import Synchronization
import TestServers
import Testing

@testable import Store

@Suite("Landing records") final class LandingTests: FileSuite {
  private func rows(_ sql: String) throws -> [String] {
    try store.database.reading { connection in
      try connection.all(sql) { row in (0..<row.columns).map { row.text($0) }.joined(separator: "|") }
    }
  }

  @Test("a view has every field as a column, with readable times, right after landing: one for present records, and one for all")
  func view() async throws {
    let people = [Friend(id: "7", name: "Ann", nicknames: ["A", "B"]), Friend(id: "8", name: "Bea"), Friend(id: "9", name: "Cid")]
    try await friends.land(people, from: .page(1, at: 1_700_000_000))
    try await friends.delete("8", at: Moment(secondsSinceEpoch: 1_700_000_060))
    try store.run("UPDATE friends_record SET gone = 1700000120000000000 WHERE id = '9'")
    #expect(try rows("SELECT * FROM friends") == [#"7|Ann|["A","B"]||2023-11-14T22:13:20Z"#])
    #expect(
      try rows("SELECT id, fetched_at, deleted_at, gone_at FROM friends_all ORDER BY id") == [
        "7|2023-11-14T22:13:20Z||", "8|2023-11-14T22:13:20Z|2023-11-14T22:14:20Z|", "9|2023-11-14T22:13:20Z||2023-11-14T22:15:20Z",
      ])
  }

  @Test("a view shows a person's edits, in the order in which they were made")
  func editedView() async throws {
    try await friends.land([Friend(id: "7", name: "Ann", nicknames: ["A"]), Friend(id: "8", name: "Bea")], from: .page(1))
    let file = Fetch(at: Moment(secondsSinceEpoch: 2_000), request: Fetch.importing, place: "line 1")
    var batch = Batch(friends.kind, rule: .imported(since: file.at, replacing: true))
    batch.add([Friend(id: "7", name: "Cid's", note: "\"n\"")], of: Friend.schema, from: file, emptied: [0: ["nicknames"]])
    _ = try await store.land(batch)
    #expect(try rows("SELECT id, name, nicknames, note FROM friends") == [#"7|Cid's||"n""#, "8|Bea|[]|"])
    #expect(try rows("SELECT count(*) FROM friends_all WHERE name = 'Cid''s'") == ["1"])
    try store.run("UPDATE person_edit SET value = '{\"name\":{\"first\":\"C\",\"last\":\"D\"}}' WHERE field = 'name'")
    try store.run(
      """
      INSERT INTO person_edit(source, record, field, given, value)
      VALUES('friends', '7', 'name.first', '{}', '{"name":{"first":"E"}}'), ('others', '7', 'name', '{}', '{"name":"F"}')
      """)
    #expect(try rows("SELECT name FROM friends WHERE id = '7'") == [#"{"first":"E","last":"D"}"#])
    _ = try await friends.takeBackEdits(of: "7")
    #expect(try rows("SELECT name, nicknames FROM friends WHERE id = '7'") == [#"Ann|["A"]"#])
  }

  /// A record with a value of any kind.
  private struct Parcel: Record {
    var id = ""
    var rest = Value.null

    static let fields: [Field<Parcel>] = [Field("id", \.id), Field("rest", \.rest)]

    init() {}
    init(_ id: String, _ rest: Value) { (self.id, self.rest) = (id, rest) }
  }

  @Test("a view shows an edited value of any kind whole, without the members that the edit takes away")
  func editedWhole() async throws {
    let parcels = Archive<Parcel>("parcels", in: store)
    try await parcels.land([Parcel("1", ["x": 1, "y": ["z": 2], "w": 3])], from: .page(1))
    let edits: [(file: Value, value: Value, shown: String)] = [
      (["x": 1], ["x": 1], #"{"x":1}"#), (["y": ["a": 5]], ["y": ["a": 5]], #"{"y":{"a":5}}"#), ([:], [:], "{}"),
      (["x": 4, "y": .null], ["x": 4], #"{"x":4}"#),
      (["x": 1, "y": [2], "w": "3b"], ["x": 1, "y": [2], "w": "3b"], #"{"x":1,"y":[2],"w":"3b"}"#),
    ]
    for (index, edit) in edits.enumerated() {
      let file = Fetch(at: Moment(secondsSinceEpoch: 2_000 + index), request: Fetch.importing, place: "line 1")
      let landed = try await parcels.land(
        [Parcel("1", edit.file)], from: file, rule: .imported(since: file.at, replacing: true))
      #expect(landed == copy(of: LandingResult()) { $0.updated = 1 }, "\(edit.shown)")
      #expect(try rows("SELECT rest FROM parcels") == [edit.shown])
      let stored = try await store.snapshot().edits(of: parcels.kind)
      #expect(stored.map(\.path) == ["rest"] && stored.map(\.value) == [edit.value], "\(stored)")
    }
  }

  @Test("a record whose values are only written otherwise counts as the same, and is stored as it is written last, but not as absorbed")
  func writtenOtherwise() async throws {
    let parcels = Archive<Parcel>("parcels", in: store)
    let rest: Value = ["x": 1, "y": [2, ["a": 3, "b": 4]]]
    try await parcels.land([Parcel("1", rest), Parcel("2", rest)], from: .page(1), rule: .lastStays)
    let other: Value = ["y": [2.0, ["b": 4, "a": 3]], "x": 1.0]
    let same = try await parcels.land([Parcel("1", other), Parcel("2", other)], from: .page(2), rule: .firstStays)
    #expect(same == copy(of: LandingResult()) { $0.duplicates = 2 })
    #expect(try await parcels.history(of: "1")?.absorbed.isEmpty == true)
    let changed: Value = ["x": 1, "y": [2, ["a": 3, "b": 5]]]
    let landed = try await parcels.land([Parcel("1", other), Parcel("2", changed)], from: .page(3), rule: .lastStays)
    #expect(landed == copy(of: LandingResult()) { ($0.duplicates, $0.updated) = (1, 1) })
    #expect(
      try rows("SELECT body FROM parcels_record ORDER BY id") == [
        #"{"id":"1","rest":{"y":[2.0,{"b":4,"a":3}],"x":1.0}}"#, #"{"id":"2","rest":{"x":1,"y":[2,{"a":3,"b":5}]}}"#,
      ])
  }

  @Test("a record that differs only in fields for searching alone counts as the same, and is found by the new ones")
  func searchOnly() async throws {
    func archive(_ nickname: String) -> Archive<Friend> {
      let schema = Schema<Friend>(Friend.fields, searchOnly: [Field("said") { _ in nickname }]) { try Friend($0, as: $1) }
      return Archive("friends", of: schema, in: store)
    }
    try await archive("Ann").land([Friend(1), Friend(2), Friend(3)], from: .page(1), rule: .lastStays)
    // A body that was cut short is replaced like any other.
    try store.run("UPDATE friends_record SET body = substr(body, 1, 9) WHERE id = '3'")
    let landed = try await archive("Bea").land(
      [Friend(1), Friend(id: "2", name: "Another"), Friend(3)], from: .page(2), rule: .lastStays)
    #expect(landed == copy(of: LandingResult()) { ($0.duplicates, $0.updated) = (1, 2) })
    #expect(try rows("SELECT count(*) FROM friends_record WHERE body LIKE '%Bea%'") == ["3"])
    var walk = Walk(archive("Bea").records(), .matching("bea"))
    #expect(try await walk.nextPage()?.map(\.id) == ["1", "2", "3"])
  }

  @Test("a view that a person removed or replaced is made again")
  func oldView() async throws {
    try await friends.land([Friend(1), Friend(2)], from: .page(1))
    try await friends.delete("1", at: Moment(secondsSinceEpoch: 1))
    try store.run("DROP VIEW friends; DROP VIEW friends_all; CREATE VIEW friends AS SELECT id FROM friends_record")
    try await SQLiteStore(at: scratch["store.db"]).friends.land([Friend(3)], from: .page(2))
    #expect(try rows("SELECT name FROM friends") == ["Friend 2", "Friend 3"])
    #expect(try rows("SELECT count(*) FROM friends_all") == ["3"])
  }

  /// A record whose fields have unusual names.
  private struct Odd: Record {
    var id = ""

    static let names = ["it's", "a \"b\"", "select", "x'); DROP TABLE fetch_log; --", "back\\slash", "fetched_at", "é\n"]
    static let fields: [Field<Odd>] = [Field("id", \.id)] + names.map { name in Field<Odd>(name) { _ in name } }

    init() {}
    init(_ id: String) { self.id = id }
  }

  @Test("the views work with any name of a source and its fields", arguments: ["bob's", "a\"b", "x\n; DROP TABLE fetch_log; --"])
  func quoting(name: String) async throws {
    try await Archive<Odd>(name, in: store).land([Odd("1")], from: .page(1))
    for view in [name, name + "_all"] {
      let found = try store.database.reading { connection in
        try connection.all("SELECT * FROM \(SQLText.name(view))") { row in (0..<row.columns).map { row.text($0) } }
      }
      #expect(found.first?.prefix(Odd.names.count + 1) == (["1"] + Odd.names)[...])
    }
    #expect(try rows("SELECT count(*) FROM fetch_log") == ["1"])
  }

  /// A record with a field that depends on the time of showing.
  private struct Child: Record {
    var id = ""
    var birth = 0

    static let fields: [Field<Child>] = [
      Field("id", \.id), Field("birth", \.birth),
      Field("age", computed: { $1.seconds - $0.birth }),
    ]

    init() {}
    init(_ id: String, born birth: Int) { (self.id, self.birth) = (id, birth) }
  }

  @Test("a computed field is not stored, has no column, and makes no difference")
  func computed() async throws {
    let children = Archive<Child>("children", in: store)
    #expect(children.kind.leaves == ["id", "birth"])
    try await children.land([Child("1", born: 5)], from: .page(1))
    #expect(try rows("SELECT body FROM children_record") == [#"{"id":"1","birth":5}"#])
    #expect(try rows("SELECT * FROM children") == ["1|5|1970-01-01T00:16:40Z"])
    #expect(Child.fields[2].shown(of: Child("1", born: 5), at: Moment(secondsSinceEpoch: 30)) == .int(25))
  }

  @Test("while a batch is being stored, others read the store")
  func readsBesideWriter() async throws {
    try await friends.land([Friend(1)], from: .page(1))
    let (database, kind) = (store.database, friends.kind)
    var ends: [CInt] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (end, result) = (ends[0], ends[1])
    let answer = try database.writing { _ -> UInt8 in
      // Not a task: the threads of tasks may be busy for longer than anyone wants to wait here.
      SystemThread.start {
        let count = database.isThere ? try? database.readingBesideWriter { try $0.census(of: kind).count } : nil
        var answer = UInt8(count ?? 9)
        _ = write(result, &answer, 1)
      }
      var (waiting, answer) = (pollfd(fd: end, events: Int16(POLLIN), revents: 0), UInt8(0))
      // A signal that another test sends ends the waiting early.
      while poll(&waiting, 1, 60_000) < 0, errno == EINTR {}
      if waiting.revents != 0 { _ = read(end, &answer, 1) }
      return answer
    }
    #expect(answer == 1)
    close(end)
    close(result)
  }

  @Test("a long log is written back while batches are stored, and then begins anew; the last batch leaves no log")
  func writesBack() async throws {
    try await friends.land([Friend(1)], from: .page(1))
    let database = store.database
    let memory = Connection.Memory(kilobytes: 1_000, kilobytesInLog: 400, isForBatches: true)
    func pagesAfterCommit() throws -> Int {
      try database.writing(with: memory) {
        try $0.run("INSERT OR REPLACE INTO store_keepsake(name, value) VALUES('x', zeroblob(50000))")
      }
      return try database.reading { $0.pagesInLog }
    }
    var (pages, last, commits) = (1, 0, 0)
    while pages > last, commits < 5_000 {
      (last, pages, commits) = (pages, try pagesAfterCommit(), commits + 1)
    }
    #expect(pages < last, "the log never began anew")
    #expect(last > 400 / 8)
    try database.emptyLog()
    #expect(try scratch.bytes("store.db-wal").isEmpty)
  }

  @Test("a file that takes the place of the store does not get the log of the store")
  func writesBackToItsOwnFile() async throws {
    let other = Array("this is not a database".utf8)
    try await friends.land([Friend(1)], from: .page(1))
    let memory = Connection.Memory(kilobytes: 1_000, kilobytesInLog: 8, isForBatches: true)
    _ = try scratch.write("other", other)
    #expect(rename(scratch["other"], scratch["store.db"]) == 0)
    #expect(throws: SourceError.self) {
      try store.database.writing(with: memory) {
        try $0.run("INSERT OR REPLACE INTO store_keepsake(name, value) VALUES('x', zeroblob(50000))")
      }
    }
    // A log that is written back is there after that.
    while store.database.writeBack.isRunning { sched_yield() }
    #expect(try scratch.bytes("store.db") == other)
  }

  @Test("a batch that fails half-way lands not at all")
  func atomic() async throws {
    try await friends.land([Friend(1)], from: .page(1))
    try store.run("CREATE TEMP TRIGGER stop BEFORE INSERT ON main.friends_record WHEN new.id = '4' BEGIN SELECT raise(ABORT, 'stop'); END")
    await #expect(throws: SourceError.self) { try await friends.land([Friend(2), Friend(3), Friend(4)], from: .page(2)) }
    try store.run("DROP TRIGGER stop")
    #expect(try await store.walk().items == [Friend(1)])
    #expect(try await store.walk(.matching("friend 3")).items.isEmpty)
    #expect(try store.number("SELECT count(*) FROM fetch_log") == 1)
  }
}

@Suite("Keeping answers") final class AnswerTests: FileSuite {
  private func answer(_ text: String, at seconds: Int) -> CachedAnswer {
    CachedAnswer(
      rows: Array(text.utf8), faults: [], saying: PageStatements(next: .end, paging: .whole), place: "", walk: "w",
      at: Moment(secondsSinceEpoch: seconds))
  }

  private func key(_ query: String) -> AnswerKey { AnswerKey(source: "friends http://x", query: query) }

  @Test("a later answer replaces the earlier one, and the oldest are removed without room")
  func eviction() async throws {
    try await store.keep(answer("[1]", at: 1), under: key("a"), step: 0)
    try await store.keep(answer("[2]", at: 2), under: key("a"), step: 0)
    #expect(try await store.answer(key("a"), step: 0)?.rows == Array("[2]".utf8))
    let large = String(repeating: "x", count: 30 << 20)
    for (index, name) in ["b", "c"].enumerated() { try await store.keep(answer(large, at: 3 + index), under: key(name), step: 0) }
    #expect(try await store.answer(key("a"), step: 0) != nil)
    try await store.keep(answer(large, at: 9), under: key("d"), step: 0)
    #expect(try await store.answer(key("a"), step: 0) == nil)
    #expect(try await store.answer(key("b"), step: 0) == nil)
    #expect(try await store.answer(key("d"), step: 0) != nil)
  }

  static let pagings: [Paging] =
    [Paging.End.total, .emptyPage, .lastToken, .more, .never].flatMap { end in
      [1, 30, Int.max].flatMap { size -> [Paging] in
        [
          .whole, .offset(size: size, end: end), .offset(size: size, end: end, lookingBack: false),
          .numbered(from: 0, size: size, end: end), .numbered(size: size, end: end, lookingBack: true), .tokens(size: size),
          .keyset(size: size, end: end), .keyset(size: size, end: end, sharingKeys: true),
        ]
      }
    }

  @Test("every way of paging is stored as a text that is read back as the same", arguments: pagings)
  func paging(paging: Paging) {
    for paging in [paging, paging.unchanging()] { #expect(Paging(text: paging.text) == paging) }
  }

  @Test(
    "a stored way of paging that cannot be read is nil",
    arguments: [
      "offset by", "offset by x to total", "offset by 1 to", "offset by 0 to empty", "offset by -1 to empty", "number from",
      "number from 1 by", "token", "token by", "",
    ])
  func noPaging(text: String) { #expect(Paging(text: text) == nil) }
}

@Suite struct StoreLawsTests {
  @Test("a store in a file keeps every law", arguments: StoreLaw.allCases)
  func laws(law: StoreLaw) async throws {
    let scratch = try ScratchFolder()
    // A wait for its lock has a limit of a day.
    let laws = StoreLaws("sqlite", locking: { _ in try lock(scratch["store.db"]) }) {
      { SQLiteStore(at: scratch["store.db"], patience: .seconds(86_400)) }
    }
    #expect(await laws.breach(of: law) == nil)
  }

  /// Locks the file as a backup does.
  private func lock(_ path: String) throws -> @Sendable () -> Void {
    let other = Mutex<Connection?>(try Connection(path, .writing))
    try other.withLock { try $0?.run("BEGIN IMMEDIATE") }
    return { other.withLock { $0 = nil } }
  }
}
