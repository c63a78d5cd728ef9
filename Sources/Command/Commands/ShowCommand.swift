import AggregatorCore

/// `show ID`: one record in full.
enum ShowCommand {
  static func run(_ question: SourceRun) async throws -> ExitCode { try await run(question, question.opened(in: question.world())) }

  private static func run(_ question: SourceRun, _ source: some OpenSource) async throws -> ExitCode {
    // Who was deleted is not shown, but a person learns how to get them back.
    if question.descriptor.isEndless { try await source.checkIsNotDeleted(question.id) }
    try question.invocation.printAlone(await find(question, source.answering), of: source.schema.fields)
    return .success
  }

  /// The one record that is asked for.
  static func find<Item>(_ question: SourceRun, _ source: some DataSource<Item>) async throws -> Item {
    var found: Item?
    let summary = try await question.walk(source) { items in found = found ?? items.first }
    guard let found else { throw missing(question, summary) }
    return found
  }

  private static func missing(_ question: SourceRun, _ summary: Summary) -> SourceError {
    var error = SourceError(.notFound, "no such record: \"\(question.id)\"")
    if case .partial(let shortfall) = summary.verdict {
      let what = "\"\(question.id)\" is not among the records that could be read (\(shortfall.sentence))"
      error = SourceError(.unavailable, what, remedy: "try again")
    }
    return error.from(question.descriptor.name).advising(question.invocation, question.descriptor)
  }
}
