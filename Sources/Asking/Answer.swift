public import AggregatorCore
import Platform

/// The answer to an ask: its records, page by page, and then how it came about.
///
///     var answer = source.answer(to: ask)
///     while let heroes = try await answer.nextPage() { for hero in heroes { print(hero.name) } }
///     print(answer.summary.verdict ?? .unverifiable)
///
/// An error before the first record is thrown; one half-way makes the answer partial.
public struct Answer<Item: SourceItem>: Sendable {
  private let source: any SourceSession<Item>
  private var ask: Ask
  private let choice: RecordChoice<Item>
  private let bounds: Bounds
  private var walk: Walk<Item>
  private var ending: Summary?
  /// How many records the offset has left out.
  private var leftOut = 0
  /// What was read before the list grew.
  private var earlier = Summary()
  /// The last records that came. More than one, since the last may be deleted before the list is read on behind it.
  private var recent: [String] = []
  /// True once a record was handed out.
  private var hasGiven = false
  /// A page that was read to see whether there is one.
  private var ahead: [Item]?
  /// Whether somebody who has all records at hand gives them in their order.
  private var isSortedAhead = false
  public var notices: [Notice] { ended + (hasEnded ? [edited].compactMap(\.self) : []) }
  private var ended: [Notice] = []
  /// What is said of the records that a person has edited, among those that were handed out.
  private var edited: Notice?

  init(_ ask: Ask, by source: some SourceSession<Item>) {
    var ask = ask
    if ask.limit == nil, ask.pages == nil, ask.part == nil, ask.query.text != nil { ask.limit = source.descriptor.mostFound }
    (ask.limit, ask.offset) = (ask.limit.map { max(0, $0) }, max(0, ask.offset))
    // Nothing stands in for the service in a part, whoever asked for that.
    if ask.part != nil, ask.terms.reach == .live { ask.terms.reach = .anywhere }
    self.source = source
    self.ask = ask
    choice = RecordChoice(ask, of: source.schema, at: source.world.clock.now)
    let limit = ask.limit.map { $0.adding(ask.offset) }
    // What stands first is not known before all was read; and a recording of a list without an end would be played without one.
    let isPlayed = source.descriptor.isEndless && source.world.terms.reach == .replay
    let most = choice.isSorted ? (isPlayed && !ask.sortsEverything ? limit.map { max($0, Self.mostRead) } : nil) : limit
    bounds = Bounds(limit: most, pages: ask.pages, deadline: ask.deadline)
    let rows: any DataSource<Item> = ask.part.map { source.rows(of: $0) } ?? source.answering
    let answering: any DataSource<Item> = ask.isAboutDeleted ? source.deleted : rows
    walk = Walk(answering, ask.query, bounds: bounds, from: ask.cursor, clock: source.world.clock, where: choice.isWanted)
    walk.wantsNearest = ask.suggestsTitles
    if ask.pages == nil { walk.sorting = choice.sorting(most: limit) }
  }

  /// What the records are made of.
  public var schema: Schema<Item> { source.schema }

  public var summary: Summary { ending ?? walked }

  public var hasEnded: Bool { ending != nil }

  public var cursor: Cursor? {
    switch walk.summary.verdict {
    case .complete, .unverifiable: nil
    default: choice.isSorted ? nil : walk.cursor
    }
  }

  /// What was required and does not hold, for a person.
  public var unmet: [Unmet] { ask.requirements.shortfalls(of: summary) }

  /// How the answer came about, as far as it has.
  public var outcome: Outcome {
    changing(Outcome(summary, notices, for: ask)) { $0.place = cursor.map { AnswerPlace($0, in: ask) } }
  }

  /// The wanted records of the next page, maybe none; nil when the answer has ended.
  public mutating func nextPage() async throws -> [Item]? {
    guard ending == nil else { return nil }
    do {
      if ask.pagesToFetch > 0 { try await fetchPages() }
      let page = choice.isSorted ? try await sortedRecords() : try await readPage()
      if page?.isEmpty == false { hasGiven = true }
      if let page, let news = Notice.edited(walk.summary.edited, among: page) { edited = news.added(to: edited) }
      return page
    } catch let error as SourceError {
      throw await suggesting(error).advised(for: ask, of: source.descriptor)
    }
  }

  /// The error with the titles that come near, where a search found nothing in what is stored and nobody else may be asked.
  private func suggesting(_ error: SourceError) async -> SourceError {
    guard ask.suggestsTitles, error.kind == .notStored, let text = ask.query.text else { return error }
    guard let question = await source.nearestTitles(to: text).question else { return error }
    return changing(error) { $0.remedy = .advice(question) }
  }

  private mutating func readPage() async throws -> [Item]? {
    let page: [Item]?
    if let ahead { page = ahead } else { page = try await walk.nextPage() }
    ahead = nil
    try checkComparesNumbers()
    let items = page.map { behindOffset($0) }
    if let items, !items.isEmpty { recent = items.suffix(20).map { $0.id } }
    if walk.summary.verdict != nil { await end() }
    return items
  }

  /// The next page in the order that is wanted: at once where it comes in that order, else when everything was read.
  private mutating func sortedRecords() async throws -> [Item]? {
    var first = FirstRecords<Item>(most: ask.limit.map { $0.adding(ask.offset) }, by: choice)
    while let page = try await walk.nextPage() {
      isSortedAhead = walk.isSorted
      try checkComparesNumbers()
      if isSortedAhead { return await upToLimit(page) }
      first.add(page)
      if walk.summary.verdict == nil { try await checkMayBeRead() }
    }
    if isSortedAhead {
      await end()
      return nil
    }
    if walk.summary.verdict == .bounded { ended.append(.sortedFirst(walk.received, of: walk.announced)) }
    let sorted = behindOffset(first.sorted)
    await end(leavingOut: walk.summary.given - leftOut - sorted.count)
    return sorted
  }

  /// Throws where a condition compares numbers and met a text. Behind records that were handed out it is a notice at the end.
  private func checkComparesNumbers() throws { if !hasGiven, let mixture = choice.mixture { throw mixture } }

  /// Throws where the service would have to be asked for more than an order is worth.
  private func checkMayBeRead() async throws {
    guard ask.pages == nil, walk.summary.origin?.kind == .live else { return }
    let wanted = ask.limit.map { $0.adding(ask.offset) }
    let isForced = ask.sortsEverything || wanted == nil
    // Without a store there is no other place for an order.
    if isForced, source.archive == nil { return }
    let most = isForced ? Self.mostHeld : max(Self.mostRead, wanted ?? 0)
    let total = walk.announced.flatMap { $0 > most ? $0 : nil }
    if total != nil || walk.received > most {
      let isStored = (try? await source.isStoredWhole) ?? false
      throw SourceError.unsortable(most: most, of: total, forced: isForced, isStored: isStored)
    }
  }

  /// Of a page that stands in its order what the limit leaves of it.
  private mutating func upToLimit(_ page: [Item]) async -> [Item] {
    let items = behindOffset(page)
    let before = walk.summary.given - page.count - leftOut + (page.count - items.count)
    let room = ask.limit.map { max(0, $0 - before) } ?? .max
    if items.count >= room || walk.summary.verdict != nil { await end(leavingOut: max(0, items.count - room)) }
    return Array(items.prefix(room))
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
      Event.emit(.storeFailed(error))
    }
  }

  private mutating func end(leavingOut surplus: Int = 0) async {
    var summary = walked
    summary.given -= leftOut + surplus
    let isCut = leftOut + surplus > 0 && (summary.verdict == .complete || summary.verdict == .unverifiable)
    // Whoever has enough of an order reads no further.
    if isCut || summary.verdict == nil { summary.verdict = .bounded }
    // A service that searched by itself knows no titles that come near.
    if ask.suggestsTitles, summary.given == 0, summary.searched == nil, summary.nearest.isEmpty, let text = ask.query.text {
      summary.nearest = await source.nearestTitles(to: text)
    }
    ending = summary
    let nothing = leftOut > 0 ? Notice.offsetLeavesNone(offset: ask.offset, count: leftOut) : choice.shortage
    ended += [Notice](summary, for: ask, of: source.descriptor, nothing: nothing)
    if let mixture = choice.mixture {
      ended.append(.note("incomplete: \(mixture.message); records with such texts were left out"))
    }
    if let mixed = choice.mixedOrder { ended.append(mixed) }
    guard source.descriptor.isEndless else { return }
    // Such a list grows only as one reads on.
    if let count = summary.searched, summary.verdict != .bounded, ask.query.text != nil { ended.append(.searched(count)) }
    if ask.query == .everything, summary.verdict == .unverifiable, ask.conditions.isEmpty, summary.given < ask.limit ?? .max {
      ended.append(.stored(summary.given, isLive: summary.origin?.kind == .live))
    }
  }

  /// What the walks came to, that of before the list grew included.
  private var walked: Summary {
    var summary = walk.summary
    summary.origin = summary.origin ?? earlier.origin
    summary.total = summary.total ?? earlier.total
    summary.searched = summary.searched ?? earlier.searched
    summary.pages += earlier.pages
    summary.skipped += earlier.skipped
    summary.duplicates += earlier.duplicates
    return summary
  }
}

extension Answer {
  public var canGrow: Bool {
    source.descriptor.isEndless && source.archive != nil && summary.origin?.kind == .cache
      && source.world.asksService
  }

  public mutating func goOn() async throws -> Bool {
    guard hasEnded, !choice.isSorted else { return false }
    switch walk.summary.verdict {
    // What is stored may have changed, and the place in it is lost. What was read before is known.
    case .partial(.notStored): begin(source.answering)
    case _ where walk.resume(until: ask.deadline): break
    default:
      guard canGrow, let archive = source.archive else { return false }
      let stored = archive.records(endless: true, clock: source.world.clock)
      // Another process may have stored more meanwhile.
      var isMore = false
      if ask.query == .everything { isMore = try await reads(stored) }
      if !isMore {
        try await source.fetchOne(deadline: ask.deadline)
        _ = try await reads(stored)
      }
    }
    (ending, ended) = (nil, [])
    return true
  }

  /// Begins behind the last record, and says whether a record is there; a search begins anew, since its best matches come first.
  private mutating func reads(_ stored: StoredRecords<Item>) async throws -> Bool {
    var cursor: Cursor?
    if ask.query == .everything {
      earlier = summary
      for id in recent.reversed() where cursor == nil { cursor = try await stored.cursor(behind: id) }
    }
    begin(stored, from: cursor)
    ahead = try await walk.nextPage() ?? []
    return ahead?.isEmpty == false
  }

  private mutating func begin(_ answering: any DataSource<Item>, from cursor: Cursor? = nil) {
    // What an offset leaves out lies before the cursor; a list from its beginning has it before itself again.
    if cursor != nil { ask.offset = 0 }
    leftOut = 0
    walk = Walk(answering, ask.query, bounds: bounds, from: cursor, clock: source.world.clock, where: choice.isWanted)
    walk.wantsNearest = ask.suggestsTitles
  }
}

extension SourceSession {
  /// What there is for an ask.
  public func answer(to ask: Ask) -> Answer<Item> { Answer(ask, by: self) }

  /// The same of records without their type.
  public func records(for ask: Ask) -> any ShownAnswer { answer(to: ask) }

  /// What its records are made of.
  public var fields: [FieldOutline] { schema.outline }

  /// The way to a record's id.
  public var idPath: FieldPath { schema.idPath }

  /// The first page as the service gives it; nothing stands in for that.
  package func livePage(deadline: Moment?) async throws -> Page<ShownRecord> {
    try await live.page(PageRequest(deadline: deadline)).mapped { schema.shown([$0])[0] }
  }
}

/// An ``Answer`` whose records have lost their type.
public protocol ShownAnswer: Concluded, Sendable {
  /// What is known so far; with the verdict once the answer has ended.
  var summary: Summary { get }
  /// Where a later answer goes on; nil at the end of the list, and where the records were ordered.
  var cursor: Cursor? { get }
  /// True when the last page has been handed out. ``goOn()`` may bring more.
  var hasEnded: Bool { get }
  /// True when the list grows as one asks and may be asked for more: to the compiled-in copy nothing is added.
  var canGrow: Bool { get }
  /// The wanted records of the next page, maybe none; nil when the answer has ended.
  mutating func nextRecords() async throws -> [ShownRecord]?
  /// Goes on with an answer that has ended: where an error stopped it, or with what a growing list has. False where there is no more.
  mutating func goOn() async throws -> Bool
}

extension Answer: ShownAnswer {
  public mutating func nextRecords() async throws -> [ShownRecord]? { try await nextPage().map(schema.shown) }
}

extension Summary {
  /// What stopped an answer before its end, where it can go on.
  public var stop: SourceError? {
    guard case .partial(let shortfall) = verdict else { return nil }
    switch shortfall {
    case .failed(let error), .budget(let error): return error
    case .deadline: return SourceError(.timedOut, "\(shortfall)")
    case .notStored: return SourceError(.notStored, "\(shortfall)")
    default: return nil
    }
  }
}

extension SourceSession {
  /// What a person may have meant whose text nothing matches: titles from what is stored and compiled in. Nobody is asked for them.
  public func nearestTitles(to text: String) async -> NearestTitles {
    var nearest = NearestTitles()
    // Where they cannot be read, there is nothing to guess from.
    if let archive, let page = try? await archive.records().page(PageRequest(.matching(text))) {
      nearest.add(page.near(schema))
    }
    if let bundled, let page = try? await bundled.page(PageRequest(.matching(text))) { nearest.add(page.near(schema)) }
    return nearest
  }
}

extension Page {
  /// The titles that come near; where something matches after all, the best of it.
  fileprivate func near(_ schema: Schema<Item>) -> NearestTitles {
    guard let best = items.first, let title = schema.titles(of: best).first else { return nearest }
    var nearest = NearestTitles()
    nearest.add(title, at: 0)
    return nearest
  }
}
