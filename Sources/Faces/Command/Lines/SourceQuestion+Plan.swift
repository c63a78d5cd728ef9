import AggregatorCore
import Asking
import RecordFormats

extension SourceQuestion {
  /// Prints the requests that `verb` would send, each line with the source's name if `isNaming`. `verb` does what the command would do; its
  /// result is printed if no request was needed.
  func plan(
    naming isNaming: Bool = false, _ verb: (SourceQuestion, OpenedSource) async throws -> String
  ) async throws -> ExitCode {
    let (plan, result) = try await descriptor.plan(ask, in: recorded(in: invocation.world())) { source in
      explain(source)
      return try await verb(self, source)
    }
    let now = program.clock.now
    var lines = plan.requests.map { "would send \($0)" }
    if !plan.programs.isEmpty {
      lines = plan.programs.map { "would start \($0)" }
    } else if lines.isEmpty {
      lines = ["nothing would be sent: \(plan.standIn.map { words(for: $0) } ?? result ?? "all data is local")"]
    } else {
      lines += plan.budgets.map { "budget \($0.budget): \($0.free > now ? "free in \(($0.free - now).inWords)" : "free now")" }
      if let requests = try requests(of: plan) { lines.append(requests) }
    }
    let name = isNaming ? "\(descriptor.name): " : ""
    try program.console.write(lines.map { Printable.clean(name + $0) + "\n" }.joined())
    try program.console.flush()
    notice("nothing was sent (--plan)")
    return .success
  }

  /// Returns how many requests may follow; nil for a single record.
  private func requests(of plan: Plan) throws -> String? {
    if case .record = ask.query { return nil }
    if invocation.command.words.last == Verb.audit.name {
      let most = try reading(AuditWishes.init(reading:)).requests
      return "at most \(most) requests in all, for pages at random places and for random records"
    }
    if plan.isOnePage { return "the whole list comes with one request" }
    if ask.pages == 1 { return "1 request" }
    // The number depends on what comes: conditions, rows read twice to look back, records that were printed before.
    return "further requests\(plan.pageSize.map { " of up to \($0) records each" } ?? ""), until there is enough"
  }

  /// The wishes for a count.
  var countWishes: CountWishes {
    get throws { try reading { words throws(AskError) in try CountWishes(reading: words, of: descriptor) } }
  }

  /// Begins to read an answer, and returns where it comes from.
  func beginning(of source: OpenedSource) async throws -> String {
    if invocation.has(.count) { return origin(of: try await source.count(ask, countWishes).summary) }
    var answer = source.records(for: ask)
    _ = try await answer.nextRecords()
    return origin(of: answer.summary)
  }

  private func origin(of summary: Summary) -> String {
    summary.origin.map { words(for: $0) } ?? "there is nothing to ask"
  }
}
