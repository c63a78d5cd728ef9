import Synchronization

/// Records that were stored: paged, searched and looked up without asking anyone.
///
/// A walk over them sees what was kept when it began, and claims no more than the sync that stored them: its verdict is the best
/// that this walk can come to. Where none ever ran, it is partial; of an endless list it is unverifiable.
public struct StoredRecords<Item: SourceItem>: DataSource {
  public let profile: Profile
  public let schema: Schema<Item>
  private let kind: RecordKind
  private let keeper: any RecordKeeper
  private let isEndless: Bool
  private let clock: any Timekeeper
  private let snapshots = Snapshots()

  init(kind: RecordKind, schema: Schema<Item>, keeper: any RecordKeeper, isEndless: Bool, clock: any Timekeeper) {
    self.kind = kind
    self.schema = schema
    self.keeper = keeper
    self.isEndless = isEndless
    self.clock = clock
    profile = Profile("\(kind.name).stored", paging: .tokens(size: 500), search: .native, lookup: .native)
  }

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    let place = try request.place(in: self)
    let mark = place.token.flatMap(SnapshotAnchor.init)
    let (number, snapshot) = try await snapshots.snapshot(mark?.snapshot, in: keeper)
    let sync = try await snapshot.sync(of: kind)
    let census = try await snapshot.census(of: kind)
    let found = try await rows(request.query, in: snapshot, from: mark?.row ?? 0, count: place.size)
    if found.next == nil { snapshots.forget(number) }
    var page = Page(
      of: self, found.items, faults: found.faults, total: request.query == .everything ? census.count : nil,
      next: .token(ifAny: found.next.map { SnapshotAnchor(snapshot: number, row: $0).text }),
      origin: .cache(age: max(.zero, clock.now - (sync?.ended ?? census.newest ?? clock.now))))
    page.searched = request.query.text == nil ? nil : census.count
    page.standing = isEndless ? .unverifiable : standing(after: sync, census)
    return page
  }

  /// What a walk over the records may claim. Whether what came in a file belongs to the list, only who brought it knows.
  private func standing(after sync: SyncState?, _ census: Census) -> Verdict {
    guard let standing = sync?.standing else {
      return census.hasImports ? .unverifiable : .partial(.recorded("the list was never synced completely"))
    }
    return standing == .complete && census.hasImports ? .unverifiable : standing
  }

  private typealias Found = (items: [Item], faults: [RowFault], next: Int64?)

  private func rows(_ query: Query, in snapshot: any RecordSnapshot, from start: Int64, count: Int) async throws -> Found {
    switch query {
    case .everything, .changed, .latest: return try read(await snapshot.rows(of: kind, .everything, after: start, count: count))
    case .matching(let text): return try await matching(text, in: snapshot, from: start, count: count)
    case .record(let name):
      var found = try read(await snapshot.rows(of: kind, .id(schema.identity(name)), after: 0, count: 1))
      if found.items.isEmpty { found = try await named(name, in: snapshot) }
      found.next = nil
      return found
    }
  }

  /// Reads on until enough of what the index found holds the text.
  private func matching(_ text: String, in snapshot: any RecordSnapshot, from start: Int64, count: Int) async throws -> Found {
    let matcher = Matcher(text, in: schema)
    var found: Found = ([], [], start)
    while let after = found.next, found.items.count < count {
      let more = try read(await snapshot.rows(of: kind, .maybeMatching(text), after: after, count: count), where: matcher.matches)
      found.items += more.items
      found.faults += more.faults
      found.next = more.next
    }
    return found
  }

  /// The record that answers to a name other than its id. What it answers to holds that name, mostly; so the index is asked.
  private func named(_ name: String, in snapshot: any RecordSnapshot) async throws -> Found {
    var found: Found = ([], [], 0)
    while let after = found.next {
      let more = try read(await snapshot.rows(of: kind, .maybeMatching(name), after: after, count: 500)) { schema.answers($0, to: name) }
      found = (found.items + more.items, [], more.next)
    }
    found.items = Namesakes.choose(among: found.items, called: name, by: schema, of: kind.name).map { [$0] } ?? []
    return found
  }

  private func read(_ stored: StoredRows, where keeps: (Item) -> Bool = { _ in true }) throws -> Found {
    let (items, faults) = try stored.read(schema.read, where: keeps)
    return (items, faults, stored.next)
  }
}

extension StoredRows {
  /// The records among the rows; one that can no longer be read is a fault.
  func read<Item>(
    _ read: (JSON) throws -> Item, where keeps: (Item) -> Bool = { _ in true }
  ) throws -> (items: [Item], faults: [RowFault]) {
    var items: [Item] = []
    items.reserveCapacity(rows.count)
    var faults: [RowFault] = []
    for row in rows {
      do {
        let item = try read(JSON(row.body))
        if keeps(item) { items.append(item) }
      } catch let error as SourceError where error.kind == .malformed {
        faults.append(RowFault("row \(row.row): \(error.message)", digest: UInt64(bitPattern: row.row)))
      }
    }
    return (items, faults)
  }
}
