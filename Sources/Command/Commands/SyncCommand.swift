import AggregatorCore
import Asking
import Presentation

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
        let failure = Failure(error, in: invocation)
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
    var question = question
    (question.ask.terms.reach, question.ask.terms.maxRequests) = (.live, try question.invocation.count(.maxRequests))
    let isFull = question.isFullSync
    if let code = try await question.planned({ try await planned($0, question, isFull) }) { return code }
    return try await run(question, question.opened())
  }

  private static func planned(_ source: some SourceSession, _ question: SourceQuestion, _ isFull: Bool) async throws -> String {
    try await source.sync(question.ask, full: isFull).sentence
  }

  private static func run(_ question: SourceQuestion, _ source: some SourceSession) async throws -> ExitCode {
    let unfinished = try await source.stored.sync().flatMap { $0.verdict == nil ? $0.received : nil } ?? 0
    let outcome = try await question.recorded {
      try await question.telling(ofInterrupted: source) {
        try await EventPrinter(question, already: unfinished).during {
          try await source.sync(
            question.ask, full: question.isFullSync, acceptingGone: question.invocation.has(.acceptGone),
            waiting: question.invocation.has(.wait) ? { question.tell(waiting: $0, because: $1) } : nil
          ) {
            if $0.received > 0 { question.notice("continuing after the \($0.received) records received before") }
          }
        }
      }
    }
    return try question.conclude(outcome)
  }
}

extension SourceQuestion {
  fileprivate var isFullSync: Bool { invocation.has(.full) || invocation.has(.acceptGone) }

  /// Runs `work`, a sync; Ctrl-C stores what came, and says how much that is and what continues it. With a recording Ctrl-C has that to save.
  fileprivate func telling<Answer: Sendable>(
    ofInterrupted source: some SourceSession, _ work: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    guard recording == nil else { return try await work() }
    let task = Task { try await work() }
    return try await Interruption.keeping({
      task.cancel()
      // The store may be busy; who has interrupted does not wait for it.
      let received = Interruption.answer(within: .seconds(2)) {
        _ = await task.result
        return try? await source.stored.sync()?.received
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

  fileprivate func conclude(_ outcome: StoringOutcome) throws -> ExitCode {
    let code = try report(outcome, of: StoringOutcome.fieldsOfSync)
    if case .partial(.gone) = outcome.verdict {
      notice("type '\(program.name) \(descriptor.name) sync --accept-gone' if the service really removed them")
    }
    guard outcome.isUnfinished else { return code }
    let command = "'\(program.name) \(descriptor.name) sync'"
    guard let error = outcome.error, error.kind.isBudget else {
      notice("position saved; type \(command) to continue")
      return code
    }
    let way = invocation.has(.wait) ? " (--timeout leaves no time to wait)" : ", or use --wait"
    notice("position saved; type \(command) \(error.namedWait.map { "in \($0.inWords)" } ?? "later") to continue\(way)")
    return .throttled
  }

  /// Prints what came of storing, a sentence unless a format was asked for, and ends with the code for it.
  func report(_ outcome: StoringOutcome, of fields: [Field<StoringOutcome>] = StoringOutcome.fields) throws -> ExitCode {
    var outcome = outcome
    outcome.verdict = outcome.verdict.worded(for: invocation)
    if invocation.has(.format) {
      try invocation.printAlone([outcome], of: fields)
    } else {
      try program.console.write("\(Printable.clean(outcome.sentence))\n")
    }
    if case .partial = outcome.verdict { return .partial }
    return .success
  }
}
