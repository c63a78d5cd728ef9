/// The records of one source in memory, and all that is remembered of them.
struct RecordsInMemory: Sendable {
  struct Row: Sendable {
    var body: [UInt8]
    /// Which of the fetches brought it.
    var fetch: Int
    /// The last reading of the list that met it.
    var reading: Int?
    var absorbed: [History.DuplicateRecord] = []
    var isShown = false
    var isDeleted = false
    var gone: Moment?

    var isThere: Bool { !isDeleted && gone == nil }
  }

  /// An id, by its bytes: texts are equal in Swift that differ in theirs.
  struct ID: Hashable {
    let bytes: [UInt8]

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  /// In the order in which they came; the first has the number 1.
  var rows: [Row] = []
  private(set) var places: [ID: Int] = [:]
  private(set) var fetches: [(fetch: Fetch, sync: Int?)] = []
  private var newest: Moment?
  var deleted: [ID: Moment] = [:]
  var position = Position()
  /// No row before it waits to be shown.
  var firstWaiting = 0
  private(set) var sync: SyncState?
  /// How many fetches there were when that sync began.
  private var fetchesBefore = 0
  private(set) var changes: [RecordChange] = []

  func place(of id: String) -> Int? { places[ID(id.utf8)] }

  mutating func land(_ batch: Batch) throws -> LandingResult {
    var landed = LandingResult()
    if let state = batch.sync { try check(state, of: batch.kind) }
    if let advance = batch.advance {
      guard let next = position.advanced(by: advance) else {
        landed.isOvertaken = true
        return landed
      }
      position = next
    }
    let (first, bytes) = (fetches.count, batch.bytes)
    fetches += batch.fetches.map { ($0, batch.sync?.number) }
    newest = batch.fetches.map(\.at).max() ?? newest
    for row in batch.rows {
      let (id, body) = (ID(bytes[row.id]), Array(bytes[row.body]))
      let before = places[id].map { rows[$0] }
      let fate = try land(id, body, fetch: first + row.fetch, reading: batch.advance?.to?.reading, batch.rule)
      landed.count(fate)
      if batch.sync?.wasWhole == true, fate == .new || fate == .replaces || before?.gone != nil {
        note(id, at: batch.fetches[row.fetch].at, before: before.flatMap { $0.gone == nil ? $0.body : nil }, after: body)
      }
    }
    if let state = batch.sync {
      note(state)
      sync?.landed += landed
    }
    return landed
  }

  private mutating func note(_ id: ID, at moment: Moment, before: [UInt8]?, after: [UInt8]?) {
    changes.append(RecordChange(id: id.text, at: moment, before: before, after: after))
    changes.removeFirst(max(0, changes.count - RecordChange.mostStored))
  }

  private mutating func land(_ id: ID, _ body: [UInt8], fetch: Int, reading: Int?, _ rule: Batch.Rule) throws -> Batch.Fate {
    guard deleted[id] == nil else { return .deleted }
    guard let place = places[id] else {
      places[id] = rows.count
      rows.append(Row(body: body, fetch: fetch, reading: reading))
      return .new
    }
    let fate = rule.fate(same: rows[place].body == body, keptFrom: fetches[rows[place].fetch].fetch)
    rows[place].gone = nil
    rows[place].reading = reading ?? rows[place].reading
    switch fate {
    case .new, .deleted, .repeats: break
    case .absorbed: rows[place].absorbed.append(History.DuplicateRecord(body: body, fetch: fetches[fetch].fetch))
    case .confirms: rows[place].fetch = fetch
    case .replaces: (rows[place].body, rows[place].fetch) = (try rule.body(body, inPlaceOf: rows[place].body), fetch)
    }
    return fate
  }

  func those(of ids: [String], where isMet: (Row) -> Bool) -> Set<String> {
    Set(ids.filter { id in place(of: id).map { isMet(rows[$0]) } ?? false })
  }
}

extension RecordsInMemory {
  func rows(_ question: StoredQuery, after row: Int64, count: Int) -> StoredRows {
    if case .id(let id) = question {
      return StoredRows(rows: place(of: id).map { rows[$0].isThere ? [stored($0)] : [] } ?? [], next: nil)
    }
    var found: [StoredRow] = []
    for place in min(Int(clamping: max(0, row)), rows.count)..<rows.count where rows[place].isThere {
      if found.count == count { return StoredRows(rows: found, next: found.last?.row ?? row) }
      found.append(stored(place))
    }
    return StoredRows(rows: found, next: nil)
  }

  func stored(_ place: Int) -> StoredRow { StoredRow(row: Int64(place) + 1, body: rows[place].body) }

  var census: Census {
    Census(
      count: rows.count { $0.isThere }, newest: newest,
      hasImports: rows.contains { $0.fetch >= fetchesBefore && isImported($0) },
      hasOthers: fetches.contains { $0.fetch.request != Fetch.importing })
  }

  private func isImported(_ row: Row) -> Bool { fetches[row.fetch].fetch.request == Fetch.importing }

  var waiting: some Sequence<Int> {
    (firstWaiting..<rows.count).lazy.filter { [rows] in !rows[$0].isShown && rows[$0].isThere }
  }

  var unmet: Int { rows.count { $0.isThere && $0.fetch < fetchesBefore } }

  func history(of id: String) -> History? {
    let (place, deletedAt) = (place(of: id), deleted[ID(id.utf8)])
    guard place != nil || deletedAt != nil else { return nil }
    return History(
      record: place.map(stored), fetch: place.map { fetches[rows[$0].fetch].fetch },
      absorbed: place.map { rows[$0].absorbed } ?? [], deletedAt: deletedAt)
  }

  /// Forgets everything but what was deleted, and says how many records there were.
  mutating func forget() -> Int {
    let (count, deleted) = (rows.count, deleted)
    self = RecordsInMemory()
    self.deleted = deleted
    return count
  }

  /// Forgets the records that were imported, and says how many there were.
  mutating func forgetImported() -> Int {
    let kept = places.filter { !isImported(rows[$1]) }.sorted { $0.value < $1.value }
    let count = rows.count - kept.count
    rows = kept.map { rows[$0.value] }
    places = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1.key, $0) })
    firstWaiting = rows.firstIndex { !$0.isShown } ?? rows.count
    newest = rows.map { fetches[$0.fetch].fetch.at }.max()
    return count
  }
}

// MARK: - Syncs

extension RecordsInMemory {
  mutating func beginSync(at moment: Moment, full isFull: Bool, mark: Moment?) -> SyncState {
    let state = SyncState(after: sync, at: moment, full: isFull, mark: mark)
    (sync, fetchesBefore) = (state, fetches.count)
    return state
  }

  private func check(_ state: SyncState, of kind: RecordKind) throws {
    guard sync?.number == state.number else { throw SyncState.isOvertaken(kind) }
  }

  private mutating func note(_ state: SyncState) {
    let landed = sync?.landed
    sync = state
    sync?.landed = landed ?? LandingResult()
  }

  mutating func note(_ state: SyncState, of kind: RecordKind) throws -> Int {
    try check(state, of: kind)
    note(state)
    guard state.tellsGone else { return 0 }
    let gone = rows.indices.filter { rows[$0].gone == nil && rows[$0].fetch < fetchesBefore }
    let ids = Dictionary(uniqueKeysWithValues: places.map { ($1, $0) })
    for place in gone {
      let moment = state.ended ?? state.began
      rows[place].gone = moment
      if let id = ids[place] { note(id, at: moment, before: rows[place].body, after: nil) }
    }
    return gone.count
  }
}
