import Synchronization

/// The syncs of a list so far, with their verdicts. A store holds them as a text.
///
/// A sync is noted when it begins, when it ends, and once more when the next one begins: a process killed in between costs no entry.
struct SyncLog: Part {
  struct Entry: Part {
    /// The number of the sync among those of these records.
    var number = 0
    var began = Moment(secondsSinceEpoch: 0)
    /// The moment at which it ended; nil if another one took its place before that.
    var ended: Moment?
    var verdict: Verdict?
    /// The digest of the list that it read.
    var list = ""
    /// The moment at which a person first imported records since it began; nil before that.
    var imported: Moment?
    /// True when it stopped, and a later run continued it.
    var isContinued = false

    static let fields: [Field<Entry>] = [
      Field("number", \.number), Field("began", \.began.stored), Field("ended", \.ended.stored), Field("verdict", \.verdict),
      Field("list", \.list), Field("imported", \.imported.stored), Field("continued", \.isContinued),
    ]

    init() {}

    init(_ state: SyncState, of list: String) {
      (number, began, ended, verdict, self.list) = (state.number, state.began, state.ended, state.verdict, list)
    }
  }

  /// The syncs, the earliest first.
  private(set) var entries: [Entry] = []

  /// The most syncs that are remembered; the earliest are dropped first.
  static let most = 1_000

  init() {}

  static let fields: [Field<SyncLog>] = [Field("syncs", \.entries)]

  /// Reads ``text``. An empty log if the text is missing, or if somebody has edited it into something else.
  init(text: String?) {
    if let log = Self(stored: text) { self = log }
  }

  /// Notes how far a sync has come. A sync that was noted with its end stays as it was, unless a later run asked for pages that had failed.
  mutating func note(_ state: SyncState, of list: String) {
    var entry = Entry(state, of: list)
    if let index = entries.lastIndex(where: { $0.began == entry.began }) {
      (entry.imported, entry.list, entry.isContinued) = (
        entries[index].imported, entries[index].list, entries[index].isContinued
      )
      let ended = entries[index].ended
      if ended == nil || entry.ended.map({ $0 > ended ?? $0 }) ?? false { entries[index] = entry }
      return
    }
    entries.append(entry)
    entries.removeFirst(max(0, entries.count - Self.most))
  }

  /// The first of the syncs since the list last came whole that did not mark most of the stored records as gone: its beginning, and how many
  /// were stored by then.
  var refusal: (began: Moment, stored: Int)? {
    let since = entries.reversed().prefix {
      $0.verdict != .complete && $0.verdict != .unverifiable && $0.list == entries.last?.list
    }
    return since.reversed().lazy.compactMap { entry in entry.verdict?.storedBeforeLoss.map { (entry.began, $0) } }.first
  }

  /// Notes that another run continues that sync. The list stays as the stop has left it until the sync ends.
  mutating func noteContinuation(of state: SyncState) {
    if let index = entries.lastIndex(where: { $0.began == state.began }) { entries[index].isContinued = true }
  }

  /// Returns that sync as it answers while it runs: with the verdict and the end of the one before it. A sync of another list before it does
  /// not answer for this one, nor does one that did not end. One that stopped and is continued answers as before it was continued.
  func answering(for running: SyncState) -> SyncState {
    guard let index = entries.lastIndex(where: { $0.began == running.began }), index > 0 else { return running }
    let (own, before) = (entries[index], entries[index - 1])
    guard own.list == before.list, own.number == before.number.adding(1), !own.isContinued else { return running }
    return copy(of: running) { ($0.verdict, $0.ended, $0.change) = (before.verdict, before.ended, nil) }
  }

  /// Returns the end of the first of the last syncs of one list that all ended with a verdict of this kind; nil if the last one did not. One
  /// that has not ended yet is left out.
  func since(_ verdict: Verdict?) -> Moment? {
    let ended = entries.reversed().drop { $0.verdict == nil }
    return ended.prefix { $0.verdict?.kind == verdict?.kind && $0.list == ended.first?.list }.last?.ended
  }

  /// Notes that a person imported records after the last sync.
  mutating func noteImport(at moment: Moment) {
    guard let last = entries.indices.last else { return }
    entries[last].imported = min(entries[last].imported ?? moment, moment)
  }
}

extension RecordSnapshot {
  /// Returns the last sync as it answers: while it runs, with the verdict and the end of the one before it. That is true of these records as
  /// long as none has changed since; ``Archive/answering(_:)`` takes back what has.
  package func answeringSync(of kind: RecordKind) async throws -> SyncState? {
    let last = try await sync(of: kind)
    guard let sync = last, sync.isRunning, sync.verdict == nil else { return last }
    let before = SyncLog(text: try await storedText(kind.name(of: .syncs))).answering(for: sync)
    return before.verdict == .complete && sync.counts.landed.hasChanges ? sync : before
  }
}

extension Archive {
  /// Returns the last sync as it answers: while it runs, with the verdict and the end of the one before it.
  package func answeringSync() async throws -> SyncState? { try await answering().answeringSync(of: kind) }

  /// Notes how far these syncs of this list have come.
  func log(_ states: [SyncState]) async throws {
    try await changeLog { log in for state in states { log.note(state, of: listDigest) } }
  }

  /// Notes that another run continues that sync.
  func logContinuation(of state: SyncState) async throws { try await changeLog { $0.noteContinuation(of: state) } }

  /// Notes that a person imports records, once some have landed that are not the service's.
  func logImport(at moment: Moment) async throws {
    guard lastImport.withLock({ $0 != moment }) else { return }
    let snapshot = try await store.snapshot()
    guard let last = try await snapshot.sync(of: kind), try await snapshot.census(of: kind).hasImports else { return }
    lastImport.withLock { $0 = moment }
    try await changeLog { log in
      log.note(last, of: listDigest)
      log.noteImport(at: moment)
    }
  }

  /// The earliest refusal to mark most of the records as gone since the list last came whole; nil without one.
  var refusal: (began: Moment, stored: Int)? {
    get async throws { SyncLog(text: try await store.snapshot().storedText(kind.name(of: .syncs))).refusal }
  }

  /// Returns the number of shown records of the service that no request since `listed` has brought, but for those that are known to have come
  /// first since `stored`.
  func count(lastListedBefore listed: Moment, andStoredBefore stored: Moment) async throws -> Int {
    let new = Set(try await changes(since: stored).lazy.filter { $0.before == nil }.map { Array($0.id.utf8) })
    let snapshot = try await store.snapshot()
    var (next, count) = (Int64?(0), 0)
    while let after = next {
      let traced = try await snapshot.traces(of: kind, .everything, after: after, count: 2_000)
      count += traced.rows.count { row in
        guard let fetch = row.fetch, row.gone == nil, row.deletedAt == nil else { return false }
        return fetch.at < listed && !fetch.isImport && !new.contains(Array(row.id.utf8))
      }
      next = traced.next
    }
    return count
  }

  /// Notes that imported records are stored, before a sync begins: a census knows only the imports after that.
  func noteImports() async throws {
    let census = try await store.snapshot().census(of: kind)
    if census.hasImports { try await writable.note(census.newest?.iso ?? "", as: .imports, of: kind) }
  }

  /// Notes that a sync has met all imported records, if it has.
  func settleImports() async throws {
    let snapshot = try await store.snapshot()
    guard try await snapshot.storedText(kind.name(of: .imports))?.isEmpty == false else { return }
    var next: Int64? = 0
    while let after = next {
      let traced = try await snapshot.traces(of: kind, .everything, after: after, count: 2_000)
      if traced.rows.contains(where: { $0.gone == nil && $0.fetch?.isImport ?? false }) { return }
      next = traced.next
    }
    try await writable.note("", as: .imports, of: kind)
  }

  private func changeLog(_ change: (inout SyncLog) -> Void) async throws {
    let text = try await store.snapshot().storedText(kind.name(of: .syncs))
    var log = SyncLog(text: text)
    change(&log)
    if log.text != text { try await writable.note(log.text, as: .syncs, of: kind) }
  }
}
