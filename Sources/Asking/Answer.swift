public import AggregatorCore
import Platform

/// The answer to an ask: its records, page by page, and then its summary and notices.
///
///     var answer = source.answer(to: ask)
///     while let heroes = try await answer.nextPage() { for hero in heroes { print(hero.name) } }
///     print(answer.summary.verdict ?? .unverifiable)
///
/// An error before the first record is thrown; a later one makes the answer partial.
public struct Answer<Item: SourceItem>: Sendable {
  private let source: any SourceSession<Item>
  private var ask: Ask
  private let choice: RecordChoice<Item>
  private let bounds: Bounds
  private var walk: Walk<Item>
  /// The records that the walk of a search read; nil if the source searches by itself, or if no titles are to be suggested.
  private var read: RememberedRecords<Item>?
  /// The outcome, once the answer has ended.
  private var ended: Outcome?
  /// The number of records that the offset has left out so far.
  private var leftOut = 0
  /// The walk's last cursor, and the number of records that it had given by then.
  private var reached: (cursor: Cursor?, given: Int)
  /// The answers up to the end of this one.
  private var answers: EarlierAnswers
  /// The summary of what was read before the list grew.
  private var earlier = Summary()
  /// The ids of the latest records. More than one, because the last record may be deleted before reading continues after it.
  private var recent: [String] = []
  /// True once a record was handed out.
  private var hasGiven = false
  /// The next page, if it was already read to see whether one follows.
  private var ahead: [Item]?
  /// True when everything is asked for, in one answer.
  private let wantsAll: Bool
  /// True when a search without matches looks for titles near its text.
  private let suggestsTitles: Bool
  /// The notice about edited records among those that were handed out.
  private var edited: Notice?

  init(_ ask: Ask, by source: some SourceSession<Item>, suggestingTitles suggestsTitles: Bool) {
    var ask = ask
    let isPart = if case .part = ask.list { true } else { false }
    self.suggestsTitles = suggestsTitles
    wantsAll = ask.limit == nil && ask.pages == nil
    if ask.limit == nil, ask.pages == nil, !isPart, ask.query.text != nil { ask.limit = source.descriptor.mostFound }
    (ask.limit, ask.offset) = (ask.limit.map { max(0, $0) }, max(0, ask.offset))
    // In a part only the service answers anyway, so no remedy may suggest leaving out `live`.
    if isPart, ask.terms.reach == .live { ask.terms.reach = .anywhere }
    self.source = source
    self.ask = ask
    choice = RecordChoice(ask, of: source.schema, at: source.world.clock.now)
    let limit = ask.limit.map { $0.adding(ask.offset) }
    // The first records of an order are known only after all were read. A recording of an endless list is read only up to a
    // limit, because it would never end.
    let isPlayed = source.descriptor.isEndless && source.world.terms.reach == .replay
    let most = choice.isSorted ? (isPlayed && !ask.sortsEverything ? limit.map { max($0, Self.mostRead) } : nil) : limit
    bounds = Bounds(limit: most, pages: ask.pages, deadline: ask.deadline)
    let answering = source.rows(of: ask.list)
    read = suggestsTitles ? Self.remembering(answering, for: ask) : nil
    let reader: any DataSource<Item> = read ?? answering
    walk = Walk(
      reader, ask.query, bounds: bounds, from: ask.start?.cursor, clock: source.world.clock, where: choice.isWanted)
    if ask.stopsAtFailingPages { walk.stopAtFailingPages() }
    reached = (ask.start?.cursor, 0)
    answers = ask.start?.earlier ?? EarlierAnswers()
    if ask.pages == nil { walk.sorting = choice.sorting(most: limit) }
  }

  /// The schema of the records.
  public var schema: Schema<Item> { source.schema }

  public var summary: Summary { ended?.summary ?? walked }

  public var hasEnded: Bool { ended != nil }

  public var cursor: Cursor? {
    switch walk.summary.verdict {
    case .complete, .unverifiable: nil
    default: choice.isSorted ? nil : walk.cursor
    }
  }

  /// The summary, the notices and the unmet requirements, as far as they are known.
  public var outcome: Outcome {
    copy(of: ended ?? Outcome(walked, for: ask)) {
      if hasEnded, let edited { $0.notices.append(edited) }
      ($0.place, $0.keptWalk) = (cursor.map { AnswerPlace(place(at: $0), in: ask) }, walk.keptWalk)
    }
  }

  /// Returns the place from which the next answer continues.
  private func place(at cursor: Cursor) -> Ask.Start {
    let before = ask.start?.rowsBefore ?? 0
    return Ask.Start(
      cursor, rowsBefore: reached.cursor == ask.start?.cursor ? before : before.adding(reached.given), after: answers)
  }

  /// Returns the wanted records of the next page, which may be none; nil when the answer has ended.
  public mutating func nextPage() async throws -> [Item]? {
    guard !hasEnded else { return nil }
    do {
      try await checkList()
      if case .longer(let pages) = ask.list { try await fetch(pages) }
      let page = choice.isSorted ? try await sortedRecords() : try await readPage()
      if page?.isEmpty == false { hasGiven = true }
      if let page, let news = Notice.edited(walk.summary.edited, among: page) { edited = news.added(to: edited) }
      return page
    } catch let error as SourceError {
      throw error.advised(for: ask, of: source.descriptor)
    }
  }

  /// Throws if the place to continue from is in another list than the present one.
  private mutating func checkList() async throws {
    guard let list = ask.start?.list else { return }
    guard list == AnswerPlace.digest(ofList: await source.listIdentity) else {
      throw SourceError(
        .foreignCursor,
        "the cursor is in another list: the address, the description or the key of \(source.name) has changed since",
        remedy: "begin again without a cursor")
    }
    // It is compared once, since more may be known of the list after the service was asked.
    ask.start?.list = nil
  }

  private mutating func readPage() async throws -> [Item]? {
    let page: [Item]?
    if let ahead { page = ahead } else { page = try await walk.nextPage() }
    ahead = nil
    if walk.cursor != reached.cursor { reached = (walk.cursor, walk.summary.given) }
    try checkComparesNumbers()
    let items = page.map { afterOffset($0) }
    if let items, !items.isEmpty { recent = items.suffix(20).map { $0.id } }
    if walk.summary.verdict != nil { await end() }
    return items
  }

  /// Returns the next page in the wanted order: at once if the pages come in that order, otherwise after everything was read.
  private mutating func sortedRecords() async throws -> [Item]? {
    var first = FirstRecords<Item>(most: ask.limit.map { $0.adding(ask.offset) }, by: choice)
    while let page = try await walk.nextPage() {
      try checkComparesNumbers()
      if walk.isSorted { return await upToLimit(page) }
      first.add(page)
      if walk.summary.verdict == nil { try await checkMayBeRead() }
    }
    if walk.isSorted {
      await end()
      return nil
    }
    let sorted = afterOffset(first.sorted)
    await end(leavingOut: walk.summary.given - leftOut - sorted.count)
    return sorted
  }

  /// Throws if a condition compares numbers and met a text. After the first records were handed out, a notice at the end says so instead.
  private func checkComparesNumbers() throws { if !hasGiven, let mixture = choice.mixture { throw mixture } }

  /// Throws if sorting would read more of the service's list than it is worth.
  private func checkMayBeRead() async throws {
    guard ask.pages == nil, walk.summary.origin?.kind == .live else { return }
    let wanted = ask.limit.map { $0.adding(ask.offset) }
    let isForced = ask.sortsEverything || wanted == nil
    // Without a store, the list cannot be sorted anywhere else.
    if isForced, source.archive == nil { return }
    // A limit of `max` means as many as come, page by page, and not a number that somebody wants.
    let most = isForced ? Self.mostHeld : max(Self.mostRead, wanted == .max ? 0 : wanted ?? 0)
    let total = walk.announced.flatMap { $0 > most ? $0 : nil }
    if total != nil || walk.received > most {
      let isStored = (try? await source.isStoredWhole) ?? false
      throw SourceError.unsortable(most: most, of: total, forced: isForced, isStored: isStored)
    }
  }

  /// Returns the records of a sorted page that the limit allows.
  private mutating func upToLimit(_ page: [Item]) async -> [Item] {
    let items = afterOffset(page)
    let before = walk.summary.given - page.count - leftOut + (page.count - items.count)
    let room = ask.limit.map { max(0, $0 - before) } ?? .max
    if items.count >= room || walk.summary.verdict != nil { await end(leavingOut: max(0, items.count - room)) }
    return Array(items.prefix(room))
  }

  /// Returns these records without those that the offset leaves out.
  private mutating func afterOffset(_ items: [Item]) -> [Item] {
    let first = min(ask.offset - leftOut, items.count)
    leftOut += first
    return first > 0 ? Array(items.dropFirst(first)) : items
  }

  /// Fetches the further pages that are wanted of an endless list.
  private mutating func fetch(_ pages: Int) async throws {
    defer { ask.list = .whole }
    do {
      for _ in 0..<max(0, pages) { try await source.fetchOne(deadline: ask.deadline) }
    } catch let error as SourceError where error.kind == .storage {
      // The stored records can be searched all the same.
      Event.emit(.storeFailed(error))
    }
  }

  private mutating func end(leavingOut surplus: Int = 0) async {
    var outcome = judged(leavingOut: surplus)
    if let unknown = unknown(in: outcome.summary) {
      outcome.summary.verdict = outcome.summary.verdict?.capped(by: .unverifiable)
      outcome.verdictToEnd = outcome.verdictToEnd?.capped(by: .unverifiable)
      outcome.summary.change = outcome.summary.change ?? unknown
    }
    if outcome.summary.given == 0 { outcome.summary.nearest = await nearestTitles(in: outcome.summary) }
    var drift: [ShapeDrift] = []
    if ask.requirements.contains(.sameShape), outcome.summary.origin?.kind == .cache {
      drift = ((try? await source.archive?.drift()) ?? []).filter { $0.until == nil }
    }
    outcome.unmet = ask.requirements.shortfalls(of: outcome.summary, drift: drift, told: [])
    outcome.notices = notices(after: outcome.summary)
    ended = outcome
  }

  /// Returns the summary and the verdicts of what was read, without the `surplus` that the limit leaves out.
  private mutating func judged(leavingOut surplus: Int) -> Outcome {
    var summary = walked
    summary.given -= leftOut + surplus
    answers.beyond = walk.summary.given - reached.given
    if leftOut > ask.start?.earlier.beyond ?? 0 { answers.leaveOut = true }
    if isCircle(summary) { summary.verdict = .partial(.loop) }
    let isToEnd = summary.verdict == .complete || summary.verdict == .unverifiable
    var verdictToEnd = surplus > 0 || summary.verdict == .bounded ? nil : summary.verdict
    // A sorted list is not read beyond its limit, so its walk has no verdict then.
    if isToEnd && (answers.leaveOut || leftOut + surplus > 0) || summary.verdict == nil { summary.verdict = .bounded }
    let hasMoved = ask.start != nil && summary.change != nil
    if ask.start != nil {
      // A number that the walk has counted itself is not the whole, since what came before the cursor is not known here.
      if summary.total == summary.given || summary.total != walk.announced { summary.total = nil }
      // A total adds up by different records, and those before the cursor are not known here.
      if wantsAll, summary.verdict == .complete, walk.announced != nil {
        (summary.verdict, verdictToEnd) = (.unverifiable, .unverifiable)
        summary.change = summary.change ?? "records that came before the walk was resumed may have come again"
      }
      if summary.verdict == .complete, summary.change == nil {
        summary.change = "this is the end of a list whose beginning was given before"
      }
    }
    return copy(of: Outcome(summary, unmet: [])) {
      ($0.isCut, $0.verdictToEnd, $0.hasMoved) = (surplus > 0, verdictToEnd, hasMoved)
    }
  }

  /// Returns what is to be said of an answer that has ended with that summary.
  private func notices(after summary: Summary) -> [Notice] {
    var notices: [Notice] = []
    if choice.isSorted, !walk.isSorted, walk.summary.verdict == .bounded {
      notices.append(.sortedFirst(walk.received, of: walk.announced))
    }
    let (terms, age) = (ask.terms, summary.origin?.age)
    if terms.reach == .offline, terms.maxAge > .zero, age ?? .zero > terms.maxAge { notices.append(.older(terms.maxAge)) }
    let nothing =
      leftOut > 0 ? Notice.offsetLeavesNone(offset: ask.offset, count: leftOut) : choice.shortage(besides: summary.misfits)
    notices += [Notice](summary, for: ask, of: source.descriptor, nothing: nothing)
    notices += choice.notices
    // An endless list grows only while it is read, so these notices say how much was searched.
    if source.descriptor.isEndless {
      if let count = summary.searched, summary.verdict != .bounded, ask.query.text != nil { notices.append(.searched(count)) }
      if ask.query == .everything, summary.verdict == .unverifiable, ask.conditions.isEmpty, summary.given < ask.limit ?? .max {
        notices.append(.stored(summary.given, isLive: summary.origin?.kind == .live))
      }
    }
    return notices
  }

  /// True when an earlier answer ended at the end of this one, so that a client would read for ever. A walk notices a circle by its pages,
  /// but one that begins at a cursor does not know those before. A place by number moves on.
  private mutating func isCircle(_ summary: Summary) -> Bool {
    guard summary.verdict == .bounded, summary.given > 0, summary.origin?.kind == .live, let cursor, !cursor.place.isCounted,
      let last = recent.last
    else { return false }
    return !answers.add(endingAt: cursor, with: last)
  }

  /// Returns the clause about a field of which nothing is known, although a condition or the search looks at it. Nil without such a field.
  private func unknown(in summary: Summary) -> String? {
    let searched = ask.query.text == nil ? [] : source.schema.outline.filter { $0.isFound && !$0.isDetail }
    return FieldOutline.absence(among: choice.valueless + searched, unknown: summary.unknown)
  }

  /// The summary of all walks, including those before the list grew.
  private var walked: Summary {
    var summary = walk.summary
    summary.origin = summary.origin ?? earlier.origin
    summary.total = summary.total ?? earlier.total
    summary.searched = summary.searched ?? earlier.searched
    summary.unknown.formUnion(earlier.unknown)
    summary.pages += earlier.pages
    summary.skipped += earlier.skipped
    summary.duplicates += earlier.duplicates
    summary.misfits += earlier.misfits
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
    // The cached pages may have changed, and the place in them is lost: reading starts over. The reader
    // drops records that it already has.
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
    ended = nil
    return true
  }

  /// Continues after the last record, and returns true if a record follows. A search starts over, because its best matches come first.
  private mutating func reads(_ stored: StoredRecords<Item>) async throws -> Bool {
    var cursor: Cursor?
    if ask.query == .everything {
      earlier = summary
      for id in recent.reversed() where cursor == nil { cursor = try await stored.cursor(after: id) }
    }
    begin(stored, from: cursor)
    ahead = try await walk.nextPage() ?? []
    return ahead?.isEmpty == false
  }

  private mutating func begin(_ answering: any DataSource<Item>, from cursor: Cursor? = nil) {
    // Records that the offset leaves out lie before the cursor. Without a cursor the list starts over, and so does the offset.
    if cursor != nil { ask.offset = 0 }
    leftOut = 0
    read = suggestsTitles ? Self.remembering(answering, for: ask) : nil
    let reader: any DataSource<Item> = read ?? answering
    walk = Walk(reader, ask.query, bounds: bounds, from: cursor, clock: source.world.clock, where: choice.isWanted)
    if ask.stopsAtFailingPages { walk.stopAtFailingPages() }
  }

  private static func remembering(_ source: any DataSource<Item>, for ask: Ask) -> RememberedRecords<Item>? {
    ask.query.text != nil && source.profile.search == .walk ? RememberedRecords(of: source) : nil
  }

  /// Returns the titles near the text of a search that found nothing: among the records that were read for it, or else among those at hand.
  private func nearestTitles(in summary: Summary) async -> NearestTitles {
    guard suggestsTitles, let text = ask.query.text else { return NearestTitles() }
    if let titles = read?.titles(near: text), !titles.isEmpty { return titles }
    // A stored list that is whole has no record of the compiled-in copy that it lacks.
    let isWhole = summary.searched != nil && summary.origin?.kind == .cache && summary.origin?.isPart == false
    let others = isWhole ? nil : source.bundled
    let atHand: [(any DataSource<Item>)?] = ask.list == .deleted ? [source.deleted] : [source.archive?.records(), others]
    return await source.nearestTitles(to: text, among: atHand, matchIsWanted: ask.conditions.isEmpty)
  }
}

extension SourceSession {
  /// Answers an ask. Nothing is read before the first page is asked for.
  ///
  /// A search without matches looks for titles near its text, unless `suggestsTitles` is false.
  public func answer(to ask: Ask, suggestingTitles suggestsTitles: Bool = true) -> Answer<Item> {
    Answer(ask, by: self, suggestingTitles: suggestsTitles)
  }

  /// Returns the rows of a list.
  fileprivate func rows(of list: Ask.List) -> any DataSource<Item> {
    switch list {
    case .whole, .longer: answering
    case .deleted: deleted
    case .part(let part): rows(of: part)
    }
  }

  /// Answers an ask with records that have lost their type.
  public func records(for ask: Ask) -> any ShownAnswer { answer(to: ask) }

  /// The fields of its records.
  public var fields: [FieldOutline] { schema.outline }

  /// The path to a record's id.
  public var idPath: FieldPath { schema.idPath }

  /// Returns the first page as the service gives it, without any fallback.
  package func livePage(deadline: Moment?) async throws -> Page<ShownRecord> {
    try await world.asking(until: deadline) { try await live.page(PageRequest()) }.mapped { schema.shown([$0])[0] }
  }
}

/// An ``Answer`` whose records have lost their type.
public protocol ShownAnswer: Concluded, Sendable {
  /// The summary so far; it has a verdict once the answer has ended.
  var summary: Summary { get }
  /// The cursor from which a later answer continues; nil at the end of the list, and if the records were sorted.
  var cursor: Cursor? { get }
  /// True when the last page was handed out. ``goOn()`` may bring more.
  var hasEnded: Bool { get }
  /// True when the list is endless and its records come from the store, so that more can be fetched. The compiled-in copy does not grow.
  var canGrow: Bool { get }
  /// Returns the wanted records of the next page, which may be none; nil when the answer has ended.
  mutating func nextRecords() async throws -> [ShownRecord]?
  /// Continues an answer that has ended, after the error that stopped it or with further records of an endless list. Returns
  /// false if nothing more can come.
  mutating func goOn() async throws -> Bool
}

extension Answer: ShownAnswer {
  public mutating func nextRecords() async throws -> [ShownRecord]? { try await nextPage().map { schema.shown($0) } }
}

extension Summary {
  /// The error that stopped an answer before its end, if it can be continued; nil otherwise.
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
