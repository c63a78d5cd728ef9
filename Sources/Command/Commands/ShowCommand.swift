import AggregatorCore

/// `show ID...`: one record in full, or several.
enum ShowCommand {
  static func run(_ question: SourceQuestion) async throws -> ExitCode {
    if let code = try await question.planned() { return code }
    return try await run(question, question.opened(in: question.world()))
  }

  private static func run<Item>(_ question: SourceQuestion, _ source: some OpenSource<Item>) async throws -> ExitCode {
    let names = question.invocation.arguments
    var found: [Item] = []
    var missing: [SourceError] = []
    var told: Set<Origin.Kind> = []
    var failure: (any Error)?
    var summaries: [Summary] = []
    for name in names {
      var question = question
      question.query = .record(name)
      do {
        // Who was deleted is not shown, but a person learns how to get them back.
        if question.descriptor.isEndless { try await source.checkIsNotDeleted(name) }
        // Where all of them come from is said once.
        let (item, summary) = try await find(question, source.answering, tells: false) {
          if told.insert($0.kind).inserted { question.tell($0) }
        }
        found.append(item)
        summaries.append(summary)
      } catch let error as SourceError where error.kind == .notFound && names.count > 1 {
        missing.append(error)
      } catch {
        failure = error
        break
      }
    }
    if let failure, found.isEmpty { throw failure }
    try question.invocation.printAlone(found, of: source.schema.fields, id: source.schema.idPath, isList: names.count > 1)
    if let failure { throw failure }
    let code = summaries.reduce(ExitCode.success) { question.checked($0, $1) }
    guard !missing.isEmpty else { return code }
    try question.program.console.flush()
    for error in missing {
      question.program.console.tell(Failure(error, program: question.program.name), of: question.program.name)
    }
    return .noRecord
  }

  /// The one record that is asked for.
  static func find<Item>(
    _ question: SourceQuestion, _ source: some DataSource<Item>, tells: Bool = true, beginning begin: (Origin) throws -> Void = { _ in }
  ) async throws -> (item: Item, summary: Summary) {
    var found: Item?
    let summary = try await question.walk(source, tells: tells, beginning: begin) { items in found = found ?? items.first }
    guard let found else { throw missing(question, summary) }
    return (found, summary)
  }

  private static func missing(_ question: SourceQuestion, _ summary: Summary) -> SourceError {
    var error = SourceError(.notFound, "no such record: \"\(question.query.name ?? question.id)\"")
    if question.descriptor.searches != nil, let name = question.query.name {
      error.remedy = "type '\(question.program.name) \(question.descriptor.name) search \(Paths.quoted(name))' to find one"
    }
    if case .partial(let shortfall) = summary.verdict {
      let what = "\"\(question.id)\" is not among the records that could be read (\(shortfall.sentence))"
      error = SourceError(.unavailable, what, remedy: "try again")
    }
    return error.from(question.descriptor.name).advising(question.invocation, question.descriptor)
  }
}

extension Query {
  /// What a person called the one record that is asked for.
  fileprivate var name: String? { if case .record(let name) = self { name } else { nil } }
}
