extension DataSource {
  /// This source, its answers cached; the last one is given again when the source cannot answer, or when it is young enough. `scope` tells one
  /// service's answers from another's, and never holds a secret.
  public func cached(
    in store: some AnswerStore, scope: String = "", maxAge: Duration = .zero, clock: some Timekeeper = SystemTime(),
    naming dice: some Dice = SystemDice()
  ) -> Fallback<Item> {
    let answers = LastAnswers(of: self, in: store, scope: scope, clock: clock)
    return AnswerCache(upstream: self, answers: answers, maxAge: maxAge, dice: dice).fallback(to: answers)
  }
}

/// A source whose answers are cached, and given again while they are young enough; the `Fallback` around it goes on with them. Each page of an
/// answer is stored under its walk's name and asked for with it, so that pages of two walks never mix.
public struct AnswerCache<Item: SourceItem>: Wrapper {
  public let upstream: any DataSource<Item>
  let answers: LastAnswers<Item>
  /// What was synced, of which a young one answers for the whole list.
  var synced: StoredList<Item>?
  let maxAge: Duration
  /// Makes names that no other walk has, in any process.
  var dice: any Dice = SystemDice()

  public var description: String { "\(upstream).cached()" }

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    if request.cursor == nil, let page = await youngAnswer(to: request) { return page }
    var page = try await upstream.page(request)
    if page.origin.kind == .live { page.thread = try await keep(page, request) }
    return page
  }

  /// The beginning of an answer that is young enough, and long enough: one that breaks off would be less than what asking gives.
  private func youngAnswer(to request: PageRequest) async -> Page<Item>? {
    guard maxAge > .zero, !Insistence.isAsked else { return nil }
    // A store that cannot be read is no reason not to ask.
    if let page = try? await answers.first(request, within: maxAge), (try? await answers.isEnough(for: request)) == true {
      return page
    }
    guard let synced, request.query == .everything, request.soughtText == nil, let page = try? await synced.page(request),
      page.standing == .complete, let age = page.origin.age, age <= maxAge
    else { return nil }
    return page
  }

  /// Caches the page as the next step of its walk; of a walk that came to a page which was not cached, nothing more is.
  private func keep(_ page: Page<Item>, _ request: PageRequest) async throws -> AnswerThread? {
    let isFirst = request.cursor == nil
    guard let thread = isFirst ? AnswerThread(walk: String(dice.roll(), radix: 36)) : request.cursor?.thread else { return nil }
    do {
      if isFirst, page.received == 0, let last = try await answers.first(request), last.received > 0 {
        let age = last.origin.age?.ago ?? "earlier"
        Event.emit(
          .noticed(source: profile.name, "the service has no records now; it had \(last.total ?? last.received) \(age)"))
      }
      return try await answers.keep(page, request, of: thread)
    } catch let error as SourceError where error.kind == .storage {
      // What was asked for is there all the same.
      Event.emit(.storeFailed(error.from(profile.name)))
      return nil
    }
  }
}

/// The answers that were cached of a source, as a source. A walk over them gets the pages of the walk that they came from, and its verdict.
public struct LastAnswers<Item: SourceItem>: DataSource {
  public let profile: Profile
  public let schema: Schema<Item>
  let clock: any Timekeeper
  private let store: any AnswerStore
  private let scope: String

  /// What was cached of `source`, under the scope it was cached with.
  public init(of source: some DataSource<Item>, in store: any AnswerStore, scope: String, clock: any Timekeeper = SystemTime())
  {
    let profile = source.profile
    self.profile = Profile("\(profile.name).cached", paging: profile.paging, search: profile.search, lookup: profile.lookup)
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
      let answer = try await store.answer(key(request.query), step: thread.steps), answer.walk == thread.walk,
      answer.place == cursor.place.text, let page = page(from: answer, step: thread.steps)
    else { throw SourceError(.notStored, "only part of this answer is cached") }
    return page
  }

  /// The beginning of the last answer; nil when there is none, or it is older than `age`, or came later than now.
  func first(_ request: PageRequest, within age: Duration? = nil) async throws -> Page<Item>? {
    guard let answer = try await store.answer(key(request.query), step: 0) else { return nil }
    let now = clock.now
    if let age, answer.at > now || now - answer.at > age { return nil }
    return page(from: answer, step: 0)
  }

  /// Whether the last answer has as many rows as are wanted, or goes on to its end.
  func isEnough(for request: PageRequest) async throws -> Bool {
    var (count, step) = (0, 0)
    var walk: String?
    while let answer = try await store.answer(key(request.query), step: step), answer.walk == walk ?? answer.walk {
      let rows = try JSON(answer.rows).elements.count + answer.faults.count
      // A later page may begin with the last row of the one before.
      count += step > 0 ? rows - 1 : rows
      // An empty page may name another one.
      let isOver = answer.next == .end || rows == 0 && answer.next == .advance && answer.more != true
      if isOver || answer.paging.style == .whole { return true }
      if count >= min(request.wanted ?? .max, answer.more == true ? .max : answer.total ?? .max) { return true }
      (walk, step) = (answer.walk, step + 1)
    }
    return false
  }

  /// Caches a page as the next step of its walk, and gives what leads to the step behind it; nil where it was not cached.
  func keep(_ page: Page<Item>, _ request: PageRequest, of thread: AnswerThread) async throws -> AnswerThread? {
    var rows = JSONWriter()
    rows.write(.list(page.items.map { schema.storedValue(of: $0) }))
    let answer = CachedAnswer(
      rows: rows.bytes, faults: page.faults, total: page.total, next: page.next, more: page.more, paging: page.maker.paging,
      place: request.cursor?.place.text ?? "", walk: thread.walk, at: clock.now)
    guard try await store.keep(answer, under: key(request.query), step: thread.steps) else { return nil }
    return thread.next
  }

  /// The page as it was; nil when it cannot be read, since an older version may have cached it: then it is as good as none.
  private func page(from answer: CachedAnswer, step: Int) -> Page<Item>? {
    guard let items = try? JSON(answer.rows).elements.map({ try schema.read($0) }) else { return nil }
    var page = Page(
      of: self, items, faults: answer.faults, total: answer.total, next: answer.next, origin: .cache(age: clock.now - answer.at)
    )
    page.maker.paging = answer.paging
    page.more = answer.more
    page.thread = AnswerThread(walk: answer.walk, steps: step).next
    return page
  }

  private func key(_ query: Query) -> AnswerKey {
    let text =
      switch query {
      case .everything: "list"
      case .matching(let text): "search \(Fold.fold(text))"
      case .record(let id): "record \(schema.identity(id))"
      case .changed(let mark): "changed since \(mark.iso)"
      case .latest: "latest"
      }
    return AnswerKey(source: scope, query: text)
  }
}
