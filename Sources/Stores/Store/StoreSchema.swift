import AggregatorCore
import Platform
import StoreTables

/// The schema of a store's file. The SQL comments are part of it: `sqlite3 FILE .schema` prints them.
enum StoreSchema {
  /// "aggr", which identifies the file to `file` and to a person who finds it.
  static let applicationID: Int32 = 0x6167_6772

  /// The version of the schema. A store of another version is refused.
  static let version = 9

  /// The statements that make the tables of a new store.
  static var tables: [String] {
    StoredTable.sources.statements(
      about: "They lie in NAME_record, and NAME_letters finds them by any three letters of what is searchable.",
      beside: [
        StoredTable.Column("fields", .text, "the fields of a record, as a JSON array"),
        StoredTable.Column("indexed", .text, "what NAME_letters was made of"),
      ]) + StoredTable.all(of: []).filter { $0 != .sources }.flatMap { $0.statements() } + [indexOfImports]
  }

  /// SQL for whether a fetch was an import, as the index of imports has it.
  static let isImport = "(question = '\(Fetch.importing)')"

  /// Each reader asks at its beginning whether anything was imported, and whether anything else was not.
  private static let indexOfImports = "CREATE INDEX fetch_of_import ON fetch_log(source, \(isImport))"
}

extension Connection {
  func run(_ statements: [String]) throws { for statement in statements { try run(statement) } }
}

extension StoredTable {
  /// Returns the statements that make the table, with further lines about it and further columns of this database.
  /// `sqlite3 FILE .schema` prints the comments too. A table whose key is a number has it as its `rowid`.
  func statements(about more: String = "", beside others: [Column] = []) -> [String] {
    let keyName = isNumbered ? columns[0].name : nil
    var lines = ((hasHiddenKey ? [] : key) + others + columns[keyLength...]).map { column in
      let type = column.isNumber ? "INTEGER" : "TEXT"
      let rule = column.name == keyName ? " PRIMARY KEY" : column.isOptional ? "" : " NOT NULL"
      return (sql: "\(column.name) \(type)\(rule)\(column.initial.map { " DEFAULT \($0)" } ?? "")", remark: column.remark)
    }
    if !isNumbered { lines.append((sql: "PRIMARY KEY(\(key.map(\.name).joined(separator: ", ")))", remark: "")) }
    lines += indexes.filter { $0.name == nil }.map { (sql: "UNIQUE(\($0.columns.joined(separator: ", ")))", remark: "") }
    // A line break of any kind would end the comment.
    let remarks = [about, more].flatMap { $0.split(whereSeparator: \.isNewline) }.map { "\n  -- \($0)" }
    let parts = lines.enumerated().map { index, line in
      "\n  \(line.sql)\(index < lines.count - 1 ? "," : "")\(line.remark.isEmpty ? "" : " -- \(line.remark)")"
    }
    let text = (remarks + parts).joined()
    // The tables of a source may be there already.
    let create = source == nil ? "CREATE TABLE" : "CREATE TABLE IF NOT EXISTS"
    return ["\(create) \(sqlName)(\(text)\n)\(isNumbered ? "" : " WITHOUT ROWID")"]
      + indexes.compactMap { index in
        index.name.map {
          "CREATE INDEX \($0) ON \(sqlName)(\((index.columns + index.further).joined(separator: ", ")))"
        }
      }
  }

  /// The name of the table in the file.
  var sqlName: String { source.map { Tables(RecordKind($0)).record } ?? name }

  /// True when the number of a row is its `rowid` alone, without a column of its own.
  private var hasHiddenKey: Bool { self == .absorbed }

  /// Returns the name of a column in the file.
  func name(of column: Column) -> String { hasHiddenKey && column == columns[0] ? "rowid" : column.name }
}

/// The file of a store, as other parts of the program see it.
package enum StoreFile {
  /// True when the file at that path is a store, or a database that is in use.
  package static func isStore(at path: String) -> Bool {
    // A database that is in use has these beside it. It is not opened, because closing it would release the locks of this process.
    if access(path + "-wal", F_OK) == 0 || access(path + "-shm", F_OK) == 0 { return true }
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard file >= 0 else { return false }
    defer { close(file) }
    var head = [UInt8](repeating: 0, count: 72)
    guard head.withUnsafeMutableBytes({ read(file, $0.baseAddress, $0.count) }) == head.count else { return false }
    // A database has its application's number in these four bytes.
    return head[68...].reduce(0) { $0 << 8 | UInt32($1) } == UInt32(bitPattern: StoreSchema.applicationID)
  }
}
