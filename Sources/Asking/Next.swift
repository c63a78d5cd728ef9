public import AggregatorCore

extension SourceSession {
  /// Takes the next records that were not shown yet, stored ones first. They count as shown from now on. `prepare` runs
  /// each time before some are taken.
  ///
  /// If nothing was ever stored and the service does not answer, the records of the compiled-in copy come instead. Their position is kept
  /// apart from the position in the service's list.
  public func next(_ ask: Ask, preparing prepare: () throws -> Void = {}) async throws -> TakenRecords {
    let archive = try stored
    var advised = ask
    if ask.terms.reach == .live {
      // Other data is given only if nothing is stored. Otherwise no remedy may suggest leaving out `live`.
      let isEmpty = (try? await archive.isEmpty) ?? true
      if !isEmpty || bundled == nil { advised.terms.reach = .anywhere }
    }
    return try await advising(advised) {
      try await world.asking(until: ask.deadline) {
        do {
          let reader = NextReader(world.terms.reach == .offline ? nil : live, keeping: archive, clock: world.clock)
          let (items, summary) = try await reader.next(ask.limit ?? .max, preparing: prepare)
          return TakenRecords(items, summary, for: ask, of: descriptor, from: archive)
        } catch let error as SourceError {
          let error = error.from(name)
          guard error.kind.mayFallBack, world.terms.reach != .live, world.terms.reach != .replay, try await archive.isEmpty,
            let bundled
          else {
            throw error
          }
          Event.emit(.fellBack(from: name, to: bundled.profile.name, error))
          // The compiled-in copy is given even if the service has used up all the time.
          let sample = NextReader(bundled, keeping: archive.sample, clock: world.clock)
          return try await OriginDemand.with(nil) {
            let (items, found) = try await Deadline.lifted { try await sample.next(ask.limit ?? .max, preparing: prepare) }
            let summary = copy(of: found) { $0.origin = Origin(.bundled, reason: error) }
            return TakenRecords(items, summary, for: ask, of: descriptor, from: sample.archive)
          }
        }
      }
    }
  }

  /// Starts `next` again at the first record; no stored record is removed.
  public func reset() async throws {
    let archive = try stored
    try await archive.checkOwner()
    try await archive.reset()
    try await archive.sample.reset()
  }

  /// Asks the service for one more page and stores it, even if its records are never read.
  public func fetchOne(deadline: Moment? = nil) async throws {
    do {
      _ = try await world.asking(until: deadline) {
        try await NextReader(live, keeping: stored, clock: world.clock).fetchOne()
      }
    } catch let error as SourceError {
      throw error.from(name)
    }
  }
}

/// Records that count as shown, and the outcome of asking for them.
public struct TakenRecords: Concluded, Sendable {
  /// The records, in the order in which they count as shown.
  public let records: [ShownRecord]
  /// The origin, the verdict and the notices.
  public let outcome: Outcome
  private let giveBack: @Sendable ([ShownRecord]) async throws -> Void

  fileprivate init<Item>(
    _ items: [Item], _ summary: Summary, for ask: Ask, of source: SourceDescriptor, from archive: Archive<Item>
  ) {
    let isOver = items.isEmpty && (summary.verdict == .complete || summary.verdict == .unverifiable)
    let notices =
      (isOver ? [.seenEverything] : []) + [Notice](summary, for: ask, of: source, isReadingOn: true)
      + [.edited(summary.edited, among: items)].compactMap(\.self)
    outcome = Outcome(summary, notices, for: ask)
    records = archive.schema.shown(items)
    giveBack = { try await archive.giveBack($0) }
  }

  /// Gives back records that were not shown after all; they come first next time.
  public func giveBack(_ unseen: some Sequence<ShownRecord>) async throws { try await giveBack(Array(unseen)) }
}

extension Archive {
  /// The archive for the position in the compiled-in copy, apart from the service's records.
  var sample: Archive { companion("sample") }
}
