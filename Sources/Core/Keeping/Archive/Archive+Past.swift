// The list as it was stored at an earlier moment.
extension Archive {
  /// Returns the same archive, which shows the records as they were stored at that moment.
  package func asOf(_ moment: Moment) -> Archive {
    Archive(kind.name, of: schema, in: store, as: list, planning: plan, asOf: moment)
  }

  /// Returns the records as of that moment. Throws if the store does not know them all.
  func pastSnapshot(at moment: Moment) async throws -> PastSnapshot {
    try await readAnewIfWritable()
    let present = try await store.snapshot()
    // Read after the records: a change that came between is undone like any other.
    let changes = try await store.changes(of: kind, since: Moment(nanoseconds: .min)).reversed().map(\.self)
    let sync = try await present.sync(of: kind)
    let log = SyncLog(text: try await present.storedText(kind.name(of: .syncs)))
    let timeline = Timeline(log, sync, changes, of: listDigest)
    if try await isOutdated(checkedStamp(in: present), in: present) { throw unknown(at: moment, .anotherList) }
    switch timeline.past(at: moment) {
    case .success(let past):
      return try await tellDoubts(PastSnapshot(present, of: kind, at: past), edits: present.edits(of: kind))
    case .failure(let reason): throw unknown(at: moment, reason)
    }
  }

  /// Returns the records that answer now: those of a list that was whole stay as they were while the next sync brings others.
  func answering() async throws -> any RecordSnapshot { try await answering(snapshot()) }

  /// Returns the records of a snapshot as they answer. If a sync runs and has changed some, those changes are taken back. If that is not
  /// possible, as with imported records, which come without a change, the list is what it is: partial until the sync ends.
  func answering(_ present: any RecordSnapshot) async throws -> any RecordSnapshot {
    guard moment == nil, let sync = try await present.sync(of: kind), sync.isRunning, sync.verdict == nil,
      sync.counts.landed.hasChanges
    else { return present }
    let log = SyncLog(text: try await present.storedText(kind.name(of: .syncs)))
    let before = log.answering(for: sync)
    guard before.verdict == .complete, let ended = before.ended, try await !present.listCensus(of: kind).hasImports else {
      return present
    }
    // Read after the records: a change that came between is undone like any other.
    let changes = try await store.changes(of: kind, since: Moment(nanoseconds: .min)).reversed().map(\.self)
    // A clock that was ahead gives changes of earlier syncs a later time than the end of the last one.
    guard case .success(let past) = Timeline(log, sync, changes, of: listDigest).past(at: ended), past.isKnownByChanges,
      past.changes == sync.counts.changed
    else { return present }
    return try await PastSnapshot(present, of: kind, at: past, answering: before)
  }

  /// Returns the changes that the store has noted, the latest first, and from which moment on it knows them all.
  package func noted() async throws -> (changes: [RecordChange], known: (since: Moment?, isCut: Bool)) {
    var changes = try await changes(since: Moment(nanoseconds: .min))
    // As of an earlier moment only what was noted by then.
    if let moment { changes = Array(changes.drop { $0.at > moment }) }
    let snapshot = try await store.snapshot()
    let log = SyncLog(text: try await snapshot.storedText(kind.name(of: .syncs)))
    let timeline = Timeline(log, try await snapshot.sync(of: kind), changes.reversed(), of: listDigest)
    return (changes, timeline.known)
  }

  /// Returns the records as they are shown and what the store knows of their list, at the moment of the snapshot or of this archive.
  package func list(at snapshot: any RecordSnapshot) async throws -> (records: any RecordSnapshot, status: ListStatus) {
    let own = try await moment == nil ? answering(snapshot) : self.snapshot()
    let status = try await status(at: own)
    return (status.foreign == nil ? try await shown(in: own).records : own, status)
  }

  /// Returns a stored record with what became of it, deleted and gone ones too; nil if it is not stored.
  package func trace(of id: String) async throws -> TracedRow? {
    try await snapshot().traces(of: kind, .id(id), after: 0, count: 1).rows.first
  }

  private func unknown(at moment: Moment, _ reason: Timeline.Unknown) -> SourceError {
    let toPresent = Remedy.omit("as-of", "to see the present list")
    // Two moments of one minute are told apart by their seconds.
    func words(_ time: Moment, beside other: Moment) -> String {
      time.minute == other.minute ? "\(time.iso.prefix(10)) \(time.iso.dropFirst(11).prefix(12)) UTC" : time.minute
    }
    var asked = moment.minute
    let (why, remedy): (String, Remedy?) =
      switch reason {
      case .anotherList: ("its description has changed since", toPresent)
      case .unproved: ("no sync can prove that it has the whole list", toPresent)
      case .neverWhole: ("no sync has stored the whole list", list?.isEndless == true ? nil : .ask("sync", "to store it"))
      case .before(let first):
        ("it is known from \(words(first, beside: moment)) on, the end of its first complete sync", toPresent)
      case .dropped(let first):
        ("the store has the last \(RecordChange.mostStored) changes, and the oldest of them is from \(first.minute)", toPresent)
      }
    if case .before(let first) = reason { asked = words(moment, beside: first) }
    return SourceError(.notFound, "the list as of \(asked) is not known: \(why)", remedy: remedy).from(kind.name)
  }

  /// Tells which records of a past list are not as they were.
  private func tellDoubts(_ past: PastSnapshot, edits: [Edit]) -> PastSnapshot {
    func tell(_ text: String) { Event.emit(.noticed(source: kind.name, text)) }
    let deleted = past.counts.deleted
    if deleted > 0 { tell("left out \(deleted) \(deleted == 1 ? "record that was" : "records that were") deleted here") }
    if !edits.isEmpty || past.endedEdits {
      tell("values that a person edited may be of a later time, since an edit has no time")
    }
    return past
  }
}

/// The past of one list: its syncs and its changes, in the order in which they were noted.
///
/// What was stored at a moment is what was noted up to the last change by then. So a clock that was put back mixes no two states.
struct Timeline {
  /// A reason why a past list is not known.
  enum Unknown: Error {
    /// The records were of another list then.
    case anotherList
    /// No sync has stored the whole list.
    case neverWhole
    /// No sync can prove that it has stored the whole list.
    case unproved
    /// The list is known from that moment on.
    case before(Moment)
    /// Changes since then were dropped; the oldest one left is of that moment.
    case dropped(Moment)
  }

  /// The syncs since the records were last those of another list.
  private let syncs: ArraySlice<SyncLog.Entry>
  /// True when the records were those of another list before.
  private let hasOthers: Bool
  private let changes: [RecordChange]
  /// The moment at which a sync before the first one of the log had stored everything; nil if none is known.
  private let wholeBefore: Moment?

  /// Makes the past of the list with that digest; the earliest of `changes` comes first.
  init(_ log: SyncLog, _ last: SyncState?, _ changes: [RecordChange], of list: String) {
    var log = log
    if let last { log.note(last, of: list) }
    let others = log.entries.lastIndex { $0.list != list }
    (syncs, hasOthers, self.changes) = (log.entries[((others ?? -1) + 1)...], others != nil, changes)
    wholeBefore = last?.wholeBefore
  }

  /// The moment from which every change is noted; nil if no sync has stored the whole list.
  private var wholeSince: Moment? {
    let whole = syncs.filter { $0.verdict == .complete }.compactMap(\.ended)
    return (whole + [wholeBefore].compactMap(\.self)).min()
  }

  private var isCut: Bool { changes.count >= RecordChange.mostStored }

  /// The moment from which every change is known, and whether older ones were dropped.
  var known: (since: Moment?, isCut: Bool) {
    (wholeSince.map { isCut ? max($0, changes.first?.at ?? $0) : $0 }, isCut)
  }

  /// Returns what was known at that moment, or why it is not known any more.
  func past(at moment: Moment) -> Result<PastSnapshot.Past, Unknown> {
    guard let known = wholeSince else { return .failure(syncs.last?.verdict == .unverifiable ? .unproved : .neverWhole) }
    guard known <= moment else { return .failure(hasOthers ? .anotherList : .before(known)) }
    let index = syncs.lastIndex { $0.began <= moment }
    let noted = changes.lastIndex { $0.at <= moment }.map { $0 + 1 } ?? 0
    if noted == 0, let oldest = changes.first, isCut { return .failure(.dropped(oldest.at)) }
    var before: [[UInt8]: [UInt8]?] = [:]
    // The earliest change since then tells what was there.
    for change in changes[noted...].reversed() { before[Array(change.id.utf8)] = .some(change.before) }
    let hadImports = index.flatMap { syncs[$0].imported }.map { $0 <= moment } ?? false
    // A record that a sync has found since counts as new in the list then, although a file may have brought it before.
    let mayLackImports =
      index.map { syncs[...$0].contains { $0.imported.map { $0 <= moment } ?? false } } ?? false
      && changes[noted...].contains { $0.before == nil }
    return .success(
      PastSnapshot.Past(
        moment: moment, before: before, changes: changes.count - noted, sync: sync(index, at: moment), hadImports: hadImports,
        mayLackImports: mayLackImports,
        hasImportsSince: syncs[(index ?? syncs.startIndex)...].contains { $0.imported.map { $0 > moment } ?? false },
        isCut: isCut, endedEdits: changes[noted...].contains { !$0.endedEdits.isEmpty }))
  }

  /// Returns the sync with that index as it was at the moment, or what is known of one that was not noted.
  private func sync(_ index: Int?, at moment: Moment) -> SyncState {
    guard let index else {
      var unnoted = SyncState(began: moment)
      (unnoted.ended, unnoted.wholeBefore) = (moment, wholeBefore)
      unnoted.verdict = .unverifiable
      return unnoted
    }
    let entry = syncs[index]
    var state = SyncState(began: entry.began)
    state.number = entry.number
    if let ended = entry.ended, ended <= moment { (state.ended, state.verdict) = (ended, entry.verdict) }
    let earlier = syncs[..<index].last { $0.verdict == .complete }?.ended
    state.wholeBefore = earlier ?? wholeBefore.flatMap { $0 <= moment ? $0 : nil }
    return state
  }
}
