public import AggregatorCore
import StoreTables

extension PostgresStore {
  public func position(of kind: RecordKind) async throws -> Position {
    try StoredPosition(await server.read(Transaction.progress(StoredPosition.name, of: kind))[0], of: kind).position
  }

  public func waiting(of kind: RecordKind, upTo most: Int) async throws -> Int {
    try await server.reading(kind, else: 0) { transaction, source in
      let record = source.tables.record
      let shown = try await transaction.storedPosition(of: kind).shown
      return try await transaction.run(
        """
        SELECT count(*) FROM (
          SELECT row FROM aggregator.given_back JOIN \(record) USING(row) WHERE source = $1 AND is_shown
          UNION ALL SELECT row FROM \(record) WHERE row > $2 AND is_shown LIMIT greatest(0, $3::bigint)) AS waiting
        """, kind.name, shown, most
      ).number
    }
  }

  public func take(_ count: Int, of kind: RecordKind) async throws -> [StoredRow] {
    guard count > 0 else { return [] }
    return try await server.writing(kind, else: []) { transaction, source in
      var stored = try await transaction.storedPosition(of: kind)
      let record = source.tables.record
      let found = try await transaction.run(
        ServerQuery(
          """
          SELECT row, body FROM aggregator.given_back JOIN \(record) USING(row) WHERE source = $1 AND is_shown
          ORDER BY row LIMIT $2
          """, kind.name, count),
        ServerQuery("SELECT row, body FROM \(record) WHERE row > $1 AND is_shown ORDER BY row LIMIT $2", stored.shown, count))
      let rows = found.map { $0.map { StoredRow($0) } }
      let (back, fresh) = (rows[0], rows[1].prefix(count - rows[0].count))
      transaction.queue(
        "DELETE FROM aggregator.given_back WHERE source = $1 AND row = ANY($2)", kind.name, SQLList(back.map(\.row)))
      if let last = fresh.last {
        stored.shown = Int(last.row)
        transaction.set(stored, of: kind)
      }
      return back + fresh
    }
  }

  public func giveBack(_ ids: [String], to kind: RecordKind) async throws {
    try await server.writing(kind, else: ()) { transaction, source in
      try await transaction.giveBack(ids, of: kind, in: source)
    }
  }

  public func reset(_ kind: RecordKind) async throws {
    try await server.write { transaction in
      let source = try await transaction.lock(kind)
      transaction.queue("DELETE FROM aggregator.given_back WHERE source = $1", kind.name)
      let position: Position
      do {
        position = try await transaction.storedPosition(of: kind).position.begunAgain
      } catch is SourceError {
        // The row cannot be read. It is replaced by the beginning of a new reading, whose revision no process has seen.
        let met = source.fields == nil ? nil : try await transaction.run("SELECT max(met) FROM \(source.tables.state)")
        position = Position(reading: (met?.number ?? 0).adding(1), revision: .random(in: 1...1 << 47))
      }
      transaction.set(StoredPosition(position: position), of: kind)
    }
  }

  public func met(_ ids: [String], of kind: RecordKind, reading: Int) async throws -> Set<String> {
    try await server.reading(kind, else: []) { transaction, source in
      let found = try await transaction.run(
        """
        SELECT id FROM unnest($1::text[]) AS asked(id) JOIN \(source.tables.record) USING(id)
          JOIN \(source.tables.state) USING(row)
        WHERE met = $2
        """, SQLList(ids), reading)
      return Set(found.map { $0.text(0) })
    }
  }
}

extension StoredPosition {
  fileprivate init(_ rows: Rows, of kind: RecordKind) throws {
    try self.init(stored: rows.first { $0.bytes(0) }, of: kind)
  }
}

extension Transaction {
  /// Returns the query for the progress in a source's list under that name.
  static func progress(_ name: String, of kind: RecordKind) -> ServerQuery {
    ServerQuery("SELECT body, revision FROM aggregator.source_state WHERE source = $1 AND name = $2", kind.name, name)
  }

  func storedPosition(of kind: RecordKind) async throws -> StoredPosition {
    try StoredPosition(await run([Self.progress(StoredPosition.name, of: kind)])[0], of: kind)
  }

  func set(_ progress: some StoredProgress, of kind: RecordKind) {
    queue(
      """
      INSERT INTO aggregator.source_state(source, name, revision, body) VALUES($1, $2, $3, $4)
      ON CONFLICT (source, name) DO UPDATE SET revision = excluded.revision, body = excluded.body
      """, kind.name, type(of: progress).name, progress.revision, progress.body)
  }

  /// Advances the position in the service's list. Returns false if another process has done so.
  func make(_ advance: Advance, of kind: RecordKind) async throws -> Bool {
    var stored = try await storedPosition(of: kind)
    guard let next = stored.position.advanced(by: advance) else { return false }
    stored.position = next
    if advance.to != nil { set(stored, of: kind) }
    return true
  }

  /// Lets records come first next time, if `next` has shown them. A record that was not shown yet, or not since a reset, comes by itself.
  func giveBack(_ ids: [String], of kind: RecordKind, in source: StoredSource) async throws {
    queue(
      """
      INSERT INTO aggregator.given_back(source, row)
      SELECT $1, row FROM unnest($2::text[]) AS given(id) JOIN \(source.tables.record) USING(id) WHERE row <= $3
      ON CONFLICT DO NOTHING
      """, kind.name, SQLList(ids), try await storedPosition(of: kind).shown)
  }

  /// Returns true if a stored record still waits for `next`: it was not shown yet, or it was given back.
  func isWaiting(_ id: String, of kind: RecordKind, in source: StoredSource) async throws -> Bool {
    let shown = try await storedPosition(of: kind).shown
    return try await run(
      """
      SELECT EXISTS(SELECT 1 FROM \(source.tables.record) WHERE id = $2 AND (
        row > $3 OR row IN (SELECT row FROM aggregator.given_back WHERE source = $1)))
      """, kind.name, id, shown
    ).first { $0.bool(0) } ?? false
  }
}
