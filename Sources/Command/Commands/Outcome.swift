import AggregatorCore
import Presentation

/// The result of storing many records, as `sync` and `import` print it.
struct Outcome: Fielded {
  let source: String
  let received: Int
  /// Those that are new in the store.
  let kept: Int
  let updated: Int
  /// Those that were there already: of a sync as they came, of an import as they were, since the first one stays.
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
  /// How many there are in the store; nil where only those that were received count.
  var stored: Int?

  static let fields = head + tail
  /// A sync also tells what is gone.
  static let fieldsOfSync = head + [Field<Outcome>("gone", width: .whole) { $0.gone }] + tail

  private static let head = [
    Field<Outcome>("source", .title, width: .whole) { $0.source },
    Field<Outcome>("received", width: .whole) { $0.received },
    Field<Outcome>("kept", width: .whole) { $0.kept },
    Field<Outcome>("updated", width: .whole) { $0.updated },
    // Deleted records count as duplicates, so that the numbers add up.
    Field<Outcome>("duplicates", width: .whole) { $0.duplicates + $0.deleted },
    Field<Outcome>("skipped", width: .whole) { $0.skipped },
  ]
  private static let tail = [
    Field<Outcome>("requests", width: .whole) { $0.requests },
    Field<Outcome>("verdict", .badge) { VerdictPart(verdict: $0.verdict, change: $0.change) },
  ]

  /// `received 100000 users: 99000 new, 1000 already stored`.
  var sentence: String {
    let known = stored == nil ? "already stored" : "unchanged"
    let parts = [
      (kept, "new"), (updated, "updated"), (duplicates, known), (deleted, "still deleted"), (skipped, "skipped"),
      (gone, "no longer at the service"),
    ].filter { $0.0 > 0 }
    let isUpToDate = verdict == .complete && (stored ?? 0) > 0 && parts.allSatisfy { $0.1 == known }
    let asked = requests > 0 ? " (\(requests) request\(requests == 1 ? "" : "s"))" : ""
    let head =
      isUpToDate ? "up to date: \(stored ?? received) \(source)" : "received \(received == 1 ? "1 record of" : "\(received)") \(source)"
    let counts = isUpToDate || parts.isEmpty ? "" : ": " + parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    return head + counts + asked + end
  }

  private var end: String {
    switch verdict {
    case .complete: change.map { "; \($0)" } ?? ""
    case .bounded: "; stopped before the end"
    case .partial(let shortfall): "; incomplete: \(shortfall.sentence)"
    case .unverifiable: "; the service does not say whether this is everything"
    }
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

extension SourceQuestion {
  /// Prints the result: a sentence unless a format was asked for.
  func report(_ outcome: Outcome, of fields: [Field<Outcome>] = Outcome.fields) throws -> ExitCode {
    if invocation.has(.format) {
      try invocation.printAlone([outcome], of: fields)
    } else {
      try program.console.write("\(Printable.clean(outcome.sentence))\n")
    }
    if case .partial = outcome.verdict { return .partial }
    return .success
  }

  /// Runs `work`, which reports its progress; that is shown on a terminal.
  func gauged<Work: Gauge, Result>(
    _ gauge: Work, _ work: (@escaping (@Sendable (inout Work) -> Void) -> Void) async throws -> Result
  ) async throws -> Result {
    let line = ProgressLine(gauge, clock: program.clock) { [console = program.console, isSeen = isProgressSeen] in
      if isSeen { console.show(status: $0) }
    }
    return try await EventPrinter(self, showsProgress: false).during {
      guard isProgressSeen else { return try await work { _ in } }
      return try await line.during { try await work { line.change($0) } }
    }
  }
}
