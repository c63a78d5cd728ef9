/// The stored records of one source, with their type.
///
///     let heroes = Archive<Hero>("heroes", in: store)
///     try await heroes.land(page.items, from: fetch)
///     let unread = try await heroes.take(20)
public struct Archive<Item: SourceItem>: Sendable {
  /// What the store knows of them.
  public let kind: RecordKind
  /// What the records are made of.
  public let schema: Schema<Item>
  let store: any RecordStore
  /// The address of the service whose records they are; nil where that says nothing.
  let address: String?
  private var prepareToTake: @Sendable () throws -> Void = {}

  /// The records of the source called `name`, whose service is at `address`; nil where an address says nothing.
  public init(_ name: String, of schema: Schema<Item>, in store: any RecordStore, from address: String? = nil) {
    kind = RecordKind(name, of: schema)
    (self.address, self.schema, self.store) = (address, schema, store)
  }

  /// Stores what one fetch brought.
  @discardableResult
  public func land(
    _ items: [Item], from fetch: Fetch, rule: Batch.Rule = .firstStays, advancing advance: Advance? = nil
  ) async throws -> LandingResult {
    var batch = Batch(kind, rule: rule)
    batch.add(items, of: schema, from: fetch)
    batch.advance = advance
    try await claimAddress()
    return try await store.land(batch)
  }

  /// The stored records, as a source.
  public func records(endless isEndless: Bool = false, clock: some Timekeeper = SystemTime()) -> StoredRecords<Item> {
    StoredRecords(archive: self, isEndless: isEndless, clock: clock)
  }

  /// Records of the same type that never mix with these: a sample, say.
  public func companion(_ purpose: String) -> Archive {
    changing(Archive("\(kind.name).\(purpose)", of: schema, in: store)) { $0.prepareToTake = prepareToTake }
  }

  /// The same records; `prepare` runs each time before some are taken, which count as shown unless a caller gives them back.
  public func preparingToTake(_ prepare: @escaping @Sendable () throws -> Void) -> Archive {
    changing(self) { $0.prepareToTake = prepare }
  }

  /// How many records are stored.
  public var count: Int { get async throws { try await store.snapshot().census(of: kind).count } }

  /// How far they were read with `next`.
  public func position() async throws -> Position { try await store.position(of: kind) }

  /// How many records were not shown yet, counted up to `most`.
  public func waiting(upTo most: Int) async throws -> Int { try await store.waiting(of: kind, upTo: most) }

  /// The next records not yet shown, and those that can no longer be read, which are skipped.
  public func take(_ count: Int) async throws -> (items: [Item], faults: [RowFault]) {
    try prepareToTake()
    let rows = StoredRows(rows: try await store.take(count, of: kind), next: nil)
    return try rows.read { try schema.read($0) }
  }

  /// Records that were not shown come first next time. It is done however late it is: they would be lost.
  public func giveBack(_ items: some Sequence<Item>) async throws {
    let (ids, kind, store) = (items.map(\.id), kind, store)
    try await Deadline.disregarded { try await store.giveBack(ids, to: kind) }
  }

  /// Begins again at the first record; no record is forgotten.
  public func reset() async throws { try await store.reset(kind) }

  /// Deletes a record, so that it is never shown again and never fetched back in. Says when it was first deleted.
  @discardableResult
  public func delete(_ id: String, at moment: Moment) async throws -> Moment {
    try await store.delete(id, of: kind, at: moment)
  }

  /// Undoes a deletion; false where there was none.
  @discardableResult
  public func restore(_ id: String) async throws -> Bool { try await store.restore(id, of: kind) }

  /// Where a record came from and what became of it; nil where nothing is known of it.
  public func history(of id: String) async throws -> History? { try await store.history(of: id, of: kind) }

  package func deletions() async throws -> [String] { try await store.deletions(of: kind) }

  package func forget(importedOnly: Bool) async throws -> Int { try await store.forget(kind, importedOnly: importedOnly) }

  package func changes(since moment: Moment) async throws -> [RecordChange] { try await store.changes(of: kind, since: moment) }

  /// How far the last sync is; nil where there was none.
  public func lastSync() async throws -> SyncState? { try await store.sync(of: kind) }

  /// A stream of records into the store, for an import.
  public func intake(rule: Batch.Rule = .firstStays) -> Intake<Item> { intake(rule, .bulk) }

  func intake(_ rule: Batch.Rule, _ pace: IntakePace) -> Intake<Item> {
    Intake(kind, of: schema, rule: rule, pace: pace, landing: { [store] in try await store.land($0) }) { [store, kind] in
      try await store.optimize(kind, bulk: pace.isBulk)
    }
  }

  /// What `work` gives, while which there is no other sync of these records.
  func syncingAlone<Answer>(_ work: () async throws -> Answer) async throws -> Answer {
    let claim = Claim()
    try await store.claim(claim, of: kind)
    return try await Deadline.ending(with: { [store, kind] in await store.release(claim, of: kind) }, work)
  }
}

extension Archive where Item: Record {
  /// The records of the source called `name`, in their own fields.
  public init(_ name: String, in store: any RecordStore) { self.init(name, of: Item.schema, in: store) }
}

// MARK: - Where the records came from

/// Stored records of one address do not answer for another, nor does a walk of one go on at the other. A store remembers the first address
/// whose records landed, as a keepsake.
extension Archive {
  /// Throws where the stored records came from another address.
  package func checkAddress() async throws { try await checkAddress(in: store.snapshot()) }

  func checkAddress(in snapshot: any RecordSnapshot) async throws {
    if address != nil, let stored = try await snapshot.storedText(kind.addressName) { try compare(stored) }
  }

  /// The same where records are about to land: from now on this is their address, if they had none.
  func claimAddress() async throws {
    if let address { try compare(try await store.storedText(kind.addressName) { address }) }
  }

  private func compare(_ stored: String) throws {
    guard let address, stored != address else { return }
    throw SourceError(
      .storage, "the stored \(kind.name) came from \(stored), not from \(address)",
      remedy: "use another store, or forget what is stored of it")
  }
}

extension RecordKind {
  /// The keepsake that the address of these records is remembered by.
  package var addressName: String { "\(name) address" }
}
