import Synchronization

/// Brings every record of a source into the store.
///
///     let outcome = try await Syncing(source, into: archive).run()
///
/// The next page is on the wire while one is read and the last is being stored. An unfinished sync of the same day goes on behind the last
/// batch that was stored; after a complete one only what changed is asked for, where the source can tell.
public final class Syncing<Item: SourceItem>: Sendable {
  private let source: any DataSource<Item>
  private let archive: Archive<Item>
  private let requests: RequestCap
  private let clock: any Timekeeper
  /// What the run under way has met; nil before the first one.
  private let ids = Mutex<MetIDs?>(nil)

  /// `requests` counts what the source sends.
  public init(
    _ source: some DataSource<Item>, into archive: Archive<Item>, counting requests: RequestCap = RequestCap(),
    clock: some Timekeeper = SystemTime()
  ) { (self.source, self.archive, self.requests, self.clock) = (source, archive, requests, clock) }

  /// Syncs until the end, an error or the deadline; `begin` hears what it goes on from.
  ///
  /// Where the service asks for time, `waiting` hears how long and why, and it goes on after that; without it the sync ends there. So it does
  /// while another sync of these records runs: then `waiting` hears once how often it looks. Where
  /// most of what was stored is not in the list any more, the verdict is partial, unless `acceptsGone`. An error before the first page is
  /// thrown, and leaves what is stored as it was.
  public func run(
    full isForced: Bool = false, acceptingGone acceptsGone: Bool = false, deadline: Moment? = nil,
    waiting: ((Duration, SourceError) async -> Void)? = nil,
    beginning begin: @escaping @Sendable (SyncState) async -> Void = { _ in }
  ) async throws -> SyncOutcome {
    var begin = begin
    var last: SyncOutcome?
    var unnamedWait = Self.firstWait
    var hasWaited = false
    while true {
      let refusal: SourceError
      do {
        let outcome = try await archive.syncingAlone { [begin] in try await runOnce(isForced, acceptsGone, deadline, begin) }
        (last, unnamedWait) = (outcome, Self.firstWait)
        guard let error = outcome.error, error.kind.isBudget else { return outcome }
        refusal = error
      } catch let error as SourceError where error.kind == .taken {
        let taken = try await since(error)
        guard let waiting else { throw taken }
        guard deadline.map({ clock.now + Self.look <= $0 }) ?? true else {
          throw changing(taken) { $0.remedy = .lengthen("timeout") }
        }
        if !hasWaited { await waiting(Self.look, taken) }
        hasWaited = true
        try await clock.sleep(for: Self.look)
        continue
      } catch let error as SourceError {
        // After a wait an error is one half-way, though it comes in the first answer.
        last?.verdict =
          error.kind == .requestsSpent ? .bounded : .partial(Shortfall(error, isLate: clock.isPast(deadline)))
        guard error.kind.isBudget else {
          guard let last else { throw error }
          return last
        }
        refusal = error
      }
      // As long as the service says, else twice as long each time.
      let wait = refusal.namedWait ?? unnamedWait
      if refusal.namedWait == nil { unnamedWait = min(.seconds(3_600), unnamedWait * 2) }
      guard let waiting, deadline.map({ clock.now + wait <= $0 }) ?? true else {
        guard let last else { throw refusal }
        return last
      }
      await waiting(wait, refusal)
      try await clock.sleep(for: wait)
      begin = { _ in }
    }
  }

  /// How often a sync that waits for another one looks whether that has ended.
  private static var look: Duration { .milliseconds(500) }

  /// The error of a second sync at once, with the age of the first.
  private func since(_ taken: SourceError) async throws -> SourceError {
    guard let running = try await archive.lastSync(), running.verdict == nil else { return taken }
    return changing(taken) { $0.message += ", begun \((clock.now - running.began).ago)" }
  }

  /// How long a service is left alone that names no time.
  private static var firstWait: Duration { .seconds(300) }

  /// Syncs without waiting; in the pool, so that reading and writing need not wait for the caller.
  @concurrent private func runOnce(
    _ isForced: Bool, _ acceptsGone: Bool, _ deadline: Moment?, _ begin: @Sendable (SyncState) async -> Void
  ) async throws -> SyncOutcome {
    let (ahead, sent) = (ReadAhead(source), requests.count)
    let (beginning, isAnswered) = try await start(ahead, isForced, deadline)
    await begin(beginning)
    // A first page that came when the time was up lands all the same, and its place with it.
    let isLate = isAnswered && clock.isPast(deadline)
    ids.withLock { $0 = MetIDs(of: beginning) }
    var intake = archive.intake(.lastStays, .steady)
    var walk = Walk(
      ahead, beginning.query, bounds: isLate ? Bounds(pages: 1) : Bounds(deadline: deadline), from: beginning.cursor,
      behind: beginning.behind,
      announced: beginning.total, seen: self, clock: clock)
    var cursor = walk.cursor
    do {
      while let items = try await walk.nextPage() {
        let fetch = Fetch(at: clock.now, request: "sync", place: cursor?.place.text ?? "start")
        let reached = beginning.counting(walk, requests: requests.count - sent)
        if try await intake.add(items, from: fetch, sync: reached) { ids.withLock { $0?.turn() } }
        cursor = walk.cursor
      }
    } catch let error as SourceError where error.kind == .requestsSpent {
      // Before the first page: the next run goes on here.
    } catch let error as CancellationError {
      // Who has called it off keeps what came.
      let reached = beginning.counting(walk, requests: requests.count - sent)
      _ = try await Deadline.disregarded { [intake, walk] in
        try await self.finish(reached, .bounded, intake, read: walk.shape)
      }
      throw error
    }
    var reached = beginning.counting(walk, requests: requests.count - sent)
    if walk.summary.verdict == .complete, let mark = walk.summary.mark {
      // A change may come later than its date says: no later one is known than the last of the rows that came.
      let known = reached.isFull ? reached.watermark.map { min($0, mark) } : mark
      reached.watermark = known.map(reached.known)
    }
    var verdict = walk.summary.verdict ?? .bounded
    if isLate, verdict == .bounded { verdict = .partial(.deadline) }
    if case .partial(.failed(let error)) = verdict, error.kind == .requestsSpent { verdict = .bounded }
    let (state, gone, drift) = try await finish(reached, verdict, intake, read: walk.shape, acceptingGone: acceptsGone)
    return SyncOutcome(
      state: state, verdict: state.verdict ?? verdict, gone: gone, change: walk.summary.change, drift: drift.standing,
      driftNews: drift.news)
  }

  /// The unfinished sync, or a new one once the service has answered, with its first page: a service that is down makes nothing stored
  /// incomplete.
  private func start(
    _ ahead: ReadAhead<Item>, _ isForced: Bool, _ deadline: Moment?
  ) async throws -> (state: SyncState, isAnswered: Bool) {
    let now = clock.now
    // Before anything is asked: of another list nothing is continued.
    let last = try await archive.isOutdated ? nil : archive.lastSync()
    // An unfinished sync that is older than a day says too little about the list of now.
    if let last, last.verdict == nil, last.isFull || !isForced, (.zero..<Duration.seconds(86_400)).contains(now - last.began) {
      try await archive.settle()
      return (last, false)
    }
    let isFull = isForced || !ahead.profile.tellsChanges || !(last?.knowsChanges ?? false)
    let next = SyncState(after: last, at: now, full: isFull, mark: nil)
    let needsMark = isFull && ahead.profile.tellsChanges
    // Taken before the walk: what changes during it changes again for the next one.
    let mark = needsMark ? try await source.page(PageRequest(.latest, deadline: deadline)).mark : nil
    var isAnswered = false
    do {
      try await ahead.askFirst(for: PageRequest(next.query, deadline: deadline))
      isAnswered = true
    } catch let error as SourceError
      where needsMark && last?.isWhole != true && (error.kind == .requestsSpent || error.kind == .budgetSpent)
    {
      // The service has answered, and the mark need not be asked for again.
    }
    try await archive.settle()
    return try await (archive.beginSync(at: now, full: isFull, mark: mark), isAnswered)
  }

  /// Stores what is left, and ends the sync with the walk's verdict, where that is an end; given is also how many records are gone, and
  /// how their shape has drifted.
  private func finish(
    _ reached: SyncState, _ verdict: Verdict, _ intake: Intake<Item>, read: ShapeCounts, acceptingGone acceptsGone: Bool = false
  ) async throws -> (state: SyncState, gone: Int, drift: (standing: [ShapeDrift], news: [ShapeDrift])) {
    var (state, intake) = (reached, intake)
    _ = try await intake.finish(sync: state)
    // What landed is counted by the store alone.
    if let stored = try await archive.lastSync() { state.landed = stored.landed }
    // Otherwise the next run goes on here.
    if verdict.endsSync { (state.verdict, state.ended) = (verdict, clock.now) }
    state.acceptsGone = acceptsGone
    if state.isFull, verdict == .complete, !acceptsGone, let loss = try await loss(state) { state.verdict = .partial(loss) }
    let gone = try await archive.note(state)
    return (state, gone, try await archive.judge(changing(read) { $0 += intake.shape }, of: state, at: clock.now))
  }

  /// What did not come of all that is stored, where the list cannot prove that it is gone, or where it is most of it: then the list is
  /// rather wrong, as of a service that is empty for a moment.
  private func loss(_ state: SyncState) async throws -> Shortfall? {
    let unmet = try await archive.unmet
    let stored = try await archive.count - state.landed.new
    if unmet > max(10, stored / 2) { return .gone(unmet, of: stored) }
    return unmet > 0 ? state.goneDoubt(in: source.profile.paging).map { .unlisted(unmet, because: $0) } : nil
  }
}

/// What came of a sync.
public struct SyncOutcome: Sendable {
  /// The whole sync, its earlier runs included.
  public var state: SyncState
  /// How it ended.
  public var verdict: Verdict
  /// How many records the service no longer has.
  public var gone = 0
  /// How the list changed while it was read; nil where nothing shows that it did.
  public var change: String?
  /// How the shape of its rows differs from the one that is due.
  public var drift: [ShapeDrift] = []
  /// What of that began with this sync, and what ended with it.
  public var driftNews: [ShapeDrift] = []

  /// What stopped it before its end.
  public var error: SourceError? {
    switch verdict {
    case .partial(.failed(let error)), .partial(.budget(let error)): error
    default: nil
    }
  }
}

/// Its walk asks it for what was met.
extension Syncing: Seen {
  public func met(_ page: [String]) async throws -> Set<String> {
    guard let (ids, number) = ids.withLock({ ids in ids.map { ($0.sorted(page), $0.number) } }) else { return [] }
    return ids.unsure.isEmpty ? ids.met : ids.met.union(try await archive.met(ids.unsure, sync: number))
  }

  public func note(_ page: [String]) { ids.withLock { $0?.note(page) } }
}

extension Verdict {
  /// Whether a sync that comes to this is over; otherwise it can go on where it stopped.
  fileprivate var endsSync: Bool {
    switch self {
    case .bounded, .partial(.failed), .partial(.deadline), .partial(.budget), .partial(.notStored): false
    default: true
    }
  }
}

extension SyncState {
  /// What the sync walks over.
  package var query: Query { watermark.flatMap { isFull ? nil : .changed(since: $0) } ?? .everything }

  /// Whether all is stored that changed before its mark; a mark ahead of the clock, by which older versions went, proves nothing.
  package var knowsChanges: Bool { watermark.map { $0 <= began } ?? false && (verdict == .complete || !isFull) }

  /// This state and what a walk from here has come to.
  fileprivate func counting(_ walk: Walk<some SourceItem>, requests: Int) -> SyncState {
    var state = self
    let summary = walk.summary
    state.cursor = walk.cursor ?? cursor
    state.behind = behind.adding(summary.given + summary.skipped)
    state.received = received.adding(summary.given + summary.duplicates + summary.skipped)
    state.duplicates = duplicates.adding(summary.duplicates)
    state.skipped = skipped.adding(summary.skipped)
    state.requests = self.requests.adding(requests)
    state.total = summary.total ?? total
    state.mayHaveLost = mayHaveLost || !summary.isSure
    return state
  }
}

extension SourceError {
  /// How long the service asked to be left alone, where it named a time; zero counts as none.
  public var namedWait: Duration? { retryAfter.flatMap { $0 > .zero ? $0 : nil } }
}

extension SourceError.Kind {
  /// Whether asking later is all that it takes.
  public var isBudget: Bool { self == .budgetSpent || self == .throttled }
}
