import AggregatorCore
import Synchronization

/// The life of one process, which may be killed at any step: before a request or a call of the store, or after it and before its result.
final class Life: Sendable {
  private struct Content {
    var steps = 0
    var isDead = false
    var claims: [(Claim, RecordKind)] = []
  }

  private let content = Mutex(Content())
  /// The step at which it is killed; nil if it lives to its end.
  let deathStep: Int?

  init(endingAt deathStep: Int?) { self.deathStep = deathStep }

  struct Killed: Error {}

  var isDead: Bool { content.withLock { $0.isDead } }
  var steps: Int { content.withLock { $0.steps } }

  /// Throws once the process was killed. What follows has no effect outside it.
  func step() throws {
    try content.withLock { content in
      content.steps += 1
      if let deathStep, content.steps >= deathStep { content.isDead = true }
      if content.isDead { throw Killed() }
    }
  }

  func hold(_ claim: Claim, _ kind: RecordKind) { content.withLock { $0.claims.append((claim, kind)) } }

  /// Gives back what the system gives back when a process ends.
  func end(in store: any RecordStore) async {
    for (claim, kind) in content.withLock({ $0.claims }) { await store.release(claim, of: kind) }
  }
}

/// A store as one process sees it: other processes work between its calls, and a kill ends them.
struct MortalStore: RecordStore {
  let base: any RecordStore
  let life: Life

  private func call<Answer>(_ work: () async throws -> Answer) async throws -> Answer {
    try life.step()
    await Scheduler.pause()
    let answer = try await work()
    try life.step()
    return answer
  }

  func answer(_ key: AnswerKey, step: Int) async throws -> CachedAnswer? { try await call { try await base.answer(key, step: step) } }
  func keep(_ answer: CachedAnswer, under key: AnswerKey, step: Int) async throws -> Bool {
    try await call { try await base.keep(answer, under: key, step: step) }
  }

  func stamp(_ kind: RecordKind, _ stamp: @Sendable (ListStamp?) throws -> ListStamp) async throws {
    try await call { try await base.stamp(kind, stamp) }
  }
  func land(_ batch: Batch) async throws -> LandingResult { try await call { try await base.land(batch) } }
  func optimize(_ kind: RecordKind, bulk isBulk: Bool) async throws { try await call { try await base.optimize(kind, bulk: isBulk) } }
  func snapshot() async throws -> any RecordSnapshot { try await call { try await base.snapshot() } }

  func position(of kind: RecordKind) async throws -> Position { try await call { try await base.position(of: kind) } }
  func waiting(of kind: RecordKind, upTo most: Int) async throws -> Int { try await call { try await base.waiting(of: kind, upTo: most) } }
  func take(_ count: Int, of kind: RecordKind) async throws -> [StoredRow] { try await call { try await base.take(count, of: kind) } }
  func giveBack(_ ids: [String], to kind: RecordKind) async throws { try await call { try await base.giveBack(ids, to: kind) } }
  func reset(_ kind: RecordKind) async throws { try await call { try await base.reset(kind) } }
  func met(_ ids: [String], of kind: RecordKind, reading: Int) async throws -> Set<String> {
    try await call { try await base.met(ids, of: kind, reading: reading) }
  }

  func claim(_ claim: Claim, of kind: RecordKind) async throws {
    try life.step()
    await Scheduler.pause()
    try await base.claim(claim, of: kind)
    life.hold(claim, kind)
    try life.step()
  }
  func release(_ claim: Claim, of kind: RecordKind) async { if !life.isDead { await base.release(claim, of: kind) } }
  func sync(of kind: RecordKind) async throws -> SyncState? { try await call { try await base.sync(of: kind) } }
  func beginSync(of kind: RecordKind, at moment: Moment, full isFull: Bool, mark: Moment?) async throws -> SyncState {
    try await call { try await base.beginSync(of: kind, at: moment, full: isFull, mark: mark) }
  }
  func note(_ state: SyncState, of kind: RecordKind) async throws -> Int { try await call { try await base.note(state, of: kind) } }
  func met(_ ids: [String], of kind: RecordKind, sync number: Int) async throws -> Set<String> {
    try await call { try await base.met(ids, of: kind, sync: number) }
  }
  func changes(of kind: RecordKind, since moment: Moment, upTo most: Int) async throws -> [RecordChange] {
    try await call { try await base.changes(of: kind, since: moment, upTo: most) }
  }
  func note(_ text: String, as note: RecordNote, of kind: RecordKind) async throws {
    try await call { try await base.note(text, as: note, of: kind) }
  }
  func unmet(of kind: RecordKind) async throws -> Int { try await call { try await base.unmet(of: kind) } }

  func delete(_ id: String, of kind: RecordKind, at moment: Moment) async throws -> Moment {
    try await call { try await base.delete(id, of: kind, at: moment) }
  }
  func restore(_ id: String, of kind: RecordKind) async throws -> Bool { try await call { try await base.restore(id, of: kind) } }
  func takeBackEdits(of id: String, in kind: RecordKind) async throws -> [FieldPath] {
    try await call { try await base.takeBackEdits(of: id, in: kind) }
  }
  func deletions(of kind: RecordKind) async throws -> [String] { try await call { try await base.deletions(of: kind) } }
  func history(of id: String, of kind: RecordKind) async throws -> History? { try await call { try await base.history(of: id, of: kind) } }

  func requests(orIn own: (any RequestMemory)?) -> (any RequestMemory)? { own }
  func condition() async throws -> StoreCondition { try await call { try await base.condition() } }
  func searchTrouble(of kind: RecordKind) async throws -> SourceError? {
    try await call { try await base.searchTrouble(of: kind) }
  }
  func holdings() async throws -> [Holding] { try await call { try await base.holdings() } }
  func clearAnswers() async throws -> Int { try await call { try await base.clearAnswers() } }
  func forget(_ kind: RecordKind, importedOnly: Bool) async throws -> Int {
    try await call { try await base.forget(kind, importedOnly: importedOnly) }
  }
  func storedText(_ name: String, made make: @Sendable () -> String) async throws -> String {
    try await call { try await base.storedText(name, made: make) }
  }
}
