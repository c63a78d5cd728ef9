public import AggregatorCore
import StoreTables

extension PostgresStore {
  @discardableResult
  public func delete(_ id: String, of kind: RecordKind, at moment: Moment) async throws -> Moment {
    try await server.write { transaction in
      let source = try await transaction.lock(kind)
      if let first = try await transaction.deletion(of: id, kind) { return first }
      let isWaiting = source.fields != nil ? try await transaction.isWaiting(id, of: kind, in: source) : false
      transaction.queue(
        "INSERT INTO aggregator.soft_deletion(source, id, at, was_waiting) VALUES($1, $2, $3, $4)", kind.name, id,
        moment.nanoseconds, isWaiting ? 1 : 0)
      guard source.fields != nil else { return moment }
      transaction.queue(source.tables.keepVersions("id = $2"), source.revision + 1, id)
      transaction.queue(
        """
        WITH hidden AS (
          UPDATE \(source.tables.record) SET is_shown = false, since = $2 WHERE id = $3 AND is_shown RETURNING 1)
        UPDATE aggregator.source_info SET shown = shown - 1, revision = $2
        WHERE name = $1 AND EXISTS(SELECT 1 FROM hidden)
        """, kind.name, source.revision + 1, id)
      return moment
    }
  }

  @discardableResult
  public func restore(_ id: String, of kind: RecordKind) async throws -> Bool {
    try await server.write { transaction in
      let source = try await transaction.lock(kind)
      let deleted = try await transaction.run(
        "DELETE FROM aggregator.soft_deletion WHERE source = $1 AND id = $2 RETURNING was_waiting", kind.name, id)
      guard let wasWaiting = deleted.first({ $0.int(0) == 1 }) else { return false }
      guard source.fields != nil else { return true }
      // If the record was waiting for `next`, its turn may have passed since.
      if wasWaiting { try await transaction.giveBack([id], of: kind, in: source) }
      transaction.queue(
        """
        WITH again AS (
          UPDATE \(source.tables.record) AS record SET is_shown = true, since = $2 FROM \(source.tables.state) AS state
          WHERE id = $3 AND NOT is_shown AND state.row = record.row AND gone IS NULL RETURNING 1)
        UPDATE aggregator.source_info SET shown = shown + 1, revision = $2
        WHERE name = $1 AND EXISTS(SELECT 1 FROM again)
        """, kind.name, source.revision + 1, id)
      return true
    }
  }

  @discardableResult
  public func takeBackEdits(of id: String, in kind: RecordKind) async throws -> [FieldPath] {
    try await server.write { transaction in
      _ = try await transaction.lock(kind)
      let edits = try await transaction.run(.edits(of: kind))[0].map { Edit($0) }.filter { $0.id.hasBytes(of: id) }
      for query in ServerQuery.changing((removed: edits, added: []), of: kind.name) { transaction.queue(query) }
      return edits.map(\.path)
    }
  }

  public func deletions(of kind: RecordKind) async throws -> [String] {
    try await server.read("SELECT id FROM aggregator.soft_deletion WHERE source = $1 ORDER BY at DESC, id", kind.name)
      .map { $0.text(0) }
  }

  public func history(of id: String, of kind: RecordKind) async throws -> History? {
    try await server.readingAtOneMoment { transaction in
      var history = History(record: nil, fetch: nil, absorbed: [], deletedAt: try await transaction.deletion(of: id, kind))
      guard let tables = try await transaction.source(kind)?.tables else {
        return history.deletedAt == nil ? nil : history
      }
      let found = try await transaction.run(
        ServerQuery(
          """
          SELECT at, question, place, record.row, body FROM \(tables.record) AS record
            JOIN \(tables.state) AS state USING(row) LEFT JOIN aggregator.fetch_log ON fetch_log.id = state."fetch"
          WHERE record.id = $1
          """, id),
        ServerQuery(
          """
          SELECT at, question, place, absorbed.body FROM aggregator.absorbed_record AS absorbed
            JOIN \(tables.record) AS record USING(row) LEFT JOIN aggregator.fetch_log ON fetch_log.id = absorbed."fetch"
          WHERE absorbed.source = $1 AND record.id = $2 ORDER BY absorbed.id
          """, kind.name, id))
      history.record = found[0].first { StoredRow(row: $0.int64(3), body: $0.bytes(4)) }
      history.fetch = found[0].first { Fetch($0) } ?? nil
      history.absorbed = found[1].map { History.DuplicateRecord(body: $0.bytes(3), fetch: Fetch($0)) }
      return history.record == nil && history.deletedAt == nil ? nil : history
    }
  }
}

extension ServerQuery {
  static func edits(of kind: RecordKind) -> ServerQuery {
    ServerQuery("SELECT \(Edit.columns) FROM aggregator.person_edit WHERE source = $1 ORDER BY id", kind.name)
  }

  /// Returns the statements that change the edits of the records of `source`.
  static func changing(_ changes: (removed: [Edit], added: [Edit]), of source: String) -> [ServerQuery] {
    let (removed, added) = (changes.removed.map(\.texts), changes.added.map(\.texts))
    let remove = """
      DELETE FROM aggregator.person_edit AS edit USING unnest($2::text[], $3::text[]) AS old(record, field)
      WHERE source = $1 AND edit.record = old.record AND edit.field = old.field
      """
    let add = """
      INSERT INTO aggregator.person_edit(source, record, field, given, value)
      SELECT $1, record, field, given, value FROM unnest($2::text[], $3::text[], $4::text[], $5::text[])
        WITH ORDINALITY AS new(record, field, given, value, place)
      ORDER BY place
      """
    return
      (removed.isEmpty ? [] : [ServerQuery(remove, source, SQLList(removed.map(\.record)), SQLList(removed.map(\.field)))])
      + (added.isEmpty
        ? []
        : [
          ServerQuery(
            add, source, SQLList(added.map(\.record)), SQLList(added.map(\.field)), SQLList(utf8: added.map { $0.given[...] }),
            SQLList(utf8: added.map { $0.value[...] }))
        ])
  }
}

extension Transaction {
  /// Returns when the record of that id was deleted; nil if it was not.
  fileprivate func deletion(of id: String, _ kind: RecordKind) async throws -> Moment? {
    try await run("SELECT at FROM aggregator.soft_deletion WHERE source = $1 AND id = $2", kind.name, id)
      .first { $0.moment(0) }
  }
}
