extension OpenSource {
  /// The next records not yet shown, at most `count`; they count as shown from now on.
  ///
  /// The kept ones come first, then those of the service. Where nothing was ever kept and the service does not answer, the compiled-in
  /// copy is read on, apart from what the service will give. `prepare` runs each time before some are taken.
  public func next(
    _ count: Int, deadline: Moment? = nil, preparing prepare: @escaping @Sendable () throws -> Void = {}
  ) async throws -> TakenRecords<Item> {
    let archive = try kept.preparingToTake(prepare)
    return try await world.asking(until: deadline) {
      do {
        try await archive.origin.check()
        return try await TakenRecords(count, by: reading(keeping: archive), deadline)
      } catch let error as SourceError {
        let error = error.from(name)
        guard error.kind.mayFallBack, world.reach != .live, world.reach != .replay, try await archive.isEmpty, let bundled else {
          throw error
        }
        // Whatever time the service has taken: what is compiled in is not withheld for it.
        let reading = NextReader(bundled, keeping: archive.sample, clock: world.clock)
        var taken = try await Insistence.on(nil) { try await TakenRecords(count, by: reading, nil) }
        taken.summary.origin = Origin(.bundled, reason: error)
        return taken
      }
    }
  }

  /// Begins again with the first record; no record is forgotten.
  public func reset() async throws {
    let archive = try kept
    try await archive.reset()
    try await archive.sample.reset()
  }

  /// Asks the service for one more page and keeps it, whether or not anybody reads it.
  public func fetchOne(deadline: Moment? = nil) async throws {
    do {
      try await world.asking(until: deadline) {
        try await kept.origin.check()
        try await NextReader(live, keeping: kept, clock: world.clock).fetchOne(deadline: deadline)
      }
    } catch let error as SourceError {
      throw error.from(name)
    }
  }

  private func reading(keeping archive: Archive<Item>) -> NextReader<Item> {
    world.reach == .offline
      ? NextReader(inKept: archive, clock: world.clock)
      : NextReader(live, keeping: archive, clock: world.clock)
  }
}

/// Records that count as shown, and what came of asking for them.
public struct TakenRecords<Item: SourceItem>: Sendable {
  public let items: [Item]
  public internal(set) var summary: Summary
  /// What they are made of.
  public var schema: Schema<Item> { archive.schema }
  private let archive: Archive<Item>

  fileprivate init(_ count: Int, by reading: NextReader<Item>, _ deadline: Moment?) async throws {
    (items, summary) = try await reading.next(count, deadline: deadline)
    archive = reading.archive
  }

  /// Gives back records that were not shown after all: they come first next time.
  public func giveBack(_ unseen: some Sequence<Item>) async throws { try await archive.giveBack(unseen) }
}

extension Archive {
  /// Where the compiled-in copy is read on, apart from what the service gave.
  var sample: Archive { companion("sample") }
}
