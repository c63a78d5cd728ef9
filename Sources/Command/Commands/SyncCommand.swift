import AggregatorCore

extension Option {
  static let maxRequests = Option("max-requests", takes: .required("N"), "send at most N requests now; the next sync goes on from there")
  static let wait = Option("wait", "when the service asks for time, or its budget is spent, wait and go on")
  static let full = Option("full", "everything, not only what changed since the last sync")
}

/// `sync`: every record of a source into the store.
enum SyncCommand {
  static func command(of source: SourceDescriptor) -> Command {
    guard !source.isEndless else { return refusal(of: source) }
    return Command(
      [source.name, "sync"], options: [.maxRequests, .wait, .full, .format, .refresh, .timeout, .store, .explain, .record],
      "every record into the store; goes on where the last one stopped, then asks for what changed",
      examples: ["\(source.name) sync", "\(source.name) sync --wait"]
    ) { invocation in
      try await run(Question(.everything, of: source, invocation))
    }
  }

  /// A list without an end cannot be synced; who types it learns what to type.
  private static func refusal(of source: SourceDescriptor) -> Command {
    Command([source.name, "sync"], .any("…"), options: [.maxRequests, .wait, .full], isListed: false, "") { _ in
      throw UsageError(
        "\(source.name) has no end, so it cannot be synced", suggestion: "\(source.name) next --limit 1000",
        usage: "\(source.name) next --limit N", topic: "\(source.name) next")
    }
  }

  private static func run(_ question: Question) async throws -> ExitCode {
    var world = try question.world()
    world.reach = .live
    world.requests = RequestCap(try question.invocation.count(.maxRequests))
    return try await run(question, question.opened(in: world))
  }

  private static func run(_ question: Question, _ source: some OpenSource) async throws -> ExitCode {
    let unfinished = try await source.kept.sync().flatMap { $0.verdict == nil ? $0.received : nil } ?? 0
    let outcome = try await question.recorded {
      try await Witness(question, already: unfinished).during {
        do {
          return try await source.sync(
            full: question.invocation.has(.full), deadline: question.bounds.deadline,
            waiting: question.invocation.has(.wait) ? { question.tell(waiting: $0, because: $1) } : nil
          ) {
            if $0.received > 0 { question.notice("goes on behind the \($0.received) received before") }
          }
        } catch let error as SourceError {
          throw error.advising(question.invocation, question.descriptor)
        }
      }
    }
    return try question.conclude(outcome)
  }
}

extension Question {
  /// Says once that a wait begins: whoever asked for more of what happens hears of it anyway.
  fileprivate func tell(waiting wait: Duration, because error: SourceError) {
    Event.emit(.waiting(wait, because: error.message))
    if !invocation.has(.explain), !invocation.has(.verbose) { notice("waiting \(wait.amount): \(error.message)") }
  }

  fileprivate func conclude<Item>(_ outcome: Syncing<Item>.Outcome) throws -> ExitCode {
    let state = outcome.state
    let code = try report(
      Outcome(
        source: descriptor.name, received: state.received, kept: state.landed.new, updated: state.landed.updated,
        duplicates: state.duplicates + state.landed.duplicates, skipped: state.skipped, deleted: state.landed.deleted,
        requests: state.requests, verdict: outcome.verdict, change: outcome.change, gone: outcome.gone))
    guard state.verdict == nil else { return code }
    let command = "'\(program.name) \(descriptor.name) sync'"
    guard let error = outcome.error, error.kind.isBudget else {
      notice("the place is kept; \(command) goes on from there")
      return code
    }
    let way = invocation.has(.wait) ? "; --timeout leaves no time to wait for it" : ", --wait waits for it"
    notice("the place is kept; \(command) goes on \(error.namedWait.map { "in \($0.amount)" } ?? "later")\(way)")
    return .throttled
  }
}
