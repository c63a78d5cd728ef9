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
        maxRequests, wait, full, acceptGone, .formatOrReport, .require, .refresh, .sameAccount, .timeout, .store, .plan,
        .explain, .record,
      ],
      "store every record; continue where the last sync stopped, then fetch what changed",
      examples: ["", "--max-requests 2", "--full --format report"], asking: { try question(source, $0) },
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
        try await Interruption.cancelling(orElse: { sync.tellGivingUp() }) {
          try await EventPrinter(question, already: before).during { try await sync.run() }
        }
      }
      if question.invocation.isReport {
        var report = SyncReport(question.invocation)
        let code = report.add(outcome, question)
        try await report.print(changesOf: [sync])
        return code
      }
      return conclude(outcome, question, try question.report(outcome))
    } catch is CancellationError {
      let outcome = try? await sync.interrupted()
      if question.invocation.isReport {
        Interruption.heed()
        var report = SyncReport(question.invocation)
        report.add(interrupted: outcome, sync)
        try await report.print(changesOf: [sync])
      } else {
        sync.tellInterruption(after: outcome)
      }
      return .interrupted
    }
  }

  /// Says what can be done about what is missing, and gives the code for it; `code` is that of its verdict.
  static func conclude(_ outcome: StoringOutcome, _ question: SourceQuestion, _ code: ExitCode) -> ExitCode {
    for line in question.descriptor.words(for: outcome.driftNews, question.program.name) { question.notice(line) }
    let checked = question.checked(code, outcome.unmet)
    let (advice, isThrottled) = advice(on: outcome, question)
    for line in advice { question.notice(line) }
    return isThrottled ? .throttled : checked
  }

  /// What can be done about what is missing; true where it takes time alone.
  static func advice(on outcome: StoringOutcome, _ question: SourceQuestion) -> (lines: [String], isThrottled: Bool) {
    let command = question.syncCommand
    var lines: [String] = []
    switch outcome.verdict {
    case .partial(.gone), .partial(.unlisted):
      lines.append("type \(command.dropLast()) --accept-gone' if the service really removed them")
    default: break
    }
    guard outcome.isUnfinished else { return (lines, false) }
    guard let error = outcome.error, error.kind.isBudget else {
      return (lines + ["position saved; type \(command) to continue"], false)
    }
    let way = question.invocation.has(wait) ? " (--timeout leaves no time to wait)" : ", or use --wait"
    let time = error.namedWait.map { "in \($0.inWords)" } ?? "later"
    return (lines + ["position saved; type \(command) \(time) to continue\(way)"], true)
  }
}

extension SourceQuestion {
  /// Prints what came of storing, a sentence unless a format was asked for, and ends with the code for it.
  func report(_ outcome: StoringOutcome, _ fields: [Field<StoringOutcome>] = StoringOutcome.fields) throws -> ExitCode {
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
  let question: SourceQuestion
  private let source: any SourceSession
  private let hasBegun = Atomic(false)

  init(_ question: SourceQuestion, _ source: any SourceSession) { (self.question, self.source) = (question, source) }

  /// How many requests it has sent.
  var requests: Int { source.world.requests.count }

  func run() async throws -> StoringOutcome {
    let invocation = question.invocation
    var outcome = try await source.sync(
      question.ask, full: SyncCommand.isFull(question),
      acceptingGone: invocation.has(SyncCommand.acceptGone),
      waiting: invocation.has(SyncCommand.wait) ? { self.tell(waiting: $0, because: $1) } : nil
    ) {
      self.hasBegun.store(true, ordering: .relaxed)
      if $0.received > 0 { self.question.notice("continuing after the \($0.received) records received before") }
    }
    outcome.verdict = outcome.verdict.worded(invocation.wording)
    return outcome
  }

  /// What it has stored where it was interrupted; nil where it had not begun.
  func interrupted() async throws -> StoringOutcome? {
    hasBegun.load(ordering: .relaxed) ? try await source.interruptedSync() : nil
  }

  /// What it changed, of so many records as a report lists.
  func changes(of outcome: StoringOutcome) async throws -> (found: [FoundChange], rest: Int) {
    try await source.changes(of: outcome, upTo: Report.mostRecords)
  }

  /// Says what an interrupted sync has stored, and how it goes on.
  func tellInterruption(after outcome: StoringOutcome? = nil) { question.notice(interruption(after: outcome)) }

  /// What an interrupted sync has stored, and how it goes on.
  func interruption(after outcome: StoringOutcome?) -> String {
    let saved = outcome.map { " after \(plural($0.received, "record")); position saved" } ?? ""
    return "interrupted\(saved); type \(question.syncCommand) to continue"
  }

  /// Says the same where nothing else will be printed, not even a report.
  func tellGivingUp() {
    guard question.invocation.isReport else { return tellInterruption() }
    question.invocation.tell("\(question.descriptor.name): \(interruption(after: nil))")
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

extension SourceQuestion {
  /// What to type to sync it, in quotes.
  var syncCommand: String { "'\(program.name) \(descriptor.name) sync'" }
}
