import AggregatorCore
import StoreTables

extension Connection {
  /// Makes or updates a source's tables and views for records of this kind.
  func prepareTables(of kind: RecordKind) throws {
    guard ready.insert(kind).inserted else { return }
    do {
      try refreshTables(of: kind)
    } catch {
      ready.remove(kind)
      throw error
    }
  }

  private func refreshTables(of kind: RecordKind) throws {
    let fields = kind.fieldList
    let known = try first("SELECT fields, indexed, records FROM source_info WHERE name = ?1", kind.name) {
      (fields: $0.text(0), indexed: $0.text(1), records: $0.int(2))
    }
    let tables = Tables(kind)
    if known == nil { try makeTables(of: kind) }
    if try known?.fields != fields || !hasViews(of: kind) {
      for view in [tables.view, tables.all] { try run("DROP VIEW IF EXISTS \(view)") }
      for view in StoreSchema.views(of: kind) { try run(view) }
    }
    if let known, try known.indexed != kind.indexed || !isIndexWhole(of: kind, records: known.records) {
      try indexAgain(kind)
    }
    try run(
      """
      INSERT INTO source_info(name, fields, indexed) VALUES(?1, ?2, ?3)
      ON CONFLICT(name) DO UPDATE SET fields = ?2, indexed = ?3 WHERE (fields, indexed) IS NOT (?2, ?3)
      """, kind.name, fields, kind.indexed)
  }

  func makeTables(of kind: RecordKind) throws {
    for statement in StoreSchema.tables(of: kind) { try run(statement) }
  }

  /// True when both views exist: a person may have removed one.
  private func hasViews(of kind: RecordKind) throws -> Bool {
    try number("SELECT count(*) FROM sqlite_schema WHERE type = 'view' AND name IN (?1, ?1 || '_all')", kind.name) == 2
  }

  /// True when records of this kind were ever stored, or for nil.
  func hasTables(of kind: RecordKind?) throws -> Bool {
    guard let kind else { return true }
    return try ready.contains(kind) || number("SELECT EXISTS(SELECT 1 FROM source_info WHERE name = ?1)", kind.name) == 1
  }
}
