public import AggregatorCore
package import Logins
import Platform
package import Programs

extension Manifest {
  /// Returns the source with this name. `permit` is called before anything is sent, and throws if a person's leave is missing.
  public func source(
    _ name: String, permit: @escaping @Sendable (World) throws -> Void = { _ in }
  ) throws(SourceError) -> Source<LooseRecord> {
    let source = try description(of: name)
    let schema = try source.schema()
    var bundled: (@Sendable () throws -> RecordList<LooseRecord>)?
    if let name = source.bundled { bundled = { try RecordList(rows(of: name, schema)) } }
    var recording: (@Sendable () -> [UInt8])?
    if let name = source.recording { recording = { (try? contents(of: name)) ?? [] } }
    func opened<Live: DataSource<LooseRecord>>(_ live: @escaping @Sendable (World) throws -> Live) -> Source<LooseRecord> {
      Source(
        name, source.summary, of: schema, settings: settings, searches: source.searches,
        paging: source.isEndless ? source.pages : nil,
        rules: rules(of: source),
        live: { world -> Live in
          if world.asksService { try permit(world) }
          return try live(world)
        },
        bundled: bundled, recording: recording)
    }
    if let program = source.program { return opened { world in try records(of: source, from: program, in: world) } }
    return opened { world in try records(of: source, in: world) }.loggedIn { world in try? login(in: world, of: name)?.state }
  }

  /// Returns the login whose tokens the service wants; nil if it wants none, or if a person has set a token.
  package func login(in world: World, of source: String) throws -> LoginKeeper? {
    try logins(in: world, of: source).first?.keeper
  }

  private func logins(in world: World, of source: String) throws -> [(key: ManifestKey, keeper: LoginKeeper)] {
    guard let address else { return [] }
    return try keys.compactMap { key in
      guard let oauth = key.oauth, !world.settings.isSet(key.setting) else { return nil }
      let login = try Login(oauth, token: key.setting, at: world.settings.address(address), world.settings)
      return (key, LoginKeeper(login, of: source, in: world))
    }
  }

  /// Returns the records that a program prints.
  private func records(of source: ManifestSource, from program: SourceProgram, in world: World) throws -> ProgramRecords {
    guard world.terms.reach != .replay else {
      throw SourceError(.settings, "a recording has no programs", remedy: .omit("replay", "to start it"))
    }
    return try records(of: source, from: call(of: program, in: world))
  }

  /// Returns a call of a program with all that it needs.
  package func call(of program: SourceProgram, in world: World) -> ProgramCall {
    ProgramCall(program, in: Paths.folder(of: file), world.settings, naming: settings, planning: world.plan) {
      try program.tap?.catalog.map { try contents(of: $0) }
    }
  }

  /// Returns the records that a call of a program gives.
  package func records(of source: ManifestSource, from call: ProgramCall) throws -> ProgramRecords {
    let reader = ManifestRowReader(of: source, from: nil)
    let call = copy(of: call) { $0.keys = source.keyMembers }
    return ProgramRecords(
      source.name, from: call, of: try source.schema(), neverEmpty: source.isNeverEmpty, personal: isPersonal(source)
    ) { try reader.record($0) }
  }

  /// Returns the description of the source with this name; throws if the manifest has no such source.
  package func description(of name: String) throws(SourceError) -> ManifestSource {
    if let source = sources.first(where: { $0.name == name }) { return source }
    throw SourceError(.settings, "\(file): no source is called \"\(name)\"")
  }

  /// Returns the records in a file beside the manifest, one row in the source's own fields on each line.
  private func rows(of name: String, _ schema: Schema<LooseRecord>) throws -> [LooseRecord] {
    let bytes = try contents(of: name)
    return try bytes.split(separator: UInt8(ascii: "\n")).enumerated().map { index, line in
      do { return try schema.read(JSON(Array(line))) } catch let error as SourceError {
        throw SourceError(.settings, "\(Paths.join(Paths.folder(of: file), name)), line \(index + 1): \(error.message)")
      }
    }
  }

  /// Returns the contents of a file beside the manifest.
  package func contents(of name: String) throws -> [UInt8] {
    try SystemFiles().contents(of: Paths.join(Paths.folder(of: file), name), upTo: 64 << 20)
  }

  /// Returns a client that asks the service as the manifest says, at its address, with its keys and within its budget.
  public func client(in world: World) throws -> Client { try client(in: world, of: sources[0].name) }

  /// Returns a client for the source with this name, by which errors of a login say where to log in.
  private func client(in world: World, of source: String) throws -> Client {
    var world = world
    if world.asksService { world.transport = world.transport.through([RateLimits(clock: world.clock)]) }
    guard let address else { throw SourceError(.settings, "\(file) has no address") }
    let credentials = keys.compactMap { key in
      key.carrier?.credential(key.setting) { user in texts.first { $0.name == user } ?? Setting(user, .text, "") }
    }
    let budget = try world.settings.budget(Self.budgetSetting(of: address, budget), published: budget)
    let logins = world.asksService ? try logins(in: world, of: source) : []
    var client = try world.client(
      address, keys: credentials, budget: budget,
      through: logins.compactMap { login in login.key.carrier?.middleware(of: login.keeper) },
      for: logins.map(\.keeper.login.account).joined(separator: " "))
    client.remedyOfLogin = logins.first?.keeper.remedy
    return client
  }

  /// Returns the source of the service's own pages, without what answers in its place.
  package func live(_ source: ManifestSource, in world: World) throws -> any DataSource<LooseRecord> {
    try records(of: source, in: world)
  }

  /// Returns the records that the service itself returns.
  func records(of source: ManifestSource, in world: World) throws -> ManifestRecords {
    let settings = world.settings
    let values = texts.reduce(into: [:]) { $0[$1.name] = settings.text($1).map(Value.text) }
    // A default is the manifest's word, not the person's.
    let own = Set(texts.filter { settings[$0].map { $0.origin != .default } ?? false }.map(\.name))
    let client = try client(in: world, of: source.name)
    func service(_ source: ManifestSource) -> ManifestService {
      let names = source.list.request.names + headers.flatMap { $0.value.names }
      let needed = texts.map(\.name).first { names.contains($0) && values[$0] == nil }
      let missing = needed.map { SourceError(.missingKey, "\($0) is not set", remedy: .set([$0])) }
      return ManifestService(
        client: client, errors: source.errors + errors, headers: headers, texts: values, own: own,
        problem: missing, clock: world.clock)
    }
    let parent = try sources.first { $0.name == source.parent }.map { try ManifestRecords($0, of: service($0)) }
    return try ManifestRecords(source, of: service(source), below: parent, personal: isPersonal(source))
  }
}

extension ManifestKey.Carrier {
  /// Returns the step that adds a login's tokens to requests; nil for a carrier that a token cannot have.
  fileprivate func middleware(of keeper: LoginKeeper) -> TokenMiddleware? {
    switch self {
    case .header(let name, let scheme): TokenMiddleware(keeper, .header(name, scheme: scheme))
    case .query(let name): TokenMiddleware(keeper, .query(name))
    case .basic: nil
    }
  }
}
