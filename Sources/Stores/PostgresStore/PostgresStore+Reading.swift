public import AggregatorCore
import StoreTables

extension PostgresStore {
  public func snapshot() async throws -> any RecordSnapshot {
    try await server.readingAtOneMoment { transaction in
      let found = try await transaction.run(
        ServerQuery(
          """
          SELECT \(StoredSource.columns), name,
            EXISTS(SELECT 1 FROM aggregator.fetch_log
              WHERE source = name AND (question = 'import') AND id > coalesce(after_fetch, 0)),
            EXISTS(SELECT 1 FROM aggregator.fetch_log WHERE source = name AND NOT (question = 'import')
              AND question <> '\(Fetch.correcting)')
          FROM aggregator.source_info WHERE fields IS NOT NULL
          """),
        Transaction.syncs(),
        ServerQuery("SELECT body, revision, source FROM aggregator.source_state WHERE name = $1", StoredPosition.name),
        ServerQuery("SELECT name, value FROM aggregator.store_keepsake"),
        ServerQuery("SELECT \(Edit.columns), source FROM aggregator.person_edit ORDER BY id"))
      let sources = found[0].map { row in
        let source = StoredSource(row)
        let census = Census(count: source.shown, newest: source.newest, hasImports: row.bool(10), hasOthers: row.bool(11))
        return (row.text(9), (source, census))
      }
      return ServerSnapshot(
        server: server, sources: Dictionary(sources) { $1 },
        syncs: Dictionary(found[1].map { ($0.text(3), SyncState($0).running(if: $0.bool(2))) }) { $1 },
        positions: Dictionary(found[2].map { ($0.text(2), $0.bytes(0)) }) { $1 },
        texts: Dictionary(found[3].map { ($0.text(0), $0.text(1)) }) { $1 },
        edits: Dictionary(found[4].map { ($0.text(4), [Edit($0)]) }, uniquingKeysWith: +))
    }
  }

  /// A snapshot without an open connection. It has read what is small already; the server
  /// keeps old versions of records for at least an hour.
  private struct ServerSnapshot: RecordSnapshot {
    let server: DatabaseServer
    let sources: [String: (source: StoredSource, census: Census)]
    let syncs: [String: SyncState]
    let positions: [String: [UInt8]]
    let texts: [String: String]
    let edits: [String: [Edit]]

    func census(of kind: RecordKind) async throws -> Census { sources[kind.name]?.census ?? Census(count: 0, newest: nil) }
    func sync(of kind: RecordKind) async throws -> SyncState? { syncs[kind.name] }
    func position(of kind: RecordKind) async throws -> Position {
      try StoredPosition(stored: positions[kind.name], of: kind).position
    }

    func removals(of kind: RecordKind) async throws -> Removals {
      let source = sources[kind.name]?.source
      // Without a hidden record the table need not be read.
      let hidden = source.flatMap { $0.records > $0.shown ? $0.tables.state : nil }
      let gone = hidden.map { "(SELECT count(*) FROM \($0) WHERE gone IS NOT NULL AND gone <> \(Moment.outdated.nanoseconds))" }
      let counts = try await server.read(
        "SELECT count(*), \(gone ?? "0::bigint") FROM aggregator.soft_deletion WHERE source = $1", kind.name)
      return counts.first { Removals(deleted: $0.int(0), gone: $0.int(1)) } ?? Removals()
    }
    func edits(of kind: RecordKind) async throws -> [Edit] { edits[kind.name] ?? [] }
    func storedText(_ name: String) async throws -> String? { texts[name] }

    func rows(of kind: RecordKind, _ question: StoredQuery, after row: Int64, count: Int) async throws -> StoredRows {
      guard let source = sources[kind.name]?.source else { return StoredRows(rows: [], next: nil) }
      var (question, count) = (question, count)
      if case .rows(let numbers) = question { count = numbers.count }
      if case .ids(let ids) = question { count = ids.count }
      // Every record may match if the searched texts are those of another kind.
      if case .maybeMatching = question, source.indexed != kind.indexed { question = .maybeMatching("") }
      let (rows, indexed) = try await read(Self.query(question, of: source, after: row, count: count), kind, of: source)
      if case .maybeMatching(let text) = question, !text.isEmpty, indexed != source.indexed {
        return try await self.rows(of: kind, .maybeMatching(""), after: row, count: count)
      }
      let isNamed = if case .maybeMatching = question { true } else { false }
      let found = rows.map { StoredRow($0, named: isNamed) }
      return found.count > count
        ? StoredRows(rows: Array(found.prefix(count)), next: count > 0 ? found[count - 1].row : row)
        : StoredRows(rows: found, next: nil)
    }

    /// Reads versions of records, and what the index of texts is made of now.
    private func read(_ query: ServerQuery, _ kind: RecordKind, of source: StoredSource) async throws -> (Rows, String?) {
      let rows = try await server.read(
        query,
        ServerQuery(
          "SELECT forgotten, indexed FROM aggregator.source_info WHERE name = $1 AND number = $2", kind.name, source.number))
      // Read after the rows, so that versions dropped before the rows were read are noticed.
      guard let (forgotten, indexed) = rows[1].first({ ($0.int64(0), $0.textIfPresent(1)) }), forgotten <= source.revision
      else {
        throw SourceError(
          .storage, "the stored records of \(kind.name) are no longer there as they were when reading began",
          remedy: .advice("run this again")
        ).from(kind.name)
      }
      return (rows[0], indexed)
    }

    func traces(of kind: RecordKind, _ query: StoredQuery, after row: Int64, count: Int) async throws -> TracedRows {
      guard let source = sources[kind.name]?.source else { return TracedRows(rows: [], next: nil) }
      let (condition, values) = Self.condition(query.isNamed ? query : .everything, at: 5)
      let isNamed = query.isNamed
      let (tables, most) = (source.tables, isNamed ? Int.max - 1 : count)
      // An old version is one of a record that was there, so that it was neither deleted nor gone.
      let (rows, _) = try await read(
        ServerQuery(
          """
          SELECT record.row, record.body, record.id, fetch_log.at, question, place, record.gone, record.deleted FROM (
            (SELECT record.row, body, record.id, "fetch", gone, soft_deletion.at AS deleted FROM (
                SELECT row, body, id FROM \(tables.record) WHERE row > $1 AND since <= $2\(condition) ORDER BY row LIMIT $3) AS record
              JOIN \(tables.state) USING(row)
              LEFT JOIN aggregator.soft_deletion ON soft_deletion.source = $4 AND soft_deletion.id = record.id)
            UNION ALL
            (SELECT row, body, id, "fetch", NULL, NULL FROM \(tables.past) JOIN \(tables.state) USING(row)
              WHERE row > $1 AND since <= $2 AND until > $2\(condition) ORDER BY row LIMIT $3)) AS record
          LEFT JOIN aggregator.fetch_log ON fetch_log.id = record."fetch" ORDER BY record.row LIMIT $3
          """, values: [isNamed ? Int64.min : row, source.revision, Int64(most) + 1, kind.name] + values), kind, of: source)
      let found = rows.map { TracedRow($0) }
      return isNamed ? TracedRows(rows: found, next: nil) : TracedRows(found, of: count, after: row)
    }

    /// Returns the query for the records that have not changed since the snapshot, and for the
    /// old versions of those that have. One row more than asked for shows whether more follow.
    private static func query(_ question: StoredQuery, of source: StoredSource, after row: Int64, count: Int) -> ServerQuery {
      let (condition, values) = condition(question, at: 4)
      let row = question.isNamed ? .min : row
      return ServerQuery(
        """
        (SELECT row, body, id FROM \(source.tables.record) WHERE row > $1 AND is_shown AND since <= $2\(condition) ORDER BY row LIMIT $3)
        UNION ALL
        (SELECT row, body, id FROM \(source.tables.past) WHERE row > $1 AND since <= $2 AND until > $2\(condition) ORDER BY row LIMIT $3)
        ORDER BY row LIMIT $3
        """, values: [row, source.revision, Int64(count) + 1] + values)
    }

    /// Returns the condition of a query, and its values, of which the first has that number.
    private static func condition(_ query: StoredQuery, at first: Int) -> (sql: String, values: [any SQLConvertible]) {
      switch query {
      case .everything: return ("", [])
      case .id(let id): return (" AND id = $\(first)", [id])
      case .ids(let ids): return (" AND id = ANY($\(first))", [SQLList(utf8: ids.map { Array($0.utf8)[...] })])
      case .rows(let numbers):
        return (" AND row = ANY($\(first)::bigint[])", ["{\(numbers.map(String.init).joined(separator: ","))}"])
      case .maybeMatching(let text):
        let text = SearchText(text)
        let words = text.isOfJoints ? [] : text.words.map { "%\(escaped(String(decoding: $0, as: UTF8.self)))%" }
        return (words.indices.map { " AND folded LIKE $\($0 + first)" }.joined(), words)
      }
    }

    private static func escaped(_ word: String) -> String {
      ["\\", "%", "_"].reduce(word) { $0.replacingEach($1, with: "\\\($1)") }
    }
  }
}
