public import AggregatorCore

/// One record, and how it was found.
public struct RecordAnswer<Item: SourceItem>: Sendable {
  /// The record, in full where its source has details.
  public let item: Item
  /// How it was found, and where it came from.
  public let summary: Summary
  /// What a person should know beside it.
  public var notices: [Notice] = []
  /// What was required and does not hold, for a person.
  public let unmet: [String]

  init(_ item: Item, _ summary: Summary, _ notices: [Notice] = [], for ask: Ask) {
    (self.item, self.summary, self.notices) = (item, summary, notices)
    unmet = ask.requirements.shortfalls(of: summary)
  }
}

extension SourceSession {
  /// The record of that id or name in full, else the best that a search for the name finds. One that a person has deleted is not shown; one
  /// that only the store has is. `begin` hears where it comes from, also where there is none.
  public func show(
    _ name: String, _ ask: Ask, beginning begin: (Origin) -> Void = { _ in }
  ) async throws -> RecordAnswer<Item> {
    try await advising(ask) {
      if descriptor.isEndless { try await checkIsNotDeleted(name) }
      do {
        return try await find(name, ask, begin)
      } catch let error as SourceError where error.kind == .notFound {
        guard let item = try? await archive?.records().page(PageRequest(.record(name))).items.first else { throw error }
        var summary = Summary()
        summary.given = 1
        summary.origin = .cache(age: .zero)
        return RecordAnswer(item, summary, [.onlyStored], for: ask)
      }
    }
  }

  /// The record of exactly that id in full. Where what stood in for the service does not have it, the error is the service's.
  public func record(_ id: String, _ ask: Ask) async throws -> RecordAnswer<Item> {
    try await advising(ask) {
      if descriptor.isEndless { try await checkIsNotDeleted(id) }
      let (item, summary) = try await first(.record(id), ask) { _ in }
      if let item { return RecordAnswer(item, summary, for: ask) }
      if let error = summary.stop ?? summary.origin?.reason { throw error }
      throw SourceError(.notFound, "no such record: \"\(id)\"")
    }
  }

  /// One of all records, by chance: the source's pick.
  public func pick(_ ask: Ask, by dice: some Dice) async throws -> RecordAnswer<Item> {
    var ask = ask
    (ask.query, ask.limit) = (.everything, nil)
    var answer = answer(to: ask)
    var items: [Item] = []
    while let page = try await answer.nextPage() { items += page }
    guard let item = descriptor.pick?.choose(among: items, by: dice) else {
      throw SourceError(.notFound, "there are no records to choose from").from(name)
    }
    return RecordAnswer(item, answer.summary, answer.notices, for: ask)
  }

  private func find(_ name: String, _ ask: Ask, _ begin: (Origin) -> Void) async throws -> RecordAnswer<Item> {
    let asked = try await first(.record(name), ask, begin)
    if let item = asked.item { return RecordAnswer(item, asked.summary, for: ask) }
    if case .partial = asked.summary.verdict { throw missing(name, asked.summary) }
    let found: RecordAnswer<Item>?
    do {
      found = try await bestMatch(name, ask, begin)
    } catch let error as SourceError where error.kind.mayFallBack {
      // Nobody can search for it now.
      found = nil
    }
    guard let found else { throw missing(name, asked.summary) }
    guard schema.outline.contains(where: \.isDetail) else { return found }
    // Some of it is in a full record alone.
    let full = try await first(.record(found.item.id), ask) { _ in }
    return full.item.map { RecordAnswer($0, full.summary, found.notices, for: ask) } ?? found
  }

  private func first(_ query: Query, _ ask: Ask, _ begin: (Origin) -> Void) async throws -> (item: Item?, summary: Summary) {
    var walk = Walk(answering, query, bounds: Bounds(deadline: ask.deadline), clock: world.clock)
    var found: Item?
    while let items = try await walk.nextPage() {
      if walk.summary.pages == 1, let origin = walk.summary.origin { begin(origin) }
      found = found ?? items.first
    }
    return (found, walk.summary)
  }

  /// The best of those whose name the text is a part of.
  private func bestMatch(_ name: String, _ ask: Ask, _ begin: (Origin) -> Void) async throws -> RecordAnswer<Item>? {
    guard descriptor.searches != nil else { return nil }
    let matcher = Matcher(name, in: schema)
    guard !matcher.isEmpty else { return nil }
    var walk = Walk(answering, .matching(name), bounds: Bounds(limit: 20, deadline: ask.deadline), clock: world.clock)
    var found: [(item: Item, rank: MatchRank)] = []
    while let items = try await walk.nextPage() {
      if walk.summary.pages == 1, let origin = walk.summary.origin { begin(origin) }
      for item in items { if let rank = matcher.rank(item), rank.isName { found.append((item, rank)) } }
    }
    guard let best = found.min(by: { $0.rank < $1.rank }) else { return nil }
    let count = found.count { $0.rank.place == best.rank.place }
    let title = schema.title(of: best.item).map { "\($0) (\(best.item.id))" } ?? best.item.id
    return RecordAnswer(best.item, walk.summary, count > 1 ? [.several(count, text: name, shown: title)] : [], for: ask)
  }

  private func missing(_ name: String, _ summary: Summary) -> SourceError {
    if case .partial(let shortfall) = summary.verdict {
      return SourceError(
        .unavailable, "\"\(name)\" is not among the records that could be read (\(shortfall.sentence))", remedy: "try again")
    }
    return SourceError(.notFound, "no such record: \"\(name)\"", remedy: descriptor.searches == nil ? nil : .find(name))
  }
}

extension Schema {
  /// What a person calls a record.
  public func title(of item: Item) -> String? {
    fields.filter { $0.role == .title }.map { $0.value(item).plainText }.first { !$0.isEmpty }
  }
}
