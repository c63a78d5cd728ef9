import AggregatorCore
import Asking
import Presentation
import Synchronization

/// `sync`: every record of a source into the store.
enum SyncCommand {
  private static let maxRequests = Option(
    "max-requests", takes: .required(.count), "send at most N requests; the next sync continues from there")
  static let wait = Option("wait", "when rate-limited, out of budget or while another sync runs, wait and continue")
  static let full = Option("full", "fetch everything, not only what changed since the last sync")
  static let acceptGone = Option(
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

  fileprivate static func isFull(_ question: SourceQuestion) -> Bool {
    [full, acceptGone].contains(where: question.invocation.has)
  }

  private static func run(_ question: SourceQuestion, _ source: some SourceSession) async throws -> ExitCode {
    let sync = SyncRun(question, source)
    let before = try await source.interruptedSync()?.received ?? 0
    do {
      let outcome = try await [question].recorded {
        try await Interruption.cancelling(orElse: { sync.tellInterruption() }) {
          try await EventPrinter(question, already: before).during { try await sync.run() }
        }
      }
      return conclude(outcome, question, try question.report(outcome))
    } catch is CancellationError {
      sync.tellInterruption(after: try? await sync.interrupted())
      return .interrupted
    }
  }

  /// Says what can be done about what is missing, and gives the code for it; `code` is that of its verdict.
  static func conclude(_ outcome: StoringOutcome, _ question: SourceQuestion, _ code: ExitCode) -> ExitCode {
    question.tell(outcome.driftNews)
    let (code, command) = (question.checked(code, outcome.unmet), question.syncCommand)
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
  /// Says what in the shape of the rows began and what ended, and what can be done about it.
  func tell(_ drift: [ShapeDrift]) {
    for drift in drift { notice(drift.sentence) }
    if drift.contains(where: { $0.until == nil }) { notice(descriptor.shapeAdvice(drift, program.name)) }
  }

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

/// One sync of one source, of which it is known whether it has begun: one that waits for another's stores nothing.
final class SyncRun: Sendable {
  private let question: SourceQuestion
  private let source: any SourceSession
  private let hasBegun = Atomic(false)

  init(_ question: SourceQuestion, _ source: any SourceSession) { (self.question, self.source) = (question, source) }

  /// How many requests it has sent.
  var requests: Int { source.world.requests.count }

  func run() async throws -> StoringOutcome {
    let invocation = question.invocation
    return try await source.sync(
      question.ask, full: SyncCommand.isFull(question),
      acceptingGone: invocation.has(SyncCommand.acceptGone),
      waiting: invocation.has(SyncCommand.wait) ? { self.tell(waiting: $0, because: $1) } : nil
    ) {
      self.hasBegun.store(true, ordering: .relaxed)
      if $0.received > 0 { self.question.notice("continuing after the \($0.received) records received before") }
    }
  }

  /// What it has stored where it was interrupted; nil where it had not begun.
  func interrupted() async throws -> StoringOutcome? {
    hasBegun.load(ordering: .relaxed) ? try await source.interruptedSync() : nil
  }

  /// Says what an interrupted sync has stored, and how it goes on.
  func tellInterruption(after outcome: StoringOutcome? = nil) {
    let saved = outcome.map { " after \(plural($0.received, "record")); position saved" } ?? ""
    question.notice("interrupted\(saved); type \(question.syncCommand) to continue")
  }

  /// Reports once that a wait begins; `--explain` and `--verbose` report it anyway.
  private func tell(waiting wait: Duration, because error: SourceError) {
    Event.emit(.waiting(wait, because: error.reasonToWait))
    if ![.explain, .verbose].contains(where: question.invocation.has) {
      let time = error.kind == .taken ? "" : " \(wait.inWords)"
      question.notice("waiting\(time): \(error.reasonToWait)")
    }
  }
}

extension SourceDescriptor {
  /// What to type about rows that look otherwise than they did.
  func shapeAdvice(_ drift: [ShapeDrift], _ program: String) -> String {
    let check = file != nil && drift.contains { $0.kind == .keyless } ? "'\(program) source check \(name)', or " : ""
    return "type \(check)'\(program) source accept \(name)' if that is how they should look"
  }
}

extension SourceQuestion {
  fileprivate var syncCommand: String { "'\(program.name) \(descriptor.name) sync'" }
}
