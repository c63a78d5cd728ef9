import AggregatorCore

// The laws that are tried on their own, without a hazard.
extension Candidate {
  func outcome(of law: Law) async throws -> LawOutcome {
    switch law {
    case .echoes: try await checkEchoes()
    case .limits: .unless(try await checkLimits())
    case .search: try await search()
    case .cursors: .unless(try await checkForeignCursors())
    case .cancellation: .unless(try await checkCancellation())
    // What hears of no cancellation hears of no deadline either.
    case .deadline:
      try await checkCancellation() == nil
        ? .unless(try await checkDeadlines()) : .notApplicable("a cancelled request continues")
    case .roundTrip: .unless(try await checkRoundTrip())
    case .description: .unless(try await checkDescription())
    default: .notApplicable("observed in every walk")
    }
  }

  func open(_ reach: World.Reach = .live, gate: Gate? = nil) throws -> TestBed.Opened {
    try bed.open(made.rows, reach: reach, gate: gate)
  }

  /// What a walk within `bounds` gives, without a hazard.
  func walk(_ query: Query = .everything, _ bounds: Bounds, _ opened: TestBed.Opened) async throws -> HazardRun {
    let run = await HazardRun.walk(opened.source, query, bounds: bounds, opened.clock)
    if let error = run.error { throw error }
    return run
  }
}

// MARK: - Limits

extension Candidate {
  private func checkLimits() async throws -> String? {
    // What is lost without a limit is not the limit's fault.
    let all = try await walk(.everything, bounds, open()).ids.count
    for limit in Set([1, profile.paging.size < all ? profile.paging.size + 1 : all]).sorted() {
      let run = try await walk(.everything, Bounds(limit: limit), open())
      let (ids, verdict) = (run.ids, run.verdict)
      if ids.count != min(limit, all) { return "\(limit) were requested and \(ids.count) received" }
      let isJust = verdict == .bounded || verdict == .complete && ids.count == all
      if !isJust {
        return "a walk of \(ids.count) of \(all) stopped by a limit of \(limit) ended \(verdict?.kind ?? "without a verdict")"
      }
    }
    let opened = try open()
    _ = try await walk(.everything, Bounds(limit: 0), opened)
    if !opened.server.requests.isEmpty { return "none were requested, but the service was asked" }
    let received = try await open().page().received
    let most = profile.paging.size
    return received > most ? "a page had \(received) rows; \(most) are declared" : nil
  }
}

// MARK: - Strangers and leavers

extension Candidate {
  private func checkForeignCursors() async throws -> String? {
    let cursor = Cursor(text: "stranger offset 1")
    for reach in [World.Reach.live, .anywhere] {
      let opened = try open(reach)
      do {
        try await opened.page(PageRequest(at: cursor))
        return "a cursor of another source was accepted"
      } catch let error as SourceError where error.kind == .foreignCursor {
        if !opened.server.requests.isEmpty { return "a cursor of another source was refused only after a request" }
      } catch {
        return "a cursor of another source was answered with: \(error)"
      }
    }
    return nil
  }

  private func checkCancellation() async throws -> String? {
    for reach in [World.Reach.live, .anywhere] {
      let gate = Gate()
      let opened = try open(reach, gate: gate)
      let work = Task { try await opened.page() }
      try await gate.arrivals(atLeast: 1)
      work.cancel()
      // The request may be in another task, which learns of it when it next runs.
      await turns { opened.server.cancellations > 0 }
      let wasSeen = opened.server.cancellations > 0
      gate.open()
      switch await work.result {
      case .success: return "a page was returned although the task was cancelled"
      case .failure(let error) where !(error is CancellationError): return "a cancellation became another error: \(error)"
      case .failure: if !wasSeen { return "the request continued although the task was cancelled" }
      }
    }
    return nil
  }

  private func checkDeadlines() async throws -> String? {
    let asks: [(what: String, ask: @Sendable (TestBed.Opened, Moment) async throws -> Void)] = [
      ("a list", { try await $0.page(PageRequest(deadline: $1)) }),
      ("a search", { try await $0.page(PageRequest(.matching("a"), deadline: $1)) }),
      ("next", { try await next($0.parts, until: $1) }),
    ]
    for reach in [World.Reach.live, .anywhere] {
      for (what, ask) in asks {
        let (gate, clock, hasEnded) = (Gate(), TestClock(), Gate())
        let opened = try bed.open(made.rows, reach: reach, gate: gate, clock: clock, store: StoreInMemory())
        let deadline = clock.now + .seconds(5)
        let work = Task {
          defer { hasEnded.open() }
          try await ask(opened, deadline)
        }
        // Where no recording shows a search, it is answered at once.
        await turns { gate.arrivals > 0 || hasEnded.isOpen }
        clock.advance(by: .seconds(6))
        await turns { hasEnded.isOpen }
        let wasLate = !hasEnded.isOpen
        gate.open()
        _ = await work.result
        if wasLate { return "\(what) continued after its deadline, while the service did not answer" }
      }
    }
    return nil
  }

  private func next<Item>(_ parts: some SourceSession<Item>, until deadline: Moment) async throws {
    let reader = NextReader(parts.live, keeping: try parts.stored, clock: parts.world.clock)
    _ = try await Deadline.keep(until: deadline, by: parts.world.clock) { try await reader.next(1, deadline: deadline) }
  }

  /// Lets others run until something has happened; not for ever, since it never happens in what breaks a law.
  private func turns(until hasHappened: () -> Bool) async {
    for _ in 0..<300_000 {
      if hasHappened() { return }
      await Task.yield()
    }
  }
}
