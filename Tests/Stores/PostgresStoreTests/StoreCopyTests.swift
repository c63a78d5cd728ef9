import ScratchFolders
import StoreTables
import Synchronization
import TestServers
import Testing

@testable import AggregatorCommand
@testable import AggregatorCore
@testable import PostgresStore
@testable import Store

@Suite("A copy of a store") struct StoreCopyTests {
  private struct Person: Record {
    var id = ""
    var name = ""
    static let fields: [Field<Person>] = [Field("id", \.id), Field("name", \.name, .title, searchable: true)]

    init() {}
    init(_ number: Int, _ name: String? = nil) { (id, self.name) = ("\(number)", name ?? "Łódź \u{0}'; DROP \(number)") }
  }

  private struct Interruption: Error {}

  /// The kinds of the source and the target store.
  enum Route: CaseIterable {
    case fileToFile, fileToServer, serverToFile

    /// The routes that are possible; those with a server need one.
    static var there: [Route] { TestServer.isThere ? allCases : [.fileToFile] }
  }

  /// A place, and the store in it as another process would open it.
  private struct Place: Sendable {
    let open: @Sendable (_ isCopy: Bool) -> any MovableStore

    func callAsFunction(copying isCopy: Bool = false) -> any MovableStore { open(isCopy) }
  }

  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func place(_ name: String, onServer isOnServer: Bool) async throws -> Place {
    guard isOnServer else { return Place { [path = scratch[name]] in SQLiteStore(at: path, copying: $0) } }
    let address = try await TestServer.newDatabase()
    return Place { TestServer.store(at: address, copying: $0) }
  }

  /// The place of a filled store that is to be copied.
  private func source(_ route: Route) async throws -> Place {
    let place = try await place("source.db", onServer: route == .serverToFile)
    try await Self.fill(place())
    return place
  }

  private func target(_ route: Route, _ name: String = "target.db") async throws -> Place {
    try await place(name, onServer: route == .fileToServer)
  }

  private static let key = AnswerKey(source: "people http://people.example", query: "all")
  private static func moment(_ second: Int) -> Moment { Moment(secondsSinceEpoch: second) }
  private static func fetch(_ number: Int) -> Fetch { Fetch(at: moment(number), request: "all", place: "page \(number)") }

  /// Fills every table, with more than two batches of records.
  private static func fill(_ store: any RecordStore) async throws {
    let people = Archive<Person>("people", in: store)
    try await people.companion("sample").land([Person(1, "Sample")], from: fetch(1))
    for (number, items) in [(1...2_500).map { Person($0) }, [Person(1, "Ann")] + (2...2_400).map { Person($0) }].enumerated() {
      var state = try await store.beginSync(of: people.kind, at: moment(10 * number), full: true, mark: nil)
      var batch = Batch(people.kind, rule: .lastStays)
      batch.add(items, from: fetch(10 * number + 1))
      batch.sync = state
      _ = try await store.land(batch)
      (state.verdict, state.ended, state.counts.received) = (.complete, moment(10 * number + 2), items.count)
      _ = try await store.note(state, of: people.kind)
    }
    let cursor = try #require(Cursor(text: "people offset 3"))
    let step = try await people.position().advance(to: cursor, passing: 3, page: .max)
    try await people.land([Person(2, "Other")], from: fetch(30), advancing: step)
    let taken = try await people.take(5).items
    try await people.giveBack(taken.suffix(2))
    try await people.delete("3", at: moment(31))
    let file = Fetch(at: moment(32), request: Fetch.importing, place: "line 1")
    try await people.land([Person(9, "Edited")], from: file, rule: .imported(since: file.at, replacing: true))
    let answer = CachedAnswer(
      rows: Array(#"[{"id":"1"}]"#.utf8), faults: [],
      saying: PageStatements(next: .end, more: false, paging: .whole, standing: .partial(.recorded("a part"))), place: "0", walk: "w",
      at: moment(40), of: ListStamp(reading: "r", holder: "h"))
    try await store.keep(answer, under: key, step: 0)
    _ = try await store.storedText("seed") { "42" }
  }

  private func copy(
    _ source: Place, to target: Place,
    writing didWrite: @escaping @Sendable (StoredTable) async throws -> Void = { _ in }
  ) async throws -> [StoreCopy.CopiedTable] {
    var copy = StoreCopy(of: ("from", source()), into: ("to", target(copying: true)))
    copy.didWrite = didWrite
    let kind = RecordKind("people", of: Person.schema)
    return try await copy.run { $0 == "people" ? kind : nil }
  }

  private func refusal(_ work: () async throws -> Void) async throws -> String {
    do { try await work() } catch let error as SourceError { return error.message }
    return "nothing was refused"
  }

  private func found(_ text: String, in archive: Archive<Person>) async throws -> [Person] {
    var walk = Walk(archive.records(), .matching(text))
    var found: [Person] = []
    while let page = try await walk.nextPage() { found += page }
    return found
  }

  private func isThere(_ place: Place) async throws -> Bool { try await place().tables() != nil }

  @Test("a copy of a store has every row of every table, and answers every question in the same way", arguments: Route.there)
  func everything(route: Route) async throws {
    let (from, to) = (try await source(route), try await target(route))
    let copied = try await copy(from, to: to)
    #expect(copied.count == 12)
    #expect(copied.filter { $0.rows == 0 }.map(\.name) == [])
    #expect(copied.first { $0.name == "people_record" }?.rows == 2_500)

    let (source, target) = (from(), to())
    for name in ["people", "people.sample"] {
      let (old, new) = (Archive<Person>(name, in: source), Archive<Person>(name, in: target))
      #expect(try await new.count == old.count)
      #expect(try await new.position() == old.position())
      #expect(try await new.lastSync() == old.lastSync())
      #expect(try await new.deletions() == old.deletions())
      #expect(try await new.take(10).items == old.take(10).items)
      #expect(try await new.history(of: "2") == old.history(of: "2"))
      #expect(try await new.history(of: "9") == old.history(of: "9"))
      #expect(try await new.changes(since: Self.moment(0)) == old.changes(since: Self.moment(0)))
      for text in ["drop 1234", "ann", "LODZ 99"] {
        let expected = try await found(text, in: old)
        #expect(try await found(text, in: new) == expected && expected.isEmpty == (name != "people"))
      }
    }
    #expect(try await target.answer(Self.key, step: 0) == source.answer(Self.key, step: 0))
    #expect(try await target.storedText("seed") { "0" } == "42")
    if let file = target as? SQLiteStore {
      let indexed = "SELECT count(*) FROM people_all WHERE EXISTS(SELECT 1 FROM source_info WHERE name = 'people' AND indexed <> '')"
      #expect(try file.database.reading { try $0.number(indexed) } == 2_500)
    }
    let edited = Archive<Person>("people", in: target)
    #expect(try await found("edited", in: edited).map(\.id) == ["9"])
    #expect(try await edited.hasEdits)
    #expect(try await edited.land([Person(9)], from: Self.fetch(45), rule: .lastStays).duplicates == 1)
    #expect(try await edited.takeBackEdits(of: "9").map(\.text) == ["name"])
    #expect(try await found("edited", in: edited).isEmpty)
    // Further records land as if the store had never moved, and come next.
    let people = Archive<Person>("people", in: target)
    let landed = try await people.land([Person(2_501), Person(7), Person(8, "Other")], from: Self.fetch(50))
    #expect(landed.new == 1 && landed.duplicates == 2)
    #expect(try await people.take(5_000).items.last == Person(2_501))
    #expect(try await target.keep(#require(target.answer(Self.key, step: 0)), under: AnswerKey(source: "people", query: "b"), step: 0))
  }

  @Test(
    "a copy of a store has every column of every table but those that each store fills by itself",
    arguments: TestServer.isThere ? [false, true] : [false])
  func columns(onServer isOnServer: Bool) async throws {
    let store = try await place("source.db", onServer: isOnServer)()
    try await Archive<Person>("people", in: store).land([Person(1)], from: Self.fetch(1))
    // A column of whole numbers has a # after its name.
    let copied = Set(
      try await #require(store.tables()).all().flatMap { table in
        table.columns.map { "\(table.name).\($0.name)\($0.isNumber ? "#" : "")" }
      })
    if let file = store as? SQLiteStore {
      let columns = """
        SELECT iif(one.name = 'people_record', 'record', one.name) || '.' || col.name || iif(col.type = 'INTEGER', '#', '')
        FROM sqlite_schema AS one JOIN pragma_table_info(one.name) AS col
        WHERE one.type = 'table' AND one.name NOT IN ('people_piece', 'people_letters')
        """
      let found = Set(try file.database.reading { try $0.all(columns) { $0.text(0) } })
      #expect(found.subtracting(copied) == ["source_info.fields", "source_info.indexed"])
      #expect(copied.subtracting(found) == ["absorbed_record.id#"])
    } else if let server = store as? PostgresStore {
      let columns = #"""
        SELECT concat(regexp_replace(table_name, '^(record|state)_\d+$', 'record'), '.', column_name,
          CASE WHEN data_type IN ('bigint', 'integer') THEN '#' END)
        FROM information_schema.columns JOIN information_schema.tables USING(table_schema, table_name)
        WHERE table_schema = 'aggregator' AND table_type = 'BASE TABLE' AND table_name !~ '^past_\d+$'
          AND table_name NOT IN ('store_version', 'write_log', 'sync_claim', 'budget')
        """#
      let found = Set(try await server.texts(columns))
      let own = ["number#", "fields", "indexed", "shown#", "last_row#", "revision#", "forgotten#"].map { "source_info.\($0)" }
      #expect(found.subtracting(copied) == Set(own + ["record.folded", "record.is_shown", "record.since#"]))
      #expect(copied.subtracting(found) == [])
    }
  }

  @Test("copying a damaged store is an error, and leaves nothing behind")
  func damagedSource() async throws {
    let source = try await source(.fileToFile)
    try #require(source() as? SQLiteStore).database.writing { try $0.run("UPDATE source_info SET records = 'abc'") }
    let error = await #expect(throws: SourceError.self) { _ = try await copy(source, to: target(.fileToFile)) }
    #expect(error?.message == "source_info holds a records that is not a whole number")
    #expect(!scratch.names().contains("target.db"))
  }

  @Test("a copy that was interrupted continues where it was, after any batch", arguments: Route.there)
  func resumed(route: Route) async throws {
    let source = try await source(route)
    let counted = Mutex(0)
    let whole = try await copy(source, to: target(route)) { _ in counted.withLock { $0 += 1 } }
    let batches = counted.withLock { $0 }
    #expect(batches == 14)
    for stop in 1...batches {
      let target = try await target(route, "\(stop).db")
      let first = Mutex(0)
      let rest = Mutex(0)
      await #expect(throws: Interruption.self) {
        _ = try await copy(source, to: target) { _ in
          first.withLock { $0 += 1 }
          if first.withLock({ $0 }) == stop { throw Interruption() }
        }
      }
      #expect(try await copy(source, to: target) { _ in rest.withLock { $0 += 1 } } == whole)
      // The sources are written each time.
      #expect(rest.withLock { $0 } == batches - stop + 1)
    }
  }

  @Test(
    "an unfinished copy is refused for every other use, and is an ordinary store once it is finished", arguments: Route.there)
  func unfinished(route: Route) async throws {
    let (source, target) = (try await source(route), try await target(route))
    await #expect(throws: Interruption.self) {
      _ = try await copy(source, to: target) { if $0.source == "people" { throw Interruption() } }
    }
    let (people, kind) = (Archive<Person>("people", in: target()), RecordKind("people", of: Person.schema))
    let uses: [(String, () async throws -> Void)] = [
      ("next", { _ = try await people.take(1) }), ("list", { _ = try await found("drop", in: people) }),
      ("sync", { _ = try await target().beginSync(of: kind, at: Self.moment(70), full: true, mark: nil) }),
      ("cache", { _ = try await target().holdings() }),
      ("copy", { _ = try await copy(target, to: self.target(route, "third.db")) }),
    ]
    for (name, use) in uses {
      let error = await #expect(throws: SourceError.self, "\(name)") { try await use() }
      #expect(
        error?.kind == .storage && error?.message.hasSuffix(" is an unfinished copy of from") == true,
        "\(name): \(String(describing: error))")
    }
    _ = try await copy(source, to: target)
    #expect(try await people.take(1).items == Archive<Person>("people", in: source()).take(1).items)
  }

  @Test("a copy that was interrupted follows a store that changed meanwhile", arguments: Route.there)
  func changed(route: Route) async throws {
    let (source, target) = (try await source(route), try await target(route))
    await #expect(throws: Interruption.self) {
      _ = try await copy(source, to: target) { if $0.name == "source_state" { throw Interruption() } }
    }
    let people = Archive<Person>("people", in: source())
    _ = try await people.take(10)
    try await people.restore("3")
    _ = try await people.forget(importedOnly: false)
    try await people.land([Person(9)], from: Self.fetch(60))
    _ = try await copy(source, to: target)
    #expect(try await Archive<Person>("people", in: target()).count == 1)
    #expect(try await Archive<Person>("people", in: target()).take(10).items == people.take(10).items)
  }

  @Test("a copy of a store never gives the number of a removed request to another one", arguments: Route.there)
  func forgotten(route: Route) async throws {
    let (source, target) = (try await source(route), try await target(route))
    let people = Archive<Person>("people", in: source())
    let imported = Fetch(at: Self.moment(80), request: Fetch.importing, place: "people.csv")
    for _ in 0..<2 {
      try await people.land([Person(4, "Imported")], from: imported)
      _ = try await people.forget(importedOnly: true)
    }
    _ = try await copy(source, to: target)
    let copied = Archive<Person>("people", in: target())
    for number in 3_001...3_003 { try await copied.land([Person(number)], from: Self.fetch(number)) }
    #expect(try await copied.history(of: "4")?.absorbed.map(\.fetch) == [nil, nil])
  }

  @Test("a copy that another process writes to is an error that names the table", arguments: Route.there)
  func disturbed(route: Route) async throws {
    let (source, target) = (try await source(route), try await target(route))
    let message = try await refusal {
      _ = try await copy(source, to: target) { table in
        if table.name == "source_state" { try await Self.change(target(copying: true)) }
      }
    }
    #expect(message.hasPrefix("the copy at to is not the same as from: people_record has 2500 rows"), "\(message)")
    // The same command repairs it.
    _ = try await copy(source, to: target)
  }

  /// Changes one letter without the store's knowledge.
  private static func change(_ store: any MovableStore) async throws {
    let set = "SET body = body || ' ' WHERE row = 1234"
    if let store = store as? PostgresStore {
      try await store.server.write { transaction in
        let source = try await transaction.lock(RecordKind("people"))
        transaction.queue("UPDATE \(source.tables.record) \(set)")
      }
    } else if let store = store as? SQLiteStore {
      try store.database.reading { try $0.run("UPDATE people_record \(set)") }
    }
  }

  @Test("a copy is refused if its source is missing, and if its target has a store", arguments: Route.there)
  func refusals(route: Route) async throws {
    let (nowhere, target) = (try await place("none.db", onServer: route == .serverToFile), try await target(route))
    #expect(try await refusal { _ = try await copy(nowhere, to: target) } == "no store at from")
    #expect(try await !isThere(nowhere))
    #expect(try await !isThere(target))
    let source = try await source(route)
    _ = try await target().storedText("seed") { "1" }
    #expect(
      try await refusal { _ = try await copy(source, to: target) } == "to already holds a store; left unchanged")
    let unfinished = try await self.target(route, "unfinished.db")
    await #expect(throws: Interruption.self) { _ = try await copy(source, to: unfinished) { _ in throw Interruption() } }
    let other = try await self.target(route, "other.db")
    #expect(try await refusal { _ = try await copy(unfinished, to: other) }.hasSuffix(" is an unfinished copy of from"))
    #expect(try await !isThere(other))
    let another = StoreCopy(of: ("other", source()), into: ("to", unfinished(copying: true)))
    #expect(
      try await refusal { _ = try await another.run { _ in nil } } == "the store at to is an unfinished copy of from; left unchanged")
  }
}
