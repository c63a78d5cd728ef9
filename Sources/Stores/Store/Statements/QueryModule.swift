import AggregatorCore
import CSQLite
import Platform
import StoreTables

/// A table of a statement, as SQLite reads it: a virtual table without a way to change it.
///
/// SQLite calls it on the thread that runs the statement, which waits for the store there.
///
/// Unchecked, because the compiler cannot see that only the one thread that uses the connection calls it.
final class QueryModule: @unchecked Sendable {
  let table: QueryTable
  let run: QueryRun
  /// The index of the column with the ids.
  private let id: Int?

  init(_ table: QueryTable, for run: QueryRun) {
    (self.table, self.run) = (table, run)
    id = table.columns.firstIndex { $0.name == table.id }
  }

  /// The name under which SQLite knows the rows; a view with the name of the table reads them.
  static func name(of table: QueryTable) -> String { table.takesText ? table.name : "\(table.name) rows" }

  /// Adds the table to a connection. It has to live as long as that.
  func add(to connection: OpaquePointer) throws(SQLiteFailure) {
    let code = sqlite3_create_module_v2(
      connection, Self.name(of: table), Self.functions, Unmanaged.passUnretained(self).toOpaque(), nil)
    guard code == SQLITE_OK else { throw SQLiteFailure(connection) }
  }

  /// The statement that declares the columns.
  private var declaration: String {
    var columns = table.columns.map { column in
      "\(SQLText.name(column.name)) \(column.kind.sqlType)\(column.kind == .time ? " COLLATE \(QueryTimes.name)" : "")"
    }
    // The text comes as a hidden column, which no other column has the name of.
    if table.takesText {
      let names = QueryTable.different(table.columns.map(\.name) + ["sought"])
      columns.append("\(SQLText.name(names[names.count - 1])) HIDDEN")
    }
    return "CREATE TABLE x(\(columns.joined(separator: ", ")))"
  }

  /// Chooses how to read the rows: by an id or a text if one is given, else all.
  private func plan(_ info: UnsafeMutablePointer<sqlite3_index_info>) -> CInt {
    run.tables.insert(table.name)
    let rows = max(1, table.count)
    info.pointee.estimatedRows = Int64(clamping: rows)
    info.pointee.estimatedCost = Double(rows)
    for index in 0..<Int(info.pointee.nConstraint) {
      let constraint = info.pointee.aConstraint[index]
      guard constraint.op == UInt8(SQLITE_INDEX_CONSTRAINT_EQ) else { continue }
      if table.takesText, Int(constraint.iColumn) == table.columns.count {
        guard constraint.usable != 0 else { return SQLITE_CONSTRAINT }
        info.pointee.aConstraintUsage[index].argvIndex = 1
        info.pointee.aConstraintUsage[index].omit = 1
        info.pointee.idxNum = Way.text.rawValue
        return SQLITE_OK
      }
      // SQLite compares the id of the row once more.
      if let id, Int(constraint.iColumn) == id, constraint.usable != 0, info.pointee.idxNum == Way.all.rawValue,
        sqlite3_vtab_collation(info, CInt(index)).map({ String(cString: $0) }) == "BINARY"
      {
        info.pointee.aConstraintUsage[index].argvIndex = 1
        info.pointee.idxNum = Way.id.rawValue
        (info.pointee.estimatedCost, info.pointee.estimatedRows) = (1, 1)
      }
    }
    // A search has no rows without a text.
    guard !table.takesText else { return SQLITE_CONSTRAINT }
    if info.pointee.idxNum == Way.all.rawValue, readsNotes(info.pointee.colUsed) {
      info.pointee.idxNum = Way.allWithNotes.rawValue
    }
    return SQLITE_OK
  }

  /// A way to read the rows, as SQLite carries it from the plan to the reading.
  enum Way: CInt { case all, allWithNotes, id, text }

  private func readsNotes(_ used: UInt64) -> Bool {
    table.columns.enumerated().contains { index, column in
      guard case .note = column.place else { return false }
      return used & (index < 63 ? 1 << UInt64(index) : 1 << 63) != 0
    }
  }

  // MARK: What SQLite calls

  private static func module(_ context: UnsafeMutableRawPointer?) -> QueryModule? {
    context.map { Unmanaged<QueryModule>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func module(of table: UnsafeMutablePointer<sqlite3_vtab>?) -> QueryModule? {
    module(table.flatMap { UnsafeMutableRawPointer($0).assumingMemoryBound(to: csqlite_table.self).pointee.table })
  }

  /// The reference that SQLite holds to a cursor.
  private static func held(_ base: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Unmanaged<QueryCursor>? {
    let own = base.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: csqlite_cursor.self) }
    return own?.pointee.cursor.map { Unmanaged<QueryCursor>.fromOpaque($0) }
  }

  private static func cursor(_ base: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> QueryCursor? {
    held(base)?.takeUnretainedValue()
  }

  /// Runs a step of a cursor. An error stays with the run, which knows more of it than SQLite can carry.
  private static func attempting(
    _ base: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ step: (QueryCursor) throws -> Void
  ) -> CInt {
    guard let cursor = cursor(base) else { return SQLITE_ERROR }
    do {
      try step(cursor)
      return SQLITE_OK
    } catch {
      cursor.run.failure = error
      return SQLITE_INTERRUPT
    }
  }

  /// The functions of the module. Made once, and never freed, because connections hold its address.
  nonisolated(unsafe) private static let functions: UnsafePointer<sqlite3_module> = {
    var calls = sqlite3_module()
    calls.iVersion = 1
    calls.xConnect = { connection, context, _, _, result, _ in
      guard let own = QueryModule.module(context) else { return SQLITE_ERROR }
      let code = sqlite3_declare_vtab(connection, own.declaration)
      guard code == SQLITE_OK else { return code }
      let table = UnsafeMutablePointer<csqlite_table>.allocate(capacity: 1)
      table.initialize(to: csqlite_table(base: sqlite3_vtab(), table: context))
      result?.pointee = UnsafeMutableRawPointer(table).assumingMemoryBound(to: sqlite3_vtab.self)
      return SQLITE_OK
    }
    calls.xDisconnect = { table in
      guard let table else { return SQLITE_OK }
      sqlite3_free(table.pointee.zErrMsg)
      UnsafeMutableRawPointer(table).assumingMemoryBound(to: csqlite_table.self).deallocate()
      return SQLITE_OK
    }
    calls.xBestIndex = { table, info in
      guard let module = QueryModule.module(of: table), let info else { return SQLITE_ERROR }
      return module.plan(info)
    }
    calls.xOpen = { table, result in
      guard let module = QueryModule.module(of: table) else { return SQLITE_ERROR }
      let cursor = Unmanaged.passRetained(QueryCursor(of: module)).toOpaque()
      let own = UnsafeMutablePointer<csqlite_cursor>.allocate(capacity: 1)
      own.initialize(to: csqlite_cursor(base: sqlite3_vtab_cursor(), cursor: cursor))
      result?.pointee = UnsafeMutableRawPointer(own).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
      return SQLITE_OK
    }
    calls.xClose = { base in
      QueryModule.held(base)?.release()
      if let base { UnsafeMutableRawPointer(base).assumingMemoryBound(to: csqlite_cursor.self).deallocate() }
      return SQLITE_OK
    }
    calls.xFilter = { base, way, _, count, values in
      QueryModule.attempting(base) { try $0.begin(Way(rawValue: way) ?? .all, with: count > 0 ? values?[0] : nil) }
    }
    calls.xNext = { base in QueryModule.attempting(base) { try $0.advance() } }
    calls.xEof = { base in QueryModule.cursor(base)?.isAtEnd ?? true ? 1 : 0 }
    calls.xColumn = { base, context, column in
      if let context { QueryModule.cursor(base)?.give(Int(column), to: context) }
      return SQLITE_OK
    }
    calls.xRowid = { base, row in
      row?.pointee = QueryModule.cursor(base)?.number ?? 0
      return SQLITE_OK
    }
    let place = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    place.initialize(to: calls)
    return UnsafePointer(place)
  }()
}

extension Leaf.Kind {
  /// The type of a column, which decides how SQL compares its values.
  package var sqlType: String {
    switch self {
    case .text, .time, .address: "TEXT"
    case .integer: "INTEGER"
    case .number: "NUMERIC"
    case .bool: "BOOLEAN"
    case .any: ""
    }
  }
}
