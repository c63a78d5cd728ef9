/// The first page of a stand-in's answer, with the verdict and the size of the whole answer.
struct StandInAnswer<Item: SourceItem>: Sendable {
  let page: Page<Item>
  private let source: any DataSource<Item>
  /// The verdict of a walk over the answer, and the number of records that it gives.
  private let extent: (verdict: Verdict, count: Int)

  /// Takes the first page of `source`; the request must be for the beginning of a list.
  init(_ source: any DataSource<Item>, _ page: Page<Item>, _ request: PageRequest) async {
    (self.source, self.page) = (source, page)
    switch source {
    case is LastAnswers<Item> where request.query.isOfMany: extent = await Self.extent(of: source, after: page, request)
    // Stored records tell their verdict by themselves. There may be millions, and a walk over them would close the snapshot that it reads.
    default: extent = (page.standing ?? .complete, page.total ?? (page.next == .end ? page.received : .max))
    }
  }

  private static func extent(
    of source: any DataSource<Item>, after page: Page<Item>, _ request: PageRequest
  ) async -> (verdict: Verdict, count: Int) {
    var walk = Walk(Begun(upstream: source, first: page), request.query, bounds: Bounds(limit: request.wanted))
    // After an error the pages that could be read still count.
    await Event.intercepting({ _ in true }) { while (try? await walk.nextPage()) != nil {} }
    return (walk.summary.verdict ?? .partial(.notStored), walk.summary.given)
  }

  /// Returns this answer with its verdict to the end, if only the records that are wanted were read.
  func toItsEnd(_ request: PageRequest) async -> StandInAnswer {
    guard extent.verdict == .bounded else { return self }
    return await StandInAnswer(source, page, PageRequest(request.query))
  }

  /// True when no record that is wanted is missing.
  func has(_ request: PageRequest) -> Bool {
    isComplete || extent.verdict == .unverifiable || extent.count >= request.wanted ?? .max
  }

  /// True when the answer was cached to its end. A shorter one has less than the service would give.
  var isWhole: Bool { extent.verdict != .partial(.notStored) }

  var count: Int { extent.count }

  /// True for the last answer to the query.
  var isAnswer: Bool { source is LastAnswers<Item> }

  var isComplete: Bool { extent.verdict == .complete }

  /// True when this stand-in is to replace `best`, which was found before it.
  func isBetter(than best: StandInAnswer, for request: PageRequest) -> Bool {
    // Stored records that were whole after the answer had come have all that it has, and perhaps imported ones.
    if best.isAnswer, page.origin.isWhole(since: best.page.origin) { return true }
    if isAnswer, best.page.origin.isWhole(since: page.origin) { return false }
    if isComplete, best.isComplete {
      return !(source is BundledRecords<Item>) && page.origin.isYounger(than: best.page.origin)
    }
    // A cached answer shows no row with an older value than the one that is stored.
    let isYoungerList = best.isAnswer && page.origin.isOfList && page.origin.isYounger(than: best.page.origin)
    if isYoungerList, let wanted = request.wanted, extent.count >= wanted, !best.isComplete || !page.origin.isPart {
      return true
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

extension Page {
  /// Returns the cached page of a record as it is now: as `stored` has it, if that list is younger and has another value in one of the
  /// fields, or is whole and lacks the record. Only the cached record is in full.
  func corrected(by stored: Page, _ schema: Schema<Item>) -> Page {
    let isList = (stored.standing == .complete || stored.standing == .unverifiable) && stored.origin.isYounger(than: origin)
    guard isList || stored.origin.isWhole(since: origin) else { return self }
    guard let record = items.first, let other = stored.items.first else { return stored.standing == .complete ? stored : self }
    let (mine, theirs) = (schema.value(of: record), schema.value(of: other))
    let isInFull = schema.outline.contains { $0.isDetail || theirs[$0.name] == .null && mine[$0.name] != .null }
    let isSame = schema.outline.allSatisfy {
      $0.isDetail || theirs[$0.name] == .null || mine[$0.name] == theirs[$0.name]
    }
    return isInFull && isSame ? self : stored
  }
}
