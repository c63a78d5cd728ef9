import AggregatorCore
import TestServers
import Testing

@testable import PostgresStore

/// Stores that the versions before this one left on a server.
@Suite(.enabled(if: TestServer.isThere, "needs Scripts/with-postgres")) struct OlderServerTests {
  private func store(_ version: Int) async throws -> PostgresStore {
    let (address, end) = (try await TestServer.newDatabase(), ContinuousClock.now + .seconds(60))
    let connection = try await Connection.open(address, until: end)
    var statements = Self.tables + Self.rows
    if version < 3 { statements.append("ALTER TABLE aggregator.sync_state DROP COLUMN ended_edits") }
    if version < 2 {
      statements.append("ALTER TABLE aggregator.kept_answer DROP COLUMN standing, DROP COLUMN reading, DROP COLUMN holder")
    }
    statements.append("INSERT INTO aggregator.store_version VALUES(\(version))")
    _ = try await connection.run(statements.map { ServerQuery($0) }, until: end)
    return PostgresStore(at: address)
  }

  @Test("an older store keeps the position of next, and reading continues there", arguments: 1...3)
  func positions(version: Int) async throws {
    let store = try await store(version)
    let cursor = try #require(Cursor(text: "friends after a\u{0}b"))
    #expect(try await store.friends.position() == .ofOlderFriends(at: cursor))
    #expect(try await store.position(of: RecordKind("others")) == .ofOlderOthers)
    #expect(try await store.friends.waiting(upTo: 9) == 2)
    #expect(try await store.friends.take(9).items.map(\.id) == ["a", "d"])
    #expect(try await store.walk().map(\.id) == ["a", "b", "d"])
  }

  @Test("an older store keeps the state of a sync, which continues and tells which records are gone", arguments: 1...3)
  func syncs(version: Int) async throws {
    let store = try await store(version)
    let kind = store.friends.kind
    var state = SyncState.ofOlderFriends(endedEdits: version < 3 ? 0 : 6)
    #expect(try await store.sync(of: kind) == state)
    #expect(try await store.sync(of: RecordKind("others"))?.verdict == .partial(.recorded("total: 2 fewer")))
    #expect(try await store.unmet(of: kind) == 2)
    var batch = Batch(kind, rule: .lastStays)
    batch.add([Friend(id: "b", name: "Bea")], from: .page(3))
    batch.sync = state
    _ = try await store.land(batch)
    (state.verdict, state.ended, state.mayHaveLost, state.counts.repeated) = (.complete, Moment(secondsSinceEpoch: 5_000), false, 0)
    #expect(try await store.note(state, of: kind) == 2)
    #expect(try await store.walk().map(\.id) == ["b", "d"])
    #expect(try await store.sync(of: kind)?.counts.landed.duplicates == 4)
  }

  @Test("an older store keeps its answers, but one without a verdict is not complete any more", arguments: 1...3)
  func answers(version: Int) async throws {
    let store = try await store(version)
    let key = AnswerKey(source: "friends here", query: "list")
    let isOld = version < 2
    let answer = CachedAnswer(
      rows: Array("[]".utf8), faults: [RowFault("bad", digest: 255, row: 2)],
      saying: PageStatements(
        total: 2, next: .token("a\u{0}b"), more: false, paging: .tokens(size: 5),
        standing: isOld ? .partial(.recorded("an older version kept it without its verdict")) : nil),
      place: "", walk: "w",
      at: Moment(nanoseconds: 1_000_000_000_001), of: isOld ? ListStamp() : ListStamp(reading: "r", holder: "h"))
    #expect(try await store.answer(key, step: 0) == answer)
    #expect(try await store.holdings().filter { $0.kind == "answers" }.map(\.bytes) == [12])
    #expect(try await store.keep(answer, under: key, step: 1))
    #expect(try await store.answer(key, step: 1) == answer)
  }

  @Test("edits in the bodies of older records and changes are moved into their table, and last")
  func edits() async throws {
    let (address, end) = (try await TestServer.newDatabase(), ContinuousClock.now + .seconds(60))
    let connection = try await Connection.open(address, until: end)
    let body = #"{"\u0001edits":{"name":"Cleo","note":null},"id":"a","name":"Anna","nicknames":[],"note":"mine"}"#
    let after = #"{"\u0001edits":{"name":"Cleo"},"id":"a","name":"Anna","nicknames":[],"note":"theirs"}"#
    let edits = [
      ServerQuery("UPDATE aggregator.record_1 SET body = $1, folded = $2 WHERE row = 1", body, "anna\na\n\n"),
      ServerQuery("INSERT INTO aggregator.record_change(source, record, at, before, after) VALUES('friends', 'a', 5, $1, $2)", body, after),
      ServerQuery("INSERT INTO aggregator.store_keepsake VALUES('friends edits', '1')"),
      ServerQuery("INSERT INTO aggregator.store_version VALUES(3)"),
    ]
    _ = try await connection.run((Self.tables + Self.rows).map { ServerQuery($0) } + edits, until: end)
    let store = PostgresStore(at: address)
    let name = Edit(of: "a", at: "name", given: .text("Cleo"), value: .text("Anna"))
    let note = Edit(of: "a", at: "note", given: .null, value: .text("mine"))
    #expect(try await store.snapshot().edits(of: store.friends.kind) == [name, note])
    #expect(try await store.friends.history(of: "a")?.record?.body == Array(#"{"id":"a","name":"Cleo","nicknames":[]}"#.utf8))
    let change = try #require(try await store.changes(of: store.friends.kind, since: Moment(nanoseconds: 0)).first)
    #expect(change.endedEdits == ["note"])
    #expect(change.before == Array(#"{"id":"a","name":"Anna","nicknames":[],"note":"mine"}"#.utf8))
    #expect(try await store.walk().map(\.name) == ["Anna", "Bea", "Dan"])
    #expect(try await store.friends.takeBackEdits(of: "a") == ["name", "note"])
    #expect(try await store.walk().map(\.name) == ["Cleo", "Bea", "Dan"])
    #expect(try await store.friends.records().page(PageRequest(.matching("cleo"))).items.map(\.id) == ["a"])
  }

  @Test("an older store gets the same tables, columns, keys and indexes as a new one", arguments: 1...3)
  func tables(version: Int) async throws {
    let shape = #"""
      SELECT json_build_array(table_name, column_name, data_type, collation_name, is_nullable, column_default,
        identity_generation)::text AS part
      FROM information_schema.columns WHERE table_schema = 'aggregator' AND table_name !~ '_\d+$' UNION ALL
      SELECT indexdef FROM pg_indexes WHERE schemaname = 'aggregator' AND tablename !~ '_\d+$' UNION ALL
      SELECT concat(conrelid::regclass, ' ', pg_get_constraintdef(oid)) FROM pg_constraint
      WHERE connamespace = 'aggregator'::regnamespace AND conrelid::regclass::text !~ '_\d+$' ORDER BY part
      """#
    let (older, new) = (try await store(version), PostgresStore(at: try await TestServer.newDatabase()))
    try await new.friends.land([], from: .page(0))
    try await older.friends.land([], from: .page(0))
    let (found, due) = (try await older.texts(shape), try await new.texts(shape))
    #expect(found == due && due.count > 70)
  }

  @Test("spent requests in an older store still count, but not the reservation of a process that has ended")
  func budgets() async throws {
    let budgets = try #require(try await store(3).requests(orIn: nil))
    let now = SystemTime().now
    func slot(_ name: String, of count: Int) async throws -> BudgetSlot {
      try await budgets.reserve(BudgetTicket([(name, Budget.Rate(count, per: .seconds(1_000)))]), at: now, noLaterThan: now)
    }
    #expect(try await slot("spent", of: 1) != .taken(now))
    #expect(try await slot("spent", of: 2) == .taken(now))
    #expect(try await slot("left", of: 1) == .taken(now))
  }

  private static let tables = [
    "CREATE SCHEMA aggregator", "CREATE TABLE aggregator.store_version(version integer NOT NULL)",
    "CREATE FUNCTION aggregator.fields(body text) RETURNS json LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT body::json $$",
    "CREATE TABLE aggregator.write_log(id bigint PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())",
    """
    CREATE TABLE aggregator.source_info(name text COLLATE "C" PRIMARY KEY, number integer NOT NULL GENERATED ALWAYS AS IDENTITY,
      fields text, indexed text, records bigint NOT NULL DEFAULT 0, shown bigint NOT NULL DEFAULT 0, newest bigint,
      last_row bigint NOT NULL DEFAULT 0, revision bigint NOT NULL DEFAULT 0, forgotten bigint NOT NULL DEFAULT 0)
    """,
    """
    CREATE TABLE aggregator.fetch_log(id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, source text COLLATE "C" NOT NULL,
      at bigint NOT NULL, question text COLLATE "C" NOT NULL, place text NOT NULL, sync bigint)
    """,
    "CREATE INDEX ON aggregator.fetch_log(source, (question = 'import'), id)",
    """
    CREATE TABLE aggregator.absorbed_record(id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, source text COLLATE "C" NOT NULL,
      row bigint NOT NULL, "fetch" bigint NOT NULL, body text NOT NULL)
    """,
    "CREATE INDEX ON aggregator.absorbed_record(source, row)",
    """
    CREATE TABLE aggregator.soft_deletion(source text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, at bigint NOT NULL,
      was_waiting integer NOT NULL)
    """,
    "CREATE INDEX ON aggregator.soft_deletion USING hash(id)",
    """
    CREATE TABLE aggregator.next_position(source text COLLATE "C" PRIMARY KEY, shown bigint NOT NULL DEFAULT 0,
      number bigint NOT NULL DEFAULT 1, cursor text, behind bigint NOT NULL DEFAULT 0, passed bigint, verdict text,
      revision bigint NOT NULL DEFAULT 0)
    """,
    "CREATE TABLE aggregator.given_back(source text COLLATE \"C\" NOT NULL, row bigint NOT NULL, PRIMARY KEY(source, row))",
    """
    CREATE TABLE aggregator.sync_state(source text COLLATE "C" PRIMARY KEY, number bigint NOT NULL, after_fetch bigint NOT NULL,
      began bigint NOT NULL, ended bigint, is_full integer NOT NULL, cursor text, behind bigint NOT NULL DEFAULT 0,
      received bigint NOT NULL DEFAULT 0, duplicates bigint NOT NULL DEFAULT 0, skipped bigint NOT NULL DEFAULT 0,
      requests bigint NOT NULL DEFAULT 0, total bigint, has_moved integer NOT NULL DEFAULT 0, was_whole integer NOT NULL,
      new bigint NOT NULL DEFAULT 0, updated bigint NOT NULL DEFAULT 0, unchanged bigint NOT NULL DEFAULT 0,
      deleted bigint NOT NULL DEFAULT 0, watermark text, verdict text, reason text, ended_edits bigint NOT NULL DEFAULT 0)
    """,
    """
    CREATE TABLE aggregator.sync_claim(source text COLLATE "C" NOT NULL, part text COLLATE "C" NOT NULL, holder bigint NOT NULL,
      process text NOT NULL, until timestamptz NOT NULL, PRIMARY KEY(source, part))
    """,
    """
    CREATE TABLE aggregator.kept_answer(id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, source text COLLATE "C" NOT NULL,
      question text COLLATE "C" NOT NULL, step bigint NOT NULL, walk text COLLATE "C" NOT NULL, place text NOT NULL, at bigint NOT NULL,
      rows text NOT NULL, faults text NOT NULL, total bigint, next text NOT NULL, more integer, paging text NOT NULL,
      size bigint NOT NULL, standing text, reading text, holder text)
    """,
    "CREATE INDEX ON aggregator.kept_answer USING hash(question)", "CREATE INDEX ON aggregator.kept_answer(at)",
    "CREATE TABLE aggregator.store_keepsake(name text COLLATE \"C\" PRIMARY KEY, value text NOT NULL)",
    """
    CREATE TABLE aggregator.record_change(id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, source text COLLATE "C" NOT NULL,
      record text COLLATE "C" NOT NULL, at bigint NOT NULL, before text, after text)
    """,
    "CREATE INDEX ON aggregator.record_change(source, id)",
    """
    CREATE TABLE aggregator.budget_slot(place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text COLLATE "C" NOT NULL,
      ticket bigint NOT NULL, at bigint NOT NULL, is_open boolean NOT NULL, process text NOT NULL)
    """,
    "CREATE INDEX ON aggregator.budget_slot(name, place)", "CREATE INDEX ON aggregator.budget_slot(ticket)",
    """
    CREATE TABLE aggregator.record_1(row bigint PRIMARY KEY, id text COLLATE "C" NOT NULL, body text NOT NULL,
      folded text COLLATE "C" NOT NULL, is_shown boolean NOT NULL, since bigint NOT NULL, EXCLUDE USING hash(id WITH =))
    """,
    "CREATE TABLE aggregator.state_1(row bigint PRIMARY KEY, \"fetch\" bigint NOT NULL, met bigint, gone bigint)",
    """
    CREATE TABLE aggregator.past_1(row bigint NOT NULL, id text COLLATE "C" NOT NULL, body text NOT NULL,
      folded text COLLATE "C" NOT NULL, since bigint NOT NULL, until bigint NOT NULL, at timestamptz NOT NULL DEFAULT now())
    """,
  ]

  /// U+0000 is stored as U+0001 with a 1 after it.
  private static let rows = [
    "INSERT INTO aggregator.source_info(name, fields, indexed, records, shown, newest, last_row) VALUES('friends', '', '', 4, 3, 1000000000001, 4)",
    "INSERT INTO aggregator.source_info(name) VALUES('others')",
    """
    INSERT INTO aggregator.fetch_log(source, at, question, place, sync)
    VALUES('friends', 1000000000001, 'all', 'page 1', 1), ('friends', 1000000000002, 'all', 'page 2', 2)
    """,
    """
    INSERT INTO aggregator.record_1 VALUES(1, 'a', '{"id":"a","name":"Ann","nicknames":[]}', '', true, 0),
      (2, 'b', '{"id":"b","name":"Bea","nicknames":[]}', '', true, 0), (3, 'c', '{"id":"c","name":"Cid","nicknames":[]}', '', false, 0),
      (4, 'd', '{"id":"d","name":"Dan","nicknames":[]}', '', true, 0)
    """,
    "INSERT INTO aggregator.state_1 VALUES(1, 1, 3, NULL), (2, 1, 3, NULL), (3, 1, NULL, NULL), (4, 2, NULL, NULL)",
    "INSERT INTO aggregator.soft_deletion VALUES('friends', 'c', 1000000000003, 1)",
    "INSERT INTO aggregator.given_back VALUES('friends', 1)",
    """
    INSERT INTO aggregator.next_position VALUES('friends', 3, 3, 'friends after a' || chr(1) || '1b', 3, -2, NULL, 5),
      ('others', 0, 2, NULL, 0, NULL, 'unverifiable', 7)
    """,
    """
    INSERT INTO aggregator.sync_state VALUES
      ('friends', 2, 1, 1000000000001, NULL, 1, 'friends offset 4 row=77aa', 4, 5, 1, 0, 3, 9, 1, 1, 1, 2, 3, 4, '1970-01-01T00:00:50.000Z',
        NULL, NULL, 6),
      ('others', 1, 0, 2000000000001, 2000000000002, 0, NULL, 0, 0, 0, 2, 1, NULL, 0, 0, 0, 0, 0, 0, NULL, 'partial', 'total: 2 fewer', 0)
    """,
    """
    INSERT INTO aggregator.kept_answer VALUES(3, 'friends here', 'list', 0, 'w', '', 1000000000001, '[]',
      '[{"reason":"bad","digest":"ff","row":2}]', 2, 'token a' || chr(1) || '1b', 0, 'token by 5 to token', 12, 'any', 'r', 'h')
    """,
    "SELECT setval(pg_get_serial_sequence('aggregator.kept_answer', 'id'), 4, false)",
    """
    INSERT INTO aggregator.budget_slot(name, ticket, at, is_open, process)
    SELECT 'spent', -2, extract(epoch FROM clock_timestamp())::bigint * 1000000000, false, '' UNION ALL
    SELECT 'left', 1, extract(epoch FROM clock_timestamp())::bigint * 1000000000 + 30000000000, true, '\(ended)'
    """,
  ]

  /// The name of a process of this machine that does not exist.
  private static let ended = (ProcessName.own.text.split(separator: " ").dropLast() + ["2147483647"]).joined(separator: " ")
}
