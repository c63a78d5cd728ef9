public import AggregatorCore

/// One thing that was looked at, what was found, and what mends it.
public struct Checkup: Sendable {
  /// How well something is.
  public enum Status: String, Sendable, Hashable {
    case ok, warn, fail
  }

  /// What mends something; a face says it in its own words.
  public enum Cure: Sendable, Hashable {
    /// What the error itself says can be done.
    case remedy(Remedy, of: String?)
    /// Look at the settings and their values.
    case lookAtSettings
    /// See whether the address in that setting is right; nil where no setting has one.
    case checkAddress(String?)
    /// Give that setting an address.
    case nameAddress(String)
    /// See to the network and the service, or give that setting another address; nil where no setting has one.
    case reachService(String?)
    /// See to the network, and look again.
    case reachAnything
    /// Allow more time.
    case allowMoreTime
    /// See to the rows that look otherwise than they did, or take that as their shape.
    case reviewShape(ShapeDrift)

    /// In the face's own words.
    public static func advice(_ text: String) -> Cure { .remedy(.advice(text), of: nil) }
  }

  /// What was looked at: the name of a source, or what all sources share, such as `settings`.
  public let name: String
  /// How well it is.
  public let status: Status
  /// What was found, for a person.
  public let detail: String
  /// What mends it; nil where nothing has to be mended, or nobody knows how.
  public let cure: Cure?
  /// The class of the error that was met.
  public let kind: SourceError.Kind?
  /// Whether the service was reached; nil where nobody tried.
  public let wasReached: Bool?

  /// What was found of something, for a person.
  public init(
    _ name: String, _ status: Status, _ detail: String, cure: Cure? = nil, of kind: SourceError.Kind? = nil,
    reached wasReached: Bool? = nil
  ) {
    (self.name, self.status, self.detail, self.cure) = (name, status, detail, cure)
    (self.kind, self.wasReached) = (kind, wasReached)
  }

  /// What an error says, and how it says that it is mended; `cure` is said where it does not.
  public init(
    _ name: String, _ status: Status = .fail, _ error: SourceError, cure: Cure? = nil, reached wasReached: Bool? = nil
  ) {
    let own = error.remedy.map { Cure.remedy($0, of: error.source) }
    self.init(name, status, error.message, cure: own ?? cure, of: error.kind, reached: wasReached)
  }

  /// As it is printed, with cures in the words of a face.
  public static func fields(_ words: @escaping @Sendable (Checkup) -> String?) -> [Field<Checkup>] {
    [
      Field<Checkup>("check", .title, width: .whole) { $0.name },
      Field<Checkup>("status", .badge, width: .whole) { $0.status.rawValue },
      Field<Checkup>("detail", .subtitle) { $0.detail },
      Field<Checkup>("fix") { words($0) },
    ]
  }
}

extension Settings {
  /// What their files warn of.
  public var checkup: Checkup {
    let file = keyFile.map { "key file \($0)" } ?? "no key file"
    guard let warning = warnings.first else { return Checkup("settings", .ok, file) }
    return Checkup("settings", .warn, "\(file): \(warning)", cure: .lookAtSettings)
  }
}

extension Catalogue {
  /// What files describe and is left out. It is no failure where another source has the name.
  public var omissionCheckups: [Checkup] {
    omissions.map { omission in
      let isUsed = omission.name.map { self[$0] != nil } ?? false
      return Checkup(omission.name ?? "sources", isUsed ? .warn : .fail, omission.reason)
    }
  }

  /// What every service answers that is asked for its first page; all at once, each until the deadline, which is ten seconds away unless
  /// another one is given. The store is left alone.
  public func checkups(
    in world: World, until deadline: Moment? = nil, opening open: SourceOpener? = nil
  ) async throws -> [Checkup] {
    let world = changing(world) { $0.store = nil }
    let deadline = deadline ?? world.clock.now + .seconds(10)
    return try await withThrowingTaskGroup(of: (Int, Checkup).self) { group in
      for (place, source) in sources.enumerated() {
        group.addTask { (place, try await source.checkup(in: world, until: deadline, opening: open)) }
      }
      let checkups = try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      return sources.indices.compactMap { checkups[$0] }.blamingNetwork
    }
  }

  /// What the last syncs saw of rows that do not look as they did. A store that cannot be read says nothing here.
  public func shapeCheckups(in world: World, opening open: SourceOpener? = nil) async -> [Checkup] {
    var checkups: [Checkup] = []
    for source in sources where !source.isEndless {
      var ask = Ask(of: source.name)
      ask.terms.reach = .offline
      let session = try? open?(source) ?? source.open(ask, in: world)
      for drift in (try? await session?.drift()) ?? [] {
        let detail = "\(drift.sentence) since \(CalendarDay(drift.since))"
        checkups.append(Checkup(source.name, .warn, detail, cure: .reviewShape(drift)))
      }
    }
    return checkups
  }
}

extension [Checkup] {
  /// The same; where no service at all was reached it is the network that is missing, and no source is to blame.
  fileprivate var blamingNetwork: [Checkup] {
    guard !contains(where: { $0.wasReached == true }) else { return self }
    return map { checkup in
      guard checkup.wasReached != nil else { return checkup }
      return Checkup(checkup.name, .warn, "could not be asked: \(checkup.detail)", cure: .reachAnything, of: checkup.kind)
    }
  }
}

extension SourceDescriptor {
  /// What its service answers that is asked for its first page.
  fileprivate func checkup(in world: World, until deadline: Moment, opening open: SourceOpener?) async throws -> Checkup {
    do {
      var ask = Ask(of: name)
      (ask.terms.reach, ask.terms.isInsistent, ask.deadline) = (.live, true, deadline)
      let session: any SourceSession = try open?(self) ?? self.open(ask, in: world)
      return try await self.checkup(of: session, until: deadline)
    } catch let error as SourceError {
      return try checkup(after: error, in: world)
    }
  }

  /// What a page tells of a service.
  private func checkup(of session: some SourceSession, until deadline: Moment) async throws -> Checkup {
    let (clock, start) = (session.world.clock, session.world.clock.now)
    let page = try await session.live.page(PageRequest(deadline: deadline))
    let took = (clock.now - start).inWords
    let cure = Checkup.Cure.checkAddress(address?.name)
    guard page.received > 0 else {
      return Checkup(name, .warn, "answered in \(took), without any record", cure: cure, reached: true)
    }
    guard let first = page.faults.first else {
      let records = page.total.map { "\($0) records" } ?? "\(page.received) records on its first page"
      return Checkup(name, .ok, "answered in \(took), \(records)", reached: true)
    }
    let broken = "\(page.faults.count) of \(page.received) rows could not be read: \(first.text)"
    return Checkup(
      name, page.items.isEmpty ? .fail : .warn, "answered in \(took), but \(broken)", cure: cure, of: .malformed, reached: true)
  }

  /// What an error tells of a service.
  private func checkup(after error: SourceError, in world: World) throws -> Checkup {
    switch error.kind {
    case .missingKey:
      var advised = error.advised(for: Ask(of: name), of: self)
      if file == nil { advised.message = error.message + "; bundled data is used" }
      return Checkup(name, .warn, advised)
    case .settings where error.isAboutLeave: return Checkup(name, .warn, error)
    case .budgetSpent: return Checkup(name, .warn, error, cure: .advice("try again later"))
    case .throttled: return Checkup(name, .warn, error, cure: .advice("try again later"), reached: true)
    case .timedOut: return Checkup(name, .fail, "no answer in time", cure: .allowMoreTime, of: error.kind, reached: false)
    case .unreachable:
      // Nobody runs one on this machine, and nobody said that one is there.
      if let address, file == nil, world.settings[address]?.origin == .default,
        try world.settings.address(address).host == "localhost"
      {
        return Checkup(
          name, .warn, "no service is set up; bundled data is used", cure: .nameAddress(address.name), of: error.kind)
      }
      return Checkup(
        name, .fail, error.message, cure: .reachService(address?.name), of: error.kind, reached: false)
    default: return Checkup(name, .fail, error.advised(for: Ask(of: name), of: self), reached: true)
    }
  }

  private var address: Setting? { settings.first { $0.kind == .address } }
}

extension SourceError {
  /// True when a person can allow what is refused.
  package var isAboutLeave: Bool { if case .ask(let call, _) = remedy { call.verb == "source allow" } else { false } }
}
