/// What stands in for a service: the last answer to the same query, what is stored of the list, and what is compiled in.
///
/// The complete one answers, of several the youngest; else the first that has as much as is wanted; else the one that has most. What is compiled
/// in comes last: behind what is stored, or alone where nothing else has all that is wanted.
struct StandIns<Item: SourceItem>: DataSource {
  let answers: LastAnswers<Item>
  var stored: (any DataSource<Item>)?
  let bundled: BundledRecords<Item>?
  /// Whether it stands in for a source whose description tells of the answers.
  var isBehindCache = true

  var profile: Profile { others.reduce(answers.profile) { $0.holding($1.profile) } }
  var schema: Schema<Item> { answers.schema }
  var description: String {
    let all = (isBehindCache && !others.isEmpty ? [] : [answers]) + others
    return all.dropFirst().reduce("\(all[0])") { "\($0).fallback(to: \($1))" }
  }

  private var others: [any DataSource<Item>] {
    [stored, bundled].compactMap { (source: (any DataSource<Item>)?) in source }
  }

  func page(_ request: PageRequest) async throws -> Page<Item> {
    if let cursor = request.cursor {
      return try await (others.first { $0.profile.takes(cursor) } ?? answers).page(request)
    }
    var (best, troubles): (StandIn<Item>?, [SourceError]) = (nil, [])
    // What kept others from answering in place of the best.
    var reason: SourceError?
    // What the service found is no answer to a search once a person has edited what is searched; what is stored has that.
    let isEdited = if request.query.text != nil { await answers.mayMissEdits } else { false }
    for source in isEdited ? ([stored, answers, bundled] as [(any DataSource<Item>)?]).compactMap(\.self) : [answers] + others {
      if isEdited, let best, best.has(request), source is LastAnswers<Item> { continue }
      // A record in full is mostly in its own answer alone.
      if best != nil, !request.query.isOfMany { break }
      // Behind what is stored the bundled records come anyhow.
      if let best, source is BundledRecords<Item>, best.has(request) || !best.isAnswer { break }
      do {
        let found = try await StandIn(source, request)
        if let best, !found.isBetter(than: best, for: request) { continue }
        (best, reason) = (found, source is BundledRecords<Item> ? troubles.reason : troubles.ofStore)
      } catch let error as SourceError {
        troubles.append(error)
      }
    }
    guard let best else { throw troubles.telling ?? SourceError(.notStored, "nothing is stored") }
    if let trouble = troubles.ofStore { Event.emit(.storeFailed(trouble)) }
    return changing(best.page) { $0.origin.reason = $0.origin.reason ?? reason }
  }
}

extension [SourceError] {
  /// What is wrong with the store; nil where nothing is.
  fileprivate var ofStore: SourceError? { lazy.compactMap(\.storeTrouble).first }

  /// What kept the others from answering: the last of them, with what else is worth telling. What to do about the store is told with its trouble.
  fileprivate var reason: SourceError? { ofStore.map { changing($0) { $0.remedy = nil } } ?? last.map { with($0) } }

  /// The one to throw: whose list it is matters more than what else is missing, and that nothing is stored least of all.
  fileprivate var telling: SourceError? {
    (first { $0.kind == .settings } ?? ofStore ?? first(where: \.explains) ?? first).map { with($0) }
  }

  private func with(_ told: SourceError) -> SourceError {
    changing(told) { told in
      for other in self where other.explains && other.message != told.message && !told.others.contains(other) {
        told.others.append(other)
      }
    }
  }
}

/// The beginning of an answer that is not the service's own, and how much of the list is behind it.
struct StandIn<Item: SourceItem>: Sendable {
  let page: Page<Item>
  private let source: any DataSource<Item>
  /// What a walk over it comes to, and how many records it gives.
  private let extent: (verdict: Verdict, count: Int)

  /// What `source` has for a request, which is for the beginning of a list.
  init(_ source: any DataSource<Item>, _ request: PageRequest) async throws {
    await self.init(source, try await source.page(request), request)
  }

  /// The same where its first page is at hand.
  init(_ source: any DataSource<Item>, _ page: Page<Item>, _ request: PageRequest) async {
    (self.source, self.page) = (source, page)
    switch source {
    case is LastAnswers<Item> where request.query.isOfMany: extent = await Self.extent(of: source, behind: page, request)
    // What is stored says by itself what it is worth. It may be millions, and a walk over it would end the moment that it sees.
    default: extent = (page.standing ?? .complete, page.total ?? (page.next == .end ? page.received : .max))
    }
  }

  private static func extent(
    of source: any DataSource<Item>, behind page: Page<Item>, _ request: PageRequest
  ) async -> (verdict: Verdict, count: Int) {
    var walk = Walk(Begun(upstream: source, first: page), request.query, bounds: Bounds(limit: request.wanted))
    await Event.intercepting({ _ in true }) {
      do {
        while try await walk.nextPage() != nil {}
      } catch {
        // What could be read of it is worth what it is.
      }
    }
    return (walk.summary.verdict ?? .partial(.notStored), walk.summary.given)
  }

  /// Whether nothing of what is wanted is missing.
  func has(_ request: PageRequest) -> Bool {
    isComplete || extent.verdict == .unverifiable || extent.count >= request.wanted ?? .max
  }

  /// Whether it ends where it ends because it is all there is, or was: one that breaks off is less than what asking gives.
  var isWhole: Bool { extent.verdict != .partial(.notStored) }

  /// Whether it is the last answer to the query.
  var isAnswer: Bool { source is LastAnswers<Item> }

  private var isComplete: Bool { extent.verdict == .complete }

  /// Whether it takes the place of one that was found before it.
  func isBetter(than best: StandIn, for request: PageRequest) -> Bool {
    if isComplete, best.isComplete {
      return !(source is BundledRecords<Item>) && (page.origin.age ?? .zero) < best.page.origin.age ?? .zero
    }
    if isComplete || best.isComplete { return isComplete }
    return !best.has(request) && (has(request) || extent.count > best.extent.count)
  }
}

/// A source whose first page is at hand.
private struct Begun<Item: SourceItem>: Wrapper {
  let upstream: any DataSource<Item>
  let first: Page<Item>

  func page(_ request: PageRequest) async throws -> Page<Item> {
    request.cursor == nil ? first : try await upstream.page(request)
  }
}
