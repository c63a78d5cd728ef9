/// Brings every record of a source into the store.
///
///     let outcome = try await Syncing(source, into: archive).run()
///
/// The next page is on the wire while one is read and the last is being stored. An unfinished sync of the same day goes on where it
/// was. After a complete one only what changed is asked for, where the source can tell.
public struct Syncing<Item: SourceItem>: Sendable {
  private let source: any DataSource<Item>
  private let archive: Archive<Item>
  private let requests: RequestCap
  private let clock: any Timekeeper

  /// `requests` counts what the source sends.
  public init(
    _ source: some DataSource<Item>, into archive: Archive<Item>, counting requests: RequestCap = RequestCap(),
    clock: some Timekeeper = SystemTime()
  ) {
    self.source = source
    self.archive = archive
    self.requests = requests
    self.clock = clock
  }

  /// What came of it.
  public struct Outcome: Sendable {
    /// The whole sync, its earlier runs included.
    public var state: SyncState
    public var verdict: Verdict
    /// How many records the service no longer has.
    public var gone = 0
    /// How the list changed while it was read; nil where nothing shows that it did.
    public var change: String?

    /// What stopped it before its end.
    public var error: SourceError? {
      switch verdict {
      case .partial(.failed(let error)), .partial(.budget(let error)): error
      default: nil
      }
    }
  }

  /// Syncs until the end, an error or the deadline; `begin` hears what it goes on from.
  ///
  /// Where most of what was stored is not in the list any more nothing is marked as gone, and the verdict is partial, unless `acceptsGone`.
  /// An error before the first page is thrown, and leaves what is stored as it was.
  ///
  /// In the pool, so that reading and writing need not wait for the caller.
  @concurrent public func run(
    full isForced: Bool = false, acceptingGone acceptsGone: Bool = false, deadline: Moment? = nil,
    beginning begin: @Sendable (SyncState) -> Void = { _ in }
  ) async throws -> Outcome {
    let claim = try await archive.claimSync()
    defer { withExtendedLifetime(claim) {} }
    return try await run(ReadAhead(source), isForced, acceptsGone, deadline, begin)
  }

  private func run(
    _ ahead: ReadAhead<Item>, _ isForced: Bool, _ acceptsGone: Bool, _ deadline: Moment?, _ begin: (SyncState) -> Void
  ) async throws -> Outcome {
    let sent = requests.count
    var run = try await start(ahead, isForced, deadline)
    begin(run.state)
    var walk = Walk(
      ahead, run.state.query, bounds: Bounds(deadline: deadline), from: run.state.cursor, behind: run.state.behind,
      announced: run.state.total, seen: run.seen, clock: clock)
    var cursor = walk.cursor
    do {
      while let items = try await walk.nextPage() {
        let fetch = Fetch(at: clock.now, request: "sync", cursor: cursor)
        try await run.land(items, from: fetch, of: walk, requests: requests.count - sent)
        cursor = walk.cursor
      }
    } catch let error as SourceError where error.kind == .requestsSpent {
      // Before the first page: the next run goes on here.
    } catch let error as CancellationError {
      // Who has called it off keeps what came.
      let (now, sent) = (clock.now, requests.count - sent)
      try await Deadline.disregarded { [run, walk] in
        var run = run
        _ = try await run.finish(walk, at: now, requests: sent)
      }
      throw error
    }
    let mark = !run.state.isFull && walk.summary.verdict == .complete ? walk.summary.mark : nil
    let (state, gone) = try await run.finish(
      walk, at: clock.now, requests: requests.count - sent, watermark: mark, acceptingGone: acceptsGone)
    return Outcome(state: state, verdict: state.verdict ?? verdict(of: walk.summary), gone: gone, change: walk.summary.change)
  }

  /// The unfinished sync, or a new one once the service has answered: a service that is down makes nothing stored incomplete.
  private func start(
    _ ahead: ReadAhead<Item>, _ isForced: Bool, _ deadline: Moment?
  ) async throws -> SyncRun<Item> {
    let now = clock.now
    let last = try await archive.sync()
    if let last, last.verdict == nil, last.isFull || !isForced, (Duration.zero..<Self.shelfLife).contains(now - last.began) {
      return try await archive.syncing(at: now)
    }
    let isFull = isForced || !ahead.profile.tellsChanges || !(last?.knowsChanges ?? false)
    let next = SyncState(after: last, at: now, full: isFull, mark: nil)
    let needsMark = isFull && ahead.profile.tellsChanges
    // Taken before the walk: what changes during it changes again for the next one.
    let mark = needsMark ? try await source.page(PageRequest(.latest, deadline: deadline)).mark : nil
    do {
      try await ahead.prime(PageRequest(next.query, deadline: deadline))
    } catch let error as SourceError
      where needsMark && last?.isWhole != true && (error.kind == .requestsSpent || error.kind == .budgetSpent)
    {
      // The service has answered, and the mark need not be asked for again.
    }
    return try await archive.syncing(at: now, full: isFull, resuming: false, mark: mark)
  }

  private func verdict(of summary: Summary) -> Verdict {
    switch summary.verdict {
    case .partial(.failed(let error)) where error.kind == .requestsSpent: .bounded
    case let verdict: verdict ?? .bounded
    }
  }

  /// An unfinished sync that is older says too little about the list of today.
  private static var shelfLife: Duration { .seconds(86_400) }
}

extension SyncState {
  /// What the sync walks over.
  package var query: Query { watermark.flatMap { isFull ? nil : .changed(since: $0) } ?? .everything }

  /// Whether all is stored that changed before its mark. A mark ahead of the clock is one row's date, by which older versions went: who
  /// knows what has changed since, and never came.
  package var knowsChanges: Bool { watermark.map { $0 <= began } ?? false && (verdict == .complete || !isFull) }
}
