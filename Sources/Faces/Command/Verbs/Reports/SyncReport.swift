import AggregatorCore
import Asking
import Presentation
import RecordFormats

/// The report of a sync, of one source or of several, as far as they have ended. It has only what is news.
struct SyncReport {
  private let invocation: Invocation
  /// The results that are news, one for each source.
  private var news: [(part: Report.Part, outcome: StoringOutcome?, hasFailed: Bool)] = []

  private static let sameFailure = "failed for the same reason"

  init(_ invocation: Invocation) { self.invocation = invocation }

  /// Adds the result of a source, and returns its exit code. `failing` tells how its syncs failed.
  mutating func add(_ outcome: StoringOutcome, _ question: SourceQuestion, _ failing: SourceReport?) -> ExitCode {
    let (advice, isThrottled) = SyncCommand.advice(on: outcome, question)
    if outcome.isNews {
      var part = Report.Part(outcome.source, outcome.news)
      // Below the counts, each on a line.
      part.notes = outcome.originNotes(at: invocation.program.clock.now)
      part.notes += question.descriptor.words(for: outcome.driftNews, invocation.program.name)
      part.notes += outcome.unmet.map { "\($0) (--require)" } + advice + (failing?.failingAgain.map { [$0] } ?? [])
      news.append((part, outcome, false))
    }
    return isThrottled ? .throttled : outcome.unmet.isEmpty ? outcome.verdict.code : .partial
  }

  /// Adds a source whose sync failed, and returns the exit code.
  mutating func add(_ error: SourceError, _ question: SourceQuestion, _ failing: SourceReport?) -> ExitCode {
    let (name, error) = (question.descriptor.name, error.ending(invocation))
    var part = Report.Part(name, StoringOutcome(error, of: name, requests: 0).news)
    part.notes = (failing?.failingAgain ?? failing?.storedRows).map { [$0] } ?? []
    news.append((part, nil, true))
    return Failure(error, program: invocation.program.name).code
  }

  /// Adds a source whose sync a person interrupted; `outcome` is nil if it stored nothing.
  mutating func add(interrupted outcome: StoringOutcome?, _ run: SyncingCommand) {
    var part = Report.Part(run.question.descriptor.name, outcome?.news ?? "interrupted")
    part.notes =
      outcome.map { SyncCommand.advice(on: $0, run.question).lines } ?? ["type \(run.question.syncCommand) to continue"]
    news.append((part, outcome, false))
  }

  /// Prints the report; nothing at all without news. Each run reads the changes of its
  /// source, and the sources are in the order of the runs.
  func print(_ totals: SyncTotals? = nil, changesOf runs: [SyncingCommand]) async throws {
    guard !news.isEmpty else { return }
    var report = Report(hasTimes: false)
    if let totals, totals.count > 1 { report.total = totals.news }
    // A source that was never opened has no run, and comes last.
    let names = runs.map(\.question.descriptor.name)
    let ordered = news.sorted { one, other in
      let ranks = [one, other].map { names.firstIndex(of: $0.part.source) ?? names.count }
      return (ranks[0], one.part.source) < (ranks[1], other.part.source)
    }
    var (failures, unlisted) = (Set<String>(), [String: [String]]())
    for (part, outcome, hasFailed) in ordered {
      var part = part
      // An error of the store, for example, is the same for all sources, and is printed in full once.
      if hasFailed, !failures.insert(part.counts).inserted { part.counts = Self.sameFailure }
      if let outcome, let run = runs.first(where: { $0.question.descriptor.name == part.source }) {
        if let why = try await list(outcome, of: run, in: &part) { unlisted[why, default: []].append(part.source) }
      }
      report.parts.append(part)
    }
    // A reason that several sources share is told once.
    for (why, sources) in unlisted.sorted(by: { $0.key < $1.key }) {
      if report.parts.count == 1 {
        report.parts[0].notes.append(why)
      } else {
        report.end.append("\(sources.joined(separator: ", ")): \(why)")
      }
    }
    try invocation.program.console.write(report.text)
  }

  /// Lists the records that a sync changed. Returns the reason if they are counted and not listed.
  private func list(_ outcome: StoringOutcome, of run: SyncingCommand, in part: inout Report.Part) async throws -> String? {
    do {
      // A task of its own, since Ctrl-C may have cancelled this one.
      let changes = try await Task { try await run.changes(of: outcome) }.value
      (part.changes, part.folds, part.rest) = (changes.found, changes.folds, changes.rest)
      part.command = outcome.began.map { "\(invocation.program.name) \(part.source) changes --since \($0.wholeSecond)" }
      return changes.found.isEmpty && changes.folds.isEmpty && outcome.counts.changed > 0 ? outcome.whyUnlisted : nil
    } catch let error as SourceError {
      part.notes.append("the records cannot be listed: \(error.worded(invocation.wording))")
      return nil
    }
  }
}

extension StoringOutcome {
  /// The line about another service that answered; empty if none did.
  fileprivate func originNotes(at now: Moment) -> [String] {
    notices.filter { $0.name == "origin" }.map { $0.text(of: source, at: now) }
  }

  /// The reason why changed records are counted but not listed.
  fileprivate var whyUnlisted: String {
    verdict == .unverifiable
      ? "the records are not listed, since no sync can prove that it has the whole list"
      : "records are listed from the second complete sync on"
  }
}

extension Moment {
  /// The moment as `2026-11-22T04:00:00Z`, rounded down, so that `--since` finds changes at that moment and later.
  var wholeSecond: String { "\(iso.prefix(19))Z" }
}
