/// One run of a reading: what it has taken, and what came of it so far.
struct ReadingRun<Item: Record> {
  private(set) var items: [Item] = []
  private var summary = Summary()
  /// The pages that this run has met.
  private var passed: Set<UInt64> = []
  /// How many pages in a row of a list without an end have brought nothing new.
  private var barren = 0
  private let reading: ReadingOn<Item>
  private let deadline: Moment?
  private var archive: Archive<Item> { reading.archive }

  init(_ reading: ReadingOn<Item>, until deadline: Moment?) {
    self.reading = reading
    self.deadline = deadline
  }

  /// The summary of a run that is over.
  var conclusion: Summary {
    get async throws {
      var summary = summary
      summary.given = items.count
      if summary.origin == nil { summary.origin = .cache(age: try await archive.age(at: reading.clock.now)) }
      return summary
    }
  }

  /// Fetches until enough is kept, and takes it then: what is taken counts as shown, and a service may keep one waiting for long.
  mutating func collect(_ count: Int) async throws {
    while true {
      var end: Verdict?
      var trouble: SourceError?
      do {
        end = try await gather(count - items.count)
      } catch let error as SourceError where error.kind != .storage {
        trouble = error
      }
      try await take(count - items.count)
      if items.count >= count { return summary.verdict = .bounded }
      if let trouble {
        guard !items.isEmpty else { throw trouble }
        return summary.verdict = .partial(Shortfall(trouble, isLate: deadline.map { $0 <= reading.clock.now } ?? false))
      }
      if let end { return summary.verdict = end }
      // Another reader was quicker, and there is more to fetch.
    }
  }

  /// Fetches until `count` records wait to be shown; the verdict where no more will come.
  private mutating func gather(_ count: Int) async throws -> Verdict? {
    while true {
      var position = try await archive.position()
      if position.waiting >= count { return nil }
      if reading.isInsistent, summary.pages == 0, position.ended != nil { position = position.reopened() }
      if let verdict = summary.verdict ?? position.ended { return verdict }
      guard barren < ReadingOn<Item>.patience else { return .partial(.loop) }
      _ = try await fetch(at: position)
    }
  }

  private mutating func take(_ count: Int) async throws {
    let (taken, faults) = try await archive.take(count)
    items += taken
    summary.skipped += faults.count
    for fault in faults { Event.emit(.rowSkipped(source: archive.kind.name, fault)) }
  }

  /// Asks for the page behind `position` and keeps it. A verdict that the list did not end well is left in the summary and nowhere else:
  /// the next run asks for that page again.
  mutating func fetch(at position: Position) async throws -> Landed {
    let page = try await page(at: position)
    let paging = page.maker.paging
    let isEndless = paging.end == .never
    // Of a list without an end a page may come again, and is passed over.
    var ledger = archive.ledger(from: position, passed: isEndless ? [] : passed)
    _ = try ledger.admit(page)
    let fetch = Fetch(
      at: reading.clock.now, question: page.question ?? page.maker.name, place: (position.cursor?.place ?? paging.start).text)
    let landed = try await archive.land(page.items, from: fetch, advancing: position.step(over: page, by: ledger))
    summary.pages += 1
    // Somebody else has landed it meanwhile, and what its records looked like here says nothing.
    guard !landed.isOvertaken else {
      barren = 0
      return landed
    }
    barren = isEndless && landed.new == 0 ? barren + 1 : 0
    passed.formUnion(ledger.fingerprints)
    summary.origin = page.origin
    summary.total = page.total
    summary.skipped += page.faults.count
    summary.duplicates += landed.duplicates
    if !isEndless || ledger.cursor == nil { summary.verdict = ledger.summary.verdict }
    return landed
  }

  private func page(at position: Position) async throws -> Page<Item> {
    guard let source = reading.source else {
      throw SourceError(.notKept, try await archive.isEmpty ? "nothing is kept yet" : "everything that is kept was shown")
    }
    let page = try await source.page(PageRequest(.everything, at: position.cursor, deadline: deadline))
    guard page.maker.paging.end != .never || page.received > 0 else {
      throw SourceError(.malformed, "a list without an end gave an empty page")
    }
    for fault in page.faults { Event.emit(.rowSkipped(source: page.maker.name, fault)) }
    Event.emit(.pageLanded(source: page.maker.name, rows: page.received, total: page.total, origin: page.origin.kind))
    return page
  }
}

extension Position {
  /// Where the list goes on behind a page, by the rules of a walk; it stays where the list did not end as it should.
  fileprivate func step<Item>(over page: Page<Item>, by ledger: Ledger<Item>) -> Advance {
    let isEndless = page.maker.paging.end == .never
    let summary = ledger.summary
    if let cursor = ledger.cursor, isEndless || summary.verdict == nil {
      return advance(to: cursor, passing: summary.given + summary.skipped, page: isEndless ? nil : Ledger.fingerprint(of: page))
    }
    guard let verdict = summary.verdict, verdict == .complete || verdict == .unverifiable else { return stay() }
    return end(verdict)
  }
}
