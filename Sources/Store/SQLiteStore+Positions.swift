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
      try connection.mendPosition(of: kind)
      // A list that had ended is asked again from its beginning: it may have grown.
      try connection.run(
        """
        UPDATE next_position SET shown = 0, revision = revision + 1, number = number + (verdict IS NOT NULL), verdict = NULL
        WHERE source = ?1
        """, kind.name)
      try connection.run("DELETE FROM given_back WHERE source = ?1", kind.name)
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
  /// Puts a position in order that somebody has edited: a number that is none would compare with no row, and be waited for for ever.
  fileprivate func mendPosition(of kind: RecordKind) throws {
    let columns = "(shown, number, behind, revision)"
    let sound = "(\(Sound.shown), \(Sound.number), \(Sound.behind), \(Sound.revision))"
    try run("UPDATE next_position SET \(columns) = \(sound) WHERE source = ?1 AND \(columns) IS NOT \(sound)", kind.name)
  }

  /// Lets a record come first next time, unless its turn has not come yet, or comes again by itself since somebody began again.
  func giveBack(_ id: String, _ kind: RecordKind) throws {
    guard try hasTables(of: kind) else { return }
    try mendPosition(of: kind)
    try run(
      """
      INSERT OR IGNORE INTO given_back(source, row) SELECT ?1, row FROM \(Tables(kind).record)
      WHERE id = ?2 AND row <= (SELECT shown FROM next_position WHERE source = ?1)
      """, kind.name, id)
  }

  /// Whether a record is kept that nobody was shown.
  func isWaiting(_ id: String, _ kind: RecordKind) throws -> Bool {
    guard try hasTables(of: kind) else { return false }
    try mendPosition(of: kind)
    return try number(
      """
      SELECT EXISTS(SELECT 1 FROM \(Tables(kind).record) WHERE id = ?2 AND (
        row > coalesce((SELECT shown FROM next_position WHERE source = ?1), 0) OR row IN (SELECT row FROM given_back WHERE source = ?1)))
      """, kind.name, id) == 1
  }

  func position(of kind: RecordKind) throws -> Position {
    let columns = "cursor, \(Sound.behind), verdict, \(Sound.revision), \(Sound.shown), passed"
    let found = try first("SELECT \(columns) FROM next_position WHERE source = ?1", kind.name) {
      (
        position: Position(
          cursor: $0.textIfPresent(0).flatMap(Cursor.init(text:)), behind: $0.int(1),
          passed: $0.intIfPresent(5).map { UInt64(bitPattern: Int64($0)) },
          ended: $0.textIfPresent(2).flatMap { Verdict(kind: $0, reason: nil) }, revision: $0.int(3)),
        shown: $0.int64(4)
      )
    }
    var position = found?.position ?? Position()
    guard try hasTables(of: kind) else { return position }
    let record = Tables(kind).record
    position.waiting = try number(
      """
      SELECT (SELECT count(*) FROM \(record) AS record WHERE row > ?2 AND \(Self.isShown(kind)))
        + (SELECT count(*) FROM given_back JOIN \(record) AS record USING(row) WHERE source = ?1 AND \(Self.isShown(kind)))
      """, kind.name, found?.shown ?? 0)
    return position
  }

  /// Makes a step in the service's list; false when another process has made it.
  func make(_ advance: Advance, of kind: RecordKind) throws -> Bool {
    try run("INSERT OR IGNORE INTO next_position(source) VALUES(?1)", kind.name)
    try mendPosition(of: kind)
    guard let next = advance.to else {
      return try number("SELECT revision FROM next_position WHERE source = ?1", kind.name) == advance.from
    }
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
    try mendPosition(of: kind)
    let record = Tables(kind).record
    let back = try all(
      """
      SELECT row, body FROM given_back JOIN \(record) AS record USING(row) WHERE source = ?1 AND \(Self.isShown(kind))
      ORDER BY row LIMIT ?2
      """, kind.name, count, read: storedRow)
    for row in back { try run("DELETE FROM given_back WHERE source = ?1 AND row = ?2", kind.name, row.row) }
    let fresh = try all(
      """
      SELECT row, body FROM \(record) AS record
      WHERE row > (SELECT shown FROM next_position WHERE source = ?1) AND \(Self.isShown(kind)) ORDER BY row LIMIT ?2
      """, kind.name, count - back.count, read: storedRow)
    if let last = fresh.last { try run("UPDATE next_position SET shown = ?2 WHERE source = ?1", kind.name, last.row) }
    return back + fresh
  }

  private func storedRow(_ row: Statement) -> StoredRow { StoredRow(row: row.int64(0), body: row.bytes(1)) }
}
