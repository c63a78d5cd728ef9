public import AggregatorCore

/// The answer to an ask: its records, page by page, and then how it came about.
///
///     var answer = source.answer(to: ask)
///     while let heroes = try await answer.nextPage() { for hero in heroes { print(hero.name) } }
///     print(answer.summary.verdict ?? .unverifiable)
///
/// An error before the first record is thrown; one half-way makes the answer partial.
public struct Answer<Item: SourceItem>: Sendable {
  /// So many records are read to order them, unless all are to be.
  private static var mostSorted: Int { 1000 }

  private let source: any OpenSource<Item>
  private var ask: Ask
  private let choice: RecordChoice<Item>
  private var walk: Walk<Item>
  private var ending: Summary?
  /// How many records the offset has left out.
  private var leftOut = 0
  /// What a person should know, once the answer has ended.
  public private(set) var notices: [Notice] = []

  init(_ ask: Ask, by source: some OpenSource<Item>) throws {
    var ask = ask
    if ask.limit == nil, ask.pages == nil, ask.query.text != nil { ask.limit = source.descriptor.mostFound }
    self.source = source
    self.ask = ask
    choice = RecordChoice(ask, of: source.schema, at: source.world.clock.now)
    var limit = ask.limit.map { $0.adding(ask.offset) }
    // What stands first is not known before all was read.
    if choice.isSorted { limit = ask.sortsEverything ? nil : limit.map { max($0, Self.mostSorted) } }
    let answering: any DataSource<Item> = ask.isAboutDeleted ? try source.deleted : source.answering
    walk = Walk(
      answering, ask.query, bounds: Bounds(limit: limit, pages: ask.pages, deadline: ask.deadline), from: ask.cursor,
      clock: source.world.clock, where: choice.isWanted)
  }

  /// What the records are made of.
  public var schema: Schema<Item> { source.schema }

  /// What is known so far; with the verdict once ``nextPage()`` has returned nil.
  public var summary: Summary { ending ?? walk.summary }

  /// Where a later answer goes on; nil at the end of the list, and where the records were ordered.
  public var cursor: Cursor? {
    switch walk.summary.verdict {
    case .complete, .unverifiable: nil
    default: choice.isSorted ? nil : walk.cursor
    }
  }

  /// What was required and does not hold, for a person.
  public var unmet: [String] { ask.requirements.compactMap { $0.shortfall(of: summary) } }

  /// The wanted records of the next page, maybe none; nil when the answer has ended.
  public mutating func nextPage() async throws -> [Item]? {
    guard ending == nil else { return nil }
    do {
      if ask.pagesToFetch > 0 { try await fetchPages() }
      guard choice.isSorted else {
        guard let page = try await walk.nextPage() else { return try await end() }
        return behindOffset(page)
      }
      var all: [Item] = []
      while let page = try await walk.nextPage() { all += page }
      var sorted = behindOffset(choice.sorted(all))
      if walk.summary.verdict == .bounded, !ask.sortsEverything { notices.append(.sortedFirst(all.count, of: walk.summary.total)) }
      let surplus = sorted.count - min(sorted.count, ask.limit ?? .max)
      sorted.removeLast(surplus)
      _ = try await end(leavingOut: surplus)
      return sorted
    } catch let error as SourceError {
      throw error.advised(for: ask, of: source.descriptor)
    }
  }

  /// What is not left out of these.
  private mutating func behindOffset(_ items: [Item]) -> [Item] {
    let first = min(ask.offset - leftOut, items.count)
    leftOut += first
    return first > 0 ? Array(items.dropFirst(first)) : items
  }

  /// Fetches the further pages that are wanted of a list that grows as one asks.
  private mutating func fetchPages() async throws {
    defer { ask.pagesToFetch = 0 }
    do {
      for _ in 0..<ask.pagesToFetch { try await source.fetchOne(deadline: ask.deadline) }
    } catch let error as SourceError where error.kind == .storage {
      // What there is can be searched all the same.
      notices.append(.notStored(error))
    }
  }

  private mutating func end(leavingOut surplus: Int = 0) async throws -> [Item]? {
    var summary = walk.summary
    summary.given -= leftOut + surplus
    if leftOut + surplus > 0, summary.verdict == .complete || summary.verdict == .unverifiable { summary.verdict = .bounded }
    // A service that searched by itself knows no titles that come near.
    if summary.given == 0, summary.searched == nil, summary.nearest.isEmpty, let text = ask.query.text {
      summary.nearest = await source.nearestTitles(to: text)
    }
    ending = summary
    let nothing = leftOut > 0 ? Notice.offsetLeavesNone(offset: ask.offset, count: leftOut) : choice.shortage
    notices += [Notice](summary, for: ask, of: source.descriptor, nothing: nothing)
    guard source.descriptor.isEndless else { return nil }
    // Such a list grows only as one reads on.
    if let count = summary.searched, summary.verdict != .bounded, ask.query.text != nil { notices.append(.searched(count)) }
    if ask.query == .everything, summary.verdict == .unverifiable, ask.conditions.isEmpty, summary.given < ask.limit ?? .max {
      notices.append(.stored(summary.given, isLive: summary.origin?.kind == .live))
    }
    return nil
  }
}

extension OpenSource {
  /// What there is for an ask.
  public func answer(to ask: Ask) throws -> Answer<Item> { try Answer(ask, by: self) }

  /// How many records there are for an ask: as the service says where it does, else as they are counted. The answer, read to its end,
  /// tells the rest.
  public func count(_ ask: Ask) async throws -> (count: Int, answer: Answer<Item>) {
    var ask = ask
    (ask.limit, ask.pages) = (nil, ask.conditions.isEmpty ? 1 : nil)
    var answer = try answer(to: ask)
    while try await answer.nextPage() != nil {}
    if answer.summary.verdict == .bounded, answer.summary.total == nil {
      (ask.pages, ask.pagesToFetch) = (nil, 0)
      answer = try self.answer(to: ask)
      while try await answer.nextPage() != nil {}
    }
    let summary = answer.summary
    return (summary.verdict == .bounded ? summary.total ?? summary.given : summary.given, answer)
  }
}
