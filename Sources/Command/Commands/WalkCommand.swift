import AggregatorCore
import Asking
import Presentation

extension Option {
  static let more = Option("more", takes: .required(.count), "fetch N more pages first")
}

/// `list` and `search`: the records as they come, then how the walk ended.
enum WalkCommand {
  /// The question of a command line that walks.
  static func question(_ query: Query, of source: SourceDescriptor, _ invocation: Invocation) throws -> SourceQuestion {
    // Of all that are sorted, some can be printed.
    if !invocation.has(.sort) { try invocation.refuse(.all, with: .limit) }
    for option in [Option.limit, .pages, .offset, .sort, .fields, .header] { try invocation.refuse(.count, with: option) }
    try invocation.refuse(.all, with: .pages)
    try invocation.refuse(.offline, with: .more)
    var question = try SourceQuestion(query, of: source, invocation)
    question.ask.pages = try invocation.count(.pages)
    let isUnlimited = invocation.has(.all) || question.ask.pages != nil
    question.ask.limit = try invocation.count(.limit) ?? (isUnlimited ? nil : invocation.usualLimit)
    question.ask.offset = try invocation.place(.offset) ?? 0
    question.ask.sortsEverything = invocation.has(.all)
    question.ask.pagesToFetch = try invocation.count(.more) ?? 0
    question.ask.isAboutDeleted = invocation.has(.deleted)
    return question
  }

  static func run(_ question: SourceQuestion) async throws -> ExitCode {
    if let code = try await question.plannedAnswer() { return code }
    let world = try question.world()
    return try await run(question, question.opened(in: world), world)
  }

  private static func run<Item>(_ question: SourceQuestion, _ source: some SourceSession<Item>, _ world: World) async throws -> ExitCode {
    if question.invocation.has(.count) { return try await count(question, source) }
    let envelope = Envelope(source: question.descriptor.name, text: question.ask.query.text, limit: question.ask.limit)
    var renderer = question.invocation.renderer(
      try question.invocation.columns(of: source.schema.fields, id: source.schema.idPath), in: .envelope(envelope))
    var saving = try PictureSaving(question, in: world)
    var answer = source.answer(to: question.ask)
    try await question.asking {
      var hasBegun = false
      while let items = try await answer.nextPage() {
        if !hasBegun, let origin = answer.summary.origin {
          if !question.ask.isAboutDeleted { question.tell(origin) }
          try renderer.begin(origin.worded(for: question.invocation))
          hasBegun = true
        }
        try renderer.print(items)
        saving?.add(items, of: source.schema)
        // What is found is handed on at once, to the next program too.
        try question.program.console.flush()
      }
    }
    try question.end(&renderer, answer.summary)
    let code = question.conclude(answer.summary.verdict, answer.notices, unmet: answer.unmet)
    try await saving?.bring()
    return code
  }

  /// Prints how many records there are.
  private static func count<Item>(_ question: SourceQuestion, _ source: some SourceSession<Item>) async throws -> ExitCode {
    let (count, answer) = try await question.asking { try await source.count(question.ask) }
    if let origin = answer.summary.origin { question.tell(origin) }
    if question.invocation.has(.format) {
      try question.invocation.printAlone(
        [RecordCount(source: source.name, text: question.ask.query.text, count: count)], of: RecordCount.fields)
    } else {
      try question.program.console.write("\(count)\n")
    }
    return question.conclude(answer.summary.verdict, answer.notices, unmet: answer.unmet)
  }
}

/// How many records there are, by their source and what was searched for.
private struct RecordCount: Fielded {
  let source: String
  let text: String?
  let count: Int

  static let fields = [
    Field<RecordCount>("source") { $0.source }, Field<RecordCount>("query") { $0.text }, Field<RecordCount>("count", .title) { $0.count },
  ]
}
