package import AggregatorCore

extension StoredTable {
  /// The sources whose records are stored.
  package static let sources = StoredTable(
    "source_info",
    about: """
      The sources whose records are kept here. The view NAME shows the records of each with their fields as columns, but for
      those that were deleted or are gone; NAME_all shows these too, with the times.
      Every time in these tables is a number of nanoseconds since 1970, UTC; the views show them as times.
      """,
    key: [Column("name", .text)],
    [
      Column("records", .number, initially: 0, "how many there are, deleted and gone ones too"),
      Column("newest", .number, isOptional: true, "when the last one came"),
      Column("after_fetch", .number, isOptional: true, "the last request in fetch_log before the last sync began"),
    ])

  /// Returns the table with the records of one source.
  package static func records(of source: String) -> StoredTable {
    StoredTable(
      "record", of: source, about: "The records of one source, in the order in which they came.", key: [Column("row", .number)],
      [
        Column("id", .longText, "what makes a record itself"),
        Column("fetch", .number, "the request in fetch_log that brought it"),
        Column(
          "gone", .number, isOptional: true,
          "when a complete sync no longer found it; 0 where it was read by an earlier description"),
        Column("met", .number, isOptional: true, "the last reading by \"next\" that met it, by its number in source_state"),
        Column("body", .content, "its own fields as JSON, without those that are null"),
      ], indexes: [Index(nil, of: "id")])
  }

  package static let deletions = StoredTable(
    "soft_deletion", about: "What a person deleted: never shown, never fetched back in, until it is restored.",
    key: [Column("source", .text), Column("id", .longText)],
    [Column("at", .number), Column("was_waiting", .flag, "1 if it had not been shown")])

  package static let edits = StoredTable(
    "person_edit",
    about: "What a person edited: a value that counts until the service gives another one than it gave then.",
    key: [Column("id", .number)],
    [
      Column("source", .text), Column("record", .longText, "the record's id"),
      Column("field", .content, "the path of the field"),
      Column("given", .content, "the service's value then, as JSON, inside the objects around it"),
      Column("value", .content, "the person's value in the same form, to be merged into the record"),
    ], indexes: [Index("edit_by_record", of: "source", "record")])

  package static let fetches = StoredTable(
    "fetch_log", about: "Every request that brought records.", key: [Column("id", .number)],
    [
      Column("source", .text), Column("at", .number),
      Column("question", .longText, "what was asked, in the source's own words"),
      Column("place", .content, "which part of the answer it was"),
      Column("sync", .number, isOptional: true, "the number of the sync it belonged to"),
    ])

  package static let absorbed = StoredTable(
    "absorbed_record", about: "Records that came with the id of a stored one, and differed from it.",
    key: [Column("id", .number)],
    [
      Column("source", .text), Column("row", .number, "the kept one, by its row among the records of the source"),
      Column("fetch", .number, "the request that brought the other"),
      Column("body", .content, "the other's own fields, as JSON"),
    ], indexes: [Index("absorbed_by_row", of: "source", "row")])

  package static let changes = StoredTable(
    "record_change", about: "What syncs found otherwise than a sync before them had stored it.", key: [Column("id", .number)],
    [
      Column("source", .text), Column("record", .longText, "the record's id"), Column("at", .number),
      Column("before", .content, isOptional: true, "the record's own fields as JSON; null where it was not there"),
      Column("after", .content, isOptional: true, "the same after the sync"),
      Column("ended", .content, isOptional: true, "the fields of which the sync ended a person's edit"),
    ], indexes: [Index("change_by_source", of: "source", "id")])

  package static let answers = StoredTable(
    "cached_answer",
    about: """
      The last answer to each question, to be given again when a service cannot answer: the pages of one walk, in their order.
      """,
    key: [Column("id", .number)],
    [
      Column("source", .text), Column("question", .longText),
      Column("step", .number, "how many pages of the walk came before"), Column("walk", .text, "the walk that it is a page of"),
      Column("at", .number), Column("rows", .content, "the records, as a JSON array"),
      Column("body", .content, "what else the page says, as a JSON object"), Column("size", .number, "its bytes"),
      Column("reading", .content, isOptional: true, "the digest of the description by which it was read"),
      Column("holder", .content, isOptional: true, "the digest of the key whose holder's list it is"),
    ], indexes: [Index(nil, of: "source", "question", "step"), Index("cached_answer_by_age", of: "at", beside: ["size"])])

  /// The texts that were made once for the store, except ``unfinishedCopy``.
  package static let keepsakes = StoredTable(
    "store_keepsake", about: "What was made once for this store.", key: [Column("name", .text)], [Column("value", .content)])

  package static let givenBack = StoredTable(
    "given_back", about: "Rows that were taken by \"SOURCE next\" and not shown after all; they come first next time.",
    key: [Column("source", .text), Column("row", .number)])

  package static let states = StoredTable(
    "source_state", about: "How far the records of each source were read (\"next\") and synced (\"sync\").",
    key: [Column("source", .text), Column("name", .text)],
    [
      Column("revision", .number, "counts the steps of \"next\", so that no two processes make the same one, and the syncs"),
      Column("body", .content, "a JSON object; times are nanoseconds since 1970"),
    ])

  /// Returns every table. In a copy that stops half-way, deletions and edits were written before the records, and how far the records were read and
  /// synced comes last.
  package static func all(of sources: [String]) -> [StoredTable] {
    [.sources, .deletions, .edits, .fetches] + sources.map { records(of: $0) } + [
      .absorbed, .changes, .answers, .keepsakes, .givenBack, .states,
    ]
  }

  /// The use of a budget. No copy has it, since other processes count in it; a store in a file has it beside the file.
  package static let budgets = StoredTable(
    "budget", about: "When requests were answered, or may be sent, under the name of each rate.",
    key: [Column("name", .text, "the host, a digest of the key, the resource and the period that are counted together")],
    [Column("body", .content, "a JSON object; times are nanoseconds since 1970 by the clock of the store")])
}

extension StoredTable {
  /// True when a row is identified by a number that the database gives it.
  package var isNumbered: Bool { keyLength == 1 && columns[0].isNumber }

  /// Returns the error for opening an unfinished copy for anything but going on with the copy.
  package static func unfinished(_ store: String, copyOf original: String) -> SourceError {
    SourceError(
      ofStore: "the store \(store) is an unfinished copy of \(original)",
      remedy: .ask(.init(ofProgram: "store copy", original, store), "to go on with it").or(.useAnotherStore))
  }
}

/// Names and texts from outside, as SQL spells them.
package enum SQLText {
  package static func name(_ name: String) -> String { "\"\(name.replacingEach("\"", with: "\"\""))\"" }
  package static func text(_ text: String) -> String { "'\(text.replacingEach("'", with: "''"))'" }
}
