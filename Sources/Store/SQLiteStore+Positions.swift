public import AggregatorCore

extension SQLiteStore: PositionKeeper {
  public func position(of kind: RecordKind) async throws -> Position {
    guard database.isThere else { return Position() }
    return try database.reading { try $0.position(of: kind) }
  }

  @concurrent public func take(_ count: Int, of kind: RecordKind) async throws -> [StoredRow] {
    guard database.isThere else { return [] }
    return try database.writing { try $0.take(count, of: kind) }
  }

  @concurrent public func giveBack(_ ids: [String], to kind: RecordKind) async throws {
    try database.writing { connection in
      guard try connection.hasTables(of: kind) else { return }
      for id in ids { try connection.giveBack(id, kind) }
    }
  }

  @concurrent public func reset(_ kind: RecordKind) async throws {
    guard database.isThere else { return }
    try database.writing { connection in
      try connection.run("DELETE FROM given_back WHERE source = ?1", kind.name)
      do {
        _ = try connection.place(of: kind)
      } catch is SourceError {
        return try connection.beginAgain(kind)
      }
      // A list that had ended is asked again from its beginning: it may have grown.
      try connection.run(
        """
        UPDATE next_position SET shown = 0, revision = revision + 1, number = number + (verdict IS NOT NULL), verdict = NULL
        WHERE source = ?1
        """, kind.name)
    }
  }

  public func hasMet(_ id: String, of kind: RecordKind) throws -> Bool {
    try database.reading { connection in
      guard try connection.hasTables(of: kind) else { return false }
      return try connection.number(
        """
        SELECT EXISTS(SELECT 1 FROM \(Tables(kind).record)
          WHERE id = ?2 AND met = (SELECT number FROM next_position WHERE source = ?1))
        """, kind.name, id) == 1
    }
  }
}

extension Connection {
  /// What `next_position` says of a source.
  struct ReadingPlace {
    var position = Position()
    /// The records up to this row were shown.
    var shown: Int64 = 0
    /// Counts the readings of the list.
    var number = 1
  }

  /// Where the reading of a source is. A row that somebody edited into something else is an error: what it would be taken for, one part
  /// of a reading might read in one way and another in another.
  func place(of kind: RecordKind) throws -> ReadingPlace {
    let found = try first(
      "SELECT cursor, behind, verdict, revision, shown, passed, number FROM next_position WHERE source = ?1", kind.name
    ) { row -> ReadingPlace? in
      let cursor = row.textIfPresent(0).map { Cursor(text: $0) }
      let ended = row.textIfPresent(2).map { Verdict(kind: $0, reason: nil) }
      guard let behind = row.soundCount(1), let revision = row.soundCount(3), let shown = row.soundCount(4), let number = row.soundCount(6),
        cursor.map({ $0 != nil }) ?? true, ended.map({ $0 != nil }) ?? true, row.isNull(5) || row.isWhole(5)
      else { return nil }
      let position = Position(
        cursor: cursor ?? nil, behind: behind, passed: row.intIfPresent(5).map { UInt64(bitPattern: Int64($0)) }, ended: ended ?? nil,
        revision: revision)
      return ReadingPlace(position: position, shown: Int64(shown), number: number)
    }
    guard let found else { return ReadingPlace() }
    guard let place = found else {
      throw SourceError(
        .storage, "cannot read the stored position of \(kind.name)",
        remedy: "type '\(RunningProgram.name) \(kind.name) reset' to start again"
      ).from(kind.name)
    }
    return place
  }

  /// In place of a row that cannot be read: the beginning of another reading, which no process has seen.
  fileprivate func beginAgain(_ kind: RecordKind) throws {
    let met = try hasTables(of: kind) ? number("SELECT max(met) FROM \(Tables(kind).record) WHERE typeof(met) = 'integer'") : 0
    try run("DELETE FROM next_position WHERE source = ?1", kind.name)
    try run(
      "INSERT INTO next_position(source, number, revision) VALUES(?1, ?2, abs(random()) >> 16)", kind.name,
      met < Statement.most ? max(0, met) + 1 : 1)
  }

  /// Lets a record come first next time, unless its turn has not come yet, or comes again by itself since somebody began again.
  func giveBack(_ id: String, _ kind: RecordKind) throws {
    guard try hasTables(of: kind) else { return }
    try run(
      "INSERT OR IGNORE INTO given_back(source, row) SELECT ?1, row FROM \(Tables(kind).record) WHERE id = ?2 AND row <= ?3", kind.name, id,
      place(of: kind).shown)
  }

  /// Whether a stored record was not shown yet.
  func isWaiting(_ id: String, _ kind: RecordKind) throws -> Bool {
    guard try hasTables(of: kind) else { return false }
    return try number(
      """
      SELECT EXISTS(SELECT 1 FROM \(Tables(kind).record) WHERE id = ?2 AND (
        row > ?3 OR row IN (SELECT row FROM given_back WHERE source = ?1)))
      """, kind.name, id, place(of: kind).shown) == 1
  }

  func position(of kind: RecordKind) throws -> Position {
    let place = try place(of: kind)
    var position = place.position
    guard try hasTables(of: kind) else { return position }
    let record = Tables(kind).record
    position.waiting = try number(
      """
      SELECT (SELECT count(*) FROM \(record) AS record WHERE row > ?2 AND \(Self.isShown(kind)))
        + (SELECT count(*) FROM given_back JOIN \(record) AS record USING(row) WHERE source = ?1 AND \(Self.isShown(kind)))
      """, kind.name, place.shown)
    return position
  }

  /// Makes a step in the service's list; false when another process has made it.
  func make(_ advance: Advance, of kind: RecordKind) throws -> Bool {
    try run("INSERT OR IGNORE INTO next_position(source) VALUES(?1)", kind.name)
    let revision = try place(of: kind).position.revision
    guard let next = advance.to else { return revision == advance.from }
    try run(
      """
      UPDATE next_position SET cursor = ?2, behind = ?3, verdict = ?4, passed = ?5, number = number + ?6, revision = revision + 1
      WHERE source = ?1 AND revision = ?7
      """, kind.name, next.cursor?.text, next.behind, next.ended?.kind, next.passed.map { Int64(bitPattern: $0) },
      advance.isReopening ? 1 : 0, advance.from)
    return changes > 0
  }

  func take(_ count: Int, of kind: RecordKind) throws -> [StoredRow] {
    guard count > 0, try hasTables(of: kind) else { return [] }
    try run("INSERT OR IGNORE INTO next_position(source) VALUES(?1)", kind.name)
    let record = Tables(kind).record
    let shown = try place(of: kind).shown
    let back = try all(
      """
      SELECT row, body FROM given_back JOIN \(record) AS record USING(row) WHERE source = ?1 AND \(Self.isShown(kind))
      ORDER BY row LIMIT ?2
      """, kind.name, count, read: storedRow)
    for row in back { try run("DELETE FROM given_back WHERE source = ?1 AND row = ?2", kind.name, row.row) }
    let fresh = try all(
      """
      SELECT row, body FROM \(record) AS record
      WHERE row > ?1 AND \(Self.isShown(kind)) ORDER BY row LIMIT ?2
      """, shown, count - back.count, read: storedRow)
    if let last = fresh.last { try run("UPDATE next_position SET shown = ?2 WHERE source = ?1", kind.name, last.row) }
    return back + fresh
  }

  private func storedRow(_ row: Statement) -> StoredRow { StoredRow(row: row.int64(0), body: row.bytes(1)) }
}
