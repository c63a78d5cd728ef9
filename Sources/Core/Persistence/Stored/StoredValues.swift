/// One row of what a database keeps, by the places of its columns: what a store reads of it is the same whatever database that is.
package protocol StoredValues {
  func isNull(_ column: CInt) -> Bool
  /// Whether it is a whole number: where anybody may edit a file, a column may hold anything.
  func isWhole(_ column: CInt) -> Bool
  func int64(_ column: CInt) -> Int64
  func bytes(_ column: CInt) -> [UInt8]
}

extension StoredValues {
  package func int(_ column: CInt) -> Int { Int(int64(column)) }
  package func intIfPresent(_ column: CInt) -> Int? { isNull(column) ? nil : int(column) }
  /// How many there are of something. A file that somebody has edited may hold anything; this can be counted with.
  package func count(_ column: CInt) -> Int { min(max(0, int(column)), 1 << 48) }
  package func text(_ column: CInt) -> String { String(decoding: bytes(column), as: UTF8.self) }
  package func textIfPresent(_ column: CInt) -> String? { isNull(column) ? nil : text(column) }
  package func moment(_ column: CInt) -> Moment { Moment(nanoseconds: int64(column)) }
  package func momentIfPresent(_ column: CInt) -> Moment? { isNull(column) ? nil : moment(column) }

  /// A number that counts something; nil where it is not one, since anybody may edit the file.
  package func soundCount(_ column: CInt) -> Int? {
    let number = isWhole(column) ? int(column) : -1
    return (0...StoredPosition.mostCounted).contains(number) ? number : nil
  }
}

extension StoredRow {
  /// A record, by `row, body` and perhaps `id`.
  package init(_ row: some StoredValues, named isNamed: Bool = false) {
    self.init(row: row.int64(0), body: row.bytes(1), id: isNamed ? row.text(2) : nil)
  }
}

extension Fetch {
  /// A request, by `at, question, place`; nil where it is not known any more.
  package init?(_ row: some StoredValues) {
    if row.isNull(0) { return nil }
    self.init(at: row.moment(0), request: row.text(1), place: row.text(2))
  }
}

extension RecordChange {
  package static let columns = "record, at, before, after, id"

  /// A change, by ``columns``.
  package init(_ row: some StoredValues) {
    self.init(
      row.int(4), id: row.text(0), at: row.moment(1), before: row.isNull(2) ? nil : row.bytes(2),
      after: row.isNull(3) ? nil : row.bytes(3))
  }
}

extension Holding {
  /// A line, by what it is called here.
  package init(_ row: some StoredValues) {
    self.init(
      source: row.text(0), kind: row.text(1), rows: row.count(2), bytes: row.count(3), oldest: row.momentIfPresent(4),
      newest: row.momentIfPresent(5))
  }
}

extension RecordKind {
  /// What its views are made of: where it has changed, they have to be made again.
  package var fieldList: String {
    var writer = JSONWriter()
    writer.write(.list(leaves.map { .text($0.text) }))
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// What its index is made of: where any of it has changed, it has to be made again.
  package var indexed: String {
    let numbers = searchedNumbers.isEmpty ? "" : "; numbers of \(searchedNumbers.joined(separator: ", "))"
    return "letters 1: \(searched.map(\.text).joined(separator: ", "))\(numbers)"
  }
}

extension StoredTable {
  /// A row of it; an error where somebody has edited the file.
  package func values(of row: some StoredValues) throws -> [Value] {
    try columns.enumerated().map { index, column in
      let place = CInt(index)
      if row.isNull(place) { return .null }
      guard column.isNumber else { return .text(row.bytes(place)) }
      guard row.isWhole(place) else {
        throw SourceError(
          .storage, "\(name) holds a \(column.name) that is no whole number", remedy: "mend that row, or delete it")
      }
      return .number(row.int64(place))
    }
  }
}

/// What `next_position` says of a source.
package struct StoredPosition: Sendable {
  package var position: Position
  /// The records up to this row were shown. No row that comes later has a lower number, since one process writes at a time.
  package var shown: Int64

  package init(position: Position = Position(), shown: Int64 = 0) { (self.position, self.shown) = (position, shown) }

  package static let columns = "cursor, behind, verdict, revision, shown, passed, number"
  /// More than anybody counts, and far from where adding to it would overflow.
  package static let mostCounted = 1 << 52

  /// Throws where somebody edited the row into something else: what it would be taken for, one part of a reading might read in one way and
  /// another in another.
  package init(_ row: some StoredValues, of kind: RecordKind) throws {
    let (cursor, ended) = (row.textIfPresent(0).flatMap(Cursor.init), row.textIfPresent(2).flatMap(Verdict.init(stored:)))
    guard let behind = row.soundCount(1), let revision = row.soundCount(3), let shown = row.soundCount(4),
      let reading = row.soundCount(6), row.isNull(0) == (cursor == nil), row.isNull(2) == (ended == nil),
      row.isNull(5) || row.isWhole(5)
    else {
      throw SourceError(.storage, "cannot read the stored position of \(kind.name)", remedy: .startAgain).from(kind.name)
    }
    let passed = row.intIfPresent(5).map { UInt64(bitPattern: Int64($0)) }
    position = Position(
      cursor: cursor, behind: behind, passed: passed, ended: ended, reading: reading, revision: revision)
    self.shown = Int64(shown)
  }
}

extension SyncState {
  package static let columns = """
    began, ended, is_full, cursor, behind, received, duplicates, skipped, requests, total, new, updated, unchanged, deleted, watermark,
    verdict, reason, number, has_moved, was_whole, ended_edits
    """

  /// What `sync_state` says, by ``columns``.
  package init(_ row: some StoredValues) {
    self.init(began: row.moment(0), full: row.int64(2) == 1)
    ended = row.momentIfPresent(1)
    let place = row.textIfPresent(3)
    cursor = place.flatMap(Cursor.init(text:))
    (behind, received, duplicates, skipped) = (row.count(4), row.count(5), row.count(6), row.count(7))
    (requests, total) = (row.count(8), row.isNull(9) ? nil : row.count(9))
    (landed.new, landed.updated, landed.duplicates, landed.deleted) = (
      row.count(10), row.count(11), row.count(12), row.count(13)
    )
    watermark = row.textIfPresent(14).flatMap { Moment(iso: $0) }
    verdict = row.textIfPresent(15).flatMap { Verdict(kind: $0, reason: row.textIfPresent(16)) }
    // Without its place it cannot go on, and the next one begins anew.
    if place != nil, cursor == nil, verdict == nil { verdict = .partial(.recorded("the sync lost its position")) }
    number = row.soundCount(17) ?? 0
    mayHaveLost = row.int64(18) == 1
    wasWhole = row.int64(19) == 1
    landed.endedEdits = row.count(20)
  }
}

extension CachedAnswer {
  package static let columns = "rows, faults, total, next, more, paging, place, walk, at, standing, reading, holder"
  /// What all answers together may take up in a store; the oldest go first.
  package static let room = 64 << 20

  /// What `kept_answer` says, by ``columns``; nil where it cannot be read.
  package init?(_ row: some StoredValues) {
    guard let next = Continuation(text: row.text(3)), let paging = Paging(text: row.text(5)) else { return nil }
    self.init(
      rows: row.bytes(0), faults: AnswerText.faults(row.bytes(1)), total: row.intIfPresent(2).flatMap { $0 < 0 ? nil : $0 },
      next: next, more: row.intIfPresent(4).map { $0 != 0 }, paging: paging,
      standing: Self.standing(row.textIfPresent(9), in: paging), place: row.text(6), walk: row.text(7), at: row.moment(8),
      of: ListStamp(reading: row.textIfPresent(10), holder: row.textIfPresent(11)))
  }
}
