/// The records of one source in memory, with everything noted about them.
struct RecordsInMemory: Sendable {
  struct Row: Sendable {
    let id: [UInt8]
    var body: [UInt8]
    /// The index of the fetch that brought it.
    var fetch: Int
    /// The last reading of the list that met it.
    var reading: Int?
    var absorbed: [History.DuplicateRecord] = []
    var isShown = false
    var gone: Moment?
  }

  /// The rows in the order in which they came; the first has the number 1.
  var rows: [Row] = []
  /// The indices of the rows by the bytes of their ids: Swift takes some texts as equal whose bytes differ.
  private var indices: [[UInt8]: Int] = [:]
  private(set) var fetches: [(fetch: Fetch, sync: Int?)] = []
  private var newest: Moment?
  /// The moments of the deletions by the bytes of the ids, whether or not the record is stored.
  var deleted: [[UInt8]: Moment] = [:]
  /// A person's edits, in the order in which they were made.
  private(set) var edits: [Edit] = []
  var position = Position()
  private(set) var sync: SyncState?
  /// The number of fetches before that sync began.
  private var fetchesBefore = 0
  private(set) var changes: [RecordChange] = []

  func index(of id: String) -> Int? { indices[Array(id.utf8)] }

  private func isThere(_ row: Row) -> Bool { row.gone == nil && deleted[row.id] == nil }

  mutating func land(_ batch: Batch) throws -> LandingResult {
    if let state = batch.sync { _ = try noting(state, of: batch.kind) }
    if let advance = batch.advance {
      guard let next = position.advanced(by: advance) else { return .overtaken }
      position = next
    }
    var plan = LandingPlan(batch, under: edits, after: sync)
    let first = fetches.count
    fetches += batch.fetches.map { ($0, batch.sync?.number) }
    newest = batch.fetches.map(\.at).max() ?? newest
    for row in batch.rows { try land(row, of: batch, by: &plan, after: first) }
    let (removed, added) = plan.edits.changes
    edits = edits.filter { !removed.contains($0) } + added
    if let state = batch.sync { sync = try noting(state, of: batch.kind, landing: plan.landed) }
    return plan.landed
  }

  /// Does with one row what the plan says. The fetches of the batch come after the `first` ones.
  private mutating func land(_ row: Batch.Row, of batch: Batch, by plan: inout LandingPlan, after first: Int) throws {
    let id = Array(batch.bytes[row.id])
    let isDeleted = deleted[id] != nil
    if isDeleted, plan.leavesOutDeleted { return plan.deleted() }
    let landing: Batch.Landing
    let index = indices[id] ?? rows.count
    if index == rows.count {
      landing = plan.new(row, deleted: isDeleted)
      indices[id] = index
      rows.append(Row(id: id, body: [], fetch: first + row.fetch))
    } else {
      let stored = rows[index]
      landing = try plan.landing(
        of: row, on: stored.body[...], from: fetches[stored.fetch].fetch, gone: stored.gone != nil,
        outdated: stored.gone == .outdated, deleted: isDeleted)
    }
    if let body = landing.body { rows[index].body = Array(body) }
    if landing.isOfItsFetch { rows[index].fetch = first + row.fetch }
    if landing.isThereAgain { rows[index].gone = nil }
    if landing.isAbsorbed {
      rows[index].absorbed.append(History.DuplicateRecord(body: Array(batch.bytes[row.body]), fetch: batch.fetches[row.fetch]))
    }
    if let change = landing.change {
      note(
        id, at: batch.fetches[row.fetch].at, before: change.before.map { Array($0) }, after: Array(change.after),
        endedEdits: change.endedEdits)
    }
    rows[index].reading = batch.advance?.to?.reading ?? rows[index].reading
  }

  private mutating func note(
    _ id: [UInt8], at moment: Moment, before: [UInt8]?, after: [UInt8]?, endedEdits: [FieldPath] = []
  ) {
    changes.append(
      RecordChange(
        (changes.last?.number ?? 0) + 1, id: String(decoding: id, as: UTF8.self), at: moment, before: before, after: after,
        endedEdits: endedEdits))
    changes.removeFirst(max(0, changes.count - RecordChange.mostStored))
  }

  mutating func takeBackEdits(of id: String) -> [FieldPath] {
    let taken = edits.filter { $0.id.hasBytes(of: id) }
    edits.removeAll { $0.id.hasBytes(of: id) }
    return taken.map(\.path)
  }

  /// Marks the records that an earlier description read as gone, and starts the position and the sync anew.
  mutating func becomeOutdated() {
    for index in rows.indices where !isImported(rows[index]) { rows[index].gone = .outdated }
    (position, sync) = (position.outdated, sync?.outdated)
  }

  func those(of ids: [String], where isMet: (Row) -> Bool) -> Set<String> {
    Set(ids.filter { id in index(of: id).map { isMet(rows[$0]) } ?? false })
  }
}

extension RecordsInMemory {
  /// Returns the indices of the rows that a query names, deleted and gone ones too; nil if it names none.
  private func named(by query: StoredQuery) -> [Int]? {
    switch query {
    case .id(let id): [id].compactMap(index(of:))
    case .ids(let ids): ids.compactMap(index(of:))
    case .rows(let numbers):
      numbers.sorted().map { Int(clamping: $0.subtractingReportingOverflow(1).partialValue) }.filter(rows.indices.contains)
    case .everything, .maybeMatching: nil
    }
  }

  func rows(_ query: StoredQuery, after row: Int64, count: Int) -> StoredRows {
    if let named = named(by: query) { return StoredRows(rows: named.filter { isThere(rows[$0]) }.map(stored), next: nil) }
    var found: [StoredRow] = []
    for index in min(Int(clamping: max(0, row)), rows.count)..<rows.count where isThere(rows[index]) {
      if found.count == count { return StoredRows(rows: found, next: found.last?.row ?? row) }
      found.append(stored(index))
    }
    return StoredRows(rows: found, next: nil)
  }

  func traces(_ query: StoredQuery, after row: Int64, count: Int) -> TracedRows {
    if let named = named(by: query) { return TracedRows(rows: named.map(trace), next: nil) }
    return TracedRows(
      rows.indices.dropFirst(Int(clamping: max(0, row))).prefix(count.adding(1)).map(trace), of: count, after: row)
  }

  private func trace(_ index: Int) -> TracedRow {
    let row = rows[index]
    return TracedRow(
      stored(index), id: String(decoding: row.id, as: UTF8.self), fetch: fetches[row.fetch].fetch, gone: row.gone,
      deletedAt: deleted[row.id])
  }

  func stored(_ index: Int) -> StoredRow { StoredRow(row: Int64(index) + 1, body: rows[index].body) }

  var census: Census {
    Census(
      count: rows.count(where: isThere), newest: newest,
      hasImports: rows.contains { $0.fetch >= fetchesBefore && isImported($0) },
      hasOthers: fetches.contains { !$0.fetch.isImport })
  }

  var removals: Removals { Removals(deleted: deleted.count, gone: rows.count { $0.gone != nil && $0.gone != .outdated }) }

  private func isImported(_ row: Row) -> Bool { fetches[row.fetch].fetch.isImport }

  func waiting(_ most: Int) -> [Int] {
    Array(rows.indices.lazy.filter { !rows[$0].isShown && isThere(rows[$0]) }.prefix(max(0, most)))
  }

  var unmet: Int { rows.count { isThere($0) && isUnmet($0) } }

  /// True when the last sync has not brought the row, unless only a person ever did.
  private func isUnmet(_ row: Row) -> Bool { row.fetch < fetchesBefore && (row.reading != nil || !isImported(row)) }

  func history(of id: String) -> History? {
    let (index, deletedAt) = (index(of: id), deleted[Array(id.utf8)])
    guard index != nil || deletedAt != nil else { return nil }
    return History(
      record: index.map(stored), fetch: index.map { fetches[rows[$0].fetch].fetch },
      absorbed: index.map { rows[$0].absorbed } ?? [], deletedAt: deletedAt)
  }

  /// Removes everything but the deletions, and returns how many records there were.
  mutating func forget() -> Int {
    let (count, deleted) = (rows.count, deleted)
    self = RecordsInMemory()
    self.deleted = deleted
    return count
  }

  /// Removes the imported records, and returns how many there were.
  mutating func forgetImported() -> Int {
    let count = rows.count
    remove(where: isImported)
    newest = rows.map { fetches[$0.fetch].fetch.at }.max()
    return count - rows.count
  }

  private mutating func remove(where isUnwanted: (Row) -> Bool) {
    let kept = rows.filter { !isUnwanted($0) }
    guard kept.count < rows.count else { return }
    rows = kept
    indices = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1.id, $0) })
  }
}

// MARK: - Syncs

extension RecordsInMemory {
  mutating func beginSync(at moment: Moment, full isFull: Bool, mark: Moment?) -> SyncState {
    let state = SyncState(after: sync, at: moment, full: isFull, mark: mark)
    (sync, fetchesBefore) = (state, fetches.count)
    return state
  }

  private func noting(
    _ state: SyncState, of kind: RecordKind, landing landed: LandingResult = LandingResult()
  ) throws -> SyncState {
    guard let noted = state.noted(over: sync, landing: landed) else { throw SyncState.isOvertaken(kind) }
    return noted
  }

  mutating func note(_ state: SyncState, of kind: RecordKind) throws -> Int {
    sync = try noting(state, of: kind)
    guard state.tellsGone else { return 0 }
    let gone = rows.indices.filter { rows[$0].gone == nil && isUnmet(rows[$0]) }
    for index in gone {
      let moment = state.ended ?? state.began
      rows[index].gone = moment
      note(rows[index].id, at: moment, before: rows[index].body, after: nil)
    }
    remove { $0.gone == .outdated }
    return gone.count
  }
}
