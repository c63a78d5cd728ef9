import AggregatorCore
import LooseSource
import StoreTables
import TestServers
import Testing

@testable import PostgresStore

@Suite("The views of a store on a server", .enabled(if: TestServer.isThere, "needs Scripts/with-postgres")) struct ViewTests {
  let store: PostgresStore

  init() async throws { store = try await TestServer.newStore() }

  private func rows(_ view: String) async throws -> [String] {
    try await store.texts("SELECT replace(row_to_json(shown)::text, '+00:00', 'Z') FROM aggregator.\(SQLText.name(view)) AS shown")
  }

  @Test("the views on a server have every field as a column, and times: one for the present records, and one for all")
  func columns() async throws {
    let people = [Friend(id: "7", name: "Ann", nicknames: ["A", "B"]), Friend(id: "8", name: "Bea"), Friend(id: "9", name: "Cid")]
    try await store.friends.land(people, from: .page(1, at: 1_700_000_000))
    try await store.friends.delete("8", at: Moment(secondsSinceEpoch: 1_700_000_060))
    _ = try await store.texts("UPDATE aggregator.state_1 SET gone = 1700000120000001000 WHERE row = 3")
    let first = #""id":"7","name":"Ann","nicknames":"[\"A\",\"B\"]","note":null,"fetched_at":"2023-11-14T22:13:20Z""#
    #expect(try await rows("friends").first == "{\(first)}")
    #expect(
      try await rows("friends_all").map { $0.suffix(75) } == [
        #":null,"fetched_at":"2023-11-14T22:13:20Z","deleted_at":null,"gone_at":null}"#,
        #"tched_at":"2023-11-14T22:13:20Z","deleted_at":"2023-11-14T22:14:20Z","gone_at":null}"#.suffix(75),
        #"tched_at":"2023-11-14T22:13:20Z","deleted_at":null,"gone_at":"2023-11-14T22:15:20.000001Z"}"#.suffix(75),
      ])
  }

  @Test("the views on a server show a person's edits, in the order in which they were made")
  func edits() async throws {
    try await store.friends.land([Friend(id: "7", name: "Ann", nicknames: ["A"]), Friend(id: "8", name: "Bea")], from: .page(1, at: 1))
    let file = Fetch(at: Moment(secondsSinceEpoch: 2_000), request: Fetch.importing, place: "line 1")
    var batch = Batch(store.friends.kind, rule: .imported(since: file.at, replacing: true))
    batch.add(
      [Friend(id: "7", name: "Cid's", note: "nul\u{0}")], of: Friend.schema, from: file, emptied: [0: ["nicknames"]])
    _ = try await store.land(batch)
    func shown(_ columns: String) async throws -> [String] {
      try await store.texts("SELECT row_to_json(shown)::text FROM (SELECT \(columns) FROM aggregator.friends WHERE id = '7') AS shown")
    }
    let edited = "{\"id\":\"7\",\"name\":\"Cid's\",\"nicknames\":null,\"note\":\"nul\u{fffd}\"}"
    #expect(try await shown("id, name, nicknames, note") == [edited])
    #expect(try await rows("friends").last?.hasPrefix(#"{"id":"8","name":"Bea","nicknames":"[]","note":null"#) == true)
    _ = try await store.texts(
      #"UPDATE aggregator.person_edit SET value = '{"name":{"first":"C","last":"D"}}' WHERE field = 'name'"#)
    _ = try await store.texts(
      """
      INSERT INTO aggregator.person_edit(source, record, field, given, value)
      VALUES('friends', '7', 'name.first', '{}', '{"name":{"first":"E"}}'), ('others', '7', 'name', '{}', '{"name":"F"}')
      """)
    #expect(try await shown("name::json ->> 'first' AS first").first == #"{"first":"E"}"#)
    #expect(try await shown("name::json ->> 'last' AS last").first == #"{"last":"D"}"#)
    _ = try await store.friends.takeBackEdits(of: "7")
    #expect(try await shown("name, nicknames").first == #"{"name":"Ann","nicknames":"[\"A\"]"}"#)
  }

  @Test("the views on a server have the fields under the names that a person knows")
  func names() async throws {
    let schema = try Stones.schema()
    let records = try Stones.rows(0..<1).map { try schema.read(JSON(Array($0.utf8))) }
    try await Archive("stones", of: schema, in: store).land(records, from: .page(1, at: 0))
    for view in ["stones", "stones_all"] {
      let row = try JSON(Array(try await rows(view).joined().utf8)).value
      guard case .object(let members) = row else { throw SourceError(.malformed, "no object") }
      #expect(members.map(\.name).prefix(Stones.names.count + 1) == (Stones.names + ["fetched_at 2"])[...])
      #expect(members.map(\.value).prefix(3) == [.text("0"), .text("Basalt"), .text("Århus 0")])
    }
  }

  private struct Odd: Record {
    var id = ""

    static let names = [
      "it's", "a \"b\"", "select", "x'); DROP TABLE fetch_log; --", "back\\slash", "é\n", "\u{1}", "nul\0", "f7",
    ]
    static let fields: [Field<Odd>] = [Field("id", \.id)] + names.map { name in Field<Odd>(name) { _ in name } }
  }

  @Test(
    "unusual names of sources and fields never hold up a batch, even without a view",
    arguments: [
      "bob's", "a\"b", "x\n; DROP TABLE x; --", "source_info", "nul\0", "é\u{1}", String(repeating: "long", count: 20), "a%b",
    ])
  func hostile(name: String) async throws {
    let archive = Archive<Odd>(name, in: store)
    for id in ["'; DROP TABLE aggregator.fetch_log; --", "nul\0a", "\u{1}2", String(repeating: "x", count: 5_000)] {
      #expect(try await archive.land([Odd(id: id)], from: .page(1, request: "\0\(id)")).new == 1)
      #expect(try await archive.land([Odd(id: id)], from: .page(1)).duplicates == 1)
      #expect(try await archive.history(of: id)?.fetch?.request == "\0\(id)")
      try await archive.delete(id, at: Moment(secondsSinceEpoch: 1))
      #expect(try await store.deletions(of: archive.kind) == [id])
      #expect(try await store.holdings().map(\.source) == [name, name])
      #expect(try await archive.restore(id))
    }
    #expect(try await store.texts("SELECT count(*) FROM aggregator.fetch_log") == ["8"])
    let hasView = ["bob's", "a\"b", "x\n; DROP TABLE x; --", "a%b"].contains(name)
    #expect(
      try await store.texts("SELECT viewname FROM pg_views WHERE schemaname = 'aggregator' ORDER BY 1")
        == (hasView ? [name, "\(name)_all"] : []))
    if hasView {
      let found = try await store.texts("SELECT \"x'); DROP TABLE fetch_log; --\" || f7 FROM aggregator.\(SQLText.name(name))")
      #expect(found == Array(repeating: "x'); DROP TABLE fetch_log; --f7", count: 4))
    }
  }

  @Test("the views on a server show U+FFFD in place of a NUL, which PostgreSQL cannot store")
  func values() async throws {
    try await store.friends.land([Friend(id: "1", name: "nul\0, \\u0000, \\\0\u{1}")], from: .page(1))
    #expect(try await store.texts("SELECT name FROM aggregator.friends") == ["nul\u{FFFD}, \\u0000, \\\u{FFFD}\u{1}"])
  }

  private struct Pet: Record {
    var id = ""
    var owner = ""

    static let fields: [Field<Pet>] = [Field("id", \.id), Field("owner", \.owner)]
  }

  @Test("the views on a server follow the fields, unless a person's own view depends on the old ones")
  func otherFields() async throws {
    let pets = Archive<Pet>("friends", in: store)
    try await store.friends.land([Friend(1)], from: .page(1))
    try await pets.land([Pet(id: "2", owner: "1")], from: .page(2))
    #expect(try await store.texts("SELECT coalesce(owner, '-') FROM aggregator.friends") == ["-", "1"])
    _ = try await store.texts("CREATE VIEW public.owners AS SELECT owner FROM aggregator.friends")
    #expect(try await store.friends.land([Friend(3)], from: .page(3)).new == 1)
    #expect(try await store.texts("SELECT count(*) FROM public.owners") == ["3"])
  }
}
