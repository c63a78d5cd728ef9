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

    /// Whether it is neither deleted nor gone.
    var isThere: Bool { !isDeleted && gone == nil }
  }

  /// An id, by its bytes: texts are equal in Swift that differ in theirs.
  private struct ID: Hashable {
    let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }
    init(_ bytes: ArraySlice<UInt8>) { self.bytes = Array(bytes) }
  }

  /// In the order in which they came; the first has the number 1.
  private var rows: [Row] = []
  private var places: [ID: Int] = [:]
  private(set) var fetches: [(fetch: Fetch, sync: Int?)] = []
  /// When the last record came.
  private var newest: Moment?
  private var deleted: [ID: Moment] = [:]
  private(set) var position = Position()
  /// No row before it waits to be shown.
  private var firstWaiting = 0
  private(set) var sync: SyncState?
  /// How many fetches there were when that sync began.
  private var fetchesBefore = 0
  private(set) var changes: [RecordChange] = []
}

extension RecordsInMemory {
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
    changes.append(RecordChange(id: String(decoding: id.bytes, as: UTF8.self), at: moment, before: before, after: after))
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

  /// Those of `ids` whose rows are as they should be.
  func those(of ids: [String], where isMet: (Row) -> Bool) -> Set<String> {
    Set(ids.filter { id in places[ID(id)].map { isMet(rows[$0]) } ?? false })
  }
}

// MARK: - Reading

extension RecordsInMemory {
  func rows(_ question: StoredQuery, after row: Int64, count: Int) -> StoredRows {
    if case .id(let id) = question {
      guard let place = places[ID(id)], rows[place].isThere else { return StoredRows(rows: [], next: nil) }
      return StoredRows(rows: [stored(place)], next: nil)
    }
    var found: [StoredRow] = []
    for place in min(Int(clamping: max(0, row)), rows.count)..<rows.count where rows[place].isThere {
      if found.count == count { return StoredRows(rows: found, next: found.last?.row ?? row) }
      found.append(stored(place))
    }
    return StoredRows(rows: found, next: nil)
  }

  private func stored(_ place: Int) -> StoredRow { StoredRow(row: Int64(place) + 1, body: rows[place].body) }

  var census: Census {
    Census(
      count: rows.count { $0.isThere }, newest: newest,
      hasImports: rows.contains { $0.fetch >= fetchesBefore && isImported($0) },
      hasOthers: fetches.contains { $0.fetch.request != Fetch.importing })
  }

  private func isImported(_ row: Row) -> Bool { fetches[row.fetch].fetch.request == Fetch.importing }

  func holding(of source: String) -> Holding? {
    Holding(source: source, kind: "records", rows.map { ($0.body.count, fetches[$0.fetch].fetch.at) })
  }

  func deletions(of source: String) -> Holding? {
    Holding(source: source, kind: "deletions", deleted.map { ($0.bytes.count, $1) })
  }
}

extension Holding {
  /// What some things of one kind come to, each with its size and when it came; nil where there are none.
  init?(source: String, kind: String, _ things: [(bytes: Int, at: Moment)]) {
    guard !things.isEmpty else { return nil }
    self.init(
      source: source, kind: kind, rows: things.count, bytes: things.reduce(0) { $0 + $1.bytes }, oldest: things.map(\.at).min(),
      newest: things.map(\.at).max())
  }
}

// MARK: - What next shows

extension RecordsInMemory {
  private var waiting: some Sequence<Int> {
    (firstWaiting..<rows.count).lazy.filter { [rows] in !rows[$0].isShown && rows[$0].isThere }
  }

  func waiting(upTo most: Int) -> Int { waiting.prefix(max(0, most)).reduce(0) { count, _ in count + 1 } }

  mutating func take(_ count: Int) -> [StoredRow] {
    let taken = Array(waiting.prefix(max(0, count)))
    for place in taken { rows[place].isShown = true }
    // A deleted record may come back, and waits still.
    firstWaiting = rows[firstWaiting...].firstIndex { !$0.isShown } ?? rows.count
    return taken.map(stored)
  }

  mutating func giveBack(_ ids: [String]) {
    for place in ids.compactMap({ places[ID($0)] }) {
      rows[place].isShown = false
      firstWaiting = min(firstWaiting, place)
    }
  }

  mutating func reset() {
    for place in rows.indices { rows[place].isShown = false }
    (firstWaiting, position) = (0, position.begunAgain)
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

  /// What landed is counted here.
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

extension RecordsInMemory {
  var unmet: Int { rows.count { $0.isThere && $0.fetch < fetchesBefore } }
}

// MARK: - Deletions

extension RecordsInMemory {
  mutating func delete(_ id: String, at moment: Moment) -> Moment {
    let id = ID(id)
    if let place = places[id] { rows[place].isDeleted = true }
    let first = deleted[id] ?? moment
    deleted[id] = first
    return first
  }

  mutating func restore(_ id: String) -> Bool {
    let id = ID(id)
    if let place = places[id] { rows[place].isDeleted = false }
    return deleted.removeValue(forKey: id) != nil
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

  var deletions: [String] { deleted.sorted { $0.value > $1.value }.map { String(decoding: $0.key.bytes, as: UTF8.self) } }

  func history(of id: String) -> History? {
    let (row, deletedAt) = (places[ID(id)], deleted[ID(id)])
    guard row != nil || deletedAt != nil else { return nil }
    return History(
      record: row.map(stored), fetch: row.map { fetches[rows[$0].fetch].fetch }, absorbed: row.map { rows[$0].absorbed } ?? [],
      deletedAt: deletedAt)
  }
}
