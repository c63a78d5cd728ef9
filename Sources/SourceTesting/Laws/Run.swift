import AggregatorCore

/// One walk in one weather, and all that could be seen of it.
struct Run: Sendable {
  var ids: [String] = []
  var verdict: Verdict?
  var origin: Origin?
  var duplicates = 0
  var skipped = 0
  var error: (any Error)?
  var events: [Event] = []
  var requests: [HTTPRequest] = []
  var waits: [Duration] = []
  /// Whether it was stopped because it would not end.
  var isEndless = false
  /// What was kept of it.
  var kept: [String] = []
  /// How the source describes itself.
  var name = ""

  var origins: Set<Origin.Kind> {
    Set(events.compactMap { if case .pageLanded(_, _, _, let origin) = $0 { origin } else { nil } })
  }

  /// The error that was thrown, that ended the walk, or that another origin stood in for.
  var trouble: SourceError? {
    if let error = error as? SourceError { return error }
    if case .partial(.failed(let error)) = verdict { return error }
    return origin?.reason
  }

  init(_ stage: Stage, under hazard: Hazard, reach: Surroundings.Reach) async throws {
    let opened = try stage.bench.open(stage.stock.rows, spare: stage.stock.spare, hazard: hazard, reach: reach)
    let recorder = EventRecorder()
    await recorder.listen { await walk(opened.source, stage, opened.clock) }
    events = recorder.events
    requests = opened.server.requests
    waits = opened.clock.waits
    isEndless = isEndless || opened.server.isBlown
    kept = opened.answers.texts
    name = "\(opened.source)"
  }

  private mutating func walk(_ source: some DataSource, _ stage: Stage, _ clock: TestClock) async {
    var walk = Walk(source, bounds: stage.bounds, clock: clock)
    let most = 40 + 4 * stage.stock.ids.count
    do {
      while let items = try await walk.nextPage() {
        ids += items.map(\.id)
        guard walk.summary.pages < most else {
          isEndless = true
          break
        }
      }
    } catch {
      self.error = error
    }
    verdict = walk.summary.verdict
    origin = walk.summary.origin
    duplicates = walk.summary.duplicates
    skipped = walk.summary.skipped
  }
}
