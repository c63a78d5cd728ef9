public import AggregatorCore
import Synchronization

/// What a verb would send first, and which budgets that takes. Nothing was sent for it, and nothing is remembered.
public struct Plan: Sendable {
  /// What would be sent, in order, its keys masked when printed; empty where nothing would be.
  public let requests: [HTTPRequest]
  /// The budgets that they take, and when each is free.
  public let budgets: [(budget: Budget, free: Moment)]
  /// How many records a page has at most; nil where the whole list comes with one.
  public let pageSize: Int?
  /// Why the service would not be asked, and what would answer in its place; nil where it would be asked, or needs not be.
  public let standIn: Origin?
}

extension SourceDescriptor {
  /// What `verb` would send, or what it came to without that: it runs over a network that only counts and a store that is only read.
  public func plan<Result>(
    _ ask: Ask, in world: World, _ verb: (any SourceSession) async throws -> Result
  ) async throws -> (plan: Plan, result: Result?) {
    let (requests, budgets) = (PlannedRequests(), BudgetPreview(world.budgets))
    var world = world
    (world.transport, world.budgets) = (requests, budgets)
    let store = ReadStore(store: world.store ?? StoreInMemory())
    (world.store, world.answers) = (world.store.map { _ in store }, store)
    let source = try open(ask, in: world)
    let reason = Mutex<SourceError?>(nil)
    var result: Result?
    do {
      result = try await Event.listening({ event in
        if case .fellBack(_, _, let error) = event { reason.withLock { $0 = $0 ?? error } }
      }) { try await verb(source) }
    } catch let error as SourceError where error.kind == .planned {}
    let size = source.live.profile.paging.size
    let standIn = result == nil && requests.all.isEmpty ? Origin(.bundled, reason: reason.withLock { $0 }) : nil
    return (Plan(requests: requests.all, budgets: budgets.all, pageSize: size < .max ? size : nil, standIn: standIn), result)
  }
}

extension SourceError.Kind {
  /// A request that is only planned.
  fileprivate static let planned = SourceError.Kind.custom("planned")
}

/// A network that takes note of requests and sends none.
private final class PlannedRequests: Transport {
  private let noted = Mutex<[HTTPRequest]>([])

  var all: [HTTPRequest] { noted.withLock { $0 } }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    noted.withLock { $0.append(request) }
    throw SourceError(.planned, "the request is only planned")
  }
}

/// Looks when a request might be sent, and takes nothing of any budget.
private final class BudgetPreview: BudgetKeeper {
  private let keeper: any BudgetKeeper
  private let seen = Mutex<[(budget: Budget, free: Moment)]>([])

  init(_ keeper: any BudgetKeeper) { self.keeper = keeper }

  var all: [(budget: Budget, free: Moment)] { seen.withLock { $0 } }

  func reserve(_ ticket: BudgetTicket, at now: Moment, noLaterThan latest: Moment) async throws -> BudgetSlot {
    let slot = try await keeper.reserve(ticket, at: now, noLaterThan: latest)
    await keeper.settle(ticket, at: nil)
    let free =
      switch slot {
      case .taken(let moment), .tooLate(let moment): moment
      }
    seen.withLock { $0.append((Budget(ticket.rates.map(\.rate)), free)) }
    return .taken(now)
  }

  func settle(_ ticket: BudgetTicket, at moment: Moment?) async {}
}

/// A store that is read and never written: whoever wants to store records has come to the end of what can be planned.
private final class ReadStore: RecordStore {
  private let store: any RecordStore
  /// How many records were taken of each kind.
  private let taken = Mutex<[String: Int]>([:])

  init(store: any RecordStore) { self.store = store }

  func answer(_ key: AnswerKey, step: Int) async throws -> CachedAnswer? { try await store.answer(key, step: step) }
  func keep(_ answer: CachedAnswer, under key: AnswerKey, step: Int) async throws -> Bool { false }

  func stamp(_ kind: RecordKind, _ stamp: @Sendable (ListStamp?) throws -> ListStamp) async throws {}
  func land(_ batch: Batch) async throws -> LandingResult { throw SourceError(.planned, "nothing is stored") }
  func optimize(_ kind: RecordKind, bulk isBulk: Bool) async throws {}
  func snapshot() async throws -> any RecordSnapshot { try await store.snapshot() }

  func position(of kind: RecordKind) async throws -> Position { try await store.position(of: kind) }
  func waiting(of kind: RecordKind, upTo most: Int) async throws -> Int {
    let taken = taken.withLock { $0[kind.name] ?? 0 }
    return try await max(0, store.waiting(of: kind, upTo: most.adding(taken)) - taken)
  }

  /// As many records as wait; which ones makes no difference to what is asked for.
  func take(_ count: Int, of kind: RecordKind) async throws -> [StoredRow] {
    let count = try await waiting(of: kind, upTo: count)
    guard count > 0 else { return [] }
    taken.withLock { $0[kind.name, default: 0] += count }
    return try await snapshot().rows(of: kind, .everything, after: 0, count: count).rows
  }

  func giveBack(_ ids: [String], to kind: RecordKind) async throws {}
  func reset(_ kind: RecordKind) async throws {}
  func met(_ ids: [String], of kind: RecordKind, reading: Int) async throws -> Set<String> {
    try await store.met(ids, of: kind, reading: reading)
  }

  func delete(_ id: String, of kind: RecordKind, at moment: Moment) async throws -> Moment { moment }
  func restore(_ id: String, of kind: RecordKind) async throws -> Bool { false }
  func takeBackEdits(of id: String, in kind: RecordKind) async throws -> [FieldPath] { [] }
  func deletions(of kind: RecordKind) async throws -> [String] { try await store.deletions(of: kind) }
  func history(of id: String, of kind: RecordKind) async throws -> History? { try await store.history(of: id, of: kind) }

  func claim(_ claim: Claim, of kind: RecordKind) async throws {}
  func release(_ claim: Claim, of kind: RecordKind) async {}
  func sync(of kind: RecordKind) async throws -> SyncState? { try await store.sync(of: kind) }
  func beginSync(of kind: RecordKind, at moment: Moment, full isFull: Bool, mark: Moment?) async throws -> SyncState {
    SyncState(after: try await sync(of: kind), at: moment, full: isFull, mark: mark)
  }
  func note(_ state: SyncState, of kind: RecordKind) async throws -> Int { 0 }
  func met(_ ids: [String], of kind: RecordKind, sync number: Int) async throws -> Set<String> {
    try await store.met(ids, of: kind, sync: number)
  }
  func changes(of kind: RecordKind, since moment: Moment) async throws -> [RecordChange] {
    try await store.changes(of: kind, since: moment)
  }
  func note(_ text: String, as note: RecordNote, of kind: RecordKind) async throws {}
  func unmet(of kind: RecordKind) async throws -> Int { try await store.unmet(of: kind) }

  func holdings() async throws -> [Holding] { try await store.holdings() }
  func clearAnswers() async throws -> Int { 0 }
  func forget(_ kind: RecordKind, importedOnly: Bool) async throws -> Int { 0 }
  func storedText(_ name: String, made make: @Sendable () -> String) async throws -> String {
    try await snapshot().storedText(name) ?? make()
  }
}
