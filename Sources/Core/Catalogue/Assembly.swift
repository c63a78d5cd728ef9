import Platform

/// The one place that decides which combinators wrap a source.
struct Assembly<Item: SourceItem> {
  let descriptor: SourceDescriptor
  let live: any DataSource<Item>
  let bundled: BundledRecords<Item>?
  /// The values of the settings that tell this list from others; its address is the first.
  let values: [String]
  let rules: ReadingRules
  /// The keys whose holder may own the list: those that do not rotate.
  let keys: [Setting]

  /// The longest time that a service may keep somebody waiting if the answer is available elsewhere.
  private static var patience: Duration { .seconds(8) }

  private var name: String { descriptor.name }

  func opened(in world: World) -> SourceParts<Item> {
    let live = asked(in: world)
    let archive = world.store.map { self.archive(in: $0, world) }
    return SourceParts(
      descriptor: descriptor, world: world, schema: live.schema,
      answering: settling(insisting(source(in: world, archive), world), archive, world),
      live: insisting(live, world), bundled: bundled, archive: archive)
  }

  /// Insists on the service for every page, if only the service may answer or if it is to be asked again.
  private func insisting(_ source: any DataSource<Item>, _ world: World) -> any DataSource<Item> {
    world.terms.isInsistent || world.terms.reach == .live || world.terms.reach == .replay
      ? Insisting(upstream: source, mayStandIn: world.terms.reach == .anywhere) : source
  }

  /// Notes a person's statement that the key has the same holder, once an answer has come.
  private func settling(_ source: any DataSource<Item>, _ archive: Archive<Item>?, _ world: World) -> any DataSource<Item> {
    guard world.terms.isSameAccount, let archive else { return source }
    return Settling(upstream: source, archive: archive)
  }

  private func archive(in store: any RecordStore, _ world: World) -> Archive<Item> {
    Archive(name, of: live.schema, in: store, as: list(in: world), planning: world.plan, asOf: world.terms.asOf)
  }

  private func list(in world: World) -> ListIdentity {
    func joined(_ values: [String]) -> String? {
      // An address with a slash at its end is the same address without it.
      let text = values.map { $0.last == "/" ? String($0.dropLast()) : $0 }.joined(separator: " ")
      return text.isEmpty ? nil : text
    }
    var list = ListIdentity(address: joined(values), reading: { [rules, live] in rules.digest(live) })
    list.parts = { [rules, live] in rules.parts(live) }
    (list.file, list.isEndless) = (descriptor.file, descriptor.isEndless)
    // Keys that change by themselves do not tell holders apart.
    (list.isPersonal, list.isSameAccount) = (live.profile.isPersonal && !keys.isEmpty, world.terms.isSameAccount)
    list.keyRemedy = .set(keys.map(\.name))
    let secrets = list.isPersonal ? keys.compactMap { world.settings.secret($0) } : []
    if live.profile.isPersonal, let login = descriptor.login(world) {
      // Tokens are renewed, so the holder is the one whom the service, or the login, names.
      (list.isPersonal, list.file, list.keyRemedy) = (true, nil, login.trouble?.remedy ?? .logIn(name))
      list.digestOfKey = { [descriptor] salt in descriptor.login(world)?.holder.map { Self.digest([$0], salt) } }
    } else if !secrets.isEmpty {
      list.digestOfKey = { salt in Self.digest(secrets.map { $0.reveal() }, salt) }
    }
    return list
  }

  private static func digest(_ texts: [String], _ salt: String) -> String {
    String(SHA256.hex(([salt] + texts).joined(separator: "\u{0}")).prefix(32))
  }

  /// The text under which answers are stored.
  private var scope: String { (values + [rules.request].filter { !$0.isEmpty }).joined(separator: " ") }

  private func source(in world: World, _ archive: Archive<Item>?) -> any DataSource<Item> {
    if let moment = world.terms.asOf {
      return PastRecords(
        records: archive?.records(endless: descriptor.isEndless, clock: world.clock), live: live, moment: moment)
    }
    if live.profile.paging.end == .never, world.terms.reach != .replay, let archive { return grown(archive, in: world) }
    switch world.terms.reach {
    case .live, .replay: return asked(in: world).coalesced()
    case .anywhere:
      let stored = stored(archive, in: world)
      let asked = AnswerCache(
        upstream: asked(in: world), answers: lastAnswers(archive, in: world), stored: stored, maxAge: world.terms.maxAge,
        dice: world.dice)
      return edited(
        Fallback(asked, to: [standIn(stored, archive, in: world)], within: Self.patience, clock: world.clock).coalesced(),
        archive)
    case .offline:
      let best = standIn(stored(archive, in: world), archive, in: world)
      return edited(copy(of: best) { ($0.isBehindCache, $0.isStoreFirst) = (false, world.terms.prefersStored) }, archive)
    }
  }

  /// Lays a person's edits over the records, wherever they come from.
  private func edited(_ source: any DataSource<Item>, _ archive: Archive<Item>?) -> any DataSource<Item> {
    archive.map { EditedRecords(upstream: source, archive: $0) } ?? source
  }

  private func asked(in world: World) -> any DataSource<Item> {
    let isPlayed = world.terms.reach == .replay
    let asked = live.retrying(
      world.patience, clock: world.clock, dice: world.dice, allowance: isPlayed ? nil : world.allowance)
    return isPlayed ? asked.replayed() : asked
  }

  /// The source of an endless list, which consists of what was read of it so far.
  private func grown(_ archive: Archive<Item>, in world: World) -> any DataSource<Item> {
    let asked = asked(in: world)
    let reading = world.terms.reach == .offline ? nil : NextReader(asked, keeping: archive, clock: world.clock)
    let growth = reading.map {
      StoredList.Growth(service: asked, reading: $0, isWanted: world.terms.reach == .live || world.terms.isInsistent)
    }
    let records = archive.records(endless: true, clock: world.clock)
    let grown = StoredList(records: records, growth: growth, clock: world.clock, mayFallBack: false)
    guard let bundled, world.terms.reach != .live else { return grown }
    let list = StoredList(records: records, clock: world.clock)
    let undeleted = bundled.showing { try await archive.history(of: $0.id)?.deletedAt == nil }
    // Offline nothing takes long, and a race of two tasks would start threads.
    let patience = world.terms.reach == .offline ? nil : Self.patience
    return Fallback(grown, to: [list, undeleted], within: patience, clock: world.clock)
  }

  private func stored(_ archive: Archive<Item>?, in world: World) -> StoredList<Item>? {
    archive.map { StoredList(records: $0.records(clock: world.clock), bundled: bundled, clock: world.clock) }
  }

  private func lastAnswers(_ archive: Archive<Item>?, in world: World) -> LastAnswers<Item> {
    var answers = LastAnswers(of: live, in: world.answers, scope: scope, clock: world.clock)
    answers.isPlanned = world.plan != nil
    answers.archive = archive
    answers.reading = { [rules, live] in rules.digest(live, for: $0) }
    return answers
  }

  /// The last answer, then the records that were synced whole or stored otherwise, then the bundled copy.
  private func standIn(_ stored: StoredList<Item>?, _ archive: Archive<Item>?, in world: World) -> BestStandIn<Item> {
    BestStandIn(
      answers: lastAnswers(archive, in: world), stored: stored.map { copy(of: $0) { $0.grace = .seconds(2) } }, bundled: bundled
    )
  }
}

/// A source that asks the service even if answers or failures are remembered, unless its caller insists on a stand-in that it may have.
private struct Insisting<Item: SourceItem>: Wrapper {
  let upstream: any DataSource<Item>
  let mayStandIn: Bool

  func page(_ request: PageRequest) async throws -> Page<Item> {
    try await OriginDemand.with(mayStandIn ? OriginDemand.current ?? .service : .service) { try await upstream.page(request) }
  }
}

private struct Settling<Item: SourceItem>: Wrapper {
  let upstream: any DataSource<Item>
  let archive: Archive<Item>

  func page(_ request: PageRequest) async throws -> Page<Item> {
    let page = try await upstream.page(request)
    // Only after an answer: a key that the service refuses has no holder.
    if request.cursor == nil { try await archive.keepAccount() }
    return page
  }
}

/// A source whose records have a person's edits. If the store cannot be read, they are as the service gave them.
private struct EditedRecords<Item: SourceItem>: Wrapper {
  let upstream: any DataSource<Item>
  let archive: Archive<Item>

  func page(_ request: PageRequest) async throws -> Page<Item> {
    var page = try await upstream.page(request)
    if page.stored.hasEdits { return page }
    do {
      let edited = try await archive.edited(page.items)
      if !edited.fields.isEmpty {
        (page.items, page.stored.edited, page.misfits) = (edited.items, edited.fields, edited.misfits(over: page.misfits))
      }
    } catch {
      if let error = error as? SourceError, error.kind == .storage { Event.emit(.storeFailed(error.from(archive.kind.name))) }
    }
    return page
  }
}

/// The stored records as of an earlier moment, or an error for a world without a store.
private struct PastRecords<Item: SourceItem>: DataSource {
  let records: StoredRecords<Item>?
  let live: any DataSource<Item>
  let moment: Moment

  var profile: Profile { records?.profile ?? live.profile }
  var schema: Schema<Item> { live.schema }

  func page(_ request: PageRequest) async throws -> Page<Item> {
    guard let records else { throw SourceError(.notStored, "nothing is stored without a store") }
    var page = try await records.page(request)
    page.origin.reason = SourceError(.notStored, "as it was stored on \(moment.minute)")
    // Another sync adds nothing to the past.
    page.origin.isPart = false
    return page
  }
}
