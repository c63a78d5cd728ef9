import AggregatorCore
import StoreTables

extension Connection {
  /// True when searches use a source's index although it does not fit the records. Reads every record once, so many at a time that they have
  /// `letters` different letters in all.
  ///
  /// An index of other fields is not damaged: no search reads it, and the next writer makes it again.
  func hasWrongIndex(of kind: RecordKind, atOnce letters: Int = 1 << 23) throws -> Bool {
    let isUsed = try first("SELECT indexed FROM source_info WHERE name = ?1", kind.name) { $0.text(0) == kind.indexed } ?? false
    guard isUsed else { return false }
    do {
      return try !isIndexRight(of: kind, atOnce: letters)
    } catch let failure as SQLiteFailure where failure.isIndexDamage {
      return true
    }
  }

  /// True when every record is in the lists of all its letters. Nothing else may be in them, unless updated or removed records have left it.
  private func isIndexRight(of kind: RecordKind, atOnce letters: Int) throws -> Bool {
    let pieces = try pieces(of: kind)
    var rows = IndexedRows(mostLetters: letters)
    var (isListed, records, entries) = (true, 0, 0)
    func compare() throws {
      (records, entries) = (records + rows.rows.count, entries + rows.entries)
      isListed = try isListed && areListed(&rows, in: pieces, kind)
    }
    // No search finds a record of another list before it lands again, with a new entry.
    let stored = try statement(
      "SELECT row, body, id FROM \(Tables(kind).record) WHERE gone IS NOT \(Moment.outdated.nanoseconds) ORDER BY row")
    defer { stored.reset() }
    while try isListed && stored.step() {
      rows.add(stored, of: kind)
      guard rows.isFull else { continue }
      try compare()
      try Deadline.check()
    }
    try compare()
    let indexed = pieces.reduce(0) { $0.adding($1.count) }
    guard isListed, indexed >= records else { return false }
    // An update adds its row once more, and a removal takes no row away. So the numbers are equal only if there was neither.
    return try indexed > records || count(ofEntriesIn: pieces, kind) == entries
  }

  /// True when these rows are in the lists of all their letters. Removes them from memory.
  private func areListed(_ rows: inout IndexedRows, in pieces: [IndexPiece], _ kind: RecordKind) throws -> Bool {
    guard let first = rows.rows.first, let last = rows.rows.last else { return true }
    let pieces = pieces.filter { $0.first <= last && $0.last >= first }
    var isRight = true
    try rows.drain { letters, list in isRight = try isRight && isListed(list, at: letters, in: pieces, kind) }
    return isRight
  }

  /// True when the lists of these letters, of all pieces together, have these rows.
  private func isListed(_ rows: RowList, at letters: Int, in pieces: [IndexPiece], _ kind: RecordKind) throws -> Bool {
    var lists = try pieces.compactMap { try list(of: $0, letters, kind) }
    var due = try RowCursor(rows.bytes)
    while let row = due.row {
      var isThere = false
      for index in lists.indices {
        lists[index].advance(to: row)
        isThere = isThere || lists[index].row == row
      }
      guard isThere else { return false }
      due.advance()
    }
    return true
  }

  /// Counts the rows in all lists of these pieces.
  private func count(ofEntriesIn pieces: [IndexPiece], _ kind: RecordKind) throws -> Int {
    var count = 0
    for piece in pieces {
      try forEachList(of: piece, 0..<Letters.count, kind) { _, bytes in
        var list = try piece.cursor(in: bytes)
        while list.row != nil {
          count += 1
          list.advance()
        }
      }
    }
    return count
  }
}

extension IndexedRows {
  /// Adds the record in a row of its number, its body and its id.
  mutating func add(_ record: PreparedStatement, of kind: RecordKind) {
    // A record that cannot be read cannot be found either.
    let text = (try? JSON(record.bytes(1))).map { kind.searchText(of: $0, id: record.text(2)) } ?? []
    let row = record.int64(0)
    text.withUnsafeBytes { add(row, $0) }
  }
}
