import AggregatorCore

extension Option {
  static let maxRequests = Option("max-requests", takes: .required("N"), "send at most N requests now; the next sync goes on from there")
  static let wait = Option("wait", "when the service's budget is spent, wait until it frees up")
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
    let cap = RequestCap(try question.invocation.count(.maxRequests))
    var world = try question.world()
    world.reach = .live
    world.transport = world.transport.through([cap])
    return try await run(question, question.opened(in: world), cap)
  }

  private static func run<Item>(_ question: Question, _ source: some OpenSource<Item>, _ cap: RequestCap) async throws -> ExitCode {
    guard let archive = source.archive else { throw SourceError(.storage, "nothing keeps records") }
    let clock = question.program.clock
    let syncing = Syncing(source.live, into: archive, counting: cap, clock: clock)
    let witness = Witness(question, already: try await archive.sync().flatMap { $0.verdict == nil ? $0.received : nil } ?? 0)
    let outcome = try await question.recorded {
      try await witness.during {
        while true {
          let pause: (until: Moment, SourceError)
          do {
            let outcome = try await syncing.run(full: question.invocation.has(.full), deadline: question.bounds.deadline) {
              if $0.received > 0 { question.notice("goes on behind the \($0.received) received before") }
            }
            guard let error = outcome.error, let end = question.pause(after: error) else { return outcome }
            pause = (end, error)
          } catch let error as SourceError {
            guard let end = question.pause(after: error) else {
              throw error.from(source.name).advising(question.invocation, question.descriptor)
            }
            pause = (end, error)
          }
          Event.emit(.waiting(pause.until - clock.now, because: pause.1.message))
          try await clock.sleep(until: pause.until)
        }
      }
    }
    return try question.conclude(outcome)
  }
}

extension Question {
  /// When to go on after a budget was spent; nil where nobody wants to wait, or nobody knows how long.
  fileprivate func pause(after error: SourceError) -> Moment? {
    guard invocation.has(.wait), error.kind.isBudget, let wait = error.retryAfter else { return nil }
    let end = program.clock.now + wait
    if let deadline = bounds.deadline, end > deadline { return nil }
    return end
  }

  fileprivate func conclude<Item>(_ outcome: Syncing<Item>.Outcome) throws -> ExitCode {
    let state = outcome.state
    let code = try report(
      Outcome(
        source: descriptor.name, received: state.received, kept: state.landed.new, updated: state.landed.updated,
        duplicates: state.duplicates + state.landed.duplicates, skipped: state.skipped, deleted: state.landed.deleted,
        requests: state.requests, verdict: outcome.verdict, gone: outcome.gone))
    guard state.verdict == nil else { return code }
    let command = "'\(program.name) \(descriptor.name) sync'"
    guard let error = outcome.error, error.kind.isBudget else {
      notice("the place is kept; \(command) goes on from there")
      return code
    }
    notice("the place is kept; \(command) goes on\(error.retryAfter.map { " in \($0.amount)" } ?? " later"), --wait waits for it")
    return .throttled
  }
}

extension SourceError.Kind {
  fileprivate var isBudget: Bool { self == .budgetSpent || self == .throttled }
}
