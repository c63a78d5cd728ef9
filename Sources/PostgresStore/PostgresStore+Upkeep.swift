public import AggregatorCore

extension PostgresStore {
  public func optimize(_ kind: RecordKind, bulk isBulk: Bool) async throws {
    guard let source = try await server.reading(kind, else: nil as StoredSource?, { $1 }) else { return }
    let tables = source.tables
    try await server.write { transaction in
      _ = try await transaction.lock(kind)
      transaction.queue(tables.dropOldVersions(of: kind.name))
    }
    if source.indexed != kind.indexed {
      try await server.write(patience: Self.longWork) { try await $0.indexAgain(kind) }
    }
    if source.records >= Self.fewRecords, let trigrams = try await trigrams(), try await !hasIndex(tables) {
      try await server.write(patience: Self.longWork) { transaction in
        _ = try await transaction.lock(kind)
        transaction.queue(
          Query(
            "CREATE INDEX IF NOT EXISTS record_\(source.number)_folded ON \(tables.record) USING gin(folded \(SQLText.name(trigrams)).gin_trgm_ops)"
          ))
      }
    }
    if isBulk { _ = try await server.read(Query("ANALYZE \(tables.record), \(tables.state), \(tables.past)")) }
  }

  /// How long an index may take to be made.
  static let longWork = Duration.seconds(3_600)
  /// Up to here all of them are read sooner than an index is kept.
  private static let fewRecords = 1_000

  private func hasIndex(_ tables: Tables) async throws -> Bool {
    try await server.read(Query("SELECT to_regclass($1) IS NOT NULL", "\(tables.record)_folded"))[0].first { $0.bool(0) }
      ?? false
  }

  /// The schema of the extension that an index for searches is made with; nil where it cannot be had, and then every record is read.
  func trigrams() async throws -> String? {
    let schema = Query(
      "SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm'")
    let found = try await server.read(
      schema,
      Query(
        """
        SELECT EXISTS(SELECT 1 FROM pg_available_extensions WHERE name = 'pg_trgm')
          AND has_database_privilege(current_database(), 'CREATE')
        """))
    if let name = found[0].first({ $0.text(0) }) { return name }
    guard found[1].first({ $0.bool(0) }) == true else { return nil }
    // Another process may be quicker, or the server's owner may not want it. Not among our tables, where a role that is called like our
    // schema would make it: it is for everybody, and a copy of the schema is restored without it.
    _ = try? await server.write { $0.queue(Query("CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public")) }
    return try await server.read(schema)[0].first { $0.text(0) }
  }

  public func holdings() async throws -> [Holding] {
    try await server.readingAtOneMoment { transaction in
      let sources = try await transaction.run(
        Query("SELECT \(StoredSource.columns), name FROM aggregator.source_info WHERE records > 0 ORDER BY name"))[0]
        .map { (name: $0.text(9), source: StoredSource($0)) }
      let records = try await transaction.run(
        sources.map { name, source in
          Query(
            """
            SELECT $1, 'records', count(*), coalesce(sum(octet_length(body)), 0),
              (SELECT at FROM aggregator.fetch_log WHERE id = (SELECT min("fetch") FROM \(source.tables.state))), $2::bigint
            FROM \(source.tables.record)
            """, name, source.newest?.nanoseconds)
        })
      let others = try await transaction.run(
        Query(
          """
          SELECT split_part(source, ' ', 1) AS name, 'answers', count(*), sum(size), min(at), max(at)
          FROM aggregator.kept_answer GROUP BY name
          """),
        Query(
          """
          SELECT source, 'deletions', count(*), sum(octet_length(id)), min(at), max(at) FROM aggregator.soft_deletion GROUP BY source
          ORDER BY source
          """))
      return (records + others).flatMap { rows in
        rows.map { row in
          Holding(
            source: row.text(0), kind: row.text(1), rows: row.int(2), bytes: row.int(3), oldest: row.momentIfPresent(4),
            newest: row.momentIfPresent(5))
        }
      }
    }
  }

  @discardableResult
  public func forget(_ kind: RecordKind, importedOnly: Bool) async throws -> Int {
    try await server.write { transaction in
      let source = try await transaction.lock(kind)
      // A row of nobody's goes into every copy, so that none gives out a number again up to its own.
      transaction.queue(
        Query(
          """
          WITH last AS (INSERT INTO aggregator.fetch_log(source, at, question, place) VALUES('', 0, '', '') RETURNING id)
          DELETE FROM aggregator.fetch_log USING last WHERE source = '' AND fetch_log.id < last.id
          """))
      return importedOnly ? try await transaction.forgetImported(kind, in: source) : transaction.forget(kind, in: source)
    }
  }
}

extension Transaction {
  fileprivate func forget(_ kind: RecordKind, in source: StoredSource) -> Int {
    let tables = source.tables
    for table in ["absorbed_record", "next_position", "given_back", "sync_state", "record_change", "fetch_log"] {
      queue(Query("DELETE FROM aggregator.\(table) WHERE source = $1", kind.name))
    }
    queue(
      Query("DELETE FROM aggregator.kept_answer WHERE source = $1 OR starts_with(source, $1 || ' ')", kind.name),
      Query("DELETE FROM aggregator.store_keepsake WHERE name = $1", kind.addressName))
    guard source.fields != nil else { return 0 }
    // Whoever began to read before hears of it, since nothing of what was there is kept.
    queue(
      Query("TRUNCATE \(tables.record), \(tables.state), \(tables.past)"),
      Query(
        """
        UPDATE aggregator.source_info SET records = 0, shown = 0, newest = NULL, revision = revision + 1, forgotten = revision + 1
        WHERE name = $1
        """, kind.name))
    return source.records
  }

  fileprivate func forgetImported(_ kind: RecordKind, in source: StoredSource) async throws -> Int {
    guard source.fields != nil else { return 0 }
    let (name, tables) = (kind.name, source.tables)
    let imported = """
      SELECT row FROM \(tables.state) WHERE "fetch" IN (SELECT id FROM aggregator.fetch_log WHERE source = $2 AND question = $3)
      """
    queue(Query(tables.keepVersions("row IN (\(imported))"), source.revision + 1, name, Fetch.importing))
    let counts = try await run(
      Query(
        """
        WITH imported AS (\(imported.replacingEach("$2", with: "$1").replacingEach("$3", with: "$2"))),
          dropped AS (DELETE FROM \(tables.record) WHERE row IN (SELECT row FROM imported) RETURNING is_shown)
        SELECT count(*), count(*) FILTER (WHERE is_shown) FROM dropped
        """, name, Fetch.importing))
    let (count, shown) = counts[0].first { ($0.int(0), $0.int(1)) } ?? (0, 0)
    queue(
      Query("DELETE FROM \(tables.state) WHERE row NOT IN (SELECT row FROM \(tables.record))"),
      Query("DELETE FROM aggregator.fetch_log WHERE source = $1 AND question = $2", name, Fetch.importing))
    for table in ["absorbed_record", "given_back"] {
      queue(Query("DELETE FROM aggregator.\(table) WHERE source = $1 AND row NOT IN (SELECT row FROM \(tables.record))", name))
    }
    queue(
      Query(
        """
        UPDATE aggregator.source_info SET records = records - $2, shown = shown - $3, revision = revision + 1,
          newest = (SELECT max(at) FROM aggregator.fetch_log WHERE source = $1)
        WHERE name = $1
        """, name, count, shown))
    return count
  }

  /// Makes the searched texts anew, from the records as they are.
  fileprivate func indexAgain(_ kind: RecordKind) async throws {
    let source = try await lock(kind)
    var last: Int64 = 0
    while true {
      let rows = try await run(
        Query("SELECT row, id, body FROM \(source.tables.record) WHERE row > $1 ORDER BY row LIMIT 1000", last))[0]
        .map { (row: $0.int64(0), id: $0.text(1), body: $0.bytes(2)) }
      guard let end = rows.last else { break }
      last = end.row
      var folded = SQLList.texts
      for row in rows { folded.append(((try? JSON(row.body)).map { kind.searchText(of: $0, id: row.id) } ?? [])[...]) }
      queue(
        Query(
          """
          UPDATE \(source.tables.record) AS record SET folded = new.folded FROM unnest($1::bigint[], $2::text[]) AS new(row, folded)
          WHERE record.row = new.row
          """, SQLList(rows.map(\.row)), folded))
    }
    queue(Query("UPDATE aggregator.source_info SET indexed = $2 WHERE name = $1", kind.name, kind.indexed))
  }
}
