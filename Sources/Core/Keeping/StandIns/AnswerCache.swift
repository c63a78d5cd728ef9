extension DataSource {
  /// Returns this source with its answers cached. The last answer is given again if the source cannot answer, and without asking while it
  /// is younger than `maxAge`. `scope` separates the answers of different services; it never holds a secret.
  public func cached(
    in store: some AnswerStore, scope: String = "", maxAge: Duration = .zero, clock: some Timekeeper = SystemTime(),
    naming dice: some Dice = SystemDice()
  ) -> Fallback<Item> {
    let answers = LastAnswers(of: self, in: store, scope: scope, clock: clock)
    return AnswerCache(upstream: self, answers: answers, maxAge: maxAge, dice: dice).fallback(to: answers)
  }
}

/// A source that caches its answers and gives them again while they are young enough; the `Fallback` around it reads their later pages.
/// Each page is stored and looked up under the name of its walk, so that pages of two walks never mix.
public struct AnswerCache<Item: SourceItem>: Wrapper {
  public let upstream: any DataSource<Item>
  let answers: LastAnswers<Item>
  /// The stored records, which answer for the whole list while they are complete and young enough.
  var stored: StoredList<Item>?
  let maxAge: Duration
  /// Makes names of walks that no other walk has, in any process.
  var dice: any Dice = SystemDice()

  public var description: String { "\(upstream).cached()" }

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    if request.cursor == nil, let page = await youngAnswer(to: request) { return page }
    var (page, source) = try await pageOrUnchanged(request)
    // A search that the walk makes by itself is not answered by this page alone.
    guard page.origin.kind == .live, page.maker.answers(request.query) else { return page }
    page.thread = try await keep(page, request, from: source)
    return page
  }

  /// Returns the service's page and the answer that brought it: the cached one if the service says that its first page has not changed.
  private func pageOrUnchanged(_ request: PageRequest) async throws -> (Page<Item>, PageWatch.Answer?) {
    guard request.cursor == nil else { return (try await upstream.page(request), nil) }
    let found = try await PageWatch.page(
      for: request, remembering: { [answers, profile] in await answers.page(brought: $0, request, by: profile) }
    ) { try await upstream.page(request) }
    return (found.page, found.answer)
  }

  /// Returns the first page of a cached answer that is young enough and has all its pages; nil without such an answer. A cached answer that
  /// lacks its last pages has fewer records than the service would give.
  private func youngAnswer(to request: PageRequest) async -> Page<Item>? {
    guard maxAge > .zero, !OriginDemand.isForService else { return nil }
    // If the store cannot be read, the service is asked.
    var young: Page<Item>?
    for page in (try? await answers.firstPages(request)) ?? [] where young == nil {
      guard let age = page.origin.age, (.zero...maxAge).contains(age), await StandInAnswer(answers, page, request).isWhole
      else {
        continue
      }
      young = page
    }
    guard let stored, young != nil || request.query == .everything && request.soughtText == nil,
      let page = try? await stored.page(request), let age = page.origin.age, age <= maxAge
    else { return young }
    guard let answer = young else { return page.standing == .complete ? page : nil }
    if !request.query.isOfMany { return answer.corrected(by: page, schema) }
    let isNewer = page.standing == .complete && page.origin.isYounger(than: answer.origin)
    return isNewer || page.origin.isWhole(since: answer.origin) ? page : answer
  }

  /// Caches the page as the next step of its walk. Nil if it was not cached; then no later page of that walk is cached either.
  private func keep(_ page: Page<Item>, _ request: PageRequest, from source: PageWatch.Answer?) async throws -> AnswerThread? {
    let isFirst = request.cursor == nil
    guard let thread = isFirst ? AnswerThread(walk: String(dice.roll(), radix: 36)) : request.cursor?.thread else { return nil }
    do {
      if isFirst, page.received == 0, request.query == .everything, let last = try? await answers.first(request),
        last.received > 0
      {
        // "Just now" would seem to deny the first half of the sentence.
        let age = last.origin.age.map { $0 < .seconds(1) ? "a moment ago" : $0.ago } ?? "earlier"
        Event.emit(
          .noticed(source: profile.name, "the service has no records now; it had \(last.total ?? last.received) \(age)"))
      }
      return try await answers.keep(page, request, of: thread, from: source)
    } catch let error as SourceError where error.kind == .storage {
      // The page itself came; only its caching failed.
      Event.emit(.storeFailed(error.from(profile.name)))
      return nil
    }
  }
}

/// The cached answers of a source, as a source. A walk over them gets the pages of the walk that cached them, with its verdict.
///
/// A query for many records has two places for a walk. A new walk is cached in the place of the best one if its first page has as much, and
/// beside it otherwise: a short answer never replaces a long one, and a walk that was interrupted none that reached the end. Of the two
/// walks the better one answers, by the rule of stand-ins.
public struct LastAnswers<Item: SourceItem>: DataSource {
  public let profile: Profile
  public let schema: Schema<Item>
  let clock: any Timekeeper
  private let store: any AnswerStore
  private let scope: String
  /// The archive of the same list, which tells whose list it is; nil if the list is not stored.
  var archive: Archive<Item>?
  /// True when nothing is cached, because the requests are only planned.
  var isPlanned = false
  /// Returns the digest of the rules by which an answer to the query is read.
  var reading: @Sendable (Query) -> String = { _ in "" }

  /// Gives the answers that were cached of `source` under the same scope.
  public init(of source: some DataSource<Item>, in store: any AnswerStore, scope: String, clock: any Timekeeper = SystemTime())
  {
    let profile = source.profile
    var own = Profile("\(profile.name).cached", paging: profile.paging, search: profile.search, lookup: profile.lookup)
    own.isKeyGuessed = profile.isKeyGuessed
    self.profile = own
    schema = source.schema
    self.store = store
    self.scope = "\(profile.name) \(scope)"
    self.clock = clock
  }

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    guard let cursor = request.cursor else {
      if let page = try await first(request) { return page }
      throw SourceError(.notStored, "no answer is cached")
    }
    _ = try request.place(in: self)
    guard let thread = cursor.thread,
      let answer = try await store.answer(key(request.query, second: thread.isSecond), step: thread.steps),
      answer.walk == thread.walk, answer.place == cursor.place.text, let page = page(from: answer, of: thread)
    else { throw SourceError(.notStored, "only part of this answer is cached") }
    return page
  }

  /// Returns the first page of the walk that answers the request best; nil if no answer to its query is cached.
  func first(_ request: PageRequest) async throws -> Page<Item>? {
    let pages = try await firstPages(request)
    guard let young = pages.first, let old = pages.dropFirst().first else { return pages.first }
    return await isBetter(old, than: young, for: request) ? old : young
  }

  /// Returns the first pages of the cached walks of the request's query, that of the youngest first. Throws if none of them can be used,
  /// since it belongs to another key or was read by an earlier description.
  func firstPages(_ request: PageRequest) async throws -> [Page<Item>] {
    var (pages, trouble): ([Page<Item>], SourceError?) = ([], nil)
    for isSecond in request.query.isOfMany ? [false, true] : [false] {
      do {
        if let page = try await firstPage(request, second: isSecond) { pages.append(page) }
      } catch let error as SourceError {
        trouble = trouble ?? error
      }
    }
    if let trouble, pages.isEmpty { throw trouble }
    return pages.sorted { $0.origin.isYounger(than: $1.origin) }
  }

  /// True when the walk with the page `old` answers the request better than a younger one with `young`.
  private func isBetter(_ old: Page<Item>, than young: Page<Item>, for request: PageRequest) async -> Bool {
    let new = await StandInAnswer(self, young, request)
    if new.isComplete { return false }
    // If the younger one does not reach the end, it matters only whether the other one has more.
    let asked = new.isWhole ? request : PageRequest(request.query, wanted: min(request.wanted ?? .max, new.count + 1))
    return await StandInAnswer(self, old, asked).isBetter(than: new, for: asked)
  }

  private func firstPage(_ request: PageRequest, second isSecond: Bool) async throws -> Page<Item>? {
    guard let answer = try await firstAnswer(request, second: isSecond) else { return nil }
    return page(from: answer, of: AnswerThread(walk: answer.walk, isSecond: isSecond))
  }

  /// Returns the first page that this very request to the service brought, as a page of `maker`, and the marks by which the service knows it;
  /// nil if none is cached.
  func page(brought name: String, _ request: PageRequest, by maker: Profile) async -> (Page<Item>, Validators)? {
    for isSecond in request.query.isOfMany ? [false, true] : [false] {
      guard let answer = try? await firstAnswer(request, second: isSecond), let source = answer.source, source.request == name,
        var page = page(from: answer, of: AnswerThread(walk: answer.walk, isSecond: isSecond))
      else { continue }
      let paging = page.maker.paging
      (page.maker, page.origin, page.thread) = (maker, .live, nil)
      page.maker.paging = paging
      return (page, source.validators)
    }
    return nil
  }

  private func firstAnswer(_ request: PageRequest, second isSecond: Bool) async throws -> CachedAnswer? {
    guard let answer = try await store.answer(key(request.query, second: isSecond), step: 0) else { return nil }
    if let stamp = answer.list, let archive, try await !archive.isOurs(stamp, read: reading(request.query)) {
      // A sync renews neither a search nor a single record, so the advice to sync is left out.
      throw copy(of: archive.outdated) { if request.query != .everything { $0.remedy = nil } }
    }
    return answer
  }

  /// True when a person may have edited records, so that a search of the answers may miss new values or find replaced ones.
  var mayMissEdits: Bool { get async { (try? await archive?.hasEdits) ?? false } }

  /// Caches a page as the next step of its walk, and returns the thread that leads to the step after it; nil if the page was not cached.
  func keep(
    _ page: Page<Item>, _ request: PageRequest, of thread: AnswerThread, from source: PageWatch.Answer? = nil
  ) async throws -> AnswerThread? {
    if isPlanned { return nil }
    var thread = thread
    if thread.steps == 0 { thread.isSecond = try await takesSecondPlace(page, request) }
    let rows = Value.list(page.items.map { schema.storedValue(of: $0, misfits: page.misfits[$0.id] ?? []) })
    var answer = CachedAnswer(
      rows: rows.bytes, faults: page.faults, saying: page.statements, place: request.cursor?.place.text ?? "",
      walk: thread.walk, at: clock.now, of: try await archive?.stamp(read: reading(request.query)))
    answer.source = source
    guard try await store.keep(answer, under: key(request.query, second: thread.isSecond), step: thread.steps) else {
      return nil
    }
    return thread.next
  }

  /// True when a walk that begins with this page is to be cached in the second place, so that the one in the first place stays.
  private func takesSecondPlace(_ page: Page<Item>, _ request: PageRequest) async throws -> Bool {
    guard request.query.isOfMany else { return false }
    let everything = PageRequest(request.query)
    guard let best = try? await first(everything), let place = best.thread else {
      // What cannot be used, since it belongs to another key, stays as long as there is room beside it.
      return try await store.answer(key(request.query, second: false), step: 0) != nil
    }
    // Its later pages are looked for among the cached ones, where they are not yet.
    let new = copy(of: page) { $0.maker.name = profile.name }
    return await isBetter(best, than: new, for: everything) != place.isSecond
  }

  /// Returns the page as it was cached. Nil if it cannot be read: it then counts as missing.
  private func page(from answer: CachedAnswer, of thread: AnswerThread) -> Page<Item>? {
    var misfits: [String: [Misfit]] = [:]
    let items = try? JSON(answer.rows).elements.map { row in
      let (item, unfit) = try schema.readWithMisfits(row)
      if !unfit.isEmpty { misfits[item.id] = unfit }
      return item
    }
    guard let items else { return nil }
    var page = Page(of: self, items, faults: answer.faults, origin: .cache(age: clock.now - answer.at))
    (page.statements, page.misfits, page.thread) = (answer.said, misfits, thread.next)
    return page
  }

  private func key(_ query: Query, second isSecond: Bool) -> AnswerKey {
    let text =
      switch query {
      case .everything: "list"
      case .matching(let text): "search \(Fold.fold(text))"
      case .record(let id): "record \(schema.identity(id))"
      case .changed(let mark): "changed since \(mark.iso)"
      case .latest: "latest"
      case .following(let bookmark): "following \(bookmark)"
      }
    return AnswerKey(source: scope, query: isSecond ? "second \(text)" : text)
  }
}
