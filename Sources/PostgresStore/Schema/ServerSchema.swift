import AggregatorCore
import StoreTables

/// The tables on the server, all of them in the schema `aggregator`, version by version.
enum ServerSchema {
  /// The statements of each step. `newest` makes the current schema. The others lead from version 1, 2, … to the next. They use today's
  /// `StoredTable`: after a change there, check the older steps.
  static let steps: [@Sendable () -> [String]] = [{ newest }, { second }, { third }, { fourth }, { fifth }]

  private static var newest: [String] {
    [
      // JSON may have an escaped U+0000, which PostgreSQL refuses to read.
      #"""
      CREATE FUNCTION aggregator.fields(body text) RETURNS json LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
        SELECT CASE WHEN strpos(body, '\u0000') = 0 THEN body ELSE regexp_replace(body, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffd', 'g') END::json
      $$
      """#,
      """
      CREATE TABLE aggregator.write_log(
        id bigint PRIMARY KEY,
        at timestamptz NOT NULL DEFAULT now()
      )
      """,
      "COMMENT ON TABLE aggregator.write_log IS 'Every transaction of the last day, by its number. After a lost connection it tells if the transaction was committed.'",
      """
      CREATE TABLE aggregator.sync_claim(
        source text COLLATE "C" NOT NULL, part text COLLATE "C" NOT NULL, holder bigint NOT NULL,
        process text NOT NULL, until timestamptz NOT NULL, PRIMARY KEY(source, part)
      )
      """,
      "COMMENT ON TABLE aggregator.sync_claim IS 'Which process has which part of a sync, and when its claim ends if not renewed.'",
    ] + StoredTable.sources.statements(about: "U+0000 is stored as U+0001 followed by 1, and U+0001 as U+0001 followed by 2.")
      + sourceColumns.flatMap { name, definition, remark in
        [
          "ALTER TABLE aggregator.source_info ADD COLUMN \(name) \(definition)",
          "COMMENT ON COLUMN aggregator.source_info.\(name) IS \(SQLText.text(remark))",
        ]
      } + StoredTable.all(of: []).filter { $0 != .sources }.flatMap { $0.statements() } + laying + [
        // Each reader asks at its beginning whether anything was imported, and whether anything else was not.
        "CREATE INDEX ON aggregator.fetch_log(source, (question = 'import'), id)"
      ] + StoredTable.budgets.statements()
  }

  /// The columns of `source_info` that this database adds.
  private static let sourceColumns = [
    ("number", "integer NOT NULL GENERATED ALWAYS AS IDENTITY", "the NUMBER in record_NUMBER and its other tables"),
    ("fields", "text", "the fields of a record, as a JSON array; null where it has no tables"),
    ("indexed", "text", "the fields in the searched text"),
    ("shown", "bigint NOT NULL DEFAULT 0", "the number of records still there"),
    ("last_row", "bigint NOT NULL DEFAULT 0", "the highest number that a record was ever given"),
    ("revision", "bigint NOT NULL DEFAULT 0", "counts the transactions that changed what a reader sees"),
    ("forgotten", "bigint NOT NULL DEFAULT 0", "the last revision whose old versions were dropped"),
  ]

  /// An answer carries its verdict, and the list it belongs to.
  private static let second = [
    "ALTER TABLE aggregator.kept_answer ADD COLUMN standing text, ADD COLUMN reading text, ADD COLUMN holder text",
    // Empty `fields` make the next writer rebuild the views.
    "UPDATE aggregator.source_info SET fields = '' WHERE fields IS NOT NULL",
  ]

  /// Records may begin with a person's edits; a sync counts the edits that it ended.
  private static let third = ["ALTER TABLE aggregator.sync_state ADD COLUMN ended_edits bigint NOT NULL DEFAULT 0"]

  /// Columns that no query compares became JSON objects.
  private static var fourth: [String] {
    [StoredTable.states, .answers, .budgets].flatMap { $0.statements() } + [
      "ALTER TABLE aggregator.source_info ADD COLUMN after_fetch bigint",
      """
      UPDATE aggregator.source_info SET after_fetch = sync_state.after_fetch FROM aggregator.sync_state WHERE source = name
      """,
      """
      INSERT INTO aggregator.source_state SELECT source, 'next', revision, \(text(of: position))
      FROM aggregator.next_position
      """,
      """
      INSERT INTO aggregator.source_state SELECT source, 'sync', number, \(text(of: sync)) FROM aggregator.sync_state
      """,
      "DROP TABLE aggregator.next_position, aggregator.sync_state",
      // Older versions stored no verdict, so the list may have been shorter than its pages suggest.
      """
      INSERT INTO aggregator.cached_answer(source, question, step, walk, at, rows, body, size, reading, holder)
      SELECT source, question, step, walk, at, rows, \(text(of: answer)), size, reading, holder FROM aggregator.kept_answer ORDER BY id
      """,
      "DROP TABLE aggregator.kept_answer",
      """
      INSERT INTO aggregator.budget SELECT name, json_build_object(
        'open', coalesce(json_agg(json_build_object('ticket', ticket, 'at', at, 'sender', process) ORDER BY place)
          FILTER (WHERE is_open), '[]'),
        'answered', coalesce(json_agg(at) FILTER (WHERE NOT is_open), '[]'))::text
      FROM aggregator.budget_slot GROUP BY name
      """,
      "DROP TABLE aggregator.budget_slot",
    ]
  }

  /// A person's edits have a table of their own. Empty `fields` make the next writer rebuild the views, which now show the edits.
  private static var fifth: [String] {
    StoredTable.edits.statements() + laying + [
      "ALTER TABLE aggregator.record_change ADD COLUMN ended text",
      "DELETE FROM aggregator.store_keepsake WHERE name IN (SELECT name || ' edits' FROM aggregator.source_info)",
      "UPDATE aggregator.source_info SET fields = '' WHERE fields IS NOT NULL",
    ]
  }

  /// The functions that lay a person's edits over a record, one after the other, for the views.
  private static let laying = [
    """
    CREATE FUNCTION aggregator.merged(body jsonb, patch jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
    BEGIN
      IF jsonb_typeof(patch) <> 'object' THEN RETURN patch; END IF;
      RETURN (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM (
        SELECT key, value FROM jsonb_each(CASE jsonb_typeof(body) WHEN 'object' THEN body ELSE '{}' END) WHERE NOT patch ? key
        UNION ALL SELECT key, aggregator.merged(body -> key, value) FROM jsonb_each(patch) WHERE value <> 'null') AS member);
    END $$
    """,
    """
    CREATE FUNCTION aggregator.edited(body text, source text, record text) RETURNS json LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
    DECLARE
      shown jsonb := aggregator.fields(body);
      patch text;
    BEGIN
      FOR patch IN SELECT value FROM aggregator.person_edit AS edit WHERE edit.source = $2 AND edit.record = $3 ORDER BY id LOOP
        shown := aggregator.merged(shown, aggregator.fields(patch)::jsonb);
      END LOOP;
      RETURN shown;
    END $$
    """,
  ]

  /// Moves edits into their table. Older versions had them in the bodies of records and changes.
  private static func moveEdits(on connection: Connection, until end: ContinuousClock.Instant) async throws {
    func isFormer(_ column: String) -> String { "starts_with(\(column), $1)" }
    let sources = try await connection.run(
      [ServerQuery("SELECT name, number FROM aggregator.source_info WHERE fields IS NOT NULL")], until: end)[0]
    for (name, number) in sources.map({ ($0.text(0), $0.int(1)) }) {
      let table = Tables(number: number).record
      let rows = try await connection.run(
        [ServerQuery("SELECT row, id, body FROM \(table) WHERE \(isFormer("body"))", FormerBody.prefix)], until: end)[0]
      var queries: [ServerQuery] = []
      for (row, body) in rows.map({ ($0.int64(0), FormerBody($0.bytes(2), of: $0.text(1))) }) {
        guard let body else { continue }
        queries.append(ServerQuery("UPDATE \(table) SET body = $2 WHERE row = $1", row, body.given))
        queries += ServerQuery.changing((removed: [], added: body.edits), of: name)
      }
      guard !queries.isEmpty else { continue }
      // The searched texts were made of the edited values.
      queries.append(ServerQuery("UPDATE aggregator.source_info SET indexed = NULL WHERE name = $1", name))
      _ = try await connection.run(queries, until: end)
    }
    let changes = try await connection.run(
      [
        ServerQuery(
          "SELECT id, record, before, after FROM aggregator.record_change WHERE \(isFormer("before")) OR \(isFormer("after"))",
          FormerBody.prefix)
      ], until: end)[0]
    let updates = changes.map { row in
      let (before, after) = (FormerBody(row.bytes(2), of: row.text(1)), FormerBody(row.bytes(3), of: row.text(1)))
      return ServerQuery(
        "UPDATE aggregator.record_change SET before = coalesce($2, before), after = coalesce($3, after), ended = $4 WHERE id = $1",
        row.int64(0), before?.shown, after?.shown, FieldPath.text(of: FormerBody.ended(from: before, to: after)))
    }
    if !updates.isEmpty { _ = try await connection.run(updates, until: end) }
  }

  private static let position = """
    'shown', shown, 'reading', number, 'cursor', cursor, 'behind', behind, 'passed', passed, 'verdict', verdict, 'revision', revision
    """
  private static let sync = """
    'number', number, 'began', began, 'ended', ended, 'isFull', is_full = 1, 'cursor', cursor, 'behind', behind,
    'received', received, 'duplicates', duplicates, 'skipped', skipped, 'requests', requests, 'total', total,
    'mayHaveLost', has_moved = 1, 'wasWhole', was_whole = 1, 'new', new, 'updated', updated, 'unchanged', unchanged,
    'deleted', deleted, 'endedEdits', ended_edits, 'watermark', watermark, 'verdict', verdict || coalesce(' ' || reason, '')
    """
  private static let answer = """
    'place', place, 'total', total, 'next', next, 'more', more = 1, 'paging', paging, 'standing', CASE
      WHEN standing IS NOT NULL THEN nullif(standing, 'any')
      WHEN paging LIKE 'token%' THEN 'partial an older version kept it without its verdict'
      ELSE 'unverifiable' END,
    'faults', faults::json
    """

  /// Returns SQL for a JSON object as a text in which U+0000 and U+0001 are escaped as in JSON, not as in stored texts.
  private static func text(of members: String) -> String {
    #"replace(replace(json_build_object(\#(members))::text, '\u00011', '\u0000'), '\u00012', '\u0001')"#
  }

  /// Brings the schema up to date. Throws if a newer version or another program made it.
  static func prepare(on connection: Connection, of address: ServerAddress, until end: ContinuousClock.Instant) async throws {
    let version = try await version(on: connection, until: end)
    guard version < steps.count else { return try refuseNewer(version, at: address) }
    do {
      try await migrate(connection, at: address, until: end)
    } catch {
      if connection.isUsable { _ = try? await connection.run([ServerQuery("ROLLBACK")], until: end) }
      throw error
    }
  }

  private static func refuseNewer(_ version: Int, at address: ServerAddress) throws {
    guard version > steps.count else { return }
    throw SourceError(
      ofStore: "the store \(address) was written by a newer version of this program; left unchanged",
      remedy: .advice("update this program").or(.useAnotherStore))
  }

  /// Returns the version of the schema; 0 without a schema.
  static func version(on connection: Connection, until end: ContinuousClock.Instant) async throws -> Int {
    let table = try await connection.run(
      [ServerQuery("SELECT to_regclass('aggregator.store_version') IS NOT NULL")], until: end)
    guard table[0].first({ $0.bool(0) }) == true else { return 0 }
    return try await connection.run([ServerQuery("SELECT version FROM aggregator.store_version")], until: end)[0].first {
      $0.int(0)
    }
      ?? 0
  }

  private static func migrate(
    _ connection: Connection, at address: ServerAddress, until end: ContinuousClock.Instant
  ) async throws {
    let opening = try await connection.run(
      [
        ServerQuery("BEGIN ISOLATION LEVEL READ COMMITTED"), Server.settings,
        ServerQuery("SELECT pg_advisory_xact_lock(hashtextextended('aggregator store', 0))"),
        ServerQuery(
          """
          SELECT to_regnamespace('aggregator') IS NOT NULL,
            to_regnamespace('aggregator') IN (SELECT relnamespace FROM pg_class UNION ALL SELECT pronamespace FROM pg_proc
              UNION ALL SELECT typnamespace FROM pg_type)
          """),
      ], until: end)
    // Another process may have been quicker.
    let version = try await version(on: connection, until: end)
    try refuseNewer(version, at: address)
    let (isThere, isUsed) = opening[3].first { ($0.bool(0), $0.bool(1)) } ?? (false, false)
    guard version > 0 || !isUsed else {
      throw SourceError(
        ofStore: "the schema aggregator at \(address) belongs to another program",
        remedy: "use another database")
    }
    var queries = isThere ? [] : [ServerQuery("CREATE SCHEMA aggregator")]
    if version == 0 { queries.append(ServerQuery("CREATE TABLE aggregator.store_version(version integer NOT NULL)")) }
    let statements = version == 0 ? steps[0]() : steps[min(version, steps.count)...].flatMap { $0() }
    queries += statements.map { ServerQuery($0) }
    queries.append(ServerQuery("DELETE FROM aggregator.store_version"))
    queries.append(ServerQuery("INSERT INTO aggregator.store_version VALUES($1)", steps.count))
    _ = try await connection.run(queries, until: end)
    if (1..<5).contains(version) { try await moveEdits(on: connection, until: end) }
    _ = try await connection.run([ServerQuery("COMMIT")], until: end)
  }
}

extension StoredTable {
  /// Returns the statements that make the table on the server, with further lines about it.
  ///
  /// A text that may be longer than a key of a B-tree has a hash index, and no rule that it occurs once: a transaction that writes such a
  /// text has locked its source.
  func statements(about more: String = "") -> [String] {
    var lines = columns.map { column in
      let isIdentity = isNumbered && column == columns[0]
      let rule = isIdentity ? " GENERATED BY DEFAULT AS IDENTITY" : column.isOptional ? "" : " NOT NULL"
      return "\(SQLText.name(column.name)) \(column.sqlType)\(rule)\(column.initial.map { " DEFAULT \($0)" } ?? "")"
    }
    let long = columns.filter { $0.kind == .longText }.map(\.name)
    let keys = [key.map(\.name)] + indexes.map(\.columns)
    let hashed = keys.flatMap { $0.filter(long.contains) }
    if !keys[0].contains(where: long.contains) { lines.append("PRIMARY KEY(\(Self.list(keys[0])))") }
    return ["CREATE TABLE \(sqlName)(\(lines.joined(separator: ", ")))"]
      + [comment(on: "TABLE \(sqlName)", [about, more].filter { !$0.isEmpty }.joined(separator: "\n"))]
      + columns.filter { !$0.remark.isEmpty }.map { comment(on: "COLUMN \(sqlName).\(SQLText.name($0.name))", $0.remark) }
      + hashed.map { "CREATE INDEX ON \(sqlName) USING hash(\(SQLText.name($0)))" }
      + keys[1...].filter { !$0.contains(where: long.contains) }.map { "CREATE INDEX ON \(sqlName)(\(Self.list($0)))" }
  }

  private var sqlName: String { "aggregator.\(name)" }
  private func comment(on part: String, _ text: String) -> String { "COMMENT ON \(part) IS \(SQLText.text(text))" }
  private static func list(_ names: [String]) -> String { names.map { SQLText.name($0) }.joined(separator: ", ") }
}

extension StoredTable.Column {
  fileprivate var sqlType: String {
    switch kind {
    case .number: "bigint"
    case .flag: "integer"
    case .text, .longText: "text COLLATE \"C\""
    case .content: "text"
    }
  }
}
