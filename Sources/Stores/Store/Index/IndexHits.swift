import AggregatorCore

/// The rows that may match a text, as the index of a source knows them: in ascending order, each once.
struct IndexHits {
  private let terms: SearchTerms
  private let kind: RecordKind
  private let connection: Connection
  /// The pieces of which no list was read yet, in the order of their first rows.
  private var unread: ArraySlice<IndexPiece>
  private var open: [PieceHits] = []
  private var last: Int64

  init(_ terms: SearchTerms, of kind: RecordKind, after row: Int64, on connection: Connection) throws {
    (self.terms, self.kind, last, self.connection) = (terms, kind, row, connection)
    unread = try connection.pieces(of: kind).filter { $0.last > row }[...]
  }

  /// Returns the next row; nil after the last one.
  mutating func next() throws -> Int64? {
    while true {
      let row = open.lazy.map(\.row).min()
      if let piece = unread.first, row.map({ piece.first <= $0 }) ?? true {
        unread.removeFirst()
        if let hits = PieceHits(try connection.lists(of: terms, in: piece, kind), after: last) { open.append(hits) }
        continue
      }
      guard let row else { return nil }
      for index in open.indices.reversed() where open[index].row == row {
        if !open[index].advance(past: row) { open.remove(at: index) }
      }
      last = row
      return row
    }
  }
}

/// The rows of one piece that have the letters that are sought.
private struct PieceHits {
  /// The lists of rows, the shortest one first. A row has to be in all of them.
  private var lists: [RowCursor]
  /// The row at the present place.
  private(set) var row: Int64

  /// Makes a place at the first row after `row`; nil without one.
  init?(_ lists: [RowCursor], after row: Int64) {
    (self.lists, self.row) = (lists.sorted { $0.size < $1.size }, row)
    guard !lists.isEmpty, advance(past: row) else { return nil }
  }

  /// Moves to the first row after `row`. Returns false after the last one.
  mutating func advance(past row: Int64) -> Bool {
    guard row < .max else { return false }
    var (least, agreeing, index) = (row + 1, 0, 0)
    while agreeing < lists.count {
      lists[index].advance(to: least)
      guard let row = lists[index].row else { return false }
      agreeing = row == least ? agreeing + 1 : 1
      least = row
      index = (index + 1) % lists.count
    }
    self.row = least
    return true
  }
}

extension Connection {
  /// Returns the lists of a piece that a row has to be in; none if no row has the letters. Throws if the piece has no list at all.
  fileprivate func lists(of terms: SearchTerms, in piece: IndexPiece, _ kind: RecordKind) throws -> [RowCursor] {
    var lists: [RowCursor] = []
    switch terms {
    case .any(let letters): lists = try list(of: piece, having: letters, kind).map { [$0] } ?? []
    case .all(let letters):
      for number in letters {
        guard let list = try list(of: piece, number, kind) else {
          lists = []
          break
        }
        lists.append(list)
      }
    }
    if lists.isEmpty { try checkLists(of: piece, kind) }
    return lists
  }

  /// Returns the rows of a piece that have these letters; nil without any.
  func list(of piece: IndexPiece, _ letters: Int, _ kind: RecordKind) throws -> RowCursor? {
    try first("SELECT list FROM \(Tables(kind).letters) WHERE key = ?1", piece.key(of: letters)) {
      try piece.cursor(in: $0.borrowedBytes(0))
    }
  }

  /// Returns the rows of a piece that have any of these letters; nil without any.
  private func list(of piece: IndexPiece, having letters: Range<Int>, _ kind: RecordKind) throws -> RowCursor? {
    // A bit for each row of the piece. Rows that lie so far apart are not those of a store.
    guard piece.last - piece.first < 1 << 27 else { throw SQLiteFailure.damagedIndex }
    var bits = [UInt64](repeating: 0, count: Int(piece.last - piece.first) / 64 + 1)
    try forEachList(of: piece, letters, kind) { _, bytes in
      var list = try piece.cursor(in: bytes)
      while let row = list.row {
        let bit = Int(row - piece.first)
        bits[bit / 64] |= 1 << UInt64(bit % 64)
        list.advance()
      }
    }
    var list: RowList?
    for (index, word) in bits.enumerated() {
      var rest = word
      while rest != 0 {
        let row = piece.first + Int64(index * 64 + rest.trailingZeroBitCount)
        if list == nil { list = RowList(row) } else { list?.append(row) }
        rest &= rest - 1
      }
    }
    return try list.map { try RowCursor($0.bytes) }
  }
}
