import AggregatorCore

/// What a store's file looks like, version by version.
///
/// The comments are part of it: `sqlite3 FILE .schema` prints them.
enum StoreSchema {
  /// "aggr", for `file` and for a person who finds the file.
  static let applicationID: Int32 = 0x6167_6772

  /// The step to each version from the one before.
  static let steps: [[String]] = [first, second, third, fourth, fifth, sixth]

  private static let first = [
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
      newest INTEGER                      -- when the last one came
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
    CREATE TABLE next_position(
      -- How far "SOURCE next" has read.
      source TEXT PRIMARY KEY,
      shown INTEGER NOT NULL DEFAULT 0,    -- the rows of SOURCE_record up to this one were shown
      number INTEGER NOT NULL DEFAULT 1,   -- counts the readings of the service's list, from its beginning to its end
      cursor TEXT,                         -- where the service's list goes on; null at its beginning, and at its end
      behind INTEGER NOT NULL DEFAULT 0,   -- how many different rows of it lie before the cursor
      passed INTEGER,                      -- the page before the cursor, by its fingerprint
      verdict TEXT,                        -- how the list has ended: complete or unverifiable; null while it has not
      revision INTEGER NOT NULL DEFAULT 0  -- counts the steps, so that no two processes make the same one
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
    CREATE TABLE sync_state(
      -- The last sync of each source, finished or not.
      source TEXT PRIMARY KEY,
      number INTEGER NOT NULL,      -- counts the syncs
      after_fetch INTEGER NOT NULL, -- the last request in fetch_log before it began
      began INTEGER NOT NULL,
      ended INTEGER,
      is_full INTEGER NOT NULL,     -- 1 when it walks the whole list, 0 when only what changed
      cursor TEXT,                  -- where the service's list goes on
      behind INTEGER NOT NULL DEFAULT 0, -- how many different rows lie before the cursor
      received INTEGER NOT NULL DEFAULT 0,
      duplicates INTEGER NOT NULL DEFAULT 0,
      skipped INTEGER NOT NULL DEFAULT 0,
      requests INTEGER NOT NULL DEFAULT 0,
      total INTEGER,                -- as the service announced it
      has_moved INTEGER NOT NULL DEFAULT 0, -- 1 when a row may have slipped through
      was_whole INTEGER NOT NULL,   -- 1 when a sync before it had stored all there was
      new INTEGER NOT NULL DEFAULT 0,
      updated INTEGER NOT NULL DEFAULT 0,
      unchanged INTEGER NOT NULL DEFAULT 0,
      deleted INTEGER NOT NULL DEFAULT 0,
      watermark TEXT,               -- how far changes are known, as a date
      verdict TEXT,                 -- complete, bounded, partial or unverifiable; null while it has not ended
      reason TEXT                   -- why it is partial
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE store_keepsake(
      -- What was made once for this store.
      name TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) WITHOUT ROWID
    """,
  ]
  /// Answers became walks, step by step; those in the older form could not be told apart.
  private static let second = [
    "DROP TABLE IF EXISTS kept_answer",
    """
    CREATE TABLE kept_answer(
      -- The last answer to each question, to be given again when a service cannot answer: the pages of one walk, in their order.
      id INTEGER PRIMARY KEY,
      source TEXT NOT NULL,
      question TEXT NOT NULL,
      step INTEGER NOT NULL,  -- how many pages of the walk came before
      walk TEXT NOT NULL,     -- the walk that it is a page of
      place TEXT NOT NULL,    -- where in the list the page was asked for
      at INTEGER NOT NULL,
      rows TEXT NOT NULL,     -- the records, as a JSON array
      faults TEXT NOT NULL,   -- the rows that could not be read, as a JSON array
      total INTEGER,
      next TEXT NOT NULL,     -- how the list goes on
      more INTEGER,           -- 1 when the service said that there is more, 0 when it said that there is not
      paging TEXT NOT NULL,   -- how the source pages
      size INTEGER NOT NULL,  -- its bytes
      UNIQUE(source, question, step)
    )
    """,
    "CREATE INDEX answer_by_age ON kept_answer(at, size)",
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
  /// An answer carries its verdict, and which list it is of.
  private static let fourth = [
    // The best verdict of a walk with this page, `any` where the page says nothing; null where an older version kept it.
    "ALTER TABLE kept_answer ADD COLUMN standing TEXT",
    // The digest of the description by which it was read, and that of the key whose holder's list it is.
    "ALTER TABLE kept_answer ADD COLUMN reading TEXT",
    "ALTER TABLE kept_answer ADD COLUMN holder TEXT",
    // The views are made again.
    "UPDATE source_info SET fields = ''",
  ]
  /// Records may begin with a person's edits; a sync says how many of them it ended.
  private static let fifth = ["ALTER TABLE sync_state ADD COLUMN ended_edits INTEGER NOT NULL DEFAULT 0"]
  /// What no query compares with became JSON objects. Whatever somebody has put into the old columns, the step goes through: an object
  /// that nobody can read is found out where it is read.
  private static let sixth = [
    // The last request in fetch_log before the last sync began.
    "ALTER TABLE source_info ADD COLUMN after_fetch INTEGER",
    "UPDATE source_info SET after_fetch = (SELECT after_fetch FROM sync_state WHERE source = name)",
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
    // Older versions kept no verdict, so that a list may have been less than its pages look like.
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
    "CREATE INDEX cached_answer_by_age ON cached_answer(at, size)",
  ]

  /// A value that has a place in JSON: bytes have none.
  private static func json(_ value: String) -> String { "iif(typeof(\(value)) = 'blob', NULL, \(value))" }
}
