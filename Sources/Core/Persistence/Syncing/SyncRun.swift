/// A sync under way: it keeps what a walk brings, remembers how far it is, and knows which ids it has met.
///
///     let run = try await archive.syncing(at: clock.now)
///     var walk = Walk(
///       source, from: run.state.cursor, behind: run.state.behind, announced: run.state.total, seen: run.seen, clock: clock)
///     while let items = try await walk.nextPage() {
///       try await run.land(items, from: fetch, of: walk)
///     }
///     try await run.finish(walk, at: clock.now)
///
/// Killed at any moment, it goes on behind the last batch that was stored. Its memory does not grow with the list.
public struct SyncRun<Item: SourceItem>: Sendable {
  /// The state it went on from.
  public let state: SyncState
  /// The ids it has met, for its walk.
  public let seen: IDsOfSync
  private let kind: RecordKind
  private let keeper: any Keeper
  private var intake: Intake<Item>

  init(_ kind: RecordKind, of schema: Schema<Item>, in keeper: any Keeper, from state: SyncState) {
    self.kind = kind
    self.keeper = keeper
    self.state = state
    seen = IDsOfSync(kind, in: keeper, of: state)
    intake = Intake(kind, of: schema, rule: .lastStays, into: keeper, pace: .steady)
  }

  /// Keeps a page's records, together with how far `walk` is behind them.
  public mutating func land(
    _ items: [Item], from fetch: Fetch, of walk: Walk<Item>, requests: Int = 0
  ) async throws {
    let hasLeft = try await intake.add(items, from: fetch) { [state] in
      state.counting(walk, landed: $0, requests: requests, watermark: nil)
    }
    if hasLeft { seen.turn() }
  }

  /// Keeps what is left and ends the sync with the walk's verdict; returned is how it ended, and how many records are gone.
  ///
  /// Where most of what was stored would go at once none goes, and the sync is partial, unless `acceptsGone`.
  public mutating func finish(
    _ walk: Walk<Item>, at moment: Moment, requests: Int = 0, watermark: Moment? = nil, acceptingGone acceptsGone: Bool = false
  ) async throws -> (state: SyncState, gone: Int) {
    let landed = try await intake.finish { [state] in
      state.counting(walk, landed: $0, requests: requests, watermark: watermark)
    }
    var state = state.counting(walk, landed: landed, requests: requests, watermark: watermark)
    let verdict = walk.summary.verdict ?? .bounded
    // Otherwise the next run goes on here.
    if verdict.endsSync { (state.verdict, state.ended) = (verdict, moment) }
    if state.isFull, verdict == .complete, !acceptsGone, let loss = try await greatLoss(state) { state.verdict = .partial(loss) }
    return (state, try await keeper.note(state, of: kind))
  }

  /// What would be gone, where that is most of what was stored: rather the list is wrong, as of a service that is empty for a moment.
  private func greatLoss(_ state: SyncState) async throws -> Shortfall? {
    let few = 10
    let stored = try await keeper.snapshot().census(of: kind).count - state.landed.new
    guard stored > few else { return nil }
    let unmet = try await keeper.unmet(of: kind)
    return unmet > few && unmet > stored / 2 ? .gone(unmet, of: stored) : nil
  }
}

extension Verdict {
  /// Whether a sync that comes to this is over; otherwise it can go on where it stopped.
  fileprivate var endsSync: Bool {
    switch self {
    case .complete, .unverifiable: true
    case .bounded: false
    case .partial(.loop), .partial(.drift), .partial(.total), .partial(.more), .partial(.recorded), .partial(.gone): true
    case .partial(.failed), .partial(.deadline), .partial(.budget), .partial(.notKept): false
    }
  }
}

extension SyncState {
  /// This state and what a walk from here has come to.
  func counting(_ walk: Walk<some SourceItem>, landed: LandingResult, requests: Int, watermark: Moment?) -> SyncState {
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
    state.landed += landed
    state.watermark = watermark.map(known) ?? self.watermark
    return state
  }
}
