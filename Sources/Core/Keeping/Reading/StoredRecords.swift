import Synchronization

/// Stored records as a source. A walk over them sees what was stored when it began, and claims no more than the sync that stored them.
public final class StoredRecords<Item: SourceItem>: DataSource {
  let archive: Archive<Item>
  let isEndless: Bool
  let clock: any Timekeeper
  let snapshots = Snapshots()

  init(archive: Archive<Item>, isEndless: Bool, clock: any Timekeeper) {
    (self.archive, self.isEndless, self.clock) = (archive, isEndless, clock)
  }

  /// The profile: the store's index searches the records, and they are looked up by id.
  public var profile: Profile {
    Profile("\(kind.name).stored", paging: .tokens(size: 500), search: .native, lookup: .native)
  }
  public var schema: Schema<Item> { archive.schema }
  private var kind: RecordKind { archive.kind }

  public func page(_ request: PageRequest) async throws -> Page<Item> { try await page(request, beside: []) }

  /// Returns a page; in an ordered one `others`, which are not stored, are sorted in among them.
  func page(_ request: PageRequest, beside others: [Item]) async throws -> Page<Item> {
    let place = try request.place(in: self)
    let mark = place.token.flatMap(SnapshotAnchor.init)
    if mark == nil { try await archive.readAnewIfWritable() }
    let open = if let mark { try snapshots.snapshot(mark.snapshot) } else { snapshots.add(try await archive.shown()) }
    let query = request.searching.query
    let sorting = query.isOfMany ? request.sorting : nil
    let found: FoundRecords
    if let sorting {
      found = try await rows(query, by: sorting, in: open, from: mark?.spot, count: place.size, beside: others)
    } else {
      found = try await rows(query, in: open, from: mark?.spot, count: place.size)
    }
    if found.next == nil { snapshots.forget(open.number) }
    var page = try await page(of: found, answering: query, in: open)
    page.stored.isSorted = sorting != nil
    try page.checkIsUnderstood(request)
    return page
  }

  /// Returns the page of these records, with all that is known of them: the last sync's verdict, its time, and the edits.
  private func page(of found: FoundRecords, answering query: Query, in open: Snapshots.OpenSnapshot) async throws -> Page<Item>
  {
    let (sync, census) = (try await open.records.answeringSync(of: kind), try await open.records.listCensus(of: kind))
    var page = Page(
      of: self, found.items, faults: found.faults, total: query == .everything ? census.count : nil,
      next: .token(ifAny: found.next.map { SnapshotAnchor(snapshot: open.number, spot: $0).text }),
      origin: .cache(age: clock.now - (ListStatus.moment(of: sync, census) ?? clock.now)))
    let ended = try await sync == nil && !isEndless ? open.records.position(of: kind).ended : nil
    // As soon as any record of an endless list came from the service, the list does not count as imported.
    page.origin.isImported = sync == nil && census.hasImports && !(isEndless && census.hasOthers)
    // No sync can prove that an unverifiable list is whole, and another one would fetch nothing more.
    let isAtEnd = ended != nil || sync?.isWhole == true || sync?.verdict == .unverifiable
    (page.origin.isOfList, page.origin.maker) = (true, sync?.maker)
    page.origin.wholeAge =
      open.shown.isOutdated ? nil : try await wholeAge(after: sync, census, of: found, answering: query, in: open)
    page.origin.isPart = !isEndless && !page.origin.isImported && !isAtEnd
    page.misfits = found.misfits
    (page.stored.unknown, page.stored.hasEdits) = (open.shown.unknown, true)
    if !open.shown.edited.isEmpty {
      for item in page.items { page.stored.edited[item.id] = open.shown.edited[item.id] }
    }
    page.searched = query.text == nil ? nil : census.count
    page.standing =
      open.shown.isOutdated
      ? .partial(.anotherList)
      : isEndless
        ? .unverifiable : ListStatus.verdict(after: sync, ended, census, lackingValues: !open.shown.unknown.isEmpty)
    if query.isOfMany, let sync { page.stored.unread = sync.counts.skipped }
    page.stored.change = open.shown.isOutdated || isEndless ? nil : sync?.change
    page.stored.counted = page.total == nil ? nil : page.standing
    return page
  }

  /// Returns the age at which everything that an answer before it had was stored, as it was then or later. Nil if that is not known.
  private func wholeAge(
    after sync: SyncState?, _ census: Census, of found: FoundRecords, answering query: Query, in open: Snapshots.OpenSnapshot
  ) async throws -> Duration? {
    guard let sync, sync.isWhole else { return nil }
    if sync.verdict == .complete { return sync.wholeAt.map { clock.now - $0 } }
    // A sync that did not end has brought some records, and no cached answer shows an older value of these.
    guard sync.ended == nil else { return nil }
    guard case .record = query, let id = found.items.first?.id else { return census.newest.map { clock.now - $0 } }
    let trace = try await open.records.traces(of: kind, .id(id), after: 0, count: 1).rows.first
    return trace?.fetch.map { clock.now - $0.at }
  }

  /// Returns the cursor after a record, for a walk over the records stored now; nil if the record is not stored.
  public func cursor(after id: String) async throws -> Cursor? {
    let shown = try await archive.shown()
    guard let row = try await shown.records.rows(of: kind, .id(id), after: 0, count: 1).rows.first?.row else { return nil }
    let anchor = SnapshotAnchor(snapshot: snapshots.add(shown).number, spot: .row(row))
    return Cursor(maker: profile.name, place: .token(anchor.text))
  }

  /// The best verdict for a walk over the records stored now.
  var standing: Verdict {
    get async throws {
      let snapshot = try await archive.answering()
      return ListStatus.verdict(
        after: try await snapshot.answeringSync(of: kind), try await snapshot.position(of: kind).ended,
        try await snapshot.listCensus(of: kind), lackingValues: try await !archive.unknownFields.isEmpty)
    }
  }

  private struct FoundRecords {
    var items: [Item] = []
    var faults: [RowFault] = []
    var misfits: [String: [Misfit]] = [:]
    var next: SnapshotAnchor.Spot?
  }

  private func rows(
    _ query: Query, in open: Snapshots.OpenSnapshot, from spot: SnapshotAnchor.Spot?, count: Int
  ) async throws -> FoundRecords {
    let snapshot = open.records
    var start: Int64 = 0
    if case .row(let row) = spot { start = row }
    switch query {
    case .everything, .changed, .following, .latest:
      return try read(await snapshot.rows(of: kind, .everything, after: start, count: count))
    case .matching(let text):
      let matcher = Matcher(text, in: schema)
      switch spot {
      case nil where !matcher.isEmpty:
        let ranked = try await ranked(text, by: matcher, in: snapshot)
        open.ranked.withLock { $0 = ranked }
        return try await page(of: ranked, in: snapshot, from: 0, count: count)
      case .ranked(let start):
        guard let ranked = open.ranked.withLock({ $0 }) else {
          throw SourceError(.notStored, "this search was ended", remedy: "start it again")
        }
        return try await page(of: ranked, in: snapshot, from: start, count: count)
      default: return try await matching(text, in: snapshot, from: start, count: count, where: matcher.matches)
      }
    case .record(let name):
      let found = try read(await snapshot.rows(of: kind, .id(schema.identity(name)), after: 0, count: 1))
      guard found.items.isEmpty else { return found }
      // The other names to which a record answers are mostly among its values; so the index is asked.
      let named = try await matching(name, in: snapshot, from: 0, count: .max) { schema.answers($0, to: name) }
      let meant = Namesakes.choose(among: named.items, called: name, by: schema, of: kind.name)
      return FoundRecords(items: meant.map { [$0] } ?? [], misfits: named.misfits)
    }
  }

  /// Returns the rows in the order of `sorting`, with `others`, which are not stored, sorted in among them.
  private func rows(
    _ query: Query, by sorting: Sorting, in open: Snapshots.OpenSnapshot, from spot: SnapshotAnchor.Spot?, count: Int,
    beside others: [Item]
  ) async throws -> FoundRecords {
    let matcher = query.text.map { Matcher($0, in: schema) }
    var asked = StoredQuery.everything
    // The index lacks names in other languages.
    if let text = query.text, matcher?.sight.knowsOtherNames == false { asked = .maybeMatching(text) }
    let source = SortedRows.Source(snapshot: open.records, kind: kind, query: asked) { [schema] row in
      try matcher?.matches(schema.read(row)) ?? true
    }
    var start = 0
    if case .sorted(let count) = spot { start = count }
    var rows: SortedRows
    if let known = open.sorted.withLock({ $0 }) {
      rows = known
    } else {
      rows = try await SortedRows(sorting, of: source, beside: others.map { schema.body(of: $0) })
    }
    let found = try await rows.page(sorting, of: source, from: start, count: count)
    open.sorted.withLock { [rows] in $0 = rows }
    return copy(of: try read(StoredRows(rows: found.rows, next: nil))) { $0.next = found.next.map { .sorted($0) } }
  }

  /// Returns the first matches, best first, as many as are ranked.
  private func ranked(_ text: String, by matcher: Matcher<Item>, in snapshot: any RecordSnapshot) async throws -> RankedRows {
    // Fields for searching alone may be computed from the record, so that its stored body lacks them.
    guard schema.searchOnly.isEmpty, schema.translations == nil else {
      // The index lacks names in other languages; a list that has such names is short.
      let query = matcher.sight.knowsOtherNames ? StoredQuery.everything : .maybeMatching(text)
      return try await RankedRows(query, of: kind, in: snapshot) { row in try matcher.rank(schema.read(JSON(Array(row.body)))) }
    }
    var sight = matcher.sight
    return try await RankedRows(.maybeMatching(text), of: kind, in: snapshot) { row in
      guard let id = row.id else { return try matcher.rank(schema.read(JSON(Array(row.body)))) }
      return try sight.rank(body: row.body, id: id)
    }
  }

  private func page(
    of ranked: RankedRows, in snapshot: any RecordSnapshot, from start: Int, count: Int
  ) async throws -> FoundRecords {
    let end = min(ranked.count, start.adding(count))
    let rows = try await ranked.records(min(start, end)..<end, of: kind, in: snapshot)
    var found = try read(StoredRows(rows: rows, next: nil))
    if start == 0 { found.faults = ranked.faults + found.faults }
    found.next = end < ranked.count ? .ranked(end) : ranked.next.map { .row($0) }
    return found
  }

  /// Reads matches of the index, in the order of the rows, until `count` of them pass `keeps`.
  private func matching(
    _ text: String, in snapshot: any RecordSnapshot, from start: Int64, count: Int, where keeps: (Item) -> Bool
  ) async throws -> FoundRecords {
    var found = FoundRecords(next: .row(start))
    while case .row(let after) = found.next, found.items.count < count {
      let rows = try await snapshot.rows(of: kind, .maybeMatching(text), after: after, count: min(count, 500))
      let more = try read(rows, where: keeps)
      found.items += more.items
      found.faults += more.faults
      found.misfits.merge(more.misfits) { $1 }
      found.next = more.next
    }
    return found
  }

  private func read(_ stored: StoredRows, where keeps: (Item) -> Bool = { _ in true }) throws -> FoundRecords {
    let (items, faults, misfits) = try stored.read(by: schema, where: keeps)
    return FoundRecords(items: items, faults: faults, misfits: misfits, next: stored.next.map { .row($0) })
  }
}

extension StoredRow {
  static func fault(_ error: SourceError, in row: Int64) -> RowFault {
    RowFault("row \(row): \(error.message)", digest: UInt64(bitPattern: row))
  }
}

extension StoredRows {
  /// Returns the rows without the values of the fields with these names.
  func leavingOut(_ names: Set<String>) -> StoredRows {
    if names.isEmpty { return self }
    let rows = rows.map { row in
      let members = (try? JSON(row.body))?.value.members?.filter { !names.contains($0.name) }
      return members.map { StoredRow(row: row.row, body: Value.object($0).bytes, id: row.id) } ?? row
    }
    return StoredRows(rows: rows, next: next)
  }

  /// Returns the records in the rows that pass `keeps`; one that can no longer be read is a fault.
  package func read<Item>(
    by schema: Schema<Item>, where keeps: (Item) -> Bool = { _ in true }
  ) throws -> (items: [Item], faults: [RowFault], misfits: [String: [Misfit]]) {
    var items: [Item] = []
    items.reserveCapacity(rows.count)
    var (faults, misfits): ([RowFault], [String: [Misfit]]) = ([], [:])
    for row in rows {
      do {
        let (item, unfit) = try schema.readWithMisfits(JSON(row.body))
        guard keeps(item) else { continue }
        if !unfit.isEmpty { misfits[item.id] = unfit }
        items.append(item)
      } catch let error as SourceError where error.isOfContent {
        faults.append(StoredRow.fault(error, in: row.row))
      }
    }
    return (items, faults, misfits)
  }
}
