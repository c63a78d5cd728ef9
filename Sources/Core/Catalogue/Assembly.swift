/// The one place that decides which combinators wrap a source.
struct Assembly<Item: SourceItem> {
  let descriptor: SourceDescriptor
  let live: any DataSource<Item>
  let bundled: BundledRecords<Item>?
  /// Tells one service's answers from another's.
  let scope: String

  private var name: String { descriptor.name }

  func opened(in world: Surroundings) -> OpenedSource<Item> {
    OpenedSource(
      descriptor: descriptor, world: world, schema: live.schema, answering: source(in: world),
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
      let stored = stored(in: world)
      let asked = AnswerCache(
        upstream: asked(in: world), kept: lastAnswers(in: world), synced: stored?(.syncedLists),
        maxAge: world.isInsistent ? .zero : world.maxAge, dice: world.dice)
      let standIns = [lastAnswers(in: world)] + standIns(stored, clock: world.clock)
      return fallback(from: asked, to: standIns, in: world).coalesced()
    case .offline:
      let stored = stored(in: world)
      let standIns = standIns(stored, clock: world.clock)
      guard let stored else { return Fallback(lastAnswers(in: world), to: standIns) }
      // Once everything was stored, that is more than any single answer; but a record in full is only in its own answer.
      let synced = IfReadable(upstream: stored(.syncedLists).timeLimited(clock: world.clock), name: nil)
      return Fallback(synced, to: [lastAnswers(in: world)] + standIns)
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
    let records = archive.records(endless: true, clock: world.clock)
    let isInsistent = world.reach == .live || world.isInsistent
    let list = EndlessList(records: records, archive: archive, reading: reading, isInsistent: isInsistent)
    let grown = UnsavedPage(
      grown: list.timeLimited(clock: world.clock), live: reading.map { _ in asked(in: world) }, archive: archive)
    guard let bundled, world.reach != .live else { return grown }
    let stored = EndlessList(records: records, archive: archive, reading: nil).timeLimited(clock: world.clock)
    let standIns: [any DataSource<Item>] = [IfReadable(upstream: stored, name: name), UndeletedRecords(bundled: bundled, archive: archive)]
    return fallback(from: grown, to: standIns, in: world)
  }

  private func asked(in world: Surroundings) -> any DataSource<Item> {
    live
      .retrying(world.patience, clock: world.clock, dice: world.dice)
      .timeLimited(clock: world.clock, allowance: world.allowance)
      .understood()
      .attributed()
  }

  /// What is stored of all that ever came, part by part; one value, for its parts share their snapshots.
  private typealias Stored = @Sendable (StoredList<Item>.Part) -> StoredList<Item>

  private func stored(in world: Surroundings) -> Stored? {
    world.store.map { store in
      let archive = archive(in: store)
      let records = archive.records(clock: world.clock)
      return { StoredList(records: records, archive: archive, part: $0) }
    }
  }

  private func lastAnswers(in world: Surroundings) -> LastAnswers<Item> {
    LastAnswers(of: live, in: world.answers, scope: scope, clock: world.clock)
  }

  /// What was synced whole, then what else is stored, then what is compiled in.
  private func standIns(_ stored: Stored?, clock: any Timekeeper) -> [any DataSource<Item>] {
    var standIns: [any DataSource<Item>] = []
    if let stored {
      // Whatever time the service has taken: what is stored is not withheld for it.
      let grace = Duration.seconds(2)
      let kept = stored(.synced).timeLimited(clock: clock, grace: grace)
        .fallback(to: stored(.some(bundled)).timeLimited(clock: clock, grace: grace))
      standIns.append(IfReadable(upstream: kept, name: name))
    }
    if let bundled { standIns.append(bundled) }
    return standIns
  }

  /// Eight seconds for what can be had elsewhere, unless somebody insists on the service.
  private func fallback(from asked: any DataSource<Item>, to standIns: [any DataSource<Item>], in world: Surroundings) -> Fallback<Item> {
    Fallback(asked, to: standIns, within: world.isInsistent ? nil : .seconds(8), clock: world.clock)
  }
}
