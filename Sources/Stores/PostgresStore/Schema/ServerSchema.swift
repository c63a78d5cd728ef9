import AggregatorCore
import StoreTables

/// The tables on the server, all of them in the schema `aggregator`.
enum ServerSchema {
  /// The version of the schema. A store of another version is refused.
  static let version = 6

  private static var statements: [String] {
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

  /// Makes the schema in a database without one. Throws if another version or another program made it.
  static func prepare(on connection: DatabaseConnection, of address: ServerAddress, until end: ContinuousClock.Instant)
    async throws
  {
    guard try await needsTables(connection, at: address, until: end) else { return }
    do {
      try await make(on: connection, at: address, until: end)
    } catch {
      if connection.isUsable { _ = try? await connection.run([ServerQuery("ROLLBACK")], until: end) }
      throw error
    }
  }

  /// True when the database lacks the schema. Throws if another version of the program made it.
  private static func needsTables(
    _ connection: DatabaseConnection, at address: ServerAddress, until end: ContinuousClock.Instant
  )
    async throws
    -> Bool
  {
    let found = try await version(on: connection, until: end)
    guard found == 0 || found == version else {
      throw SourceError(
        ofStore: "the store \(address) has version \(found), and this program uses version \(version); left unchanged",
        remedy: found > version ? .advice("update this program").or(.useAnotherStore) : .useAnotherStore)
    }
    return found == 0
  }

  /// Returns the version of the schema; 0 without a schema.
  static func version(on connection: DatabaseConnection, until end: ContinuousClock.Instant) async throws -> Int {
    let table = try await connection.run(
      [ServerQuery("SELECT to_regclass('aggregator.store_version') IS NOT NULL")], until: end)
    guard table[0].first({ $0.bool(0) }) == true else { return 0 }
    return try await connection.run([ServerQuery("SELECT version FROM aggregator.store_version")], until: end)[0].first {
      $0.int(0)
    }
      ?? 0
  }

  private static func make(
    on connection: DatabaseConnection, at address: ServerAddress, until end: ContinuousClock.Instant
  ) async throws {
    let opening = try await connection.run(
      [
        ServerQuery("BEGIN ISOLATION LEVEL READ COMMITTED"), DatabaseServer.settings,
        ServerQuery("SELECT pg_advisory_xact_lock(hashtextextended('aggregator store', 0))"),
        ServerQuery(
          """
          SELECT to_regnamespace('aggregator') IS NOT NULL,
            to_regnamespace('aggregator') IN (SELECT relnamespace FROM pg_class UNION ALL SELECT pronamespace FROM pg_proc
              UNION ALL SELECT typnamespace FROM pg_type)
          """),
      ], until: end)
    // Another process may have been quicker.
    var queries: [ServerQuery] = []
    if try await needsTables(connection, at: address, until: end) {
      let (isThere, isUsed) = opening[3].first { ($0.bool(0), $0.bool(1)) } ?? (false, false)
      guard !isUsed else {
        throw SourceError(
          ofStore: "the schema aggregator at \(address) belongs to another program", remedy: "use another database")
      }
      let table = "CREATE TABLE aggregator.store_version AS SELECT \(version) AS version"
      queries = ((isThere ? [] : ["CREATE SCHEMA aggregator"]) + [table] + statements).map { ServerQuery($0) }
    }
    _ = try await connection.run(queries + [ServerQuery("COMMIT")], until: end)
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
