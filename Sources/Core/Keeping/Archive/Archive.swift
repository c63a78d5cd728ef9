import Synchronization

/// The stored records of one source, with their type.
///
///     let heroes = Archive<Hero>("heroes", in: store)
///     try await heroes.land(page.items, from: fetch)
///     let unread = try await heroes.take(20)
public final class Archive<Item: SourceItem>: Sendable {
  /// The kind of the records: their name and their fields, as the store needs them.
  public let kind: RecordKind
  /// The fields of the records.
  public let schema: Schema<Item>
  /// The store for reading; every write goes through ``writable``.
  let store: any RecordStore
  /// The count of records that a plan has taken; nil unless requests are only planned. A plan writes nothing.
  let plan: PlannedReading?
  /// The list that the records are of; nil if that is unknown.
  let list: ListIdentity?
  /// The stamp of the present description, once it was needed.
  private let computed = Mutex<ListStamp?>(nil)
  /// The moment as of which the records are shown; nil for the present ones.
  let moment: Moment?
  /// The beginning of the last import that was noted.
  let lastImport = Mutex<Moment?>(nil)
  /// The records as of that moment, once they were read.
  private let past = Mutex<PastSnapshot?>(nil)

  /// Makes the archive of the source called `name`. `address` is that of its service; nil if it does not tell the list from others.
  public convenience init(_ name: String, of schema: Schema<Item>, in store: any RecordStore, from address: String? = nil) {
    self.init(name, of: schema, in: store, as: address.map { ListIdentity(address: $0) })
  }

  init(
    _ name: String, of schema: Schema<Item>, in store: any RecordStore, as list: ListIdentity?,
    planning plan: PlannedReading? = nil, asOf moment: Moment? = nil
  ) {
    (kind, self.moment) = (RecordKind(name, of: schema), moment)
    (self.list, self.schema, self.store, self.plan) = (list, schema, store, plan)
  }

  /// The stamp of the present description alone; nil if the list is unknown. It is computed once.
  var present: ListStamp? {
    if let known = computed.withLock(\.self) { return known }
    let present = list?.present
    computed.withLock { $0 = present }
    return present
  }

  /// The store for writing. Throws under a plan, which ends at its first write.
  var writable: any RecordStore {
    get throws {
      if plan != nil { throw SourceError(.planned, "nothing is stored") }
      return store
    }
  }

  /// Returns all that is stored at this moment, or what was stored at the moment of this archive.
  package func snapshot() async throws -> any RecordSnapshot {
    guard let moment else { return try await store.snapshot() }
    if let known = past.withLock(\.self) { return known }
    let snapshot = try await pastSnapshot(at: moment)
    past.withLock { $0 = snapshot }
    return snapshot
  }

  /// Stores the records of one fetch. `misfits` has the values that do not fit their fields, by the ids of the records.
  @discardableResult
  public func land(
    _ items: [Item], misfits: [String: [Misfit]] = [:], from fetch: Fetch, rule: Batch.Rule = .firstStays,
    advancing advance: Advance? = nil
  ) async throws -> LandingResult {
    var batch = Batch(kind, rule: rule)
    batch.add(items, by: RowWriter(schema), from: fetch, misfits: misfits)
    batch.advance = advance
    _ = try writable
    try await noteList()
    return try await land(batch)
  }

  /// Makes a step of the position of `next` that brings no record. Nothing happens if another process has moved the position.
  func make(_ advance: Advance) async throws {
    var batch = Batch(kind, rule: .firstStays)
    batch.advance = advance
    _ = try await land(batch)
  }

  private func land(_ batch: Batch) async throws -> LandingResult {
    let store = try writable
    if batch.hasMisfits { try await noteMisfits(true) }
    let landed = try await store.land(batch)
    if case .imported(let begun, _) = batch.rule { try await logImport(at: begun) }
    return landed
  }

  /// Returns the stored records as a source.
  public func records(endless isEndless: Bool = false, clock: some Timekeeper = SystemTime()) -> StoredRecords<Item> {
    StoredRecords(archive: self, isEndless: isEndless, clock: clock)
  }

  /// Returns an archive of the same type whose records never mix with these, such as a sample.
  public func companion(_ purpose: String) -> Archive {
    Archive("\(kind.name).\(purpose)", of: schema, in: store, as: nil, planning: plan)
  }

  /// The number of stored records that are neither deleted nor gone.
  public var count: Int { get async throws { try await snapshot().census(of: kind).count } }

  /// Returns how far the records were read with `next`.
  public func position() async throws -> Position { try await store.position(of: kind) }

  /// Returns the number of records not yet shown, counted up to `most`.
  public func waiting(upTo most: Int) async throws -> Int {
    let planned = plan?.taken(of: kind) ?? 0
    return try await max(0, store.waiting(of: kind, upTo: most.adding(planned)) - planned)
  }

  /// Takes the next records not yet shown: they count as shown unless a caller gives them back. Those that can no longer be read are
  /// returned as faults and skipped.
  public func take(_ count: Int) async throws -> (items: [Item], faults: [RowFault]) {
    let taken = try await takeMarked(count)
    return (taken.items, taken.faults)
  }

  /// Does the same as ``take(_:)``, and returns which fields of the records a person has edited and which do not fit, by the records' ids.
  /// `prepare` runs before anything is taken.
  func takeMarked(
    _ count: Int, preparing prepare: () throws -> Void = {}
  ) async throws -> (items: [Item], faults: [RowFault], edited: [String: [FieldPath]], misfits: [String: [Misfit]]) {
    try prepare()
    // Taken records count as shown, so that nothing may fail once they are.
    let edits = try await edits(in: snapshot())
    let rows = StoredRows(rows: try await taken(count), next: nil)
    let (items, faults, misfits) = try rows.read(by: schema)
    let shown = edited(items, by: edits)
    return (shown.items, faults, shown.fields, shown.misfits(over: misfits))
  }

  /// Takes rows from the store. A plan reads as many as are waiting, from the first on: its requests are the same for any.
  private func taken(_ count: Int) async throws -> [StoredRow] {
    guard let plan else { return try await store.take(count, of: kind) }
    let count = try await waiting(upTo: count)
    guard count > 0 else { return [] }
    plan.take(count, of: kind)
    return try await snapshot().rows(of: kind, .everything, after: 0, count: count).rows
  }

  /// Gives back records that were not shown; they come first next time. It ignores the deadline, since they would otherwise be lost.
  public func giveBack(_ items: some Sequence<some SourceItem>) async throws {
    guard plan == nil else { return }
    let (ids, kind, store) = (items.map(\.id), kind, store)
    try await Deadline.disregarded { try await store.giveBack(ids, to: kind) }
  }

  /// Starts again at the first record; all records stay.
  public func reset() async throws { try await writable.reset(kind) }

  /// Deletes a record, so that it is never shown again and never fetched back in. Returns the moment of its first deletion.
  @discardableResult
  public func delete(_ id: String, at moment: Moment) async throws -> Moment {
    try await writable.delete(id, of: kind, at: moment)
  }

  /// Undoes a deletion; false if the record was not deleted.
  @discardableResult
  public func restore(_ id: String) async throws -> Bool { try await writable.restore(id, of: kind) }

  /// Removes a person's edits of a record, and returns the fields that were edited.
  @discardableResult
  public func takeBackEdits(of id: String) async throws -> [FieldPath] { try await writable.takeBackEdits(of: id, in: kind) }

  /// Returns where a record came from and what became of it; nil if the store knows nothing of it.
  public func history(of id: String) async throws -> History? { try await store.history(of: id, of: kind) }

  package func deletions() async throws -> [String] { try await store.deletions(of: kind) }

  package func forget(importedOnly: Bool) async throws -> Int {
    let number = try await writable.forget(kind, importedOnly: importedOnly)
    if importedOnly { try await writable.note("", as: .imports, of: kind) }
    return number
  }

  package func changes(since moment: Moment, upTo most: Int = .max) async throws -> [RecordChange] {
    try await checkOwner()
    let changes = try await store.changes(of: kind, since: moment, upTo: most)
    let deleted = Set(try await store.deletions(of: kind))
    guard !deleted.isEmpty else { return changes }
    // Nothing is told of what came after a person had deleted the record, until it is restored.
    var moments: [String: Moment] = [:]
    for id in Set(changes.lazy.map(\.id)).intersection(deleted) {
      moments[id] = try await store.history(of: id, of: kind)?.deletedAt
    }
    return changes.filter { change in moments[change.id].map { change.at < $0 } ?? true }
  }

  /// Returns the numbers of the last change and the last drift that the reader has seen; nil if it has seen none.
  package func seen(by reader: String) async throws -> SeenChanges? {
    try await snapshot().storedText(kind.name(of: .seen(by: reader))).flatMap { SeenChanges(text: $0) }
  }

  package func note(_ seen: SeenChanges, by reader: String) async throws {
    try await writable.note(seen.text, as: .seen(by: reader), of: kind)
  }

  /// Returns the drifts of the records' shape: those that last, and the latest that have ended.
  package func drift() async throws -> [ShapeDrift] {
    try await checkOwner()
    return try await expectedShape().drifts
  }

  /// Accepts the present shape of the records as the one that is expected from now on, and returns the drifts that lasted until then. Those of
  /// fields with a `corrected` description are over.
  package func acceptShape(corrected: Set<String>) async throws -> [ShapeDrift] {
    try await checkOwner()
    var due = try await expectedShape()
    let standing = due.standing
    due.accept(corrected: corrected)
    // The note is written even without a drift, so that a store that cannot be written reports it.
    try await writable.note(due.text, as: .shape, of: kind)
    return standing
  }

  /// Judges the rows of a sync by the expected shape. Returns all drifts that have begun and not ended, those that began or ended with these
  /// rows, and the number of values that do not fit, by field.
  func judge(
    _ shape: ShapeCounts, of state: SyncState, at now: Moment
  ) async throws -> (standing: [ShapeDrift], news: [ShapeDrift], mistyped: ShapeCounts.Tally) {
    var due = try await expectedShape()
    let before = due
    let mistyped = due.judge(
      shape, of: ExpectedShape.Run(number: state.number, isFull: state.isFull, hasEnded: state.verdict != nil), at: now)
    if due != before { try await writable.note(due.text, as: .shape, of: kind) }
    return (due.standing, due.drifts.filter { $0.number > before.number }, mistyped)
  }

  func expectedShape() async throws -> ExpectedShape { expectedShape(try await snapshot().storedText(kind.name(of: .shape))) }

  private func expectedShape(_ text: String?) -> ExpectedShape {
    ExpectedShape(text: text, readBy: present?.reading, fields: Set(schema.fields.map(\.name)))
  }

  /// Returns the drifts that last. Without a note of a sync the digest of the description is not computed.
  func drift(in snapshot: any RecordSnapshot) async throws -> [ShapeDrift] {
    try await snapshot.storedText(kind.name(of: .shape)).map { expectedShape($0).standing } ?? []
  }

  /// Returns how far the last sync is; nil before the first sync.
  public func lastSync() async throws -> SyncState? { try await store.sync(of: kind) }

  func note(_ state: SyncState) async throws -> Int { try await writable.note(state, of: kind) }

  /// Returns the digests of the stored records with these ids, without a person's edits, by id: those of their contents, unless a `digest` is
  /// given.
  func contents(of ids: Set<String>, by digest: (@Sendable (Item) -> UInt64)? = nil) async throws -> [String: UInt64] {
    let rows = try await store.snapshot().rows(of: kind, .ids(Array(ids)), after: 0, count: ids.count)
    return try rows.read(by: schema).items.reduce(into: [:]) { $0[$1.id] = digest?($1) ?? schema.contentDigest(of: $1) }
  }

  /// Returns a stream of records into the store, for an import.
  public func intake(rule: Batch.Rule = .firstStays) -> Intake<Item> { intake(rule, .bulk) }

  func intake(_ rule: Batch.Rule, _ pace: IntakePace) -> Intake<Item> {
    Intake(kind, of: schema, rule: rule, pace: pace, landing: { [self] in try await land($0) }) { [self] in
      try await writable.optimize(kind, bulk: pace.isBulk)
    }
  }

  /// Runs `work` while no other sync of these records can run. Throws ``Claim/isTaken`` if one is running.
  func syncingAlone<Answer>(_ work: () async throws -> Answer) async throws -> Answer {
    guard plan == nil else { return try await work() }
    return try await Claim().held(of: kind, in: store, work)
  }

  package func failures() async throws -> SyncFailures? { try await store.failures(of: kind) }

  func note(failure error: SourceError, at now: Moment) async {
    if plan == nil { await store.note(failure: error, of: kind, at: now) }
  }
}

extension Archive where Item: Record {
  /// Makes the archive of the source called `name`, whose records have their own fields.
  public convenience init(_ name: String, in store: any RecordStore) { self.init(name, of: Item.schema, in: store) }
}

// MARK: - Edits

extension Archive {
  /// Puts stored values into the fields that these records of another service lack: what it does not have is unknown, and not gone. Returns
  /// the names of these fields.
  func fill(_ items: inout [Item]) async throws -> Set<String> {
    let rows = try await store.snapshot().rows(of: kind, .ids(items.map { $0.id }), after: 0, count: items.count).rows
    let stored = rows.compactMap { row in (try? schema.read(JSON(row.body))).map { ($0.id, schema.storedValue(of: $0)) } }
    let values = Dictionary(stored) { first, _ in first }
    var filled: Set<String> = []
    for index in items.indices {
      guard let old = values[items[index].id]?.members else { continue }
      var value = schema.storedValue(of: items[index])
      let lacking = old.filter { !$0.value.saysNothing && value[$0.name]?.saysNothing ?? true }
      for member in lacking { value[member.name] = member.value }
      guard !lacking.isEmpty, let item = try? schema.read(JSON(value.bytes)) else { continue }
      items[index] = item
      filled.formUnion(lacking.map { $0.name })
    }
    return filled
  }

  var hasEdits: Bool { get async throws { try await !edits(in: snapshot()).isEmpty } }

  private func edits(in snapshot: any RecordSnapshot) async throws -> Edits {
    Edits(try await snapshot.edits(of: kind), timesAt: kind.times)
  }

  package func edits(of id: String) async throws -> [Edit] { try await edits(in: snapshot()).of(id.utf8) }

  /// Returns the records with a person's values in place of the service's, and the edited fields by the records' ids. Throws if the edits
  /// are those of another key.
  package func edited(_ items: [Item]) async throws -> EditedItems<Item> {
    guard !items.isEmpty else { return EditedItems(items: items) }
    let snapshot = try await snapshot()
    let edits = try await edits(in: snapshot)
    if !edits.isEmpty { _ = try await checkedStamp(in: snapshot) }
    return edited(items, by: edits)
  }

  private func edited(_ items: [Item], by edits: Edits) -> EditedItems<Item> {
    var shown = EditedItems(items: items)
    guard !edits.isEmpty else { return shown }
    for (index, item) in items.enumerated() {
      guard let (body, paths) = try? edits.laid(over: schema.body(of: item), of: item.id.utf8) else { continue }
      let read = try? StoredRows(rows: [StoredRow(row: 0, body: body, id: item.id)], next: nil).read(by: schema)
      guard let read, let changed = read.items.first else { continue }
      (shown.items[index], shown.fields[item.id]) = (changed, paths)
      shown.misfits[item.id] = read.misfits[item.id]
    }
    return shown
  }

  /// Returns all that is stored at this moment, with a person's edits. Throws if the records are those of another address or another key.
  func shown() async throws -> ShownRecords { try await shown(in: answering()) }

  func shown(in snapshot: any RecordSnapshot) async throws -> ShownRecords {
    let stamp = try await checkedStamp(in: snapshot)
    let isOutdated = try await isOutdated(stamp, in: snapshot)
    let unknown = stamp.map { $0.unknown.union(unknownFields(after: $0)) } ?? []
    if !isOutdated { tellUnknown(unknown) }
    let edits = try await edits(in: snapshot)
    guard !edits.isEmpty else { return ShownRecords(records: snapshot, unknown: unknown, isOutdated: isOutdated) }
    var (shown, edited): ([Int64: StoredRow], [String: [FieldPath]]) = ([:], [:])
    for row in try await snapshot.rows(of: kind, .ids(edits.ids), after: 0, count: edits.ids.count).rows {
      guard let id = try? schema.read(JSON(row.body)).id, let (body, paths) = try edits.laid(over: row.body, of: id.utf8)
      else { continue }
      (shown[row.row], edited[id]) = (StoredRow(row: row.row, body: body, id: id), paths)
    }
    return ShownRecords(
      records: EditedSnapshot(given: snapshot, edited: shown), edited: edited, unknown: unknown, isOutdated: isOutdated)
  }
}

// MARK: - Plans

/// The deeds that a plan leaves out: the number of records that it has taken of each kind, which still wait in the store, and the programs that
/// it would have started.
package final class PlannedReading: Sendable {
  private let taken = Mutex<[String: Int]>([:])
  private let started = Mutex<[String]>([])

  package var programs: [String] { started.withLock { $0 } }

  /// Notes a program in place of its start, and throws ``SourceError/Kind/planned``.
  package func start(_ words: [String]) throws -> Never {
    started.withLock { $0.append(Printable.clean(words.joined(separator: " "))) }
    throw SourceError(.planned, "the start is only planned")
  }

  package init() {}

  fileprivate func taken(of kind: RecordKind) -> Int { taken.withLock { $0[kind.name] ?? 0 } }

  fileprivate func take(_ count: Int, of kind: RecordKind) { taken.withLock { $0[kind.name, default: 0] += count } }
}
