public import AggregatorCore

/// A part of a store. It can be written and checked before the others.
public enum StorePart: Sendable, Hashable, CaseIterable {
  /// `ListStore`.
  case lists
  /// `PositionStore`.
  case positions
  /// `SyncStore`.
  case syncs
  /// `DeletionStore`.
  case deletions
  /// `AnswerStore`.
  case answers
  /// The requirements that `RecordStore` adds to the other parts.
  case upkeep

  /// All parts: a whole store.
  public static let all = Set(allCases)
}

extension StoreLaw {
  /// The parts of a store that the law needs. What the law says of other parts is checked if the store has them.
  public var parts: Set<StorePart> {
    switch self {
    case .empty, .bytes, .identity, .firstStays, .lastStays, .imports, .differing: [.lists]
    case .order, .rowNumbers, .search, .snapshots, .settling, .stamps, .sharing: [.lists]
    case .taking, .givingBack, .landingAtOnce, .advances, .resets, .readings: [.lists, .positions]
    case .claims: [.syncs]
    case .batches, .beginnings, .progress, .overtaking, .syncs, .onlyImported, .changes, .notes, .gone: [.lists, .syncs]
    case .absorbed, .deletions, .histories: [.lists, .deletions]
    case .census, .unmet, .traces: [.lists, .syncs, .deletions]
    case .restoring: [.lists, .positions, .deletions]
    case .outdating, .kinds: [.lists, .positions, .syncs, .deletions]
    case .answers, .steps: [.answers]
    case .holders: [.lists, .syncs, .answers]
    case .keepsakes: [.lists, .upkeep]
    case .edits: [.lists, .syncs, .deletions, .upkeep]
    case .clearing, .holdings: [.lists, .deletions, .answers, .upkeep]
    case .forgetting, .promptness: StorePart.all
    }
  }
}

/// A store with only some parts, for checking them against their laws. A call to a missing part throws; `release` does nothing.
///
/// ```swift
/// let laws = StoreLaws("my lists") {
///   let store = MyLists()
///   return { StoreParts(lists: store) }
/// }
/// let report = await laws.report(of: [.lists])
/// ```
public struct StoreParts: Sendable {
  private let written:
    (
      lists: (any ListStore)?, positions: (any PositionStore)?, syncs: (any SyncStore)?, deletions: (any DeletionStore)?,
      answers: (any AnswerStore)?, upkeep: (any RecordStore)?
    )

  /// Makes a store of the parts that are written. One value may be several parts.
  public init(
    lists: (any ListStore)? = nil, positions: (any PositionStore)? = nil, syncs: (any SyncStore)? = nil,
    deletions: (any DeletionStore)? = nil, answers: (any AnswerStore)? = nil, upkeep: (any RecordStore)? = nil
  ) { written = (lists, positions, syncs, deletions, answers, upkeep) }

  private func part<Written>(_ name: String, _ written: Written?) throws -> Written {
    guard let written else { throw SourceError(.custom("not written"), "\(name) is not written yet") }
    return written
  }

  private var lists: any ListStore { get throws { try part("ListStore", written.lists) } }
  private var positions: any PositionStore { get throws { try part("PositionStore", written.positions) } }
  private var syncs: any SyncStore { get throws { try part("SyncStore", written.syncs) } }
  private var deletions: any DeletionStore { get throws { try part("DeletionStore", written.deletions) } }
  private var answers: any AnswerStore { get throws { try part("AnswerStore", written.answers) } }
  private var upkeep: any RecordStore { get throws { try part("RecordStore", written.upkeep) } }
}

extension StoreParts: RecordStore {
  public func stamp(_ kind: RecordKind, _ stamp: @Sendable (ListStamp?) throws -> ListStamp) async throws {
    try await lists.stamp(kind, stamp)
  }
  public func land(_ batch: Batch) async throws -> LandingResult { try await lists.land(batch) }
  public func optimize(_ kind: RecordKind, bulk isBulk: Bool) async throws { try await lists.optimize(kind, bulk: isBulk) }
  public func snapshot() async throws -> any RecordSnapshot { try await lists.snapshot() }

  public func position(of kind: RecordKind) async throws -> Position { try await positions.position(of: kind) }
  public func waiting(of kind: RecordKind, upTo most: Int) async throws -> Int {
    try await positions.waiting(of: kind, upTo: most)
  }
  public func take(_ count: Int, of kind: RecordKind) async throws -> [StoredRow] { try await positions.take(count, of: kind) }
  public func giveBack(_ ids: [String], to kind: RecordKind) async throws { try await positions.giveBack(ids, to: kind) }
  public func reset(_ kind: RecordKind) async throws { try await positions.reset(kind) }
  public func met(_ ids: [String], of kind: RecordKind, reading: Int) async throws -> Set<String> {
    try await positions.met(ids, of: kind, reading: reading)
  }

  public func claim(_ claim: Claim, of kind: RecordKind) async throws { try await syncs.claim(claim, of: kind) }
  public func release(_ claim: Claim, of kind: RecordKind) async { await written.syncs?.release(claim, of: kind) }
  public func sync(of kind: RecordKind) async throws -> SyncState? { try await syncs.sync(of: kind) }
  public func beginSync(of kind: RecordKind, at moment: Moment, full isFull: Bool, mark: Moment?) async throws -> SyncState {
    try await syncs.beginSync(of: kind, at: moment, full: isFull, mark: mark)
  }
  public func note(_ state: SyncState, of kind: RecordKind) async throws -> Int { try await syncs.note(state, of: kind) }
  public func met(_ ids: [String], of kind: RecordKind, sync number: Int) async throws -> Set<String> {
    try await syncs.met(ids, of: kind, sync: number)
  }
  public func changes(of kind: RecordKind, since moment: Moment, upTo most: Int) async throws -> [RecordChange] {
    try await syncs.changes(of: kind, since: moment, upTo: most)
  }
  public func note(_ text: String, as note: RecordNote, of kind: RecordKind) async throws {
    try await syncs.note(text, as: note, of: kind)
  }
  public func unmet(of kind: RecordKind) async throws -> Int { try await syncs.unmet(of: kind) }

  public func delete(_ id: String, of kind: RecordKind, at moment: Moment) async throws -> Moment {
    try await deletions.delete(id, of: kind, at: moment)
  }
  public func restore(_ id: String, of kind: RecordKind) async throws -> Bool { try await deletions.restore(id, of: kind) }
  public func takeBackEdits(of id: String, in kind: RecordKind) async throws -> [FieldPath] {
    try await deletions.takeBackEdits(of: id, in: kind)
  }
  public func deletions(of kind: RecordKind) async throws -> [String] { try await deletions.deletions(of: kind) }
  public func history(of id: String, of kind: RecordKind) async throws -> History? {
    try await deletions.history(of: id, of: kind)
  }

  public func answer(_ key: AnswerKey, step: Int) async throws -> CachedAnswer? { try await answers.answer(key, step: step) }
  public func keep(_ answer: CachedAnswer, under key: AnswerKey, step: Int) async throws -> Bool {
    try await answers.keep(answer, under: key, step: step)
  }

  public func holdings() async throws -> [Holding] { try await upkeep.holdings() }
  public func clearAnswers() async throws -> Int { try await upkeep.clearAnswers() }
  public func forget(_ kind: RecordKind, importedOnly: Bool) async throws -> Int {
    try await upkeep.forget(kind, importedOnly: importedOnly)
  }
  public func storedText(_ name: String, made make: @Sendable () -> String) async throws -> String {
    try await upkeep.storedText(name, made: make)
  }
}
