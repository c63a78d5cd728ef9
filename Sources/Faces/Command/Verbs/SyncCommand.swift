import AggregatorCore
import Asking
import Presentation
import Synchronization

/// `sync`: stores every record of a source.
enum SyncCommand {
  static let command = SourceCommand(
    .sync, options: [.formatOrReport, .store, .plan, .explain, .record],
    examples: { _ in ["", "--max-requests 2", "--full --format report"] }, refusing: { UsageError(endless: $0) },
    planning: { try await planned($0, $1) }
  ) { try await run($0, $1) }

  /// Prints what the sync would send, each line with the source's name.
  static func plan(_ question: SourceQuestion) async throws -> ExitCode {
    try await question.plan(naming: true) { try await planned($0, $1) }
  }

  private static func planned(_ question: SourceQuestion, _ source: some SourceSession) async throws -> String {
    try await source.sync(question.ask, question.reading(SyncWishes.init(reading:))).sentence
  }

  private static func run(_ question: SourceQuestion, _ source: some SourceSession) async throws -> ExitCode {
    let sync = SyncingCommand(question, source)
    let before = try await source.interruptedSync()?.counts.received ?? 0
    do {
      let outcome = try await [question].recorded {
        try await Interruption.cancelling(orElse: { sync.tellGivingUp() }) {
          try await EventPrinter(question, already: before).during { try await sync.run() }
        }
      }
      let failing = outcome.error == nil ? nil : await question.failing(in: source.world)
      if question.invocation.isReport {
        var report = SyncReport(question.invocation)
        let code = report.add(outcome, question, failing)
        try await report.print(changesOf: [sync])
        return code
      }
      return conclude(outcome, question, try question.report(outcome), failing)
    } catch let error as SourceError {
      if let series = await question.failing(in: source.world)?.failingAgain {
        // The error is not in a report either.
        question.invocation.isReport ? question.invocation.tell("\(source.name): \(series)") : question.notice(series)
      }
      throw error
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

  /// Prints what can be done about missing records, and returns the exit code; `code` is the verdict's. `failing` tells how the syncs of the
  /// source failed.
  static func conclude(
    _ outcome: StoringOutcome, _ question: SourceQuestion, _ code: ExitCode, _ failing: SourceReport?
  ) -> ExitCode {
    for notice in outcome.notices { question.say(notice) }
    for line in question.descriptor.words(for: outcome.driftNews, question.program.name) { question.notice(line) }
    let checked = question.checked(code, outcome.unmet)
    let (advice, isThrottled) = advice(on: outcome, question)
    for line in advice + (failing?.failingAgain.map { [$0] } ?? []) { question.notice(line) }
    return isThrottled ? .throttled : checked
  }

  /// Returns what can be done about missing records; `isThrottled` is true when only waiting helps.
  static func advice(on outcome: StoringOutcome, _ question: SourceQuestion) -> (lines: [String], isThrottled: Bool) {
    let command = question.syncCommand
    var lines: [String] = []
    switch outcome.verdict {
    case .partial(.gone):
      lines.append("type \(command.dropLast()) --accept-gone' if the service really removed them")
    case .partial(.unlisted):
      lines.append("type \(command.dropLast()) --full' to read the whole list again")
    default: break
    }
    guard outcome.isUnfinished else { return (lines, false) }
    guard let error = outcome.error, error.kind.isBudget else {
      return (lines + ["position saved; type \(command) to continue"], false)
    }
    let way = question.invocation.says(.wait) ? " (--timeout leaves no time to wait)" : ", or use --wait"
    let time = error.namedWait.map { "in \($0.inWords)" } ?? "later"
    return (lines + ["position saved; type \(command) \(time) to continue\(way)"], true)
  }
}

extension SourceQuestion {
  /// Prints the result of storing, in words unless the line names a format, and returns its exit code.
  func report(_ outcome: StoringOutcome, _ fields: [Field<StoringOutcome>] = StoringOutcome.fields) throws -> ExitCode {
    try invocation.print(outcome, of: fields, inWords: [outcome.sentence])
    return outcome.verdict.code
  }
}

extension Verdict {
  /// The exit code for an answer with this verdict.
  var code: ExitCode { if case .partial = self { .partial } else { .success } }
}

/// One sync of one source. It knows whether it has begun: a sync that waits for another one has stored nothing.
final class SyncingCommand: Sendable {
  let question: SourceQuestion
  private let source: any SourceSession
  private let hasBegun = Atomic(false)

  init(_ question: SourceQuestion, _ source: any SourceSession) { (self.question, self.source) = (question, source) }

  /// The number of requests sent so far.
  var requests: Int { source.world.requests.count }

  func run() async throws -> StoringOutcome {
    var outcome = try await source.sync(
      question.ask, question.reading(SyncWishes.init(reading:)),
      waiting: question.invocation.says(.wait) ? { self.tell(waiting: $0, because: $1) } : nil
    ) {
      self.hasBegun.store(true, ordering: .relaxed)
      if $0.counts.received > 0 { self.question.notice("continuing after the \($0.counts.received) records received before") }
    }
    outcome.verdict = outcome.verdict.worded(question.invocation.wording)
    return outcome
  }

  /// Returns what an interrupted sync has stored; nil if it had not begun.
  func interrupted() async throws -> StoringOutcome? {
    hasBegun.load(ordering: .relaxed) ? try await source.interruptedSync() : nil
  }

  /// Returns what the sync changed: the changes of as many records as a report lists, and the number of the others.
  func changes(of outcome: StoringOutcome) async throws -> (
    found: [FoundChange], folds: [FoldedChanges.Fold], rest: Int
  ) {
    try await source.changes(of: outcome, upTo: Report.mostRecords)
  }

  /// Prints what an interrupted sync has stored, and how to continue it.
  func tellInterruption(after outcome: StoringOutcome? = nil) { question.notice(interruption(after: outcome)) }

  /// Returns what an interrupted sync has stored, and how to continue it.
  func interruption(after outcome: StoringOutcome?) -> String {
    let saved = outcome.map { " after \(plural($0.counts.received, "record")); position saved" } ?? ""
    return "interrupted\(saved); type \(question.syncCommand) to continue"
  }

  /// Prints the same when the process gives up; with a report too, since the report will not be printed.
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
  /// Returns the report on the source if its last sync failed; else nil. What the store cannot say is left out: the error of the sync says
  /// more.
  func failing(in world: World) async -> SourceReport? {
    guard let report = try? await descriptor.report(in: world), report.failing != nil else { return nil }
    return report
  }

  /// The words to type to sync the source, in quotes.
  var syncCommand: String { "'\(program.name) \(descriptor.name) sync'" }
}
