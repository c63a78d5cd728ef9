import AggregatorCore
import Asking
import Presentation

extension SourceQuestion {
  /// The end of a run that is only planned, with `--plan`; nil of any other. `verb` does what the command would, and says what came of it
  /// where nothing had to be sent.
  func planned(_ verb: (any SourceSession) async throws -> String) async throws -> ExitCode? {
    guard invocation.has(.plan) else { return nil }
    let (plan, result) = try await descriptor.plan(ask, in: world()) { source in
      explain(source)
      return try await verb(source)
    }
    let now = program.clock.now
    var lines = plan.requests.map { "would send \($0)" }
    if lines.isEmpty {
      lines = ["nothing would be sent: \(plan.standIn.map { words(for: $0) } ?? result ?? "everything is at hand")"]
    } else {
      lines += plan.budgets.map { "budget \($0.budget): \($0.free > now ? "free in \(($0.free - now).inWords)" : "free now")" }
      if let paging = paging(plan) { lines.append(paging) }
    }
    try program.console.write(lines.map { Printable.clean($0) + "\n" }.joined())
    try program.console.flush()
    notice("nothing was sent (--plan)")
    return .success
  }

  /// How many requests it may become.
  private func paging(_ plan: Plan) -> String? {
    if case .record = ask.query { return nil }
    guard let size = plan.pageSize else { return "the whole list comes with one request" }
    if ask.pages == 1 { return "1 request" }
    // How many follow depends on what comes: conditions, rows that were read twice to look back, records that were shown before.
    return "further requests of up to \(size) records each, until there is enough"
  }

  /// Plans a command that answers with records.
  func plannedAnswer() async throws -> ExitCode? { try await planned { try await self.beginning(of: $0) } }

  private func beginning<Item>(of source: some SourceSession<Item>) async throws -> String {
    let origin: Origin?
    if invocation.has(.count) {
      origin = try await source.count(ask).answer.summary.origin
    } else {
      var answer = source.answer(to: ask)
      _ = try await answer.nextPage()
      origin = answer.summary.origin
    }
    return origin.map { words(for: $0) } ?? "there is nothing to ask"
  }
}
