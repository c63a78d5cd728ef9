import AggregatorCore
import Testing

@testable import StoreTesting

/// A store in memory, each of whose operations can be replaced.
struct TamperedStore: RecordStore {
  let store = StoreInMemory()
  var onLand: @Sendable (StoreInMemory, Batch) async throws -> LandingResult = { try await $0.land($1) }
  var onStamp: @Sendable (StoreInMemory, RecordKind, @Sendable (ListStamp?) throws -> ListStamp) async throws -> Void = {
    try await $0.stamp($1, $2)
  }
  var onOptimize: @Sendable (StoreInMemory, RecordKind) async throws -> Void = { try await $0.optimize($1, bulk: false) }
  var onSnapshot: @Sendable (StoreInMemory) async throws -> any RecordSnapshot = { try await $0.snapshot() }
  var onWaiting: @Sendable (StoreInMemory, RecordKind, Int) async throws -> Int = { try await $0.waiting(of: $1, upTo: $2) }
  var onTake: @Sendable (StoreInMemory, Int, RecordKind) async throws -> [StoredRow] = { try await $0.take($1, of: $2) }
  var onGiveBack: @Sendable (StoreInMemory, [String], RecordKind) async throws -> Void = { try await $0.giveBack($1, to: $2) }
  var onReset: @Sendable (StoreInMemory, RecordKind) async throws -> Void = { try await $0.reset($1) }
  var onMetByReading: @Sendable (StoreInMemory, [String], RecordKind, Int) async throws -> Set<String> = {
    try await $0.met($1, of: $2, reading: $3)
  }
  var onClaim: @Sendable (StoreInMemory, Claim, RecordKind) async throws -> Void = { try await $0.claim($1, of: $2) }
  var onRelease: @Sendable (StoreInMemory, Claim, RecordKind) async -> Void = { await $0.release($1, of: $2) }
  var onSync: @Sendable (StoreInMemory, RecordKind) async throws -> SyncState? = { try await $0.sync(of: $1) }
  /// The last two are whether the sync is full, and the mark.
  var onBegin: @Sendable (StoreInMemory, RecordKind, Moment, Bool, Moment?) async throws -> SyncState = {
    try await $0.beginSync(of: $1, at: $2, full: $3, mark: $4)
  }
  var onNote: @Sendable (StoreInMemory, SyncState, RecordKind) async throws -> Int = { try await $0.note($1, of: $2) }
  var onMetBySync: @Sendable (StoreInMemory, [String], RecordKind, Int) async throws -> Set<String> = {
    try await $0.met($1, of: $2, sync: $3)
  }
  var onUnmet: @Sendable (StoreInMemory, RecordKind) async throws -> Int = { try await $0.unmet(of: $1) }
  var onRestore: @Sendable (StoreInMemory, String, RecordKind) async throws -> Bool = { try await $0.restore($1, of: $2) }
  var onTakeBack: @Sendable (StoreInMemory, String, RecordKind) async throws -> [FieldPath] = {
    try await $0.takeBackEdits(of: $1, in: $2)
  }
  var onHistory: @Sendable (StoreInMemory, String, RecordKind) async throws -> History? = { try await $0.history(of: $1, of: $2) }
  var onAnswer: @Sendable (StoreInMemory, AnswerKey, Int) async throws -> CachedAnswer? = { try await $0.answer($1, step: $2) }
  var onKeep: @Sendable (StoreInMemory, CachedAnswer, AnswerKey, Int) async throws -> Bool = { try await $0.keep($1, under: $2, step: $3) }
  var onHoldings: @Sendable (StoreInMemory) async throws -> [Holding] = { try await $0.holdings() }
  var onClearAnswers: @Sendable (StoreInMemory) async throws -> Int = { try await $0.clearAnswers() }
  var onForget: @Sendable (StoreInMemory, RecordKind, Bool) async throws -> Int = { try await $0.forget($1, importedOnly: $2) }
  var onChanges: @Sendable (StoreInMemory, RecordKind, Moment) async throws -> [RecordChange] = { try await $0.changes(of: $1, since: $2) }
  var onNoteText: @Sendable (StoreInMemory, String, RecordNote, RecordKind) async throws -> Void = { try await $0.note($1, as: $2, of: $3) }
  var onKeepsake: @Sendable (StoreInMemory, String, @Sendable () -> String) async throws -> String = {
    try await $0.storedText($1, made: $2)
  }

  func stamp(_ kind: RecordKind, _ stamp: @Sendable (ListStamp?) throws -> ListStamp) async throws {
    try await onStamp(store, kind, stamp)
  }
  func land(_ batch: Batch) async throws -> LandingResult { try await onLand(store, batch) }
  func optimize(_ kind: RecordKind, bulk isBulk: Bool) async throws { try await onOptimize(store, kind) }
  func snapshot() async throws -> any RecordSnapshot { try await onSnapshot(store) }
  func position(of kind: RecordKind) async throws -> Position { try await store.position(of: kind) }
  func waiting(of kind: RecordKind, upTo most: Int) async throws -> Int { try await onWaiting(store, kind, most) }
  func take(_ count: Int, of kind: RecordKind) async throws -> [StoredRow] { try await onTake(store, count, kind) }
  func giveBack(_ ids: [String], to kind: RecordKind) async throws { try await onGiveBack(store, ids, kind) }
  func reset(_ kind: RecordKind) async throws { try await onReset(store, kind) }
  func met(_ ids: [String], of kind: RecordKind, reading: Int) async throws -> Set<String> {
    try await onMetByReading(store, ids, kind, reading)
  }
  func claim(_ claim: Claim, of kind: RecordKind) async throws { try await onClaim(store, claim, kind) }
  func release(_ claim: Claim, of kind: RecordKind) async { await onRelease(store, claim, kind) }
  func sync(of kind: RecordKind) async throws -> SyncState? { try await onSync(store, kind) }
  func beginSync(of kind: RecordKind, at moment: Moment, full isFull: Bool, mark: Moment?) async throws -> SyncState {
    try await onBegin(store, kind, moment, isFull, mark)
  }
  func note(_ state: SyncState, of kind: RecordKind) async throws -> Int { try await onNote(store, state, kind) }
  func met(_ ids: [String], of kind: RecordKind, sync number: Int) async throws -> Set<String> {
    try await onMetBySync(store, ids, kind, number)
  }
  func changes(of kind: RecordKind, since moment: Moment, upTo most: Int) async throws -> [RecordChange] {
    Array(try await onChanges(store, kind, moment).prefix(most))
  }
  func note(_ text: String, as note: RecordNote, of kind: RecordKind) async throws { try await onNoteText(store, text, note, kind) }
  func unmet(of kind: RecordKind) async throws -> Int { try await onUnmet(store, kind) }
  func delete(_ id: String, of kind: RecordKind, at moment: Moment) async throws -> Moment {
    try await store.delete(id, of: kind, at: moment)
  }
  func takeBackEdits(of id: String, in kind: RecordKind) async throws -> [FieldPath] {
    try await onTakeBack(store, id, kind)
  }
  func deletions(of kind: RecordKind) async throws -> [String] { try await store.deletions(of: kind) }
  func restore(_ id: String, of kind: RecordKind) async throws -> Bool { try await onRestore(store, id, kind) }
  func history(of id: String, of kind: RecordKind) async throws -> History? { try await onHistory(store, id, kind) }
  func answer(_ key: AnswerKey, step: Int) async throws -> CachedAnswer? { try await onAnswer(store, key, step) }
  func keep(_ answer: CachedAnswer, under key: AnswerKey, step: Int) async throws -> Bool { try await onKeep(store, answer, key, step) }
  func holdings() async throws -> [Holding] { try await onHoldings(store) }
  func clearAnswers() async throws -> Int { try await onClearAnswers(store) }
  func forget(_ kind: RecordKind, importedOnly: Bool) async throws -> Int { try await onForget(store, kind, importedOnly) }
  func storedText(_ name: String, made make: @Sendable () -> String) async throws -> String { try await onKeepsake(store, name, make) }

  /// Changes each batch before it lands.
  mutating func changing(batch change: @escaping @Sendable (inout Batch) -> Void) {
    onLand = { store, batch in
      var batch = batch
      change(&batch)
      return try await store.land(batch)
    }
  }

  /// Changes the rows that a snapshot gives for a question. The number is that of the wanted rows.
  mutating func changing(rows change: @escaping @Sendable (inout StoredRows, StoredQuery, Int) -> Void) {
    reading(rows: { snapshot, kind, question, row, count in
      var found = try await snapshot.rows(of: kind, question, after: row, count: count)
      change(&found, question, count)
      return found
    })
  }

  /// Replaces a snapshot's answer to a question, or its census.
  mutating func reading(
    rows: @escaping TamperedSnapshot.Rows = { try await $0.rows(of: $1, $2, after: $3, count: $4) },
    census: @escaping TamperedSnapshot.Count = { try await $0.census(of: $1) },
    removals: @escaping TamperedSnapshot.Removed = { try await $0.removals(of: $1) },
    edits: @escaping TamperedSnapshot.Edits = { try await $0.edits(of: $1) },
    trace: @escaping @Sendable (TracedRow) -> TracedRow? = { $0 }
  ) {
    onSnapshot = {
      TamperedSnapshot(
        snapshot: try await $0.snapshot(), rows: rows, census: census, removals: removals, edits: edits, trace: trace)
    }
  }
}

/// A snapshot with other answers.
struct TamperedSnapshot: RecordSnapshot {
  typealias Rows = @Sendable (any RecordSnapshot, RecordKind, StoredQuery, Int64, Int) async throws -> StoredRows
  typealias Count = @Sendable (any RecordSnapshot, RecordKind) async throws -> Census
  typealias Removed = @Sendable (any RecordSnapshot, RecordKind) async throws -> Removals
  typealias Edits = @Sendable (any RecordSnapshot, RecordKind) async throws -> [Edit]

  let snapshot: any RecordSnapshot
  var rows: Rows = { try await $0.rows(of: $1, $2, after: $3, count: $4) }
  var census: Count = { try await $0.census(of: $1) }
  var removals: Removed = { try await $0.removals(of: $1) }
  var edits: Edits = { try await $0.edits(of: $1) }
  var position: @Sendable (any RecordSnapshot, RecordKind) async throws -> Position = { try await $0.position(of: $1) }
  var trace: @Sendable (TracedRow) -> TracedRow? = { $0 }

  func rows(of kind: RecordKind, _ question: StoredQuery, after row: Int64, count: Int) async throws -> StoredRows {
    try await rows(snapshot, kind, question, row, count)
  }
  func traces(of kind: RecordKind, _ query: StoredQuery, after row: Int64, count: Int) async throws -> TracedRows {
    var found = try await snapshot.traces(of: kind, query, after: row, count: count)
    found.rows = found.rows.compactMap(trace)
    return found
  }
  func census(of kind: RecordKind) async throws -> Census { try await census(snapshot, kind) }
  func removals(of kind: RecordKind) async throws -> Removals { try await removals(snapshot, kind) }
  func sync(of kind: RecordKind) async throws -> SyncState? { try await snapshot.sync(of: kind) }
  func position(of kind: RecordKind) async throws -> Position { try await position(snapshot, kind) }
  func edits(of kind: RecordKind) async throws -> [Edit] { try await edits(snapshot, kind) }
  func storedText(_ name: String) async throws -> String? { try await snapshot.storedText(name) }
}

@Suite struct StoreLawsTests {
  @Test("a store in memory keeps every law", arguments: StoreLaw.allCases)
  func memory(law: StoreLaw) async {
    let laws = StoreLaws("memory") {
      let store = StoreInMemory()
      return { store }
    }
    #expect(await laws.breach(of: law) == nil)
  }

  @Test("each saboteur fails exactly its own law, and each law has a saboteur")
  func matrix() async {
    let matrix = await StoreSaboteurMatrix()
    print(matrix)
    for complaint in matrix.complaints { Issue.record("\(complaint)") }
  }
}
