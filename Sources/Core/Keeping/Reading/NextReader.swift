/// Reads on in a source: it gives the next records not yet shown, the stored ones first, then those of the service. They are committed as
/// shown before it returns, so that two readers never get the same record.
public struct NextReader<Item: SourceItem>: Sendable {
  /// The number of pages in a row that may bring nothing new.
  public static var patience: Int { 5 }

  let source: (any DataSource<Item>)?
  package let archive: Archive<Item>
  let clock: any Timekeeper

  /// Makes a reader; without a source it reads on in the stored records alone. If the caller insists on the service, a list that had ended
  /// is asked for again.
  public init(
    _ source: (any DataSource<Item>)?, keeping archive: Archive<Item>, clock: any Timekeeper = SystemTime()
  ) { (self.source, self.archive, self.clock) = (source, archive, clock) }

  /// Returns the next `count` records with a summary. An error after the first record makes the summary partial; an earlier one is thrown.
  /// `prepare` runs each time before records are taken.
  public func next(
    _ count: Int, preparing prepare: () throws -> Void = {}
  ) async throws -> (items: [Item], summary: Summary) {
    try await begin()
    var run = NextRun(self)
    do {
      try await run.collect(count, preparing: prepare)
      return (run.items, try await run.conclusion)
    } catch {
      // They were taken but will not be shown.
      if !run.items.isEmpty { try await archive.giveBack(run.items) }
      throw error
    }
  }

  /// Fetches and stores one more page, whether or not anybody reads it. Returns its records and the rows that could not be read; both are
  /// empty if the list has ended.
  @discardableResult
  public func fetchOne() async throws -> (items: [Item], faults: [RowFault]) {
    try await begin()
    let position = try await archive.position()
    guard position.ended == nil else { return ([], []) }
    var run = NextRun(self)
    let arrival = try await run.fetch(at: position)
    return (arrival.items, arrival.faults)
  }

  /// Leaves behind what an earlier description of the list read, but only after the service has answered by the present description.
  private func begin() async throws {
    guard try await archive.isOutdated else {
      try await archive.readAnew()
      try await archive.tellUnknown(archive.unknownFields)
      return
    }
    guard let source else { return try await archive.check() }
    _ = try await source.page(PageRequest())
    try await archive.noteList()
  }
}

/// One run of a reader: the records that it has taken, and its result so far.
struct NextRun<Item: SourceItem> {
  private(set) var items: [Item] = []
  private var summary = Summary()
  /// The walk over the service's pages in this run, with the reading and the revision of the position at which it continues.
  private var latest: (walk: Walk<Item>, reading: Int, revision: Int)?
  /// The requests of this run's walks since they last got further.
  private var headway = Headway()
  /// The number of pages in a row of an endless list that have brought nothing new.
  private var pagesWithoutNews = 0
  private let reading: NextReader<Item>
  private var archive: Archive<Item> { reading.archive }

  init(_ reading: NextReader<Item>) { self.reading = reading }

  var conclusion: Summary {
    get async throws {
      var summary = summary
      summary.given = items.count
      if summary.origin == nil {
        let newest = try await archive.snapshot().census(of: archive.kind).newest
        summary.origin = .cache(age: newest.map { reading.clock.now - $0 } ?? .zero)
      }
      return summary
    }
  }

  /// Fetches until enough is stored, and takes it only then: taken records count as shown, and a service may take long to answer.
  mutating func collect(_ count: Int, preparing prepare: () throws -> Void) async throws {
    while true {
      var end: Verdict?
      var trouble: SourceError?
      do {
        end = try await gather(count - items.count)
      } catch let error as SourceError where error.kind != .storage {
        trouble = error
      }
      let (taken, faults, edited, misfits) = try await archive.takeMarked(count - items.count, preparing: prepare)
      items += taken
      summary.edited.merge(edited) { $1 }
      if !misfits.isEmpty { for item in taken { summary.misfits.add(misfits[item.id] ?? [], of: item) } }
      summary.skipped += faults.count
      faults.tell(source: archive.kind.name)
      if items.count >= count { return summary.verdict = .bounded }
      if let trouble {
        guard !items.isEmpty else { throw trouble }
        return summary.verdict = .partial(Shortfall(trouble, isLate: reading.clock.isPast(Deadline.current)))
      }
      if let end { return summary.verdict = end }
      // Another reader was quicker, and more can be fetched.
    }
  }

  /// Fetches until `count` records wait to be shown. Returns the verdict if no more will come, nil otherwise.
  private mutating func gather(_ count: Int) async throws -> Verdict? {
    while true {
      var position = try await archive.position()
      if try await archive.waiting(upTo: count) >= count { return nil }
      if OriginDemand.isForService, summary.pages == 0, position.ended != nil { position = position.reopened() }
      if let verdict = summary.verdict ?? position.ended { return verdict }
      guard pagesWithoutNews < NextReader<Item>.patience else { return .partial(.loop) }
      try await fetch(at: position)
    }
  }

  /// Fetches the page at `position` and stores it. If the list did not end well, the next run asks for that page again.
  @discardableResult
  mutating func fetch(at place: Position) async throws -> Ledger<Item>.Arrival {
    var position = place
    guard let source = reading.source else {
      throw SourceError(
        .notStored, try await archive.isEmpty ? "nothing is stored yet" : "you have seen everything that is stored")
    }
    var walk = walk(over: source, at: position)
    let cursorBefore = walk.cursor
    var (before, rowsBefore) = (walk.summary, walk.ledger.evidence.rows)
    var arrived: Ledger<Item>.Arrival?
    do { arrived = try await walk.nextArrival() } catch let error as SourceError {
      if walk.cursor != cursorBefore { await keep(walk, at: position) }
      guard latest == nil, source.profile.hasStandIn, error.unseats, let left = place.cursor?.maker else {
        throw error
      }
      position = place.reopened()
      walk = self.walk(over: source, at: position)
      (before, rowsBefore) = (walk.summary, walk.ledger.evidence.rows)
      do {
        arrived = try await walk.nextArrival()
        try arrived?.page.checkIsNot(by: left, in: archive.kind)
      } catch is SourceError {
        // No other source answers either, so the place stays.
        throw error
      }
    }
    guard let arrival = arrived else { throw SourceError(.malformed, "the list ended without a page") }
    let isEndless = arrival.page.maker.paging.end == .never
    guard !isEndless || !arrival.isEmpty else { throw SourceError(.malformed, "the endless list returned an empty page") }
    let fetch = Fetch(at: reading.clock.now, arrival.page, place: position.cursor?.place ?? arrival.page.maker.paging.start)
    let gained = (walk.ledger.evidence.rows ?? 0) - (rowsBefore ?? 0)
    headway = walk.ledger.headway
    let advance = position.step(gaining: gained, over: arrival, by: walk, endless: isEndless)
    let landed = try await archive.land(arrival.items, misfits: arrival.page.misfits, from: fetch, advancing: advance)
    summary.pages += 1
    // Another process has landed this page meanwhile, so the counts of this run would be wrong.
    guard !landed.isOvertaken else {
      (latest, pagesWithoutNews) = (nil, 0)
      return arrival
    }
    latest = isEndless || walk.summary.verdict != nil ? nil : (walk, position.reading, position.revision.adding(1))
    let hasNews = landed.new + landed.updated + landed.returned + landed.readAnew > 0
    pagesWithoutNews = isEndless && !hasNews ? pagesWithoutNews + 1 : 0
    summary.origin = arrival.page.origin
    summary.total = walk.announced ?? summary.total
    summary.skipped += arrival.faults.count
    // A record that was stored before may be new to this reading, so the walk counts the repeats. An endless list is read only once, and
    // all that is stored of it came by that reading.
    summary.duplicates += isEndless ? landed.duplicates : walk.summary.duplicates - before.duplicates
    if !isEndless || walk.cursor == nil { summary.verdict = walk.summary.verdict }
    summary.change = walk.summary.change
    return arrival
  }

  /// Stores what a page showed that was only looked at. The next run would otherwise ask for it again, and so would each run after that. The
  /// error that stopped the walk is told, even if the store fails here too.
  private func keep(_ walk: Walk<Item>, at position: Position) async {
    guard let step = position.step(lookingBy: walk) else { return }
    let archive = archive
    // The time of this run may be up.
    try? await Deadline.disregarded(grace: .seconds(1)) { try await archive.make(step) }
  }

  /// Returns the walk over the service's pages as it is at `position`.
  private func walk(over source: any DataSource<Item>, at position: Position) -> Walk<Item> {
    if let latest, latest.revision == position.revision, latest.reading == position.reading { return latest.walk }
    var walk = Walk(
      source, bounds: Bounds(deadline: Deadline.current), from: position.cursor, rowsBefore: position.rowsBefore,
      seen: IDsOfReading(archive: archive, reading: position.reading), clock: reading.clock)
    walk.stopAtFailingPages()
    if let passed = position.passed { walk.ledger.fingerprints.insert(passed) }
    // An endless list ends by the reader's own patience.
    if position.cursor != nil, pagesWithoutNews == 0 { walk.ledger.headway = headway }
    return walk
  }
}

extension Position {
  /// Returns the step over a page, by the rules of a walk. The position stays if the list did not end as it should.
  fileprivate func step<Item>(
    gaining count: Int, over page: Ledger<Item>.Arrival, by walk: Walk<Item>, endless isEndless: Bool
  ) -> Advance {
    let summary = walk.summary
    if let cursor = walk.cursor, isEndless || summary.verdict == nil {
      return advance(to: cursor, passing: count, page: isEndless ? nil : page.fingerprint)
    }
    guard let verdict = summary.verdict, verdict == .complete || verdict == .unverifiable || walk.ledger.isLost else {
      return stay()
    }
    return end(verdict)
  }

  /// Returns the step over pages that were not taken, by which no row came; nil for a walk that began to read the list once more. Another run
  /// does not know all rows, so it has to come to the list's end itself.
  fileprivate func step(lookingBy walk: Walk<some SourceItem>) -> Advance? {
    guard let cursor = walk.cursor, !walk.ledger.readsAgain else { return nil }
    return advance(to: cursor, passing: 0, page: passed)
  }
}
