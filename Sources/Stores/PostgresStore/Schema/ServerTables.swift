import AggregatorCore
import StoreTables

extension Transaction {
  /// Makes or updates a source's tables and views for records of this kind. The source is locked.
  func prepareTables(of kind: RecordKind, in source: StoredSource) async throws {
    let (tables, fields) = (source.tables, kind.fieldList)
    // Tables are made apart from the views: only an error in a view is ignored.
    if source.fields == nil { _ = try await run(tables.definitions.map { ServerQuery($0) }) }
    if source.fields != fields { try await makeViews(of: kind, in: tables) }
    // If older records were indexed otherwise, a search reads all of them until `optimize` has indexed them again.
    let indexed = source.indexed == kind.indexed || source.records == 0 ? kind.indexed : nil
    if source.fields != fields || source.indexed != indexed {
      queue("UPDATE aggregator.source_info SET fields = $2, indexed = $3 WHERE name = $1", kind.name, fields, indexed)
    }
  }

  /// Makes the views, which are for people. If that fails, for example because another
  /// view depends on one of them, everything else still works.
  private func makeViews(of kind: RecordKind, in tables: ServerTables) async throws {
    guard let views = tables.views(of: kind) else { return }
    do {
      _ = try await run(
        [ServerQuery("SAVEPOINT views")] + views.map { ServerQuery($0) } + [ServerQuery("RELEASE SAVEPOINT views")])
    } catch let failure as ServerFailure where connection.isUsable && !failure.isConflict && !failure.isLate {
      _ = try await run(ServerQuery("ROLLBACK TO SAVEPOINT views"), ServerQuery("RELEASE SAVEPOINT views"))
    }
  }
}

/// The names of one source's tables.
struct ServerTables: Sendable {
  /// The name of the table of records: row, id, body and folded text, whether a record is shown, and the revision in which it last
  /// changed.
  let record: String
  /// The name of the table of values that change often, in short rows: the fetch that brought the record last, the reading that met it,
  /// and when it was gone.
  let state: String
  /// The name of the table of old versions of records, for readers who began earlier.
  let past: String

  init(number: Int) {
    (record, state, past) = ("aggregator.record_\(number)", "aggregator.state_\(number)", "aggregator.past_\(number)")
  }
}

extension ServerTables {
  // An id may be longer than a key of a B-tree, so a hash index keeps it unique.
  var definitions: [String] {
    [
      """
      CREATE TABLE \(record)(
        row bigint PRIMARY KEY, id text COLLATE "C" NOT NULL, body text NOT NULL, folded text COLLATE "C" NOT NULL,
        is_shown boolean NOT NULL, since bigint NOT NULL, EXCLUDE USING hash(id WITH =))
      """,
      // A sync that finds everything unchanged writes only these rows, each into the free room beside it.
      "CREATE TABLE \(state)(row bigint PRIMARY KEY, \"fetch\" bigint NOT NULL, met bigint, gone bigint) WITH (fillfactor = 70)",
      // A reader rarely needs anything in this table, and parallel workers would only take time to start.
      """
      CREATE TABLE \(past)(
        row bigint NOT NULL, id text COLLATE "C" NOT NULL, body text NOT NULL, folded text COLLATE "C" NOT NULL,
        since bigint NOT NULL, until bigint NOT NULL, at timestamptz NOT NULL DEFAULT now()) WITH (parallel_workers = 0)
      """,
      "CREATE INDEX ON \(past)(until)",
    ]
  }

  /// Returns the statements that make the views again. Nil if a view could get the name of a table, because the source's name has an
  /// underscore, or if PostgreSQL would cut the name because it is too long.
  fileprivate func views(of kind: RecordKind) -> [String]? {
    let (name, all) = (kind.name, "\(kind.name)_all")
    guard !name.isEmpty, !name.contains("_"), all.utf8.count <= 63, !SQLText.mustChange(name.utf8) else { return nil }
    let deleted = "(SELECT at FROM aggregator.soft_deletion WHERE source = \(SQLText.text(name)) AND id = record.id)"
    return [all, name].map { "DROP VIEW IF EXISTS aggregator.\(SQLText.name($0))" } + [
      view(name, of: kind, "WHERE record.is_shown"),
      view(
        all, of: kind, and: [(deleted, "deleted_at"), ("state.gone", "gone_at")],
        "WHERE state.gone IS DISTINCT FROM \(Moment.outdated.nanoseconds)"),
      comment(on: name, "The records of \(name) that are there: their fields, and when they came."),
      comment(on: all, "All records of \(name), deleted and gone ones too: their fields, and what became of them."),
    ]
  }

  private func view(
    _ name: String, of kind: RecordKind, and times: [(value: String, name: String)] = [], _ condition: String = ""
  ) -> String {
    let fields = kind.leaves.filter { !$0.names.contains { $0.utf8.contains(0) } }.map { leaf in
      (value: "fields.value #>> ARRAY[\(leaf.names.map(SQLText.text).joined(separator: ", "))]", name: leaf.text)
    }
    let columns = fields + [(time("fetched.at"), "fetched_at")] + times.map { (time($0.value), $0.name) }
    let list = zip(columns, Self.different(columns.map(\.name))).map { "\($0.value) AS \(SQLText.name($1))" }
    let source = SQLText.text(kind.name)
    return """
      CREATE VIEW aggregator.\(SQLText.name(name)) AS
      SELECT \(list.joined(separator: ",\n  "))
      FROM \(record) AS record JOIN \(state) AS state USING(row)
      LEFT JOIN aggregator.fetch_log AS fetched ON fetched.id = state."fetch"
      CROSS JOIN LATERAL (SELECT CASE
        WHEN record.id IN (SELECT edit.record FROM aggregator.person_edit AS edit WHERE edit.source = \(source))
          THEN aggregator.edited(record.body, \(source), record.id)
        ELSE aggregator.fields(record.body) END AS value OFFSET 0) AS fields
      \(condition)
      """
  }

  private func comment(on view: String, _ text: String) -> String {
    "COMMENT ON VIEW aggregator.\(SQLText.name(view)) IS \(SQLText.text(text))"
  }

  /// Returns the names of columns, with numbers added where two are the same.
  private static func different(_ names: [String]) -> [String] {
    var used: Set<String> = []
    return names.map { text in
      var (name, number) = (text, 1)
      while !used.insert(name).inserted {
        number += 1
        name = "\(text) \(number)"
      }
      return name
    }
  }

  private func time(_ column: String) -> String { "timestamptz 'epoch' + \(column) / 1000 * interval '1 microsecond'" }
}

// MARK: - Old versions of records

extension ServerTables {
  /// Returns the statement that keeps the versions of shown records up to revision `$1`, for readers who began before it.
  func keepVersions(_ condition: String) -> String {
    """
    INSERT INTO \(past)(row, id, body, folded, since, until)
    SELECT row, id, body, folded, since, $1 FROM \(record) WHERE is_shown AND \(condition)
    """
  }

  /// Returns the statement that drops versions older than an hour. It waits until one is older than two hours, and then drops all at once.
  func dropOldVersions(of name: String) -> ServerQuery {
    ServerQuery(
      """
      WITH dropped AS (
        DELETE FROM \(past) WHERE at < now() - interval '1 hour'
          AND (SELECT at FROM \(past) ORDER BY until LIMIT 1) < now() - interval '2 hours' RETURNING until)
      UPDATE aggregator.source_info SET forgotten = greatest(forgotten, (SELECT max(until) FROM dropped))
      WHERE name = $1 AND EXISTS(SELECT 1 FROM dropped)
      """, name)
  }
}
