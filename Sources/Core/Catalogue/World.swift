/// Everything that a source may take from the outside, so that a test can replace all of it.
public struct World: Sendable {
  /// The origins from which an answer may come.
  public enum Reach: Sendable, Hashable {
    /// The service, otherwise its stand-ins.
    case anywhere
    /// The service only.
    case live
    /// Stored or compiled-in records only; the network is not used.
    case offline
    /// The recording that the transport plays, and nothing else. A request that it lacks is an error, and no stand-in answers it.
    case replay
  }

  /// The values of all settings, including keys.
  public var settings: Settings
  /// The transport that sends requests.
  public var transport: any Transport
  /// The wishes for an answer beside its records.
  public var terms = Terms()
  /// The number and length of retries when a service fails for a moment.
  public var patience = Patience.usual
  /// The time that a service has for each page or picture without a deadline; nil for no limit.
  public var allowance: Duration?
  /// The counter of requests, with their limit.
  public var requests = RequestCap()
  /// The store for records and answers; nil if nothing outlives the world.
  public var store: (any RecordStore)? { didSet { answers = store ?? answers } }
  /// The store for answers: the world's store, if it has one.
  public var answers: any AnswerStore
  /// The requests that count against the services' published limits.
  public var budgets: any BudgetKeeper
  /// The hosts that could not be reached a moment ago.
  public var hosts: any HostMemory
  package var secrets: any SecretStore = SecretsInMemory()
  /// Is told of the budget of each client that is made, and of the scope under which its requests count.
  package var hearBudget: (@Sendable (_ budget: Budget, _ scope: String) -> Void)?
  /// The plan that is being made, while nothing is written; nil when asks are carried out.
  package var plan: PlannedReading?
  /// The source of the time, and of waits.
  public var clock: any Timekeeper = SystemTime()
  /// The source of chance.
  public var dice: any Dice = SystemDice()
  /// Returns a query item's value in the recording that is played, so that a random value can be requested again.
  public var recorded: @Sendable (_ item: String) -> String? = { _ in nil }

  /// A world that stores everything in `store`: records, the answers for a service that cannot be reached, and the recent requests to
  /// services, unless `log` has those.
  public init(
    settings: Settings, transport: any Transport, keepingIn store: (any RecordStore)? = nil,
    requestsIn log: (any RequestMemory)? = nil
  ) {
    let log: any RequestMemory = store?.requests(orIn: log) ?? log ?? RequestsInMemory()
    (self.settings, self.transport, self.store) = (settings, transport, store)
    (answers, budgets, hosts) = (store ?? StoreInMemory(), log, log)
  }
}

extension World {
  /// The wishes for an answer beside its records. A command reads them from its options, a server from each request.
  public struct Terms: Sendable, Hashable {
    /// The origins from which the answer may come.
    public var reach = Reach.anywhere
    /// True to ask again whatever is stored or remembered.
    public var isInsistent = false
    /// The age below which a stored answer is used without a request; zero always asks.
    public var maxAge = Duration.zero
    /// True when the holder of a key is also the holder of the key before it. The lists stored for the old key then belong to the new one.
    public var isSameAccount = false
    /// The moment as of which the stored records are wanted; nil for the present ones. Nothing else answers then.
    public var asOf: Moment?
    /// True when stored records answer before a cached answer, which may be more complete but older. It matters only offline.
    public var prefersStored = false
    /// The most requests that may be sent; nil for no limit.
    public var maxRequests: Int?

    /// Terms without any limit.
    public init() {}
  }

  /// Returns the same world on other terms, with its own count of requests.
  public func on(_ terms: Terms) -> World {
    copy(of: self) { ($0.terms, $0.requests) = (terms, RequestCap(terms.maxRequests)) }
  }

  /// Returns a text that the store keeps under that name, or makes it. Without a store, and in a plan, it is not stored.
  package func storedText(_ name: String, made make: @escaping @Sendable () -> String) async throws -> String {
    guard let store else { return make() }
    guard plan == nil else { return try await store.snapshot().storedText(name) ?? make() }
    return try await store.storedText(name, made: make)
  }

  /// True when the service itself may be asked.
  package var asksService: Bool { terms.reach == .anywhere || terms.reach == .live }

  /// Runs `work` with that deadline, and with this world's demand on the service.
  package func asking<Answer>(
    until deadline: Moment? = nil, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Answer
  ) async rethrows -> Answer {
    let onItsTerms: (inout TaskTerms) -> Void = { task in
      if let deadline { task.deadline = Deadline(moment: deadline, clock: clock) }
      if terms.isInsistent || terms.reach == .live { task.originDemand = .service }
    }
    return try await TaskTerms.with(onItsTerms, isolation: isolation, work)
  }

  /// Returns a client for the service at `base`, with all steps around its requests that a service and its user expect. Each key has its
  /// own budget. While a key is missing every request fails as `missingKey`, so that a stand-in can answer.
  public func client(
    _ base: Setting, keys: [Credential] = [], headers: [HTTPRequest.Item] = [], budget: Budget = .unlimited
  ) throws -> Client {
    try client(base, keys: keys, headers: headers, budget: budget, through: [], for: "")
  }

  /// Returns a client whose requests also pass through `logins`, which add tokens of the holder `account` to them.
  package func client(
    _ base: Setting, keys: [Credential], headers: [HTTPRequest.Item] = [], budget: Budget, through logins: [any Middleware],
    for account: String
  ) throws -> Client {
    let address = try settings.address(base)
    if let error = missing(keys) { return Client(address, over: SilentTransport(error: error), clock: clock) }
    for key in keys { if let value = settings.secret(key.setting) { try KeyFile.check(value, of: key.setting.name) } }
    let query = keys.filter { $0.carrier == .query }.compactMap { $0.item(in: settings) }
    let headers = headers + keys.filter { $0.carrier != .query }.compactMap { $0.item(in: settings) }
    let sendsKeys = !address.hidden.isEmpty || !logins.isEmpty || (query + headers).contains { $0.value.secret != nil }
    if sendsKeys, asksService, !address.isSafe, !(base.isInsecure && address.isPrivate) {
      throw SourceError(
        .settings,
        "the key was not sent: \(base.name) (\(settings[base]?.origin.description ?? "default")) is an http address on another machine, "
          + "and anyone between could read it", remedy: "use an https address")
    }
    let hasAccount = !(query.isEmpty && headers.isEmpty && address.hidden.isEmpty && logins.isEmpty)
    let holder = holder(of: address, query + headers, account: logins.isEmpty ? nil : account)
    let scope = "\(address.origin) \(hasAccount ? String(holder, radix: 16) : "")"
    hearBudget?(budget, scope)
    var client = Client(
      address, over: transport, through: layers(logins, budget, scope), query: query, headers: headers,
      hiding: settings.secrets, clock: clock)
    client.isLoggedIn = !logins.isEmpty
    return client
  }

  private func missing(_ keys: [Credential]) -> SourceError? {
    // A recording contains no user's name and does not need one.
    // A key that its command did not give is missing, even one without which the service would answer.
    let missing = keys.compactMap { key in
      key.missing(in: settings) ?? (settings.secret(key.setting) == nil && settings.isSet(key.setting) ? key.setting : nil)
    }.filter { $0.isSecret || terms.reach != .replay }.map(\.name)
    if missing.isEmpty { return nil }
    return missing.lazy.compactMap { settings.failure(of: $0) }.first
      ?? SourceError(.missingKey, "no key is set", remedy: .set(missing))
  }

  /// Returns a number for the holder of the keys that are sent, and of the account.
  private func holder(of address: WebAddress, _ items: [HTTPRequest.Item], account: String?) -> UInt64 {
    var print = Fingerprint()
    for item in address.hidden { print.combine(item.value.reveal()) }
    for item in items where item.value.secret != nil { print.combine(item.value.text { $0.reveal() }) }
    if let account { print.combine(account) }
    return print.value
  }

  /// Returns the steps around a request, the outermost first.
  private func layers(_ logins: [any Middleware], _ budget: Budget, _ scope: String) -> [any Middleware] {
    [WatchMiddleware()] + logins + [
      RedirectMiddleware(),
      // Before the budget, so that a request that is not sent uses none of it.
      ReachabilityMiddleware(hosts, clock: clock), requests,
      // A recording may be asked as often as one likes.
      BudgetMiddleware(terms.reach == .replay ? .unlimited : budget, scope: scope, keeper: budgets, clock: clock),
      EventMiddleware(clock: clock, counting: requests),
    ]
  }
}

struct SilentTransport: Transport {
  let error: SourceError

  func send(_ request: HTTPRequest) async throws -> HTTPResponse { throw error }
}
