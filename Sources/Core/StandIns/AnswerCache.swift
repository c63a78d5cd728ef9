extension DataSource {
  /// This source, its answers kept; the last one is given again when the source cannot answer, or when it is young enough. `scope` tells one
  /// service's answers from another's, and never holds a secret.
  public func cached(
    in store: some AnswerStore, scope: String = "", maxAge: Duration = .zero, clock: some Timekeeper = SystemTime(),
    naming dice: some Dice = SystemDice()
  ) -> Fallback<Item> {
    let answers = LastAnswers(of: self, in: store, scope: scope, clock: clock)
    return AnswerCache(upstream: self, answers: answers, maxAge: maxAge, dice: dice).fallback(to: answers)
  }
}

/// A source whose answers are kept, and given again while they are young enough; the `Fallback` around it goes on with them. Each page of an
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

  /// Keeps the page as the next step of its walk; of a walk that came to a page which was not kept, nothing more is.
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
      Event.emit(.noticed(source: profile.name, "cannot cache the answer: \(error.message)"))
      return nil
    }
  }
}
