import AggregatorCore
import StoreTables

extension Connection {
  /// Adds the rows in `indexedRows` to a source's index, and merges many pieces of one size.
  func indexRows(of kind: RecordKind) throws { try changingIndex(of: kind) { try addPiece(to: kind) } }

  /// Merges all pieces that may be merged into one, which saves a reader some time.
  func mergeIndex(of kind: RecordKind) throws {
    try changingIndex(of: kind) { _ = try merge(pieces(of: kind).filter { $0.size < IndexPiece.largest }, of: kind) }
  }

  /// Makes a source's index again, from the records.
  func indexAgain(_ kind: RecordKind) throws {
    try clearIndex(of: kind)
    indexedRows.removeAll()
    let records = try statement("SELECT row, body, id FROM \(Tables(kind).record) ORDER BY row")
    while try records.step() {
      indexedRows.add(records, of: kind)
      if indexedRows.isFull { try addPiece(to: kind) }
    }
    records.reset()
    try addPiece(to: kind)
  }

  /// Removes everything from a source's index, and makes its tables if they are missing.
  func clearIndex(of kind: RecordKind) throws {
    try makeTables(of: kind)
    try run("DELETE FROM \(Tables(kind).letters)")
    try run("DELETE FROM \(Tables(kind).pieces)")
  }

  /// True when a source's index is one of all its records, as far as its pieces show.
  func isIndexWhole(of kind: RecordKind, records: Int) throws -> Bool {
    do {
      return try pieces(of: kind).reduce(0) { $0.adding($1.count) } >= records
    } catch let failure as SQLiteFailure where failure.isIndexDamage {
      return false
    }
  }

  /// Returns the pieces of a source's index in the order of their first rows. Throws if they are damaged.
  func pieces(of kind: RecordKind) throws -> [IndexPiece] {
    try all("SELECT number, count, first, last FROM \(Tables(kind).pieces) ORDER BY first") {
      let piece = IndexPiece(number: $0.int64(0), count: $0.count(1), first: $0.int64(2), last: $0.int64(3))
      guard piece.isPossible else { throw SQLiteFailure.damagedIndex }
      return piece
    }
  }

  /// Calls `body` with the lists of a piece for these letters.
  func forEachList(
    of piece: IndexPiece, _ letters: Range<Int>, _ kind: RecordKind,
    _ body: (_ letters: Int, _ list: UnsafeBufferPointer<UInt8>) throws -> Void
  ) throws {
    let lists = try statement("SELECT key, list FROM \(Tables(kind).letters) WHERE key BETWEEN ?1 AND ?2")
    lists.bind(piece.key(of: letters.lowerBound), at: 1)
    lists.bind(piece.key(of: letters.upperBound - 1), at: 2)
    defer { lists.reset() }
    while try lists.step() { try body(Int(lists.int64(0) - piece.key(of: 0)), lists.borrowedBytes(1)) }
  }

  /// Throws if a piece has no list at all.
  func checkLists(of piece: IndexPiece, _ kind: RecordKind) throws {
    let lists = "SELECT EXISTS(SELECT 1 FROM \(Tables(kind).letters) WHERE key BETWEEN ?1 AND ?2)"
    guard try number(lists, piece.key(of: 0), piece.key(of: Letters.count - 1)) == 1 else { throw SQLiteFailure.damagedIndex }
  }

  /// Runs `body`, which changes the index. If the index is damaged, it is made again.
  private func changingIndex(of kind: RecordKind, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let failure as SQLiteFailure where failure.isIndexDamage {
      try indexAgain(kind)
    }
  }

  private func addPiece(to kind: RecordKind) throws {
    guard let first = indexedRows.rows.min(), let last = indexedRows.rows.max() else { return }
    let pieces = try pieces(of: kind)
    let piece = try addPiece(of: kind, count: indexedRows.rows.count, from: first, to: last)
    let insert = try insertion(of: kind)
    var bytes: [UInt8] = []
    try indexedRows.drain { letters, list in try insert.insert(list, at: piece.key(of: letters), by: &bytes) }
    insert.reset()
    try mergeMany(of: pieces + [piece], kind)
  }

  private func mergeMany(of pieces: [IndexPiece], _ kind: RecordKind) throws {
    var pieces = pieces
    for size in 0..<IndexPiece.largest {
      let equals = pieces.filter { $0.size == size }
      guard equals.count >= IndexPiece.mostOfOneSize, let merged = try merge(equals, of: kind) else { continue }
      pieces = pieces.filter { $0.size != size } + [merged]
    }
  }

  /// Replaces pieces by one that has all their rows. Returns nil for fewer than two.
  private func merge(_ pieces: [IndexPiece], of kind: RecordKind) throws -> IndexPiece? {
    guard pieces.count > 1, let first = pieces.map(\.first).min(), let last = pieces.map(\.last).max() else { return nil }
    for piece in pieces { try checkLists(of: piece, kind) }
    let merged = try addPiece(of: kind, count: pieces.reduce(0) { $0.adding($1.count) }, from: first, to: last)
    // One beginning after the other: all lists of a large piece would take much memory.
    for start in stride(from: 0, to: Letters.count, by: Letters.countOfOneBeginning) {
      try merge(pieces, into: merged, start..<start + Letters.countOfOneBeginning, of: kind)
    }
    for piece in pieces {
      try run(
        "DELETE FROM \(Tables(kind).letters) WHERE key BETWEEN ?1 AND ?2", piece.key(of: 0), piece.key(of: Letters.count - 1))
      try run("DELETE FROM \(Tables(kind).pieces) WHERE number = ?1", piece.number)
    }
    return merged
  }

  private func merge(_ pieces: [IndexPiece], into merged: IndexPiece, _ letters: Range<Int>, of kind: RecordKind) throws {
    var lists = [RowList?](repeating: nil, count: letters.count)
    for piece in pieces.sorted(by: { $0.first < $1.first }) {
      try forEachList(of: piece, letters, kind) { number, bytes in
        let index = number - letters.lowerBound
        let list = try RowList(bytes)
        if lists[index] == nil { lists[index] = list } else { try lists[index]?.add(list) }
      }
    }
    let insert = try insertion(of: kind)
    defer { insert.reset() }
    var bytes: [UInt8] = []
    for (number, list) in zip(letters, lists) {
      if let list { try insert.insert(list, at: merged.key(of: number), by: &bytes) }
    }
  }

  private func addPiece(of kind: RecordKind, count: Int, from first: Int64, to last: Int64) throws -> IndexPiece {
    try run("INSERT INTO \(Tables(kind).pieces)(count, first, last) VALUES(?1, ?2, ?3)", count, first, last)
    return IndexPiece(number: lastRow, count: count, first: first, last: last)
  }

  private func insertion(of kind: RecordKind) throws -> PreparedStatement {
    try statement("INSERT OR REPLACE INTO \(Tables(kind).letters)(key, list) VALUES(?1, ?2)")
  }
}

extension PreparedStatement {
  /// Inserts a list of rows; `bytes` is memory for its stored form.
  fileprivate func insert(_ list: RowList, at key: Int64, by bytes: inout [UInt8]) throws {
    list.write(to: &bytes)
    bind(key, at: 1)
    try bytes.withUnsafeBytes {
      bind(blob: $0, at: 2)
      try run()
    }
  }
}
