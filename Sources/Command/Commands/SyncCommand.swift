import AggregatorCore
import Asking
import Presentation

/// `sync`: every record of a source into the store.
enum SyncCommand {
  private static let maxRequests = Option(
    "max-requests", takes: .required(.count), "send at most N requests; the next sync continues from there")
  private static let wait = Option("wait", "when rate-limited or out of budget, wait and continue")
  private static let full = Option("full", "fetch everything, not only what changed since the last sync")
  private static let acceptGone = Option(
    "accept-gone", "fetch everything, and mark what is not listed as gone even if that is most of the store")

  static func command(of source: SourceDescriptor) -> Command {
    guard !source.isEndless else { return refusal(of: source) }
    return Command(
      source, "sync",
      options: [
        maxRequests, wait, full, acceptGone, .format, .refresh, .sameAccount, .timeout, .store, .plan, .explain, .record,
      ],
      "store every record; continue where the last sync stopped, then fetch what changed",
      examples: ["", "--max-requests 2", "--full --format json"], asking: { try question(source, $0) },
      planning: { try await $1.sync($0.ask, full: isFull($0)).sentence }
    ) { try await run($0, $1) }
  }

  /// Every source that can be synced, one after the other: one that fails holds no other.
  static let all = Command(
    ["sync"], options: [wait, full, .refresh, .timeout, .store, .explain], "sync every source that has an end",
    examples: ["sync", "sync --wait"]
  ) { invocation in
    var codes: [ExitCode] = []
    for source in invocation.program.catalogue.sources where !source.isEndless {
      do {
        let question = try question(source, invocation)
        codes.append(try await run(question, question.opened()))
        if codes.last == .interrupted { return .interrupted }
      } catch let error as SourceError {
        codes.append(invocation.tell(failure: error))
      }
    }
    return codes.first { $0 != .success } ?? .success
  }

  /// An endless list cannot be synced: the error says what to type instead.
  private static func refusal(of source: SourceDescriptor) -> Command {
    Command([source.name, "sync"], .any(.text), options: [maxRequests, wait, full, acceptGone], isListed: false, "") { _ in
      throw UsageError(
        "\(source.name) cannot be synced: the list has no end", suggestion: "\(source.name) next --limit 1000",
        usage: "\(source.name) next --limit N", topic: "\(source.name) next")
    }
  }

  private static func question(_ source: SourceDescriptor, _ invocation: Invocation) throws -> SourceQuestion {
    var question = try SourceQuestion(.everything, of: source, invocation)
    (question.ask.terms.reach, question.ask.terms.maxRequests) = (.live, try invocation.count(maxRequests))
    return question
  }

  private static func isFull(_ question: SourceQuestion) -> Bool {
    [full, acceptGone].contains(where: question.invocation.has)
  }

  private static func run(_ question: SourceQuestion, _ source: some SourceSession) async throws -> ExitCode {
    let invocation = question.invocation
    let before = try await received(from: source) ?? 0
    @Sendable func tellInterruption(_ saved: String = "") {
      question.notice("interrupted\(saved); type \(command(question)) to continue")
    }
    do {
      let outcome = try await [question].recorded {
        try await Interruption.cancelling(orElse: { tellInterruption() }) {
          try await EventPrinter(question, already: before).during {
            try await source.sync(
              question.ask, full: isFull(question), acceptingGone: invocation.has(acceptGone),
              waiting: invocation.has(wait) ? { tell(waiting: $0, because: $1, question) } : nil
            ) {
              if $0.received > 0 { question.notice("continuing after the \($0.received) records received before") }
            }
          }
        }
      }
      return try conclude(outcome, question)
    } catch is CancellationError {
      let saved = try? await received(from: source).map { " after \(plural($0, "record")); position saved" }
      tellInterruption(saved ?? "")
      return .interrupted
    }
  }

  /// How many records the unfinished sync has received that the next one continues.
  private static func received(from source: some SourceSession) async throws -> Int? {
    try await source.stored.lastSync().flatMap { $0.verdict == nil ? $0.received : nil }
  }

  /// Reports once that a wait begins; `--explain` and `--verbose` report it anyway.
  private static func tell(waiting wait: Duration, because error: SourceError, _ question: SourceQuestion) {
    Event.emit(.waiting(wait, because: error.reasonToWait))
    if ![.explain, .verbose].contains(where: question.invocation.has) {
      question.notice("waiting \(wait.inWords): \(error.reasonToWait)")
    }
  }

  private static func command(_ question: SourceQuestion) -> String {
    "'\(question.program.name) \(question.descriptor.name) sync'"
  }

  private static func conclude(_ outcome: StoringOutcome, _ question: SourceQuestion) throws -> ExitCode {
    let (code, command) = (try question.report(outcome, of: StoringOutcome.fieldsOfSync), command(question))
    switch outcome.verdict {
    case .partial(.gone), .partial(.unlisted):
      question.notice("type \(command.dropLast()) --accept-gone' if the service really removed them")
    default: break
    }
    guard outcome.isUnfinished else { return code }
    guard let error = outcome.error, error.kind.isBudget else {
      question.notice("position saved; type \(command) to continue")
      return code
    }
    let way = question.invocation.has(wait) ? " (--timeout leaves no time to wait)" : ", or use --wait"
    question.notice(
      "position saved; type \(command) \(error.namedWait.map { "in \($0.inWords)" } ?? "later") to continue\(way)")
    return .throttled
  }
}

extension SourceQuestion {
  /// Prints what came of storing, a sentence unless a format was asked for, and ends with the code for it.
  func report(_ outcome: StoringOutcome, of fields: [Field<StoringOutcome>] = StoringOutcome.fields) throws -> ExitCode {
    var outcome = outcome
    outcome.verdict = outcome.verdict.worded(for: invocation)
    try invocation.print(outcome, of: fields, inWords: [outcome.sentence])
    if case .partial = outcome.verdict { return .partial }
    return .success
  }
}
