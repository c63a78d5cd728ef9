import AggregatorCore
import Presentation

/// `show ID...`: one record in full, or several.
enum ShowCommand {
  static func run(_ question: SourceQuestion, names: [String]) async throws -> ExitCode {
    if let code = try await question.planned() { return code }
    return try await run(question, names, question.opened(in: question.world()))
  }

  private static func run<Item>(_ question: SourceQuestion, _ names: [String], _ source: some OpenSource<Item>) async throws -> ExitCode {
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
      } catch let error as SourceError where error.kind == .notFound {
        // What a person imported, and what the service has no more, is found always.
        if let item = try? await source.archive?.records().page(PageRequest(.record(name))).items.first {
          question.notice("the service has no such record; showing the stored one")
          found.append(item)
        } else if names.count > 1 {
          missing.append(error)
        } else {
          failure = error
        }
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

  /// The one record that is asked for: the one of that id or name, else the best that a search for it finds.
  static func find<Item>(
    _ question: SourceQuestion, _ source: some DataSource<Item>, tells: Bool = true, beginning begin: (Origin) throws -> Void = { _ in }
  ) async throws -> (item: Item, summary: Summary) {
    let asked = try await record(question, source, tells, begin)
    if let item = asked.item { return (item, asked.summary) }
    if case .partial = asked.summary.verdict { throw missing(question, asked.summary) }
    let found: (item: Item, summary: Summary)?
    do {
      found = try await match(question, source, begin)
    } catch let error as SourceError where error.kind.mayFallBack {
      // Nobody can search for it now.
      found = nil
    }
    guard let found else { throw missing(question, asked.summary) }
    guard source.schema.outline.contains(where: \.isDetail) else { return found }
    // Some of it is in a full record alone.
    var question = question
    question.query = .record(found.item.id)
    let full = try await record(question, source, false)
    return full.item.map { ($0, full.summary) } ?? found
  }

  private static func record<Item>(
    _ question: SourceQuestion, _ source: some DataSource<Item>, _ tells: Bool, _ begin: (Origin) throws -> Void = { _ in }
  ) async throws -> (item: Item?, summary: Summary) {
    var found: Item?
    let summary = try await question.walk(source, tells: tells, beginning: begin) { items in found = found ?? items.first }
    return (found, summary)
  }

  /// The best of those that the name is a part of; a person hears that there are others as good.
  private static func match<Item>(
    _ question: SourceQuestion, _ source: some DataSource<Item>, _ begin: (Origin) throws -> Void
  ) async throws -> (item: Item, summary: Summary)? {
    guard let name = question.query.name, question.descriptor.searches != nil else { return nil }
    var question = question
    (question.query, question.bounds.limit) = (.matching(name), 20)
    let matcher = Matcher(name, in: source.schema)
    guard !matcher.isEmpty else { return nil }
    var found: [(item: Item, rank: MatchRank)] = []
    let summary = try await question.walk(source, tells: false, beginning: begin) { items in
      for item in items { if let rank = matcher.rank(item), rank.isName { found.append((item, rank)) } }
    }
    guard let best = found.min(by: { $0.rank < $1.rank }) else { return nil }
    let count = found.count { $0.rank.place == best.rank.place }
    if count > 1 {
      let title = source.schema.title(of: best.item).map { "\($0) (\(best.item.id))" } ?? best.item.id
      question.notice("\(count) match \"\(name)\"; showing the best, \(title)")
    }
    return (best.item, summary)
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

/// `show TEXT`: of all sources' records the one that a text names, in full.
enum ShowAllCommand {
  static let command = Command(
    ["show"], .text(.text), options: [.format, .noPager] + Option.asking.filter { $0 != .plan },
    "show the record that TEXT names, of whatever source",
    examples: ["show france", "show mia wattle --offline", "show spider-man --offline --format json"]
  ) { invocation in
    let invocation = try invocation.replaying()
    let text = invocation.arguments.joined(separator: " ")
    let world = try invocation.world()
    let questions = try invocation.program.catalogue.sources.filter { $0.searches != nil }.map {
      try SourceQuestion(.matching(text), of: $0, within: SearchAllCommand.bounds(limit: 20, invocation), invocation)
    }
    var findings: [Int: Finding] = [:]
    var failures: [Int: SourceError] = [:]
    try await withThrowingTaskGroup(of: (Int, Result<Finding, SourceError>).self) { group in
      for (index, question) in questions.enumerated() {
        group.addTask { (index, try await SearchAllCommand.finding(of: question, in: world)) }
      }
      for try await (index, result) in group {
        switch result {
        case .success(let finding): findings[index] = finding
        case .failure(let error): failures[index] = error
        }
      }
    }
    var best = BestFindings(limit: nil)
    let names = best.add(findings).order.filter { findings[$0.source]?.ranks[$0.index]?.isName ?? false }
    guard let first = names.first, let shown = findings[first.source]?.rows[first.index] else {
      // Where a source could not answer, nobody knows that it has no such record.
      if let failure = failures.min(by: { $0.key < $1.key })?.value { throw failure }
      throw SourceError(
        .notFound, "no such record: \"\(text)\"",
        remedy: "type '\(invocation.program.name) search \(Paths.quoted(text))' to find one")
    }
    let equals = names.count { findings[$0.source]?.ranks[$0.index]?.place == findings[first.source]?.ranks[first.index]?.place }
    if equals > 1 { questions[first.source].notice("\(equals) match \"\(text)\"; showing the best, \(shown.title ?? shown.id)") }
    let question = try SourceQuestion(.record(shown.id), of: questions[first.source].descriptor, invocation)
    return try await ShowCommand.run(question, names: [shown.id])
  }
}
