import AggregatorCore
import Platform
import StoreTables

/// The schema of a store's file, version by version.
///
/// The SQL comments are part of it: `sqlite3 FILE .schema` prints them.
enum StoreSchema {
  /// "aggr", which identifies the file to `file` and to a person who finds it.
  static let applicationID: Int32 = 0x6167_6772

  /// The steps. `newest` makes the current schema. The others lead from version 1, 2, … to the next. They use today's `StoredTable`: after a
  /// change there, check the older steps. A start of the program takes none of them.
  static let steps: [@Sendable (Connection) throws -> Void] = [
    { try $0.run(newest) }, { try $0.run(second) }, { try $0.run(third) }, { try $0.run(fourth) }, { try $0.run(fifth) },
    { try $0.run(sixth) },
    {
      try $0.run(seventh)
      try $0.moveEdits()
    },
    {
      try $0.run(eighth)
      try $0.replaceIndexes()
    },
  ]

  /// Version 7 has no search index that is read now. Without one, a search reads every record.
  static let oldestReadable = 7

  private static var newest: [String] {
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

  /// The search index has tables of its own, which the next writer fills. It was one virtual table before.
  private static let eighth = [indexOfImports, "UPDATE source_info SET indexed = ''"]

  /// Answers are stored as walks, step by step. Answers in the older form are dropped, since they cannot be told apart.
  private static let second = [
    "DROP TABLE IF EXISTS kept_answer",
    """
    CREATE TABLE kept_answer(id INTEGER PRIMARY KEY, source TEXT NOT NULL, question TEXT NOT NULL, step INTEGER NOT NULL,
      walk TEXT NOT NULL, place TEXT NOT NULL, at INTEGER NOT NULL, rows TEXT NOT NULL, faults TEXT NOT NULL, total INTEGER,
      next TEXT NOT NULL, more INTEGER, paging TEXT NOT NULL, size INTEGER NOT NULL, UNIQUE(source, question, step))
    """,
  ]
  private static let third = [
    """
    CREATE TABLE record_change(id INTEGER PRIMARY KEY, source TEXT NOT NULL, record TEXT NOT NULL, at INTEGER NOT NULL, before TEXT,
      after TEXT)
    """,
    "CREATE INDEX change_by_source ON record_change(source, id)",
  ]
  /// An answer carries its verdict, and the list it belongs to.
  private static let fourth = [
    // The best verdict of a walk with this page, `any` if the page says nothing; null if an older version stored it.
    "ALTER TABLE kept_answer ADD COLUMN standing TEXT",
    // The digest of the description that read the answer, and that of the key whose holder's list it is.
    "ALTER TABLE kept_answer ADD COLUMN reading TEXT",
    "ALTER TABLE kept_answer ADD COLUMN holder TEXT",
    // Empty `fields` make the next writer rebuild the views.
    "UPDATE source_info SET fields = ''",
  ]
  /// Records may begin with a person's edits; a sync counts the edits that it ended.
  private static let fifth = ["ALTER TABLE sync_state ADD COLUMN ended_edits INTEGER NOT NULL DEFAULT 0"]

  /// Columns that no query compares became JSON objects. The step succeeds whatever somebody
  /// has put into the old columns; an object that cannot be read is reported when it is read.
  private static var sixth: [String] {
    StoredTable.states.statements() + StoredTable.answers.statements() + [
      "ALTER TABLE source_info ADD COLUMN after_fetch INTEGER",
      "UPDATE source_info SET after_fetch = (SELECT after_fetch FROM sync_state WHERE source = name)",
      """
      INSERT INTO source_state(source, name, revision, body) SELECT source, 'next', revision, json_object('shown', \(json("shown")),
        'reading', \(json("number")), 'cursor', \(json("cursor")), 'behind', \(json("behind")), 'passed', \(json("passed")),
        'verdict', \(json("verdict")), 'revision', \(json("revision"))) FROM next_position
      """,
      """
      INSERT INTO source_state(source, name, revision, body) SELECT source, 'sync', number, json_object('number', \(json("number")),
        'began', \(json("began")), 'ended', \(json("ended")), 'isFull', is_full IS 1, 'cursor', \(json("cursor")),
        'behind', \(json("behind")), 'received', \(json("received")), 'duplicates', \(json("duplicates")), 'skipped', \(json("skipped")),
        'requests', \(json("requests")), 'total', \(json("total")), 'mayHaveLost', has_moved IS 1, 'wasWhole', was_whole IS 1,
        'new', \(json("new")), 'updated', \(json("updated")), 'unchanged', \(json("unchanged")), 'deleted', \(json("deleted")),
        'endedEdits', \(json("ended_edits")), 'watermark', \(json("watermark")),
        'verdict', \(json("verdict || coalesce(' ' || reason, '')"))) FROM sync_state
      """,
      "DROP TABLE next_position",
      "DROP TABLE sync_state",
      // Older versions stored no verdict, so the list may have been shorter than its pages suggest.
      """
      INSERT INTO cached_answer(source, question, step, walk, at, rows, body, size, reading, holder)
      SELECT source, question, step, walk, at, rows, json_object('place', \(json("place")), 'total', \(json("total")),
        'next', \(json("next")), 'more', \(json("more")), 'paging', \(json("paging")), 'standing', CASE
          WHEN standing IS NOT NULL THEN nullif(\(json("standing")), 'any')
          WHEN paging LIKE 'token%' THEN 'partial an older version kept it without its verdict'
          ELSE 'unverifiable' END,
        'faults', CASE WHEN json_valid(faults) THEN json(faults) ELSE json('[]') END), size, reading, holder
      FROM kept_answer ORDER BY id
      """,
      "DROP TABLE kept_answer",
    ]
  }

  /// A person's edits have a table of their own. Empty `fields` make the next writer rebuild the views, which now show the edits.
  private static var seventh: [String] {
    StoredTable.edits.statements() + [
      "ALTER TABLE record_change ADD COLUMN ended TEXT",
      "DELETE FROM store_keepsake WHERE name IN (SELECT name || ' edits' FROM source_info)",
      "UPDATE source_info SET fields = ''",
    ]
  }

  /// Returns SQL for a value that JSON can hold; NULL for bytes, which it cannot.
  private static func json(_ value: String) -> String { "iif(typeof(\(value)) = 'blob', NULL, \(value))" }
}

extension Connection {
  func run(_ statements: [String]) throws { for statement in statements { try run(statement) } }

  /// Moves edits into their table. Older versions had them in the bodies of records and changes.
  fileprivate func moveEdits() throws {
    func isFormer(_ column: String) -> String { "substr(\(column), 1, \(FormerBody.prefix.utf8.count)) = ?1" }
    for name in try sourcesWithRecords() {
      let table = Tables(RecordKind(name)).record
      let rows = try all("SELECT row, id, body FROM \(table) WHERE \(isFormer("body"))", FormerBody.prefix) {
        (row: $0.int64(0), body: FormerBody($0.bytes(2), of: $0.text(1)))
      }
      for (row, body) in rows {
        guard let body else { continue }
        try run("UPDATE \(table) SET body = ?2 WHERE row = ?1", row, body.given[...])
        try write((removed: [], added: body.edits), of: name)
      }
    }
    let isEither = "\(isFormer("before")) OR \(isFormer("after"))"
    let changes = try all(
      "SELECT id, record, before, after FROM record_change WHERE \(isEither)", FormerBody.prefix
    ) { row in
      (id: row.int64(0), before: FormerBody(row.bytes(2), of: row.text(1)), after: FormerBody(row.bytes(3), of: row.text(1)))
    }
    for (id, before, after) in changes {
      try run(
        "UPDATE record_change SET before = coalesce(?2, before), after = coalesce(?3, after), ended = ?4 WHERE id = ?1", id,
        before?.shown[...], after?.shown[...], FieldPath.text(of: FormerBody.ended(from: before, to: after)))
    }
  }

  /// Makes the tables of the search index in place of the virtual table.
  fileprivate func replaceIndexes() throws {
    for name in try sourcesWithRecords() {
      // A damaged table cannot be removed. It stays, and nothing uses it.
      do {
        try run("DROP TABLE IF EXISTS \(SQLText.name(name + "_index"))")
      } catch {
        guard error.isIndexDamage else { throw error }
      }
      try makeTables(of: RecordKind(name))
    }
  }

  private func sourcesWithRecords() throws -> [String] {
    let records = "sqlite_schema AS part ON part.name = source_info.name || '_record'"
    return try all("SELECT source_info.name FROM source_info JOIN \(records)") { $0.text(0) }
  }
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
