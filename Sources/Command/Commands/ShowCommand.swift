import AggregatorCore

/// `show ID`: one record in full.
enum ShowCommand {
  static func run(_ question: Question) async throws -> ExitCode { try await run(question, question.source()) }

  private static func run<Item>(_ question: Question, _ source: some DataSource<Item>) async throws -> ExitCode {
    try question.invocation.printAlone(await find(question, source))
    return .success
  }

  /// The one record that is asked for.
  static func find<Item>(_ question: Question, _ source: some DataSource<Item>) async throws -> Item {
    var found: Item?
    let summary = try await question.walk(source) { items in found = found ?? items.first }
    guard let found else { throw missing(question, summary) }
    return found
  }

  private static func missing(_ question: Question, _ summary: Summary) -> SourceError {
    let source = question.descriptor
    let id = question.invocation.arguments.first ?? ""
    if case .partial(let shortfall) = summary.verdict {
      return SourceError(.unavailable, "\"\(id)\" is not in what could be read (\(shortfall))", remedy: "try again").from(source.name)
    }
    let verb = source.searches == nil ? "list" : "search TEXT"
    return SourceError(.notFound, "there is no \"\(id)\"", remedy: "'\(question.program.name) \(source.name) \(verb)' finds what there is")
      .from(source.name)
  }
}
