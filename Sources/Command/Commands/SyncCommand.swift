import AggregatorCore
import Asking
import Presentation

/// `sync`: every record of a source into the store.
enum SyncCommand {
  private static let maxRequests = Option(
    "max-requests", takes: .required(.count), "send at most N requests; the next sync continues from there")
  static let wait = Option("wait", "when rate-limited, out of budget or while another sync runs, wait and continue")
  static let full = Option("full", "fetch everything, not only what changed since the last sync")
  private static let acceptGone = Option(
    "accept-gone", "fetch everything, and mark what is not listed as gone even if that is most of the store")

  static func command(of source: SourceDescriptor) -> Command {
    guard !source.isEndless else { return unlisted(source) }
    return Command(
      source, "sync",
      options: [
        maxRequests, wait, full, acceptGone, .format, .require, .refresh, .sameAccount, .timeout, .store, .plan, .explain,
        .record,
      ],
      "store every record; continue where the last sync stopped, then fetch what changed",
      examples: ["", "--max-requests 2", "--full --format json"], asking: { try question(source, $0) },
      planning: { try await $1.sync($0.ask, full: isFull($0)).sentence }
    ) { try await run($0, $1) }
  }

  /// An endless list cannot be synced: the error says what to type instead.
  private static func unlisted(_ source: SourceDescriptor) -> Command {
    Command([source.name, "sync"], .any(.text), options: [maxRequests, wait, full, acceptGone], isListed: false, "") { _ in
      throw refusal(of: source)
    }
  }

  /// The error of a sync of a list without an end.
  static func refusal(of source: SourceDescriptor) -> UsageError {
    UsageError(
      "\(source.name) cannot be synced: the list has no end", suggestion: "\(source.name) next --limit 1000",
      usage: "\(source.name) next --limit N", topic: "\(source.name) next")
  }

  static func question(_ source: SourceDescriptor, _ invocation: Invocation) throws -> SourceQuestion {
    var question = try SourceQuestion(.everything, of: source, invocation)
    (question.ask.terms.reach, question.ask.terms.maxRequests) = (.live, try invocation.count(maxRequests))
    return question
  }

  private static func isFull(_ question: SourceQuestion) -> Bool {
    [full, acceptGone].contains(where: question.invocation.has)
  }

  private static func run(_ question: SourceQuestion, _ source: some SourceSession) async throws -> ExitCode {
    let before = try await received(from: source) ?? 0
    do {
      let outcome = try await [question].recorded {
        try await Interruption.cancelling(orElse: { tellInterruption(question) }) {
          try await EventPrinter(question, already: before).during { try await sync(question, source) }
        }
      }
      return conclude(outcome, question, try question.report(outcome))
    } catch is CancellationError {
      await tellInterruption(question, source)
      return .interrupted
    }
  }

  static func sync(_ question: SourceQuestion, _ source: some SourceSession) async throws -> StoringOutcome {
    let invocation = question.invocation
    return try await source.sync(
      question.ask, full: isFull(question), acceptingGone: invocation.has(acceptGone),
      waiting: invocation.has(wait) ? { tell(waiting: $0, because: $1, question) } : nil
    ) {
      if $0.received > 0 { question.notice("continuing after the \($0.received) records received before") }
    }
  }

  /// Says what an interrupted sync has stored, and how it goes on.
  static func tellInterruption(_ question: SourceQuestion, _ source: some SourceSession) async {
    let received = try? await received(from: source)
    tellInterruption(question, received.map { " after \(plural($0, "record")); position saved" } ?? "")
  }

  private static func tellInterruption(_ question: SourceQuestion, _ saved: String = "") {
    question.notice("interrupted\(saved); type \(command(question)) to continue")
  }

  /// How many records the unfinished sync has received that the next one continues.
  private static func received(from source: some SourceSession) async throws -> Int? {
    try await source.stored.lastSync().flatMap { $0.verdict == nil ? $0.received : nil }
  }

  /// Reports once that a wait begins; `--explain` and `--verbose` report it anyway.
  private static func tell(waiting wait: Duration, because error: SourceError, _ question: SourceQuestion) {
    Event.emit(.waiting(wait, because: error.reasonToWait))
    if ![.explain, .verbose].contains(where: question.invocation.has) {
      let time = error.kind == .taken ? "" : " \(wait.inWords)"
      question.notice("waiting\(time): \(error.reasonToWait)")
    }
  }

  private static func command(_ question: SourceQuestion) -> String {
    "'\(question.program.name) \(question.descriptor.name) sync'"
  }

  /// Says what can be done about what is missing, and gives the code for it; `code` is that of its verdict.
  static func conclude(_ outcome: StoringOutcome, _ question: SourceQuestion, _ code: ExitCode) -> ExitCode {
    let (code, command) = (question.checked(code, outcome.unmet), command(question))
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
  func report(_ outcome: StoringOutcome, _ fields: [Field<StoringOutcome>] = StoringOutcome.fields) throws -> ExitCode {
    var outcome = outcome
    outcome.verdict = outcome.verdict.worded(for: invocation)
    try invocation.print(outcome, of: fields, inWords: [outcome.sentence])
    return outcome.verdict.code
  }
}

extension Verdict {
  /// The code of an answer that ends so.
  var code: ExitCode { if case .partial = self { .partial } else { .success } }
}
