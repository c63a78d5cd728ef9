/// The stand-ins for a service: the last answer to the same query, the stored records of the list, and the bundled records.
///
/// Of complete ones the youngest answers. Otherwise the first that has as much as is wanted answers, or else the one that has most. The
/// bundled records come last: after the stored ones, or alone if no other stand-in has all that is wanted.
struct StandIns<Item: SourceItem>: DataSource {
  let answers: LastAnswers<Item>
  var stored: (any DataSource<Item>)?
  let bundled: BundledRecords<Item>?
  /// True when the source in front has a description that already names the cached answers.
  var isBehindCache = true

  var profile: Profile { answers.profile.holding(others) }
  var schema: Schema<Item> { answers.schema }
  var description: String {
    let all = (isBehindCache && !others.isEmpty ? [] : [answers]) + others
    return all.dropFirst().reduce("\(all[0])") { "\($0).fallback(to: \($1))" }
  }

  private var others: [any DataSource<Item>] {
    var others: [any DataSource<Item>] = []
    if let stored { others.append(stored) }
    if let bundled { others.append(bundled) }
    return others
  }

  func page(_ request: PageRequest) async throws -> Page<Item> {
    if let cursor = request.cursor {
      return try await (others.first { $0.profile.takes(cursor) } ?? answers).page(request)
    }
    var (best, troubles): (StandIn<Item>?, [SourceError]) = (nil, [])
    // The reason why another stand-in did not answer in place of the best.
    var reason: SourceError?
    // Once a person has edited records, a cached search may be wrong; the stored records have the edits.
    let isEdited = if request.query.text != nil { await answers.mayMissEdits } else { false }
    var order = others
    order.insert(answers, at: isEdited && stored != nil ? 1 : 0)
    for source in order {
      if isEdited, let best, best.has(request), source is LastAnswers<Item> { continue }
      // A record in full is mostly in its own cached answer alone.
      if best != nil, !request.query.isOfMany { break }
      // The stored records are followed by the bundled ones anyway.
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
    return copy(of: best.page) { $0.origin.reason = $0.origin.reason ?? reason }
  }
}

extension [SourceError] {
  /// The trouble with the store; nil if it can be read.
  fileprivate var ofStore: SourceError? { lazy.compactMap(\.storeTrouble).first }

  /// The reason why the others did not answer: the trouble with the store, or else the last error with the others that explain something.
  /// The advice about the store is left out, because it is told with the store's own event.
  fileprivate var reason: SourceError? { ofStore.map { copy(of: $0) { $0.remedy = nil } } ?? last.map { with($0) } }

  /// The error to throw. One about the owner of the list matters most, one that nothing is stored least.
  fileprivate var telling: SourceError? {
    (first { $0.kind == .settings } ?? ofStore ?? first(where: \.explains) ?? first).map { with($0) }
  }

  private func with(_ told: SourceError) -> SourceError {
    copy(of: told) { told in
      for other in self where other.explains && other.message != told.message && !told.others.contains(other) {
        told.others.append(other)
      }
    }
  }
}

/// The first page of a stand-in's answer, with the verdict and the size of the whole answer.
struct StandIn<Item: SourceItem>: Sendable {
  let page: Page<Item>
  private let source: any DataSource<Item>
  /// The verdict of a walk over the answer, and the number of records that it gives.
  private let extent: (verdict: Verdict, count: Int)

  /// Asks `source` for a page; the request must be for the beginning of a list.
  init(_ source: any DataSource<Item>, _ request: PageRequest) async throws {
    await self.init(source, try await source.page(request), request)
  }

  /// Takes a first page that is at hand.
  init(_ source: any DataSource<Item>, _ page: Page<Item>, _ request: PageRequest) async {
    (self.source, self.page) = (source, page)
    switch source {
    case is LastAnswers<Item> where request.query.isOfMany: extent = await Self.extent(of: source, behind: page, request)
    // Stored records tell their verdict by themselves. There may be millions of them, and a walk over them would close the snapshot that it
    // reads.
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
        // The pages that could be read still count.
      }
    }
    return (walk.summary.verdict ?? .partial(.notStored), walk.summary.given)
  }

  /// True when no record that is wanted is missing.
  func has(_ request: PageRequest) -> Bool {
    isComplete || extent.verdict == .unverifiable || extent.count >= request.wanted ?? .max
  }

  /// True when the answer was cached to its end. A shorter one has less than the service would give.
  var isWhole: Bool { extent.verdict != .partial(.notStored) }

  /// The number of records that it gives.
  var count: Int { extent.count }

  /// True for the last answer to the query.
  var isAnswer: Bool { source is LastAnswers<Item> }

  var isComplete: Bool { extent.verdict == .complete }

  /// True when this stand-in is to replace `best`, which was found before it.
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
