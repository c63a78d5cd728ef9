import AggregatorCore
import Presentation

/// What came of storing many records: what `sync` and `import` print.
struct Outcome: Fielded {
  let source: String
  let received: Int
  /// Those that are new in the store.
  let kept: Int
  let updated: Int
  /// Those that were there already, as they came.
  let duplicates: Int
  let skipped: Int
  /// Those that a person has deleted: they stay so.
  var deleted = 0
  let requests: Int
  let verdict: Verdict
  /// How the list changed while it was read; nil where nothing shows that it did.
  var change: String?
  /// How many the service no longer has.
  var gone = 0

  static let fields = [
    Field<Outcome>("source", .title, width: .whole) { $0.source },
    Field<Outcome>("received", width: .whole) { $0.received },
    Field<Outcome>("kept", width: .whole) { $0.kept },
    Field<Outcome>("updated", width: .whole) { $0.updated },
    // Those that a person has deleted came before too, and the numbers add up.
    Field<Outcome>("duplicates", width: .whole) { $0.duplicates + $0.deleted },
    Field<Outcome>("skipped", width: .whole) { $0.skipped },
    Field<Outcome>("requests", width: .whole) { $0.requests },
    Field<Outcome>("verdict", .badge) { VerdictPart(verdict: $0.verdict, change: $0.change) },
  ]

  /// `100000 received: 99000 kept, 1000 there already`.
  var sentence: String {
    let parts = [
      (kept, "kept"), (updated, "updated"), (duplicates, "there already"), (deleted, "deleted before, and staying so"),
      (skipped, "broken and skipped"), (gone, "gone from the service"),
    ].filter { $0.0 > 0 || $0.1 == "kept" }
    let asked = requests > 0 ? ", in \(requests) request\(requests == 1 ? "" : "s")" : ""
    let end = verdict == .complete ? change.map { "; \($0)" } ?? "" : "; \(verdict.kind)\(verdict.reason.map { " (\($0))" } ?? "")"
    return "\(received) received: \(parts.map { "\($0.0) \($0.1)" }.joined(separator: ", "))\(asked)\(end)"
  }
}

/// The verdict as JSON carries it.
private struct VerdictPart: Part {
  let verdict: Verdict
  let change: String?

  static let fields = [
    Field<VerdictPart>("kind") { $0.verdict.kind },
    Field<VerdictPart>("reason") { $0.verdict.reason ?? ($0.verdict == .complete ? $0.change : nil) },
  ]
}

extension Question {
  /// Prints what came of it: a sentence unless a format was asked for.
  func report(_ outcome: Outcome) throws -> ExitCode {
    if invocation.has(.format) {
      try invocation.printAlone(outcome, of: Outcome.fields)
    } else {
      try program.console.write("\(descriptor.name): \(Printable.clean(outcome.sentence))\n")
    }
    if case .partial = outcome.verdict { return .partial }
    return .success
  }

  /// Runs `work`, which tells how far it is; that is shown where somebody would see it.
  func gauged<Work: Gauge, Result>(
    _ gauge: Work, _ work: (@escaping (@Sendable (inout Work) -> Void) -> Void) async throws -> Result
  ) async throws -> Result {
    let line = ProgressLine(gauge, clock: program.clock) { [console = program.console, isSeen = isProgressSeen] in
      if isSeen { console.show(status: $0) }
    }
    return try await Witness(self, showsProgress: false).during {
      guard isProgressSeen else { return try await work { _ in } }
      return try await line.during { try await work { line.change($0) } }
    }
  }
}
