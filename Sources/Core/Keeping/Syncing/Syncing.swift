/// Brings every record of a source into the store.
///
///     let outcome = try await Syncing(source, into: archive).run()
///
/// While one page is read, the next one is on its way and the last one is being stored. An unfinished sync that began less than a day ago
/// continues after the last stored batch. After a complete sync only changes are asked for, if the source can tell them.
public struct Syncing<Item: SourceItem>: Sendable {
  private let source: any DataSource<Item>
  private let archive: Archive<Item>
  private let requests: RequestCap
  private let clock: any Timekeeper

  /// Makes a sync; `requests` counts the requests of the source.
  public init(
    _ source: some DataSource<Item>, into archive: Archive<Item>, counting requests: RequestCap = RequestCap(),
    clock: some Timekeeper = SystemTime()
  ) { (self.source, self.archive, self.requests, self.clock) = (source, archive, requests, clock) }

  /// Syncs until the end, an error or the deadline. `begin` is called with the state from which the sync continues.
  ///
  /// If the service asks for a pause, `waiting` is called with its length and its reason, and the sync continues after the pause; without
  /// `waiting` the sync ends there. The same holds while another sync of these records runs: `waiting` is then called once, with the time
  /// between two looks for its end. An error before the first page is thrown, and leaves the stored records as they were. The store notes
  /// how often in a row and since when syncs fail (``SyncFailures``).
  public func run(
    _ wishes: SyncWishes = SyncWishes(), waiting: ((Duration, SourceError) async -> Void)? = nil,
    beginning begin: @escaping @Sendable (SyncState) async -> Void = { _ in }
  ) async throws -> SyncOutcome {
    do {
      let outcome = try await runAndWait(wishes, waiting, begin)
      if let error = outcome.error, !error.kind.isBudget { await archive.note(failure: error, at: clock.now) }
      return outcome
    } catch let error as SourceError {
      await archive.note(failure: error, at: clock.now)
      throw error
    }
  }

  private func runAndWait(
    _ wishes: SyncWishes, _ waiting: ((Duration, SourceError) async -> Void)?,
    _ begin: @escaping @Sendable (SyncState) async -> Void
  ) async throws -> SyncOutcome {
    var (begin, last, unnamedWait) = (begin, SyncOutcome?.none, Self.firstWait)
    while true {
      let refusal: SourceError
      do {
        let outcome = try await runAlone(wishes, waiting, begin)
        (last, unnamedWait) = (outcome, Self.firstWait)
        guard let error = outcome.error, error.kind.isBudget else { return outcome }
        refusal = error
      } catch let error as SourceError where error.kind != .taken {
        // After a wait even an error in the first answer is one half-way through the sync.
        last?.verdict =
          error.kind == .requestsSpent ? .bounded : .partial(Shortfall(error, isLate: clock.isPast(Deadline.current)))
        guard error.kind.isBudget else {
          guard let last else { throw error }
          return last
        }
        refusal = error
      }
      // The wait is as long as the service says, or else twice as long each time.
      let wait = refusal.namedWait ?? unnamedWait
      if refusal.namedWait == nil { unnamedWait = min(.seconds(3_600), unnamedWait * 2) }
      guard let waiting, Deadline.allows(wait) else {
        guard let last else { throw refusal }
        return last
      }
      await waiting(wait, refusal)
      try await clock.sleep(for: wait)
      begin = { _ in }
    }
  }

  /// Runs as the only sync of these records, after waiting for another one to end.
  private func runAlone(
    _ wishes: SyncWishes, _ waiting: ((Duration, SourceError) async -> Void)?,
    _ begin: @escaping @Sendable (SyncState) async -> Void
  ) async throws -> SyncOutcome {
    var hasWaited = false
    while true {
      do {
        return try await archive.syncingAlone { try await runOnce(wishes, begin) }
      } catch let error as SourceError where error.kind == .taken {
        let taken = try await since(error)
        guard let waiting else { throw taken }
        guard Deadline.allows(Self.look) else { throw copy(of: taken) { $0.remedy = .lengthen("timeout") } }
        if !hasWaited { await waiting(Self.look, taken) }
        hasWaited = true
        try await clock.sleep(for: Self.look)
      }
    }
  }

  /// The interval at which a sync that waits for another one looks whether that has ended.
  private static var look: Duration { .milliseconds(500) }

  /// Returns the error for a second sync at the same time, with the age of the first.
  private func since(_ taken: SourceError) async throws -> SourceError {
    guard let running = try await archive.lastSync(), running.verdict == nil else { return taken }
    return copy(of: taken) { $0.message += ", begun \((clock.now - running.began).ago)" }
  }

  /// The time for which a service is left alone if it names none.
  private static var firstWait: Duration { .seconds(300) }

  /// Syncs without waiting for a pause; it runs in the pool, so that reading and writing need not wait for the caller.
  @concurrent private func runOnce(
    _ wishes: SyncWishes, _ begin: @Sendable (SyncState) async -> Void
  ) async throws -> SyncOutcome {
    // These come before any request, since a sync by another description is not continued.
    try await archive.readAnew()
    let isOfAnotherList = try await archive.isOutdated
    let last = try await isOfAnotherList ? nil : archive.lastSync()
    if let last, isUnfinished(last, full: wishes.isFull) {
      do {
        return try await run(wishes, begin, after: last, isContinuing: true, isOfAnotherList)
      } catch let error as SourceError where last.lacksPages && error.kind.isOfPlace && !clock.isPast(Deadline.current) {
        // The same pages fail again. The others may have changed since, so the list is read anew.
      } catch let error as SourceError where error.refusesPlace && last.cursor != nil {
        let text = "the service does not continue where the last sync stopped, so this one begins anew: \(error.message)"
        Event.emit(.noticed(source: archive.kind.name, text))
      } catch let error as SourceError where source.profile.hasStandIn && error.unseats && last.cursor != nil {
        // The place gives way once another source has answered, and not before.
        do {
          try await source.page(PageRequest()).checkIsNot(by: last.cursor?.maker, in: archive.kind)
        } catch is SourceError {
          throw error
        }
      } catch let error as SourceError where error.kind == .settings {
        // Whose list it is, the service may tell only with its first answer.
      }
    }
    return try await run(wishes, begin, after: last, isOfAnotherList)
  }

  /// True when a sync did not end, and is not too old to be continued: one that is older than a day says too little about the present list.
  /// One that lacks only pages that failed is continued for half a day, so that the next night reads the whole list.
  private func isUnfinished(_ last: SyncState, full isForced: Bool) -> Bool {
    last.continues && source.profile.continuesLater && (last.isFull && !last.lacksPages || !isForced)
      && (.zero..<Duration.seconds(last.lacksPages ? 43_200 : 86_400)).contains(clock.now - last.began)
  }

  /// Continues the `last` sync, or begins a new one after it. `isOfAnotherList` says that the stored records are those of another list.
  private func run(
    _ wishes: SyncWishes, _ begin: @Sendable (SyncState) async -> Void, after last: SyncState?, isContinuing: Bool = false,
    _ isOfAnotherList: Bool
  ) async throws -> SyncOutcome {
    let sent = requests.count
    let memory = try await PageMemory(of: archive, forgetting: wishes.isFull)
    let ahead = ReadAhead(RememberedPages(upstream: source, memory: memory), clock)
    let (beginning, isAnswered): (SyncState, Bool)
    if isContinuing, let last {
      try await archive.noteList()
      try await archive.logContinuation(of: last)
      (beginning, isAnswered) = (copy(of: last) { ($0.verdict, $0.ended) = (nil, nil) }, false)
    } else {
      (beginning, isAnswered) = try await start(ahead, after: last, full: wishes.isFull)
    }
    await begin(beginning)
    // A first page that came after the deadline still lands, together with its place.
    let isLate = isAnswered && clock.isPast(Deadline.current)
    var run = SyncRun(
      ahead, memory, into: archive, from: beginning, wishes, counting: requests, since: sent, isLate: isLate, clock: clock)
    let refused = try await run.takePages(after: isOfAnotherList)
    return try await run.end(refused: refused)
  }

  /// Begins a new sync, once the service has answered with the mark or the first page: a service that is down must not make the stored
  /// records count as incomplete.
  private func start(
    _ ahead: ReadAhead<Item>, after last: SyncState?, full isForced: Bool
  ) async throws -> (state: SyncState, isAnswered: Bool) {
    let now = clock.now
    let isFull = isForced || !(last?.tellsMore(in: ahead.profile) ?? false)
    let next = SyncState(after: last, at: now, full: isFull, mark: nil)
    let needsMark = isFull && ahead.profile.tellsChanges
    // The mark is taken before the walk, so that the next sync asks again for what changes during this one.
    var (mark, isMarked, isAnswered) = (Moment?.none, false, false)
    if needsMark {
      do {
        (mark, isMarked) = (try await source.page(PageRequest(.latest)).mark, true)
      } catch let error as SourceError where source.profile.hasStandIn && error.unseats {
        // Another source may list everything, although it cannot tell the last change.
      }
    }
    do {
      try await ahead.askFirst(for: PageRequest(next.query))
      isAnswered = true
    } catch let error as SourceError where isMarked && (error.kind == .requestsSpent || error.kind == .budgetSpent) {
      // The service has answered with the mark, which need not be asked for again. Otherwise runs of one request would never get further.
    }
    try await archive.noteList()
    try await archive.noteImports()
    // Noted first, so that a reader finds in it what answers beside the sync from its beginning on.
    try await archive.log([last, next].compactMap(\.self))
    return (try await archive.writable.beginSync(of: archive.kind, at: now, full: isFull, mark: mark), isAnswered)
  }
}

extension Page {
  /// Throws unless another service than `left`, which does not answer any more, made this first page. If one did, a person is told.
  func checkIsNot(by left: String?, in kind: RecordKind) throws {
    guard let left, maker.name != left, origin.kind == .live || origin.kind == .replay else {
      throw SourceError(.unavailable, "no other service answered")
    }
    let text = "\(left) does not answer where it stopped, so reading begins anew with \(maker.name)"
    Event.emit(.noticed(source: kind.name, text))
  }
}

/// The wishes of a caller for one sync.
public struct SyncWishes: Sendable, Hashable {
  /// True when everything is fetched, and not only what changed.
  public var isFull = false
  /// True when records that did not come count as gone even if those are most of the store. Otherwise the verdict is partial then.
  public var acceptsGone = false
  /// True when no record of another shape than the expected one is stored. The sync ends as partial with the first of them.
  public var isFreezing = false

  /// No wishes, or these.
  public init(full isFull: Bool = false, acceptingGone acceptsGone: Bool = false, freezing isFreezing: Bool = false) {
    (self.isFull, self.acceptsGone, self.isFreezing) = (isFull, acceptsGone, isFreezing)
  }
}

/// The result of a sync.
public struct SyncOutcome: Sendable {
  /// The state of the whole sync, its earlier runs included.
  public var state: SyncState
  /// The verdict at the end of this run.
  public var verdict: Verdict
  /// The origin of the rows of this run; nil if none came.
  public var origin: Origin?
  /// The fields of which stored values were kept, since another service answered whose records lack them.
  public var kept: [String] = []
  /// The differences between the shape of the rows and the expected one.
  public var drift: [ShapeDrift] = []
  /// The drifts that began with this sync, and those that ended with it.
  public var driftNews: [ShapeDrift] = []

  /// The error that stopped the sync before its end; nil if none did.
  public var error: SourceError? {
    switch verdict {
    case .partial(.failed(let error)), .partial(.budget(let error)): error
    default: nil
    }
  }
}

extension SyncState {
  /// The query of the walk: everything, or what changed since the watermark.
  package var query: Query {
    if isFull { return .everything }
    return bookmark.map { .following($0) } ?? watermark.map { .changed(since: $0) } ?? .everything
  }

  /// True when the next sync need not read the whole list: the source takes its bookmark back, or tells what changed.
  fileprivate func tellsMore(in profile: Profile) -> Bool { bookmark != nil || profile.tellsChanges && knowsChanges }

  /// True when everything is stored that changed before the mark. A mark ahead of the clock proves nothing.
  package var knowsChanges: Bool { watermark.map { $0 <= began } ?? false && (verdict == .complete || !isFull) }
}

extension SourceError {
  /// True when the service does not have the place that was asked for, as one whose page token has ended.
  fileprivate var refusesPlace: Bool { [.badRequest, .noSuchAddress, .foreignCursor].contains(kind) }

  /// True when a source that began a list does not answer, so that another one may begin it anew. One that asks for a pause keeps the place.
  var unseats: Bool { kind.mayFallBack && !kind.isBudget }

  /// The pause that the service asked for; nil if it named no time, or zero.
  public var namedWait: Duration? { retryAfter.flatMap { $0 > .zero ? $0 : nil } }
}

extension SourceError.Kind {
  /// True when nothing is needed but to ask again later.
  public var isBudget: Bool { self == .budgetSpent || self == .throttled }
}
