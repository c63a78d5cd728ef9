import AggregatorCore
import Asking

/// The result of one check: the thing that was checked, its condition, and a remedy.
struct Checkup: Sendable {
  /// The condition of something that was checked.
  enum Status: String, Sendable, Hashable {
    /// Nothing is wrong.
    case ok
    /// Something could be better, but records still come.
    case warn
    /// Something does not work.
    case fail
  }

  /// The thing that was checked: the name of a source, or something that all sources share, such as `settings`.
  let name: String
  /// The condition of it.
  let status: Status
  /// The finding, in words for a person.
  let detail: String
  /// The remedy; nil if nothing is wrong or none is known.
  let remedy: Remedy?
  /// The source that the remedy is about.
  let source: String?
  /// The class of the error; nil without an error.
  let errorClass: ErrorClass?
  /// True when the service was reached; nil if it was not asked.
  let wasReached: Bool?

  /// Describes a check and its finding.
  init(
    _ name: String, _ status: Status, _ detail: String, remedy: Remedy? = nil, of source: String? = nil,
    _ errorClass: ErrorClass? = nil, reached wasReached: Bool? = nil
  ) {
    (self.name, self.status, self.detail, self.remedy, self.source) = (name, status, detail, remedy, source)
    (self.errorClass, self.wasReached) = (errorClass, wasReached)
  }

  /// Describes an error that a check found. `remedy` is used if the error has none of its own.
  init(
    _ name: String, _ status: Status, _ error: SourceError, remedy: Remedy? = nil, reached wasReached: Bool? = nil
  ) {
    self.init(
      name, status, error.message, remedy: error.remedy ?? remedy, of: error.source, ErrorClass(of: error.kind),
      reached: wasReached)
  }

  /// The remedy if no service at all was reached.
  static let checkNetwork: Remedy = "no service was reached; check the network, and look again"
  /// The remedy if something is wrong with the settings.
  static let lookAtSettings: Remedy = "look at the settings"

  /// Returns the fields in the order in which they are printed; `words` puts remedies into the words of a face.
  static func fields(_ words: @escaping Remedy.Wording) -> [Field<Checkup>] {
    [
      Field<Checkup>("check", .title, width: .whole) { $0.name },
      Field<Checkup>("status", .badge, width: .whole) { $0.status.rawValue },
      Field<Checkup>("detail", .subtitle) { $0.detail },
      Field<Checkup>("fix") { checkup in checkup.remedy.flatMap { words($0, checkup.source) } },
    ]
  }
}

extension Settings {
  /// The first warning about the files of the settings, or the name of the file if all is well.
  var checkup: Checkup {
    let file = keyFile.map { "key file \($0)" } ?? "no key file"
    guard let warning = warnings.first else { return Checkup("settings", .ok, file) }
    return Checkup("settings", .warn, "\(file): \(warning)", remedy: Checkup.lookAtSettings)
  }
}

extension Catalogue {
  /// One result for each description in a file that is not used. It is only a warning if another source has the name.
  var omissionCheckups: [Checkup] {
    omissions.map { omission in
      let isUsed = omission.name.map { self[$0] != nil } ?? false
      return Checkup(omission.name ?? "sources", isUsed ? .warn : .fail, omission.reason)
    }
  }

  /// Asks every service for its first page, all at the same time. The deadline is ten seconds away unless another one
  /// is given. The store is not used.
  func checkups(
    in world: World, until deadline: Moment? = nil, opening open: SourceOpener? = nil
  ) async throws -> [Checkup] {
    let world = copy(of: world) { $0.store = nil }
    let deadline = deadline ?? world.clock.now + .seconds(10)
    return try await withThrowingTaskGroup(of: (Int, Checkup).self) { group in
      for (index, source) in sources.enumerated() {
        group.addTask { (index, try await source.checkup(in: world, until: deadline, opening: open)) }
      }
      let checkups = try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      return sources.indices.compactMap { checkups[$0] }.blamingNetwork
    }
  }

  /// Warns of sources whose last syncs failed, whose records are of another list, or whose rows have drifted from their expected shape. A
  /// store that cannot be read gives no warning.
  func statusCheckups(in world: World, opening open: SourceOpener? = nil) async -> [Checkup] {
    guard let reports = try? await reports(on: sources.filter { !$0.isEndless }, in: world, opening: open) else { return [] }
    return reports.flatMap(\.checkups)
  }
}

extension SourceReport {
  fileprivate var checkups: [Checkup] {
    var checkups: [Checkup] = []
    if let failure {
      checkups.append(Checkup(source.name, .warn, failure, remedy: lastError?.remedy, of: source.name))
    }
    for part in missing where part.kind == .outdated && part.since != nil {
      checkups.append(Checkup(source.name, .warn, part.reason, remedy: part.remedy, of: source.name))
    }
    for drift in status?.drift ?? [] {
      let detail = "\(drift.sentence) since \(CalendarDay(drift.since))"
      checkups.append(Checkup(source.name, .warn, detail, remedy: source.remedy(for: [drift])))
    }
    return checkups
  }
}

extension [Checkup] {
  /// The same results; if no service at all was reached, they blame the network and not the sources.
  fileprivate var blamingNetwork: [Checkup] {
    guard !contains(where: { $0.wasReached == true }) else { return self }
    return map { checkup in
      guard checkup.wasReached != nil else { return checkup }
      return Checkup(
        checkup.name, .warn, "could not be asked: \(checkup.detail)", remedy: Checkup.checkNetwork, checkup.errorClass)
    }
  }
}

extension SourceDescriptor {
  /// Asks the service for its first page.
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

  /// Asks for the first page and judges it.
  private func checkup(of session: some SourceSession, until deadline: Moment) async throws -> Checkup {
    let (clock, start) = (session.world.clock, session.world.clock.now)
    let page = try await session.world.asking(until: deadline) { try await session.live.page(PageRequest()) }
    let took = (clock.now - start).inWords
    let remedy = Remedy.check(address?.name)
    guard page.received > 0 else {
      return Checkup(name, .warn, "answered in \(took), without any record", remedy: remedy, reached: true)
    }
    guard let first = page.faults.first else {
      let records = page.total.map { "\($0) records" } ?? "\(page.received) records on its first page"
      if page.origin.maker != nil {
        let detail = "answered in \(took), \(records) \(page.origin.words(at: clock.now))"
        return Checkup(name, .warn, detail, remedy: remedy, reached: true)
      }
      return Checkup(name, .ok, "answered in \(took), \(records)", reached: true)
    }
    let broken = "\(page.faults.count) of \(page.received) rows could not be read: \(first.text)"
    return Checkup(
      name, page.items.isEmpty ? .fail : .warn, "answered in \(took), but \(broken)", remedy: remedy, .misunderstood,
      reached: true)
  }

  /// Judges an error of the service.
  private func checkup(after error: SourceError, in world: World) throws -> Checkup {
    switch error.kind {
    case .missingKey:
      var advised = error.advised(for: Ask(of: name), of: self)
      if file == nil { advised.message = error.message + "; bundled data is used" }
      return Checkup(name, .warn, advised)
    case .settings where error.isAboutLeave: return Checkup(name, .warn, error)
    case .budgetSpent: return Checkup(name, .warn, error, remedy: "try again later")
    case .throttled: return Checkup(name, .warn, error, remedy: "try again later", reached: true)
    case .timedOut:
      let remedy = Remedy("try again").or(.lengthen("timeout"))
      return Checkup(name, .fail, "no answer in time", remedy: remedy, ErrorClass(of: error.kind), reached: false)
    case .unreachable:
      // The address is still the default on this machine, so no service was ever set up.
      if let address, file == nil, world.settings[address]?.origin == .default,
        try world.settings.address(address).host == "localhost"
      {
        let remedy = Remedy.set([address.name], "to name its address")
        return Checkup(name, .warn, "no service is set up; bundled data is used", remedy: remedy, .unreachable)
      }
      let remedy: Remedy = "check the network and the service"
      let other = address.map { remedy.or(.set([$0.name], "to name another address")) }
      return Checkup(name, .fail, error.message, remedy: other ?? remedy, .unreachable, reached: false)
    default: return Checkup(name, .fail, error.advised(for: Ask(of: name), of: self), reached: true)
    }
  }

  /// Returns the checkup of the login at the service; nil if it needs none.
  fileprivate func loginCheckup(in world: World) -> Checkup? {
    login(world).map { state in
      state.trouble.map { Checkup("login of \(name)", .warn, copy(of: $0) { $0.source = name }) }
        ?? Checkup("login of \(name)", .ok, state.words)
    }
  }

  private var address: Setting? { settings.first { $0.kind == .address } }
}

extension SourceError {
  /// True when a person can allow what was refused.
  var isAboutLeave: Bool { if case .ask(let call, _) = remedy { call.verb == "source allow" } else { false } }
}

extension Catalogue {
  /// The checkups of the logins at services, as far as they are known without asking.
  func loginCheckups(in world: World) -> [Checkup] { sources.compactMap { $0.loginCheckup(in: world) } }
}
