/// Numbers in the file as they may be counted with: somebody may have edited it, and SQLite keeps a text in any column.
///
/// Each is SQL for the column, or for what stands in for it where it is no whole number from 0 to 2^48.
enum CheckedSQL {
  /// How many records there are: counted where the file does not tell.
  static func records(in table: String) -> String { number("records", else: "(SELECT count(*) FROM \(table))") }

  static func number(_ column: String, else other: String) -> String {
    "(CASE WHEN typeof(\(column)) = 'integer' AND \(column) BETWEEN 0 AND 1 << 48 THEN \(column) ELSE \(other) END)"
  }
}
