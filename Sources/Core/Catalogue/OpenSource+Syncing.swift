extension OpenSource {
  /// Brings every record into the store; an unfinished sync goes on where it stopped, and after a complete one only what changed is asked for.
  ///
  /// `waiting` hears how long and why before a wait for a service that asks for time; without it the sync ends there. `begin` hears what
  /// it goes on from. Where most of what was stored is not in the list any more nothing is marked as gone, unless `acceptsGone`.
  public func sync(
    full isFull: Bool = false, acceptingGone acceptsGone: Bool = false, deadline: Moment? = nil,
    waiting: ((Duration, SourceError) -> Void)? = nil,
    beginning begin: @escaping @Sendable (SyncState) -> Void = { _ in }
  ) async throws -> Syncing<Item>.Outcome {
    let syncing = Syncing(live, into: try kept, counting: world.requests, clock: world.clock)
    do {
      return try await world.asking(until: deadline) {
        try await kept.origin.check()
        return try await syncing.run(
          full: isFull, acceptingGone: acceptsGone, deadline: deadline, waiting: waiting, beginning: begin)
      }
    } catch let error as SourceError {
      throw error.from(name)
    }
  }
}
