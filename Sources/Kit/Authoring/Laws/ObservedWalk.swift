import AggregatorCore
import Recordings
import Services
import Synchronization

/// One walk under one hazard, with everything that was observed of it.
struct ObservedWalk: Sendable {
  var ids: [String] = []
  var verdict: Verdict?
  var origin: Origin?
  var duplicates = 0
  var skipped = 0
  var misfits = Misfits()
  var error: (any Error)?
  var events: [Event] = []
  var requests: [HTTPRequest] = []
  var waits: [Duration] = []
  /// One error for each request without an answer in the recording, even if the source hides it.
  var unmatched: [SourceError] = []
  /// True when the walk was stopped because it did not end.
  var isEndless = false
  /// The IDs of records that were removed from the list during the walk.
  var gone: Set<String> = []
  /// The texts that it leaves behind besides events and errors, each with what has it.
  private var texts: [(container: String, text: String)] = []
  /// The cursor for the next run, as text.
  private var cursor: String?

  /// Walks under a hazard. With an `echo` the service repeats the key there.
  init(
    _ source: SourceUnderTest, under hazard: Hazard = .calm, reach: World.Reach, rows: [Value]? = nil,
    echo: Echo? = nil
  ) async throws {
    let opened = try source.open(rows, hazard: hazard, reach: reach, echo: echo)
    if hazard.takesRuns {
      await walkInRuns(opened, source)
    } else {
      await walk(opened, .everything, bounds: source.bounds, noting: echo != nil)
    }
    waits = opened.clock.waits
    isEndless = isEndless || opened.server.isAskedTooMuch
    let ids = source.testRows.ids
    gone = Set(opened.server.removed.compactMap { ids.indices.contains($0) ? ids[$0] : nil })
    texts += opened.answers.texts.map { ("a cached answer", $0) } + [("the source's description", "\(opened.source)")]
  }

  init(over opened: SourceCopy, _ query: Query = .everything, bounds: Bounds) async {
    await walk(opened, query, bounds: bounds)
  }

  /// Walks one page at a time, each with a newly opened source. A run has only the text of the
  /// last cursor and the IDs from the runs before it.
  private mutating func walkInRuns(_ opened: SourceCopy, _ source: SourceUnderTest) async {
    let ids = ObservedIDs()
    repeat {
      do {
        var again = opened
        again.parts = try source.descriptor.open(in: opened.parts.world)
        let bounds = Bounds(limit: source.bounds.limit.map { $0 - self.ids.count }, pages: 1)
        await walk(again, .everything, bounds: bounds, after: ids)
      } catch {
        self.error = error
      }
    } while error == nil && !isEndless && verdict == .bounded
  }

  /// Walks once, or continues after the rows of earlier runs. `noting` also collects every record and cursor.
  private mutating func walk(
    _ opened: SourceCopy, _ query: Query, bounds: Bounds, noting: Bool = false, after ids: ObservedIDs? = nil
  ) async {
    let recorder = EventRecorder()
    self = await recorder.listen { [run = self] in
      await run.walked(opened.source, query, bounds: bounds, opened.clock, noting: noting, after: ids)
    }
    events += recorder.events
    (requests, unmatched) = (opened.server.requests, opened.server.unmatched)
  }

  private func walked(
    _ source: some DataSource, _ query: Query, bounds: Bounds, _ clock: TestClock, noting: Bool, after seen: ObservedIDs?
  ) async -> ObservedWalk {
    var run = self
    let cursor = cursor.flatMap { Cursor(text: $0) }
    let rowsBefore = seen.map { _ in ids.count + skipped }
    var walk = Walk(source, query, bounds: bounds, from: cursor, rowsBefore: rowsBefore, seen: seen, clock: clock)
    do {
      while let items = try await walk.nextPage() {
        run.ids += items.map(\.id)
        if noting {
          run.texts += items.map { ("a record", String(decoding: source.schema.value(of: $0).bytes, as: UTF8.self)) }
          if let cursor = walk.cursor { run.texts.append(("the cursor of the next page", cursor.text)) }
        }
        // No honest walk has so many pages.
        run.isEndless = walk.summary.pages >= 1000
        if run.isEndless { break }
      }
    } catch {
      run.error = error
    }
    let summary = walk.summary
    if noting { run.texts.append(("the summary of the walk", Self.dumped(summary))) }
    (run.verdict, run.origin, run.cursor) = (summary.verdict, summary.origin, walk.cursor?.text)
    run.duplicates += summary.duplicates
    run.skipped += summary.skipped
    run.misfits = summary.misfits
    return run
  }

  /// The IDs of earlier runs, as a store knows them.
  final class ObservedIDs: Seen {
    private let ids = Mutex<Set<String>>([])

    func met(_ ids: [String]) -> Set<String> { self.ids.withLock { $0.intersection(ids) } }
    func note(_ ids: [String]) { self.ids.withLock { $0.formUnion(ids) } }
  }
}

// MARK: - Findings

extension ObservedWalk {
  var origins: Set<Origin.Kind> {
    Set(events.compactMap { if case .pageRead(_, _, _, let origin) = $0 { origin } else { nil } })
  }

  /// The error that was thrown, that ended the walk, or that a fallback answered for.
  var trouble: SourceError? {
    if let error = error as? SourceError { return error }
    if case .partial(.failed(let error)) = verdict { return error }
    return origin?.reason
  }

  /// The verdict and its reason, for a person.
  var ending: String { verdict.map { "\($0.kind)\($0.reason.map { " (\($0))" } ?? "")" } ?? "none" }

  /// The known causes of the outcome: an error, the first skipped row, a request without an answer.
  var causes: [String] {
    let fault = events.lazy.compactMap { if case .rowSkipped(_, let fault) = $0 { fault.text } else { nil } }.first
    return [
      trouble.map { "\($0)" } ?? error.map { "\($0)" }, fault.map { "a row was skipped: \($0)" }, unmatched.first?.message,
    ].compactMap(\.self)
  }

  /// Returns `complaint` with the causes that it does not contain yet.
  func explaining(_ complaint: String) -> String {
    causes.reduce(complaint) { $0.contains($1) ? $0 : "\($0); \($1)" }
  }

  /// True when a record has a mask in place of a secret, and nothing tells it.
  var hasUntoldMask: Bool {
    misfits.isEmpty && texts.contains { $0.container == "a record" && $0.text.contains(Scrubber.maskInAnswers) }
  }

  /// Every text that the walk leaves behind or sends to another host, each with what has it.
  var traces: [(container: String, text: String)] {
    var traces = texts + events.map { ("an event", Self.text(of: $0)) }
    if let error { traces.append(("an error", Self.dumped(error))) }
    if let trouble { traces.append(("an error", Self.dumped(trouble))) }
    for request in requests {
      traces.append(("a request's description", "\(request)"))
      guard request.address.host == ModelServer.elsewhere else { continue }
      let headers = request.wireHeaders.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
      traces.append(
        ("a request to another host", request.wireAddress.shown + headers + String(decoding: request.body ?? [], as: UTF8.self))
      )
    }
    return traces
  }

  private static func dumped(_ value: some Any) -> String {
    var text = "\(value)"
    dump(value, to: &text)
    return text
  }

  /// Returns the text of an event in a log, with the whole response.
  private static func text(of event: Event) -> String {
    switch event {
    case .requestSent(let request): return "\(request)"
    case .responseReceived(let request, let response, _):
      let headers = response.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
      return "\(request)\n\(headers)\n\(String(decoding: response.body, as: UTF8.self))"
    case .requestFailed(let request, let error, _): return "\(request) \(dumped(error))"
    case .lookBackRefused(_, let error), .fellBack(_, _, let error), .storeFailed(let error): return dumped(error)
    case .waiting(_, let text), .noticed(_, let text), .programStarted(let text), .programSaid(let text, _),
      .programEnded(let text, _):
      return text
    case .rowSkipped(_, let fault): return fault.text
    case .pageRead, .rowsSkipped, .rowsCleaned: return ""
    }
  }
}
