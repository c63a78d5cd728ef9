import AggregatorCore
import Presentation

/// `list` and `search`: the records as they come, then how the walk ended.
enum WalkCommand {
  /// How far the walk may go: 20 records by default; with `--all` to the end, or to `most` where a source declares that.
  static func bounds(_ invocation: Invocation, most: Int? = nil) throws(UsageError) -> Bounds {
    // Of all that are sorted, some can be printed.
    if !invocation.has(.sort) { try invocation.refuse(.all, with: .limit) }
    for option in [Option.limit, .pages, .offset, .sort, .fields, .header] { try invocation.refuse(.count, with: option) }
    try invocation.refuse(.all, with: .pages)
    let pages = try invocation.count(.pages)
    let usual = invocation.has(.all) ? most : pages == nil ? invocation.usualLimit : nil
    return Bounds(limit: try invocation.count(.limit) ?? usual, pages: pages)
  }

  /// So many records are read to sort them, unless all are to be printed.
  private static let mostSorted = 1000

  /// Of records in their order as many as are printed; the summary then says of these how they came about.
  private static func sorted<Item>(_ items: [Item], of count: Int, for question: SourceQuestion, _ summary: inout Summary) -> [Item] {
    if summary.verdict == .bounded, !question.invocation.has(.all) {
      question.notice("sorted the first \(count)\(summary.total.map { " of \($0)" } ?? ""); --all sorts every record")
    }
    let shown = Array(items.prefix(question.bounds.limit ?? .max))
    if shown.count < items.count {
      summary.given -= items.count - shown.count
      if summary.verdict == .complete || summary.verdict == .unverifiable { summary.verdict = .bounded }
    }
    return shown
  }

  /// Prints how many records there are: as the service says where it does, else as they are counted.
  private static func count<Item>(
    _ question: SourceQuestion, _ source: any DataSource<Item>, where isWanted: (@Sendable (Item) -> Bool)?
  ) async throws -> ExitCode {
    var question = question
    question.bounds = Bounds(pages: isWanted == nil ? 1 : nil, deadline: question.bounds.deadline)
    var summary = try await question.walk(source, where: isWanted) { _ in }
    if summary.verdict == .bounded, summary.total == nil {
      question.bounds.pages = nil
      summary = try await question.walk(source, tells: false) { _ in }
    }
    let count = summary.verdict == .bounded ? summary.total ?? summary.given : summary.given
    if question.invocation.has(.format) {
      try question.invocation.printAlone(
        [RecordCount(source: question.descriptor.name, text: question.query.text, count: count)], of: RecordCount.fields)
    } else {
      try question.program.console.write("\(count)\n")
    }
    return question.conclude(summary)
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
    var offset = LeftOut(count: try question.invocation.place(.offset) ?? 0)
    reading.bounds.limit = question.bounds.limit.map { $0.adding(offset.count) }
    // What stands first is not known before all was read.
    if choice.isSorted {
      reading.bounds.limit = question.invocation.has(.all) ? nil : reading.bounds.limit.map { max($0, Self.mostSorted) }
    }
    let isDeleted = question.invocation.has(.deleted)
    let answering = isDeleted ? try source.deleted : source.answering
    if question.invocation.has(.count) { return try await count(question, answering, where: choice.isWanted) }
    var summary = try await reading.walk(answering, where: choice.isWanted, tells: !isDeleted) { origin in
      try renderer.begin(origin)
    } _: { items in
      guard !choice.isSorted else { return waiting += items }
      let items = offset.left(of: items)
      try renderer.print(items)
      harvest?.add(items, of: source.schema)
      // What is found is handed on at once, to the next program too.
      try question.program.console.flush()
    }
    if choice.isSorted {
      let items = sorted(offset.left(of: choice.sorted(waiting)), of: waiting.count, for: question, &summary)
      try renderer.print(items)
      harvest?.add(items, of: source.schema)
    }
    offset.tell(&summary)
    try question.end(&renderer, summary)
    // A service that searched by itself knows no titles that come near.
    if summary.given == 0, summary.searched == nil, summary.nearest.isEmpty, let text = question.query.text {
      summary.nearest = await source.nearestTitles(to: text)
    }
    let code = question.conclude(summary, shortage: offset.shortage ?? choice.shortage)
    question.tellSearched(summary)
    question.tellStored(summary)
    try await harvest?.bring()
    return code
  }
}

/// How many records are, by their source and what was searched for.
private struct RecordCount: Fielded {
  let source: String
  let text: String?
  let count: Int

  static let fields = [
    Field<RecordCount>("source") { $0.source }, Field<RecordCount>("query") { $0.text }, Field<RecordCount>("count", .title) { $0.count },
  ]
}

/// The first records, which `--offset` leaves out.
private struct LeftOut {
  let count: Int
  private var passed = 0

  init(count: Int) { self.count = count }

  /// Those of the next `items` that are not left out.
  mutating func left<Item>(of items: [Item]) -> [Item] {
    let first = min(count - passed, items.count)
    passed += first
    return first > 0 ? Array(items.dropFirst(first)) : items
  }

  /// Why nothing is left, where something was there.
  var shortage: String? {
    passed > 0 ? "there \(passed == 1 ? "is 1 record" : "are \(passed) records"); --offset \(count) leaves none" : nil
  }

  /// Says of the records that are left how they came about.
  func tell(_ summary: inout Summary) {
    summary.given -= passed
    if passed > 0, summary.verdict == .complete || summary.verdict == .unverifiable { summary.verdict = .bounded }
  }
}
