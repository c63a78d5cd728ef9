/// The one place that decides which combinators wrap a source.
struct Assembly<Item: SourceItem> {
  let descriptor: SourceDescriptor
  let live: any DataSource<Item>
  let bundled: BundledRecords<Item>?
  let scope: String

  /// How long a service may keep somebody waiting for what can be had elsewhere.
  private static var patience: Duration { .seconds(8) }

  private var name: String { descriptor.name }

  func opened(in world: World) -> SourceParts<Item> {
    let live = asked(in: world)
    return SourceParts(
      descriptor: descriptor, world: world, schema: live.schema, answering: insisting(source(in: world), world),
      live: insisting(live, world), bundled: bundled, archive: world.store.map(archive))
  }

  /// Where nothing but the service may answer, or it is to be asked again, that is insisted on with every page.
  private func insisting(_ source: any DataSource<Item>, _ world: World) -> any DataSource<Item> {
    world.isInsistent || world.reach == .live || world.reach == .replay
      ? Insisting(upstream: source, mayStandIn: world.reach == .anywhere) : source
  }

  private func archive(in store: any RecordStore) -> Archive<Item> {
    // With or without its last slash it is the same address.
    let address = scope.split(separator: " ").map { $0.last == "/" ? $0.dropLast() : $0 }.joined(separator: " ")
    return Archive(name, of: live.schema, in: store, from: address.isEmpty ? nil : address)
  }

  private func source(in world: World) -> any DataSource<Item> {
    if live.profile.paging.end == .never, world.reach != .replay, let store = world.store { return grown(in: store, world) }
    switch world.reach {
    case .live, .replay: return asked(in: world).coalesced()
    case .anywhere:
      let stored = stored(in: world)
      let asked = AnswerCache(
        upstream: asked(in: world), answers: lastAnswers(in: world), synced: stored?(.syncedLists),
        maxAge: world.maxAge, dice: world.dice)
      let standIns = [lastAnswers(in: world)] + standIns(stored)
      return Fallback(asked, to: standIns, within: Self.patience, clock: world.clock).coalesced()
    case .offline:
      let stored = stored(in: world)
      let standIns = standIns(stored)
      guard let stored else { return Fallback(lastAnswers(in: world), to: standIns) }
      // Once everything was stored, that is more than any single answer; but a record in full is only in its own answer.
      return Fallback(stored(.syncedLists), to: [lastAnswers(in: world)] + standIns)
    }
  }

  private func asked(in world: World) -> any DataSource<Item> {
    let isPlayed = world.reach == .replay
    let asked = live.retrying(
      world.patience, clock: world.clock, dice: world.dice, allowance: isPlayed ? nil : world.allowance)
    return isPlayed ? asked.replayed() : asked
  }

  /// An endless list is what was read of it.
  private func grown(in store: any RecordStore, _ world: World) -> any DataSource<Item> {
    let (archive, asked) = (archive(in: store), asked(in: world))
    let reading = world.reach == .offline ? nil : NextReader(asked, keeping: archive, clock: world.clock)
    let growth = reading.map {
      StoredList.Growth(service: asked, reading: $0, isWanted: world.reach == .live || world.isInsistent)
    }
    let records = archive.records(endless: true, clock: world.clock)
    var list = StoredList(records: records, policy: .read(growth), clock: world.clock, mayFallBack: false)
    guard let bundled, world.reach != .live else { return list }
    let grown = list
    (list.policy, list.mayFallBack) = (.read(nil), true)
    let undeleted = bundled.showing { try await archive.history(of: $0.id)?.deletedAt == nil }
    return Fallback(grown, to: [list, undeleted], within: Self.patience, clock: world.clock)
  }

  /// What is stored of all that ever came, part by part; one value, for its parts share their snapshots.
  private typealias Stored = @Sendable (StoredList<Item>.Policy) -> StoredList<Item>

  private func stored(in world: World) -> Stored? {
    world.store.map { store in
      let records = archive(in: store).records(clock: world.clock)
      return { StoredList(records: records, policy: $0, clock: world.clock) }
    }
  }

  private func lastAnswers(in world: World) -> LastAnswers<Item> {
    LastAnswers(of: live, in: world.answers, scope: scope, clock: world.clock)
  }

  /// What was synced whole, then what else is stored, then what is compiled in.
  private func standIns(_ stored: Stored?) -> [any DataSource<Item>] {
    var standIns: [any DataSource<Item>] = []
    if let stored {
      var (synced, some) = (stored(.synced), stored(.all(before: bundled)))
      (synced.grace, some.grace) = (.seconds(2), .seconds(2))
      standIns.append(synced.fallback(to: some))
    }
    if let bundled { standIns.append(bundled) }
    return standIns
  }
}

/// A source that is asked whatever is remembered, unless its caller insists on something else that it can have.
private struct Insisting<Item: SourceItem>: Wrapper {
  let upstream: any DataSource<Item>
  let mayStandIn: Bool

  func page(_ request: PageRequest) async throws -> Page<Item> {
    try await Insistence.on(mayStandIn ? Insistence.on ?? .service : .service) { try await upstream.page(request) }
  }
}
