/// A store's knowledge of a source's list at one moment. The service is not asked.
public struct ListStatus: Sendable {
  /// The number of records, and when the last one came.
  public internal(set) var census: Census
  /// The deleted and the gone records.
  public internal(set) var removals: Removals
  /// The number of records that a person has edited.
  public internal(set) var edited: Int
  /// The values that do not fit their fields; nil if the records are not of this list.
  public internal(set) var misfits: Misfits?
  /// The last sync, finished or not, with the verdict that answers while it runs: that of the sync before it. Nil before the first sync.
  public internal(set) var sync: SyncState?
  /// The end of the first of the syncs that ended alike, the last one included; nil if none ended.
  public internal(set) var since: Moment?
  /// The verdict at the end of the list, if `next` has read it to its end and no sync has begun.
  public internal(set) var ended: Verdict?
  /// The failures of the last syncs; nil if the last sync did not fail.
  public internal(set) var failures: SyncFailures?
  /// The result of the last recount; nil before the first one.
  public internal(set) var audit: Audit?
  /// The drifts that last.
  public internal(set) var drift: [ShapeDrift] = []
  /// The fields that get their values at the next full sync.
  public internal(set) var unknown: [String] = []
  /// True when the records are those of an earlier description of the list.
  public internal(set) var isOutdated = false
  /// True when the list has no end.
  public internal(set) var isEndless = false
  /// The error for records that cannot be used: those of another address or another key, or those whose position cannot be read.
  public internal(set) var foreign: SourceError?

  /// Reads what the store knows of records of this kind, whatever list they are of.
  package init(of kind: RecordKind, at snapshot: any RecordSnapshot) async throws {
    census = try await snapshot.listCensus(of: kind)
    removals = try await snapshot.removals(of: kind)
    sync = try await snapshot.answeringSync(of: kind)
    edited = Edits(try await snapshot.edits(of: kind)).ids.count
    since = SyncLog(text: try await snapshot.storedText(kind.name(of: .syncs))).since(sync?.verdict)
    failures = SyncFailures(text: try await snapshot.storedText(kind.name(of: .failures)))
    audit = Audit(stored: try await snapshot.storedText(kind.name(of: .audit)))
    // Reading on is noted only of a list that came from a service and was never synced.
    guard sync == nil, census.hasOthers else { return }
    do {
      ended = try await snapshot.position(of: kind).ended
    } catch let error as SourceError where !error.isOfStore {
      // A position that somebody has edited costs its own list alone.
      foreign = error
    }
  }

  /// The best verdict of a walk over the stored records; nil if nothing was ever stored.
  public var verdict: Verdict? {
    if sync == nil && census.newest == nil || foreign != nil { return nil }
    if isOutdated { return .partial(.anotherList) }
    return isEndless ? .unverifiable : Self.verdict(after: sync, ended, census, lackingValues: !unknown.isEmpty)
  }

  /// The way in which the list changed while it was read, for a person; nil if nothing shows one.
  package var change: String? { isOutdated || isEndless ? nil : sync?.change }

  /// Returns the best verdict after that sync or, without a sync, after a reading that ended as `read`. Imported records may not belong to
  /// the list, and fields may have values that are not known yet, so the verdict is not complete with them.
  static func verdict(
    after sync: SyncState?, _ read: Verdict?, _ census: Census, lackingValues lacksValues: Bool
  ) -> Verdict {
    guard let standing = sync?.standing ?? read else {
      return census.hasImports ? .unverifiable : .partial(.recorded("the list was never synced completely"))
    }
    return standing == .complete && (census.hasImports || lacksValues) ? .unverifiable : standing
  }

  /// The moment as of which the records are known: that of the last sync or, without one, the arrival of the last record.
  public var asOf: Moment? { Self.moment(of: sync, census) }

  /// Returns the moment as of which stored records are known: the end of a sync of less than a minute, and the beginning of a longer one,
  /// which may have taken a day in several runs. The records that an unfinished one has not met are of the last whole sync. A sync that froze
  /// has stored nothing of what it saw.
  static func moment(of sync: SyncState?, _ census: Census) -> Moment? {
    let isFrozen = if case .partial(let shortfall)? = sync?.verdict { shortfall.isFrozen } else { false }
    let synced = sync.map { sync in
      sync.ended.map { $0 - sync.began < .seconds(60) ? $0 : sync.began } ?? sync.wholeBefore ?? sync.began
    }
    return isFrozen ? census.newest ?? synced : synced ?? census.newest
  }

  /// The moment at which the last sync that stored everything ended; nil if none did.
  public var wholeSince: Moment? { sync?.wholeAt }
}

extension Archive {
  /// Reads what the store knows of this list. Records that do not fit are looked for only if some are known to have come.
  package func status(at snapshot: any RecordSnapshot) async throws -> ListStatus {
    let snapshot = try await answering(snapshot)
    var status = try await ListStatus(of: kind, at: snapshot)
    status.isEndless = list?.isEndless ?? false
    do {
      let stamp = try await checkedStamp(in: snapshot)
      status.isOutdated = try await isOutdated(stamp, in: snapshot)
      if !status.isOutdated, let stamp {
        let unknown = stamp.unknown.union(unknownFields(after: stamp))
        status.unknown = schema.fields.map(\.name).filter(unknown.contains)
      }
      // A recount of another list says nothing about this one.
      if let audit = status.audit, audit.list != listDigest { status.audit = nil }
      status.drift = try await drift(in: snapshot)
      if !status.isOutdated { status.misfits = stamp?.hasMisfits ?? false ? try await misfits(at: snapshot) : Misfits() }
    } catch let error as SourceError where !error.isOfStore {
      status.foreign = error
    }
    return status
  }

  /// Reads the records, and counts the values that do not fit their fields.
  private func misfits(at snapshot: any RecordSnapshot) async throws -> Misfits {
    var misfits = Misfits()
    let shown = try await shown(in: snapshot)
    var next: Int64? = 0
    while let after = next {
      let rows = try await shown.records.rows(of: kind, .everything, after: after, count: 2_000)
      let read = try rows.read(by: schema)
      for item in read.items { misfits.add(read.misfits[item.id] ?? [], of: item) }
      next = rows.next
    }
    return misfits
  }

  /// Notes whether values of stored records may not fit their fields, unless that is noted.
  func noteMisfits(_ mayBeThere: Bool) async throws {
    guard plan == nil, try await stamp(in: store.snapshot())?.hasMisfits ?? false != mayBeThere else { return }
    try await writable.stamp(kind) { copy(of: $0 ?? ListStamp()) { $0.hasMisfits = mayBeThere } }
  }
}
