/// What a source may take from the world: everything it needs comes through here, so a test can replace all of it.
public struct World: Sendable {
  /// How far an answer may be fetched from.
  public enum Reach: Sendable, Hashable {
    /// The service, else what stands in for it.
    case anywhere
    /// The service and nothing else.
    case live
    /// Only what is stored or compiled in; the network is not used.
    case offline
    /// The recording that the transport plays, and nothing else: what it lacks is an error that nothing stands in for.
    case replay
  }

  /// The values of all settings, keys among them.
  public var settings: Settings
  /// What sends its requests.
  public var transport: any Transport
  /// What somebody wants of an answer beside its records.
  public var terms = Terms()
  /// How often and how long a service that falters is asked again.
  public var patience = Patience.usual
  /// How long a service has for each page, and for each picture, that is asked for without a deadline; nil is as long as it takes.
  public var allowance: Duration?
  /// Counts the requests that go out, and lets no more than so many.
  public var requests = RequestCap()
  /// Where records and answers are stored; nil where nothing outlives the world.
  public var store: (any RecordStore)? { didSet { answers = store ?? answers } }
  /// Where answers are stored: in the store, if there is one.
  public var answers: any AnswerStore
  /// What was spent of the services' published limits.
  public var budgets: any BudgetKeeper
  /// Which hosts could not be reached a moment ago.
  public var hosts: any HostMemory
  /// What a plan has come to, for which nothing is written; nil where it is carried out.
  package var plan: PlannedReading?
  /// Where the time comes from, waits included.
  public var clock: any Timekeeper = SystemTime()
  /// Where chance comes from.
  public var dice: any Dice = SystemDice()
  /// What a query item was in the recording that is played, for what is random and asked for again.
  public var recorded: @Sendable (_ item: String) -> String? = { _ in nil }

  /// A world that keeps in `store` whatever it keeps: records, the answers that stand in for a service that is out of reach, and what was
  /// asked of services lately, unless that has another place.
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
  /// What somebody wants of an answer beside its records: a command reads it from its options, a server from each request.
  public struct Terms: Sendable, Hashable {
    /// Where the answer may come from.
    public var reach = Reach.anywhere
    /// Whether to ask again whatever is stored or remembered.
    public var isInsistent = false
    /// An answer in the store that is younger serves without a request; zero always asks.
    public var maxAge = Duration.zero
    /// Whether the holder of a key is the one of the key before it: what is stored of that one's lists is the new one's.
    public var isSameAccount = false
    /// At most so many requests are sent; nil is as many as it takes.
    public var maxRequests: Int?

    /// Whatever a source can do, however long it takes.
    public init() {}
  }

  /// The same world for a request on other terms, which counts its own requests.
  public func on(_ terms: Terms) -> World {
    changing(self) { ($0.terms, $0.requests) = (terms, RequestCap(terms.maxRequests)) }
  }

  /// A text that the store keeps under that name, made where it has none; without a store, and in a plan, nobody keeps it.
  package func storedText(_ name: String, made make: @escaping @Sendable () -> String) async throws -> String {
    guard let store else { return make() }
    guard plan == nil else { return try await store.snapshot().storedText(name) ?? make() }
    return try await store.storedText(name, made: make)
  }

  /// Whether the service itself may be asked.
  package var asksService: Bool { terms.reach == .anywhere || terms.reach == .live }

  /// What `work` gives, which keeps the deadline and insists on what this world does.
  package func asking<Answer>(
    until deadline: Moment? = nil, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Answer
  ) async rethrows -> Answer {
    let onItsTerms: (inout TaskTerms) -> Void = { task in
      if let deadline { task.deadline = Deadline(moment: deadline, clock: clock) }
      if terms.isInsistent { task.insistence = .service }
    }
    return try await TaskTerms.with(onItsTerms, isolation: isolation, work)
  }

  /// A client for the service at `base`, with everything around its requests that a service and its user expect. Each key has a budget of its
  /// own; while one is not set every request fails as `missingKey`, so that something else can stand in.
  public func client(
    _ base: Setting, keys: [Credential] = [], headers: [HTTPRequest.Item] = [], budget: Budget = .unlimited
  ) throws -> Client {
    let address = try settings.address(base)
    // A recording holds no user's name, and asks for none.
    let missing = keys.compactMap { $0.missing(in: settings) }.filter { $0.isSecret || terms.reach != .replay }.map(\.name)
    guard missing.isEmpty else {
      let error = SourceError(.missingKey, "no key is set", remedy: .set(missing))
      return Client(address, over: SilentTransport(error: error), clock: clock)
    }
    let query = keys.filter { $0.carrier == .query }.compactMap { $0.item(in: settings) }
    let headers = headers + keys.filter { $0.carrier != .query }.compactMap { $0.item(in: settings) }
    var account = Fingerprint()
    for item in address.hidden { account.combine(item.value.reveal()) }
    for item in query + headers where item.value.secret != nil { account.combine(item.value.text { $0.reveal() }) }
    let hasAccount = !(query.isEmpty && headers.isEmpty && address.hidden.isEmpty)
    let scope = "\(address.origin) \(hasAccount ? String(account.value, radix: 16) : "")"
    let layers: [any Middleware] = [
      RedirectMiddleware(),
      // Before the budget, which a host that is not asked does not use up.
      ReachabilityMiddleware(hosts, clock: clock),
      // A recording is asked as often as one likes.
      BudgetMiddleware(terms.reach == .replay ? .unlimited : budget, scope: scope, keeper: budgets, clock: clock),
      EventMiddleware(clock: clock),
      requests,
    ]
    return Client(
      address, over: transport, through: layers, query: query, headers: headers, hiding: settings.secrets, clock: clock)
  }
}

struct SilentTransport: Transport {
  let error: SourceError

  func send(_ request: HTTPRequest) async throws -> HTTPResponse { throw error }
}
