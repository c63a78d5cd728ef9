public import AggregatorCore

/// One record, and how it was found.
public struct RecordAnswer: Concluded, Sendable {
  /// The record, in full if its source has details.
  public let record: ShownRecord
  /// The origin of the record, with notices about how it was found.
  public fileprivate(set) var outcome: Outcome

  fileprivate init<Item>(_ item: Item, of schema: Schema<Item>, _ summary: Summary, _ notices: [Notice] = [], for ask: Ask) {
    var (summary, notices) = (summary, notices)
    // Whether the list around it is whole says nothing about a record that was found.
    if summary.verdict == .unverifiable || summary.verdict == .bounded { summary.verdict = .complete }
    let tellsMisfits = notices.contains { if case .misfits = $0 { true } else { false } }
    if !summary.misfits.isEmpty, !tellsMisfits { notices.append(.misfits(summary.misfits, schema.outline)) }
    // A single record has no verdict that would say it.
    if summary.verdict == .partial(.anotherList) { notices.append(.note(Shortfall.anotherList.sentence)) }
    var lacking: [FieldOutline] = []
    if summary.origin?.isOfList ?? false {
      let value = schema.value(of: item)
      lacking = schema.outline.filter { $0.isDetail && (value[$0.name] ?? .null).isNothing }
    }
    if !lacking.isEmpty {
      notices.append(
        .note("unknown: \(lacking.map(\.name).joined(separator: ", ")); a list lacks them, and a record in full has them"))
    }
    record = schema.shown([item], lacking: Set(lacking.map(\.name)))[0]
    outcome = Outcome(summary, notices, for: ask)
  }
}

extension SourceSession {
  /// Finds the record with that id or name and returns it in full. If no record has it, returns the best one with these words in its
  /// name, and a notice says so. A record that only the store has is returned too; for a deleted record it throws. `begin` receives the
  /// origin of the answer, also if no record is found.
  public func show(
    _ name: String, _ ask: Ask, beginning begin: (Origin) -> Void = { _ in }
  ) async throws -> RecordAnswer {
    try await advising(ask) {
      if descriptor.isEndless { try await checkIsNotDeleted(name) }
      let found: (answer: RecordAnswer, doubt: SourceError?)
      do {
        found = try await find(name, ask, begin)
      } catch let error as SourceError where error.kind == .notFound {
        guard let page = try? await archive?.records().page(PageRequest(.record(name))), let item = page.items.first else {
          throw await self.error(ofGone: name, ask) ?? error
        }
        var summary = Summary()
        (summary.given, summary.edited) = (1, page.stored.edited)
        summary.note(page.misfits[item.id] ?? [], of: item)
        summary.origin = copy(of: .cache(age: .zero)) { $0.isOfList = true }
        return RecordAnswer(item, of: schema, summary, [.onlyStored], for: ask)
      }
      if let doubt = found.doubt { throw doubt }
      return found.answer
    }
  }

  /// Finds the record with exactly that id and returns it in full. If a fallback answered without it, throws the error of the service.
  public func record(_ id: String, _ ask: Ask) async throws -> RecordAnswer {
    try await advising(ask) {
      if descriptor.isEndless { try await checkIsNotDeleted(id) }
      let (item, summary) = try await first(.record(id), ask) { _ in }
      if let item {
        if let doubt = doubt(about: item, for: id) { throw doubt }
        return RecordAnswer(item, of: schema, summary, for: ask)
      }
      if let error = summary.stop ?? summary.origin?.reason { throw error }
      throw await error(ofGone: id, ask) ?? SourceError(.notFound, "no such record: \"\(id)\"")
    }
  }

  /// Returns the error for a record that a sync found gone; nil if no sync did.
  private func error(ofGone id: String, _ ask: Ask) async -> SourceError? {
    guard let last = (try? await history(of: id, ask))?.changes.first, last.kind == .gone else { return nil }
    return SourceError(
      .notFound, "\"\(id)\" is gone since \(last.at.minute): the service no longer lists it",
      remedy: .ask(.init("history", id), "to see what it was"))
  }

  /// Picks one of all records by chance, as the source's pick says.
  public func pick(_ ask: Ask, by dice: some Dice) async throws -> RecordAnswer {
    var ask = ask
    (ask.query, ask.limit) = (.everything, nil)
    var answer = answer(to: ask)
    var items: [Item] = []
    while let page = try await answer.nextPage() { items += page }
    guard let item = descriptor.pick?.choose(among: items, by: dice) else {
      throw SourceError(.notFound, "no record to choose from").from(name)
    }
    let others = answer.notices.filter { if case .edited = $0 { false } else { true } }
    let edited = [Notice.edited(answer.summary.edited, among: [item])].compactMap(\.self)
    return RecordAnswer(item, of: schema, answer.summary, others + edited, for: ask)
  }

  /// Returns the record that the name names, with the error if the service answered with another one.
  private func find(
    _ name: String, _ ask: Ask, _ begin: (Origin) -> Void
  ) async throws -> (answer: RecordAnswer, doubt: SourceError?) {
    let asked = try await first(.record(name), ask, begin)
    if let item = asked.item {
      return (RecordAnswer(item, of: schema, asked.summary, for: ask), doubt(about: item, for: name))
    }
    var unread: SourceError?
    if case .partial(let shortfall) = asked.summary.verdict {
      let error = SourceError(
        .unavailable, "\"\(name)\" is not among the records that could be read (\(shortfall.sentence))", remedy: "try again")
      // The service is not asked for all its records once more.
      if asked.summary.origin?.kind == .live { throw error }
      unread = error
    }
    guard let found = try await named(name, ask, orElse: unread, begin) else {
      throw unread ?? SourceError.noSuchRecord(name, isFound: descriptor.searches != nil && !Matcher(name, in: schema).isEmpty)
    }
    guard schema.outline.contains(where: \.isDetail) else { return (found, nil) }
    // Some fields are only in a full record.
    let full = try await first(.record(found.record.id), ask) { _ in }
    guard let item = full.item else { return (found, nil) }
    return (
      RecordAnswer(item, of: schema, full.summary, found.notices, for: ask), doubt(about: item, for: found.record.id)
    )
  }

  /// Returns the error for a record that has neither the id nor the name that the service was asked for; nil if it has one of them.
  private func doubt(about item: Item, for name: String) -> SourceError? {
    let isNamed = schema.answers(item, to: name) || [.exact, .whole].contains(schema.naming(of: item, by: name))
    return isNamed
      ? nil : SourceError(.notFound, "the service was asked for \"\(name)\" and answered with \"\(item.id)\"").from(self.name)
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

  /// Searches for a name, and chooses the record that it names; nil if the source cannot be searched or its service does not answer. If
  /// the name names no record that was found, throws an error with the nearest titles.
  ///
  /// `unread` is the error of a list that is not whole. With it only the whole name of a record names it, since others may fit better; if no
  /// record has that name, throws the error.
  private func named(
    _ name: String, _ ask: Ask, orElse unread: SourceError?, _ begin: (Origin) -> Void
  ) async throws -> RecordAnswer? {
    let matcher = Matcher(name, in: schema)
    guard descriptor.searches != nil, !matcher.isEmpty else { return nil }
    let read = RememberedRecords(of: answering)
    var walk = Walk(read, .matching(name), bounds: Bounds(limit: NameChoice.most, deadline: ask.deadline), clock: world.clock)
    var found: [(item: Item, rank: MatchRank)] = []
    do {
      while let items = try await walk.nextPage() {
        if walk.summary.pages == 1, let origin = walk.summary.origin { begin(origin) }
        found += items.compactMap { item in matcher.rank(item).map { (item, $0) } }
      }
    } catch let error as SourceError where error.kind.mayFallBack {
      return nil
    }
    let names = NameMatcher(name, in: schema)
    found = MatchRank.order(of: found.map(\.rank)).map { found[$0] }
    guard let choice = NameChoice(among: found.map { ($0.rank.level, names.naming(of: $0.item)) }) else {
      if let unread { throw unread }
      var nearest = NearestTitles(of: found.map { ($0.rank, schema.titles(of: $0.item).first) }, matching: name)
      if nearest.isEmpty { nearest = read.titles(near: name) }
      if nearest.isEmpty, SearchText(name).isGuessable { nearest = await nearestTitles(to: name) }
      throw SourceError.noSuchRecord(name, nearest, isFound: !found.isEmpty)
    }
    let item = found[choice.index].item
    if let unread, ![.exact, .whole].contains(names.naming(of: item)) { throw unread }
    let shown = schema.titles(of: item).first.map { "\($0) (\(item.id))" } ?? item.id
    let notice = choice.notice(of: name, showing: shown, among: walk.summary.verdict == .bounded ? nil : schema.noun)
    return RecordAnswer(item, of: schema, walk.summary, notice.map { [$0] } ?? [], for: ask)
  }
}

/// The choice of the record that a person's text names, among those that a search found.
struct NameChoice {
  /// The number of matches to choose from.
  static let most = 20

  /// The index of the chosen record among those that were found.
  let index: Int
  private let naming: Naming
  /// The number of records that the text names equally well, including the chosen one.
  private let count: Int

  /// Chooses among records in their order, best match first, each with the level of its match. Nil if the text names none of them.
  init?(among found: [(match: Int, naming: Naming?)]) {
    let best = [Naming.exact, .whole].first { naming in found.contains { $0.naming == naming } }
    let named = found.indices.filter { index in best.map { found[index].naming == $0 } ?? (found[index].naming != nil) }
    guard let first = named.first, let naming = found[first].naming else { return nil }
    (index, self.naming) = (first, naming)
    count = best == nil ? named.count : named.count { found[$0].match == found[first].match }
  }

  /// Returns a notice for the person who typed `text`; nil if the choice is clear. `noun` is the word for a record, nil if only
  /// the first matches were looked at.
  func notice(of text: String, showing shown: String, among noun: String?) -> Notice? {
    guard case .words(let name) = naming else { return count > 1 ? .several(count, text: text, shown: shown) : nil }
    let others = count > 1 ? ", the best of \(count)" : ""
    let nothing = noun.map { "no \($0)" } ?? "not one of the first \(Self.most) matches"
    return .notNamed("\(nothing) has the id or name \"\(text)\"; showing \(shown), found by \(name)\(others)")
  }
}

extension NearestTitles {
  /// The titles of the best of these matches. A text that is too short for a guess has to begin a word of a title.
  init(of matches: [(rank: MatchRank?, title: String?)], matching text: String) {
    let best = matches.first?.rank
    let isNear = best.map { $0.isWordOfTitle || SearchText(text).isGuessable } ?? false
    self.init(of: isNear ? matches.prefix { $0.rank?.level == best?.level }.compactMap(\.title) : [])
  }
}

extension SourceError {
  /// Returns the error for an id or name that no record has. It suggests the nearest titles, or else a search if that finds something.
  static func noSuchRecord(
    _ name: String, _ nearest: NearestTitles = NearestTitles(), isFound: Bool
  ) -> SourceError {
    let remedy: Remedy? = nearest.question.map { .advice($0) } ?? (isFound ? .ask(.init("search", name), "to find one") : nil)
    return SourceError(.notFound, "no such record: \"\(name)\"", remedy: remedy)
  }
}

extension Schema {
  /// The word for one of its records in a sentence, from the name of its type: `country`. It is `record` if only the fields are known.
  fileprivate var noun: String {
    if Item.self == LooseRecord.self { return "record" }
    let words = String(describing: Item.self).prefix { $0.isLetter }.map { $0.isUppercase ? " \($0.lowercased())" : "\($0)" }
    return words.joined().trimmingSpaces
  }
}

extension Schema {
  /// Returns the title of a record; nil if it has none.
  public func title(of item: Item) -> String? {
    fields.filter { $0.role == .title }.map { $0.value(item).plainText }.first { !$0.isEmpty }
  }
}
