import AggregatorCore

/// The schema of a store's file, version by version.
///
/// The SQL comments are part of it: `sqlite3 FILE .schema` prints them.
enum StoreSchema {
  /// "aggr", which identifies the file to `file` and to a person who finds it.
  static let applicationID: Int32 = 0x6167_6772

  /// The statements that make a new file, then those that lead from each version to the next.
  static let steps: [[String]] = [first, second, third, fourth, fifth, sixth]

  private static let first =
    [
      """
      CREATE TABLE source_info(
        -- The sources whose records are kept here. The view NAME shows the records of each with their fields as columns, but for
        -- those that were deleted or are gone; NAME_all shows these too, with the times. They lie in NAME_record, and NAME_index
        -- finds them by any three letters of what is searchable.
        -- Every time in this file is a number of nanoseconds since 1970, UTC; the views show them as text.
        name TEXT PRIMARY KEY,
        fields TEXT NOT NULL,               -- the fields of a record, as a JSON array
        indexed TEXT NOT NULL,              -- what NAME_index was made of
        records INTEGER NOT NULL DEFAULT 0, -- how many there are, deleted and gone ones too
        newest INTEGER,                     -- when the last one came
        after_fetch INTEGER                 -- the last request in fetch_log before the last sync began
      ) WITHOUT ROWID
      """,
      """
      CREATE TABLE fetch_log(
        -- Every request that brought records.
        id INTEGER PRIMARY KEY,
        source TEXT NOT NULL,
        at INTEGER NOT NULL,
        question TEXT NOT NULL, -- what was asked, in the source's own words
        place TEXT NOT NULL,    -- which part of the answer it was
        sync INTEGER            -- the number of the sync it belonged to
      )
      """,
      """
      CREATE TABLE absorbed_record(
        -- Records that came with the id of one that was kept already, and differed from it.
        source TEXT NOT NULL,
        row INTEGER NOT NULL,   -- the kept one, in SOURCE_record
        fetch INTEGER NOT NULL, -- the request that brought the other
        body TEXT NOT NULL      -- the other's own fields, as JSON
      )
      """,
      "CREATE INDEX absorbed_by_row ON absorbed_record(source, row)",
      """
      CREATE TABLE soft_deletion(
        -- What a person deleted: never shown, never fetched back in, until it is restored.
        source TEXT NOT NULL,
        id TEXT NOT NULL,
        at INTEGER NOT NULL,
        was_waiting INTEGER NOT NULL, -- 1 when nobody had been shown it
        PRIMARY KEY(source, id)
      ) WITHOUT ROWID
      """,
      """
      CREATE TABLE given_back(
        -- Rows that were taken by "SOURCE next" and not shown after all; they come first next time.
        source TEXT NOT NULL,
        row INTEGER NOT NULL,
        PRIMARY KEY(source, row)
      ) WITHOUT ROWID
      """,
      """
      CREATE TABLE store_keepsake(
        -- What was made once for this store.
        name TEXT PRIMARY KEY,
        value TEXT NOT NULL
      ) WITHOUT ROWID
      """,
    ] + third + states

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
    CREATE TABLE record_change(
      -- What syncs found otherwise than a sync before them had stored it.
      id INTEGER PRIMARY KEY,
      source TEXT NOT NULL,
      record TEXT NOT NULL,   -- the record's id
      at INTEGER NOT NULL,
      before TEXT,            -- the record's own fields as JSON; null where it was not there
      after TEXT              -- the same after the sync
    )
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
    // With empty fields the views are made again.
    "UPDATE source_info SET fields = ''",
  ]
  /// Records may begin with a person's edits; a sync counts the edits that it ended.
  private static let fifth = ["ALTER TABLE sync_state ADD COLUMN ended_edits INTEGER NOT NULL DEFAULT 0"]
  private static let states = [
    """
    CREATE TABLE source_state(
      -- How far the records of each source were read ("next") and synced ("sync").
      source TEXT NOT NULL,
      name TEXT NOT NULL,
      revision INTEGER NOT NULL, -- counts the steps of "next", so that no two processes make the same one, and the syncs
      body TEXT NOT NULL,        -- a JSON object; times are nanoseconds since 1970
      PRIMARY KEY(source, name)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE cached_answer(
      -- The last answer to each question, to be given again when a service cannot answer: the pages of one walk, in their order.
      id INTEGER PRIMARY KEY,
      source TEXT NOT NULL,
      question TEXT NOT NULL,
      step INTEGER NOT NULL, -- how many pages of the walk came before
      walk TEXT NOT NULL,    -- the walk that it is a page of
      at INTEGER NOT NULL,
      rows TEXT NOT NULL,    -- the records, as a JSON array
      body TEXT NOT NULL,    -- what else the page says, as a JSON object
      size INTEGER NOT NULL, -- its bytes
      reading TEXT,          -- the digest of the description by which it was read
      holder TEXT,           -- the digest of the key whose holder's list it is
      UNIQUE(source, question, step)
    )
    """,
    "CREATE INDEX cached_answer_by_age ON cached_answer(at, size)",
  ]

  /// Columns that no query compares became JSON objects. The step succeeds whatever somebody
  /// has put into the old columns; an object that cannot be read is reported when it is read.
  private static let sixth =
    states + [
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

  /// Returns SQL for a value that JSON can hold; NULL for bytes, which it cannot.
  private static func json(_ value: String) -> String { "iif(typeof(\(value)) = 'blob', NULL, \(value))" }
}
