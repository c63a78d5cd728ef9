/// Reads on in a source: the next records that nobody was shown, the kept ones first, then those of the service.
///
/// What it gives is committed as shown before it returns, so two readers never get the same record. Of a list without an end, pages
/// that bring nothing new are passed over, a bounded number of times.
public struct ReadingOn<Item: Record>: Sendable {
  /// How many pages in a row may bring nothing new.
  public static var patience: Int { 5 }

  private let source: (any DataSource<Item>)?
  private let archive: Archive<Item>
  private let clock: any Timekeeper
  private let isInsistent: Bool

  /// An `insistent` reader asks again where the list had ended.
  public init(
    _ source: some DataSource<Item>, keeping archive: Archive<Item>, insistent isInsistent: Bool = false,
    clock: any Timekeeper = SystemTime()
  ) {
    self.source = source
    self.archive = archive
    self.isInsistent = isInsistent
    self.clock = clock
  }

  /// Reads on in what is kept, and asks nobody for more.
  public init(inKept archive: Archive<Item>, clock: any Timekeeper = SystemTime()) {
    self.source = nil
    self.archive = archive
    self.isInsistent = false
    self.clock = clock
  }

  /// The next `count` records, and what came of asking for them.
  ///
  /// An error before the first record is thrown; one after it makes the summary partial.
  public func next(_ count: Int, deadline: Moment? = nil) async throws -> (items: [Item], summary: Summary) {
    var summary = Summary()
    var items: [Item] = []
    do {
      do {
        try await collect(count, deadline, &items, &summary)
      } catch let error as SourceError where !items.isEmpty && error.kind != .storage {
        summary.verdict = .partial(Shortfall(error, isLate: deadline.map { $0 <= clock.now } ?? false))
      }
      if summary.origin == nil { summary.origin = .cache(age: try await archive.age(at: clock.now)) }
    } catch {
      // They were taken, and nobody will see them.
      if !items.isEmpty { try await archive.giveBack(items) }
      throw error
    }
    summary.given = items.count
    return (items, summary)
  }

  /// Asks for one more page and keeps it, whether or not anybody reads it; returned is how many records were new.
  public func fetchOne(deadline: Moment? = nil) async throws -> Int {
    var summary = Summary()
    let position = try await archive.position()
    guard position.ended == nil else { return 0 }
    var passed: Set<UInt64> = []
    return try await fetch(at: position, deadline: deadline, &summary, &passed).landed.new
  }

  /// Fetches until enough is kept, and takes it then: what is taken counts as shown, and a service may keep one waiting for long.
  private func collect(_ count: Int, _ deadline: Moment?, _ items: inout [Item], _ summary: inout Summary) async throws {
    while true {
      let end: Verdict?
      do {
        end = try await gather(count - items.count, deadline, &summary)
      } catch let error as SourceError where error.kind != .storage {
        try await take(count, &items, &summary)
        if items.count >= count { return summary.verdict = .bounded }
        throw error
      }
      try await take(count, &items, &summary)
      // Another reader may have been quicker; then there is more to fetch.
      if items.count >= count { return summary.verdict = .bounded }
      if let end { return summary.verdict = end }
    }
  }

  /// Fetches until `count` records wait to be shown; the verdict where no more will come.
  private func gather(_ count: Int, _ deadline: Moment?, _ summary: inout Summary) async throws -> Verdict? {
    var barren = 0
    var passed: Set<UInt64> = []
    while true {
      var position = try await archive.position()
      if position.waiting >= count { return nil }
      if isInsistent, summary.pages == 0, position.ended != nil { position = position.reopened() }
      if let verdict = summary.verdict ?? position.ended { return verdict }
      guard barren < Self.patience else { return .partial(.loop) }
      let (landed, isEndless) = try await fetch(at: position, deadline: deadline, &summary, &passed)
      barren = isEndless && landed.new == 0 && !landed.isOvertaken ? barren + 1 : 0
    }
  }

  private func take(_ count: Int, _ items: inout [Item], _ summary: inout Summary) async throws {
    let (taken, faults) = try await archive.take(count - items.count)
    items += taken
    summary.skipped += faults.count
    for fault in faults { Event.emit(.rowSkipped(source: archive.kind.name, fault)) }
  }

  /// Asks for the page behind `position` and keeps it. A verdict that the list did not end well is left in the summary and nowhere else:
  /// the next run asks for that page again.
  private func fetch(
    at position: Position, deadline: Moment?, _ summary: inout Summary, _ passed: inout Set<UInt64>
  ) async throws -> (landed: Landed, isEndless: Bool) {
    guard let source else {
      throw SourceError(.notKept, try await archive.isEmpty ? "nothing is kept yet" : "everything that is kept was shown")
    }
    let page = try await source.page(PageRequest(.everything, at: position.cursor, deadline: deadline))
    let paging = page.maker.paging
    guard paging.end != .never || page.received > 0 else {
      throw SourceError(.malformed, "a list without an end gave an empty page")
    }
    for fault in page.faults { Event.emit(.rowSkipped(source: page.maker.name, fault)) }
    Event.emit(.pageLanded(source: page.maker.name, rows: page.received, total: page.total, origin: page.origin.kind))

    let isEndless = paging.end == .never
    // Of a list without an end a page may come again, and is passed over.
    var ledger = archive.ledger(from: position, passed: isEndless ? [] : passed)
    _ = try ledger.admit(page)
    let fetch = Fetch(at: clock.now, question: page.question ?? page.maker.name, place: (position.cursor?.place ?? paging.start).text)
    let landed = try await archive.land(page.items, from: fetch, advancing: step(from: position, by: ledger, page, endless: isEndless))
    summary.pages += 1
    // Somebody else has landed it meanwhile, and what its records looked like here says nothing.
    guard !landed.isOvertaken else { return (landed, isEndless) }
    passed.formUnion(ledger.fingerprints)
    summary.origin = page.origin
    summary.total = page.total
    summary.skipped += page.faults.count
    summary.duplicates += landed.duplicates
    if !isEndless || ledger.cursor == nil { summary.verdict = ledger.summary.verdict }
    return (landed, isEndless)
  }

  /// Where the list goes on by the rules of a walk; it stays where the list did not end as it should.
  private func step(from position: Position, by ledger: Ledger<Item>, _ page: Page<Item>, endless isEndless: Bool) -> Advance {
    let summary = ledger.summary
    if let cursor = ledger.cursor, isEndless || summary.verdict == nil {
      return position.advance(to: cursor, passing: summary.given + summary.skipped, page: isEndless ? nil : Ledger.fingerprint(of: page))
    }
    switch summary.verdict {
    case .complete, .unverifiable: return summary.verdict.map(position.end) ?? position.stay()
    case .partial, .bounded, nil: return position.stay()
    }
  }
}
