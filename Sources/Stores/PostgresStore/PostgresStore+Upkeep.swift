public import AggregatorCore
import StoreTables

extension PostgresStore {
  public func optimize(_ kind: RecordKind, bulk isBulk: Bool) async throws {
    guard let source = try await server.reading(kind, else: nil as StoredSource?, { $1 }) else { return }
    let tables = source.tables
    try await server.writing(kind, else: ()) { transaction, _ in transaction.queue(tables.dropOldVersions(of: kind.name)) }
    if source.indexed != kind.indexed {
      try await server.write(patience: Self.longWork) { try await $0.indexAgain(kind) }
    }
    if source.records >= Self.fewRecords, let trigrams = try await trigrams(), try await !hasIndex(tables) {
      try await server.write(patience: Self.longWork) { transaction in
        _ = try await transaction.lock(kind)
        transaction.queue(
          """
          CREATE INDEX IF NOT EXISTS record_\(source.number)_folded ON \(tables.record)
          USING gin(folded \(SQLText.name(trigrams)).gin_trgm_ops)
          """)
      }
    }
    if isBulk { _ = try await server.read("ANALYZE \(tables.record), \(tables.state), \(tables.past)") }
  }

  /// The longest time that making an index may take.
  static let longWork = Duration.seconds(3_600)
  /// Up to this number of records, reading all of them costs less than an index.
  private static let fewRecords = 1_000

  private func hasIndex(_ tables: ServerTables) async throws -> Bool {
    try await server.read("SELECT to_regclass($1) IS NOT NULL", "\(tables.record)_folded").first { $0.bool(0) } ?? false
  }

  /// Returns the schema of the extension that an index for searches needs, and creates the
  /// extension if possible. Nil without the extension; then a search reads every record.
  func trigrams() async throws -> String? {
    let schema = ServerQuery(
      "SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm'")
    let found = try await server.read(
      schema,
      ServerQuery(
        """
        SELECT EXISTS(SELECT 1 FROM pg_available_extensions WHERE name = 'pg_trgm')
          AND has_database_privilege(current_database(), 'CREATE')
        """))
    if let name = found[0].first({ $0.text(0) }) { return name }
    guard found[1].first({ $0.bool(0) }) == true else { return nil }
    // This fails if another process is quicker, or if the server's owner forbids it. A role named like our schema would create
    // the extension there. It belongs in `public`, since it is for everybody, and a copy of our schema is restored without it.
    _ = try? await server.write { $0.queue("CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public") }
    return try await server.read(schema)[0].first { $0.text(0) }
  }

  public func holdings() async throws -> [Holding] {
    try await server.readingAtOneMoment { transaction in
      let records = try await transaction.run(
        "SELECT name, number FROM aggregator.source_info WHERE records > 0 ORDER BY name"
      ).map { row in
        let (name, tables) = (row.text(0), ServerTables(number: row.int(1)))
        return ServerQuery(
          """
          SELECT name, 'records', records, (SELECT coalesce(sum(octet_length(body)), 0) FROM \(tables.record)),
            (SELECT at FROM aggregator.fetch_log WHERE id = (SELECT min("fetch") FROM \(tables.state))), newest
          FROM aggregator.source_info WHERE name = $1
          """, name)
      }
      let others = [
        ServerQuery(
          """
          SELECT split_part(source, ' ', 1) AS name, 'answers', count(*), sum(size), min(at), max(at)
          FROM aggregator.cached_answer GROUP BY name
          """),
        ServerQuery(
          """
          SELECT source, 'deletions', count(*), sum(octet_length(id)), min(at), max(at)
          FROM aggregator.soft_deletion GROUP BY source ORDER BY source
          """),
      ]
      return try await transaction.run(records + others).flatMap { $0.map { Holding($0) } }
    }
  }

  @discardableResult
  public func forget(_ kind: RecordKind, importedOnly: Bool) async throws -> Int {
    try await server.write { transaction in
      let source = try await transaction.lock(kind)
      // An empty row goes into every copy of the store. Its number is the greatest so far, and a copy continues after it.
      transaction.queue(
        """
        WITH last AS (INSERT INTO aggregator.fetch_log(source, at, question, place) VALUES('', 0, '', '') RETURNING id)
        DELETE FROM aggregator.fetch_log USING last WHERE source = '' AND fetch_log.id < last.id
        """)
      return importedOnly ? try await transaction.forgetImported(kind, in: source) : transaction.forget(kind, in: source)
    }
  }
}

extension Transaction {
  fileprivate func forget(_ kind: RecordKind, in source: StoredSource) -> Int {
    let tables = source.tables
    for table in ["absorbed_record", "source_state", "given_back", "record_change", "person_edit", "fetch_log"] {
      queue("DELETE FROM aggregator.\(table) WHERE source = $1", kind.name)
    }
    queue("DELETE FROM aggregator.cached_answer WHERE source = $1 OR starts_with(source, $1 || ' ')", kind.name)
    queue(
      "DELETE FROM aggregator.store_keepsake WHERE name = ANY($1::text[]) OR starts_with(name, $2)", SQLList(kind.ownKeepsakes),
      kind.seenNames)
    guard source.fields != nil else { return 0 }
    // A reader that began before gets an error, since no old row is left.
    queue("TRUNCATE \(tables.record), \(tables.state), \(tables.past)")
    queue(
      """
      UPDATE aggregator.source_info SET records = 0, shown = 0, newest = NULL, after_fetch = NULL, revision = revision + 1,
        forgotten = revision + 1
      WHERE name = $1
      """, kind.name)
    return source.records
  }

  fileprivate func forgetImported(_ kind: RecordKind, in source: StoredSource) async throws -> Int {
    guard source.fields != nil else { return 0 }
    let isImported = """
      "fetch" IN (SELECT id FROM aggregator.fetch_log
        WHERE source = \(SQLText.text(kind.name)) AND question = \(SQLText.text(Fetch.importing)))
      """
    let count = try await remove(isImported, of: kind, in: source)
    queue("DELETE FROM aggregator.fetch_log WHERE source = $1 AND question = $2", kind.name, Fetch.importing)
    queue(
      """
      UPDATE aggregator.source_info SET newest = (SELECT max(at) FROM aggregator.fetch_log WHERE source = $1) WHERE name = $1
      """, kind.name)
    return count
  }

  /// Removes the records for whose states a condition holds. Returns how many there were.
  func remove(_ condition: String, of kind: RecordKind, in source: StoredSource) async throws -> Int {
    let (name, tables) = (kind.name, source.tables)
    let isUnwanted = "row IN (SELECT row FROM unwanted)"
    let counts = try await run(
      """
      WITH unwanted AS (SELECT row FROM \(tables.state) WHERE \(condition)),
        past AS (\(tables.keepVersions(isUnwanted))),
        dropped AS (DELETE FROM \(tables.record) WHERE \(isUnwanted) RETURNING is_shown)
      SELECT count(*), count(*) FILTER (WHERE is_shown) FROM dropped
      """, source.revision + 1)
    let (count, shown) = counts.first { ($0.int(0), $0.int(1)) } ?? (0, 0)
    guard count > 0 else { return 0 }
    queue("DELETE FROM \(tables.state) WHERE row NOT IN (SELECT row FROM \(tables.record))")
    for table in ["absorbed_record", "given_back"] {
      queue("DELETE FROM aggregator.\(table) WHERE source = $1 AND row NOT IN (SELECT row FROM \(tables.record))", name)
    }
    queue(
      "UPDATE aggregator.source_info SET records = records - $2, shown = shown - $3, revision = $4 WHERE name = $1", name,
      count, shown, source.revision + 1)
    return count
  }

  /// Makes the searched texts again, from the records.
  fileprivate func indexAgain(_ kind: RecordKind) async throws {
    let source = try await lock(kind)
    var last: Int64 = 0
    while true {
      let rows = try await run(
        "SELECT row, body, id FROM \(source.tables.record) WHERE row > $1 ORDER BY row LIMIT 1000", last
      ).map { StoredRow($0, named: true) }
      guard let end = rows.last else { break }
      last = end.row
      var folded = SQLList.texts
      for row in rows {
        folded.append(((try? JSON(row.body)).map { kind.searchText(of: $0, id: row.id ?? "") } ?? [])[...])
      }
      queue(
        """
        UPDATE \(source.tables.record) AS record SET folded = new.folded
        FROM unnest($1::bigint[], $2::text[]) AS new(row, folded) WHERE record.row = new.row
        """, SQLList(rows.map(\.row)), folded)
    }
    queue("UPDATE aggregator.source_info SET indexed = $2 WHERE name = $1", kind.name, kind.indexed)
  }
}
