import AggregatorCore

extension Option {
  static let maxRequests = Option("max-requests", takes: .required(.count), "send at most N requests; the next sync continues from there")
  static let wait = Option("wait", "when rate-limited or out of budget, wait and continue")
  static let full = Option("full", "fetch everything, not only what changed since the last sync")
  static let acceptGone = Option("accept-gone", "fetch everything, and mark what is not listed as gone even if that is most of the store")
}

/// `sync`: every record of a source into the store.
enum SyncCommand {
  static func command(of source: SourceDescriptor) -> Command {
    guard !source.isEndless else { return refusal(of: source) }
    return Command(
      [source.name, "sync"],
      options: [.maxRequests, .wait, .full, .acceptGone, .format, .refresh, .timeout, .store, .plan, .explain, .record],
      "store every record; continue where the last sync stopped, then fetch what changed",
      examples: ["\(source.name) sync", "\(source.name) sync --max-requests 2", "\(source.name) sync --full --format json"]
    ) { invocation in
      try await run(SourceQuestion(.everything, of: source, invocation))
    }
  }

  /// Every source that can be synced, one after the other: one that fails holds no other.
  static let all = Command(
    ["sync"], options: [.wait, .full, .refresh, .timeout, .store, .explain], "sync every source that has an end",
    examples: ["sync", "sync --wait"]
  ) { invocation in
    var codes: [ExitCode] = []
    for source in invocation.program.catalogue.sources where !source.isEndless {
      do {
        codes.append(try await run(SourceQuestion(.everything, of: source, invocation)))
      } catch let error as SourceError {
        let failure = Failure(error, program: invocation.program.name)
        invocation.program.console.tell(failure, of: invocation.program.name)
        codes.append(failure.code)
      }
    }
    return codes.first { $0 != .success } ?? .success
  }

  /// An endless list cannot be synced: the error says what to type instead.
  private static func refusal(of source: SourceDescriptor) -> Command {
    Command([source.name, "sync"], .any(.text), options: [.maxRequests, .wait, .full, .acceptGone], isListed: false, "") { _ in
      throw UsageError(
        "\(source.name) cannot be synced: the list has no end", suggestion: "\(source.name) next --limit 1000",
        usage: "\(source.name) next --limit N", topic: "\(source.name) next")
    }
  }

  private static func run(_ question: SourceQuestion) async throws -> ExitCode {
    if let code = try await question.planned({ try await $0.sync(full: question.isFullSync) }) { return code }
    var world = try question.world()
    world.reach = .live
    world.requests = RequestCap(try question.invocation.count(.maxRequests))
    return try await run(question, question.opened(in: world))
  }

  private static func run(_ question: SourceQuestion, _ source: some OpenSource) async throws -> ExitCode {
    let unfinished = try await source.kept.sync().flatMap { $0.verdict == nil ? $0.received : nil } ?? 0
    let outcome = try await question.recorded {
      try await question.telling(ofInterrupted: source) {
        try await EventPrinter(question, already: unfinished).during {
          do {
            return try await source.sync(
              full: question.isFullSync, acceptingGone: question.invocation.has(.acceptGone), deadline: question.bounds.deadline,
              waiting: question.invocation.has(.wait) ? { question.tell(waiting: $0, because: $1) } : nil
            ) {
              if $0.received > 0 { question.notice("continuing after the \($0.received) records received before") }
            }
          } catch let error as SourceError {
            throw error.advising(question.invocation, question.descriptor)
          }
        }
      }
    }
    return try question.conclude(outcome, stored: await source.kept.count)
  }
}

extension SourceQuestion {
  fileprivate var isFullSync: Bool { invocation.has(.full) || invocation.has(.acceptGone) }

  /// Runs `work`, a sync; Ctrl-C stores what came, and says how much that is and what continues it. With a recording Ctrl-C has that to save.
  fileprivate func telling<Answer: Sendable>(
    ofInterrupted source: some OpenSource, _ work: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    guard recording == nil else { return try await work() }
    let task = Task { try await work() }
    return try await Interruption.keeping({
      task.cancel()
      // The store may be busy; who has interrupted does not wait for it.
      let received = Interruption.answer(within: .seconds(2)) {
        _ = await task.result
        return try? await source.kept.sync()?.received
      }
      let command = "type '\(program.name) \(descriptor.name) sync' to continue"
      notice(received.map { "interrupted after \(count($0, "record")); position saved; \(command)" } ?? "interrupted; \(command)")
    }) { try await task.value }
  }

  /// Reports once that a wait begins; `--explain` and `--verbose` report it anyway.
  fileprivate func tell(waiting wait: Duration, because error: SourceError) {
    Event.emit(.waiting(wait, because: error.reasonToWait))
    if !invocation.has(.explain), !invocation.has(.verbose) { notice("waiting \(wait.inWords): \(error.reasonToWait)") }
  }

  fileprivate func conclude<Item>(_ outcome: Syncing<Item>.Outcome, stored: Int) throws -> ExitCode {
    let state = outcome.state
    let code = try report(
      Outcome(
        source: descriptor.name, received: state.received, kept: state.landed.new, updated: state.landed.updated,
        duplicates: state.duplicates + state.landed.duplicates, skipped: state.skipped, deleted: state.landed.deleted,
        requests: state.requests, verdict: outcome.verdict, change: outcome.change, gone: outcome.gone, stored: stored),
      of: Outcome.fieldsOfSync)
    if case .partial(.gone) = outcome.verdict {
      notice("type '\(program.name) \(descriptor.name) sync --accept-gone' if the service really removed them")
    }
    guard state.verdict == nil else { return code }
    let command = "'\(program.name) \(descriptor.name) sync'"
    guard let error = outcome.error, error.kind.isBudget else {
      notice("position saved; type \(command) to continue")
      return code
    }
    let way = invocation.has(.wait) ? " (--timeout leaves no time to wait)" : ", or use --wait"
    notice("position saved; type \(command) \(error.namedWait.map { "in \($0.inWords)" } ?? "later") to continue\(way)")
    return .throttled
  }
}
