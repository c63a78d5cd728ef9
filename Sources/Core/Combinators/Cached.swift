import Synchronization

extension DataSource {
  /// This source, its answers kept; the last one is given again when the source cannot answer, or when it is young enough.
  ///
  /// `scope` tells one service's answers from another's: its address, say. It never holds a secret.
  public func cached(
    in keeper: some AnswerKeeper, scope: String = "", maxAge: Duration = .zero, clock: some Timekeeper = SystemTime()
  ) -> Cached<Self> {
    Cached(upstream: self, keeper: keeper, scope: scope, maxAge: maxAge, clock: clock)
  }
}

/// A source whose last answers stand in for it.
///
/// An answer is a whole walk: its pages are kept under the moment of its first one, so that pages of two walks never mix,
/// and walking the kept pages again comes to the verdict it had then.
public struct Cached<Upstream: DataSource>: DataSource {
  let upstream: Upstream
  let kept: Kept<Upstream.Item>
  let maxAge: Duration
  /// When the walk of each query began that is under way here.
  private let walks = Walks()

  init(upstream: Upstream, keeper: any AnswerKeeper, scope: String, maxAge: Duration, clock: any Timekeeper) {
    self.upstream = upstream
    self.kept = Kept(of: upstream.profile, in: keeper, scope: scope, clock: clock)
    self.maxAge = maxAge
  }

  public var profile: Profile { upstream.profile.holding(kept.profile) }
  public var description: String { "\(upstream).cached()" }

  public func page(_ request: PageRequest) async throws -> Page<Upstream.Item> {
    if let cursor = request.cursor, kept.profile.takes(cursor) { return try await kept.page(request) }
    // A store that cannot be read is no reason not to ask.
    if request.cursor == nil, maxAge > .zero, let page = try? await kept.first(request, within: maxAge) { return page }
    do {
      let page = try await upstream.page(request)
      if page.origin.kind == .live { try await keep(page, request) }
      return page
    } catch var error as SourceError where error.kind.mayFallBack && request.cursor == nil {
      let last: Page<Upstream.Item>?
      do {
        last = try await kept.first(request)
      } catch let trouble as SourceError where trouble.kind == .storage {
        error.others.append(trouble)
        throw error
      }
      guard var page = last else { throw error }
      let reason = error.from(profile.name)
      page.origin.reason = reason
      Event.emit(.fellBack(from: profile.name, to: kept.profile.name, reason))
      return page
    }
  }

  private func keep(_ page: Page<Upstream.Item>, _ request: PageRequest) async throws {
    let walk: Moment
    if request.cursor == nil {
      walk = kept.clock.now
      walks.note(walk, for: request.query)
    } else if let begun = walks.start(of: request.query) {
      walk = begun
    } else {
      return
    }
    do {
      try await kept.keep(page, request, walk: walk)
    } catch let error as SourceError where error.kind == .storage {
      if walks.isFirstTrouble() { Event.emit(.noticed(source: profile.name, "the answer was not kept: \(error.message)")) }
    }
  }
}

private final class Walks: Sendable {
  private let starts = Mutex<[Query: Moment]>([:])
  private let isInTrouble = Mutex(false)

  /// Whether this is the first time that an answer could not be kept.
  func isFirstTrouble() -> Bool {
    isInTrouble.withLock { isInTrouble in
      defer { isInTrouble = true }
      return !isInTrouble
    }
  }

  func note(_ start: Moment, for query: Query) { starts.withLock { $0[query] = start } }

  func start(of query: Query) -> Moment? { starts.withLock { $0[query] } }
}

/// The answers that were kept of a source, as a source: it never asks anyone.
public struct Kept<Item: Record>: DataSource {
  public let profile: Profile
  let clock: any Timekeeper
  private let keeper: any AnswerKeeper
  private let scope: String

  /// What was kept of the source that has this profile, under the scope it was cached with.
  public init(of profile: Profile, in keeper: any AnswerKeeper, scope: String, clock: any Timekeeper = SystemTime()) {
    self.profile = Profile("\(profile.name).kept", paging: profile.paging, search: profile.search, lookup: profile.lookup)
    self.keeper = keeper
    self.scope = "\(profile.name) \(scope)"
    self.clock = clock
  }

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    guard let cursor = request.cursor else {
      if let page = try await first(request) { return page }
      throw SourceError(.notKept, "no answer to this was ever kept")
    }
    _ = try request.place(in: self)
    guard let answer = try await keeper.answer(key(request.query, at: cursor), since: nil),
      let first = try await keeper.answer(key(request.query, at: nil), since: nil), first.walk == answer.walk,
      let page = page(from: answer)
    else { throw SourceError(.notKept, "the rest of this answer was never kept") }
    return page
  }

  /// The beginning of the last answer; nil when there is none, or it is older than `age`.
  func first(_ request: PageRequest, within age: Duration? = nil) async throws -> Page<Item>? {
    let oldest = age.map { clock.now - $0 }
    return try await keeper.answer(key(request.query, at: nil), since: oldest).flatMap(page)
  }

  func keep(_ page: Page<Item>, _ request: PageRequest, walk: Moment) async throws {
    var rows = JSONWriter()
    rows.write(.list(page.items.map(\.value)))
    let answer = KeptAnswer(
      rows: rows.bytes, faults: page.faults, total: page.total, next: page.next, paging: page.maker.paging, walk: walk,
      at: clock.now)
    try await keeper.keep(answer, under: key(request.query, at: request.cursor))
  }

  /// The page as it was; nil when it cannot be read, since an older version may have kept it: then it is as good as none.
  private func page(from answer: KeptAnswer) -> Page<Item>? {
    guard let items = try? JSON(answer.rows).elements.map({ try Item($0) }) else { return nil }
    var maker = profile
    maker.paging = answer.paging
    return Page(
      maker: maker, items, faults: answer.faults, total: answer.total, next: answer.next,
      origin: .cache(age: max(.zero, clock.now - answer.at)))
  }

  private func key(_ query: Query, at cursor: Cursor?) -> AnswerKey {
    let question =
      switch query {
      case .everything: "list"
      case .matching(let text): "search \(Fold.fold(text))"
      case .record(let id): "record \(Item.identity(id))"
      case .changed(let mark): "changed since \(mark)"
      case .latest: "latest"
      }
    return AnswerKey(source: scope, question: question, place: cursor?.place.text ?? "start")
  }
}
