import AggregatorCore
import Synchronization

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
  /// Where a later run would go on.
  private var cursor: String?

  var origins: Set<Origin.Kind> {
    Set(events.compactMap { if case .pageRead(_, _, _, let origin) = $0 { origin } else { nil } })
  }

  /// The error that was thrown, that ended the walk, or that another origin stood in for.
  var trouble: SourceError? {
    if let error = error as? SourceError { return error }
    if case .partial(.failed(let error)) = verdict { return error }
    return origin?.reason
  }

  init(_ stage: HazardRun, under hazard: Hazard, reach: World.Reach) async throws {
    let opened = try stage.bench.open(stage.stock.rows, spare: stage.stock.spare, hazard: hazard, reach: reach)
    let recorder = EventRecorder()
    self = await recorder.listen {
      hazard.takesRuns ? await Self.walkedInRuns(opened, stage) : await Self.walked(opened.source, stage, opened.clock)
    }
    events = recorder.events
    requests = opened.server.requests
    waits = opened.clock.waits
    isEndless = isEndless || opened.server.isBlown
    kept = opened.answers.texts
    gone = Set(opened.server.removed.compactMap { stage.stock.ids.indices.contains($0) ? stage.stock.ids[$0] : nil })
    name = "\(opened.source)"
  }

  private init() {}

  /// What walks of a page each give, one after the other: what one run knows the next one has only in its cursor's text, and the ids.
  private static func walkedInRuns(_ opened: TestBed.Opened, _ stage: HazardRun) async -> Run {
    var run = Run()
    let ids = MetIDs()
    repeat {
      do {
        let source = try stage.bench.descriptor.source(in: opened.parts.world)
        let part = await walked(source, stage, opened.clock, behind: run, ids)
        run = part
      } catch {
        run.error = error
      }
    } while run.error == nil && !run.isEndless && run.verdict == .bounded
    return run
  }

  /// What a walk gives by itself, or one page of it behind an earlier run.
  private static func walked(
    _ source: some DataSource, _ stage: HazardRun, _ clock: TestClock, behind earlier: Run? = nil, _ seen: MetIDs? = nil
  ) async -> Run {
    var run = earlier ?? Run()
    var bounds = stage.bounds
    if earlier != nil {
      bounds.pages = 1
      bounds.limit = bounds.limit.map { $0 - run.ids.count }
    }
    let cursor = run.cursor.flatMap { Cursor(text: $0) }
    var walk = Walk(source, bounds: bounds, from: cursor, behind: earlier.map { $0.ids.count + $0.skipped }, seen: seen, clock: clock)
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
    run.duplicates += walk.summary.duplicates
    run.skipped += walk.summary.skipped
    run.cursor = walk.cursor?.text
    return run
  }

  /// The ids that earlier runs have met, as a store knows them.
  private final class MetIDs: Seen {
    private let ids = Mutex<Set<String>>([])

    func met(_ ids: [String]) -> Set<String> { self.ids.withLock { $0.intersection(ids) } }
    func note(_ ids: [String]) { self.ids.withLock { $0.formUnion(ids) } }
  }
}
