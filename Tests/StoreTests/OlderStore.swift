import AggregatorCore

@testable import Store

/// Files as older versions wrote them, table by table, with rows in all of them.
enum OlderStore {
  /// Makes a store of the version 3, 4 or 5.
  static func make(version: Int, at path: String) throws {
    let connection = try Connection(path)
    try connection.run("PRAGMA journal_mode = WAL")
    try connection.transaction {
      for statement in tables + rows { try connection.run(statement) }
      // The columns that the later of these versions added.
      let columns = [("sync_state", "ended_edits", 5), ("kept_answer", "standing", 4), ("kept_answer", "reading", 4)]
      for (table, column, since) in columns + [("kept_answer", "holder", 4)] where version < since {
        try connection.run("ALTER TABLE \(table) DROP COLUMN \(column)")
      }
      try connection.run("PRAGMA application_id = 0x61676772; PRAGMA user_version = \(version)")
    }
  }

  /// Edits records and changes as that version did, in their bodies.
  static func edit(at path: String) throws {
    let connection = try Connection(path)
    let bodies = [
      "a": #"{"\u0001edits":{"name":"Cleo","note":null},"id":"a","name":"Anna","nicknames":[],"note":"mine"}"#,
      "b": #"{"\u0001edits":{"nicknames":["Bo"]},"id":"b","name":"Bea"}"#,
    ]
    for (id, body) in bodies { try connection.run("UPDATE friends_record SET body = ?2 WHERE id = ?1", id, body) }
    let before = #"{"\u0001edits":{"name":"Cleo","note":null},"id":"a","name":"Anna","nicknames":[],"note":"my"}"#
    let after = #"{"\u0001edits":{"name":"Cleo"},"id":"a","name":"Anna","nicknames":[],"note":"theirs"}"#
    let change = "INSERT INTO record_change(source, record, at, before, after) VALUES('friends', ?1, 5, ?2, ?3)"
    try connection.run(change, "a", before, after)
    try connection.run(change, "b", bodies["b"], bodies["b"])
    try connection.run("INSERT INTO store_keepsake VALUES('friends edits', '1')")
  }

  private static let tables =
    [
      """
      CREATE TABLE source_info(name TEXT PRIMARY KEY, fields TEXT NOT NULL, indexed TEXT NOT NULL, records INTEGER NOT NULL DEFAULT 0,
        newest INTEGER) WITHOUT ROWID
      """,
      """
      CREATE TABLE fetch_log(id INTEGER PRIMARY KEY, source TEXT NOT NULL, at INTEGER NOT NULL, question TEXT NOT NULL,
        place TEXT NOT NULL, sync INTEGER)
      """,
      "CREATE TABLE absorbed_record(source TEXT NOT NULL, row INTEGER NOT NULL, fetch INTEGER NOT NULL, body TEXT NOT NULL)",
      "CREATE INDEX absorbed_by_row ON absorbed_record(source, row)",
      """
      CREATE TABLE soft_deletion(source TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, was_waiting INTEGER NOT NULL,
        PRIMARY KEY(source, id)) WITHOUT ROWID
      """,
      """
      CREATE TABLE next_position(source TEXT PRIMARY KEY, shown INTEGER NOT NULL DEFAULT 0, number INTEGER NOT NULL DEFAULT 1, cursor TEXT,
        behind INTEGER NOT NULL DEFAULT 0, passed INTEGER, verdict TEXT, revision INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID
      """,
      "CREATE TABLE given_back(source TEXT NOT NULL, row INTEGER NOT NULL, PRIMARY KEY(source, row)) WITHOUT ROWID",
      """
      CREATE TABLE sync_state(source TEXT PRIMARY KEY, number INTEGER NOT NULL, after_fetch INTEGER NOT NULL, began INTEGER NOT NULL,
        ended INTEGER, is_full INTEGER NOT NULL, cursor TEXT, behind INTEGER NOT NULL DEFAULT 0, received INTEGER NOT NULL DEFAULT 0,
        duplicates INTEGER NOT NULL DEFAULT 0, skipped INTEGER NOT NULL DEFAULT 0, requests INTEGER NOT NULL DEFAULT 0, total INTEGER,
        has_moved INTEGER NOT NULL DEFAULT 0, was_whole INTEGER NOT NULL, new INTEGER NOT NULL DEFAULT 0,
        updated INTEGER NOT NULL DEFAULT 0, unchanged INTEGER NOT NULL DEFAULT 0, deleted INTEGER NOT NULL DEFAULT 0, watermark TEXT,
        verdict TEXT, reason TEXT, ended_edits INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID
      """,
      "CREATE TABLE store_keepsake(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
      """
      CREATE TABLE kept_answer(id INTEGER PRIMARY KEY, source TEXT NOT NULL, question TEXT NOT NULL, step INTEGER NOT NULL,
        walk TEXT NOT NULL, place TEXT NOT NULL, at INTEGER NOT NULL, rows TEXT NOT NULL, faults TEXT NOT NULL, total INTEGER,
        next TEXT NOT NULL, more INTEGER, paging TEXT NOT NULL, size INTEGER NOT NULL, standing TEXT, reading TEXT, holder TEXT,
        UNIQUE(source, question, step))
      """,
      "CREATE INDEX answer_by_age ON kept_answer(at, size)",
      """
      CREATE TABLE record_change(id INTEGER PRIMARY KEY, source TEXT NOT NULL, record TEXT NOT NULL, at INTEGER NOT NULL, before TEXT,
        after TEXT)
      """,
      "CREATE INDEX change_by_source ON record_change(source, id)",
    ] + ["friends", "others"].flatMap { tables(of: $0) }

  private static func tables(of source: String) -> [String] {
    [
      """
      CREATE TABLE \(source)_record(row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, fetch INTEGER NOT NULL, gone INTEGER, met INTEGER,
        body TEXT NOT NULL)
      """,
      "CREATE INDEX \(source)_gone ON \(source)_record(gone) WHERE gone IS NOT NULL",
      """
      CREATE VIRTUAL TABLE \(source)_index USING fts5(
        text, content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 1')
      """,
    ]
  }

  private static let rows = [
    "INSERT INTO source_info VALUES('friends', '', '', 4, 1000000000001), ('others', '', '', 0, NULL)",
    """
    INSERT INTO fetch_log VALUES(1, 'friends', 1000000000001, 'all', 'page 1', 1), (2, 'friends', 1000000000002, 'all', 'page 2', 2)
    """,
    """
    INSERT INTO friends_record VALUES(1, 'a', 1, NULL, 3, '{"id":"a","name":"Ann","nicknames":[]}'),
      (2, 'b', 1, NULL, 3, '{"id":"b","name":"Bea","nicknames":[]}'), (3, 'c', 1, NULL, NULL, '{"id":"c","name":"Cid","nicknames":[]}'),
      (4, 'd', 2, NULL, NULL, '{"id":"d","name":"Dan","nicknames":[]}')
    """,
    "INSERT INTO soft_deletion VALUES('friends', 'c', 1000000000003, 1)",
    "INSERT INTO given_back VALUES('friends', 1)",
    """
    INSERT INTO next_position VALUES('friends', 3, 3, 'friends offset 3 row=9f3a total=9', 3, -2, NULL, 5),
      ('others', 0, 2, NULL, 0, NULL, 'unverifiable', 7)
    """,
    """
    INSERT INTO sync_state VALUES
      ('friends', 2, 1, 1000000000001, NULL, 1, 'friends offset 4 row=77aa', 4, 5, 1, 0, 3, 9, 1, 1, 1, 2, 3, 4, '1970-01-01T00:00:50.000Z',
        NULL, NULL, 6),
      ('others', 1, 0, 2000000000001, 2000000000002, 0, NULL, 0, 0, 0, 2, 1, NULL, 0, 0, 0, 0, 0, 0, NULL, 'partial', 'total: 2 fewer', 0)
    """,
    """
    INSERT INTO kept_answer VALUES
      (1, 'friends here', 'list', 0, 'w', '', 1000000000001, '[{"id":"a"}]', '[]', 2, 'advance', 1, 'offset by 1 to total', 12, 'any',
        'r', 'h'),
      (3, 'friends here', 'list', 1, 'w', 'friends offset 1', 1000000000002, '[]', '[{"reason":"bad \\"row\\"","digest":"ff","row":2}]',
        2, 'token a''b', 0, 'number from 0 by 30 to more back', 40, 'partial a part', 'r', 'h'),
      (4, 'others there', 'list', 0, 'v', '', 5, '[]', '[]', NULL, 'end', NULL, 'token by 5 to token', 2, NULL, NULL, NULL),
      (5, 'others there', 'search a', 0, 'v', '', 5, '[]', '[]', NULL, 'end', NULL, 'whole', 2, NULL, NULL, NULL)
    """,
    "INSERT INTO store_keepsake VALUES('friends list', '{\"address\":\"here\",\"reading\":\"r\"}')",
  ]

  /// Makes a log of requests of version 2. In one budget a request was answered,
  /// the process of another one has ended, and a third one waits in this process.
  static func makeRequestLog(at path: String, process: Int32) throws {
    let connection = try Connection(path)
    try connection.run("PRAGMA journal_mode = WAL")
    try connection.transaction {
      try connection.run(
        "CREATE TABLE budget_slot(name TEXT NOT NULL, at INTEGER NOT NULL, ticket INTEGER NOT NULL DEFAULT 0, sender INTEGER)")
      try connection.run("CREATE INDEX budget_slot_by_name ON budget_slot(name, at)")
      try connection.run("CREATE TABLE unreachable_host(host TEXT PRIMARY KEY, at INTEGER NOT NULL, message TEXT NOT NULL) WITHOUT ROWID")
      try connection.run(
        """
        INSERT INTO budget_slot VALUES('a', 1000000000000, 1, NULL), ('a', 1001000000000, -2, 2147483647),
          ('a', 1002000000000, 3, \(process)), ('b', 1000000000000, 1, NULL)
        """)
      try connection.run("PRAGMA application_id = 0x61677271; PRAGMA user_version = 2")
    }
  }
}
