import AggregatorCore

/// A store on which a law is tried.
///
/// A check looks only at what its own law says, so that a store which breaks one law is reported for that law alone.
struct StoreTrial: Sendable {
  let open: StoreLaws.StoreOpener
  let store: any RecordStore
  private let parts: Set<StorePart>
  let lock: StoreLaws.Lock?

  init(
    opening open: @escaping StoreLaws.StoreOpener, having parts: Set<StorePart> = StorePart.all,
    locking lock: StoreLaws.Lock? = nil
  ) async throws {
    self.open = open
    (self.parts, self.lock) = (parts, lock)
    store = try await open()
  }

  /// The breach of a law: the value that was seen instead of the expected one.
  struct Breach: Error {
    let seen: String
  }

  func has(_ part: StorePart) -> Bool { parts.contains(part) }

  func require(_ condition: Bool, _ seen: @autoclosure () -> String) throws {
    if !condition { throw Breach(seen: seen()) }
  }

  func require<Value: Equatable>(_ seen: Value, is due: Value, _ what: String) throws {
    try require(seen == due, "\(what): \(seen) instead of \(due)")
  }

  func check(_ law: StoreLaw) async throws {
    switch law {
    case .empty: try await empty()
    case .bytes: try await bytes()
    case .identity: try await identity()
    case .firstStays: try await firstStays()
    case .lastStays: try await lastStays()
    case .absorbed: try await absorbed()
    case .batches: try await batches()
    case .order: try await order()
    case .rowNumbers: try await rowNumbers()
    case .search: try await search()
    case .snapshots: try await snapshots()
    case .census: try await census()
    case .traces: try await traces()
    case .settling: try await settling()
    case .taking: try await taking()
    case .givingBack: try await givingBack()
    case .landingAtOnce: try await landingAtOnce()
    case .advances: try await advances()
    case .resets: try await resets()
    case .readings: try await readings()
    case .claims: try await claims()
    case .beginnings: try await beginnings()
    case .progress: try await progress()
    case .overtaking: try await overtaking()
    case .syncs: try await syncs()
    case .unmet: try await unmet()
    case .onlyImported: try await onlyImported()
    case .imports: try await imports()
    case .differing: try await differing()
    case .edits: try await edits()
    case .gone: try await gone()
    case .changes: try await changes()
    case .notes: try await notes()
    case .deletions: try await deletions()
    case .restoring: try await restoring()
    case .histories: try await histories()
    case .answers: try await answers()
    case .steps: try await steps()
    case .clearing: try await clearing()
    case .forgetting: try await forgetting()
    case .holdings: try await holdings()
    case .stamps: try await stamps()
    case .outdating: try await outdating()
    case .holders: try await holders()
    case .keepsakes: try await keepsakes()
    case .kinds: try await kinds()
    case .promptness: try await promptness()
    case .sharing: try await sharing()
    }
  }
}

// MARK: - Records and steps of the trials

extension StoreTrial {
  var ports: Archive<Port> { Archive("ports", in: store) }
  var kind: RecordKind { ports.kind }

  func port(_ number: Int, _ name: String? = nil) -> Port { Port("\(number)", name ?? "Port \(number)") }

  /// Returns a moment with nanoseconds, which a store that drops them would change.
  func moment(_ seconds: Int) -> Moment { Moment(sinceEpoch: .seconds(seconds) + .nanoseconds(123_456_789)) }

  func fetch(_ number: Int, question: String = "all") -> Fetch {
    Fetch(at: moment(1_000 + number), request: question, place: "page \(number)")
  }

  @discardableResult
  func land(
    _ items: [Port], _ number: Int = 1, rule: Batch.Rule = .firstStays, of sync: SyncState? = nil,
    advancing advance: Advance? = nil
  ) async throws -> LandingResult {
    var batch = Batch(kind, rule: rule)
    batch.add(items, from: fetch(number))
    (batch.sync, batch.advance) = (sync, advance)
    return try await store.land(batch)
  }

  /// Imports records of a file; `begun` is the number of the fetch with which the import began.
  @discardableResult
  func bring(_ items: [Port], _ number: Int, since begun: Int? = nil) async throws -> LandingResult {
    var batch = Batch(kind, rule: .imported(since: fetch(begun ?? number).at))
    batch.add(items, from: fetch(number, question: Fetch.importing))
    return try await store.land(batch)
  }

  /// Syncs some records, from its beginning to its end.
  @discardableResult
  func sync(
    _ items: [Port], _ number: Int, full isFull: Bool = true, verdict: Verdict = .complete, skipped: Int = 0
  ) async throws -> Int {
    var state = try await store.beginSync(of: kind, at: moment(number), full: isFull, mark: nil)
    (state.counts.received, state.counts.skipped) = (items.count, skipped)
    try await land(items, number, rule: .lastStays, of: state)
    (state.verdict, state.ended) = (verdict, moment(number + 1))
    return try await store.note(state, of: kind)
  }

  /// Returns the sorted ids of the stored records.
  func ids(_ archive: Archive<Port>? = nil, _ question: StoredQuery = .everything) async throws -> [String] {
    try ids(try await rows(of: (archive ?? ports).kind, question))
  }

  func ids(_ rows: [StoredRow]) throws -> [String] { try rows.map { try Port(JSON($0.body), as: .own).id }.sorted() }

  /// Returns all rows that a question finds, read in pages.
  func rows(of kind: RecordKind, _ question: StoredQuery = .everything, by count: Int = 100) async throws -> [StoredRow] {
    let snapshot = try await store.snapshot()
    var (rows, after): ([StoredRow], Int64?) = ([], 0)
    while let row = after {
      let found = try await snapshot.rows(of: kind, question, after: row, count: count)
      rows += found.rows
      after = found.next
      if let next = after { try require(next > row, "the page after row \(row) continues after row \(next)") }
    }
    return rows
  }

  func name(of id: String) async throws -> String? {
    try await rows(of: kind, .id(id)).first.map { try Port(JSON($0.body), as: .own).name }
  }

  func take(_ count: Int) async throws -> [String] { try ids(try await store.take(count, of: kind)) }

  /// True when `body` throws an error of that kind; usually the error of a store.
  func isRefused(as kind: SourceError.Kind = .storage, _ body: () async throws -> Void) async throws -> Bool {
    do {
      try await body()
      return false
    } catch let error as SourceError where error.kind == kind {
      return true
    }
  }
}

/// The record of most trials.
struct Port: Record {
  var id = ""
  var name = ""

  static let fields: [Field<Port>] = [Field("id", \.id), Field("name", \.name, .title, searchable: true)]

  init() {}
  init(_ id: String, _ name: String) { (self.id, self.name) = (id, name) }
}

/// A record with other fields than a port.
struct Pier: Record {
  var id = ""
  var depth = 0

  static let fields: [Field<Pier>] = [Field("id", \.id, .title), Field("depth", \.depth)]
}

/// A record whose values can be written in several ways, and may be missing.
struct Quay: Record {
  var id = ""
  var name: String?
  var depth = Value.null
  var ships: [String] = []

  static let fields: [Field<Quay>] = [
    Field("id", \.id), Field("name", \.name, .title, searchable: true), Field("depth", \.depth), Field("ships", \.ships),
    Field("isNamed") { $0.name != nil },
  ]

  init() {}
  init(_ id: String, _ name: String? = nil, _ depth: Value = .null, _ ships: [String] = []) {
    (self.id, self.name, self.depth, self.ships) = (id, name, depth, ships)
  }
}
