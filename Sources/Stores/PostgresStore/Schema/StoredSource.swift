import AggregatorCore
import StoreTables

/// The row of one source in `source_info`.
struct StoredSource: Sendable {
  let number: Int
  /// The fields of the records; nil if none were ever stored, and the source has no tables.
  let fields: String?
  let indexed: String?
  let records: Int
  let shown: Int
  let newest: Moment?
  let lastRow: Int64
  let revision: Int64
  let forgotten: Int64

  static let columns = "number, fields, indexed, records, shown, newest, last_row, revision, forgotten"

  init(_ row: Rows.Row) {
    number = row.int(0)
    fields = row.textIfPresent(1)
    indexed = row.textIfPresent(2)
    records = row.int(3)
    shown = row.int(4)
    newest = row.momentIfPresent(5)
    lastRow = row.int64(6)
    revision = row.int64(7)
    forgotten = row.int64(8)
  }

  var tables: ServerTables { ServerTables(number: number) }
}

extension Transaction {
  /// Returns the row of these records; nil if none were ever stored.
  func source(_ kind: RecordKind) async throws -> StoredSource? {
    try await run(
      "SELECT \(StoredSource.columns) FROM aggregator.source_info WHERE name = $1 AND fields IS NOT NULL", kind.name
    ).first(StoredSource.init)
  }

  /// Locks these records until the transaction ends. Only one transaction at a time writes records of a source,
  /// so that a lower row number is never committed after a higher one. It is the first lock of every transaction.
  func lock(_ kind: RecordKind) async throws -> StoredSource {
    queue("INSERT INTO aggregator.source_info(name) VALUES($1) ON CONFLICT DO NOTHING", kind.name)
    let source = try await run(
      "SELECT \(StoredSource.columns) FROM aggregator.source_info WHERE name = $1 FOR UPDATE", kind.name
    ).first(StoredSource.init)
    guard let source else { throw ServerFailure(code: "42P01", "source_info has lost a row") }
    return source
  }
}
