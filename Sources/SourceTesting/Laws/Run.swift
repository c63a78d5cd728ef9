import AggregatorCore

/// One walk under one hazard, and all that could be seen of it.
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
  /// The records that were taken out of the list meanwhile.
  var gone: Set<String> = []
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

  init(_ stage: HazardRun, under hazard: Hazard, reach: Surroundings.Reach) async throws {
    let opened = try stage.bench.open(stage.stock.rows, spare: stage.stock.spare, hazard: hazard, reach: reach)
    let recorder = EventRecorder()
    self = await recorder.listen { await Self.walked(opened.source, stage, opened.clock) }
    events = recorder.events
    requests = opened.server.requests
    waits = opened.clock.waits
    isEndless = isEndless || opened.server.isBlown
    kept = opened.answers.texts
    gone = Set(opened.server.removed.compactMap { stage.stock.ids.indices.contains($0) ? stage.stock.ids[$0] : nil })
    name = "\(opened.source)"
  }

  private init() {}

  /// What a walk gives by itself.
  private static func walked(_ source: some DataSource, _ stage: HazardRun, _ clock: TestClock) async -> Run {
    var run = Run()
    var walk = Walk(source, bounds: stage.bounds, clock: clock)
    let most = 40 + 4 * stage.stock.ids.count
    do {
      while let items = try await walk.nextPage() {
        run.ids += items.map(\.id)
        guard walk.summary.pages < most else {
          run.isEndless = true
          break
        }
      }
    } catch {
      run.error = error
    }
    run.verdict = walk.summary.verdict
    run.origin = walk.summary.origin
    run.duplicates = walk.summary.duplicates
    run.skipped = walk.summary.skipped
    return run
  }
}
