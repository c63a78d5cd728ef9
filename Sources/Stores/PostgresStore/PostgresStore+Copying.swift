public import AggregatorCore
public import StoreTables

extension PostgresStore: MovableStore {
  public func tables() async throws -> (any StoredTables)? {
    try await server.telling { end -> CopiedSnapshot? in
      let connection = try await DatabaseConnection.open(server.address, until: end)
      // A database without a store stays as it is.
      guard try await ServerSchema.version(on: connection, until: end) > 0 else { return nil }
      try await server.prepare(connection, until: end)
      let names = try await connection.run(
        [
          ServerQuery("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"),
          // Whatever limit the server has, the other store may take its time between two reads.
          ServerQuery("SET LOCAL idle_in_transaction_session_timeout = 0"),
          ServerQuery("SELECT name, number FROM aggregator.source_info WHERE fields IS NOT NULL"),
        ], until: end)[2]
      let tables = Dictionary(names.map { ($0.text(0), ServerTables(number: $0.int(1))) }) { $1 }
      return CopiedSnapshot(server: server, connection: connection, tables: tables)
    }
  }

  public func write(_ rows: [[StoredTable.Value]], into table: StoredTable) async throws {
    let lists = table.columns.indices.map { index in
      SQLList(rows.lazy.map { $0[index] }, areNumbers: table.columns[index].isNumber)
    }
    let values = table.columns.indices.map { "$\($0 + 1)::\(table.columns[$0].isNumber ? "bigint" : "text")[]" }
    let new = "unnest(\(values.joined(separator: ", "))) AS new(\(table.names))"
    try await server.write { transaction in
      if table == .sources {
        for case .text(let name)? in rows.map(\.first) {
          try await transaction.makeTables(of: RecordKind(String(decoding: name, as: UTF8.self)))
        }
        // The fields, and the fields in the searched texts, are filled in at the end of a copy.
        transaction.queue(
          """
          UPDATE aggregator.source_info AS old SET (\(table.names)) = ROW(new.*), fields = '', indexed = NULL
          FROM \(new) WHERE old.name = new.name
          """, values: lists)
      } else if let source = table.source {
        let tables = try await transaction.lock(RecordKind(source)).tables
        transaction.queue(
          """
          WITH new AS (SELECT * FROM \(new)),
            states AS (INSERT INTO \(tables.state)(row, "fetch", gone, met) SELECT row, "fetch", gone, met FROM new)
          INSERT INTO \(tables.record)(row, id, body, folded, is_shown, since)
          SELECT row, id, body, '', gone IS NULL AND NOT EXISTS(
            SELECT 1 FROM aggregator.soft_deletion AS deletion
            WHERE deletion.source = \(SQLText.text(source)) AND deletion.id = new.id), 0
          FROM new
          """, values: lists)
      } else {
        transaction.queue("INSERT INTO aggregator.\(table.name)(\(table.names)) SELECT * FROM \(new)", values: lists)
      }
    }
  }

  public func clear(_ table: StoredTable) async throws {
    try await server.write(patience: Self.longWork) { transaction in
      if let source = table.source {
        let tables = try await transaction.lock(RecordKind(source)).tables
        transaction.queue("DELETE FROM \(tables.record)")
        transaction.queue("DELETE FROM \(tables.state)")
      } else {
        let isOther = table == .keepsakes ? " WHERE name <> \(SQLText.text(StoredTable.unfinishedCopy))" : ""
        transaction.queue("DELETE FROM aggregator.\(table.name)\(isOther)")
      }
    }
  }

  public func endCopy(of kinds: [RecordKind]) async throws {
    try await server.write(patience: Self.longWork) { transaction in
      let names = try await transaction.run("SELECT name FROM aggregator.source_info WHERE fields IS NOT NULL")
        .map { $0.text(0) }
      for name in names {
        let tables = try await transaction.lock(RecordKind(name)).tables
        // A position that cannot be read is never continued.
        let shown = (try? await transaction.storedPosition(of: RecordKind(name)).shown) ?? 0
        transaction.queue(
          """
          UPDATE aggregator.source_info SET revision = revision + 1,
            shown = (SELECT count(*) FROM \(tables.record) WHERE is_shown),
            last_row = greatest((SELECT max(row) FROM \(tables.record)), $2)
          WHERE name = $1
          """, name, shown)
      }
      for kind in kinds { try await transaction.prepareTables(of: kind, in: transaction.lock(kind)) }
      // The server numbers the rows of the tables whose key is a number.
      for table in StoredTable.all(of: []) where table.isNumbered {
        transaction.queue(
          """
          SELECT setval(pg_get_serial_sequence('aggregator.\(table.name)', 'id'), coalesce(max(id), 0) + 1, false)
          FROM aggregator.\(table.name)
          """)
      }
      transaction.queue("DELETE FROM aggregator.store_keepsake WHERE name = $1", StoredTable.unfinishedCopy)
    }
  }

  /// A connection of its own, in a transaction that sees the state of one moment. The transaction ends when the connection is freed.
  private struct CopiedSnapshot: StoredTables {
    let server: DatabaseServer
    let connection: DatabaseConnection
    let tables: [String: ServerTables]

    func all() async throws -> [StoredTable] { StoredTable.all(of: tables.keys.sorted()) }

    func rows(of table: StoredTable, after last: [StoredTable.Value]?, count: Int) async throws -> [[StoredTable.Value]] {
      let keys = table.key.map { SQLText.name($0.name) }.joined(separator: ", ")
      let placeholders = table.key.indices.map { "$\($0 + 2)" }.joined(separator: ", ")
      let conditions =
        (last == nil ? [] : ["(\(keys)) > (\(placeholders))"])
        + (table == .keepsakes ? ["name <> \(SQLText.text(StoredTable.unfinishedCopy))"] : [])
        + (table == .sources ? ["fields IS NOT NULL"] : [])
      let condition = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
      var rows = "aggregator.\(table.name) \(condition) ORDER BY \(keys) LIMIT $1"
      if let source = table.source {
        guard let tables = tables[source] else { return [] }
        // Each state is looked up by itself: a plan that reads all of them would do so for every thousand rows.
        rows = """
          (SELECT row, id, body FROM \(tables.record) \(condition) ORDER BY \(keys) LIMIT $1) AS record
          JOIN LATERAL (SELECT "fetch", gone, met FROM \(tables.state) WHERE row = record.row OFFSET 0) AS state ON true
          ORDER BY row
          """
      }
      let key: [any SQLConvertible] = Array((last ?? []).prefix(table.keyLength))
      let query = ServerQuery("SELECT \(table.names) FROM \(rows)", values: [count] + key)
      return try await server.telling { try await connection.run([query], until: $0)[0].map { try table.values(of: $0) } }
    }
  }
}

extension StoredTable {
  fileprivate var names: String { columns.map { SQLText.name($0.name) }.joined(separator: ", ") }
}

extension StoredTable.Value: SQLConvertible {
  var sqlValue: SQLValue {
    switch self {
    case .null: SQLValue()
    case .number(let number): number.sqlValue
    case .text(let text): text.sqlValue
    }
  }
}

extension Transaction {
  /// Makes a source's tables, unless they exist.
  fileprivate func makeTables(of kind: RecordKind) async throws {
    let source = try await lock(kind)
    if source.fields == nil { for statement in source.tables.definitions { queue(statement) } }
  }
}

extension DatabaseServer {
  /// Runs `body`, and turns the server's failures into errors for a person.
  fileprivate func telling<Result: Sendable>(_ body: (ContinuousClock.Instant) async throws -> Result) async throws -> Result {
    do {
      return try await body(ContinuousClock.now + time(nil))
    } catch let failure as ServerFailure {
      throw failure.error(at: address)
    }
  }
}

extension SQLList {
  /// The values of one column.
  fileprivate init(_ values: some Sequence<StoredTable.Value>, areNumbers: Bool) {
    self = areNumbers ? .numbers : .texts
    for value in values {
      switch value {
      case .null: append(nil)
      case .number(let number): append(number)
      case .text(let text): append(text[...])
      }
    }
  }
}
