import AggregatorCore
import ScratchFolders
import Synchronization
import Testing

@testable import Asking
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

  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func store(_ name: String) -> SQLiteStore { SQLiteStore(at: scratch[name]) }

  private static let key = AnswerKey(source: "people http://people.example", query: "all")
  private static func moment(_ second: Int) -> Moment { Moment(secondsSinceEpoch: second) }
  private static func fetch(_ number: Int) -> Fetch { Fetch(at: moment(number), request: "all", place: "page \(number)") }

  /// A store in which every table has rows, that of the records more than two batches of them.
  private static func fill(_ store: some RecordStore) async throws {
    let people = Archive<Person>("people", in: store)
    try await people.companion("sample").land([Person(1, "Sample")], from: fetch(1))
    for (number, items) in [(1...2_500).map { Person($0) }, [Person(1, "Ann")] + (2...2_400).map { Person($0) }].enumerated() {
      var state = try await store.beginSync(of: people.kind, at: moment(10 * number), full: true, mark: nil)
      var batch = Batch(people.kind, rule: .lastStays)
      batch.add(items, from: fetch(10 * number + 1))
      batch.sync = state
      _ = try await store.land(batch)
      (state.verdict, state.ended, state.received) = (.complete, moment(10 * number + 2), items.count)
      _ = try await store.note(state, of: people.kind)
    }
    let cursor = try #require(Cursor(text: "people offset 3"))
    let step = try await people.position().advance(to: cursor, passing: 3, page: .max)
    try await people.land([Person(2, "Other")], from: fetch(30), advancing: step)
    let taken = try await people.take(5).items
    try await people.giveBack(taken.suffix(2))
    try await people.delete("3", at: moment(31))
    let answer = CachedAnswer(
      rows: Array(#"[{"id":"1"}]"#.utf8), faults: [], total: nil, next: .end, more: false, paging: .whole, place: "0", walk: "w",
      at: moment(40))
    try await store.keep(answer, under: key, step: 0)
    _ = try await store.storedText("seed") { "42" }
  }

  private func copy(
    _ source: some MovableStore, to target: some MovableStore,
    writing didWrite: @escaping @Sendable (StoredTable) async throws -> Void = { _ in }
  ) async throws -> [StoreCopy.CopiedTable] {
    var copy = StoreCopy(of: ("from", source), into: ("to", target))
    copy.didWrite = didWrite
    let kind = Archive<Person>("people", in: source).kind
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

  private func isThere(_ name: String) async throws -> Bool { try await store(name).tables() != nil }

  @Test("holds every row of every table, and all that can be asked of it is the same")
  func everything() async throws {
    let (source, target) = (store("a.db"), store("b.db"))
    try await Self.fill(source)
    let copied = try await copy(source, to: target)
    #expect(copied.count == 12)
    #expect(copied.filter { $0.rows == 0 }.map(\.name) == [])
    #expect(copied.first { $0.name == "people_record" }?.rows == 2_500)

    for name in ["people", "people.sample"] {
      let (old, new) = (Archive<Person>(name, in: source), Archive<Person>(name, in: target))
      #expect(try await new.count == old.count)
      #expect(try await new.position() == old.position())
      #expect(try await new.sync() == old.sync())
      #expect(try await new.deletions() == old.deletions())
      #expect(try await new.take(10).items == old.take(10).items)
      #expect(try await new.history(of: "2") == old.history(of: "2"))
      for text in ["drop 1234", "ann", "LODZ 99"] {
        let expected = try await found(text, in: old)
        #expect(try await found(text, in: new) == expected && expected.isEmpty == (name != "people"))
      }
    }
    #expect(try await target.answer(Self.key, step: 0) == source.answer(Self.key, step: 0))
    #expect(try await target.storedText("seed") { "0" } == "42")
    // It lands as if it had never moved.
    let landed = try await Archive<Person>("people", in: target).land([Person(2_501), Person(7)], from: Self.fetch(50))
    #expect(landed.new == 1 && landed.duplicates == 1)
  }

  @Test("that was interrupted goes on where it was, after whichever batch that was")
  func resumed() async throws {
    let source = store("a.db")
    try await Self.fill(source)
    let counted = Mutex(0)
    let whole = try await copy(source, to: store("whole.db")) { _ in counted.withLock { $0 += 1 } }
    let batches = counted.withLock { $0 }
    #expect(batches == 14)
    for stop in 1...batches {
      let first = Mutex(0)
      let rest = Mutex(0)
      await #expect(throws: Interruption.self) {
        _ = try await copy(source, to: store("\(stop).db")) { _ in
          if first.withLock({
            $0 += 1; return $0 == stop
          }) {
            throw Interruption()
          }
        }
      }
      #expect(try await copy(source, to: store("\(stop).db")) { _ in rest.withLock { $0 += 1 } } == whole)
      #expect(rest.withLock { $0 } == batches - stop)
    }
  }

  @Test("that was interrupted follows a store that went on meanwhile")
  func changed() async throws {
    let (source, target) = (store("a.db"), store("b.db"))
    try await Self.fill(source)
    await #expect(throws: Interruption.self) {
      _ = try await copy(source, to: target) { if $0.name == "sync_state" { throw Interruption() } }
    }
    let people = Archive<Person>("people", in: source)
    _ = try await people.take(10)
    try await people.restore("3")
    _ = try await people.forget(importedOnly: false)
    try await people.land([Person(9)], from: Self.fetch(60))
    _ = try await copy(source, to: target)
    #expect(try await Archive<Person>("people", in: target).count == 1)
  }

  @Test("that somebody else writes to is found out: the error names the table")
  func disturbed() async throws {
    let (source, target) = (store("a.db"), store("b.db"))
    try await Self.fill(source)
    let message = try await refusal {
      _ = try await copy(source, to: target) { table in
        guard table.name == "sync_state" else { return }
        try target.database.reading { try $0.run("UPDATE people_record SET body = body || ' ' WHERE row = 1234") }
      }
    }
    #expect(message.hasPrefix("the copy at to is not the same as from: people_record has 2500 rows"))
    // Typed again, it is mended.
    _ = try await copy(source, to: target)
  }

  @Test("is not made of what is not there, nor over what is")
  func refusals() async throws {
    let (source, target) = (store("a.db"), store("b.db"))
    #expect(try await refusal { _ = try await copy(source, to: target) } == "there is no store at from")
    for name in ["a.db", "b.db"] { #expect(try await !isThere(name)) }
    try await Self.fill(source)
    _ = try await target.storedText("seed") { "1" }
    #expect(
      try await refusal { _ = try await copy(source, to: target) } == "there is a store at to already; left unchanged")
    await #expect(throws: Interruption.self) { _ = try await copy(source, to: store("c.db")) { _ in throw Interruption() } }
    #expect(
      try await refusal { _ = try await copy(store("c.db"), to: store("d.db")) } == "the store at from is an unfinished copy of from")
    #expect(try await !isThere("d.db"))
    let other = StoreCopy(of: ("other", source), into: ("to", store("c.db")))
    #expect(
      try await refusal { _ = try await other.run { _ in nil } } == "the store at to is an unfinished copy of from; left unchanged")
  }
}
