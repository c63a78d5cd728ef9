import AggregatorCore
import Asking
import Pictures
import Presentation

/// `list` and `search`: the records as they come, then how the walk ended.
enum WalkCommand {
  static func list(_ source: SourceDescriptor) -> Command {
    command(
      source, "list", options: source.isEndless ? [.deleted] : [], "list \(source.name) from the beginning",
      examples: ["--limit 5", "--all --format ndjson\(since(source))", "--fields"]
    ) { _ in .everything }
  }

  /// A condition on a time, which shows that a shell wants quotes.
  private static func since(_ source: SourceDescriptor) -> String {
    let time = source.fields.inLists.leaves.first { $0.kind == .time && !$0.mayBeList }
    return time.map { " --where '\($0.shownName)>=2020'" } ?? ""
  }

  static func search(_ source: SourceDescriptor) -> Command? {
    source.searches.map { fields in
      command(
        source, "search", .text(.text), options: source.isEndless ? [.more] : [],
        "search by \(fields); case and diacritics do not matter",
        examples: ["TEXT", "TEXT --limit 3 --format json", "TEXT --offline"]
      ) { .matching($0.joined(separator: " ")) }
    }
  }

  private static func command(
    _ source: SourceDescriptor, _ verb: String, _ arguments: Command.Arguments = .none, options: [Option], _ summary: String,
    examples: @autoclosure @escaping @Sendable () -> [String], _ query: @escaping @Sendable ([String]) -> Query
  ) -> Command {
    Command(
      source, verb, arguments,
      options: options + Option.walking + (source.hasPictures ? [.images] : []) + Option.printing + Option.asking,
      printing: source.fields.inLists, summary, examples: examples(),
      asking: { try question(query($0.arguments), of: source, $0) }
    ) { try await run($0, $1) }
  }

  private static func question(_ query: Query, of source: SourceDescriptor, _ invocation: Invocation) throws -> SourceQuestion {
    // Of all that are sorted, some can be printed.
    if !invocation.has(.sort) { try invocation.refuse(.all, with: .limit) }
    try invocation.refuse(.count, with: .limit, .pages, .offset, .sort, .fields, .header)
    try invocation.refuse(.all, with: .pages)
    try invocation.refuse(.offline, with: .more)
    var question = try SourceQuestion(query, of: source, invocation)
    question.ask.pages = try invocation.count(.pages)
    let isUnlimited = invocation.has(.all) || question.ask.pages != nil
    question.ask.limit = try invocation.count(.limit) ?? (isUnlimited ? nil : invocation.usualLimit)
    question.ask.offset = try invocation.number(.offset, from: 0) ?? 0
    question.ask.sortsEverything = invocation.has(.all)
    question.ask.pagesToFetch = try invocation.count(.more) ?? 0
    question.ask.isAboutDeleted = invocation.has(.deleted)
    return question
  }

  static func run(_ question: SourceQuestion, _ source: OpenedSource) async throws -> ExitCode {
    let invocation = question.invocation
    if invocation.has(.count) { return try await count(question, source) }
    var renderer = try invocation.renderer(for: question, of: source.fields, id: source.idPath)
    var downloads = try PictureDownloads(question, in: source.world)
    var answer = source.records(for: question.ask)
    try await question.asking {
      var hasBegun = false
      while let records = try await answer.nextRecords() {
        if !hasBegun, let origin = answer.summary.origin {
          if !question.ask.isAboutDeleted { question.tell(origin) }
          try renderer.begin(origin.worded(for: invocation))
          hasBegun = true
        }
        renderer.mark(answer.summary.edited)
        try renderer.print(records)
        downloads?.add(records)
        // What is found is handed on at once, to the next program too.
        try question.program.console.flush()
      }
    }
    try question.end(&renderer, answer.summary)
    let code = question.conclude(answer.summary.verdict, answer.notices, unmet: answer.unmet)
    try await downloads?.download()
    return code
  }

  private static func count(_ question: SourceQuestion, _ source: OpenedSource) async throws -> ExitCode {
    let count = try await question.asking { try await source.count(question.ask) }
    if let origin = count.summary.origin { question.tell(origin) }
    let worded = changing(count) { $0.summary = $0.summary.worded(for: question.invocation) }
    try question.invocation.print(worded, of: RecordCount.fields, inWords: ["\(count.count)"])
    return question.conclude(count.summary.verdict, count.notices, unmet: count.unmet)
  }
}
