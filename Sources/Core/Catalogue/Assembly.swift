/// The one place that decides which combinators wrap a source.
struct Assembly<Item: SourceItem> {
  let name: String
  let live: any DataSource<Item>
  let bundled: BundledRecords<Item>?
  /// Tells one service's answers from another's.
  let scope: String

  func opened(in world: Surroundings) -> OpenedSource<Item> {
    OpenedSource(
      name: name, world: world, schema: live.schema, answering: source(in: world),
      live: world.reach == .replay ? played(in: world) : asked(in: world).coalesced(),
      bundled: bundled,
      archive: world.store.map(archive))
  }

  private func archive(in store: any Keeper) -> Archive<Item> {
    // With or without its last slash it is the same address.
    let address = scope.split(separator: " ").map { $0.last == "/" ? $0.dropLast() : $0 }.joined(separator: " ")
    return Archive(name, of: live.schema, in: store, from: address.isEmpty ? nil : address)
  }

  func source(in world: Surroundings) -> any DataSource<Item> {
    if live.profile.paging.end == .never, world.reach != .replay, let store = world.store { return grown(in: store, world) }
    switch world.reach {
    case .live:
      return asked(in: world).coalesced()
    case .anywhere:
      let kept = asked(in: world).cached(
        in: world.answers, scope: scope, maxAge: world.isInsistent ? .zero : world.maxAge, clock: world.clock)
      return standIn(behind: kept, stored(in: world), clock: world.clock).coalesced()
    case .offline:
      let kept = LastAnswers(of: live, in: world.answers, scope: scope, clock: world.clock)
      guard let stored = stored(in: world) else { return standIn(behind: kept, nil, clock: world.clock) }
      // Once everything was stored, that is more than any single answer; but a record in full is only in its own answer.
      let synced = IfReadable(upstream: stored.synced.listing().timeLimited(clock: world.clock), name: nil)
      return standIn(behind: synced.fallback(to: kept), stored, clock: world.clock)
    case .replay:
      return played(in: world)
    }
  }

  /// A recording. No race against the deadline on a clock that jumps: the walk looks at it between pages.
  private func played(in world: Surroundings) -> any DataSource<Item> {
    live.retrying(world.patience, clock: world.clock, dice: world.dice).understood().attributed().replayed().coalesced()
  }

  /// An endless list is what was read of it.
  private func grown(in store: any Keeper, _ world: Surroundings) -> any DataSource<Item> {
    let archive = archive(in: store)
    let reading = world.reach == .offline ? nil : NextReader(asked(in: world), keeping: archive, clock: world.clock)
    let kept = EndlessList(records: archive.records(endless: true, clock: world.clock), archive: archive, reading: reading)
      .timeLimited(clock: world.clock)
    let grown = UnsavedPage(grown: kept, live: reading.map { _ in asked(in: world) }, archive: archive)
    guard let bundled, world.reach != .live else { return grown }
    return grown.fallback(to: UndeletedRecords(bundled: bundled, archive: archive))
  }

  private func asked(in world: Surroundings) -> any DataSource<Item> {
    live
      .retrying(world.patience, clock: world.clock, dice: world.dice)
      .timeLimited(clock: world.clock, allowance: world.allowance)
      .understood()
      .attributed()
  }

  /// What is kept of all that ever came. One value for both, for they share their snapshots.
  private typealias Stored = (synced: SyncedRecords<Item>, brought: ImportedRecords<Item>)

  private func stored(in world: Surroundings) -> Stored? {
    world.store.map { store in
      let archive = archive(in: store)
      let records = archive.records(clock: world.clock)
      return (
        SyncedRecords(records, kind: archive.kind, keeper: store), ImportedRecords(records: records, archive: archive, bundled: bundled)
      )
    }
  }

  /// `first`, then what was synced whole, then what a person brought, then what is compiled in.
  private func standIn(
    behind first: some DataSource<Item>, _ stored: Stored?, clock: any Timekeeper
  ) -> any DataSource<Item> {
    guard let stored else {
      if let bundled { return first.fallback(to: bundled) }
      return first
    }
    // Whatever time the service has taken: what is stored is not withheld for it.
    let grace = Duration.seconds(2)
    let kept = stored.synced.timeLimited(clock: clock, grace: grace)
      .fallback(to: stored.brought.timeLimited(clock: clock, grace: grace))
    let readable = first.fallback(to: IfReadable(upstream: kept, name: name))
    if let bundled { return readable.fallback(to: bundled) }
    return readable
  }
}
