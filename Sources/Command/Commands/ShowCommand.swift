import AggregatorCore

/// `show ID`: one record in full.
enum ShowCommand {
  static func run(_ question: Question) async throws -> ExitCode { try await run(question, question.opened(in: question.world())) }

  private static func run<Item>(_ question: Question, _ source: some OpenSource<Item>) async throws -> ExitCode {
    try await refuseDeleted(question, source)
    try question.invocation.printAlone(await find(question, source.answering), of: source.schema.fields)
    return .success
  }

  /// What a person deleted is not shown, but they learn how to get it back.
  private static func refuseDeleted<Item>(_ question: Question, _ source: some OpenSource<Item>) async throws {
    guard question.descriptor.isEndless, let archive = source.archive else { return }
    let id = source.schema.identity(question.invocation.arguments.first ?? "")
    guard let moment = try await archive.history(of: id)?.deletedAt else { return }
    throw SourceError(
      .notFound, "\(id) was deleted on \(moment.iso)", remedy: "'\(question.program.name) \(source.name) restore \(id)' brings it back"
    ).from(source.name)
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
