import AggregatorCore

/// What `source_info` says of the records of one source.
struct StoredSource: Sendable {
  let number: Int
  /// Nil where no record was ever kept, and there are no tables.
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

  var tables: Tables { Tables(number: number) }
}

/// The names of one source's tables.
struct Tables: Sendable {
  /// What each record is: row, id, body, folded text, whether it is shown, and since which revision it is as it is.
  let record: String
  /// What changes often, in rows that are short: the fetch that brought it last, the reading that met it, when it was gone.
  let state: String
  /// What records were before, for readers who began earlier.
  let past: String

  init(number: Int) {
    (record, state, past) = ("aggregator.record_\(number)", "aggregator.state_\(number)", "aggregator.past_\(number)")
  }
}

extension Transaction {
  /// What is kept of these records; nil where none were ever stored.
  func source(_ kind: RecordKind) async throws -> StoredSource? {
    try await run(
      "SELECT \(StoredSource.columns) FROM aggregator.source_info WHERE name = $1 AND fields IS NOT NULL", kind.name
    ).first(StoredSource.init)
  }

  /// Locks what is kept of these records until the transaction ends: of those who write of one source, one does at a time, so that no record
  /// with a lower number comes later. It is the first lock of every transaction.
  func lock(_ kind: RecordKind) async throws -> StoredSource {
    queue("INSERT INTO aggregator.source_info(name) VALUES($1) ON CONFLICT DO NOTHING", kind.name)
    let source = try await run(
      "SELECT \(StoredSource.columns) FROM aggregator.source_info WHERE name = $1 FOR UPDATE", kind.name
    ).first(StoredSource.init)
    guard let source else { throw ServerFailure(code: "42P01", "source_info has lost a row") }
    return source
  }
}
