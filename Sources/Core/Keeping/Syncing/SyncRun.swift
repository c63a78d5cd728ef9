/// One run of a sync: the pages that it takes from the place where the last one stopped, and the way in which it ends.
struct SyncRun<Item: SourceItem>: Sendable {
  private let archive: Archive<Item>
  private let wishes: SyncWishes
  /// The state of the sync before this run.
  private let beginning: SyncState
  private let memory: PageMemory<Item>
  private let requests: (cap: RequestCap, before: Int)
  /// True when only one more page is taken, because it came after the deadline.
  private let isLate: Bool
  private let ids: IDsOfSync<Item>
  private var walk: Walk<Item>
  private var intake: Intake<Item>
  /// The place of the last page that was taken.
  private var cursor: Cursor?
  /// False when the stored records are those of another list, whose values say nothing about this one.
  private var fills = true
  /// The fields of which stored values were kept, since the records of another service lack them.
  private var kept: Set<String> = []

  /// Makes a run that has taken no page. `memory` has the pages of `source`, and `requestsBefore` were sent before the run.
  init(
    _ source: ReadAhead<Item>, _ memory: PageMemory<Item>, into archive: Archive<Item>, from beginning: SyncState,
    _ wishes: SyncWishes, counting requests: RequestCap, since requestsBefore: Int, isLate: Bool, clock: any Timekeeper
  ) {
    (self.archive, self.wishes, self.beginning, self.memory, self.isLate) = (archive, wishes, beginning, memory, isLate)
    self.requests = (requests, requestsBefore)
    ids = IDsOfSync(
      beginning, in: archive, by: source.schema.stateDigest(for: beginning.query, by: source.profile.changeField))
    walk = Walk(
      source, beginning.query, bounds: isLate ? Bounds(pages: 1) : Bounds(deadline: Deadline.current), from: beginning.cursor,
      rowsBefore: beginning.rowsBefore, announced: beginning.total, seen: ids, clock: clock)
    if wishes.isFull { walk.readUntilReadingsAgree() }
    if !source.profile.paging.looksBack || source.profile.paging.isNumbered { walk.noteOrder() }
    if source.profile.listsStates || beginning.query != .everything { walk.takeRenewedRecords() }
    intake = archive.intake(.lastStays, .steady)
    cursor = walk.cursor
  }

  // MARK: - Pages

  /// Takes pages until the walk ends, and returns the error if a record of another shape was refused. If the stored records are
  /// those of `anotherList`, no shape is expected.
  mutating func takePages(after anotherList: Bool) async throws -> SourceError? {
    intake.unknown = try await archive.unknownFields
    if wishes.isFreezing, !anotherList { intake.shapes.due = try await archive.expectedShape() }
    var isHiding = anotherList
    fills = !anotherList
    do {
      while let items = try await walk.nextPage() {
        try await take(items)
        // The rows of the other list are hidden now. So that something is shown in their place, the first page does not wait for more.
        if isHiding { try await intake.land(sync: reached) }
        isHiding = false
        cursor = walk.cursor ?? cursor
      }
      // The last records are judged before the sync ends.
      if wishes.isFreezing { try await intake.land(sync: reached) }
    } catch let error as SourceError where error.kind == .otherShape {
      intake.leaveOut()
      return error
    } catch let error as SourceError where error.kind == .requestsSpent {
      // The requests were spent before the first page; the next run continues here.
    } catch let error as SourceError where walk.summary.pages == 0 && walk.cursor != cursor {
      // A page was only looked at. The next run would otherwise ask for it again, and so would each run after that.
      try await keep()
      throw error
    } catch let error as CancellationError {
      try await keep()
      throw error
    }
    return nil
  }

  /// Stores what came so far, and the place, without an end.
  private func keep() async throws {
    _ = try await Deadline.disregarded { [self] in
      var run = self
      return try await run.finish(run.reached, .bounded)
    }
  }

  private mutating func take(_ items: consuming [Item]) async throws {
    let (state, maker) = (reached, walk.summary.origin?.maker)
    let request = "sync" + (maker.map { " from \($0)" } ?? "")
    let fetch = Fetch(at: walk.clock.now, request: request, place: cursor?.place.text ?? "start")
    if maker != nil, fills { kept.formUnion(try await archive.fill(&items)) }
    intake.shapes.read = walk.shape
    let remember = maker == nil ? memory.noting(items) : nil
    if try await intake.add(items, misfits: walk.misfits, from: fetch, sync: state, noting: remember) { ids.turn() }
  }

  /// The state of the sync after the last page that was taken. A run that is cut off at the end of the list asks for that page again.
  private var reached: SyncState {
    var state = beginning
    let (summary, counts) = (walk.summary, beginning.counts)
    state.cursor = walk.cursor ?? (summary.pages > 0 ? cursor?.comingAgain : cursor)
    state.rowsBefore = walk.rowsBefore
    state.counts.received = counts.received.adding(summary.given + summary.duplicates + summary.skipped)
    state.counts.repeated = counts.repeated.adding(summary.duplicates)
    state.counts.skipped = counts.skipped.adding(summary.skipped)
    state.counts.requests = counts.requests.adding(requests.cap.count - requests.before)
    state.counts.unchangedPages = counts.unchangedPages.adding(memory.unchanged)
    state.total = summary.total ?? state.total
    state.bookmark = summary.bookmark ?? state.bookmark
    state.change = summary.change ?? state.change
    state.maker = summary.origin?.maker ?? state.maker
    // Equal readings of the whole list prove what an earlier run of the sync could not.
    state.mayHaveLost = !summary.isSure || state.mayHaveLost && !walk.readingsAgree
    return state
  }

  // MARK: - The end

  /// Ends the run after its last page, or because a record was `refused`.
  mutating func end(refused: SourceError?) async throws -> SyncOutcome {
    let before = (verdict: walk.summary.verdict, state: reached)
    if refused == nil, let gone = try await mayProveGone() { try await readAgain(because: gone) }
    // A second reading that came to nothing leaves what the first one proved.
    var state = walk.summary.verdict == before.verdict ? reached : before.state
    if before.verdict == .complete, let latest = walk.summary.mark {
      // A change may become visible after its date, and rows that came early may have changed since. So changes are known up to the last of
      // the rows that came, less the time that the sync took: whatever the service's clock says, it was not later when the sync began.
      let mark = latest - max(.zero, walk.clock.now - state.began)
      let known = state.isFull ? state.watermark.map { min($0, mark) } : mark
      state.watermark = known.map(state.known)
    }
    let outcome = try await finish(
      state, refused.map { .partial(.recorded($0.message)) } ?? verdict(of: before.verdict), acceptingGone: wishes.acceptsGone)
    try await memory.store(isWhole: beginning.isFull && beginning.cursor == nil && outcome.state.ended != nil)
    if walk.summary.pages > 0, outcome.error?.kind.isBudget ?? true { try await archive.writable.endFailures(of: archive.kind) }
    return outcome
  }

  /// Returns the number of stored records that were not listed, if they are few, and if nothing but the way of reading puts in doubt that they
  /// are gone. Nil otherwise.
  private mutating func mayProveGone() async throws -> Int? {
    guard beginning.isFull, !wishes.acceptsGone, walk.summary.verdict == .complete, !walk.summary.isSure else { return nil }
    try await intake.land(sync: reached)
    var state = reached
    if let stored = try await archive.lastSync() { state.counts.landed = stored.counts.landed }
    state.mayHaveLost = false
    guard state.goneDoubt() == nil else { return nil }
    state.mayHaveLost = true
    guard case .unlisted(let count, _)? = try await loss(state) else { return nil }
    return count
  }

  /// Reads the list once more: two equal readings with one total prove that records are gone which no reading had.
  private mutating func readAgain(because gone: Int) async throws {
    let read = walk.summary.pages
    guard walk.readAgain() else { return }
    while let items = try await walk.nextPage() { try await take(items) }
    // A reading that was cut proves nothing, and is not told as one.
    guard walk.summary.verdict == .complete else { return }
    let more = walk.summary.pages - read
    let records = gone == 1 ? "1 stored record was" : "\(gone) stored records were"
    let text = "\(records) not listed, so the list was read once more (\(more) more page\(more == 1 ? "" : "s"))"
    Event.emit(.noticed(source: archive.kind.name, text))
  }

  /// Returns a verdict of the walk in the words of a sync.
  private func verdict(of verdict: Verdict?) -> Verdict {
    switch verdict ?? .bounded {
    case .bounded where isLate: .partial(.deadline)
    case .partial(.failed(let error)) where error.kind == .requestsSpent: .bounded
    case let verdict: verdict
    }
  }

  /// Stores the rest, and ends the sync with this verdict if that is an end.
  private mutating func finish(
    _ reached: SyncState, _ verdict: Verdict, acceptingGone acceptsGone: Bool = false
  ) async throws -> SyncOutcome {
    let landed = try await land(reached, verdict, acceptingGone: acceptsGone)
    let judged = try await judge(landed)
    let noted = try await note(judged)
    return try await outcome(of: noted, verdict)
  }

  /// The state of a sync whose records all landed.
  private struct Landed { let state: SyncState }
  /// The state with the verdict that the store's records allow.
  private struct Judged { let state: SyncState }
  /// The state as the store has it, with the number of records that are gone.
  private struct Noted { let state: SyncState }

  private mutating func land(_ reached: SyncState, _ verdict: Verdict, acceptingGone acceptsGone: Bool) async throws -> Landed {
    var state = reached
    _ = try await intake.finish(sync: state)
    // The store alone counts what landed.
    if let stored = try await archive.lastSync() { state.counts.landed = stored.counts.landed }
    // Without an end the next run continues here.
    if verdict.endsSync { (state.verdict, state.ended) = (verdict, walk.clock.now) }
    state.acceptsGone = acceptsGone
    return Landed(state: state)
  }

  private func judge(_ landed: Landed) async throws -> Judged {
    var state = landed.state
    if state.verdict != nil, try await !archive.isAsNoted {
      state.verdict = .partial(.recorded("the description of the list changed meanwhile"))
    }
    if state.isFull, state.verdict == .complete, !state.acceptsGone, let loss = try await loss(state) {
      state.verdict = .partial(loss)
    }
    return Judged(state: state)
  }

  private func note(_ judged: Judged) async throws -> Noted {
    var state = judged.state
    state.counts.gone = try await archive.note(state)
    if state.ended != nil {
      try await archive.log([state])
      try await archive.settleImports()
    }
    if state.isFull, state.verdict == .complete || state.verdict == .unverifiable { try await archive.knowAll() }
    return Noted(state: state)
  }

  /// Returns the outcome of a run with that verdict, and notes the shape of its rows.
  private func outcome(of noted: Noted, _ verdict: Verdict) async throws -> SyncOutcome {
    var state = noted.state
    let sent = copy(of: walk.shape) { $0 += intake.shapes.sent }
    // The shape of another service's rows says nothing about those of this one.
    let shape =
      state.maker == nil
      ? try await archive.judge(sent, of: state, at: walk.clock.now)
      : (standing: try await archive.expectedShape().standing, news: [], mistyped: sent.mistyped)
    state.counts.misfits = Misfits(shape.mistyped, samples: intake.misfits)
    if state.isFull, state.verdict == .complete, shape.mistyped.counts.isEmpty,
      try await !archive.snapshot().listCensus(of: archive.kind).hasImports
    {
      try await archive.noteMisfits(false)
    }
    return SyncOutcome(
      state: state, verdict: state.verdict ?? verdict, origin: walk.summary.origin,
      kept: archive.schema.fields.map { $0.name }.filter(kept.contains), drift: shape.standing, driftNews: shape.news)
  }

  private static func isMost(_ lost: Int, of stored: Int) -> Bool { lost > max(10, stored / 2) }

  /// Returns a shortfall for stored records that did not come, if the list cannot prove that they are gone, or if they are most of the
  /// records. In the second case the list is probably wrong, as that of a service that is empty for a moment. Nil otherwise.
  private func loss(_ state: SyncState) async throws -> Shortfall? {
    let unmet = try await archive.store.unmet(of: archive.kind)
    let landed = state.counts.landed
    let stored = unmet + landed.updated + landed.readAnew + landed.duplicates
    if unmet > 10, let refusal = try await archive.refusal {
      // The records that came with a refused sync were never in a list that was accepted. They are not missed, and make no loss small.
      let lost = min(unmet, try await archive.count(lastListedBefore: state.began, andStoredBefore: refusal.began))
      if Self.isMost(lost, of: refusal.stored) { return .gone(lost, of: refusal.stored) }
    } else if Self.isMost(unmet, of: stored) {
      return .gone(unmet, of: stored)
    }
    return unmet > 0 ? state.goneDoubt(in: walk.source.profile.paging).map { .unlisted(unmet, because: $0) } : nil
  }
}

extension Verdict {
  /// True when a sync with this verdict is over; otherwise it can continue where it stopped.
  fileprivate var endsSync: Bool {
    switch self {
    case .bounded, .partial(.failed), .partial(.deadline), .partial(.budget), .partial(.notStored): false
    default: true
    }
  }
}
