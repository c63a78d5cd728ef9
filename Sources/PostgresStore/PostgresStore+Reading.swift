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
        ServerQuery("SELECT body, revision, source FROM aggregator.source_state WHERE name = $1", StoredSync.name),
        ServerQuery("SELECT name, value FROM aggregator.store_keepsake"),
        ServerQuery("SELECT \(Edit.columns), source FROM aggregator.person_edit ORDER BY id"))
      let sources = found[0].map { row in
        let source = StoredSource(row)
        let census = Census(count: source.shown, newest: source.newest, hasImports: row.bool(10), hasOthers: row.bool(11))
        return (row.text(9), (source, census))
      }
      return ServerSnapshot(
        server: server, sources: Dictionary(sources) { $1 },
        syncs: Dictionary(found[1].map { ($0.text(2), SyncState($0)) }) { $1 },
        texts: Dictionary(found[2].map { ($0.text(0), $0.text(1)) }) { $1 },
        edits: Dictionary(found[3].map { ($0.text(4), [Edit($0)]) }, uniquingKeysWith: +))
    }
  }

  /// A snapshot without an open connection. It has read what is small already; the server
  /// keeps old versions of records for at least an hour.
  private struct ServerSnapshot: RecordSnapshot {
    let server: Server
    let sources: [String: (source: StoredSource, census: Census)]
    let syncs: [String: SyncState]
    let texts: [String: String]
    let edits: [String: [Edit]]

    func census(of kind: RecordKind) async throws -> Census { sources[kind.name]?.census ?? Census(count: 0, newest: nil) }
    func sync(of kind: RecordKind) async throws -> SyncState? { syncs[kind.name] }

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
      let rows = try await server.read(
        Self.query(question, of: source, after: row, count: count),
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
      if case .maybeMatching(let text) = question, !text.isEmpty, indexed != source.indexed {
        return try await self.rows(of: kind, .maybeMatching(""), after: row, count: count)
      }
      let isNamed = if case .maybeMatching = question { true } else { false }
      let found = rows[0].map { StoredRow($0, named: isNamed) }
      return found.count > count
        ? StoredRows(rows: Array(found.prefix(count)), next: count > 0 ? found[count - 1].row : row)
        : StoredRows(rows: found, next: nil)
    }

    /// Returns the query for the records that have not changed since the snapshot, and for the
    /// old versions of those that have. One row more than asked for shows whether more follow.
    private static func query(_ question: StoredQuery, of source: StoredSource, after row: Int64, count: Int) -> ServerQuery {
      var (condition, values, row): (String, [any SQLConvertible], Int64) = ("", [], row)
      switch question {
      case .everything: break
      case .id(let id): (condition, values, row) = (" AND id = $4", [id], 0)
      case .ids(let ids): (condition, values, row) = (" AND id = ANY($4)", [SQLList(utf8: ids.map { Array($0.utf8)[...] })], 0)
      case .rows(let numbers):
        (condition, values, row) = (
          " AND row = ANY($4::bigint[])", ["{\(numbers.map(String.init).joined(separator: ","))}"], .min
        )
      case .maybeMatching(let text):
        let text = SearchText(text)
        values = text.isOfJoints ? [] : text.words.map { "%\(escaped(String(decoding: $0, as: UTF8.self)))%" }
        condition = values.indices.map { " AND folded LIKE $\($0 + 4)" }.joined()
      }
      return ServerQuery(
        """
        (SELECT row, body, id FROM \(source.tables.record) WHERE row > $1 AND is_shown AND since <= $2\(condition) ORDER BY row LIMIT $3)
        UNION ALL
        (SELECT row, body, id FROM \(source.tables.past) WHERE row > $1 AND since <= $2 AND until > $2\(condition) ORDER BY row LIMIT $3)
        ORDER BY row LIMIT $3
        """, values: [row, source.revision, Int64(count) + 1] + values)
    }

    private static func escaped(_ word: String) -> String {
      ["\\", "%", "_"].reduce(word) { $0.replacingEach($1, with: "\\\($1)") }
    }
  }
}
