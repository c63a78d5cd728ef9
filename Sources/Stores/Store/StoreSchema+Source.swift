import AggregatorCore
import StoreTables

/// The quoted names of one source's tables. Names of sources and samples have no underscore, so these tables cannot
/// be those of another source. Names that a table of the store has are refused (`RecordKind.unusableNames`).
struct Tables {
  /// The source's name as a text in SQL.
  let name: String
  let view: String
  /// The view of all records, including those that are deleted or gone.
  let all: String
  let record: String
  let gone: String
  /// The search index: its pieces, and the lists of rows in them.
  let pieces: String
  let letters: String

  init(_ kind: RecordKind) {
    func quoted(_ suffix: String) -> String { SQLText.name(kind.name + suffix) }
    name = SQLText.text(kind.name)
    view = quoted("")
    all = quoted("_all")
    record = quoted("_record")
    gone = quoted("_gone")
    pieces = quoted("_piece")
    letters = quoted("_letters")
  }
}

extension StoreSchema {
  /// Returns the statements that make the tables of one source.
  static func tables(of kind: RecordKind) -> [String] {
    let tables = Tables(kind)
    return StoredTable.records(of: kind.name).statements() + [
      "CREATE INDEX IF NOT EXISTS \(tables.gone) ON \(tables.record)(gone) WHERE gone IS NOT NULL",
      """
      CREATE TABLE IF NOT EXISTS \(tables.pieces)(
        -- The pieces of the index of three letters. Rows that came together are one piece, and small pieces become larger ones.
        number INTEGER PRIMARY KEY,
        count INTEGER NOT NULL, -- the number of rows
        first INTEGER NOT NULL,
        last INTEGER NOT NULL
      )
      """,
      """
      CREATE TABLE IF NOT EXISTS \(tables.letters)(
        -- The rows of a piece that have some three letters. Nothing is removed for an update, so a row may have them no longer.
        key INTEGER PRIMARY KEY, -- the number of the piece * \(Letters.count) + the number of the three letters
        list BLOB NOT NULL -- the first row, the last one, and the distances between the rows
      )
      """,
    ]
  }

  /// Returns two views of the records with their fields as columns: one of the records that are shown, and one that also has deleted and
  /// gone records.
  static func views(of kind: RecordKind) -> [String] {
    let (tables, name) = (Tables(kind), kind.name.replacingEach("\n", with: " "))
    let columns =
      kind.leaves.map { "\(value(at: $0)) AS \(SQLText.name($0.text))" } + ["\(time("fetch_log.at")) AS fetched_at"]
    let fates = [
      "(SELECT \(time("at")) FROM soft_deletion WHERE source = \(tables.name) AND id = record.id) AS deleted_at",
      "\(time("record.gone")) AS gone_at",
    ]
    let records = """
      FROM (SELECT row, id, fetch, gone, \(editedBody(in: tables)) AS body FROM \(tables.record) AS record) AS record
      LEFT JOIN fetch_log ON fetch_log.id = record.fetch
      """
    return [
      """
      CREATE VIEW \(tables.view) AS SELECT
        -- The records of \(name) that are there: their fields, and when they came.
        \(columns.joined(separator: ",\n  "))
      \(records) WHERE \(Connection.isShown(kind))
      """,
      """
      CREATE VIEW \(tables.all) AS SELECT
        -- All records of \(name), deleted and gone ones too: their fields, and what became of them.
        \((columns + fates).joined(separator: ",\n  "))
      \(records) WHERE record.gone IS NOT \(Moment.outdated.nanoseconds)
      """,
    ]
  }

  /// Returns SQL for a record's JSON with a person's edits, which are laid over it in the order in which they were made.
  ///
  /// Without edits only the first condition costs anything, once for each query.
  private static func editedBody(in tables: Tables) -> String {
    let edits = "FROM person_edit WHERE person_edit.source = \(tables.name)"
    return """
      CASE WHEN EXISTS(SELECT 1 \(edits)) AND record.id IN (SELECT record \(edits)) THEN (
        WITH RECURSIVE laid(last, body) AS (
          SELECT 0, record.body UNION ALL SELECT edit.id, json_patch(laid.body, edit.value) FROM laid JOIN person_edit AS edit
            ON edit.id = (SELECT min(id) \(edits) AND person_edit.record = record.id AND id > laid.last))
        SELECT body FROM laid ORDER BY last DESC LIMIT 1) ELSE record.body END
      """
  }

  /// Returns SQL for a leaf's value in a record's JSON. A path cannot spell a quote or a
  /// line break, so names with these are compared as texts.
  private static func value(at leaf: FieldPath) -> String {
    let names = leaf.names
    guard names.contains(where: { $0.utf8.contains { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C } }) else {
      return "json_extract(record.body, \(SQLText.text("$" + names.map { ".\"\($0)\"" }.joined())))"
    }
    return names.reduce("record.body") { "(SELECT value FROM json_each(\($0)) WHERE key = \(SQLText.text($1)))" }
  }

  private static func time(_ column: String) -> String { "strftime('%Y-%m-%dT%H:%M:%SZ', \(column) / 1000000000, 'unixepoch')" }
}
