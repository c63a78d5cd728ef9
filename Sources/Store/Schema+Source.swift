internal import AggregatorCore

/// The names of one source's tables, quoted. Neither a source's name nor that of a sample has an underscore, so none of them is
/// another table's.
struct Tables {
  /// The source's name as a text.
  let name: String
  let view: String
  let record: String
  let index: String
  let gone: String
  /// What the index holds, for a connection that asks.
  let terms: String

  init(_ kind: RecordKind) {
    func quoted(_ suffix: String) -> String { "\"\(kind.name.replacingEach("\"", with: "\"\""))\(suffix)\"" }
    name = "'\(kind.name.replacingEach("'", with: "''"))'"
    view = quoted("")
    record = quoted("_record")
    index = quoted("_index")
    gone = quoted("_gone")
    terms = quoted("_terms")
  }
}

extension Schema {
  /// The tables of one source.
  static func tables(of kind: RecordKind) -> [String] {
    let tables = Tables(kind)
    return [
      """
      CREATE TABLE IF NOT EXISTS \(tables.record)(
        -- The records of \(kind.name), in the order in which they came.
        row INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE, -- what makes a record itself
        fetch INTEGER NOT NULL,  -- the request in fetch_log that brought it
        gone INTEGER,            -- when a complete sync no longer found it
        met INTEGER,             -- the last reading by "next" that met it, by its number in next_position
        body TEXT NOT NULL       -- its own fields as JSON, without those that are null
      )
      """,
      "CREATE INDEX IF NOT EXISTS \(tables.gone) ON \(tables.record)(gone) WHERE gone IS NOT NULL",
      indexTable(of: kind),
    ]
  }

  /// The index holds nothing but which row has which three letters. It only ever gains: what an update made stale is noticed when a
  /// hit is read, so no old text is needed to take it out.
  static func indexTable(of kind: RecordKind) -> String {
    """
    CREATE VIRTUAL TABLE IF NOT EXISTS \(Tables(kind).index) USING fts5(
      text, content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 1')
    """
  }

  /// What the index is made of: when any of it changes, it has to be made again.
  static func indexed(_ kind: RecordKind) -> String { "folded 1: \(kind.searchable.joined(separator: ", "))" }

  /// The records with their fields as columns.
  static func view(of kind: RecordKind) -> String {
    let tables = Tables(kind)
    let columns = kind.leaves.map { leaf in
      let path = leaf.split(separator: ".").map { ".\"\($0)\"" }.joined()
      return "  json_extract(record.body, '$\(path)') AS \"\(leaf)\""
    }
    return """
      CREATE VIEW \(tables.view) AS SELECT
        -- The records of \(kind.name): their fields, where they came from, and what became of them.
      \(columns.joined(separator: ",\n")),
        \(time("fetch_log.at")) AS fetched_at,
        \(time("soft_deletion.at")) AS deleted_at,
        \(time("record.gone")) AS gone_at
      FROM \(tables.record) AS record
      LEFT JOIN fetch_log ON fetch_log.id = record.fetch
      LEFT JOIN soft_deletion ON soft_deletion.source = \(tables.name) AND soft_deletion.id = record.id
      """
  }

  private static func time(_ column: String) -> String { "strftime('%Y-%m-%dT%H:%M:%SZ', \(column) / 1000000000, 'unixepoch')" }
}
