import AggregatorCore
import Asking
import Platform
import Presentation
import RecordFormats

/// The report of the changes that syncs found, of one source or of several.
struct ChangesReport {
  private let invocation: Invocation
  private let ask: Ask
  private let wishes: ChangesWishes
  private let isOfSeveral: Bool
  /// True when the report lists every change that it is given; else it lists at most a fixed number of records of each source.
  private let listsAll: Bool

  init(_ invocation: Invocation, _ ask: Ask, _ wishes: ChangesWishes, isOfSeveral: Bool, isLimited: Bool) {
    (self.invocation, self.ask, self.wishes, self.isOfSeveral) = (invocation, ask, wishes, isOfSeveral)
    // A reader moves on past all changes, and would never be shown those that are left out.
    listsAll = if case .last = wishes.since { true } else { isLimited }
  }

  /// Prints the changes in `shown` and the `folds`, and counts all changes; nothing at all without news. `end` is printed below.
  ///
  /// A source whose syncs fail is news until one does not. A source whose changes are not known yet is named only beside other news, or if no
  /// source's changes are known.
  func print(
    _ answers: [ChangesAnswer], _ shown: [FoundChange], _ folds: [FoldedChanges.Fold], saying end: [String]
  ) throws {
    var report = Report(hasTimes: true)
    report.parts = answers.filter(\.isNews).map { answer in
      var part = part(of: answer, shown)
      part.folds = folds.filter { $0.source == answer.source }
      return part
    }
    let asksForSync = answers.contains { $0.knowledge == .notYet } && !answers.contains { $0.knowledge == .known }
    guard !report.parts.isEmpty || asksForSync else { return }
    if isOfSeveral, !report.parts.isEmpty {
      report.total = "\(answers.count) sources: \(counts(of: answers))\(window)"
    }
    report.end = invocation.unknown(in: answers) + end
    try invocation.program.console.write(report.text)
  }

  private func part(of answer: ChangesAnswer, _ shown: [FoundChange]) -> Report.Part {
    var part = Report.Part(answer.source, counts(of: [answer]) + (isOfSeveral ? "" : window))
    let source = invocation.program.catalogue[answer.source]
    part.notes = answer.failing?.failureLines(invocation) ?? []
    part.notes += source?.words(for: answer.drift, invocation.program.name) ?? []
    part.notes += answer.unmet.map { "\($0) (--require)" } + (answer.isCut ? [ChangesAnswer.cut] : [])
    let records = shown.filter { $0.source == answer.source }.byRecord
    let listed = listsAll ? records.count : min(records.count, Report.mostRecords)
    part.changes = records.prefix(listed).flatMap { $0 }
    part.rest = records.count - listed
    part.command = answer.changes.last.map {
      "\(invocation.program.name) \(answer.source) changes --since \($0.at.wholeSecond)" + choice
    }
    return part
  }

  /// The choice of changes as options: ` --gone --where field=city`.
  private var choice: String {
    let flags = [Ask.Parameter.onlyNew, .onlyChanged, .onlyGone].filter { invocation.says($0) }.map { " --\($0.name)" }
    let end = wishes.until.map { " --until \($0.iso)" } ?? ""
    return flags.joined() + end + ask.conditions.map { " --where \(Paths.quoted("\($0)"))" }.joined()
  }

  /// Returns the counts: `2 new, 1 updated, 1 gone`.
  private func counts(of answers: [ChangesAnswer]) -> String {
    let records = answers.flatMap(\.changes).byRecord.map { $0[0].kind }
    let words = [(FoundChange.Kind.new, "new"), (.changed, "updated"), (.gone, "gone"), (.editEnded, "edits ended")]
    let parts = words.map { kind, word in (records.count { $0 == kind }, word) }.filter { $0.0 > 0 }
    return parts.isEmpty
      ? answers.nothing
      : parts.map { $0.0 == 1 && $0.1 == "edits ended" ? "1 edit ended" : "\($0.0) \($0.1)" }
        .joined(separator: ", ")
  }

  /// The time that is reported: ` since 2026-11-22 04:00 UTC`.
  private var window: String {
    let beginning =
      switch wishes.since {
      case .ever: ""
      case .moment(let moment): " since \(moment.minute)"
      case .last(""): " since you last asked"
      case .last(let reader): " since \(reader) last asked"
      }
    return beginning + (wishes.until.map { " until \($0.minute)" } ?? "")
  }
}

extension ChangesAnswer {
  /// True when a report has to mention it.
  fileprivate var isNews: Bool { !changes.isEmpty || !drift.isEmpty || !unmet.isEmpty || failing != nil }
}

extension SourceDescriptor {
  /// Returns what began and what ended to be different in the shape of the rows, and what can be done about it; each a line.
  func words(for drift: [ShapeDrift], _ program: String) -> [String] {
    let rest = drift.count - 10
    let more = rest > 0 ? ["and \(rest) more: type '\(program) doctor'"] : []
    return drift.prefix(10).map(\.sentence) + more
      + (drift.contains { $0.until == nil } ? [remedy(for: drift).words(program, nil)] : [])
  }
}
