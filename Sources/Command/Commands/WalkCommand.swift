import AggregatorCore
import Presentation

/// `list` and `search`: the records as they come, then how the walk ended.
enum WalkCommand {
  /// How far the walk may go: 20 records by default; with `--all` to the end, or to `most` where a source declares that.
  static func bounds(_ invocation: Invocation, most: Int? = nil) throws(UsageError) -> Bounds {
    try invocation.refuse(.all, with: .limit)
    try invocation.refuse(.all, with: .pages)
    let pages = try invocation.count(.pages)
    let usual = invocation.has(.all) ? most : pages == nil ? 20 : nil
    return Bounds(limit: try invocation.count(.limit) ?? usual, pages: pages)
  }

  static func run(_ question: SourceRun) async throws -> ExitCode {
    let world = try question.world()
    return try await run(question, question.opened(in: world), world)
  }

  private static func run<Item>(_ question: SourceRun, _ source: some OpenSource<Item>, _ world: Surroundings) async throws -> ExitCode {
    try await question.fetchMore(source)
    let envelope = Envelope(
      source: question.descriptor.name, text: question.query.text, limit: question.invocation.has(.all) ? nil : question.bounds.limit)
    var renderer = question.invocation.renderer(
      try question.invocation.columns(of: source.schema.fields, id: source.schema.idPath), in: .envelope(envelope))
    var harvest = try PictureSaving(question, in: world)
    let summary = try await question.walk(source.answering) { origin in
      try renderer.begin(origin)
    } _: { items in
      try renderer.print(items)
      harvest?.add(items, of: source.schema)
      // What is found is handed on at once, to the next program too.
      try question.program.console.flush()
    }
    try renderer.end(summary)
    try question.invocation.tellShortage(of: renderer)
    let code = question.conclude(summary)
    question.tellSearched(summary)
    try await harvest?.bring()
    return code
  }
}
