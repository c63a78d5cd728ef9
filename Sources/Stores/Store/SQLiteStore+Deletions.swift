public import AggregatorCore
import StoreTables

extension SQLiteStore {
  @discardableResult
  @concurrent public func delete(_ id: String, of kind: RecordKind, at moment: Moment) async throws -> Moment {
    try database.writing { connection in
      try connection.run(
        "INSERT OR IGNORE INTO soft_deletion(source, id, at, was_waiting) VALUES(?1, ?2, ?3, ?4)", kind.name, id,
        moment.nanoseconds, try connection.isWaiting(id, kind) ? 1 : 0)
      return try connection.deletion(of: id, kind) ?? moment
    }
  }

  @discardableResult
  @concurrent public func restore(_ id: String, of kind: RecordKind) async throws -> Bool {
    try database.writing(else: false) { connection in
      let deleted = "DELETE FROM soft_deletion WHERE source = ?1 AND id = ?2 RETURNING was_waiting"
      guard let wasWaiting = try connection.first(deleted, kind.name, id, read: { $0.int(0) == 1 }) else { return false }
      // If the record was waiting for `next`, its turn may have passed since.
      if wasWaiting { try connection.giveBack(id, kind) }
      return true
    }
  }

  @discardableResult
  @concurrent public func takeBackEdits(of id: String, in kind: RecordKind) async throws -> [FieldPath] {
    try database.writing(else: []) { connection in
      let edits = try connection.edits(of: kind).filter { $0.id.hasBytes(of: id) }
      try connection.write((removed: edits, added: []), of: kind.name)
      return edits.map(\.path)
    }
  }

  public func deletions(of kind: RecordKind) async throws -> [String] {
    try database.reading(else: []) {
      try $0.all("SELECT id FROM soft_deletion WHERE source = ?1 ORDER BY at DESC, id", kind.name) { $0.text(0) }
    }
  }

  public func history(of id: String, of kind: RecordKind) async throws -> History? {
    try database.reading(else: nil) { connection in
      var history = try connection.recordHistory(of: id, kind) ?? History(record: nil, fetch: nil, absorbed: [], deletedAt: nil)
      history.deletedAt = try connection.deletion(of: id, kind)
      return history.record == nil && history.deletedAt == nil ? nil : history
    }
  }
}

extension Connection {
  func edits(of kind: RecordKind) throws -> [Edit] {
    try all("SELECT \(Edit.columns) FROM person_edit WHERE source = ?1 ORDER BY id", kind.name) { Edit($0) }
  }

  func write(_ changes: (removed: [Edit], added: [Edit]), of source: String) throws {
    for edit in changes.removed {
      try run(
        "DELETE FROM person_edit WHERE source = ?1 AND record = ?2 AND field = ?3", source, edit.texts.record, edit.texts.field)
    }
    for edit in changes.added {
      let texts = edit.texts
      try run(
        "INSERT INTO person_edit(source, record, field, given, value) VALUES(?1, ?2, ?3, ?4, ?5)", source, texts.record,
        texts.field, texts.given[...], texts.value[...])
    }
  }

  /// Returns when the record of that id was deleted; nil if it was not.
  func deletion(of id: some Bindable, _ kind: RecordKind) throws -> Moment? {
    try first("SELECT at FROM soft_deletion WHERE source = ?1 AND id = ?2", kind.name, id) { $0.moment(0) }
  }

  /// Notes of a deleted record, which is stored for the first time, that it waits for `next` once it is restored.
  func noteWaiting(_ id: some Bindable, _ kind: RecordKind) throws {
    try run("UPDATE soft_deletion SET was_waiting = 1 WHERE source = ?1 AND id = ?2", kind.name, id)
  }

  fileprivate func recordHistory(of id: String, _ kind: RecordKind) throws -> History? {
    guard try hasTables(of: kind) else { return nil }
    let found = try first("SELECT row, body, fetch FROM \(Tables(kind).record) WHERE id = ?1", id) {
      (row: StoredRow($0), fetch: $0.int64(2))
    }
    guard let found else { return nil }
    let absorbed = try all(
      "SELECT body, fetch FROM absorbed_record WHERE source = ?1 AND row = ?2 ORDER BY rowid", kind.name, found.row.row
    ) { (body: $0.bytes(0), fetch: $0.int64(1)) }
    return History(
      record: found.row, fetch: try fetch(found.fetch),
      absorbed: try absorbed.map { History.DuplicateRecord(body: $0.body, fetch: try fetch($0.fetch)) }, deletedAt: nil)
  }

  func fetch(_ id: Int64) throws -> Fetch? {
    try first("SELECT at, question, place FROM fetch_log WHERE id = ?1", id) { Fetch($0) } ?? nil
  }
}
