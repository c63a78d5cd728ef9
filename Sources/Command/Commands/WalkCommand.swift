import AggregatorCore
import Presentation

/// `list` and `search`: the records as they come, then how the walk ended.
enum WalkCommand {
  /// How far the walk may go: 20 records by default; with `--all` to the end, or to `most` where a source declares that.
  static func bounds(_ invocation: Invocation, most: Int? = nil) throws(UsageError) -> Bounds {
    // Of all that are sorted, some can be printed.
    if !invocation.has(.sort) { try invocation.refuse(.all, with: .limit) }
    try invocation.refuse(.all, with: .pages)
    let pages = try invocation.count(.pages)
    let usual = invocation.has(.all) ? most : pages == nil ? invocation.usualLimit : nil
    return Bounds(limit: try invocation.count(.limit) ?? usual, pages: pages)
  }

  /// So many records are read to sort them, unless all are to be printed.
  private static let mostSorted = 1000

  /// The records in their order, as many as are printed; the summary then says of these how they came about.
  private static func sorted<Item>(
    _ items: [Item], by choice: RecordChoice<Item>, for question: SourceQuestion, _ summary: inout Summary
  ) -> [Item] {
    if summary.verdict == .bounded, !question.invocation.has(.all), question.bounds.pages == nil {
      question.notice("sorted the first \(items.count)\(summary.total.map { " of \($0)" } ?? ""); --all sorts every record")
    }
    let shown = Array(choice.sorted(items).prefix(question.bounds.limit ?? .max))
    if shown.count < items.count {
      summary.given = shown.count
      if summary.verdict == .complete || summary.verdict == .unverifiable { summary.verdict = .bounded }
    }
    return shown
  }

  static func run(_ question: SourceQuestion) async throws -> ExitCode {
    if let code = try await question.planned() { return code }
    let world = try question.world()
    return try await run(question, question.opened(in: world), world)
  }

  private static func run<Item>(_ question: SourceQuestion, _ source: some OpenSource<Item>, _ world: Surroundings) async throws -> ExitCode
  {
    let choice = try RecordChoice(question.invocation, of: source.schema)
    try await question.fetchMore(source)
    let envelope = Envelope(
      source: question.descriptor.name, text: question.query.text,
      limit: question.invocation.has(.all) && !question.invocation.has(.limit) ? nil : question.bounds.limit)
    var renderer = question.invocation.renderer(
      try question.invocation.columns(of: source.schema.fields, id: source.schema.idPath), in: .envelope(envelope))
    var harvest = try PictureSaving(question, in: world)
    var waiting: [Item] = []
    var reading = question
    // What stands first is not known before all was read.
    if choice.isSorted {
      reading.bounds.limit = question.invocation.has(.all) ? nil : question.bounds.limit.map { max($0, Self.mostSorted) }
    }
    var summary = try await reading.walk(source.answering, where: choice.isWanted) { origin in
      try renderer.begin(origin)
    } _: { items in
      guard !choice.isSorted else { return waiting += items }
      try renderer.print(items)
      harvest?.add(items, of: source.schema)
      // What is found is handed on at once, to the next program too.
      try question.program.console.flush()
    }
    if choice.isSorted {
      let items = sorted(waiting, by: choice, for: question, &summary)
      try renderer.print(items)
      harvest?.add(items, of: source.schema)
    }
    try question.end(&renderer, summary)
    // A service that searched by itself knows no titles that come near.
    if summary.given == 0, summary.searched == nil, summary.nearest.isEmpty, let text = question.query.text {
      summary.nearest = await source.nearestTitles(to: text)
    }
    let code = question.conclude(summary, shortage: choice.shortage)
    question.tellSearched(summary)
    question.tellStored(summary)
    try await harvest?.bring()
    return code
  }
}
