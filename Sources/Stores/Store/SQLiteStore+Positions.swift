public import AggregatorCore
import StoreTables

extension SQLiteStore {
  public func position(of kind: RecordKind) async throws -> Position {
    try database.reading(else: Position()) { try $0.storedPosition(of: kind).position }
  }

  public func waiting(of kind: RecordKind, upTo most: Int) async throws -> Int {
    let (record, isShown) = (Tables(kind).record, Connection.isShown(kind))
    return try database.reading(kind, else: 0) { connection in
      try connection.number(
        """
        SELECT count(*) FROM (
          SELECT row FROM given_back JOIN \(record) AS record USING(row) WHERE source = ?1 AND \(isShown)
          UNION ALL SELECT row FROM \(record) AS record WHERE row > ?2 AND \(isShown) LIMIT max(0, ?3))
        """, kind.name, connection.storedPosition(of: kind).shown, most)
    }
  }

  @concurrent public func take(_ count: Int, of kind: RecordKind) async throws -> [StoredRow] {
    guard count > 0 else { return [] }
    let (record, isShown) = (Tables(kind).record, Connection.isShown(kind))
    return try database.writing(kind, else: []) { connection in
      var stored = try connection.storedPosition(of: kind)
      let back = try connection.all(
        """
        SELECT row, body FROM given_back JOIN \(record) AS record USING(row) WHERE source = ?1 AND \(isShown)
        ORDER BY row LIMIT ?2
        """, kind.name, count
      ) { StoredRow($0) }
      for row in back { try connection.run("DELETE FROM given_back WHERE source = ?1 AND row = ?2", kind.name, row.row) }
      let fresh = try connection.all(
        "SELECT row, body FROM \(record) AS record WHERE row > ?1 AND \(isShown) ORDER BY row LIMIT ?2", stored.shown,
        count - back.count
      ) { StoredRow($0) }
      if let last = fresh.last {
        stored.shown = Int(last.row)
        try connection.set(stored, of: kind)
      }
      return back + fresh
    }
  }

  @concurrent public func giveBack(_ ids: [String], to kind: RecordKind) async throws {
    try database.writing(kind, else: ()) { connection in
      for id in ids { try connection.giveBack(id, kind) }
    }
  }

  @concurrent public func reset(_ kind: RecordKind) async throws {
    try database.writing(else: ()) { connection in
      try connection.run("DELETE FROM given_back WHERE source = ?1", kind.name)
      let position: Position
      do {
        position = try connection.storedPosition(of: kind).position.begunAgain
      } catch is SourceError {
        // The row cannot be read. It is replaced by the beginning of a new reading, whose revision no process has seen.
        let hasMet = try connection.hasTables(of: kind)
        let met = hasMet ? try connection.number("SELECT max(met) FROM \(Tables(kind).record)") : 0
        position = Position(reading: met.adding(1), revision: .random(in: 1...1 << 47))
      }
      try connection.set(StoredPosition(position: position), of: kind)
    }
  }

  public func met(_ ids: [String], of kind: RecordKind, reading: Int) async throws -> Set<String> {
    try database.reading(kind, else: []) { connection in
      try connection.those(of: ids, in: "SELECT 1 FROM \(Tables(kind).record) WHERE id = ?1 AND met = ?2", reading)
    }
  }
}

extension Connection {
  /// Returns those of `ids` for which the statement gives a row; the id and `number` are bound to it.
  func those(of ids: [String], in sql: String, _ number: Int) throws -> Set<String> {
    let find = try statement(sql)
    defer { find.reset() }
    find.bind(number, at: 2)
    var found: Set<String> = []
    for id in ids {
      find.bind(id, at: 1)
      if try find.step() { found.insert(id) }
      find.rewind()
    }
    return found
  }

  /// Returns how far `next` has read a source.
  func storedPosition(of kind: RecordKind) throws -> StoredPosition {
    try StoredPosition(stored: progress(StoredPosition.name, of: kind)?.body, of: kind)
  }

  /// Returns the progress in a source's list under that name; nil if none was noted.
  func progress(_ name: String, of kind: RecordKind) throws -> (body: [UInt8], revision: Int)? {
    try first("SELECT body, revision FROM source_state WHERE source = ?1 AND name = ?2", kind.name, name) {
      ($0.bytes(0), $0.int(1))
    }
  }

  func set(_ progress: some StoredProgress, of kind: RecordKind) throws {
    try run(
      "INSERT OR REPLACE INTO source_state(source, name, revision, body) VALUES(?1, ?2, ?3, ?4)", kind.name,
      type(of: progress).name, progress.revision, progress.body)
  }

  /// Lets a record come first next time, if `next` has shown it. A record that was not shown yet, or not since a reset, comes by itself.
  func giveBack(_ id: String, _ kind: RecordKind) throws {
    guard try hasTables(of: kind) else { return }
    try run(
      "INSERT OR IGNORE INTO given_back(source, row) SELECT ?1, row FROM \(Tables(kind).record) WHERE id = ?2 AND row <= ?3",
      kind.name, id, storedPosition(of: kind).shown)
  }

  /// True when a stored record still waits for `next`: it was not shown yet, or it was given back.
  func isWaiting(_ id: String, _ kind: RecordKind) throws -> Bool {
    guard try hasTables(of: kind) else { return false }
    return try number(
      """
      SELECT EXISTS(SELECT 1 FROM \(Tables(kind).record) WHERE id = ?2 AND (
        row > ?3 OR row IN (SELECT row FROM given_back WHERE source = ?1)))
      """, kind.name, id, storedPosition(of: kind).shown) == 1
  }

  /// Advances the position in the service's list. Returns false if another process has done so.
  func make(_ advance: Advance, of kind: RecordKind) throws -> Bool {
    var stored = try storedPosition(of: kind)
    guard let next = stored.position.advanced(by: advance) else { return false }
    stored.position = next
    if advance.to != nil { try set(stored, of: kind) }
    return true
  }
}
