/// The stored records of one kind as they were at an earlier moment. It takes the present ones, and takes back what the store noted since.
///
/// A record that a person deleted stays hidden. A person's edits have no time, so that those of records without a change since are there.
struct PastSnapshot: RecordSnapshot {
  private let present: any RecordSnapshot
  private let kind: RecordKind
  private let past: Past
  /// The sync that runs, with the verdict of the one before it, if these records answer beside it. Nil for an earlier moment that was asked for.
  private let running: SyncState?
  /// The counts of the records; nil until they were read once.
  private(set) var counts = Counts()

  struct Past: Sendable {
    let moment: Moment
    /// The records that changed since, by their ids: the body before the first change, which is nil for a record that was not there.
    let before: [[UInt8]: [UInt8]?]
    /// The number of changes since, of which a record may have several.
    let changes: Int
    /// The last sync that had begun, as it was.
    let sync: SyncState
    /// True when a person had imported records since it began.
    let hadImports: Bool
    /// True when a person had imported records that a sync found in the list since, so that they are missing here.
    let mayLackImports: Bool
    /// True when a person imported records since, which a sync may have taken over without a change.
    let hasImportsSince: Bool
    /// True when changes may have been dropped, so that not every record that is gone has one.
    let isCut: Bool
    /// True when everything that differs from the present records has a change that says so. Imports have none, and only the first one after
    /// a sync is noted.
    var isKnownByChanges: Bool { !isCut && !hadImports && !hasImportsSince && sync.ended != nil }
    /// True when an edit ended since, so that a record may be shown with an edit that came later than the moment.
    let endedEdits: Bool
  }

  var endedEdits: Bool { past.endedEdits }

  struct Counts: Sendable {
    /// The records that were there.
    var shown = 0
    /// The records that were there, and that a person has deleted.
    var deleted = 0
    /// The records that a person imported since, of which an earlier file may have brought some.
    var imported = 0
    /// The latest moment at which one of the shown records came, as far as it is known: those that came again since do not count.
    var newest: Moment?
  }

  init(_ present: any RecordSnapshot, of kind: RecordKind, at past: Past, answering running: SyncState? = nil) async throws {
    (self.present, self.kind, self.past, self.running) = (present, kind, past, running)
    // An imported record may be of a later time than the moment, without a change that says so.
    let hasImports = try await present.listCensus(of: kind).hasImports
    if past.isKnownByChanges, !hasImports { try await countByChanges() } else { try await countAll() }
  }

  private mutating func countAll() async throws {
    var next: Int64? = 0
    while let after = next {
      let traces = try await present.traces(of: kind, .everything, after: after, count: 2_000)
      for row in traces.rows { count(row) }
      next = traces.next
    }
  }

  /// Counts the records by those that changed since, as they may be few among many.
  private mutating func countByChanges() async throws {
    (counts.shown, counts.deleted) = try await (present.census(of: kind).count, present.removals(of: kind).deleted)
    let ids = past.before.keys.map { String(decoding: $0, as: UTF8.self) }
    guard !ids.isEmpty else { return }
    for row in try await present.traces(of: kind, .ids(ids), after: 0, count: ids.count).rows {
      let isShown = row.deletedAt == nil && row.gone == nil
      let wasThere = if case .there = state(of: row) { true } else { false }
      if row.deletedAt == nil { counts.shown += (wasThere ? 1 : 0) - (isShown ? 1 : 0) }
      if row.deletedAt != nil, !wasThere { counts.deleted -= 1 }
    }
  }

  private mutating func count(_ row: TracedRow) {
    switch state(of: row) {
    case .absent: break
    case .imported: counts.imported += 1
    case .there where row.deletedAt != nil: counts.deleted += 1
    case .there:
      counts.shown += 1
      guard let fetch = row.fetch, fetch.at <= past.moment else { return }
      counts.newest = max(counts.newest ?? fetch.at, fetch.at)
    }
  }

  private enum State {
    case there([UInt8])
    case absent
    /// A person imported it since.
    case imported
  }

  private func state(of row: TracedRow) -> State {
    if let before = past.before[Array(row.id.utf8)] { return before.map { .there($0) } ?? .absent }
    // A record that is gone has a change that says so. If that may have been dropped, its time decides.
    if let gone = row.gone, gone <= past.moment || !past.isCut { return .absent }
    if let fetch = row.fetch, fetch.isImport, fetch.at > past.moment { return .imported }
    return .there(row.stored.body)
  }

  /// Returns the records that were there, in the order in which they came.
  private func shown(_ traces: [TracedRow]) -> [StoredRow] {
    traces.compactMap { row in
      guard row.deletedAt == nil, case .there(let body) = state(of: row) else { return nil }
      return StoredRow(row: row.stored.row, body: body, id: row.id)
    }
  }

  func rows(of kind: RecordKind, _ query: StoredQuery, after row: Int64, count: Int) async throws -> StoredRows {
    guard kind == self.kind else { return try await present.rows(of: kind, query, after: row, count: count) }
    // The index knows the present texts.
    let query = query.isNamed ? query : .everything
    let traces = try await present.traces(of: kind, query, after: row, count: count)
    return StoredRows(rows: shown(traces.rows), next: traces.next)
  }

  func traces(of kind: RecordKind, _ query: StoredQuery, after row: Int64, count: Int) async throws -> TracedRows {
    guard kind == self.kind else { return try await present.traces(of: kind, query, after: row, count: count) }
    var traces = try await present.traces(of: kind, query, after: row, count: count)
    traces.rows = zip(traces.rows, traces.rows.map(state)).compactMap { row, state in
      guard case .there(let body) = state else { return nil }
      let stored = StoredRow(row: row.stored.row, body: body, id: row.id)
      // A record that came again since has lost the time at which it came before.
      let fetch = row.fetch.flatMap { $0.at <= past.moment ? $0 : nil }
      return TracedRow(stored, id: row.id, fetch: fetch, gone: nil, deletedAt: row.deletedAt)
    }
    return traces
  }

  func census(of kind: RecordKind) async throws -> Census {
    guard kind == self.kind else { return try await present.census(of: kind) }
    let newest = (running ?? past.sync).ended ?? counts.newest ?? past.sync.wholeBefore ?? past.sync.began
    return Census(count: counts.shown, newest: newest, hasImports: past.hadImports, hasOthers: true)
  }

  func removals(of kind: RecordKind) async throws -> Removals {
    kind == self.kind ? Removals(deleted: counts.deleted) : try await present.removals(of: kind)
  }

  func sync(of kind: RecordKind) async throws -> SyncState? {
    guard kind == self.kind else { return try await present.sync(of: kind) }
    let sync = running ?? past.sync
    let isSure = counts.imported == 0 && !past.hasImportsSince
    guard !isSure || past.mayLackImports else { return sync }
    let why =
      isSure
      ? "records had been imported by then, and those that a sync found since are missing"
      : "records were imported since, so that others may have been there"
    return copy(of: sync) { $0.verdict = .partial(.recorded(why)) }
  }

  // The sync of an earlier moment says all that is known of the list then.
  func position(of kind: RecordKind) async throws -> Position {
    kind == self.kind ? Position() : try await present.position(of: kind)
  }

  func edits(of kind: RecordKind) async throws -> [Edit] {
    // A person's edits stay while a sync runs; those of an earlier moment are not known.
    try await present.edits(of: kind).filter { kind != self.kind || running != nil || past.before[Array($0.id.utf8)] == nil }
  }

  func storedText(_ name: String) async throws -> String? { try await present.storedText(name) }
}
